//! Stops the program after every system call that changes a file, so that it can be killed exactly there.
//!
//! `strace` sends a stop signal with each such call; the program is our own child all the while, so we hear of every stop, read in the
//! tracer's log what was done, and let the program go on or not. Counting is ours: the tracer counts for each thread on its own.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::place::Place;

/// System calls that change files or make changes durable. Opening is among them because it can create.
const CALLS: &str = "write,pwrite64,writev,fsync,fdatasync,openat,openat2,rename,renameat,renameat2,unlink,unlinkat,\
    mkdir,mkdirat,rmdir,ftruncate,link,linkat,symlink,symlinkat,copy_file_range,sendfile,fchmod,fallocate";

/// Whether programs can be traced here. Says so where nobody can overhear it when not.
pub fn is_there() -> bool {
    let tried = Command::new("strace")
        .args([
            "-D",
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "inject=fsync:signal=SIGSTOP",
            "true",
        ])
        .output();
    let why = match tried {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    // Written past the capture of test output: a check that did not happen must be heard of.
    let _ = writeln!(
        std::io::stderr(),
        "warning: strace cannot be used here ({}): the program is killed at its events only, and its disk does not fail",
        why.trim()
    );
    false
}

/// How a stepped program went on after a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// It shall go on.
    GoOn,
    /// It is killed where it stands.
    Kill,
}

/// What a stepped program did.
pub struct Steps {
    /// The calls that changed something in the place, as the tracer wrote them.
    pub calls: Vec<String>,
    /// What it printed.
    pub stdout: String,
    /// Its exit code; none when it was killed.
    pub code: Option<i32>,
}

/// Runs the program to its end or until `decide`, which is told each new call with the program's id, has it killed.
#[expect(clippy::zombie_processes, reason = "`follow` waits for it, and for its stops, too")]
pub fn step(
    place: &Place,
    starter: &[&str],
    arguments: &[String],
    mut decide: impl FnMut(Pid, &[String]) -> Then,
) -> Steps {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let (trace, inject) = (format!("trace={CALLS}"), format!("inject={CALLS}:signal=SIGSTOP"));
    let log_path = log.display().to_string();
    let tracer = [
        "strace",
        "-D",
        "-f",
        "-qq",
        "-y",
        "-s",
        "0",
        "-e",
        "signal=none",
        "-o",
        &log_path,
    ];
    let whole = [&tracer[..], &["-e", &trace, "-e", &inject], starter].concat();
    let mut command = place.command_under(&whole, arguments);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    // A pipe and no file: what the program says must reach us also when its disk is full.
    let reader = std::thread::spawn(move || {
        let mut stdout = String::new();
        pipe.read_to_string(&mut stdout).map(|_| stdout)
    });
    let mut calls = Calls::of(place, log);
    let code = follow(&child, &mut calls, &mut decide);
    Steps {
        calls: calls.seen,
        stdout: reader.join().unwrap().unwrap(),
        code,
    }
}

fn follow(child: &Child, calls: &mut Calls, decide: &mut dyn FnMut(Pid, &[String]) -> Then) -> Option<i32> {
    let pid = Pid::from_child(child);
    loop {
        let (_, status) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
        if !status.stopped() {
            return status.exit_status();
        }
        let known = calls.seen.len();
        calls.read_on();
        if calls.seen.len() > known && decide(pid, &calls.seen) == Then::Kill {
            kill_process(pid, Signal::KILL).unwrap();
            waitpid(Some(pid), WaitOptions::empty()).unwrap();
            return None;
        }
        kill_process(pid, Signal::CONT).unwrap();
    }
}

/// The tracer's log.
struct Calls {
    root: String,
    path: PathBuf,
    log: Option<File>,
    rest: String,
    seen: Vec<String>,
}

impl Calls {
    fn of(place: &Place, path: PathBuf) -> Self {
        Self {
            root: place.root().display().to_string(),
            path,
            log: None,
            rest: String::new(),
            seen: Vec::new(),
        }
    }

    fn read_on(&mut self) {
        if self.log.is_none() {
            self.log = File::open(&self.path).ok();
        }
        let Some(log) = &mut self.log else { return };
        log.read_to_string(&mut self.rest).unwrap();
        while let Some(end) = self.rest.find('\n') {
            let line: String = self.rest.drain(..=end).collect();
            if line.contains(&self.root) && changes(&line) {
                self.seen.push(line.trim_end().to_owned());
            }
        }
    }
}

/// Whether a call of the log changed something. One that another thread's call interrupted in the log is taken for one that did.
fn changes(line: &str) -> bool {
    let only_opens = line.contains(" openat(") || line.contains(" openat2(");
    let has_failed = line.contains(" = -1 ");
    !has_failed && (!only_opens || line.contains("O_CREAT"))
}
