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
        sha256: "6627e3e4c2bf27809d19aa36ce238d77c9f39c2fcb57c4f8142edcb013aa6e77",
    },
    Builtin {
        family: "workspace",
        bytes: include_bytes!("../components/workspace.wasm"),
        sha256: "e7c403ff4169b48f010ed507f369c53b0e5251b29439c6902c744878ca64b3f4",
    },
    Builtin {
        family: "worldinfo",
        bytes: include_bytes!("../components/worldinfo.wasm"),
        sha256: "f2aca21a7f5fb90c47a0b5fdcb15bcabb82962a354cbdf83734720991b95b133",
    },
];
