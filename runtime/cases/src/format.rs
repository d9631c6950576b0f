//! What a case file may say. A key that is not listed here is refused, because it is most likely a misspelt one.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What happens, in a few words.
    pub title: String,
    /// The rule that the case shows, in one sentence.
    pub rule: String,
    /// The chat file, line by line as it lies on disk.
    pub chat: Option<Vec<String>>,
    /// The chat, message by message, under a plain header line; instead of `chat`.
    #[serde(default)]
    pub message: Vec<Message>,
    /// World info that counts as activated, as a front end captures it.
    pub activation: Option<Data>,
    /// Messages that the tools may see.
    pub boundary: Option<u32>,
    /// Seed of the random numbers; 1 where none is given.
    pub seed: Option<u64>,
    /// Roots that may be read.
    pub visible: Option<Vec<String>>,
    /// Roots that may be written.
    pub writable: Option<Vec<String>>,
    /// What time it is for the tools, in milliseconds since 1970; noon on 1 May 2026 where none is given.
    pub now_ms: Option<u64>,
    /// What comes back for requests to the network; every other request gets nowhere.
    #[serde(default)]
    pub http: Vec<Canned>,
    /// Lowered ceilings.
    #[serde(default)]
    pub limits: Ceilings,
    /// Which skills may be seen, and how much of them.
    pub skills: Option<SkillPolicy>,
    /// The code with which the bench refuses the set-up; there are no calls then.
    pub setup_fails: Option<String>,
    /// What lies in the workspace.
    #[serde(default)]
    pub file: Vec<Place>,
    /// What lies in the folder of skills; there are no skills where none is given.
    #[serde(default)]
    pub skill: Vec<Place>,
    /// The calls, in one invocation.
    #[serde(default)]
    pub call: Vec<Call>,
    /// What must lie in the workspace afterwards.
    #[serde(default)]
    pub after: Vec<Place>,
}

/// One request, and what comes back for it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Canned {
    /// `GET` where none is given.
    #[serde(default = "get")]
    pub method: String,
    /// The URL as it is sent.
    pub url: String,
    /// 200 where none is given.
    #[serde(default = "ok")]
    pub status: u16,
    /// Headers by their names in lower case.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body.
    #[serde(default)]
    pub body: String,
}

/// One message of the chat.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// `user`, `assistant` or `system`.
    pub role: String,
    /// Who speaks.
    #[serde(default = "someone")]
    pub name: String,
    /// The text; `{n}` is the number of the repetition.
    pub text: String,
    /// How often, 1 where not given.
    #[serde(default = "once")]
    pub repeat: usize,
    /// How often the text is written one after the other within the message, 1 where not given.
    #[serde(default = "once")]
    pub times: usize,
}

/// One place of a workspace or of a folder of skills: a text file unless it says otherwise.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Relative to the workspace or the folder.
    pub path: String,
    /// The content; `{n}` is the number of the repetition.
    pub text: Option<String>,
    /// How often the text follows itself, 1 where not given.
    #[serde(default = "once")]
    pub repeat: usize,
    /// The content as hex digits, with blanks where one likes.
    pub bytes: Option<String>,
    /// A symbolic link with this target.
    pub link: Option<String>,
    /// A folder.
    #[serde(default)]
    pub directory: bool,
    /// A named pipe that nobody writes to.
    #[serde(default)]
    pub pipe: bool,
    /// A sparse file of this many bytes.
    pub size: Option<u64>,
    /// Nothing: removed with all that is in it when set up, missing when compared.
    #[serde(default)]
    pub absent: bool,
}

/// One call and what must come of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Native name, alias or whole id.
    pub tool: String,
    /// The arguments.
    #[serde(default)]
    pub arguments: Data,
    /// What someone else does to the workspace before the call.
    #[serde(default)]
    pub file: Vec<Place>,
    /// What someone else does to the folder of skills before the call.
    #[serde(default)]
    pub skill: Vec<Place>,
    /// The recoverable error that must come; success where none is given.
    pub error: Option<String>,
    /// The fault that must come.
    pub fault: Option<String>,
    /// What the structured part must hold; further keys may be there.
    pub structured: Option<Data>,
    /// The whole structured part, with no key more.
    pub structured_is: Option<Data>,
    /// Keys at the top of the structured part that must be missing.
    #[serde(default)]
    pub structured_lacks: Vec<String>,
    /// What the model must read, each somewhere.
    #[serde(default)]
    pub text_contains: Vec<String>,
    /// What the model must not read.
    #[serde(default)]
    pub text_lacks: Vec<String>,
    /// The whole text for the model.
    pub text_is: Option<String>,
    /// The whole list of references.
    pub refs: Option<Vec<String>>,
    /// The effects, in order; each must hold these keys.
    pub effects: Option<Data>,
}

