//! A simulated SillyTavern, and the conformance cases: how they are read, set up and judged.

pub mod cases;
pub mod sillytavern;
