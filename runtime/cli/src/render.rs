//! What people read: lines, tables and colours, made out of values. Nothing is written here.

mod arguments;
mod calls;
mod component;
mod error;
mod event;
mod paint;
mod policy;
mod runs;
mod spec;
mod summary;
mod text;
mod timeline;
mod tools;

pub(crate) use calls::call_text;
pub(crate) use component::component_text;
pub(crate) use error::error_text;
pub(crate) use event::event_line;
pub(crate) use paint::Paint;
pub(crate) use policy::{policy_change, policy_reset, policy_text};
pub(crate) use runs::{issue_lines, run_details, run_table};
pub(crate) use summary::{Facts, ending, status_name};
pub(crate) use text::{first_line, fit, plain, plain_lines, wrap};
pub(crate) use timeline::Timeline;
pub(crate) use tools::{tool_details, tool_table};
