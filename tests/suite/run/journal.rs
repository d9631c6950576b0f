//! The order that every journal keeps, as functions over a list of events: each gives what is violated, nothing when all is well.
//!
//! They know no journal of ours from the inside and use none of its code. Call ids must not repeat within a run.

use std::fmt::Write as _;

use innkeeper::protocol::envelope::Envelope;
use sha2::{Digest as _, Sha256};

const TERMINAL: [&str; 4] = ["run_completed", "run_failed", "run_partial_success", "run_cancelled"];

/// Codes of calls that never passed their gates.
const REFUSED: [&str; 4] = [
    "agent.tool_policy_denied",
    "agent.tool_budget_exhausted",
    "tool.approval_denied",
    "tool.approval_unavailable",
];

/// A rule over a whole journal.
type Rule = fn(&[Envelope]) -> Result<(), String>;

/// The rules, by name.
const RULES: [(&str, Rule); 9] = [
    ("numbers", numbers),
    ("opening", opening),
    ("one end", one_end),
    ("rounds", rounds),
    ("mutating calls", mutating_calls),
    ("commit calls", commit_calls),
    ("every call ends", every_call_ends),
    ("commit outcomes", commit_outcomes),
    ("persistence", persistence),
];

/// What is violated, rule by rule.
pub fn violations(events: &[Envelope]) -> Vec<String> {
    let broken = |(name, rule): &(&str, Rule)| rule(events).err().map(|why| format!("{name}: {why}"));
    RULES.iter().filter_map(broken).collect()
}

/// The journal as a test's failure shows it.
pub fn listing(events: &[Envelope]) -> String {
    events.iter().fold(String::new(), |mut text, event| {
        let _ = writeln!(
            text,
            "{:>4} {} {:.160}",
            event.seq,
            event.kind,
            event.payload.to_string()
        );
        text
    })
}

/// Every line's link is the digest over the link before and the line without its own.
pub fn check_chain(lines: &str) {
    let mut previous = "0".repeat(16);
    for line in lines.lines() {
        let (text, chain) = line
            .strip_suffix("\"}")
            .and_then(|line| line.rsplit_once(",\"chain\":\""))
            .expect("a link");
        let digest = Sha256::digest(format!("{previous}{text}}}"));
        let expected: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(chain, expected, "{line}");
        chain.clone_into(&mut previous);
    }
}

/// Numbers rise by one from 1, all in one run.
fn numbers(events: &[Envelope]) -> Result<(), String> {
    let first = events.first().ok_or("the journal is empty")?;
    for (event, number) in events.iter().zip(1..) {
        if event.seq != number || event.run_id != first.run_id {
            return Err(format!("event {} stands at place {number}", event.seq));
        }
    }
    Ok(())
}

/// The run comes first; profile and skills are frozen before the workspace is touched.
fn opening(events: &[Envelope]) -> Result<(), String> {
    let is_first = events.first().is_some_and(|event| event.kind == "run_created");
    check(is_first, "the first event is not run_created")?;
    let Some(workspace) = events.iter().position(|event| event.kind.starts_with("workspace_")) else {
        return Ok(());
    };
    in_order(
        &[place(events, "profile_resolved"), Some(workspace)],
        "profile, workspace",
    )?;
    in_order(
        &[place(events, "skill_scopes_resolved"), Some(workspace)],
        "skills, workspace",
    )
}

/// Exactly one terminal event, the last of the run's own; only bookkeeping follows.
fn one_end(events: &[Envelope]) -> Result<(), String> {
    let ends: Vec<usize> = (0..events.len())
        .filter(|index| TERMINAL.contains(&events[*index].kind.as_str()))
        .collect();
    let [end] = ends[..] else {
        return Err(format!("{} terminal events", ends.len()));
    };
    let is_bookkeeping = |event: &&Envelope| {
        event.kind.starts_with("agent_invocation_")
            || event.kind.starts_with("agent_task_")
            || event.kind.starts_with("workspace_rollback_")
            || event.kind == "journal_repaired"
    };
    if let Some(event) = events[end + 1..].iter().find(|event| !is_bookkeeping(event)) {
        return Err(format!("{} follows the end", event.kind));
    }
    let completed = events[end].kind == "run_completed";
    let closes = events[end + 1..]
        .iter()
        .any(|event| event.kind == "agent_invocation_completed");
    check(
        !completed || closes,
        "a completed run's invocation is not closed after it",
    )
}

/// request < attempt < response stored < provider state < completed, in every round that was answered.
fn rounds(events: &[Envelope]) -> Result<(), String> {
    const ORDER: [&str; 5] = [
        "model_request_created",
        "model_call_attempt_started",
        "model_response_stored",
        "provider_state_updated",
        "model_completed",
    ];
    for completed in events.iter().filter(|event| event.kind == "model_completed") {
        let round = &completed.payload["round"];
        let of_round = |kind: &str| {
            events
                .iter()
                .rposition(|event| event.kind == kind && event.payload["round"] == *round)
        };
        in_order(&ORDER.map(of_round), &format!("round {round}"))?;
    }
    Ok(())
}

