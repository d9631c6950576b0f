//! The bytes, the list and the lock belong together.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::*;

/// The digests that the lock names, by family.
fn locked() -> BTreeMap<String, String> {
    let lock: toml::Table = include_str!("../components.lock").parse().expect("a lock");
    let components = lock["component"].as_table().expect("components");
    components
        .iter()
        .map(|(family, entry)| (family.clone(), entry["sha256"].as_str().expect("text").to_owned()))
        .collect()
}

#[test]
fn the_list_is_the_lock() {
    let listed: BTreeMap<String, String> = all()
        .iter()
        .map(|builtin| (builtin.family.to_owned(), builtin.sha256.to_owned()))
        .collect();
    assert_eq!(listed, locked());
    assert!(listed.contains_key("dice"), "{listed:?}");
}

#[test]
fn the_bytes_have_their_digest() {
    for builtin in all() {
        let digest = Sha256::digest(builtin.bytes);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, builtin.sha256, "{}", builtin.family);
    }
}

#[test]
fn a_component_is_one_and_not_a_core_module() {
    for builtin in all() {
        assert_eq!(
            builtin.bytes.get(..8),
            Some(b"\0asm\x0d\0\x01\0".as_slice()),
            "{}",
            builtin.family
        );
    }
}
