//! Text metrics, line and character ranges, folding and search scoring, shared by the host and the guests.
//!
//! Everything is a pure function of its arguments: no files, no JSON, no words for people. Positions are
//! lines (1-based, split at LF only) and characters (0-based Unicode scalars), never bytes. Counts saturate
//! at `u32::MAX`.

mod fold;
mod line_search;
mod lines;
mod message_search;
mod metrics;
mod selection;
mod tokens;

pub use fold::fold;
pub use line_search::{LineHit, LineHits, LineQuery};
pub use lines::{line_count, number_lines};
pub use message_search::{MessageQuery, Ranked, best};
pub use metrics::{Metrics, measure};
pub use selection::{Caps, RangeError, Selection, Span, select};
pub use tokens::normalise;