/// requested < started < workspace event < checkpoint < result stored < completed, for every call that changed a file.
fn mutating_calls(events: &[Envelope]) -> Result<(), String> {
    const CHANGES: [&str; 3] = [
        "workspace_file_written",
        "workspace_patch_applied",
        "workspace_file_deleted",
    ];
    for (index, event) in events
        .iter()
        .enumerate()
        .filter(|(_, event)| CHANGES.contains(&event.kind.as_str()))
    {
        let call = event.text("callId").ok_or("a change without a call")?;
        let order = [
            of_call(events, "tool_call_requested", call),
            of_call(events, "tool_call_started", call),
            Some(index),
            place_after(events, index, "checkpoint_created"),
            of_call(events, "tool_result_stored", call),
            of_call(events, "tool_call_completed", call),
        ];
        in_order(&order, &format!("call {call}"))?;
    }
    Ok(())
}

/// started < commit started < checkpoint < requested < completed < recorded < result stored < completed, for every commit that the
/// model asked for; where the host refused: failed, result stored, call failed.
fn commit_calls(events: &[Envelope]) -> Result<(), String> {
    let explicit = |event: &&Envelope| event.kind == "chat_commit_requested" && event.payload["isExplicit"] == true;
    for asked in events.iter().filter(explicit) {
        let (call, commit) = (
            asked.text("callId").ok_or("no call")?,
            asked.text("commitId").ok_or("no commit")?,
        );
        let started = of_commit(events, "chat_commit_started", commit);
        let mut order = vec![
            of_call(events, "tool_call_started", call),
            started,
            started.and_then(|index| place_after(events, index, "checkpoint_created")),
            of_commit(events, "chat_commit_requested", commit),
        ];
        if let Some(completed) = of_commit(events, "chat_commit_completed", commit) {
            order.push(Some(completed));
            order.push(place_after(events, completed, "chat_commit_recorded"));
            order.push(of_call(events, "tool_result_stored", call));
            order.push(of_call(events, "tool_call_completed", call));
        } else if let Some(failed) = of_commit(events, "chat_commit_failed", commit) {
            order.extend([
                Some(failed),
                of_call(events, "tool_result_stored", call),
                of_call(events, "tool_call_failed", call),
            ]);
        }
        in_order(&order, &format!("commit {commit}"))?;
    }
    Ok(())
}

/// Every requested call has exactly one end; one that was refused at its gates was never started and has a stored result.
fn every_call_ends(events: &[Envelope]) -> Result<(), String> {
    for requested in events.iter().filter(|event| event.kind == "tool_call_requested") {
        let call = requested.text("callId").ok_or("a request without a call")?;
        let of_this = |kind: &str| {
            events
                .iter()
                .filter(|e| e.kind == kind && e.text("callId") == Some(call))
                .count()
        };
        let ends = of_this("tool_call_completed") + of_this("tool_call_failed");
        check(ends == 1, &format!("call {call} has {ends} ends"))?;
        let code = events
            .iter()
            .find(|e| e.kind == "tool_call_failed" && e.text("callId") == Some(call));
        let is_refused = code
            .and_then(|e| e.text("errorCode"))
            .is_some_and(|code| REFUSED.contains(&code));
        if is_refused {
            check(
                of_this("tool_call_started") == 0,
                &format!("the refused call {call} was started"),
            )?;
            // An end that comes while a person is asked leaves nobody to read a result.
            let by_the_end = events.iter().any(|e| {
                e.kind == "tool_call_denied" && e.text("callId") == Some(call) && e.text("by") == Some("runtime")
            });
            check(
                of_this("tool_result_stored") == usize::from(!by_the_end),
                &format!("the refused call {call} has no stored result"),
            )?;
        }
    }
    Ok(())
}

/// Every commit that the host was asked for has one outcome, after it; none only in a cancelled run.
fn commit_outcomes(events: &[Envelope]) -> Result<(), String> {
    let cancelled = events.iter().any(|event| event.kind == "run_cancelled");
    for (index, asked) in events
        .iter()
        .enumerate()
        .filter(|(_, event)| event.kind == "chat_commit_requested")
    {
        let commit = asked.text("commitId").ok_or("a commit without an id")?;
        let is_outcome = |event: &&Envelope| {
            matches!(event.kind.as_str(), "chat_commit_completed" | "chat_commit_failed")
                && event.text("commitId") == Some(commit)
        };
        let (before, after) = events.split_at(index);
        check(
            !before.iter().any(|event| is_outcome(&event)),
            &format!("{commit} has an outcome before it was asked"),
        )?;
        let outcomes = after.iter().filter(is_outcome).count();
        check(
            outcomes == 1 || (cancelled && outcomes == 0),
            &format!("{commit} has {outcomes} outcomes"),
        )?;
    }
    Ok(())
}

