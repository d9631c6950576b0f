//! Which crate may use which: every edge between our crates is one that its manifest allows, and the crates that decide have nothing
//! below them that could look at a clock, a disk, a network or a guest.
//!
//! It reads what cargo has resolved, not the manifests' text, so that a dependency cannot come in by a side door.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::host;

/// Crates whose whole tree must be free of effects.
const PURE: [&str; 3] = ["innkeeper-protocol", "innkeeper-policy", "innkeeper-agent"];

/// Packages that reach outside, by name or by the beginning of the name.
const EFFECTS: [&str; 8] = [
    "tokio",
    "reqwest",
    "wasmtime",
    "cap-",
    "time",
    "chrono",
    "jiff",
    "getrandom",
];

/// What every crate may use for its tests.
const FOR_TESTS: &str = "innkeeper-testkit";

/// The resolved workspace.
struct Workspace {
    /// Packages by id.
    packages: BTreeMap<String, Package>,
}

struct Package {
    name: String,
    /// Where its manifest lies, if it is one of ours.
    folder: Option<String>,
    may: Option<Vec<String>>,
    edges: Vec<Edge>,
}

struct Edge {
    to: String,
    is_normal: bool,
    is_only_for_tests: bool,
}

impl Workspace {
    fn read() -> Self {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--offline", "--locked", "--format-version", "1"])
            .current_dir(host::repository())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
        let root = host::repository();
        let mut packages: BTreeMap<String, Package> = list(&metadata["packages"])
            .map(|package| (text(&package["id"]), package_of(package, root.to_str().unwrap())))
            .collect();
        for node in list(&metadata["resolve"]["nodes"]) {
            packages.get_mut(&text(&node["id"])).unwrap().edges = list(&node["deps"]).map(edge_of).collect();
        }
        Self { packages }
    }

    fn ours(&self) -> impl Iterator<Item = &Package> {
        self.packages.values().filter(|package| package.folder.is_some())
    }

    /// Names of everything that a crate is built with, tests left out.
    fn tree(&self, name: &str) -> BTreeSet<&str> {
        let mut open: Vec<&Package> = self.ours().filter(|package| package.name == name).collect();
        let mut seen = BTreeSet::new();
        while let Some(package) = open.pop() {
            for edge in package.edges.iter().filter(|edge| edge.is_normal) {
                let to = &self.packages[&edge.to];
                if seen.insert(to.name.as_str()) {
                    open.push(to);
                }
            }
        }
        seen
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn package_of(package: &Value, root: &str) -> Package {
    let manifest = text(&package["manifest_path"]);
    let folder = manifest.strip_prefix(root).filter(|_| package["source"].is_null());
    let may = package["metadata"]["layer"]["may"].as_array();
    Package {
        name: text(&package["name"]),
        folder: folder.map(|path| path.trim_start_matches('/').trim_end_matches("/Cargo.toml").to_owned()),
        may: may.map(|may| may.iter().map(text).collect()),
        edges: Vec::new(),
    }
}

fn edge_of(edge: &Value) -> Edge {
    let kinds: Vec<&Value> = list(&edge["dep_kinds"]).map(|kind| &kind["kind"]).collect();
    Edge {
        to: text(&edge["pkg"]),
        is_normal: kinds.iter().any(|kind| kind.is_null()),
        is_only_for_tests: kinds.iter().all(|kind| *kind == "dev"),
    }
}

/// Edges that a manifest does not allow, as `from -> to`.
fn forbidden(workspace: &Workspace) -> Vec<String> {
    let mut forbidden = Vec::new();
    for package in workspace.ours() {
        let may = package
            .may
            .as_ref()
            .unwrap_or_else(|| panic!("{} has no [package.metadata.layer]", package.name));
        for edge in &package.edges {
            let to = &workspace.packages[&edge.to];
            let is_free = to.folder.is_none() || (edge.is_only_for_tests && to.name == FOR_TESTS);
            if !is_free && !may.contains(&to.name) {
                forbidden.push(format!("{} -> {}", package.name, to.name));
            }
        }
    }
    forbidden
}

fn effects_in<'a>(tree: &BTreeSet<&'a str>) -> Vec<&'a str> {
    let has_effects = |name: &&str| {
        EFFECTS.iter().any(|effect| {
            *name == *effect
                || name
                    .strip_prefix(effect)
                    .is_some_and(|rest| effect.ends_with('-') || rest.starts_with('-'))
        })
    };
    tree.iter().copied().filter(has_effects).collect()
}

#[test]
fn every_edge_between_our_crates_is_allowed() {
    assert_eq!(forbidden(&Workspace::read()), Vec::<String>::new());
}

#[test]
fn an_edge_that_is_not_allowed_is_found() {
    let mut workspace = Workspace::read();
    let sandbox = workspace
        .packages
        .values_mut()
        .find(|package| package.name == "innkeeper-sandbox")
        .unwrap();
    sandbox.may = Some(Vec::new());
    assert_eq!(forbidden(&workspace), ["innkeeper-sandbox -> innkeeper-protocol"]);
}

#[test]
fn no_folder_of_the_runtime_is_left_out() {
    let workspace = Workspace::read();
    let seen: BTreeSet<String> = workspace
        .ours()
        .filter_map(|package| package.folder.as_deref()?.strip_prefix("runtime/").map(str::to_owned))
        .collect();
    let there: BTreeSet<String> = std::fs::read_dir(host::repository().join("runtime"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(seen, there);
}

#[test]
fn the_crates_that_decide_reach_nothing_outside() {
    let workspace = Workspace::read();
    for name in PURE {
        let tree = workspace.tree(name);
        assert!(tree.contains("serde"), "{name}: the tree was not read");
        assert_eq!(effects_in(&tree), Vec::<&str>::new(), "below {name}");
    }
}

#[test]
fn effects_below_a_crate_are_found() {
    let workspace = Workspace::read();
    let found = effects_in(&workspace.tree("innkeeper-capabilities"));
    assert!(found.contains(&"wasmtime") && found.contains(&"tokio"), "{found:?}");
}
