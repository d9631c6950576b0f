//! The paths that are tried, and what each of them is on the ground.
//!
//! What must be said of such a thing is in `table`.

use super::table::Kind;

/// One line of the table.
#[derive(Debug, Clone)]
pub struct Row {
    /// The path.
    pub path: String,
    /// What it is in the workspace.
    pub kind: Kind,
    /// What it is in the skill.
    pub in_skill: Kind,
}

fn row(path: impl Into<String>, kind: Kind) -> Row {
    Row {
        path: path.into(),
        kind,
        in_skill: kind,
    }
}

fn rows_of(kind: Kind, paths: &[&str]) -> Vec<Row> {
    paths.iter().map(|path| row(*path, kind)).collect()
}

/// The whole table.
pub fn rows() -> Vec<Row> {
    [
        leaving(),
        foreign(),
        unprintable(),
        devices(),
        lengths(),
        hidden(),
        shapes(),
        odd(),
        spellings(),
    ]
    .concat()
}

/// Paths that lead up, even where they come back.
fn leaving() -> Vec<Row> {
    rows_of(
        Kind::Malformed,
        &[
            "..",
            "../",
            "../outside/secret.md",
            "../run-evil/x.md",
            "output/..",
            "output/../real.md",
            "output/../output/real.md",
            "output/sub/../../../outside/secret.md",
            "./../run/output/real.md",
            " ../outside/secret.md ",
        ],
    )
}

/// Paths of other systems, and what shells and browsers would make something of.
fn foreign() -> Vec<Row> {
    let malformed = [
        "/",
        "//",
        "/etc/passwd",
        "//x",
        "\\\\srv\\share\\x",
        "\\\\?\\C:\\x",
        "\\??\\C:\\x",
        "C:x",
        "C:\\x",
        "c:/x",
        "file:///x",
        "..\\outside\\secret.md",
        "output\\real.md",
        "output/real.md:stream",
        "output/.git::$INDEX_ALLOCATION",
        "output/a*",
        "output/a?",
        "output/<a>",
        "output/a|b",
        "output/\"a\"",
    ];
    // Names that are odd and nothing else: no shell sees them, so they are only places outside the roots.
    let odd = ["~/x", "$HOME/x", "%TEMP%/x", "git~1/config"];
    [rows_of(Kind::Malformed, &malformed), rows_of(Kind::Hidden, &odd)].concat()
}

/// Characters that nobody sees.
fn unprintable() -> Vec<Row> {
    let scalars = [
        '\0',
        '\u{1}',
        '\t',
        '\n',
        '\r',
        '\u{1b}',
        '\u{7f}',
        '\u{85}',
        '\u{ad}',
        '\u{200b}',
        '\u{200c}',
        '\u{200d}',
        '\u{200e}',
        '\u{2028}',
        '\u{2029}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{feff}',
        '\u{e0041}',
    ];
    let inside = scalars.map(|scalar| row(format!("output/a{scalar}b.md"), Kind::Malformed));
    let end = row("output/real.md\0", Kind::Malformed);
    let git = row("output/.g\u{200c}it", Kind::Malformed);
    inside.into_iter().chain([end, git]).collect()
}

/// Names that Windows keeps for itself, and ends that it drops.
fn devices() -> Vec<Row> {
    rows_of(
        Kind::Malformed,
        &[
            "CON",
            "output/CON",
            "output/nul.txt",
            "output/COM1.md",
            "output/com0",
            "output/LPT³",
            "output/lpt¹.x",
            "output/aux .md",
            "output/PRN",
            "output/CONIN$",
            "output/conout$.md",
            "output/sub./inner.md",
            "output/real.md.",
            "output/real.md .",
            "output/sub /inner.md",
            "output/.git.",
            "output/...",
        ],
    )
}

fn lengths() -> Vec<Row> {
    let component = |bytes: usize| "n".repeat(bytes);
    // Four components of 200 and one that fills the rest.
    let whole = |bytes: usize| {
        let start = format!("output/{}", format!("{}/", component(200)).repeat(4));
        format!("{start}{}", component(bytes - start.len()))
    };
    vec![
        row(format!("output/{}", component(255)), Kind::Missing),
        row(format!("output/{}", component(256)), Kind::Malformed),
        row(format!("output/{}", "é".repeat(128)), Kind::Malformed),
        row(whole(1_024), Kind::Missing),
        row(whole(1_025), Kind::Malformed),
        row(format!("output/{}", component(5_000)), Kind::Malformed),
        row(format!("output/{}f.md", "x/".repeat(300)), Kind::Missing),
    ]
}

