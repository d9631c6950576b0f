//! The prompt of a run: a front end's own, or one put together from the profile, a card, world info and the chat.
//!
//! What goes where, and which entries a chat activates, is decided in `innkeeper-agent`; here the pieces are fetched. Nothing is written.

use std::path::Path;

use innkeeper_agent::card::Card;
use innkeeper_agent::profile::ResolvedProfile;
use innkeeper_agent::prompt::{ChatLine, FirstRequest, Names, Scene, WorldText, initial_messages, system_prompt};
use innkeeper_agent::snapshot::{PromptSnapshot, Submission, Submitted, check_stream, frozen_inputs};
use innkeeper_agent::worldinfo::{Book, MAX_SCAN_CHARS, ScanInput, ScanResult, activate};
use innkeeper_protocol::id::ModelAlias;
use innkeeper_protocol::model::Message;
use innkeeper_protocol::port::{ChatMessage, ChatRole};
use innkeeper_protocol::run::{ChatRef, GenerationType};
use innkeeper_protocol::tool::ToolSpec;
use innkeeper_protocol::worldinfo::Activation;
use innkeeper_store::book::read_book as read_book_file;
use innkeeper_store::card::read_card as read_card_file;
use innkeeper_store::chat::HistoryView;
use serde_json::{Map, Value, json};

use crate::error::HostError;
use crate::inputs::Frozen;
use crate::start::StartRun;

/// Lines of the chat that are read at once while the prompt is put together.
const LINES_AT_ONCE: u32 = 200;
/// What world info from books may take of a prompt: a quarter, SillyTavern's own default.
const WORLD_SHARE: u32 = 4;
/// Who talks where neither card nor chat has a name.
const SOMEBODY: &str = "User";

/// What a prompt is made of, beside profile and chat.
///
/// With a snapshot nothing is added to it but the instruction; card and books then only say who speaks.
#[derive(Debug, Clone, Default)]
pub struct PromptInputs {
    /// Who the character is.
    pub card: Option<Card>,
    /// World info to activate from, beside the card's own.
    pub books: Vec<Book>,
    /// A front end's own prompt: `promptSnapshot`.
    pub snapshot: Option<Value>,
    /// What the front end kept for prompts of other agents: `frozenRunInputSnapshot`.
    pub frozen: Option<Value>,
    /// What the front end says about why it asks: `generationIntent`. Recorded, never read.
    pub intent: Option<Value>,
}

/// Reads a character card: JSON, or a PNG that carries one.
///
/// # Errors
/// [`HostError`] with a code `card.*` that says what is wrong with the file or the card.
pub fn read_card(path: &Path) -> Result<Card, HostError> {
    Ok(Card::parse(&read_card_file(path)?)?)
}

/// Reads a world info book. Entries that cannot be used are told to the log and left out.
///
/// # Errors
/// [`HostError`] with a code `worldinfo.book_*`.
pub fn read_book(path: &Path) -> Result<Book, HostError> {
    let (stem, value) = read_book_file(path)?;
    Ok(Book::parse(&value, &stem)?)
}

impl PromptInputs {
    /// The checks that need no profile.
    pub(crate) fn receive(&self, generation: GenerationType) -> Result<Received, HostError> {
        if self.snapshot.is_none() {
            return Ok(Received(None));
        }
        let submission = Submission {
            snapshot: self.snapshot.as_ref(),
            generation_type: Some(generation.as_str()),
            frozen: self.frozen.as_ref(),
            intent: self.intent.as_ref(),
        };
        Ok(Received(Some(Submitted::receive(submission)?)))
    }
}

/// What was handed over, after the checks that need no profile.
pub(crate) struct Received(Option<Submitted>);

impl Received {
    /// The checks that need the profile.
    pub(crate) fn agree(self, start: &StartRun, profile: &ResolvedProfile) -> Result<Accepted, HostError> {
        let model = start.model.describe();
        let (snapshot, frozen) = match self.0 {
            Some(submitted) => (Some(submitted.agree(profile, start.stream, &model)?), None),
            None => {
                check_stream(profile, start.stream, &model)?;
                let given = start.prompt.frozen.as_ref();
                let frozen = given.map(|frozen| frozen_inputs(frozen, start.generation));
                (None, frozen.transpose()?)
            }
        };
        let inside = snapshot
            .as_ref()
            .and_then(|snapshot| snapshot.document.get("worldInfoActivation"));
        let activation = start
            .activation
            .as_ref()
            .or(inside)
            .filter(|value| !value.is_null())
            .cloned();
        let parsed = activation.as_ref().map(Activation::parse).transpose()?;
        Ok(Accepted {
            snapshot,
            frozen,
            activation,
            parsed,
        })
    }
}

