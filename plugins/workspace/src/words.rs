//! The sentences of refusals, for a model: what happened, why, and the next call that would work.
//!
//! Only wording; those for paths are in `words/paths.rs`. No message holds a digest, a path outside the
//! workspace, or the text of a file beyond the line that a patch missed.

mod paths;

use innkeeper_tool::{counted, json_string, quoted};

use crate::characters::spelled;
use crate::patch::{MAX_LINES_NAMED, Nearest};
use crate::read_file::CAPS as READ_CAPS;

pub(crate) use paths::{file_missing, not_visible, not_writable, path};

/// Runs of missing lines named in a message; more would only be read again run by run.
const MAX_RUNS_NAMED: usize = 10;

pub(crate) const PATCH_EMPTY_OLD: &str = "Nothing was changed: old_string is empty, so there is nothing to find. Call \
     workspace_apply_patch with the text to replace copied from the file, or workspace_write_file with mode \"append\" to add to the end.";
pub(crate) const PATCH_NO_CHANGE: &str = "Nothing was changed: new_string would put back just what old_string \
     takes out (no change). Call workspace_apply_patch again with a new_string that differs.";
pub(crate) const NO_FILE: &str = "it names the whole workspace and no file";
pub(crate) const COMMIT_FIRST: &str = "The run was not finished: no message has been committed yet. Call workspace_commit first, and \
     when it has succeeded workspace_finish.";
pub(crate) const CHILD_RETURNS: &str = "This was refused: you work on a task for another agent, which finishes the run itself. Call task_return \
     with your result.";
pub(crate) const ALREADY_REQUESTED: &str = "Nothing was done: this call has already asked for a commit or for the end of the run. Make one \
     call for each.";

pub(crate) fn blank(argument: &str) -> String {
    format!("Nothing was done: argument /{argument} is blank. Call again with a text that is not blank.")
}

pub(crate) fn list_depth(depth: u64) -> String {
    format!(
        "depth is {depth}, but at most 4 is allowed. Call workspace_list_files again with depth 4 or less, and list a deeper folder by \
         its path."
    )
}

pub(crate) fn search_limit(limit: u64) -> String {
    format!("limit is {limit}, but must be 1 to 50. Call workspace_search_files again with such a limit.")
}

pub(crate) fn search_context(lines: u64) -> String {
    format!("context_lines is {lines}, but at most 5 is allowed. Call workspace_search_files again with 0 to 5.")
}

pub(crate) fn mixed_range(path: &str) -> String {
    format!(
        "{} was not read: a read goes either by lines or by characters. Call workspace_read_file again with start_line and \
         line_count, or with start_char and max_chars, not both.",
        quoted(path)
    )
}

pub(crate) fn line_range(path: &str, total_lines: u32) -> String {
    let path = quoted(path);
    if total_lines == 0 {
        return format!(
            "{path} was not read: the file is empty. Call workspace_read_file without start_line and line_count."
        );
    }
    format!(
        "{path} was not read: the file has {}, counted from 1. Call workspace_read_file again with start_line 1 to \
         {total_lines} and line_count at least 1, or without both.",
        counted(total_lines, "line")
    )
}

pub(crate) fn char_range(path: &str, total_chars: u32) -> String {
    let path = quoted(path);
    let Some(last) = total_chars.checked_sub(1) else {
        return format!(
            "{path} was not read: the file is empty. Call workspace_read_file without start_char and max_chars."
        );
    };
    format!(
        "{path} was not read: the file has {}, counted from 0. Call workspace_read_file again with start_char 0 to \
         {last} and max_chars at least 1, or without both.",
        counted(total_chars, "character")
    )
}

pub(crate) fn write_unread(path: &str) -> String {
    let path = quoted(path);
    format!(
        "Nothing was written: {path} exists and you have not read it, so replacing it could lose text. Call workspace_read_file with \
         path {path}, then write again; or use mode \"append\", which needs no read."
    )
}

pub(crate) fn write_half_read(path: &str, missing: &[(u32, u32)]) -> String {
    let rest = missing_lines(path, missing);
    format!(
        "Nothing was written: an existing file can be replaced only after all of it was read. {rest} Then write again."
    )
}

pub(crate) fn write_stale(path: &str) -> String {
    let path = quoted(path);
    format!(
        "Nothing was written: {path} has changed since you read it. Call workspace_read_file with path {path}, take over what is new, \
         then write again."
    )
}

pub(crate) fn write_vanished(path: &str) -> String {
    let path = quoted(path);
    format!(
        "Nothing was written: {path} was removed while you were writing. Call workspace_list_files to see what is there; the same call of \
         workspace_write_file again creates the file anew."
    )
}

pub(crate) fn over_budget(limit: &str) -> String {
    let limit = limit.trim().trim_end_matches('.');
    format!("Nothing was written: the call is over a write limit: {limit}. Write less at once, in several calls.")
}

pub(crate) fn patch_unread(path: &str) -> String {
    let path = quoted(path);
    format!(
        "Nothing was changed: you have not read {path}, if there is such a file. Call workspace_read_file with path {path}, then \
         patch it; a new file is made by workspace_write_file."
    )
}

pub(crate) fn patch_half_read(path: &str, missing: &[(u32, u32)]) -> String {
    let rest = missing_lines(path, missing);
    format!(
        "Nothing was changed: a file can be patched only after all of its present version was read. {rest} Then patch again."
    )
}

pub(crate) fn patch_stale(path: &str) -> String {
    let path = quoted(path);
    format!(
        "Nothing was changed: {path} has changed since you read it. Call workspace_read_file with path {path}, then patch it."
    )
}

