//! What came of trying a package: its cases, each check of each tool, and for everything that went wrong what to do and how to see it
//! again.
//!
//! Texts of tools and cases are made harmless.

use std::path::{Path, PathBuf};

use innkeeper::{CheckReport, Finding, ToolTrial, TrialPackage, TrialReport, Weight};
use serde::Serialize;

use super::calls::{bytes, micros};
use super::paint::Paint;
use super::summary::labelled;
use super::text::{counted, pad, plain, plain_lines, wrap};
use crate::place::quoted;

/// Columns of a check's name.
const NAME_COLUMNS: usize = 9;
/// Longest arguments that are shown as a command; longer ones are in the JSON.
const MAX_SHOWN_ARGUMENTS: usize = 400;

/// A case and how it went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct CaseOutcome {
    /// Its file's name.
    pub(crate) file: String,
    /// Its title; empty where the file is no case.
    pub(crate) title: String,
    /// Whether it went as it says.
    pub(crate) passed: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// Everything that came of trying a package.
#[derive(Debug)]
pub(crate) struct TestOutcome {
    /// Its folder.
    pub(crate) dir: PathBuf,
    pub(crate) package: TrialPackage,
    /// Whether the manifest names this component.
    pub(crate) is_sealed: bool,
    /// Whether that was written just now.
    pub(crate) has_sealed: bool,
    pub(crate) cases: Vec<CaseOutcome>,
    pub(crate) trial: TrialReport,
}

impl TestOutcome {
    /// Whether cases and tools are as they should be.
    pub(crate) fn behaves(&self) -> bool {
        self.cases.iter().all(|case| case.passed) && self.trial.passed()
    }

    /// Whether the package could be given to somebody as it is.
    pub(crate) fn passed(&self) -> bool {
        self.behaves() && self.is_sealed
    }
}

/// The report as a text of several lines, the verdict last.
pub(crate) fn test_text(outcome: &TestOutcome, paint: Paint, columns: usize) -> String {
    let manifest = &outcome.package.manifest;
    let size = bytes(outcome.package.component.len() as u64);
    let name = format!("{} {}", manifest.id, manifest.version);
    let mut lines = vec![
        format!("{}  {}  {size}", paint.strong(&name), manifest.component),
        String::new(),
        paint.strong("cases"),
    ];
    if outcome.cases.is_empty() {
        lines.push(paint.dim("  none; a file in cases/ says what a call must bring"));
    }
    lines.extend(outcome.cases.iter().flat_map(|case| case_lines(case, paint, columns)));
    for tool in &outcome.trial.tools {
        lines.extend([String::new(), tool_head(tool, paint)]);
        lines.extend(
            tool.checks
                .iter()
                .flat_map(|check| check_lines(check, tool, outcome, paint, columns)),
        );
    }
    lines.push(String::new());
    lines.extend(verdict(outcome, paint, columns));
    lines.join("\n")
}

fn mark(passed: bool, paint: Paint) -> String {
    if passed {
        paint.good("\u{2713}")
    } else {
        paint.bad("\u{2717}")
    }
}

fn case_lines(case: &CaseOutcome, paint: Paint, columns: usize) -> Vec<String> {
    let title = paint.dim(&plain(&case.title));
    let head = format!("  {} {}  {title}", mark(case.passed, paint), plain(&case.file));
    let why = case.why.iter().map(|why| wrap(&plain_lines(why), columns, 6));
    std::iter::once(head).chain(why).collect()
}

fn tool_head(tool: &ToolTrial, paint: Paint) -> String {
    let most = &tool.most;
    let used = format!(
        "at most {}, {} memory, {} host calls, {} out",
        micros(most.wall_micros),
        bytes(most.peak_memory_bytes),
        most.host_calls,
        bytes(most.output_bytes)
    );
    format!("{}  {}", paint.strong(&plain(&tool.tool)), paint.dim(&used))
}

