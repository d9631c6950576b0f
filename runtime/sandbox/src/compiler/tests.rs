//! Compilers that end in every way, played by the shell.

use super::*;
use crate::engine::{GuestCode, Memories};

const AMPLE: Flavour = Flavour::new(Memories::Ample, GuestCode::Native);
const LONG: Duration = Duration::from_secs(30);

async fn ends(wall: Duration, script: &str) -> Result<bool, LoadError> {
    let arguments = ["-c", script].map(str::to_owned);
    let into = tempfile::tempfile().unwrap();
    let compiler = ChildCompiler::new(wall);
    let program = PathBuf::from("/bin/sh");
    compiler
        .compile((&program, &arguments), AMPLE, &[0; 1 << 20], &into)
        .await
}

fn invalid(reason: &str) -> Result<bool, LoadError> {
    Err(LoadError::Invalid {
        reason: reason.to_owned(),
    })
}

#[tokio::test]
async fn exit_codes_say_how_it_went() {
    assert_eq!(ends(LONG, "cat >/dev/null; exit 0").await, Ok(true));
    assert_eq!(ends(LONG, "exit 10").await, Ok(false));
    assert_eq!(ends(LONG, "echo ' too odd ' >&2; exit 65").await, invalid("too odd"));
    let failed = LoadError::CompilerFailed {
        reason: "no disk".to_owned(),
    };
    assert_eq!(ends(LONG, "echo no disk >&2; exit 70").await, Err(failed));
}

#[tokio::test]
async fn a_compiler_that_breaks_down_is_the_components_fault() {
    for (script, word) in [
        ("kill -9 $$", "signal: 9"),
        ("kill -ABRT $$", "signal: 6"),
        ("exit 101", "exit status: 101"),
        ("exit 1", "exit status: 1"),
    ] {
        let Err(LoadError::CompileLimit { how }) = ends(LONG, script).await else {
            panic!("{script}")
        };
        assert!(how.contains(word), "{how}");
    }
}

#[tokio::test]
async fn a_compiler_that_does_not_end_is_ended() {
    let marks = tempfile::NamedTempFile::new().unwrap();
    let script = format!("echo $$ >{}; while :; do :; done", marks.path().display());
    let ended = ends(Duration::from_millis(300), &script).await;
    let how = "it was not done within 300 ms".to_owned();
    assert_eq!(ended, Err(LoadError::CompileLimit { how }));
    let pid = std::fs::read_to_string(marks.path()).unwrap();
    if let Ok(pid) = pid.trim().parse() {
        let alive = rustix::process::test_kill_process(rustix::process::Pid::from_raw(pid).unwrap());
        assert_eq!(alive, Err(rustix::io::Errno::SRCH));
    }
}

#[tokio::test]
async fn a_compiler_that_cannot_be_started_is_no_fault_of_the_component() {
    let into = tempfile::tempfile().unwrap();
    let program = PathBuf::from("/no/such/compiler");
    let compiler = ChildCompiler::new(LONG);
    let ended = compiler.compile((&program, &[]), AMPLE, b"", &into).await;
    let Err(LoadError::CompilerFailed { reason }) = ended else {
        panic!("{ended:?}")
    };
    assert!(reason.contains("/no/such/compiler"), "{reason}");
}

#[tokio::test]
async fn the_child_sees_nothing_of_the_environment() {
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert_eq!(
        ends(LONG, "echo \"<$CARGO_MANIFEST_DIR$HOME>\" >&2; exit 65").await,
        invalid("<>")
    );
}

#[tokio::test]
async fn a_flood_of_words_is_cut() {
    let Err(LoadError::Invalid { reason }) = ends(LONG, "head -c 5000000 /dev/zero | tr '\\0' x >&2; exit 65").await
    else {
        panic!("it was not refused")
    };
    assert_eq!(reason.len(), 16 * 1024);
}

#[test]
fn the_words_for_flavours_come_back() {
    for flavour in Flavour::ALL.iter().copied() {
        assert_eq!(Flavour::parse(flavour.word()), Some(flavour));
    }
    assert_eq!(Flavour::parse("--help"), None);
}
