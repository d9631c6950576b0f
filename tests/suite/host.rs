//! One host for all tests that need no data root, and where compiled components are kept between test processes.
//!
//! Tests that drive runs build hosts of their own over temporary data roots; see `run`.

use std::path::PathBuf;

use innkeeper::{Builder, Compiler, Innkeeper};
use tokio::sync::OnceCell;

static HOST: OnceCell<Innkeeper> = OnceCell::const_new();

/// The shared host: it lists and calls tools, nothing else.
pub async fn shared() -> &'static Innkeeper {
    HOST.get_or_init(|| async { builder().build().await.expect("the host must start") })
        .await
}

/// A builder that finds the built-in components compiled, unless they or the engine have changed.
pub fn builder() -> Builder {
    Innkeeper::builder().cache_dir(cache()).compiler(compiler())
}

/// What compiles the guests: a process of its own for each.
pub fn compiler() -> Compiler {
    Compiler::Child {
        program: PathBuf::from(env!("CARGO_BIN_EXE_compile-guests")),
        arguments: Vec::new(),
    }
}

/// Where compiled components are kept between test processes.
pub fn cache() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compiled-components");
    std::fs::create_dir_all(&folder).expect("the cache folder must be there");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).expect("the cache must be private");
    }
    folder
}

/// The folder of this package.
pub fn package() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of the whole repository.
pub fn repository() -> PathBuf {
    package()
        .parent()
        .expect("the package lies in the repository")
        .to_path_buf()
}
