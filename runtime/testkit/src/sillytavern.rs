//! A small SillyTavern for tests: a client that holds a whole chat in memory and a server that replaces the whole file, with the
//! integrity check between them.
//!
//! It copies the habits that endanger other writers: unreadable lines vanish silently, numbers go through JavaScript-like values, the
//! file is written anew without a final line break. It has no network, no users and no clock; ids come from the caller.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

/// What came of a save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Save {
    /// The file now holds what the client holds.
    Done,
    /// The first line on disk has another integrity value; nothing was written, the person is warned.
    IntegrityMismatch,
}

/// A browser tab with one chat open.
#[derive(Debug, Clone)]
pub struct SillyTavern {
    path: PathBuf,
    header: Option<Value>,
    messages: Vec<Value>,
}

impl SillyTavern {
    /// Opens a chat: reads the file once and never looks at it again.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut lines = read_lines(path)?;
        let header = lines.first().is_some_and(is_header).then(|| lines.remove(0));
        Ok(Self {
            path: path.to_owned(),
            header,
            messages: lines,
        })
    }

    /// The messages in memory.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        &self.messages
    }

    /// The texts in memory.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.messages
            .iter()
            .map(|message| message["mes"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// The person writes a message (in memory).
    pub fn say(&mut self, text: &str) {
        self.messages.push(
            json!({"name": "User", "is_user": true, "is_system": false, "send_date": "", "mes": text, "extra": {}}),
        );
    }

    /// The person edits a message (in memory); nothing happens beyond the end.
    pub fn edit(&mut self, index: usize, text: &str) {
        if let Some(message) = self.messages.get_mut(index) {
            message["mes"] = json!(text);
        }
    }

    /// The person deletes the last message (in memory).
    pub fn delete_last(&mut self) {
        self.messages.pop();
    }

    /// Saves: the server compares the integrity values and replaces the file. A client whose chat has no value yet makes one of
    /// `fresh_integrity`, which the server accepts when the file has none either.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn save(&mut self, fresh_integrity: &str) -> io::Result<Save> {
        self.ensure_integrity(fresh_integrity);
        let on_disk = read_lines(&self.path)?.first().and_then(integrity);
        if on_disk.is_some() && on_disk != self.header.as_ref().and_then(integrity) {
            return Ok(Save::IntegrityMismatch);
        }
        self.overwrite()?;
        Ok(Save::Done)
    }

    /// Saves without any check, as old versions and other programs do, or as the person insists.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn overwrite(&self) -> io::Result<()> {
        let lines: Vec<String> = self.header.iter().chain(&self.messages).map(Value::to_string).collect();
        let temp = self.path.with_extension("st-tmp");
        std::fs::write(&temp, lines.join("\n"))?;
        std::fs::rename(&temp, &self.path)
    }

    fn ensure_integrity(&mut self, fresh: &str) {
        let header = self
            .header
            .get_or_insert_with(|| json!({"chat_metadata": {}, "user_name": "unused", "character_name": "unused"}));
        if integrity(header).is_some() {
            return;
        }
        if let Some(object) = header.as_object_mut() {
            let metadata = object
                .entry("chat_metadata")
                .or_insert_with(|| Value::Object(Map::new()));
            if let Some(metadata) = metadata.as_object_mut() {
                metadata.insert("integrity".into(), json!(fresh));
            }
        }
    }
}

fn is_header(line: &Value) -> bool {
    ["mes", "is_user", "is_system"]
        .iter()
        .all(|key| line.get(key).is_none())
}

fn integrity(header: &Value) -> Option<String> {
    header
        .get("chat_metadata")?
        .get("integrity")?
        .as_str()
        .map(str::to_owned)
}

fn read_lines(path: &Path) -> io::Result<Vec<Value>> {
    let text = std::fs::read_to_string(path)?;
    let text = text.trim_start_matches('\u{feff}');
    Ok(text
        .split('\n')
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(Value::is_object)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat(name: &str, text: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("innkeeper-testkit-{}-{name}.jsonl", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn a_second_tab_is_refused_when_the_value_on_disk_changed() {
        let path = chat(
            "integrity",
            "{\"chat_metadata\":{\"integrity\":\"a\"}}\n{\"mes\":\"hi\"}",
        );
        let mut tab = SillyTavern::open(&path).unwrap();
        std::fs::write(&path, "{\"chat_metadata\":{\"integrity\":\"b\"}}\n{\"mes\":\"hi\"}").unwrap();
        tab.say("lost?");
        assert_eq!(tab.save("c").unwrap(), Save::IntegrityMismatch);
        assert_eq!(SillyTavern::open(&path).unwrap().texts(), ["hi"]);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn an_unreadable_line_is_gone_after_a_save() {
        let path = chat("torn", "{\"mes\":\"hi\"}\n{\"mes\":\"to");
        let mut tab = SillyTavern::open(&path).unwrap();
        assert_eq!(tab.save("new").unwrap(), Save::Done);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("\"mes\"").count(), 1);
        assert!(text.contains("\"integrity\":\"new\"") && !text.ends_with('\n'));
        std::fs::remove_file(path).unwrap();
    }
}
