//! What can be wrong with one skill, in words for the person who keeps it.
//!
//! Nothing here stops a run: a skill that cannot be used is left out, and the others stay.

use innkeeper_protocol::skill::SkillScope;

/// Something to tell about a folder that is, or should be, a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillIssue {
    /// Where the folder was found.
    pub scope: SkillScope,
    /// The folder, from the one that was searched; `.` for that one itself.
    pub folder: String,
    /// What is wrong or unusual.
    pub problem: SkillProblem,
}

/// What is wrong or unusual about a skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkillProblem {
    /// An installed folder without a `SKILL.md`.
    #[error("it has no SKILL.md")]
    NoMainFile,
    /// The folder or its `SKILL.md` is a link, a special file, or not what it should be.
    #[error("{reason}")]
    Refused {
        /// Which, and why.
        reason: String,
    },
    /// The disk refused.
    #[error("it cannot be read: {reason}")]
    Unreadable {
        /// What the system said.
        reason: String,
    },
    /// `SKILL.md` is not UTF-8.
    #[error("its SKILL.md is not a text in UTF-8")]
    NotText,
    /// `SKILL.md` does not begin with `---`.
    #[error("its SKILL.md does not begin with front matter between two lines `---`")]
    NoFrontMatter,
    /// The second `---` is missing.
    #[error("the front matter of its SKILL.md has no closing line `---`")]
    FrontMatterOpen,
    /// More front matter than is read.
    #[error("the front matter of its SKILL.md has {bytes} bytes; at most {limit} are read")]
    FrontMatterTooLarge {
        /// Its length.
        bytes: usize,
        /// The most that is read.
        limit: usize,
    },
    /// The front matter is no YAML mapping, or goes beyond what is parsed.
    #[error("the front matter of its SKILL.md cannot be read: {reason}")]
    Yaml {
        /// What the parser said.
        reason: String,
    },
    /// No description, or a blank one.
    #[error("its SKILL.md has no description")]
    NoDescription,
    /// Neither the front matter nor the folder gives a usable name.
    #[error(
        "it has no usable name: {written:?} is none (1 to 128 of `a-z`, `0-9`, `_`, `-`), and its folder's is none either"
    )]
    NoName {
        /// What the front matter says.
        written: String,
    },
    /// Another folder of the same scope has the name.
    #[error("the skill `{name}` is in `{kept}` already")]
    Duplicate {
        /// The name.
        name: String,
        /// The folder whose skill is used.
        kept: String,
    },
    /// More files and folders than a skill may have.
    #[error("it has more than {limit} files and folders")]
    TooManyEntries {
        /// The most that is allowed.
        limit: usize,
    },
    /// Folders in folders beyond what a skill may have.
    #[error("its folders are more than {limit} levels deep")]
    TooDeep {
        /// The most that is allowed.
        limit: usize,
    },
    /// Its files are too large together, or its `SKILL.md` is alone.
    #[error("it is too large: at most {limit} bytes are read")]
    TooLarge {
        /// The most that is allowed.
        limit: u64,
    },
    /// Nothing below a folder that somebody named is a skill.
    #[error("there is no SKILL.md in it or below it")]
    NoSkills,
    /// The search for skills stopped at its limit.
    #[error("more than {limit} folders were to be searched for skills; the rest was left out")]
    SearchCut {
        /// The most that is searched.
        limit: usize,
    },
    /// Links and odd names in a folder that was searched.
    #[error("{count} entries were passed over: links, special files, and names that cannot be used everywhere")]
    PassedOver {
        /// How many.
        count: u64,
    },
    /// The skill is used under another name than its front matter or its folder says.
    #[error("it is used as `{used}`; its front matter says {written:?}, its folder {folder:?}")]
    NameDiffers {
        /// What the front matter says; empty for nothing.
        written: String,
        /// What its folder is called.
        folder: String,
        /// The name in use.
        used: String,
    },
    /// More than the 1,024 characters of the format.
    #[error("its description has {chars} characters; the format allows 1,024")]
    LongDescription {
        /// Its length, before it was cut to [`MAX_DESCRIPTION_CHARS`](super::MAX_DESCRIPTION_CHARS).
        chars: usize,
    },
    /// Characters that a person would not see were taken out of the description.
    #[error("{count} invisible characters were taken out of its description")]
    HiddenCharacters {
        /// How many.
        count: usize,
    },
    /// The front matter could be read only with its plain texts quoted.
    #[error("its front matter is no valid YAML (a text with a colon needs quotes); it was read as if quoted")]
    Repaired,
}

impl SkillProblem {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoMainFile => "skill.main_file_missing",
            Self::Refused { .. } => "skill.folder_refused",
            Self::Unreadable { .. } => "skill.unreadable",
            Self::NotText => "skill.not_text",
            Self::NoFrontMatter => "skill.front_matter_missing",
            Self::FrontMatterOpen => "skill.front_matter_open",
            Self::FrontMatterTooLarge { .. } => "skill.front_matter_too_large",
            Self::Yaml { .. } => "skill.front_matter_invalid",
            Self::NoDescription => "skill.description_missing",
            Self::NoName { .. } => "skill.name_invalid",
            Self::Duplicate { .. } => "skill.duplicate",
            Self::TooManyEntries { .. } => "skill.too_many_entries",
            Self::TooDeep { .. } => "skill.too_deep",
            Self::TooLarge { .. } => "skill.too_large",
            Self::NoSkills => "skill.none_found",
            Self::SearchCut { .. } => "skill.search_cut",
            Self::PassedOver { .. } => "skill.passed_over",
            Self::NameDiffers { .. } => "skill.name_differs",
            Self::LongDescription { .. } => "skill.description_long",
            Self::HiddenCharacters { .. } => "skill.description_hidden_characters",
            Self::Repaired => "skill.front_matter_repaired",
        }
    }
}
