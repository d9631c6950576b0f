//! Plays a case: makes its calls in order on a stage that somebody else has set up, and judges each.
//!
//! The stage makes the calls; what is behind it is not known here.

use serde_json::Value;

use super::{Call, Case, Expected, Ground, Printed, judge};

/// What would end a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageFault {
    /// Its code.
    pub code: String,
    /// What it says.
    pub message: String,
}

/// Where calls are made, all in one invocation.
pub trait Stage {
    /// Makes a call and applies what it writes.
    fn call(&mut self, tool: &str, arguments: &Value) -> impl Future<Output = Result<Printed, StageFault>> + Send;
}

/// Makes a case's calls on its ground, and judges them and what they leave behind.
///
/// # Errors
/// Names the call, and says what differs.
pub async fn play(case: &Case, ground: &Ground, stage: &mut impl Stage) -> Result<(), String> {
    for (index, call) in case.call.iter().enumerate() {
        let place = |why: String| format!("call {} ({}): {why}", index + 1, call.tool);
        play_call(call, ground, stage).await.map_err(place)?;
    }
    ground.workspace.compare(&case.after)
}

async fn play_call(call: &Call, ground: &Ground, stage: &mut impl Stage) -> Result<(), String> {
    ground.change(call)?;
    let (before, skills) = (ground.workspace.picture()?, ground.skills_now()?);
    let result = stage.call(&call.tool, &call.arguments.json()?).await;
    let after = ground.workspace.picture()?;
    if ground.skills_now()? != skills {
        return Err("a call has changed the skills".into());
    }
    match (result, call.expected()) {
        (Ok(result), Expected::Success) => judge::success(call, &result),
        (Ok(_), Expected::Error(_)) if before != after => Err("an error has changed the workspace".into()),
        (Ok(result), Expected::Error(code)) => judge::error(call, code, &result),
        (Err(fault), Expected::Fault(code)) if fault.code == code => Ok(()),
        (Err(fault), expected) => Err(format!(
            "a fault {} ({}), expected {expected:?}",
            fault.code, fault.message
        )),
        (Ok(result), expected) => Err(format!("{:?}, expected {expected:?}", result.error_code)),
    }
}