/// What the host keeps for itself, whether or not it is there.
fn hidden() -> Vec<Row> {
    let mut rows = rows_of(
        Kind::Hidden,
        &[
            "events.jsonl",
            "run.json",
            "manifest.json",
            "input/prompt_snapshot.json",
            "input/nothing.json",
            "tool-args/call_1.json",
            "checkpoints",
            "model-responses/x",
            "agent-results/x",
            "output_extra/a.md",
            "outputs",
        ],
    );
    let git = |path: &str| Row {
        in_skill: Kind::Malformed,
        ..row(path, Kind::Hidden)
    };
    rows.extend([git(".git/config"), git(".GIT/config")]);
    let other_case = |path: &str| Row {
        in_skill: Kind::Twin,
        ..row(path, Kind::Hidden)
    };
    rows.extend([other_case("OUTPUT/real.md"), other_case("Output")]);
    rows
}

/// Places that can be meant.
fn shapes() -> Vec<Row> {
    let files = [
        "output/real.md",
        "./output/real.md",
        "output//real.md",
        "output/./real.md",
        "output/real.md/",
        " output/real.md ",
        "output/.hidden",
        "output/hard.md",
    ];
    let missing = [
        "output/new.md",
        "output/new/deep/er.md",
        "plan/a b.md",
        "output/.git/config",
    ];
    let mut rows = [
        rows_of(Kind::Blank, &["", " ", "\t"]),
        rows_of(Kind::Dots, &[".", "./", "./."]),
        rows_of(Kind::File, &files),
        rows_of(Kind::Directory, &["output/sub", "output/sub/"]),
        rows_of(Kind::Missing, &missing),
        rows_of(Kind::Root, &["output", "output/"]),
        rows_of(Kind::BehindFile, &["output/real.md/x.md", "output/real.md/x/y.md"]),
        rows_of(Kind::NotText, &["output/raw.bin"]),
        rows_of(Kind::TooLarge, &["output/large.txt"]),
        rows_of(Kind::ReadOnly, &["tool-results/call_1.txt"]),
    ]
    .concat();
    for row in &mut rows {
        match row.path.as_str() {
            "output/.git/config" => row.in_skill = Kind::Malformed,
            "output/large.txt" => row.in_skill = Kind::Missing,
            _ => {}
        }
    }
    rows
}

/// Links of every kind, as the target and on the way, and things that are neither file nor folder.
fn odd() -> Vec<Row> {
    rows_of(
        Kind::Odd,
        &[
            "output/to_file",
            "output/to_folder",
            "output/to_folder/inner.md",
            "output/to_folder/new.md",
            "output/to_absolute",
            "output/to_around/inner.md",
            "output/to_secret",
            "output/to_outside",
            "output/to_outside/deep.md",
            "output/to_outside/new.md",
            "output/to_outside/new/deep/er.md",
            "output/dangling",
            "output/dangling/x.md",
            "output/dangling_out",
            "output/loop_a",
            "output/loop_self/x.md",
            "output/chain_0",
            "output/chain_44",
            "output/pipe",
            "output/pipe/x.md",
        ],
    )
}

/// Spellings of what is there, and letters that only look alike.
fn spellings() -> Vec<Row> {
    let twins = [
        "output/notes.md",
        "output/NOTES.MD",
        "output/STRASSE.md",
        "output/strasse.md",
        "output/i\u{307}.md",
        "output/izmir.md",
        "output/cafe\u{301}.md",
        "output/CAF\u{c9}.md",
        "output/SUB/inner.md",
        "output/SUB/new.md",
        "output/REAL.md/x.md",
    ];
    [
        rows_of(Kind::Twin, &twins),
        rows_of(Kind::Missing, &["output/\u{131}zmir.md", "output/n\u{43e}tes.md"]),
        rows_of(Kind::File, &["output/caf\u{e9}.md", "output/straße.md", "output/İ.md"]),
    ]
    .concat()
}
