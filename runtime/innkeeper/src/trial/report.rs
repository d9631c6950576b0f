//! What a trial found: which checks were made of which tool, how many calls that took, and what its author should look at.
//!
//! Plain data in plain words; how it is shown is a face's business.

use std::fmt;

use innkeeper_protocol::limits::Usage;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Calls with arguments made from the tool's own schema.
    Arguments,
    /// The same with unusual Unicode.
    Unicode,
    /// The same call twice.
    Repeat,
    /// Calls that are stopped in the middle.
    Cancel,
    /// Limits that are just enough, and just not.
    Limits,
    /// Whether it keeps to what it says it uses.
    Uses,
}

impl Check {
    /// Every check, in the order in which they are made.
    pub const ALL: [Self; 6] = [
        Self::Arguments,
        Self::Unicode,
        Self::Repeat,
        Self::Cancel,
        Self::Limits,
        Self::Uses,
    ];

    /// What is checked, in a few words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Arguments => "takes whatever its schema allows",
            Self::Unicode => "takes unusual Unicode",
            Self::Repeat => "answers the same call alike",
            Self::Cancel => "can be stopped at any time",
            Self::Limits => "bears limits at their edge",
            Self::Uses => "keeps to its `uses`",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Arguments => "arguments",
            Self::Unicode => "unicode",
            Self::Repeat => "repeat",
            Self::Cancel => "cancel",
            Self::Limits => "limits",
            Self::Uses => "uses",
        })
    }
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// The trial is failed because of it.
    Problem,
    /// It could be better.
    Advice,
}

/// Something that an author should look at.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// How much it matters.
    pub weight: Weight,
    /// The code with which the call ended, where it ended with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What happened.
    pub what: String,
    /// What the author can do.
    pub advice: String,
    /// The shortest arguments with which it happened, where a call did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// The seed of that call's random numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How often.
    pub times: u32,
}

/// One check of one tool.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// The check.
    pub check: Check,
    /// Whether no problem was found.
    pub passed: bool,
    /// Calls that were made for it.
    pub calls: u32,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What limits the meaning of the result: why a part of the check could not be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl CheckReport {
    pub(super) fn new(check: Check) -> Self {
        Self {
            check,
            passed: true,
            calls: 0,
            findings: Vec::new(),
            note: None,
        }
    }

    /// Adds a finding; one of the same kind is only counted, and the shorter arguments are kept.
    pub(super) fn add(&mut self, new: Finding) {
        self.passed &= new.weight == Weight::Advice;
        let same = |found: &&mut Finding| found.code == new.code && found.what == new.what;
        let Some(found) = self.findings.iter_mut().find(same) else {
            self.findings.push(new);
            return;
        };
        found.times = found.times.saturating_add(new.times);
        let length = |finding: &Finding| finding.arguments.as_ref().map_or(0, |value| value.to_string().len());
        if length(&new) < length(found) {
            (found.arguments, found.seed) = (new.arguments, new.seed);
        }
    }
}

/// Everything about one tool.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolTrial {
    /// Its native name.
    pub tool: String,
    /// Its checks.
    pub checks: Vec<CheckReport>,
    /// The most that one call used, of each thing apart.
    pub most: Usage,
}

/// What a trial found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrialReport {
    /// The seed that makes the same trial again.
    pub seed: u64,
    /// Its tools.
    pub tools: Vec<ToolTrial>,
}

impl TrialReport {
    /// Whether no problem was found.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.tools
            .iter()
            .flat_map(|tool| &tool.checks)
            .all(|check| check.passed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn finding(what: &str, arguments: Value) -> Finding {
        Finding {
            weight: Weight::Problem,
            code: Some("tool.trap".to_owned()),
            what: what.to_owned(),
            advice: "x".to_owned(),
            arguments: Some(arguments),
            seed: Some(1),
            times: 1,
        }
    }

    #[test]
    fn what_is_found_again_is_counted_with_the_shortest_arguments() {
        let mut report = CheckReport::new(Check::Arguments);
        report.add(finding("it broke", json!({"a": "long"})));
        report.add(finding("it broke", json!({})));
        report.add(finding("it hung", json!({"b": 1})));
        let expected = Finding {
            times: 2,
            ..finding("it broke", json!({}))
        };
        assert_eq!(report.findings, [expected, finding("it hung", json!({"b": 1}))]);
        assert!(!report.passed);
    }

    #[test]
    fn advice_fails_nothing() {
        let mut report = CheckReport::new(Check::Uses);
        report.add(Finding {
            weight: Weight::Advice,
            ..finding("it could be better", json!({}))
        });
        assert!(report.passed);
    }
}