/// What was handed over and may be used.
pub(crate) struct Accepted {
    snapshot: Option<PromptSnapshot>,
    frozen: Option<Value>,
    activation: Option<Value>,
    parsed: Option<Activation>,
}

/// What a prompt is put together from.
pub(crate) struct Ingredients<'a> {
    pub(crate) start: &'a StartRun,
    pub(crate) profile: &'a ResolvedProfile,
    pub(crate) tools: &'a Frozen,
    pub(crate) history: &'a HistoryView,
    pub(crate) chat: &'a ChatRef,
    /// Decides what chance decides about world info.
    pub(crate) seed: u64,
    pub(crate) now_ms: u64,
}

/// A run's prompt, and what it was made of as the run keeps it.
pub(crate) struct Prompt {
    pub(crate) messages: Vec<Message>,
    pub(crate) settings: Map<String, Value>,
    /// The prompt snapshot.
    pub(crate) document: Value,
    pub(crate) activation: Option<Activation>,
    pub(crate) intent: Option<Value>,
}

impl Accepted {
    /// The prompt itself.
    pub(crate) fn put_together(self, with: &Ingredients<'_>) -> Result<Prompt, HostError> {
        match self.snapshot {
            Some(snapshot) => Ok(of_snapshot(snapshot, self.activation, self.parsed, with)),
            None => self.standalone(with),
        }
    }

    fn standalone(self, with: &Ingredients<'_>) -> Result<Prompt, HostError> {
        let max_chars = with.profile.prompt_budget().max_chars;
        let lines = newest_lines(with.history, max_chars as usize);
        let names = names(with, &lines);
        let mut scan = with.scan(&names)?;
        if let (Some(scan), Some(captured)) = (&mut scan, &self.parsed) {
            scan.leave_out(captured);
        }
        let mut world: Vec<WorldText> = self.parsed.iter().flat_map(WorldText::of_activation).collect();
        world.extend(scan.iter().flat_map(|scan| WorldText::of_scan(&scan.entries)));
        if !with.profile.context().include_activated_world_info {
            world.clear();
        }
        let scene = Scene {
            names: &names,
            card: with.start.prompt.card.as_ref(),
            world: &world,
            is_new: with.history.count() == 0,
        };
        let request = FirstRequest {
            system: &scene.system(&system_prompt(with.profile, &with.offered())),
            history: &lines,
            insertions: &scene.insertions(),
            instruction: with.start.instruction.as_deref(),
            budget: with.profile.prompt_budget(),
        };
        let fixed = request.fixed_chars();
        if fixed > max_chars as usize {
            tracing::warn!(
                fixed,
                max_chars,
                "rules, card, world info and instruction alone are longer than context.maxPromptChars; little of the chat is shown"
            );
        }
        let activation = merged(
            self.activation,
            scan.map(|scan| scan.to_activation(with.now_ms, with.start.generation)),
        );
        let messages = initial_messages(request);
        let intent = with.start.prompt.intent.clone().filter(|intent| !intent.is_null());
        let extras = [
            ("worldInfoActivation", activation.clone()),
            ("frozenRunInputSnapshot", self.frozen),
            ("generationIntent", intent.clone()),
        ];
        Ok(Prompt {
            document: document(&messages, with, extras),
            settings: Map::new(),
            activation: activation.as_ref().map(Activation::parse).transpose()?,
            messages,
            intent,
        })
    }
}

/// A front end's prompt, with what the person wants behind it.
fn of_snapshot(
    mut snapshot: PromptSnapshot,
    activation: Option<Value>,
    parsed: Option<Activation>,
    with: &Ingredients<'_>,
) -> Prompt {
    if let Some(text) = with.start.instruction.as_deref().filter(|text| !text.trim().is_empty()) {
        snapshot.add_instruction(text);
    }
    if let Some(activation) = activation {
        snapshot.document.insert("worldInfoActivation".to_owned(), activation);
    }
    Prompt {
        messages: snapshot.messages,
        settings: snapshot.settings,
        document: Value::Object(snapshot.document),
        activation: parsed,
        intent: snapshot.intent,
    }
}

