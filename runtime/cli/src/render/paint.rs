//! Colours, few and with a fixed meaning, or none at all.

use anstyle::{AnsiColor, Style};

/// Paints texts, or leaves them as they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    is_on: bool,
}

impl Paint {
    /// With colours or without.
    pub(crate) const fn new(is_on: bool) -> Self {
        Self { is_on }
    }

    /// Beside the point.
    pub(crate) fn dim(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// To be seen first.
    pub(crate) fn strong(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// It worked.
    pub(crate) fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    /// It went wrong and things go on.
    pub(crate) fn odd(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default(), text)
    }

    /// It went wrong.
    pub(crate) fn bad(self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default(), text)
    }

    /// A name that can be used elsewhere.
    pub(crate) fn name(self, text: &str) -> String {
        self.paint(AnsiColor::Cyan.on_default(), text)
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.is_on && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}
