//! Noticing that the person, or the system, wants the program to stop.
//!
//! Nothing is stopped here: who waits decides what that means.

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Interrupts (Ctrl-C) and requests to end (SIGTERM) from now on; none is missed between two waits. Before it is made an interrupt ends
/// the program as usual.
pub(crate) struct Interrupts {
    receiver: UnboundedReceiver<()>,
}

impl Interrupts {
    /// Starts to listen.
    pub(crate) fn listen() -> Self {
        let (sender, receiver) = unbounded_channel();
        tokio::spawn(async move { while signalled().await && sender.send(()).is_ok() {} });
        Self { receiver }
    }

    /// Returns at the next interrupt.
    pub(crate) async fn next(&mut self) {
        if self.receiver.recv().await.is_none() {
            // Without a handler an interrupt ends the program by itself; there is nothing to wait for.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
async fn signalled() -> bool {
    use tokio::signal::unix::{SignalKind, signal};

    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return tokio::signal::ctrl_c().await.is_ok();
    };
    tokio::select! {
        came = terminate.recv() => came.is_some(),
        came = tokio::signal::ctrl_c() => came.is_ok(),
    }
}

#[cfg(not(unix))]
async fn signalled() -> bool {
    tokio::signal::ctrl_c().await.is_ok()
}
