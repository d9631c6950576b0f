//! Functions: how many, how large, how deep.
//!
//! What a compiler does with a function grows faster than the function; these caps keep each one small.

use wasmparser::{FunctionBody, Operator};

use crate::prescan::{Quantity, Stop};

/// Functions in all modules together; the largest interpreters have some ten thousand.
const MAX_FUNCTIONS: u64 = 100_000;
/// Bytes of one function; an interpreter's main loop has some hundred thousand.
const MAX_FUNCTION_BYTES: u64 = 2 * 1024 * 1024;
/// Local variables of one function; code that was not optimised has some thousand.
const MAX_LOCALS: u64 = 10_000;
/// Blocks within each other; a switch needs one for each place that it goes to.
const MAX_NESTING: u64 = 10_000;
/// Targets of one branch table; more than a 16-bit value can choose from.
const MAX_BRANCH_TARGETS: u64 = 65_536;

/// The functions seen so far.
#[derive(Default)]
pub(super) struct CodeScan {
    functions: u64,
}

impl CodeScan {
    pub(super) fn functions(&mut self, count: u32) -> Result<(), Stop> {
        self.functions = self.functions.saturating_add(count.into());
        Ok(Quantity::Functions.check(self.functions, MAX_FUNCTIONS)?)
    }
}

/// Looks through one function.
pub(super) fn body(body: &FunctionBody<'_>) -> Result<(), Stop> {
    Quantity::FunctionBytes.check(body.as_bytes().len() as u64, MAX_FUNCTION_BYTES)?;
    let mut locals = 0_u64;
    for group in body.get_locals_reader()? {
        locals = locals.saturating_add(u64::from(group?.0));
        Quantity::Locals.check(locals, MAX_LOCALS)?;
    }
    let mut depth = 0_u64;
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        match operators.read()? {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } | Operator::TryTable { .. } => {
                depth += 1;
                Quantity::Nesting.check(depth, MAX_NESTING)?;
            }
            Operator::End => depth = depth.saturating_sub(1),
            Operator::BrTable { targets } => Quantity::BranchTargets.check(targets.len().into(), MAX_BRANCH_TARGETS)?,
            _ => {}
        }
    }
    Ok(())
}