/// committed < update requested < updated < run completed, where a completed run has a commit; committed < completed elsewhere.
fn persistence(events: &[Envelope]) -> Result<(), String> {
    let count = |kind: &str| events.iter().filter(|event| event.kind == kind).count();
    let answered = [
        "persistent_state_metadata_updated",
        "persistent_state_metadata_update_failed",
    ]
    .map(count);
    check(
        count("persistent_state_metadata_update_requested") == answered.iter().sum::<usize>(),
        "an update of the message's metadata has no end",
    )?;
    let Some(end) = place(events, "run_completed") else {
        return Ok(());
    };
    let mut order = vec![place(events, "persistent_changes_committed")];
    if place(events, "chat_commit_recorded").is_some() {
        order.push(place(events, "persistent_state_metadata_update_requested"));
        order.push(place(events, "persistent_state_metadata_updated"));
    }
    order.push(Some(end));
    in_order(&order, "persistence")
}

fn place(events: &[Envelope], kind: &str) -> Option<usize> {
    events.iter().position(|event| event.kind == kind)
}

fn place_after(events: &[Envelope], index: usize, kind: &str) -> Option<usize> {
    (index + 1..events.len()).find(|place| events[*place].kind == kind)
}

fn of_call(events: &[Envelope], kind: &str, call: &str) -> Option<usize> {
    events
        .iter()
        .position(|event| event.kind == kind && event.text("callId") == Some(call))
}

fn of_commit(events: &[Envelope], kind: &str, commit: &str) -> Option<usize> {
    events
        .iter()
        .position(|event| event.kind == kind && event.text("commitId") == Some(commit))
}

fn in_order(places: &[Option<usize>], what: &str) -> Result<(), String> {
    let is_sorted = places
        .windows(2)
        .all(|pair| matches!(pair, [Some(a), Some(b)] if a < b));
    check(is_sorted, &format!("{what}: missing or out of order: {places:?}"))
}

fn check(holds: bool, why: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why.to_owned()) }
}

/// What a damaged journal must be accused of: a rule, and the damage.
pub const DAMAGES: [(&str, Damage); 14] = [
    ("numbers", Damage::Renumbered),
    ("opening", Damage::Without("profile_resolved")),
    (
        "opening",
        Damage::Swapped("skill_scopes_resolved", "workspace_initialized"),
    ),
    ("one end", Damage::Without("run_completed")),
    ("one end", Damage::Twice("run_completed")),
    (
        "rounds",
        Damage::Swapped("model_response_stored", "provider_state_updated"),
    ),
    ("mutating calls", Damage::Without("tool_call_started")),
    (
        "mutating calls",
        Damage::Swapped("workspace_file_written", "checkpoint_created"),
    ),
    ("commit calls", Damage::Without("chat_commit_recorded")),
    ("every call ends", Damage::Without("tool_call_completed")),
    ("every call ends", Damage::Twice("tool_call_completed")),
    ("commit outcomes", Damage::Without("chat_commit_completed")),
    (
        "commit outcomes",
        Damage::Swapped("chat_commit_requested", "chat_commit_completed"),
    ),
    (
        "persistence",
        Damage::Swapped("persistent_state_metadata_updated", "persistent_changes_committed"),
    ),
];

/// A way to damage a journal.
#[derive(Debug, Clone, Copy)]
pub enum Damage {
    /// One number is left out.
    Renumbered,
    /// Every event of a type is gone.
    Without(&'static str),
    /// The first event of a type comes twice.
    Twice(&'static str),
    /// The first events of two types have changed places.
    Swapped(&'static str, &'static str),
}

impl Damage {
    /// Does it; the numbers stay right unless they are what is damaged.
    pub fn done_to(self, events: &[Envelope]) -> Vec<Envelope> {
        let mut events = events.to_vec();
        match self {
            Self::Renumbered => events[3].seq += 1,
            Self::Without(kind) => events.retain(|event| event.kind != kind),
            Self::Twice(kind) => {
                let index = place(&events, kind).unwrap();
                events.insert(index, events[index].clone());
            }
            Self::Swapped(a, b) => {
                let (a, b) = (place(&events, a).unwrap(), place(&events, b).unwrap());
                events.swap(a, b);
            }
        }
        if !matches!(self, Self::Renumbered) {
            events
                .iter_mut()
                .zip(1..)
                .for_each(|(event, number)| event.seq = number);
        }
        events
    }
}