/// A value written as TOML, or as a text that holds JSON where TOML has no word for it (null, a bare number).
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Data {
    /// JSON text.
    Json(String),
    /// TOML.
    Toml(toml::Value),
}

impl Default for Data {
    fn default() -> Self {
        Self::Json("{}".to_owned())
    }
}

impl Data {
    /// The value.
    ///
    /// # Errors
    /// When the text is no JSON.
    pub fn json(&self) -> Result<Value, String> {
        match self {
            Self::Json(text) => serde_json::from_str(text).map_err(|e| format!("{text:?} is not JSON: {e}")),
            Self::Toml(value) => serde_json::to_value(value).map_err(|e| e.to_string()),
        }
    }
}

/// Ceilings that a case lowers.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ceilings {
    /// Milliseconds of wall clock.
    pub wall_ms: Option<u64>,
    /// Calls into the host.
    pub host_calls: Option<u64>,
    /// Bytes of a reply.
    pub output_bytes: Option<u64>,
    /// Files that are written.
    pub write_files: Option<u64>,
    /// Bytes that are written.
    pub write_bytes: Option<u64>,
}

/// Which skills may be seen, and how much of them; the rest is as where nothing is said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillPolicy {
    /// Names, or `*`.
    #[serde(default = "every")]
    pub visible: Vec<String>,
    /// Names, or `*`; a deny wins.
    #[serde(default)]
    pub deny: Vec<String>,
    /// Characters of one read.
    #[serde(default = "chars_per_call")]
    pub per_call: u32,
    /// Characters of all reads.
    #[serde(default = "chars_per_run")]
    pub per_run: u32,
}

fn get() -> String {
    "GET".to_owned()
}

const fn ok() -> u16 {
    200
}

fn every() -> Vec<String> {
    vec!["*".to_owned()]
}

const fn chars_per_call() -> u32 {
    20_000
}

const fn chars_per_run() -> u32 {
    80_000
}

/// How a call must end.
#[derive(Debug, PartialEq, Eq)]
pub enum Expected<'a> {
    /// With a reply.
    Success,
    /// With a recoverable error of this code.
    Error(&'a str),
    /// With a fault of this code.
    Fault(&'a str),
}

impl Call {
    /// How it must end.
    pub fn expected(&self) -> Expected<'_> {
        match (&self.error, &self.fault) {
            (Some(code), _) => Expected::Error(code),
            (None, Some(code)) => Expected::Fault(code),
            (None, None) => Expected::Success,
        }
    }
}

impl Case {
    /// What serde cannot see.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn check(&self) -> Result<(), String> {
        if self.title.trim().is_empty() || self.rule.trim().is_empty() {
            return Err("a case needs a title and a rule".into());
        }
        if self.call.is_empty() != self.setup_fails.is_some() {
            return Err("a case needs calls, or a set-up that fails".into());
        }
        if self.chat.is_some() && !self.message.is_empty() {
            return Err("`chat` and `message` exclude each other".into());
        }
        if self.skill.is_empty() && self.call.iter().any(|call| !call.skill.is_empty()) {
            return Err("skills that change need a folder of skills".into());
        }
        if self.skills.is_some() && self.skill.is_empty() {
            return Err("a policy for skills needs a folder of skills".into());
        }
        match self
            .call
            .iter()
            .find(|call| call.error.is_some() && call.fault.is_some())
        {
            Some(call) => Err(format!("a call of {} cannot end in an error and a fault", call.tool)),
            None => Ok(()),
        }
    }

    /// The chat file's text, if there is a chat.
    pub fn chat_lines(&self) -> Option<String> {
        if let Some(lines) = &self.chat {
            return Some(lines.join("\n"));
        }
        if self.message.is_empty() {
            return None;
        }
        let header = json!({"user_name": "unused", "character_name": "unused", "chat_metadata": {}});
        let messages = self.message.iter().flat_map(Message::lines);
        Some(
            std::iter::once(header.to_string())
                .chain(messages)
                .collect::<Vec<_>>()
                .join("\n"),
        )
    }
}

impl Message {
    fn lines(&self) -> Vec<String> {
        let line = |n: usize| {
            json!({
                "name": self.name,
                "is_user": self.role == "user",
                "is_system": self.role == "system",
                "send_date": "2026-05-01T10:00:00.000Z",
                "mes": numbered(&self.text, n).repeat(self.times),
            })
            .to_string()
        };
        (1..=self.repeat).map(line).collect()
    }
}

/// A text with its number filled in.
pub fn numbered(text: &str, n: usize) -> String {
    text.replace("{n}", &n.to_string())
}

fn once() -> usize {
    1
}

fn someone() -> String {
    "Someone".to_owned()
}