pub(crate) fn patch_not_found(path: &str, nearest: Option<&Nearest>, numbered: bool) -> String {
    let numbers = if numbered {
        " The line numbers and ` | ` that workspace_read_file shows are not part of the file: leave them out."
    } else {
        ""
    };
    let candidate = match nearest {
        Some(nearest) => candidate(nearest),
        None => "\n\nNothing in the file resembles it.".to_owned(),
    };
    format!(
        "Nothing was changed: old_string does not occur in {}; spaces, quotes and line breaks must match exactly.{numbers}{candidate}\n\nCall \
         workspace_apply_patch again with old_string copied exactly from the file.",
        quoted(path)
    )
}

fn candidate(nearest: &Nearest) -> String {
    let file = nearest.file.map_or_else(
        || "the file ends".to_owned(),
        |scalar| format!("the file has {}", spelled(scalar)),
    );
    format!(
        " The nearest candidate begins in line {}. The first character that differs is in line {}, column {}: there {file}, and old_string \
         has {}.\n\n{}",
        nearest.line,
        nearest.differs_line,
        nearest.differs_column,
        spelled(nearest.wanted),
        nearest.excerpt
    )
}

pub(crate) fn patch_not_unique(path: &str, count: u32, lines: &[u32]) -> String {
    let more = match count.checked_sub(u32::try_from(MAX_LINES_NAMED).unwrap_or(u32::MAX)) {
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more"),
    };
    let place = match (lines.first(), lines.last()) {
        (Some(first), Some(last)) if first == last && more.is_empty() => format!("all in line {first}"),
        (Some(first), Some(last)) if first == last => {
            format!("the first {MAX_LINES_NAMED} all in line {first}")
        }
        _ => {
            let named: Vec<String> = lines.iter().map(u32::to_string).collect();
            format!("beginning in lines {}{more}", named.join(", "))
        }
    };
    format!(
        "Nothing was changed: old_string occurs {count} times in {}, {place}. Call workspace_apply_patch again with \
         more of the text around the right place in old_string and new_string, or with replace_all true to change every occurrence.",
        quoted(path)
    )
}

pub(crate) fn patch_too_large(path: &str, bytes: u64) -> String {
    format!(
        "Nothing was changed: {} would become {bytes} bytes, and a file may have 16 MiB (16777216 bytes). Replace less, or split the file.",
        quoted(path)
    )
}

pub(crate) fn empty_message(path: &str) -> String {
    let path = quoted(path);
    format!(
        "Nothing was committed: {path} is blank, and it must hold the message. Write it with workspace_write_file, then commit again."
    )
}

/// Which lines are still to read, and the call that shows the first of them.
fn missing_lines(path: &str, missing: &[(u32, u32)]) -> String {
    let Some((first, last)) = missing.first().copied() else {
        return format!("Call workspace_read_file with path {}.", quoted(path));
    };
    let count = last.saturating_sub(first).saturating_add(1).min(READ_CAPS.max_lines);
    let named: Vec<String> = missing
        .iter()
        .take(MAX_RUNS_NAMED)
        .map(|(from, to)| run(*from, *to))
        .collect();
    let more = match missing.len().saturating_sub(MAX_RUNS_NAMED) {
        0 => String::new(),
        1 => " and 1 more run".to_owned(),
        more => format!(" and {more} more runs"),
    };
    format!(
        "These lines of {} were not shown yet, or not to their end: {}{more}. Next call workspace_read_file with {{\"path\": {}, \
         \"start_line\": {first}, \"line_count\": {count}}}, and go on until none is left; where a line is cut, the result names \
         the call for its rest.",
        quoted(path),
        named.join(", "),
        json_string(path)
    )
}

fn run(from: u32, to: u32) -> String {
    if from == to {
        from.to_string()
    } else {
        format!("{from}-{to}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{patch_not_unique, write_half_read};

    #[test]
    fn names_the_missing_lines_and_the_next_read() {
        let call = |path: &str, missing: &[(u32, u32)]| {
            let message = write_half_read(path, missing);
            let (_, rest) = message
                .split_once("Next call workspace_read_file with ")
                .expect("a call");
            let (call, _) = rest.split_once(", and go on").expect("its end");
            serde_json::from_str::<serde_json::Value>(call).expect("JSON")
        };
        let message = write_half_read("plan/a.md", &[(3, 7), (12, 12)]);
        assert!(message.contains("or not to their end: 3-7, 12. Next"), "{message}");
        assert_eq!(
            call("plan/a.md", &[(3, 7), (12, 12)]),
            json!({"path": "plan/a.md", "start_line": 3, "line_count": 5})
        );
        assert_eq!(
            call("plan/\u{202E}.md", &[(1, 5_000)]),
            json!({"path": "plan/\u{202E}.md", "start_line": 1, "line_count": 1_200})
        );

        let many: Vec<(u32, u32)> = (0..14).map(|number| (number * 2 + 1, number * 2 + 1)).collect();
        let message = write_half_read("a", &many);
        assert!(message.contains("17, 19 and 4 more runs."), "{message}");
    }

    #[test]
    fn repeats_within_one_line_are_said_to_be_there() {
        assert!(patch_not_unique("a", 3, &[4, 4, 4]).contains("3 times in \"a\", all in line 4. "));
        assert!(patch_not_unique("a", 12, &[4; 10]).contains("12 times in \"a\", the first 10 all in line 4. "));
        assert!(patch_not_unique("a", 3, &[2, 3, 3]).contains("beginning in lines 2, 3, 3. "));
    }

    #[test]
    fn names_the_first_lines_of_an_ambiguous_patch() {
        let lines: Vec<u32> = (1..=10).collect();
        assert!(
            patch_not_unique("a", 10, &lines)
                .contains("10 times in \"a\", beginning in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10. ")
        );
        assert!(patch_not_unique("a", 13, &lines).contains("8, 9, 10 and 3 more. "));
    }
}
