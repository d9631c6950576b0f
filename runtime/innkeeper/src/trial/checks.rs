//! The checks of one tool, one function each.
//!
//! Which calls are good to repeat, to stop and to squeeze is found out by the first two.

use std::time::Duration;

use innkeeper_protocol::limits::{LimitKind, Limits, Usage};
use innkeeper_tools::Tool;
use serde_json::Value;

use super::generate::{Generator, Texts};
use super::probe::{Prober, most};
use super::report::{Check, CheckReport, Finding, ToolTrial, Weight};
use super::verdict::{judge, limit_of};
use crate::bench::BenchResult;
use crate::error::HostError;

/// How often arguments are made anew until they fit the schema.
const MAX_TRIES: u32 = 50;
/// Calls that are repeated, and calls that are stopped.
const REPEATS: usize = 8;
/// The shortest wall clock that a call is squeezed into.
const SHORT_WALL: Duration = Duration::from_millis(1);

/// A call that worked.
struct Good {
    arguments: Value,
    seed: u64,
    result: BenchResult,
}

/// The trial of one tool.
pub(super) struct ToolChecks<'a, 'h> {
    pub(super) prober: &'a mut Prober<'h>,
    pub(super) extension: &'a str,
    pub(super) tool: &'a Tool,
    pub(super) samples: Vec<Value>,
    pub(super) seed: u64,
    pub(super) rounds: u32,
}

/// What checks find out beside their own reports.
#[derive(Default)]
struct Seen {
    good: Vec<Good>,
    most: Usage,
    /// Findings that belong to the check of `uses`, whichever check met them.
    strays: Vec<Finding>,
}

impl ToolChecks<'_, '_> {
    /// Makes every check.
    pub(super) async fn run(mut self, unused: &[String]) -> Result<ToolTrial, HostError> {
        let mut seen = Seen::default();
        let mut checks = Vec::with_capacity(Check::ALL.len());
        for check in Check::ALL {
            checks.push(match check {
                Check::Arguments => self.made(check, Texts::Plain, &mut seen).await?,
                Check::Unicode => self.made(check, Texts::Unusual, &mut seen).await?,
                Check::Repeat => self.repeat(&seen).await?,
                Check::Cancel => self.cancel(&seen).await?,
                Check::Limits => self.limits(&seen).await?,
                Check::Uses => uses(&mut seen, unused),
            });
        }
        Ok(ToolTrial {
            tool: self.tool.spec.native_name.to_string(),
            checks,
            most: seen.most,
        })
    }

    /// Calls with arguments out of the schema. Samples come first, so that a tool whose schema says little is called sensibly too.
    async fn made(&mut self, check: Check, texts: Texts, seen: &mut Seen) -> Result<CheckReport, HostError> {
        let mut report = CheckReport::new(check);
        let samples = if texts == Texts::Plain {
            std::mem::take(&mut self.samples)
        } else {
            Vec::new()
        };
        let schema = self.tool.spec.input_schema.clone();
        let mut generator = Generator::new(&schema, texts, self.seed);
        let mut misses = 0_u32;
        let mut samples = samples.into_iter();
        while report.calls < self.rounds && misses < MAX_TRIES {
            let arguments = samples.next().unwrap_or_else(|| generator.arguments());
            if !self.tool.accepts(&arguments) {
                misses += 1;
                continue;
            }
            misses = 0;
            let seed = self.seed.wrapping_add(u64::from(report.calls));
            let result = self.call(&arguments, seed).await?;
            report.calls += 1;
            self.take(&mut report, arguments, seed, result, seen);
        }
        if report.calls == 0 {
            report.note = Some(
                "no arguments could be made that fit its schema; add a case with a call that works, or an `examples` to the schema".to_owned(),
            );
        }
        Ok(report)
    }

    async fn call(&mut self, arguments: &Value, seed: u64) -> Result<BenchResult, HostError> {
        let limits = self.prober.limits().clone();
        self.prober.call(self.tool, arguments, seed, &limits).await
    }

    fn take(&self, report: &mut CheckReport, arguments: Value, seed: u64, result: BenchResult, seen: &mut Seen) {
        seen.most = most(seen.most, result.usage);
        if let Some(verdict) = judge(self.extension, &arguments, seed, &result) {
            match verdict.of {
                Some(_) => seen.strays.push(verdict.finding),
                None => report.add(verdict.finding),
            }
        }
        if !result.is_error {
            seen.good.push(Good {
                arguments,
                seed,
                result,
            });
        }
    }

