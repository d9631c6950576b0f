//! Reading packages: what belongs to one, and what refuses it as a whole.

use super::*;

fn package() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(MANIFEST, "id");
    write("build/mood.wasm", "component");
    write("README.md", "read me");
    write("cases/one.toml", "one");
    write("cases/notes.txt", "no case");
    write("src/lib.rs", "fn main() {}");
    folder
}

fn refusal(folder: &TempDir) -> String {
    let source = PackageSource::open(folder.path()).unwrap();
    let error = source.documents().unwrap_err();
    assert_eq!(error.code(), "extension.package_invalid");
    error.to_string().replace(folder.path().to_str().unwrap(), "DIR")
}

#[test]
fn cases_and_texts_belong_to_a_package_and_sources_do_not() {
    let folder = package();
    let source = PackageSource::open(folder.path()).unwrap();
    let expected = Documents {
        files: vec![
            (path("README.md"), b"read me".to_vec()),
            (path("cases/one.toml"), b"one".to_vec()),
        ],
        left_out: ["build", "cases/notes.txt", MANIFEST, "src"]
            .map(str::to_owned)
            .to_vec(),
    };
    assert_eq!(source.documents().unwrap(), expected);
    assert_eq!(source.read("build/mood.wasm", 100).unwrap(), b"component");
}

#[test]
fn names_that_lead_elsewhere_are_refused_before_the_disk_is_asked() {
    let folder = package();
    let source = PackageSource::open(folder.path()).unwrap();
    for name in [
        "../x",
        "/etc/passwd",
        "C:\\x",
        "build/../../x",
        "a\\b",
        "./build/mood.wasm",
        "con",
        "a:b",
        "",
    ] {
        let error = source.read(name, 100).unwrap_err();
        assert!(matches!(error, PackageError::Name { .. }), "{name}: {error}");
    }
    let error = source.read("build/mood.wasm", 3).unwrap_err().to_string();
    assert!(error.ends_with("build/mood.wasm has more than 3 bytes"), "{error}");
    assert!(matches!(
        source.read("build", 100),
        Err(PackageError::NotRegular { .. })
    ));
    assert!(matches!(source.read("no.wasm", 100), Err(PackageError::Missing { .. })));
}

#[cfg(unix)]
#[test]
fn a_link_anywhere_refuses_the_whole() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "s").unwrap();
    let link = |name: &str, to: &std::path::Path| {
        let folder = package();
        std::os::unix::fs::symlink(to, folder.path().join(name)).unwrap();
        folder
    };
    let secret = outside.path().join("secret");
    assert_eq!(
        refusal(&link("extra", &secret)),
        "DIR/extra is a link; a package holds regular files only"
    );
    assert_eq!(
        refusal(&link("cases/two.toml", &secret)),
        "DIR/cases/two.toml is a link; a package holds regular files only"
    );
    let folder = link("out", outside.path());
    let source = PackageSource::open(folder.path()).unwrap();
    let error = source.read("out/secret", 100).unwrap_err();
    assert!(
        matches!(error, PackageError::NotRegular { found: "a link", .. }),
        "{error}"
    );
}

#[test]
fn what_is_too_much_is_refused() {
    let folder = package();
    std::fs::write(folder.path().join("README.txt"), vec![b'x'; 2 * 1024 * 1024]).unwrap();
    assert_eq!(refusal(&folder), "DIR/README.txt has more than 1048576 bytes");
    let folder = package();
    for number in 0..1_001 {
        std::fs::write(folder.path().join(format!("cases/{number}.toml")), "").unwrap();
    }
    assert_eq!(refusal(&folder), "DIR/cases has more than 1000 entries");
}

#[test]
fn names_that_some_disks_take_for_one_do_not_fit_into_one_package() {
    let mut files = PackageFiles::default();
    files.add(path("README.md"), Vec::new()).unwrap();
    let error = files.add(path("readme.MD"), Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "README.md and readme.MD are one name on some disks");
}

#[test]
fn the_digest_tells_names_and_contents_apart() {
    let digest = |list: &[(&str, &str)]| {
        let mut files = PackageFiles::default();
        for (name, text) in list {
            files.add(path(name), text.as_bytes().to_vec()).unwrap();
        }
        files.digest()
    };
    let whole = digest(&[("a", "1"), ("b", "2")]);
    assert_eq!(whole, digest(&[("b", "2"), ("a", "1")]));
    for other in [
        digest(&[("a", "2"), ("b", "1")]),
        digest(&[("a", "1")]),
        digest(&[("a", "1"), ("c", "2")]),
    ] {
        assert_ne!(whole, other);
    }
}
