//! `extra.tauritavern.agent`: what a run leaves in the message that it wrote, and how it is found again.
//!
//! The names are shared with the application and stay as they are. Metadata of an alternative that is not shown lives in
//! `swipe_info[].extra`, so searches look there too. Unknown keys of a run's own object are kept. Nothing here writes files.

use innkeeper_protocol::id::{CommitId, RunId, StableChatId};
use innkeeper_protocol::port::{ChatRole, commit_mode_name};
use serde_json::{Value, json};

use super::error::ChatError;
use super::file::ChatFile;
use super::json::encode_string;
use super::request::{ChatCommit, StateNote};
use super::splice::RawObject;

/// Where a message holds a run's metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// In the message's own `extra`: the shown alternative.
    Shown,
    /// In `swipe_info` only: an alternative that is not shown.
    OtherSwipe,
}

/// A message that holds the wanted metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) index: u32,
    pub(super) holder: Holder,
}

/// The message that holds a commit, if the chat has it: also after a crash, and also when another swipe is shown now.
#[must_use]
pub fn find_commit(chat: &ChatFile, commit_id: &CommitId) -> Option<u32> {
    find(chat, |agent| holds_commit(agent, commit_id)).map(|found| found.index)
}

/// The newest message that a run wrote.
pub(super) fn find_run(chat: &ChatFile, run_id: &RunId) -> Option<Found> {
    find(chat, |agent| is_run(agent, run_id))
}

fn find(chat: &ChatFile, wanted: impl Fn(&RawObject<'_>) -> bool) -> Option<Found> {
    chat.newest_first().find_map(|index| {
        let holder = agents(chat, index)
            .into_iter()
            .find(|(_, agent)| wanted(&RawObject::of(Some(agent))))?
            .0;
        Some(Found { index, holder })
    })
}

/// Raw metadata of a message, the shown alternative's first.
fn agents(chat: &ChatFile, index: u32) -> Vec<(Holder, String)> {
    // Taking a line apart costs far more than looking for a word in it, and most lines have none.
    let marked = chat
        .message_line(index)
        .is_some_and(|line| chat.line_text(&line).contains("tauritavern"));
    let Some(message) = chat.raw_message(index).filter(|_| marked) else {
        return Vec::new();
    };
    let mut all: Vec<_> = raw_agent(&message)
        .map(|agent| (Holder::Shown, agent))
        .into_iter()
        .collect();
    let infos = message.array("swipe_info");
    all.extend(
        infos
            .iter()
            .filter_map(|info| Some((Holder::OtherSwipe, raw_agent(&RawObject::of(Some(info)))?))),
    );
    all
}

/// The raw metadata object in a message's or a swipe's `extra`.
pub(super) fn raw_agent(holder: &RawObject<'_>) -> Option<String> {
    holder
        .object("extra")
        .object("tauritavern")
        .get("agent")
        .filter(|raw| raw.starts_with('{'))
        .map(str::to_owned)
}

/// Puts a raw metadata object into an `extra`, beside whatever else is there.
pub(super) fn put_agent(extra: &mut RawObject<'_>, agent: String) {
    let rendered = {
        let mut own = extra.object("tauritavern");
        own.set("agent", agent);
        own.render()
    };
    extra.set("tauritavern", rendered);
}

/// Notes the kept state in a message or a swipe's info, if that holds the run's metadata.
pub(super) fn keep_state(holder: &mut RawObject<'_>, update: &StateNote) {
    let Some(own) = raw_agent(holder).filter(|raw| is_run(&RawObject::of(Some(raw)), &update.asked.run_id)) else {
        return;
    };
    let rendered = {
        let mut extra = holder.object("extra");
        put_agent(&mut extra, kept_agent(&own, update));
        extra.render()
    };
    holder.set("extra", rendered);
}

fn is_run(agent: &RawObject<'_>, run_id: &RunId) -> bool {
    agent.text("runId").is_some_and(|own| own == run_id.as_str())
}

fn holds_commit(agent: &RawObject<'_>, commit_id: &CommitId) -> bool {
    let named = |object: &RawObject<'_>| object.text("commitId").is_some_and(|own| own == commit_id.as_str());
    named(agent)
        || agent
            .array("commits")
            .iter()
            .any(|commit| named(&RawObject::of(Some(commit))))
}

/// Facts about the place of a run's first commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    /// The run made the message itself.
    pub(super) created: bool,
    /// The alternative that holds the text, when the message has alternatives.
    pub(super) swipe: Option<usize>,
    /// Length of the text that the run continues, in UTF-16 units.
    pub(super) base_utf16: Option<u64>,
}

