//! The outcome of a decision, with the rule that made it in words for people.
//!
//! It grants nothing by itself: a question that is needed is asked elsewhere, and a person's answer is not part of it.

use std::fmt;

/// What a tool may do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Whether a model is offered the tool.
    pub visible: bool,
    /// Whether a call may go on to its approval, or start where none is needed.
    pub callable: bool,
    /// Whether a person must agree to each call; never needed for a call that cannot be made.
    pub approval: Approval,
    /// The rule that decided `callable`, or that hides a tool which is callable.
    pub reason: Reason,
    /// The ceilings of a call.
    pub budget: CallBudget,
}

/// Whether a person must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// The call may start.
    NotNeeded,
    /// The call waits for a person, or for a standing answer of one.
    Needed {
        /// The rule that asks.
        rule: AskRule,
    },
}

/// The rule that puts a tool behind an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskRule {
    /// The user's policy.
    User,
    /// The application's policy.
    Platform,
    /// The policy for the tool's source.
    Source,
    /// The running node of a plan.
    PlanNode,
    /// The profile.
    Profile,
    /// By default: somebody else's tool that may overwrite or remove.
    Destructive,
    /// By default: somebody else's tool that reaches something outside.
    OpenWorld,
    /// By default: somebody else's tool that costs money or patience.
    HighCost,
    /// By default: the tool's author suggests it.
    Author,
    /// By default: the tool belongs to an MCP server.
    Mcp,
    /// By default: the tool belongs to an extension.
    Extension,
}

impl fmt::Display for AskRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "your policy asks before this tool is called",
            Self::Platform => "the application asks before this tool is called",
            Self::Source => "the policy for this tool's source asks before it is called",
            Self::PlanNode => "the running step of the plan asks before this tool is called",
            Self::Profile => "the agent profile asks before this tool is called",
            Self::Destructive => "the tool comes from outside and may overwrite or remove things",
            Self::OpenWorld => "the tool comes from outside and reaches other systems",
            Self::HighCost => "the tool comes from outside and a call is costly",
            Self::Author => "the tool's author wants a person to agree",
            Self::Mcp => "tools of MCP servers ask until you allow them",
            Self::Extension => "tools of extensions ask until you allow them",
        })
    }
}

/// The rule that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The user's policy denies it.
    UserDeny,
    /// The application's policy denies it.
    PlatformDeny,
    /// The policy file cannot be read, and the tool has an effect.
    PolicyUnreadable {
        /// The file.
        file: String,
    },
    /// The policy for its source denies it.
    SourceDeny,
    /// The tool's own spec denies it.
    AuthorDeny,
    /// The running node of a plan denies it.
    PlanNodeDeny,
    /// The profile denies it.
    ProfileDeny,
    /// Nobody allows it.
    NotAllowed,
    /// The invocation has no calls left.
    CallsSpent,
    /// The tool has no calls left in this invocation.
    ToolCallsSpent {
        /// Most calls of this tool.
        max: u32,
    },
    /// Callable, but by a person only.
    UserOnly,
    /// The running node of a plan allows it.
    PlanNodeAllow,
    /// The profile allows it.
    ProfileAllow,
}

impl Reason {
    /// The stable code of the error that a call gets for this reason; `None` where the call may go on.
    #[must_use]
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::UserDeny
            | Self::PlatformDeny
            | Self::PolicyUnreadable { .. }
            | Self::SourceDeny
            | Self::AuthorDeny
            | Self::PlanNodeDeny
            | Self::ProfileDeny
            | Self::NotAllowed => Some("agent.tool_policy_denied"),
            Self::CallsSpent | Self::ToolCallsSpent { .. } => Some("agent.tool_budget_exhausted"),
            Self::UserOnly | Self::PlanNodeAllow | Self::ProfileAllow => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UserDeny => f.write_str("the user's policy denies this tool"),
            Self::PlatformDeny => f.write_str("the application denies this tool"),
            Self::PolicyUnreadable { file } => {
                write!(
                    f,
                    "the policy file {file} cannot be read, so every tool with an effect is denied until it is mended"
                )
            }
            Self::SourceDeny => f.write_str("the policy for this tool's source denies it"),
            Self::AuthorDeny => f.write_str("the tool's author has switched it off"),
            Self::PlanNodeDeny => f.write_str("the running step of the plan denies this tool"),
            Self::ProfileDeny => f.write_str("the agent profile denies this tool"),
            Self::NotAllowed => f.write_str("the agent profile does not allow this tool"),
            Self::CallsSpent => f.write_str("no tool calls are left"),
            Self::ToolCallsSpent { max } => write!(f, "all {max} calls of this tool have been made"),
            Self::UserOnly => f.write_str("only a person may call this tool"),
            Self::PlanNodeAllow => f.write_str("the running step of the plan allows this tool"),
            Self::ProfileAllow => f.write_str("the agent profile allows this tool"),
        }
    }
}

/// The ceilings of a tool's calls; `None` means that nobody set one and the host's default holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallBudget {
    /// Most calls of this tool in one invocation: the lower of the author's and the profile's cap.
    pub max_calls: Option<u32>,
    /// Calls of this tool that may still be made, with the invocation's own budget counted in.
    pub calls_left: Option<u32>,
    /// Most Unicode scalars of text that a reply may show to the model.
    pub max_output_chars: Option<u32>,
    /// Wall clock of one call in milliseconds.
    pub timeout_ms: Option<u32>,
}
