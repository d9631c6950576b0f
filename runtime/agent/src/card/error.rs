//! Why a card cannot be used.

use crate::fields::{Found, WrongType};

/// Why a card cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CardError {
    /// The file holds JSON, but no object.
    #[error("a character card is a JSON object, and this is {found}")]
    NotAnObject {
        /// What it is.
        found: Found,
    },
    /// It is a book of world info.
    #[error("this is a world info book, not a character card")]
    Book,
    /// A field of the format holds something else.
    #[error("the character card is damaged: {0}")]
    Field(#[from] WrongType),
    /// Nothing says who it is.
    #[error("the character card has no name: {field} is missing or blank")]
    NameMissing {
        /// Where the name belongs.
        field: String,
    },
}

impl CardError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject { .. } | Self::Book | Self::Field(_) | Self::NameMissing { .. } => "card.invalid",
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::NotAnObject { .. } => "Give a character card: a PNG that carries one, or its JSON.",
            Self::Book => "Give it with --worldinfo instead.",
            Self::Field(_) => "Correct that field, or export the card again from the application that made it.",
            Self::NameMissing { .. } => "Give the character a name, and export the card again.",
        }
    }
}
