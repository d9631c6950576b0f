//! Stopping a run from outside: a switch that is thrown once and can be waited for.

use std::sync::Arc;

use tokio::sync::watch;

/// Stops one run. Throwing it again changes nothing.
#[derive(Clone)]
pub struct CancelSwitch {
    sender: Arc<watch::Sender<bool>>,
}

impl CancelSwitch {
    pub(crate) fn new() -> Self {
        Self {
            sender: Arc::new(watch::Sender::new(false)),
        }
    }

    /// Asks the run to stop. It ends as cancelled, unless it has already promoted its persistent files.
    pub fn cancel(&self) {
        self.sender.send_replace(true);
    }

    pub(crate) fn is_thrown(&self) -> bool {
        *self.sender.borrow()
    }

    /// Returns once the switch is thrown.
    pub(crate) async fn thrown(&self) {
        let mut receiver = self.sender.subscribe();
        // The sender lives as long as `self`, so waiting can only end by the switch being thrown.
        let _ = receiver.wait_for(|thrown| *thrown).await;
    }
}
