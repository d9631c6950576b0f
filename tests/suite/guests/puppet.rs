//! The guest that does what it is told: scripts for it, and what it says of each step.
//!
//! What its letters mean stands at the head of `guests/puppet.wat`; the numbers of the cases are their places in `wit/workspace`.

use std::path::Path;

use innkeeper::protocol::limits::Limits;
use innkeeper::{BenchResult, BenchSetup, Capability, ForeignComponent, ToolBench};
use serde_json::{Value, json};

use super::component;
use crate::host;

/// What the puppet may do.
pub const GRANTED: [Capability; 2] = [Capability::WorkspaceRead, Capability::WorkspaceWrite];

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Resolve,
    List,
    Read,
    Show,
    Open,
    Write,
    Append,
    Remove,
    /// Writes 1 MiB.
    WriteLarge,
}

impl Act {
    const fn letter(self) -> char {
        match self {
            Self::Resolve => 'r',
            Self::List => 'l',
            Self::Read => 'e',
            Self::Show => 's',
            Self::Open => 'o',
            Self::Write => 'w',
            Self::Append => 'a',
            Self::Remove => 'd',
            Self::WriteLarge => 'b',
        }
    }

    /// Whether a path error is the payload of a larger error.
    const fn is_nested(self) -> bool {
        !matches!(self, Self::Resolve | Self::List | Self::Read)
    }
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Well,
    Invalid,
    NotVisible,
    NotWritable,
    NotFound,
    IsDirectory,
    NotADirectory,
    NotText,
    TooLarge,
    NameConflict,
    RequiresRead,
    OverBudget,
    /// Another error of the interface: its case.
    Other(u8),
}

impl Ended {
    fn of(act: Act, word: &str) -> Self {
        let digit = |at: usize| word.as_bytes()[at] - b'0';
        let (error, inner) = (digit(1), digit(2));
        match (digit(0), act.is_nested()) {
            (0, _) => Self::Well,
            (_, false) => Self::path(error),
            (_, true) => match error {
                0 => Self::path(inner),
                1 if act != Act::Show => Self::RequiresRead,
                4 => Self::OverBudget,
                other => Self::Other(other),
            },
        }
    }

    fn path(case: u8) -> Self {
        const CASES: [Ended; 9] = [
            Ended::Invalid,
            Ended::NotVisible,
            Ended::NotWritable,
            Ended::NotFound,
            Ended::IsDirectory,
            Ended::NotADirectory,
            Ended::NotText,
            Ended::TooLarge,
            Ended::NameConflict,
        ];
        CASES.get(usize::from(case)).copied().unwrap_or(Self::Other(case))
    }
}

/// Arguments that make the puppet do these steps, and then what the letter says: `L` loop, `T` trap, `F` fail.
pub fn script(steps: &[(Act, &str)], then: &str) -> Value {
    let hex = |path: &str| path.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let steps = steps.iter().map(|(act, path)| format!("{}{}", act.letter(), hex(path)));
    let all: Vec<String> = steps.chain((!then.is_empty()).then(|| then.to_owned())).collect();
    json!({ "do": all.join(",") })
}

/// A puppet over a workspace.
pub async fn bench(workspace: &Path, limits: Limits) -> ToolBench {
    let setup = BenchSetup {
        workspace: workspace.to_path_buf(),
        limits,
        component: Some(ForeignComponent {
            id: "hostile".to_owned(),
            bytes: component("puppet"),
            granted: GRANTED.into(),
        }),
        ..BenchSetup::default()
    };
    host::shared().await.tool_bench(setup).await.unwrap()
}

/// Lets the puppet do steps in one call; how each ended.
pub async fn play(bench: &mut ToolBench, steps: &[(Act, &str)]) -> (Vec<Ended>, BenchResult) {
    let result = bench.call("hostile.act", &script(steps, "")).await.unwrap();
    assert_eq!(result.error_code, None, "{}", result.model_text);
    let words = result.model_text.split_whitespace();
    let ended: Vec<Ended> = words.zip(steps).map(|(word, (act, _))| Ended::of(*act, word)).collect();
    assert_eq!(ended.len(), steps.len(), "{}", result.model_text);
    (ended, result)
}
