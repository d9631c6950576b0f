//! Why a start is refused: one variant for each fault, with its code and what to do about it.

/// Why a start is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Something in the options that we don't know, or of the wrong kind.
    #[error("the start options cannot be used: {0}")]
    Options(String),
    /// A presentation that is neither of the two.
    #[error("the presentation {found} is neither foreground nor background")]
    Presentation {
        /// What came.
        found: String,
    },
    /// No prompt at all.
    #[error("the start has no prompt snapshot")]
    Missing,
    /// No payload with messages or a prompt in it.
    #[error("the prompt snapshot cannot be used: {0}")]
    Unusable(String),
    /// The payload brings tools.
    #[error("the prompt snapshot brings {count} tools of its own")]
    ExternalTools {
        /// How many.
        count: usize,
    },
    /// The payload says how tools are chosen.
    #[error("the prompt snapshot says how tools are chosen (tool_choice)")]
    ExternalToolChoice,
    /// The payload holds calls or results of tools.
    #[error("message {index} of the prompt snapshot is part of a tool call")]
    ExternalToolTurn {
        /// 0-based.
        index: usize,
    },
    /// A kind of message that is blank or unknown.
    #[error("the generation type {found:?} is not known")]
    GenerationType {
        /// What came.
        found: String,
    },
    /// The model cannot send its answer piece by piece.
    #[error("a stream is asked for, and {model} ({format}) cannot send one")]
    StreamUnsupported {
        /// The model.
        model: String,
        /// Its wire format.
        format: String,
    },
    /// The snapshot does not say what went into it.
    #[error("the prompt snapshot has no contextPolicy")]
    PolicyRequired,
    /// What it says cannot be read.
    #[error("the contextPolicy of the prompt snapshot cannot be used: {0}")]
    PolicyInvalid(String),
    /// It says something else than the profile.
    #[error("the prompt snapshot was made with contextPolicy.{field} = {found}, the profile says {expected}")]
    PolicyMismatch {
        /// The field.
        field: &'static str,
        /// In the snapshot.
        found: String,
        /// In the profile.
        expected: String,
    },
    /// The frozen inputs are not what they should be.
    #[error("the frozen run inputs cannot be used: {0}")]
    Frozen(FrozenFault),
    /// The frozen inputs are for another kind of message.
    #[error("the frozen run inputs are for {found}, the run is {expected}")]
    GenerationMismatch {
        /// In the frozen inputs.
        found: String,
        /// Of the run.
        expected: &'static str,
    },
    /// A place for something that was never put there.
    #[error("message {index} of the prompt snapshot still holds the marker {marker:?}")]
    Marker {
        /// 0-based.
        index: usize,
        /// What belongs there.
        marker: String,
    },
    /// A marker that is no text.
    #[error("message {index} of the prompt snapshot has a prompt marker that is no text")]
    MarkerInvalid {
        /// 0-based.
        index: usize,
    },
    /// The messages are neither a list nor a text.
    #[error("the messages of the prompt snapshot are {found}, and must be a list or a text")]
    MessagesType {
        /// What they are.
        found: crate::fields::Found,
    },
    /// The skill scopes contradict the run.
    #[error("the skill scopes cannot be used: {0}")]
    Scope(ScopeFault),
    /// The given base state is blank.
    #[error("the given persistent base state is blank")]
    BaseEmpty,
    /// The given base state is not the one that the chat names.
    #[error("the given persistent base state is {given}, the chat says {}", found.as_deref().unwrap_or("none"))]
    BaseMismatch {
        /// What came.
        given: String,
        /// What the chat says.
        found: Option<String>,
    },
}

/// What is wrong with frozen inputs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrozenFault {
    /// No object.
    #[error("they must be an object")]
    NotAnObject,
    /// No version.
    #[error("schemaVersion is missing")]
    SchemaMissing,
    /// Another version.
    #[error("schemaVersion is {0}, only 1 is known")]
    SchemaUnsupported(String),
    /// The kind is no text.
    #[error("kind must be a text")]
    KindInvalid,
    /// Another kind.
    #[error("kind is {0:?}")]
    KindUnknown(String),
    /// The generation type is blank or no text.
    #[error("generationType is blank or no text")]
    GenerationType,
    /// A part is missing.
    #[error("{0} is missing, and must be an object")]
    Missing(FrozenPart),
    /// A part is something else.
    #[error("{0} must be an object")]
    Invalid(FrozenPart),
}

/// A part of frozen inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrozenPart {
    /// `promptInputs`.
    PromptInputs,
    /// `worldInfoActivation`.
    WorldInfoActivation,
    /// `macroContext`.
    MacroContext,
}

impl std::fmt::Display for FrozenPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::PromptInputs => "promptInputs",
            Self::WorldInfoActivation => "worldInfoActivation",
            Self::MacroContext => "macroContext",
        })
    }
}

/// What is wrong with skill scopes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeFault {
    /// No object.
    #[error("they must be an object {{preset?, characterId?}}")]
    Refs,
    /// The preset is no object.
    #[error("preset must be an object {{apiId, name}}")]
    Preset,
    /// The preset has no API or no name.
    #[error("preset.{0} is missing or blank")]
    PresetField(&'static str),
    /// The profile goes by another preset.
    #[error("the preset is {given}, the profile goes by {expected}")]
    PresetMismatch {
        /// What came.
        given: String,
        /// The profile's.
        expected: String,
    },
    /// The character id is blank or no text.
    #[error("characterId is blank or no text")]
    CharacterEmpty,
    /// The chat is with somebody else.
    #[error("the character is {given:?}, the chat is with {expected}")]
    CharacterMismatch {
        /// What came.
        given: String,
        /// Whom the chat is with.
        expected: String,
    },
}

