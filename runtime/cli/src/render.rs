//! What people read: lines, tables and colours, made out of values. Nothing is written here.

mod approval;
mod arguments;
mod calls;
mod component;
mod diff;
mod error;
mod event;
mod extension;
mod extensions;
mod paint;
mod policy;
mod profiles;
mod runs;
mod spec;
mod summary;
mod text;
mod timeline;
mod tools;
mod trial;

pub(crate) use approval::{answered_text, approval_keys, approval_question};
pub(crate) use calls::call_text;
pub(crate) use component::component_text;
pub(crate) use diff::{diff_text, rollback_text};
pub(crate) use error::error_text;
pub(crate) use event::event_line;
pub(crate) use extension::{install_text, offer_text};
pub(crate) use extensions::{diagnostic_text, extension_list, grant_text, removal_text};
pub(crate) use paint::Paint;
pub(crate) use policy::{policy_change, policy_reset, policy_text};
pub(crate) use profiles::{profile_check, profile_details, profile_list};
pub(crate) use runs::{issue_lines, run_details, run_table};
pub(crate) use summary::{Facts, ending, status_name};
pub(crate) use text::{first_line, fit, plain, plain_lines, wrap};
pub(crate) use timeline::Timeline;
pub(crate) use tools::{tool_details, tool_table};
pub(crate) use trial::{CaseOutcome, TestOutcome, test_text};