fn check_lines(
    check: &CheckReport,
    tool: &ToolTrial,
    outcome: &TestOutcome,
    paint: Paint,
    columns: usize,
) -> Vec<String> {
    let name = pad(&check.check.to_string(), NAME_COLUMNS);
    let calls = if check.calls > 0 {
        format!(", {}", counted(check.calls, "call"))
    } else {
        String::new()
    };
    let words = paint.dim(&format!("{}{calls}", check.check.words()));
    // A check that could make no call has found nothing out.
    let mark = match (&check.note, check.calls) {
        (Some(_), 0) => paint.odd("\u{2013}"),
        _ => mark(check.passed, paint),
    };
    let mut lines = vec![format!("  {mark} {name} {words}")];
    lines.extend(check.note.iter().map(|note| paint.dim(&wrap(note, columns, 6))));
    for finding in &check.findings {
        lines.extend(finding_lines(finding, tool, outcome, paint, columns));
    }
    lines
}

fn finding_lines(
    finding: &Finding,
    tool: &ToolTrial,
    outcome: &TestOutcome,
    paint: Paint,
    columns: usize,
) -> Vec<String> {
    let times = if finding.times > 1 {
        format!(" ({} times)", finding.times)
    } else {
        String::new()
    };
    let code = finding
        .code
        .iter()
        .map(|code| format!(" [{}]", plain(code)))
        .collect::<String>();
    let what = wrap(&format!("{}{times}{code}", plain(&finding.what)), columns, 6);
    let what = match finding.weight {
        Weight::Problem => paint.bad(&what),
        Weight::Advice => paint.odd(&what),
    };
    let mut lines = vec![what, labelled_in(&finding.advice, "do", paint, columns)];
    if let Some(command) = command(finding, tool, outcome) {
        // Not wrapped: it is there to be copied.
        lines.push(format!("      {}   {command}", paint.dim("see")));
    }
    lines
}

fn labelled_in(text: &str, label: &str, paint: Paint, columns: usize) -> String {
    let text = wrap(text, columns, 12);
    format!("      {}    {}", paint.dim(label), text.trim_start())
}

/// The call as a command, where it is short enough to be copied.
fn command(finding: &Finding, tool: &ToolTrial, outcome: &TestOutcome) -> Option<String> {
    let arguments = finding.arguments.as_ref()?.to_string();
    if arguments.len() > MAX_SHOWN_ARGUMENTS {
        return Some("in the output of --json: its arguments are long".to_owned());
    }
    let component = outcome.dir.join(outcome.package.manifest.component.as_str());
    let allow: String = outcome
        .package
        .manifest
        .names()
        .map(|name| format!(" --allow {name}"))
        .collect();
    let seed = finding.seed.map(|seed| format!(" --seed {seed}")).unwrap_or_default();
    Some(format!(
        "innkeeper tools call {} --component {}{allow}{seed} --args {}",
        tool.tool,
        quoted(&component),
        quoted(Path::new(&visible(&arguments))),
    ))
}

/// JSON text with everything that a terminal could act on as escapes; it stays the same JSON.
fn visible(json: &str) -> String {
    let mut units = [0_u16; 2];
    let escaped = |c: char| match c {
        ' '..='~' => c.to_string(),
        _ => c
            .encode_utf16(&mut units)
            .iter()
            .map(|unit| format!("\\u{unit:04x}"))
            .collect(),
    };
    json.chars().map(escaped).collect()
}

fn verdict(outcome: &TestOutcome, paint: Paint, columns: usize) -> Vec<String> {
    let dir = quoted(&outcome.dir);
    if !outcome.behaves() {
        let cases = outcome.cases.iter().filter(|case| !case.passed).count();
        let checks = outcome
            .trial
            .tools
            .iter()
            .flat_map(|tool| &tool.checks)
            .filter(|check| !check.passed)
            .count();
        let count = |count: usize, noun: &str| counted(u32::try_from(count).unwrap_or(u32::MAX), noun);
        let words = format!("{} and {} failed", count(cases, "case"), count(checks, "check"));
        return vec![format!("{} {words}", mark(false, paint))];
    }
    if !outcome.is_sealed {
        let why = "everything passes, but extension.toml names another component: the digest in it is not this one's";
        return vec![
            format!("{} {}", mark(false, paint), wrap(why, columns, 2).trim_start()),
            labelled(
                "do",
                &format!("if you built it: innkeeper extension test {dir} --seal"),
                paint,
                columns,
            ),
        ];
    }
    let sealed = if outcome.has_sealed {
        "; its digest is in extension.toml now"
    } else {
        ""
    };
    vec![
        format!("{} everything passes{sealed}", mark(true, paint)),
        labelled("next", &format!("innkeeper extension install {dir}"), paint, columns),
    ]
}

