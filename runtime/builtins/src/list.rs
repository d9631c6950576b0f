//! Every built-in component. Written by `cargo xtask guests`; do not edit.

use crate::Builtin;

pub(crate) static ALL: &[Builtin] = &[
    Builtin {
        family: "chat",
        bytes: include_bytes!("../components/chat.wasm"),
        sha256: "f8197f2c34002e39919e3d119fa8ab845ad719cadbc7e368f555009fc41c69ee",
    },
    Builtin {
        family: "dice",
        bytes: include_bytes!("../components/dice.wasm"),
        sha256: "29fed86a38cf69e897f8557ebc34440e2dc4c937aa3718daf3bc2b11107d6b37",
    },
    Builtin {
        family: "workspace",
        bytes: include_bytes!("../components/workspace.wasm"),
        sha256: "02a01038d2d7f8cbe47c75d79b4b703a53dd310c5c06308dc79c21313d2f068d",
    },
];
