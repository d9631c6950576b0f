//! The particular faults behind a model error: of the network, of a body, of a call, of a message.
//!
//! They only say what was found; what follows from it is told by [`ModelError`](super::ModelError).

/// Where the way to the provider broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NetworkFailure {
    /// No answer in time.
    #[error("no answer came in time")]
    Timeout,
    /// No connection.
    #[error("no connection could be made")]
    Connect,
    /// The proxy in between.
    #[error("the proxy refused or failed")]
    Proxy,
    /// The name of the host.
    #[error("the host name could not be resolved")]
    Dns,
    /// The secure connection.
    #[error("the secure connection failed")]
    Tls,
    /// The answer stopped half-way.
    #[error("the answer broke off half-way")]
    BodyInterrupted,
    /// Anything else while the request was on its way.
    #[error("the request failed on its way")]
    Request,
}

impl NetworkFailure {
    /// Every failure, for tables and tests.
    pub const ALL: [Self; 7] = [
        Self::Timeout,
        Self::Connect,
        Self::Proxy,
        Self::Dns,
        Self::Tls,
        Self::BodyInterrupted,
        Self::Request,
    ];

    /// The stable code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Timeout => "network.timeout",
            Self::Connect => "network.connect_failed",
            Self::Proxy => "network.proxy_failed",
            Self::Dns => "network.dns_failed",
            Self::Tls => "network.tls_failed",
            Self::BodyInterrupted => "network.body_interrupted",
            Self::Request => "network.request_failed",
        }
    }
}

/// Why a successful answer's body cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyFault {
    /// An HTML page of some box in between, a cut text, plain words.
    #[error("it is not JSON")]
    NotJson,
    /// JSON, but no object.
    #[error("it is not a JSON object")]
    NotObject,
    /// More bytes than are accepted.
    #[error("it is larger than {limit} bytes")]
    TooLarge {
        /// Most bytes accepted.
        limit: usize,
    },
    /// A stream whose pieces do not fit together.
    #[error("its pieces do not follow the format")]
    BrokenStream,
    /// A stream that stopped before the turn did.
    #[error("it stopped before its end")]
    Unfinished,
    /// An object that reports an error in spite of the status.
    #[error("it reports an error")]
    ErrorReported,
}

/// What is wrong with a tool call that the model sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ToolCallFault {
    /// The call is no JSON object.
    #[error("it is not an object")]
    NotObject,
    /// It says nothing about a function.
    #[error("it names no function")]
    NoFunction,
    /// The function's name is missing or blank.
    #[error("its name is missing or blank")]
    BlankName,
    /// The id is missing or blank; ids are never made up.
    #[error("its id is missing or blank")]
    BlankId,
    /// Another call of the same turn has this id, so their results could not be told apart.
    #[error("its id is that of another call of this turn")]
    RepeatedId,
}

/// Why an answer holds nothing usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResponseFault {
    /// No message of the assistant.
    #[error("it holds no assistant message")]
    NoMessage,
    /// The content is neither a text, nor a list of parts, nor null.
    #[error("its content is neither a text nor a list of parts")]
    Content,
    /// The provider's filter let nothing through.
    #[error("the provider's filter withheld it")]
    Withheld,
    /// The calls are no list.
    #[error("its tool calls are not a list")]
    ToolCalls,
}

/// Why a conversation that the provider keeps cannot be continued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProviderStateFault {
    /// The last answer came without the id by which the provider would find it.
    #[error("its last answer had no id")]
    NoResponseId,
    /// The last answer covers more messages than the request holds.
    #[error("it covers more messages than there are")]
    CursorBeyondEnd,
    /// The provider does not know the last answer, or not any more.
    #[error("the provider does not know its last answer any more")]
    Forgotten,
}

/// What is wrong with a message of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MessageFault {
    /// A message of role tool without a result.
    #[error("a tool message holds no result")]
    NoResult,
    /// A message of role tool with something beside its one result.
    #[error("a tool message holds more than one result")]
    SeveralResults,
    /// A call or a result in a message whose role cannot have one.
    #[error("its role cannot hold tool calls or results")]
    MisplacedPart,
    /// A medium that this format cannot carry.
    #[error("it holds a medium that this format cannot carry")]
    UnsupportedMedia,
}

/// Why calls and results of the request do not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TranscriptFault {
    /// Two calls of one message share an id.
    #[error("two calls of one message share an id")]
    RepeatedCall,
    /// A call without its result before the next message.
    #[error("a call was not answered before the conversation went on")]
    Unanswered,
    /// A result without its call, or a second result of a call.
    #[error("a result answers no open call")]
    Orphan,
}
