//! The files of a new package: those of the language, those that every package has, and the contract that it is built against.
//!
//! The contract and the Rust SDK are the repository's own files, so a new package can never be behind them. A package needs nothing of
//! ours from the network.

use crate::args::Language;

/// One file of a new package.
pub(super) struct File {
    /// Relative to the package, with `/`.
    pub(super) path: String,
    pub(super) text: String,
    /// Whether names are still to be filled in.
    pub(super) has_blanks: bool,
}

/// Pairs of a path in the package and a template's text.
macro_rules! templates {
    ($($path:literal = $from:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../templates/", $from)))),*]
    };
}

/// Pairs of a path below the SDK's folder and its text.
macro_rules! sdk {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../../plugins/author/", $path)))),*]
    };
}

/// Pairs of a package of the contract and its text.
macro_rules! contract {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../../wit/", $name, "/", $name, ".wit")))),*]
    };
}

type Texts = &'static [(&'static str, &'static str)];

const SHARED: Texts = templates! {
    "extension.toml" = "shared/extension.toml",
    "cases/pick.toml" = "shared/pick.toml",
    "cases/refused.toml" = "shared/refused.toml",
};

const RUST: Texts = templates! {
    "README.md" = "rust/README.md",
    ".gitignore" = "rust/gitignore",
    ".cargo/config.toml" = "rust/cargo/config.toml",
    "Cargo.toml" = "rust/Cargo.toml",
    "build.rs" = "rust/build.rs",
    "src/lib.rs" = "rust/src/lib.rs",
    "src/pick.md" = "rust/src/pick.md",
    "pack/Cargo.toml" = "rust/pack/Cargo.toml",
    "pack/src/main.rs" = "rust/pack/src/main.rs",
};

const JS: Texts = templates! {
    "README.md" = "js/README.md",
    ".gitignore" = "js/gitignore",
    "package.json" = "js/package.json",
    "src/tool.js" = "js/src/tool.js",
    "src/innkeeper.js" = "js/src/innkeeper.js",
    "wit/world.wit" = "shared/world.wit",
};

const PYTHON: Texts = templates! {
    "README.md" = "python/README.md",
    ".gitignore" = "python/gitignore",
    "requirements.txt" = "python/requirements.txt",
    "build.py" = "python/build.py",
    "src/app.py" = "python/src/app.py",
    "src/innkeeper.py" = "python/src/innkeeper.py",
    "wit/world.wit" = "shared/world.wit",
};

const SDK_MANIFEST: &str = include_str!("../../../../../plugins/author/Cargo.toml");
/// From here on the manifest speaks of the repository.
const SDK_MANIFEST_END: &str = "\n# A workspace of its own";

const SDK: Texts = sdk! {
    "src/lib.rs",
    "src/arguments.rs",
    "src/guest.rs",
    "src/host.rs",
    "src/host/chat.rs",
    "src/host/clock.rs",
    "src/host/http.rs",
    "src/host/log.rs",
    "src/host/random.rs",
    "src/host/worldinfo.rs",
    "src/host/workspace.rs",
    "src/reply.rs",
    "src/testing.rs",
    "src/testing/files.rs",
    "src/testing/tests.rs",
    "src/testing/world.rs",
    "src/tool.rs",
};

const CONTRACT: Texts = contract![
    "tool",
    "chat",
    "clock",
    "http",
    "log",
    "random",
    "skills",
    "workspace",
    "worldinfo"
];

/// Every file of a new package in that language.
pub(super) fn files(language: Language) -> Vec<File> {
    let own = match language {
        Language::Rust => RUST,
        Language::Js => JS,
        Language::Python => PYTHON,
    };
    let blank = |(path, text): &(&str, &str)| File {
        path: (*path).to_owned(),
        text: (*text).to_owned(),
        has_blanks: true,
    };
    let mut files: Vec<File> = SHARED.iter().chain(own).map(blank).collect();
    let contract = CONTRACT.iter();
    match language {
        // The folders lie where the SDK looks for them in the repository too.
        Language::Rust => {
            files.extend(contract.map(|(name, text)| whole(format!("wit/{name}/{name}.wit"), text)));
            files.extend(
                SDK.iter()
                    .map(|(path, text)| whole(format!("sdk/innkeeper/{path}"), text)),
            );
            let (manifest, _) = SDK_MANIFEST.split_once(SDK_MANIFEST_END).unwrap_or((SDK_MANIFEST, ""));
            files.push(whole("sdk/innkeeper/Cargo.toml".to_owned(), manifest));
        }
        // Where the Component Model's tools look for the packages that a world names.
        Language::Js | Language::Python => {
            files.extend(contract.map(|(name, text)| whole(format!("wit/deps/innkeeper-{name}/{name}.wit"), text)));
        }
    }
    files
}

fn whole(path: String, text: &str) -> File {
    File {
        path,
        text: text.to_owned(),
        has_blanks: false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// Files below a folder of the repository, relative to it.
    fn below(folder: &str) -> BTreeSet<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
        let mut open = vec![root.clone()];
        let mut found = BTreeSet::new();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.insert(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        found
    }

    #[test]
    fn the_sdk_is_whole() {
        let given: BTreeSet<String> = SDK
            .iter()
            .map(|(path, _)| path.trim_start_matches("src/").to_owned())
            .collect();
        assert_eq!(given, below("plugins/author/src"));
    }

    #[test]
    fn the_sdks_manifest_leaves_the_workspace_to_the_package() {
        let files = files(Language::Rust);
        let manifest = files
            .iter()
            .find(|file| file.path == "sdk/innkeeper/Cargo.toml")
            .unwrap();
        assert!(
            manifest.text.contains("[dependencies]") && !manifest.text.contains("[workspace]"),
            "{}",
            manifest.text
        );
    }

    #[test]
    fn no_template_is_forgotten() {
        let used = [SHARED, RUST, JS, PYTHON]
            .iter()
            .map(|texts| texts.len())
            .sum::<usize>();
        // The world is given to two languages.
        assert_eq!(used - 1, below("runtime/cli/templates").len());
    }
}
