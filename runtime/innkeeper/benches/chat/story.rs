//! Chat files of any length, always the same: sentences of a few words, as SillyTavern writes them.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

/// Sentences of a message, at least and at most.
const SENTENCES: (u32, u32) = (4, 12);
const WORDS_OF_A_SENTENCE: u32 = 9;

/// What the chat is written in; letters beyond ASCII take another way through case folding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// ASCII only.
    PlainEnglish,
    /// With the quotation marks and dashes that models write.
    English,
    /// No ASCII and no spaces.
    Japanese,
}

impl Language {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::PlainEnglish => "English in ASCII",
            Self::English => "English with curly quotes",
            Self::Japanese => "Japanese",
        }
    }

    fn words(self) -> &'static [&'static str] {
        match self {
            Self::PlainEnglish | Self::English => &[
                "the", "Ferry", "Keeper", "lantern", "brass", "was", "late", "again", "river", "and", "cold", "she",
                "opened", "door", "nobody", "asked", "Rain", "over", "bridge", "key", "silver", "old", "of", "under",
            ],
            Self::Japanese => &[
                "雨が",
                "渡し船",
                "灯籠",
                "真鍮の",
                "番人は",
                "静かに",
                "扉を",
                "開けた",
                "川の",
                "向こう",
                "銀の鍵",
                "誰も",
                "いない",
                "夜の",
                "橋を",
                "渡る",
            ],
        }
    }

    /// What stands before, between and after the words of a sentence.
    fn marks(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::PlainEnglish => ("", " ", ". "),
            Self::English => ("\u{201c}", " ", "\u{201d} \u{2014} "),
            Self::Japanese => ("「", "", "。」"),
        }
    }
}

/// Writes a chat with so many messages. Returns its bytes.
pub(crate) fn write(path: &Path, messages: u32, language: Language) -> usize {
    let header = json!({ "user_name": "Ann", "character_name": "Keeper", "chat_metadata": {} });
    let mut text = header.to_string();
    let mut numbers = Numbers(7);
    for index in 0..messages {
        let is_user = index % 2 == 1;
        let line = json!({
            "name": if is_user { "Ann" } else { "Keeper" },
            "is_user": is_user,
            "is_system": false,
            "send_date": "2026-01-01T00:00:00.000Z",
            "mes": message(&mut numbers, language),
            "extra": { "api": "openai", "model": "some-model" },
        });
        // Writing to a String cannot fail.
        let _ = write!(text, "\n{line}");
    }
    std::fs::write(path, &text).expect("a folder to write to");
    text.len()
}

fn message(numbers: &mut Numbers, language: Language) -> String {
    let (before, between, after) = language.marks();
    let (least, most) = SENTENCES;
    let mut text = String::new();
    for _ in 0..least + numbers.below(most - least + 1) {
        let sentence: Vec<&str> = (0..WORDS_OF_A_SENTENCE)
            .filter_map(|_| {
                let words = language.words();
                words
                    .get(numbers.below(u32::try_from(words.len()).ok()?) as usize)
                    .copied()
            })
            .collect();
        let _ = write!(text, "{before}{}{after}", sentence.join(between));
    }
    text
}

/// Numbers that follow from a seed (the multiplier of Knuth's MMIX); good enough to mix words.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((self.0 >> 33) % u64::from(bound)).unwrap_or_default()
    }
}
