//! One line of a timeline: time, mark, name, how long, which component, the rest.

use super::super::paint::Paint;
use super::super::text::{fit, pad, pad_left, width};

const TIME_COLUMNS: usize = 8;
/// The longest names of built-in tools fit.
const NAME_COLUMNS: usize = 24;
const TOOK_COLUMNS: usize = 7;
const DIGEST_COLUMNS: usize = 8;
/// Terminals that are narrower show no digest.
const MIN_COLUMNS_WITH_DIGEST: usize = 76;

/// What kind of line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// The run moved on.
    Step,
    /// It worked.
    Good,
    /// It went wrong, and the run goes on.
    Odd,
    /// It failed.
    Bad,
    /// What the line before changed.
    Change,
    /// Why the line before failed.
    Trouble,
}

/// A line that is not laid out yet.
#[derive(Debug)]
pub(super) struct Row {
    mark: Mark,
    name: String,
    took_ms: Option<u64>,
    digest: Option<String>,
    detail: String,
}

impl Row {
    pub(super) fn new(mark: Mark, name: &str) -> Self {
        Self {
            mark,
            name: name.to_owned(),
            took_ms: None,
            digest: None,
            detail: String::new(),
        }
    }

    pub(super) fn change(detail: String) -> Self {
        Self::new(Mark::Change, "").detail(detail)
    }

    pub(super) fn trouble(detail: String) -> Self {
        Self::new(Mark::Trouble, "").detail(detail)
    }

    pub(super) fn took(mut self, ms: Option<u64>) -> Self {
        self.took_ms = ms;
        self
    }

    pub(super) fn digest(mut self, digest: Option<String>) -> Self {
        self.digest = digest;
        self
    }

    pub(super) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// The line, cut to the columns if there is a limit.
    pub(super) fn text(&self, elapsed_ms: u64, paint: Paint, columns: Option<usize>) -> String {
        if matches!(self.mark, Mark::Change | Mark::Trouble) {
            return self.below(paint, columns);
        }
        let time = pad_left(
            &format!("{}.{:03}", elapsed_ms / 1_000, elapsed_ms % 1_000),
            TIME_COLUMNS,
        );
        let name = if width(&self.name) > NAME_COLUMNS {
            self.name.clone()
        } else {
            pad(&self.name, NAME_COLUMNS)
        };
        let took = pad_left(&self.took_ms.map(duration).unwrap_or_default(), TOOK_COLUMNS);
        let mut used = TIME_COLUMNS + 2 + 2 + width(&name) + 1 + TOOK_COLUMNS + 2;
        let mut digest = String::new();
        if columns.is_none_or(|all| all >= MIN_COLUMNS_WITH_DIGEST) {
            used += DIGEST_COLUMNS + 2;
            digest = format!("{}  ", pad(self.digest.as_deref().unwrap_or_default(), DIGEST_COLUMNS));
        }
        let detail = columns.map_or_else(
            || self.detail.clone(),
            |all| fit(&self.detail, all.saturating_sub(used)),
        );
        let (mark, name) = self.painted(&name, paint);
        let line = format!(
            "{}  {mark} {name} {}  {}{detail}",
            paint.dim(&time),
            paint.dim(&took),
            paint.dim(&digest)
        );
        line.trim_end().to_owned()
    }

    fn below(&self, paint: Paint, columns: Option<usize>) -> String {
        let indent = TIME_COLUMNS + 4;
        let room = columns.map(|all| all.saturating_sub(indent + 2));
        let detail = room.map_or_else(|| self.detail.clone(), |room| fit(&self.detail, room));
        let margin = " ".repeat(indent);
        match self.mark {
            Mark::Trouble => format!("{margin}{}", paint.bad(&detail)),
            _ => format!("{margin}{} {detail}", paint.good("\u{2192}")),
        }
    }

    fn painted(&self, name: &str, paint: Paint) -> (String, String) {
        match self.mark {
            Mark::Step => (paint.dim("\u{b7}"), paint.strong(name)),
            Mark::Good => (paint.good("\u{2713}"), paint.name(name)),
            Mark::Odd => (paint.odd("!"), paint.odd(name)),
            Mark::Bad => (paint.bad("\u{2717}"), paint.name(name)),
            Mark::Change | Mark::Trouble => (String::new(), String::new()),
        }
    }
}

fn duration(ms: u64) -> String {
    match ms {
        0 => "<1 ms".to_owned(),
        1..1_000 => format!("{ms} ms"),
        _ => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
    }
}
