//! Gives the component a small stack, and memory to start with: growing memory costs more than a whole call.

fn main() {
    if std::env::var_os("CARGO_CFG_TARGET_FAMILY").is_some_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size=65536");
        println!("cargo::rustc-link-arg-cdylib=--initial-memory=524288");
    }
}