impl FrozenFault {
    const fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject => "agent.frozen_run_input_snapshot_required",
            Self::SchemaMissing => "agent.frozen_run_input_snapshot_schema_required",
            Self::SchemaUnsupported(_) => "agent.frozen_run_input_snapshot_schema_unsupported",
            Self::KindInvalid => "agent.frozen_run_input_snapshot_invalid",
            Self::KindUnknown(_) => "agent.frozen_run_input_snapshot_kind_invalid",
            Self::GenerationType => "agent.invalid_generation_type",
            Self::Missing(part) => part.required(),
            Self::Invalid(part) => part.invalid(),
        }
    }
}

impl FrozenPart {
    const fn required(self) -> &'static str {
        match self {
            Self::PromptInputs => "agent.frozen_run_input_prompt_inputs_required",
            Self::WorldInfoActivation => "agent.frozen_run_input_world_info_activation_required",
            Self::MacroContext => "agent.frozen_run_input_macro_context_required",
        }
    }

    const fn invalid(self) -> &'static str {
        match self {
            Self::PromptInputs => "agent.frozen_run_input_prompt_inputs_invalid",
            Self::WorldInfoActivation => "agent.frozen_run_input_world_info_activation_invalid",
            Self::MacroContext => "agent.frozen_run_input_macro_context_invalid",
        }
    }
}

impl ScopeFault {
    const fn code(&self) -> &'static str {
        match self {
            Self::Refs => "agent.skill_scope_refs_invalid",
            Self::Preset => "agent.skill_scope_refs_preset_invalid",
            Self::PresetField(_) => "agent.skill_scope_preset_invalid",
            Self::PresetMismatch { .. } => "agent.skill_scope_preset_mismatch",
            Self::CharacterEmpty => "agent.skill_scope_character_id_empty",
            Self::CharacterMismatch { .. } => "agent.skill_scope_character_mismatch",
        }
    }
}

impl SnapshotError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Options(_) => "agent.options_invalid",
            Self::Presentation { .. } => "agent.presentation_invalid",
            Self::Missing => "agent.prompt_snapshot_required",
            Self::Unusable(_) => "agent.invalid_prompt_snapshot",
            Self::ExternalTools { .. } => "agent.external_tools_unsupported",
            Self::ExternalToolChoice => "agent.external_tool_choice_unsupported",
            Self::ExternalToolTurn { .. } => "agent.external_tool_turns_unsupported",
            Self::GenerationType { .. } => "agent.invalid_generation_type",
            Self::StreamUnsupported { .. } => "model.stream_unsupported",
            Self::PolicyRequired => "agent.context_policy_required",
            Self::PolicyInvalid(_) => "agent.invalid_context_policy_snapshot",
            Self::PolicyMismatch { .. } => "agent.context_policy_mismatch",
            Self::Frozen(fault) => fault.code(),
            Self::GenerationMismatch { .. } => "prompt_assembly.generation_type_mismatch",
            Self::Marker { .. } => "agent.prompt_marker_unmaterialized",
            Self::MarkerInvalid { .. } => "agent.invalid_prompt_marker",
            Self::MessagesType { .. } => "agent.tool_loop_requires_messages",
            Self::Scope(fault) => fault.code(),
            Self::BaseEmpty => "agent.persist_base_state_id_empty",
            Self::BaseMismatch { .. } => "agent.persist_base_state_mismatch",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Options(_) => {
                "The options are `stream` (true or false) and `presentation`; leave out everything else."
            }
            Self::Presentation { .. } => "Write foreground or background.",
            Self::Missing => "Take a dry run of the prompt and send it along.",
            Self::Unusable(_) => {
                "Send {chatCompletionPayload: {messages: [...]}, contextPolicy: {...}}, as a dry run of the prompt gives it."
            }
            Self::ExternalTools { .. } | Self::ExternalToolChoice => {
                "Switch off the front end's own tools for this prompt; the run brings its own."
            }
            Self::ExternalToolTurn { .. } => "Leave tool calls and their results out of the prompt.",
            Self::GenerationType { .. } => "Write normal, regenerate, swipe or continue.",
            Self::StreamUnsupported { .. } => "Switch off run.stream in the profile, or choose another model.",
            Self::PolicyRequired | Self::PolicyInvalid(_) | Self::PolicyMismatch { .. } => {
                "Make the snapshot with this profile: its `context` section goes into contextPolicy."
            }
            Self::Frozen(_) | Self::GenerationMismatch { .. } => {
                "Freeze the inputs again, for this run: {schemaVersion, kind, generationType, promptInputs, worldInfoActivation, macroContext}."
            }
            Self::Marker { .. } | Self::MarkerInvalid { .. } => {
                "Put the prompt together completely: every marker is to be replaced by its text."
            }
            Self::MessagesType { .. } => "Send `messages` as a list of {role, content}.",
            Self::Scope(_) => "Name the preset of the profile and the character of the chat, or leave them out.",
            Self::BaseEmpty | Self::BaseMismatch { .. } => "Leave it out: the chat says which state a run starts from.",
        }
    }
}