    /// The same call twice. Nothing survives a call, so only the host's own answers could differ, and here they do not.
    async fn repeat(&mut self, seen: &Seen) -> Result<CheckReport, HostError> {
        let mut report = CheckReport::new(Check::Repeat);
        for good in seen.good.iter().rev().take(REPEATS) {
            let again = self.call(&good.arguments, good.seed).await?;
            report.calls += 1;
            if without_usage(&again) != without_usage(&good.result) {
                report.add(Finding {
                    weight: Weight::Problem,
                    code: again.error_code.clone(),
                    what: "the same call in the same place had two different results".to_owned(),
                    advice: "Take chance and time from the host's interfaces only: a run cannot be replayed otherwise."
                        .to_owned(),
                    arguments: Some(good.arguments.clone()),
                    seed: Some(good.seed),
                    times: 1,
                });
            }
        }
        no_good_call(&mut report, seen);
        Ok(report)
    }

    /// Calls that are dropped at a random point; the next one must find everything as it was.
    async fn cancel(&mut self, seen: &Seen) -> Result<CheckReport, HostError> {
        let mut report = CheckReport::new(Check::Cancel);
        let mut chance = Generator::new(&Value::Null, Texts::Plain, self.seed);
        let mut stopped_midway = false;
        for good in seen.good.iter().rev().take(REPEATS) {
            let share = u8::try_from(chance.below(256)).unwrap_or_default();
            let stopped = self.prober.stop(self.tool, &good.arguments, good.seed, share).await?;
            report.calls += 1;
            stopped_midway |= stopped.had_begun;
            if !stopped.left_files || stopped.next.is_error {
                report.add(Finding {
                    weight: Weight::Problem,
                    code: stopped.next.error_code.clone(),
                    what: "after a call that was stopped the next one did not find everything as it was".to_owned(),
                    advice: "Report this to Innkeeper: the host sees to it that a stopped call leaves nothing behind."
                        .to_owned(),
                    arguments: Some(good.arguments.clone()),
                    seed: Some(good.seed),
                    times: 1,
                });
            }
        }
        if !stopped_midway && report.calls > 0 {
            report.note =
                Some("its calls are over so quickly that they could only be stopped before they began".to_owned());
        }
        no_good_call(&mut report, seen);
        Ok(report)
    }

    /// The call that used most, with exactly what it used and with a little less, of one thing after the other.
    async fn limits(&mut self, seen: &Seen) -> Result<CheckReport, HostError> {
        let mut report = CheckReport::new(Check::Limits);
        let weight = |good: &&Good| {
            (
                good.result.usage.host_calls,
                good.result.usage.peak_memory_bytes,
                good.result.usage.output_bytes,
            )
        };
        if let Some(good) = seen.good.iter().max_by_key(weight) {
            for edge in Edge::all(&good.result.usage) {
                self.squeeze(good, &edge, &mut report).await?;
            }
        }
        no_good_call(&mut report, seen);
        Ok(report)
    }

    async fn squeeze(&mut self, good: &Good, edge: &Edge, report: &mut CheckReport) -> Result<(), HostError> {
        let limits = edge.of(self.prober.limits().clone());
        let result = self.prober.call(self.tool, &good.arguments, good.seed, &limits).await?;
        report.calls += 1;
        let Some(what) = edge.broken(&result) else {
            return Ok(());
        };
        report.add(Finding {
            weight: Weight::Problem,
            code: result.error_code,
            what,
            advice: "Let allocations and calls of the host fail in an orderly way; nothing else may end a call."
                .to_owned(),
            arguments: Some(good.arguments.clone()),
            seed: Some(good.seed),
            times: 1,
        });
        Ok(())
    }
}

/// One limit near what a call used.
struct Edge {
    kind: LimitKind,
    /// What is allowed.
    allowed: u64,
    /// Whether the call can do with it.
    is_enough: bool,
}

impl Edge {
    fn all(used: &Usage) -> Vec<Self> {
        let counted = [
            (LimitKind::Memory, used.peak_memory_bytes),
            (LimitKind::HostCalls, used.host_calls),
            (LimitKind::Output, used.output_bytes),
        ];
        let mut edges = vec![Self {
            kind: LimitKind::Timeout,
            allowed: 0,
            is_enough: false,
        }];
        for (kind, used) in counted.into_iter().filter(|(_, used)| *used > 0) {
            let edge = |allowed, is_enough| Self {
                kind,
                allowed,
                is_enough,
            };
            edges.extend([edge(used, true), edge(used - 1, false), edge(used / 2, false)]);
        }
        edges
    }

