//! What a component has too much of.
//!
//! The caps themselves stand where they are counted.

use std::fmt;

/// Too much of something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it has {found} {quantity}{}; at most {limit} are accepted", place(.path))]
pub struct Excess {
    /// Of what.
    pub quantity: Quantity,
    /// How much was counted by the time it was too much.
    pub found: u64,
    /// The cap.
    pub limit: u64,
    /// The names on the way to it, from the outside to the inside; empty where it has none.
    pub path: Vec<String>,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Functions in all modules.
    Functions,
    /// Bytes of one function.
    FunctionBytes,
    /// Local variables of one function.
    Locals,
    /// Blocks within blocks of one function.
    Nesting,
    /// Targets of one branch table.
    BranchTargets,
    /// Modules and components in all.
    Parts,
    /// Components within components.
    Depth,
    /// Bytes that are neither code nor data.
    CustomBytes,
    /// Types in all.
    Types,
    /// Bytes of one section of types.
    TypeBytes,
    /// Fields, cases, flags or parameters of one type.
    Members,
    /// Types within types.
    TypeDepth,
    /// Parts of a type that is written out in full.
    TypeParts,
    /// Core instances of one instance of the component.
    Instances,
    /// Memories of one instance of the component.
    Memories,
    /// Tables of one instance of the component.
    Tables,
}

impl Quantity {
    /// Holds a count against its cap.
    ///
    /// # Errors
    /// [`Excess`] when the count is larger.
    pub(crate) fn check(self, found: u64, limit: u64) -> Result<(), Excess> {
        if found <= limit {
            return Ok(());
        }
        Err(Excess {
            quantity: self,
            found,
            limit,
            path: Vec::new(),
        })
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Functions => "functions",
            Self::FunctionBytes => "bytes in one function",
            Self::Locals => "local variables in one function",
            Self::Nesting => "blocks within each other in one function",
            Self::BranchTargets => "targets in one branch table",
            Self::Parts => "modules and components in it",
            Self::Depth => "components within each other",
            Self::CustomBytes => "bytes of names and other custom sections",
            Self::Types => "types",
            Self::TypeBytes => "bytes in one section of types",
            Self::Members => "fields, cases, flags or parameters in one type",
            Self::TypeDepth => "types within each other",
            Self::TypeParts => "parts in one type that is written out in full",
            Self::Instances => "core instances",
            Self::Memories => "memories",
            Self::Tables => "tables",
        })
    }
}

fn place(path: &[String]) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!(" at `{}`", path.join("#"))
    }
}
