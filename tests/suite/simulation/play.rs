//! An executor in memory: asks the loop, has the actors answer, and writes a real journal.

use innkeeper::protocol::envelope::{Draft, Envelope, Level};
use innkeeper::protocol::guidance::Guidance;
use innkeeper::protocol::id::{RunId, WorkspaceId};
use innkeeper::protocol::run::Presentation;
use innkeeper_agent::{Effect, Event, Run, step};
use innkeeper_store::journal::{Durability, Journal, Stamp};
use innkeeper_store::runs::{RunFolder, RunsRoot};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::actors::Actors;
use super::setup::setup;

/// Something that a run put into the chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The commit.
    pub id: String,
    /// Appends before it: a crash after fewer leaves a chat without it.
    pub appends: usize,
}

/// A run that was played to its end.
pub struct Play {
    /// The data root that it was played in.
    pub data: TempDir,
    /// Where it lies there.
    pub folder: RunFolder,
    /// Its journal as it was announced.
    pub events: Vec<Envelope>,
    /// Its journal as it was stored, line by line.
    pub lines: Vec<Vec<u8>>,
    /// What it put into the chat.
    pub chat: Vec<Committed>,
    /// Whether something could not be performed at all: then a call may lack what belongs to a whole one.
    pub is_broken: bool,
}

/// The stamp of this number; days and hours do not matter here.
pub fn stamp(number: usize) -> Stamp {
    Stamp {
        event_id: format!("evt_{number:032x}"),
        timestamp: format!("2026-01-01T00:{:02}:{:02}Z", number / 60 % 60, number % 60),
    }
}

/// Plays the run of a seed.
pub fn play(seed: u64) -> Play {
    let data = TempDir::new().unwrap();
    let (run_id, workspace_id) = (RunId::parse("run_1").unwrap(), WorkspaceId::parse("chat_1").unwrap());
    let folder = RunsRoot::new(data.path()).create_run(&workspace_id, &run_id).unwrap();
    let journal = Journal::create(folder.journal().clone(), Durability::Batched).unwrap();
    let mut actors = Actors::new(seed);
    let presentation = if actors.once_in(4) {
        Presentation::Background
    } else {
        Presentation::Foreground
    };
    let mut stage = Stage {
        journal,
        actors,
        events: Vec::new(),
        chat: Vec::new(),
        guidance: Vec::new(),
        guided: 0,
        is_broken: false,
    };
    stage.drive(Run::new(setup(run_id, workspace_id, presentation)));
    let Stage {
        events,
        chat,
        is_broken,
        ..
    } = stage;
    let text = std::fs::read(folder.journal().events()).unwrap();
    let lines = text
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    Play {
        data,
        folder,
        events,
        lines,
        chat,
        is_broken,
    }
}

struct Stage {
    journal: Journal,
    actors: Actors,
    events: Vec<Envelope>,
    chat: Vec<Committed>,
    /// What a person has said and no request carries yet.
    guidance: Vec<Guidance>,
    guided: usize,
    is_broken: bool,
}

impl Stage {
    fn drive(&mut self, mut run: Run) {
        let mut event = Event::Started;
        loop {
            let mut asked = None;
            for effect in step(&mut run, event) {
                match effect {
                    Effect::Append(event) => {
                        let draft = event.draft().unwrap();
                        self.append(draft);
                    }
                    Effect::CloseMailbox { .. } => self.close_mailbox(),
                    Effect::End => return,
                    other => asked = Some(other),
                }
            }
            event = self.answer(&asked.expect("a run that is not over asks for something"));
        }
    }

    fn append(&mut self, draft: Draft) {
        if draft.kind == "user_guidance_applied" {
            self.guidance.clear();
        }
        let number = self.events.len() + 1;
        self.events.push(self.journal.append(draft, stamp(number)).unwrap());
    }

    fn answer(&mut self, asked: &Effect) -> Event {
        if let Effect::TakeGuidance = asked {
            if self.actors.once_in(4) {
                self.say();
            }
            return Event::GuidanceTaken(self.guidance.clone());
        }
        let answer = self.actors.answer(asked);
        self.is_broken |= matches!(answer, Event::Failed(_));
        if let (Effect::AskCommit { commit_id, .. }, Event::CommitAnswered(Ok(_))) = (asked, &answer) {
            self.chat.push(Committed {
                id: commit_id.to_string(),
                appends: self.events.len(),
            });
        }
        answer
    }

    /// A person says something; the next request takes it along, unless the run ends first.
    fn say(&mut self) {
        self.guided += 1;
        let item = Guidance::new(format!("guidance_{}", self.guided), None, "Slower.").unwrap();
        let payload =
            json!({"guidanceId": item.id, "invocationId": "inv_root", "chars": 7, "words": 1, "preview": item.text});
        self.guidance.push(item);
        self.append(Draft::new(Level::Info, "user_guidance_submitted", payload));
    }

    fn close_mailbox(&mut self) {
        let left: Vec<Value> = self.guidance.drain(..).map(|item| item.id.into()).collect();
        if !left.is_empty() {
            let payload = json!({"guidanceIds": left, "invocationId": "inv_root", "status": "discarded"});
            self.append(Draft::new(Level::Warn, "user_guidance_discarded", payload));
        }
    }
}
