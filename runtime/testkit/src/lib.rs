//! Simulated clock, seeded randomness and scripted ports for tests.

pub mod sillytavern;
