//! Noticing that the person, or the system, wants the program to stop.
//!
//! Nothing is stopped here: who waits decides what that means.

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Interrupts (Ctrl-C) and requests to end (SIGTERM) from now on; none is missed between two waits. Before it is made an interrupt ends
/// the program as usual.
pub(crate) struct Interrupts {
    receiver: UnboundedReceiver<()>,
}

impl Interrupts {
    /// Starts to listen.
    pub(crate) fn listen() -> Self {
        let (sender, receiver) = unbounded_channel();
        tokio::spawn(pass_on(sender));
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
async fn pass_on(sender: UnboundedSender<()>) {
    use tokio::signal::unix::{SignalKind, signal};

    // Made once: a listener that is made anew for each wait misses what comes in between.
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return;
    };
    let Ok(mut interrupt) = signal(SignalKind::interrupt()) else {
        return;
    };
    loop {
        let came = tokio::select! {
            came = interrupt.recv() => came,
            came = terminate.recv() => came,
        };
        if came.is_none() || sender.send(()).is_err() {
            return;
        }
    }
}

#[cfg(not(unix))]
async fn pass_on(sender: UnboundedSender<()>) {
    while tokio::signal::ctrl_c().await.is_ok() && sender.send(()).is_ok() {}
}
