//! What tests play with: a simulated SillyTavern.

pub mod sillytavern;
