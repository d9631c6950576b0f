//! Each way in which a committed component can fail to match.

use std::collections::BTreeMap;

use super::*;
use crate::lock::Entry;

const DICE: &str = r#"(component
    (import "innkeeper:random/random@0.1.0" (instance))
    (instance $empty)
    (export "innkeeper:tool/tool@0.1.0" (instance $empty)))"#;

/// The same surface in other bytes.
const DICE_DIFFERENTLY: &str = r#"(component
    (import "innkeeper:random/random@0.1.0" (instance))
    (instance $empty)
    (@custom "note" "x")
    (export "innkeeper:tool/tool@0.1.0" (instance $empty)))"#;

const DICE_WITHOUT_IMPORT: &str = r#"(component
    (instance $empty)
    (export "innkeeper:tool/tool@0.1.0" (instance $empty)))"#;

fn bytes(text: &str) -> Vec<u8> {
    wat::parse_str(text).expect("a component")
}

fn lock(compiler: &str, component: &[u8]) -> Lock {
    let entry = Entry {
        sha256: sources::sha256(component),
        sources: String::new(),
    };
    Lock {
        compiler: compiler.into(),
        optimiser: "wasm-opt".into(),
        component: BTreeMap::from([("dice".into(), entry)]),
    }
}

/// The faults of a committed component against a rebuilt one, with the lock of `one` compiler.
fn faults(committed: &str, locked: &str, compiler: &str, rebuilt: &str) -> Vec<String> {
    let root = tempfile::tempdir().expect("a folder");
    let path = guests::component_path(root.path(), "dice");
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    fs::write(&path, bytes(committed)).expect("a file");
    let rebuilt = bytes(rebuilt);
    let build = Build {
        lock: lock(compiler, &rebuilt),
        components: BTreeMap::from([("dice".into(), rebuilt)]),
    };
    component_faults(root.path(), &lock("one", &bytes(locked)), &build).expect("components")
}

#[test]
fn equal_bytes_match() {
    assert_eq!(faults(DICE, DICE, "one", DICE), [""; 0]);
}

#[test]
fn the_same_compiler_must_make_the_same_bytes() {
    assert_eq!(
        faults(DICE, DICE, "one", DICE_DIFFERENTLY),
        ["dice: the same compiler makes other bytes of its sources"]
    );
}

#[test]
fn another_compiler_must_make_the_same_surface() {
    assert_eq!(faults(DICE, DICE, "other", DICE_DIFFERENTLY), [""; 0]);
    assert_eq!(
        faults(DICE, DICE, "other", DICE_WITHOUT_IMPORT),
        ["dice: imports or exports differ from those of its sources"]
    );
}

#[test]
fn a_component_must_be_the_one_of_the_lock() {
    let faults = faults(DICE, DICE_DIFFERENTLY, "one", DICE);
    assert_eq!(faults.len(), 1);
    assert!(
        faults[0].ends_with("dice.wasm is not what the lock names"),
        "{faults:?}"
    );
}

/// A checkout whose only family is `dice`.
fn checkout() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    for folder in [
        "plugins/sdk",
        "plugins/dice/tool",
        "plugins/dice/wit",
        "runtime/text",
        "wit",
    ] {
        fs::create_dir_all(root.path().join(folder)).expect("a folder");
    }
    for (file, text) in [
        ("plugins/Cargo.toml", "[workspace]\nmembers = [\"sdk\", \"dice\"]\n"),
        ("plugins/Cargo.lock", ""),
        ("plugins/dice/Cargo.toml", "[package]\nname = \"innkeeper-dice\"\n"),
    ] {
        fs::write(root.path().join(file), text).expect("a file");
    }
    root
}

#[test]
fn sources_must_be_those_of_the_lock() {
    let root = checkout();
    let family = families::find(root.path()).expect("families").remove(0);
    let mut lock = lock("one", b"");
    lock.component.entry("dice".into()).and_modify(|entry| {
        entry.sources = sources::digest(root.path(), &family).expect("a digest");
    });
    assert_eq!(source_faults(root.path(), &lock).expect("sources"), [""; 0]);
    fs::write(root.path().join("plugins/dice/tool/roll.md"), "new").expect("a file");
    assert_eq!(
        source_faults(root.path(), &lock).expect("sources"),
        ["dice: its sources changed after it was built"]
    );
}

#[test]
fn families_must_be_those_of_the_lock() {
    let root = checkout();
    let mut lock = lock("one", b"");
    let entry = lock.component.remove("dice").expect("dice");
    lock.component.insert("chess".into(), entry);
    assert_eq!(
        source_faults(root.path(), &lock).expect("sources"),
        [
            "dice: was never built into a component",
            "chess: is in the lock, but plugins/chess is gone"
        ]
    );
}