    fn of(&self, limits: Limits) -> Limits {
        match self.kind {
            LimitKind::Memory => Limits {
                memory_bytes: self.allowed,
                ..limits
            },
            LimitKind::HostCalls => Limits {
                host_calls: self.allowed,
                ..limits
            },
            LimitKind::Output => Limits {
                output_bytes: self.allowed,
                ..limits
            },
            _ => Limits {
                wall: SHORT_WALL,
                ..limits
            },
        }
    }

    /// What went wrong, if the call neither worked, nor failed by its own word, nor was stopped by this very limit.
    fn broken(&self, result: &BenchResult) -> Option<String> {
        let code = result.error_code.as_deref()?;
        if self.is_enough {
            return Some(format!(
                "with exactly the {} that it used, the same call fails",
                self.words()
            ));
        }
        let is_own = code.starts_with("extension.");
        if is_own || limit_of(code) == Some(self.kind) {
            return None;
        }
        Some(format!(
            "with a little less {} than it used, the call ends with {code}",
            self.words()
        ))
    }

    fn words(&self) -> &'static str {
        match self.kind {
            LimitKind::Memory => "memory",
            LimitKind::HostCalls => "calls of the host",
            LimitKind::Output => "room for its answer",
            _ => "time",
        }
    }
}

/// Whether the tool reached for more than it lists, in all calls so far, and whether its component asks for more than any tool lists.
fn uses(seen: &mut Seen, unused: &[String]) -> CheckReport {
    let mut report = CheckReport::new(Check::Uses);
    std::mem::take(&mut seen.strays)
        .into_iter()
        .for_each(|stray| report.add(stray));
    for interface in unused {
        report.add(Finding {
            weight: Weight::Advice,
            code: None,
            what: format!("the component imports {interface}, and no tool lists it in its `uses`"),
            advice: "Build it without that import: people grant less more readily.".to_owned(),
            arguments: None,
            seed: None,
            times: 1,
        });
    }
    report
}

fn no_good_call(report: &mut CheckReport, seen: &Seen) {
    if seen.good.is_empty() {
        report.note = Some(
            "no call worked, so none could be tried; add a case with one that works without special files".to_owned(),
        );
    }
}

/// A result without what differs from call to call.
fn without_usage(result: &BenchResult) -> BenchResult {
    BenchResult {
        usage: Usage::default(),
        ..result.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(code: Option<&str>) -> BenchResult {
        use innkeeper_protocol::id::{CallId, ToolId};
        BenchResult {
            call_id: CallId::parse("call_1").unwrap(),
            tool_id: ToolId::parse("extension/demo:demo.x").unwrap(),
            is_error: code.is_some(),
            error_code: code.map(str::to_owned),
            model_text: "x".to_owned(),
            content: Vec::new(),
            structured: None,
            resource_refs: Vec::new(),
            effects: Vec::new(),
            usage: Usage::default(),
        }
    }

    fn edges() -> Vec<Edge> {
        Edge::all(&Usage {
            wall_micros: 9,
            peak_memory_bytes: 100,
            host_calls: 0,
            output_bytes: 1,
        })
    }

    #[test]
    fn each_thing_that_was_used_is_squeezed() {
        let all: Vec<(LimitKind, u64, bool)> = edges()
            .iter()
            .map(|edge| (edge.kind, edge.allowed, edge.is_enough))
            .collect();
        assert_eq!(
            all,
            [
                (LimitKind::Timeout, 0, false),
                (LimitKind::Memory, 100, true),
                (LimitKind::Memory, 99, false),
                (LimitKind::Memory, 50, false),
                (LimitKind::Output, 1, true),
                (LimitKind::Output, 0, false),
                (LimitKind::Output, 0, false),
            ]
        );
    }

    #[test]
    fn a_limit_may_end_a_call_by_its_own_name_only() {
        let less = edges().remove(2);
        for fine in [None, Some("tool.memory_limit"), Some("extension.demo.too_much")] {
            assert_eq!(less.broken(&ended(fine)), None, "{fine:?}");
        }
        let what = less.broken(&ended(Some("tool.trap"))).unwrap();
        assert_eq!(
            what,
            "with a little less memory than it used, the call ends with tool.trap"
        );
        let enough = edges().remove(1);
        assert!(enough.broken(&ended(Some("tool.memory_limit"))).is_some());
        assert_eq!(enough.broken(&ended(None)), None);
    }
}