/// The metadata object after a run's first commit.
pub(super) fn first_agent(commit: &ChatCommit, placement: Placement) -> String {
    let run = &commit.asked;
    let rollback = match placement.swipe.filter(|_| !placement.created) {
        Some(swipe) => json!({"strategy": "deleteSwipe", "swipeId": swipe}),
        None => json!({"strategy": "deleteMessage"}),
    };
    let mut agent = json!({
        "version": 2,
        "runId": run.run_id,
        "workspaceId": run.workspace_id,
        "stableChatId": run.stable_chat_id,
        "profileId": run.profile_id,
        "persistBaseStateId": run.persist_base_state_id,
        "persistStateStatus": "not_committed",
        "checkpointId": run.checkpoint_id,
    });
    if let Some(object) = agent.as_object_mut() {
        object.insert("commitId".into(), json!(commit.asked.commit_id));
        object.insert("commitSeq".into(), json!(1));
        object.insert("commits".into(), json!([commit_entry(commit, 1)]));
        object.insert("rollback".into(), rollback);
        object.insert("artifacts".into(), json!([artifact(commit)]));
        if let Some(units) = placement.base_utf16 {
            object.insert("continuation".into(), json!({"baseUtf16": units}));
        }
    }
    agent.to_string()
}

/// The metadata object after a further commit of the same run.
pub(super) fn next_agent(previous: &str, commit: &ChatCommit) -> String {
    let mut agent = RawObject::of(Some(previous));
    let last: u64 = agent
        .get("commitSeq")
        .and_then(|raw| raw.parse().ok())
        .unwrap_or(agent.array("commits").len() as u64);
    let seq = last.saturating_add(1);
    let commits = {
        let mut list = agent.array("commits");
        list.push(commit_entry(commit, seq).to_string());
        list.render()
    };
    agent.set("checkpointId", encode_string(commit.asked.checkpoint_id.as_str()));
    agent.set("commitId", encode_string(commit.asked.commit_id.as_str()));
    agent.set("commitSeq", seq.to_string());
    agent.set("commits", commits);
    agent.set("artifacts", json!([artifact(commit)]).to_string());
    agent.render()
}

fn kept_agent(previous: &str, update: &StateNote) -> String {
    let mut agent = RawObject::of(Some(previous));
    agent.set("persistStateId", encode_string(update.asked.state_id.as_str()));
    agent.set("persistBaseStateId", json!(update.asked.base_state_id).to_string());
    agent.set("persistStateStatus", "\"committed\"");
    agent.set("persistChangeCount", update.asked.changes.len().to_string());
    agent.render()
}

/// Length of the text that the run continues, as its first commit noted it.
pub(super) fn continued_base(agent: &str) -> Option<u64> {
    RawObject::of(Some(agent))
        .object("continuation")
        .get("baseUtf16")?
        .parse()
        .ok()
}

fn commit_entry(commit: &ChatCommit, seq: u64) -> Value {
    let mut entry = json!({
        "seq": seq,
        "commitId": commit.asked.commit_id,
        "path": commit.asked.planned.path,
        "mode": commit_mode_name(commit.asked.planned.mode),
    });
    set_some(&mut entry, "reason", commit.asked.planned.reason.as_deref());
    measure(&mut entry, commit);
    entry
}

fn artifact(commit: &ChatCommit) -> Value {
    let mut entry = json!({"path": commit.asked.planned.path, "target": "message_body"});
    measure(&mut entry, commit);
    entry
}

fn measure(entry: &mut Value, commit: &ChatCommit) {
    if let Some(object) = entry.as_object_mut() {
        object.insert("chars".into(), json!(commit.asked.text.chars().count()));
        object.insert("words".into(), json!(commit.asked.planned.words));
        object.insert("sha256".into(), json!(commit.asked.planned.sha256));
    }
}

fn set_some(entry: &mut Value, key: &str, value: Option<&str>) {
    if let (Some(object), Some(value)) = (entry.as_object_mut(), value) {
        object.insert(key.into(), json!(value));
    }
}

/// The state that the newest assistant message below `visible` points to, see [`super::HistoryView::persist_base`].
pub(super) fn persist_base(chat: &ChatFile, visible: u32) -> Result<Option<String>, ChatError> {
    for index in (0..visible)
        .rev()
        .filter(|index| chat.role(*index) == Some(ChatRole::Assistant))
    {
        let Some(raw) = chat.raw_message(index).and_then(|message| raw_agent(&message)) else {
            continue;
        };
        let agent = RawObject::of(Some(&raw));
        let status = agent.text("persistStateStatus").unwrap_or_default();
        match status.trim() {
            "not_committed" => {}
            "" | "committed" => {
                return state_id(&agent).map(Some).ok_or(ChatError::PersistStateMissing {
                    path: chat.path().into(),
                    index,
                });
            }
            other => {
                return Err(ChatError::PersistStatusInvalid {
                    path: chat.path().into(),
                    index,
                    status: other.into(),
                });
            }
        }
    }
    Ok(None)
}

fn state_id(agent: &RawObject<'_>) -> Option<String> {
    agent
        .text("persistStateId")
        .map(|id| id.trim().to_owned())
        .filter(|id| !id.is_empty())
}

/// The chat identity in the newest agent metadata of a file that holds a usable one.
#[must_use]
pub fn newest_stable_chat_id(chat: &ChatFile) -> Option<StableChatId> {
    chat.newest_first()
        .flat_map(|index| agents(chat, index))
        .find_map(|(_, agent)| StableChatId::parse(RawObject::of(Some(&agent)).text("stableChatId")?.trim()).ok())
}
