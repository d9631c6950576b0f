//! Scripts of the scripted model: a wrong one is refused with its place, never with a panic.
//!
//! What a script plays is not looked at.

#![no_main]

use innkeeper_gateway::scripted::ScriptedModel;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(error) = ScriptedModel::from_json(data) {
        assert!(!error.to_string().is_empty());
    }
});
