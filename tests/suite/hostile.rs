//! Components of strangers at their worst: files that were made to hurt whoever loads them, compilers that die of them, caches that
//! somebody else has written into, and the memory that is left when all is over.
//!
//! Guests whose bad habit is in a call are in `guests`.

#[cfg(unix)]
mod compilers;
mod files;
mod journal;
mod load;
#[cfg(target_os = "linux")]
mod memory;
mod mutants;
mod replies;

/// Guests that only these files load.
pub const GUESTS: &[&str] = &["changing_specs", "structured"];
