//! Every built-in component. Written by `cargo xtask guests`; do not edit.

use crate::Builtin;

pub(crate) static ALL: &[Builtin] = &[
    Builtin {
        family: "chat",
        bytes: include_bytes!("../components/chat.wasm"),
        sha256: "02e410e0a3c40302f64f65e2770112721e2f2f72715b5931d4e1b648e0ac86c9",
    },
    Builtin {
        family: "dice",
        bytes: include_bytes!("../components/dice.wasm"),
        sha256: "3a2a6be6afca3769215db0fc2e39608ca45819c022800b34fbca80c7748d03f4",
    },
    Builtin {
        family: "skill",
        bytes: include_bytes!("../components/skill.wasm"),
        sha256: "718979e81d681cfdcf47abef2c984c93278809628adced3025b79a5ce1c8283f",
    },
    Builtin {
        family: "workspace",
        bytes: include_bytes!("../components/workspace.wasm"),
        sha256: "3d822f93d2dd7a88cc0ab00ba1c89f936155364c1fb43b1ba17e84410e80bfe4",
    },
    Builtin {
        family: "worldinfo",
        bytes: include_bytes!("../components/worldinfo.wasm"),
        sha256: "f2aca21a7f5fb90c47a0b5fdcb15bcabb82962a354cbdf83734720991b95b133",
    },
];