#[cfg(test)]
mod tests {
    use innkeeper::Check;
    use innkeeper::protocol::limits::Usage;
    use serde_json::json;

    use super::*;

    const MANIFEST: &str = "id = \"moods\"\nversion = \"1.2.0\"\npublisher = \"P\"\ndescription = \"D\"\nwit = \"0.1.0\"\n\
        component = \"moods.wasm\"\nsha256 = \"0000000000000000000000000000000000000000000000000000000000000000\"\n\
        [capabilities]\nrandom = \"To draw.\"\n";

    fn package() -> TrialPackage {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("extension.toml"), MANIFEST).unwrap();
        std::fs::write(folder.path().join("moods.wasm"), "not looked at").unwrap();
        TrialPackage::read(folder.path()).unwrap()
    }

    fn check(check: Check, findings: Vec<Finding>) -> CheckReport {
        CheckReport {
            check,
            passed: findings.iter().all(|finding| finding.weight == Weight::Advice),
            calls: 64,
            findings,
            note: None,
        }
    }

    fn outcome(cases: Vec<CaseOutcome>, checks: Vec<CheckReport>) -> TestOutcome {
        TestOutcome {
            dir: PathBuf::from("my moods"),
            package: package(),
            is_sealed: true,
            has_sealed: false,
            cases,
            trial: TrialReport {
                seed: 1,
                tools: vec![ToolTrial {
                    tool: "moods.read".to_owned(),
                    checks,
                    most: Usage {
                        wall_micros: 1_250,
                        peak_memory_bytes: 524_288,
                        host_calls: 3,
                        output_bytes: 42,
                    },
                }],
            },
        }
    }

    fn case(why: Option<&str>) -> CaseOutcome {
        CaseOutcome {
            file: "sad.toml".to_owned(),
            title: "A sad message".to_owned(),
            passed: why.is_none(),
            why: why.map(str::to_owned),
        }
    }

    fn trap() -> Finding {
        Finding {
            weight: Weight::Problem,
            code: Some("tool.trap".to_owned()),
            what: "it breaks down".to_owned(),
            advice: "Answer with a failure instead.".to_owned(),
            arguments: Some(json!({"name": "it's \u{1f600}\u{202e}"})),
            seed: Some(3),
            times: 2,
        }
    }

    fn text(outcome: &TestOutcome) -> String {
        test_text(outcome, Paint::new(false), 80)
    }

    #[test]
    fn what_passes_is_told_with_what_comes_next() {
        insta::assert_snapshot!(text(&outcome(
            vec![case(None)],
            vec![check(Check::Arguments, Vec::new())]
        )));
    }

    #[test]
    fn what_fails_is_told_with_what_to_do_and_how_to_see_it() {
        let checks = vec![check(Check::Unicode, vec![trap()]), check(Check::Uses, Vec::new())];
        insta::assert_snapshot!(text(&outcome(vec![case(Some("call 1 (moods.read): failed"))], checks)));
    }

    #[test]
    fn a_component_that_the_manifest_does_not_name_does_not_pass() {
        let unsealed = TestOutcome {
            is_sealed: false,
            ..outcome(Vec::new(), vec![check(Check::Arguments, Vec::new())])
        };
        assert!(!unsealed.passed() && unsealed.behaves());
        assert!(
            text(&unsealed).contains("innkeeper extension test 'my moods' --seal"),
            "{}",
            text(&unsealed)
        );
    }

    #[test]
    fn arguments_are_shown_as_the_same_json_in_plain_characters() {
        let shown = visible(&json!({"a": "\u{1f600}\u{202e}\u{e9}"}).to_string());
        assert_eq!(shown, r#"{"a":"\ud83d\ude00\u202e\u00e9"}"#);
    }
}
