//! Every built-in component. Written by `cargo xtask guests`; do not edit.

use crate::Builtin;

pub(crate) static ALL: &[Builtin] = &[
    Builtin {
        family: "chat",
        bytes: include_bytes!("../components/chat.wasm"),
        sha256: "25a2c31ca2f000211213ed3b5c2e34c52ba136274270bc75b2eb077707f88a9e",
    },
    Builtin {
        family: "dice",
        bytes: include_bytes!("../components/dice.wasm"),
        sha256: "99db1d94774b75b8d86a11470cd0914e683828658e82d891a7d29edf4f409c4e",
    },
    Builtin {
        family: "skill",
        bytes: include_bytes!("../components/skill.wasm"),
        sha256: "cafa3d12712f17d1cf1cc41757b28ef0df1fabfd892582743c644ce3f1a3bbc2",
    },
    Builtin {
        family: "workspace",
        bytes: include_bytes!("../components/workspace.wasm"),
        sha256: "654b8a9b13298a8db104ad7efa50703e02ad2d11b5b72d66accb082c46a8f9cd",
    },
    Builtin {
        family: "worldinfo",
        bytes: include_bytes!("../components/worldinfo.wasm"),
        sha256: "896fe4602b9f1e40a05134203c33717982d742f4a8e7ddb20a68a4f977830a8d",
    },
];
