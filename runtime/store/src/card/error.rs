//! Why a card file cannot be used.

use std::path::PathBuf;

use super::CardProblem;
use crate::document::ReadError;

/// Why a card file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CardFileError {
    /// The file itself.
    #[error("the character card {0}")]
    File(#[from] ReadError),
    /// What is in it.
    #[error("the character card {} cannot be used: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: CardProblem,
    },
}

impl CardFileError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::File(ReadError::Missing { .. }) => "card.not_found",
            Self::File(ReadError::NotRegular { .. } | ReadError::Unreadable { .. }) => "card.unreadable",
            Self::File(ReadError::TooLarge { .. })
            | Self::Damaged {
                problem: CardProblem::TooLarge,
                ..
            } => "card.too_large",
            Self::Damaged {
                problem: CardProblem::NoCard,
                ..
            } => "card.no_card",
            Self::Damaged { .. } => "card.damaged",
        }
    }

    /// What the person can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::File(error) => error.hint(),
            Self::Damaged { problem, .. } => match problem {
                CardProblem::Archive => "Unpack it and give its card.json.",
                CardProblem::Image(_) => "Get the file again: it was cut off or changed on its way.",
                CardProblem::NoCard => {
                    "Give the PNG as it was exported; image programs and chat services take the card out of it."
                }
                CardProblem::Encoding { .. } | CardProblem::NotJson(_) => {
                    "Export the card again from the application that made it."
                }
                CardProblem::TooLarge => "Give a smaller card; take the assets out of it.",
            },
        }
    }
}
