//! `cargo pack`: builds the component and puts it beside `extension.toml`.
//!
//! It needs the target `wasm32-unknown-unknown`, and the linker `wasm-component-ld` that comes with every Rust since 1.82, which makes
//! a component of what the compiler gives it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, iter};

/// The crate, as its file is called.
const MODULE: &str = "{{module}}.wasm";
/// What `extension.toml` calls the component.
const COMPONENT: &str = "{{id}}.wasm";
/// Makes a component of what the compiler gives it.
const LINKER: &str = "wasm-component-ld";
const TARGET: &str = "wasm32-unknown-unknown";
/// Where Debian's package `rustc-web` puts its compiler, which can build for the target where rustup has nothing for it.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const NO_TARGET: &str = "this Rust cannot build for wasm32-unknown-unknown yet. Call `rustup target add wasm32-unknown-unknown`, and again.";

fn main() -> ExitCode {
    match pack() {
        Ok(component) => {
            println!("{}", component.display());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn pack() -> Result<PathBuf, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let sysroot = sysroot(&rustc).ok_or("`rustc` cannot be started; install Rust from https://rustup.rs")?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(&root)
        .args(["build", "--release", "--lib", "--target", TARGET]);
    let tools = linkers(&sysroot, &rustc)?;
    cargo.env(
        "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER",
        tools.join(LINKER).with_extension(env::consts::EXE_EXTENSION),
    );
    // It calls the linker of core modules, which lies in a folder below it.
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(iter::once(tools.join("gcc-ld")).chain(env::split_paths(&path)));
    cargo.env("PATH", path.map_err(|error| error.to_string())?);
    if !sysroot.join("lib/rustlib").join(TARGET).join("lib").is_dir() {
        let debian = self::sysroot(DEBIAN_RUSTC).filter(|root| root.join("lib/rustlib/src/rust").is_dir());
        debian.ok_or(NO_TARGET)?;
        cargo.args(["-Z", "build-std=std,panic_abort"]);
        cargo.env("RUSTC", DEBIAN_RUSTC).env("RUSTC_BOOTSTRAP", "1");
    }
    let status = cargo
        .status()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !status.success() {
        return Err("the component was not built".to_owned());
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let built = target.join(TARGET).join("release").join(MODULE);
    let component = root.join(COMPONENT);
    std::fs::copy(&built, &component).map_err(|error| format!("{} cannot be copied: {error}", built.display()))?;
    component.canonicalize().map_err(|error| error.to_string())
}

fn sysroot(rustc: &str) -> Option<PathBuf> {
    let output = Command::new(rustc).args(["--print", "sysroot"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(text.trim()))
}

/// The folder of the linkers that come with the compiler.
fn linkers(sysroot: &Path, rustc: &str) -> Result<PathBuf, String> {
    let output = Command::new(rustc)
        .arg("-vV")
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .ok_or("`rustc -vV` names no host")?;
    let folder = sysroot.join("lib/rustlib").join(host).join("bin");
    if folder.join(LINKER).with_extension(env::consts::EXE_EXTENSION).is_file() {
        Ok(folder)
    } else {
        Err(format!(
            "{LINKER} is missing in {}; call `rustup update stable`, and again",
            folder.display()
        ))
    }
}
