//! What was found in a component file, for the person who decides whether to trust it.
//!
//! Every name in it may be a stranger's and is made harmless; long lists are cut.

use std::path::Path;

use innkeeper::protocol::tool::ToolSpec;
use innkeeper::{ComponentReport, HostError, ImportReport};
use serde_json::Value;

use super::calls::bytes;
use super::paint::Paint;
use super::spec::spec_lines;
use super::summary::labelled;
use super::text::{first_line, plain, wrap};
use crate::place::quoted;

/// Imports, and exports, that are shown; real components have a handful.
const MAX_NAMES: usize = 40;

/// The report as a text of several lines, the verdict last.
pub(crate) fn component_text(file: &Path, report: &ComponentReport, paint: Paint, columns: usize) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let size = bytes(u64::try_from(report.bytes).unwrap_or(u64::MAX));
    let mut lines = vec![
        format!("{}  {size}", paint.strong(&plain(&name))),
        paint.dim(&format!("sha256 {}", report.sha256)),
        String::new(),
        paint.strong("asks for"),
    ];
    lines.extend(cut(&report.imports, paint, |import| {
        import_lines(import, paint, columns)
    }));
    lines.push(String::new());
    lines.push(paint.strong("exports"));
    lines.extend(cut(&report.exports, paint, |export| format!("  {}", plain(export))));
    for tool in &report.tools {
        let title = format!("{}  {}", paint.strong(tool.native_name.as_str()), plain(&tool.title));
        let id = paint.dim(tool.id.as_str());
        lines.extend([String::new(), title, id, String::new()]);
        lines.extend(spec_lines(tool, paint, columns));
    }
    lines.push(String::new());
    lines.extend(match &report.refusal {
        None => usable(file, report, paint, columns),
        Some(refusal) => refused(refusal, paint, columns),
    });
    lines.join("\n")
}

/// The first entries as lines, and how many more there are.
fn cut<T>(entries: &[T], paint: Paint, line: impl Fn(&T) -> String) -> Vec<String> {
    if entries.is_empty() {
        return vec![paint.dim("  nothing")];
    }
    let mut lines: Vec<String> = entries.iter().take(MAX_NAMES).map(line).collect();
    if let Some(more) = entries.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
        lines.push(paint.dim(&format!("  and {more} more, which --json shows")));
    }
    lines
}

fn import_lines(import: &ImportReport, paint: Paint, columns: usize) -> String {
    let name = plain(&import.interface);
    let head = match import.is_served {
        true => paint.name(&name),
        false => paint.bad(&name),
    };
    let grant = match import.capability {
        Some(name) => format!("; granted with --allow {name}"),
        None if import.is_served => String::new(),
        None => "; cannot be granted".to_owned(),
    };
    let words = format!("{}{grant}", import.words);
    format!("  {head}\n{}", wrap(&words, columns, 6))
}

fn usable(file: &Path, report: &ComponentReport, paint: Paint, columns: usize) -> Vec<String> {
    let flags = grants(report);
    let needs = match flags.is_empty() {
        true => "nothing".to_owned(),
        false => flags.join(" "),
    };
    let mut lines = vec![
        format!("{} {}", paint.good("\u{2713}"), paint.good("usable")),
        labelled("grants", &needs, paint, columns),
    ];
    // A command is not wrapped: it is there to be copied.
    lines.extend(report.tools.first().map(|tool| {
        let command = example(file, tool, &flags);
        format!("{}{}", labelled("try", "", paint, columns), paint.name(&command))
    }));
    lines
}

/// `--allow` for everything that it asks for, each once.
fn grants(report: &ComponentReport) -> Vec<String> {
    let mut flags: Vec<String> = Vec::new();
    for capability in report.imports.iter().filter_map(|import| import.capability) {
        let flag = format!("--allow {capability}");
        if !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    flags
}

fn example(file: &Path, tool: &ToolSpec, flags: &[String]) -> String {
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let arguments = required
        .is_some_and(|names| !names.is_empty())
        .then(|| "--args JSON".to_owned());
    let head = format!("innkeeper tools call {} --component {}", tool.native_name, quoted(file));
    let words: Vec<String> = std::iter::once(plain(&head))
        .chain(flags.iter().cloned())
        .chain(arguments)
        .collect();
    words.join(" ")
}

fn refused(refusal: &HostError, paint: Paint, columns: usize) -> Vec<String> {
    // An engine explains itself over several lines.
    let why = format!("{} [{}]", first_line(&refusal.message), refusal.code);
    let mut lines = vec![
        format!("{} {}", paint.bad("\u{2717}"), paint.bad("refused")),
        labelled("why", &why, paint, columns),
    ];
    lines.extend(
        refusal
            .hint
            .iter()
            .map(|hint| labelled("do", &plain(hint), paint, columns)),
    );
    lines
}

#[cfg(test)]
mod tests {
    use innkeeper::protocol::digest::Sha256;

    use super::*;

    fn import(interface: &str, capability: Option<&'static str>, is_served: bool) -> ImportReport {
        ImportReport {
            interface: interface.to_owned(),
            capability,
            words: "do this and that".to_owned(),
            is_served,
        }
    }

    fn report() -> ComponentReport {
        ComponentReport {
            sha256: Sha256::of(b""),
            bytes: 88_950,
            imports: vec![
                import("innkeeper:workspace/types@0.1.0", None, true),
                import("innkeeper:workspace/reader@0.1.0", Some("workspace-read"), true),
                import("innkeeper:random/random@0.1.0", Some("random"), true),
                import("innkeeper:random/random@0.2.0", Some("random"), true),
            ],
            exports: vec!["innkeeper:tool/tool@0.1.0".to_owned(), "a\u{1b}b".to_owned()],
            tools: Vec::new(),
            refusal: None,
        }
    }

    fn text(report: &ComponentReport) -> String {
        component_text(Path::new("/a/tide.wasm"), report, Paint::new(false), 60)
    }

    #[test]
    fn what_is_asked_for_is_told_with_the_flag_that_grants_it() {
        insta::assert_snapshot!(text(&report()));
    }

    #[test]
    fn a_refusal_says_why_in_one_line_and_what_to_do() {
        let refusal = HostError::new("extension.import_refused", "tide: no\u{7} use\nCaused by:\n  lines")
            .with_hint("Build it without that import.");
        let refused = ComponentReport {
            imports: vec![import("wasi:cli/environment@0.2.0", None, false)],
            exports: Vec::new(),
            refusal: Some(refusal),
            ..report()
        };
        insta::assert_snapshot!(text(&refused));
    }

    #[test]
    fn endless_imports_are_cut() {
        let many = ComponentReport {
            imports: (0..MAX_NAMES + 5)
                .map(|at| import(&format!("a:b/c{at}"), None, false))
                .collect(),
            ..report()
        };
        let text = text(&many);
        assert!(text.contains("  and 5 more, which --json shows"), "{text}");
        assert!(!text.contains(&format!("c{MAX_NAMES}")), "{text}");
    }
}
