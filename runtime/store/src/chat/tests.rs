//! Tests of the whole module, on values and on real files. Tests of one file's internals sit in that file.

mod clients;
mod contention;
mod fixtures;
mod placement;
mod reading;
mod replacing;
mod untouched;