impl Ingredients<'_> {
    fn offered(&self) -> Vec<(ModelAlias, ToolSpec)> {
        let bindings = self.tools.snapshot.bindings.iter();
        bindings
            .map(|binding| (binding.model_alias.clone(), binding.descriptor.clone()))
            .collect()
    }

    /// What the chat activates; nothing where there is no book at all.
    fn scan(&self, names: &Names) -> Result<Option<ScanResult>, HostError> {
        let own = self
            .start
            .prompt
            .card
            .as_ref()
            .map(Book::of_card)
            .transpose()?
            .flatten();
        let books: Vec<Book> = own.into_iter().chain(self.start.prompt.books.iter().cloned()).collect();
        if books.is_empty() {
            return Ok(None);
        }
        for issue in books.iter().flat_map(|book| &book.issues) {
            tracing::warn!(code = "worldinfo.book_invalid", "{issue}");
        }
        let lines = newest_lines(self.history, MAX_SCAN_CHARS);
        let messages: Vec<String> = lines.into_iter().filter(|line| !line.hidden).map(spoken).collect();
        let character_id = match self.chat {
            ChatRef::Character { character_id, .. } => Some(character_id.as_str()),
            ChatRef::Group { .. } => None,
        };
        let result = activate(
            &books,
            ScanInput {
                messages: &messages,
                total_messages: self.history.count(),
                names,
                card: self.start.prompt.card.as_ref(),
                character_id,
                generation: self.start.generation,
                seed: self.seed,
                max_chars: (self.profile.prompt_budget().max_chars / WORLD_SHARE) as usize,
            },
        );
        for issue in &result.issues {
            tracing::warn!(code = issue.code(), "{issue}");
        }
        Ok(Some(result))
    }
}

/// Who talks to whom: the card's word, then the chat's newest.
fn names(with: &Ingredients<'_>, lines: &[ChatLine]) -> Names {
    let newest = |role| {
        let named = lines
            .iter()
            .rev()
            .filter(|line| line.role == role && !line.name.trim().is_empty());
        named.map(|line| line.name.trim()).next()
    };
    let card = with.start.prompt.card.as_ref().map(Card::spoken_name);
    let character = card
        .or_else(|| newest(ChatRole::Assistant))
        .or(with.start.speaker.as_deref());
    Names::new(
        newest(ChatRole::User).unwrap_or(SOMEBODY),
        character.unwrap_or_default(),
    )
}

/// What a front end activated, followed by what the books gave.
fn merged(given: Option<Value>, scanned: Option<Value>) -> Option<Value> {
    let (Some(mut given), Some(scanned)) = (given.clone(), scanned.clone()) else {
        return given.or(scanned);
    };
    let more = scanned
        .get("entries")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    if let Some(entries) = given.get_mut("entries").and_then(Value::as_array_mut) {
        entries.extend(more);
    }
    Some(given)
}

/// The prompt snapshot of a prompt that we put together.
fn document(messages: &[Message], with: &Ingredients<'_>, extras: [(&str, Option<Value>); 3]) -> Value {
    let model = with.start.model.describe();
    let mut snapshot = json!({
        "chatCompletionPayload": {
            "chat_completion_source": model.source,
            "model": model.model,
            "stream": false,
            "messages": messages,
        },
        "contextPolicy": with.profile.context(),
    });
    for (name, value) in extras {
        if let (Some(members), Some(value)) = (snapshot.as_object_mut(), value) {
            members.insert(name.to_owned(), value);
        }
    }
    snapshot
}

/// Lines of the chat from its end, oldest first: at least as many as fit into so many characters. A long chat is not copied whole.
fn newest_lines(history: &HistoryView, max_chars: usize) -> Vec<ChatLine> {
    let mut lines = Vec::new();
    let (mut chars, mut end) = (0, history.count());
    while end > 0 && chars <= max_chars {
        let start = end.saturating_sub(LINES_AT_ONCE);
        let page: Vec<ChatLine> = history.page(start, end - start).into_iter().map(chat_line).collect();
        chars += page
            .iter()
            .filter(|line| !line.hidden)
            .map(|line| line.text.chars().count())
            .sum::<usize>();
        lines.splice(0..0, page);
        end = start;
    }
    lines
}

fn chat_line(message: ChatMessage) -> ChatLine {
    ChatLine {
        role: message.role,
        name: message.name,
        text: message.text,
        hidden: message.role == ChatRole::System,
    }
}

/// A line as keys of world info are looked for in it: with who says it.
fn spoken(line: ChatLine) -> String {
    match line.name.trim() {
        "" => line.text,
        name => format!("{name}: {}", line.text),
    }
}

#[cfg(test)]
mod tests;
