//! Finds a compiler for `wasm32-unknown-unknown` and calls cargo with it.
//!
//! It installs nothing and asks no network: a build must not change the machine it runs on.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail, ensure};

use crate::families::Family;

const TARGET: &str = "wasm32-unknown-unknown";
/// Where Debian's `rustc-web` puts its compiler.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
/// Separates flags in `CARGO_ENCODED_RUSTFLAGS`, which unlike `RUSTFLAGS` survives spaces in paths.
const FLAG_SEPARATOR: char = '\u{1f}';

const NO_COMPILER: &str = "\
no compiler for wasm32-unknown-unknown is here. Install one of these and call again:
  rustup target add wasm32-unknown-unknown
  apt-get update && apt-get install -y rustc-web rust-web-src libstd-rust-web-dev binaryen";

/// A compiler that can build guests.
pub(crate) struct Compiler {
    rustc: PathBuf,
    sysroot: PathBuf,
    /// Its `rustc --version`, which decides whether bytes can be compared.
    pub(crate) version: String,
    /// The linker for a compiler that comes without the target's standard library, which is then built too.
    build_std: Option<PathBuf>,
}

impl Compiler {
    /// The first compiler that is there: the active toolchain with the target, else Debian's `rustc-web`.
    pub(crate) fn find() -> anyhow::Result<Self> {
        let active = env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
        let active_sysroot = sysroot(&active)?;
        if active_sysroot.join("lib/rustlib").join(TARGET).join("lib").is_dir() {
            return Self::new(active, active_sysroot, None);
        }
        let debian = PathBuf::from(DEBIAN_RUSTC);
        let Ok(debian_sysroot) = sysroot(&debian) else {
            bail!(NO_COMPILER);
        };
        let linker = linker(&active_sysroot)?;
        if !library_source(&debian_sysroot).is_dir() || !linker.is_file() {
            bail!(NO_COMPILER);
        }
        Self::new(debian, debian_sysroot, Some(linker))
    }

    fn new(rustc: PathBuf, sysroot: PathBuf, build_std: Option<PathBuf>) -> anyhow::Result<Self> {
        let version = output(Command::new(&rustc).arg("--version"))?;
        Ok(Self {
            rustc,
            sysroot,
            version,
            build_std,
        })
    }

    /// Builds all families in one call, so that std and what they share is built once and the same way every
    /// time. Returns the folder of the modules.
    pub(crate) fn build(&self, root: &Path, families: &[Family]) -> anyhow::Result<PathBuf> {
        let target_folder = root.join("plugins/target");
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .current_dir(root.join("plugins"))
            .args(["build", "--release", "--locked", "--target", TARGET])
            .env("CARGO_TARGET_DIR", &target_folder)
            .env("CARGO_ENCODED_RUSTFLAGS", self.flags(root)?)
            .env_remove("RUSTFLAGS")
            .env("RUSTC", &self.rustc);
        for family in families {
            cargo.args(["--package", &family.package]);
        }
        if let Some(linker) = &self.build_std {
            cargo
                .args(["-Z", "build-std=std,panic_abort"])
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        let status = cargo.status().context("cargo could not be started")?;
        ensure!(status.success(), "the guests did not compile ({status})");
        Ok(target_folder.join(TARGET).join("release"))
    }

    /// Takes the machine's paths out of the bytes, so that any folder gives the same component.
    fn flags(&self, root: &Path) -> anyhow::Result<OsString> {
        let source = library_source(&self.sysroot);
        let mut mappings = vec![
            (root.to_path_buf(), "/innkeeper"),
            (cargo_home()?, "/cargo"),
            (source.clone(), "/rust"),
        ];
        if let Ok(real) = source.canonicalize() {
            mappings.push((real, "/rust"));
        }
        let mut flags = OsString::new();
        for (from, to) in mappings {
            if !flags.is_empty() {
                flags.push(FLAG_SEPARATOR.to_string());
            }
            flags.push("--remap-path-prefix=");
            flags.push(from);
            flags.push("=");
            flags.push(to);
        }
        Ok(flags)
    }
}

/// `wasm-opt --version`, or what to install.
pub(crate) fn optimiser_version() -> anyhow::Result<String> {
    output(Command::new("wasm-opt").arg("--version"))
        .context("wasm-opt is needed to build components: apt-get install -y binaryen")
}

fn sysroot(rustc: &Path) -> anyhow::Result<PathBuf> {
    output(Command::new(rustc).args(["--print", "sysroot"])).map(PathBuf::from)
}

fn library_source(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib/src/rust")
}

/// The `rust-lld` that comes with the active toolchain.
fn linker(sysroot: &Path) -> anyhow::Result<PathBuf> {
    let verbose = output(Command::new("rustc").arg("-vV"))?;
    let host = verbose
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("`rustc -vV` names no host")?;
    Ok(sysroot.join("lib/rustlib").join(host).join("bin/rust-lld"))
}

fn cargo_home() -> anyhow::Result<PathBuf> {
    if let Some(home) = env::var_os("CARGO_HOME") {
        return Ok(home.into());
    }
    let home = env::home_dir().context("no home folder, so no cargo home either")?;
    Ok(home.join(".cargo"))
}

/// The trimmed standard output of a command that must succeed.
fn output(command: &mut Command) -> anyhow::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("{name} could not be started"))?;
    ensure!(output.status.success(), "{name} failed ({})", output.status);
    let text = String::from_utf8(output.stdout).with_context(|| format!("{name} wrote no text"))?;
    Ok(text.trim().to_owned())
}
