//! Entries as they should be, and entries of somebody else.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use tempfile::TempDir;

use super::*;
use crate::engine::{Flavour, GuestCode, Memories, compiling};

const NOW_MS: u64 = 2_000_000_000_000;

fn engine(memories: Memories) -> Engine {
    let config = compiling(Flavour::new(memories, GuestCode::Native)).unwrap();
    Engine::new(&config).unwrap()
}

struct Place {
    scratch: TempDir,
    engine: Engine,
    component: Sha256,
}

impl Place {
    /// A cache with one entry.
    fn new() -> Self {
        let place = Self {
            scratch: TempDir::new().unwrap(),
            engine: engine(Memories::Ample),
            component: Sha256::of(b"a component"),
        };
        place.put(&place.component, true);
        place
    }

    fn cache(&self) -> ArtefactCache {
        ArtefactCache::new(Some(self.folder()), 0)
    }

    fn folder(&self) -> PathBuf {
        self.scratch.path().join("cache")
    }

    fn key(&self) -> PathBuf {
        self.scratch.path().join("cache.key")
    }

    fn code(&self) -> Vec<u8> {
        let text = "(component (core module $m (func (export \"f\") (result i32) i32.const 7)))";
        self.engine
            .precompile_component(&wat::parse_str(text).unwrap())
            .unwrap()
    }

    fn put(&self, component: &Sha256, fits_pool: bool) {
        let cache = self.cache();
        let mut draft = cache.draft().unwrap();
        draft.write_all(&self.code()).unwrap();
        cache.keep(&self.engine, component, draft, fits_pool);
    }

    fn entry(&self) -> PathBuf {
        self.folder()
            .join(format!("{}.cwasm", label(&self.engine, &self.component).0))
    }

    fn is_found(&self) -> bool {
        self.cache().find(&self.engine, &self.component).is_some()
    }

    /// Whether the entry is still believed after somebody else wrote these bytes.
    fn is_found_with(&self, bytes: &[u8]) -> bool {
        std::fs::write(self.entry(), bytes).unwrap();
        self.is_found()
    }
}

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn an_entry_of_ours_is_found_and_loaded() {
    let place = Place::new();
    for fits_pool in [true, false] {
        place.put(&place.component, fits_pool);
        let entry = place.cache().find(&place.engine, &place.component).unwrap();
        assert_eq!(entry.fits_pool, fits_pool);
        entry.load(&place.engine).unwrap();
    }
    let modes = [place.folder(), place.entry(), place.key()]
        .map(|path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777);
    assert_eq!(modes, [0o700, 0o600, 0o600]);
}

#[test]
fn nothing_is_found_for_another_component_or_other_settings() {
    let place = Place::new();
    assert!(place.cache().find(&place.engine, &Sha256::of(b"another")).is_none());
    let small = engine(Memories::Small);
    assert!(place.cache().find(&small, &place.component).is_none());
}

#[test]
fn a_change_of_one_byte_anywhere_is_seen() {
    let place = Place::new();
    let good = std::fs::read(place.entry()).unwrap();
    let seal = good.len() - 41;
    let places = (0..good.len()).step_by(good.len() / 40).chain(seal..good.len());
    for at in places {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        assert!(!place.is_found_with(&bytes), "{at}");
    }
    assert!(place.is_found_with(&good));
}

#[test]
fn what_is_cut_off_or_goes_on_is_a_miss() {
    let place = Place::new();
    let good = std::fs::read(place.entry()).unwrap();
    for length in [0, 1, 40, 41, good.len() / 2, good.len() - 1] {
        assert!(!place.is_found_with(&good[..length]), "{length}");
    }
    assert!(!place.is_found_with(&[&good[..], b"x"].concat()));
}

#[test]
fn native_code_that_we_did_not_seal_is_a_miss() {
    let place = Place::new();
    assert!(!place.is_found_with(&place.code()), "an artefact without a seal");
    let foreign = Place::new();
    let sealed = std::fs::read(foreign.entry()).unwrap();
    assert!(!place.is_found_with(&sealed), "sealed with another key");
    let other = Sha256::of(b"another");
    place.put(&other, true);
    let moved = place.folder().join(format!("{}.cwasm", label(&place.engine, &other).0));
    assert!(
        !place.is_found_with(&std::fs::read(moved).unwrap()),
        "another component's, under this one's name"
    );
}

#[test]
fn a_link_is_not_followed() {
    let place = Place::new();
    let elsewhere = place.scratch.path().join("elsewhere");
    std::fs::rename(place.entry(), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, place.entry()).unwrap();
    assert!(!place.is_found());
    std::fs::remove_file(place.entry()).unwrap();
    std::fs::rename(&elsewhere, place.entry()).unwrap();
    assert!(place.is_found());
}

#[test]
fn a_folder_that_others_may_write_to_is_not_used() {
    let place = Place::new();
    mode(&place.folder(), 0o770);
    assert!(!place.is_found());
    place.put(&Sha256::of(b"more"), true);
    mode(&place.folder(), 0o700);
    assert!(place.is_found());
    assert_eq!(std::fs::read_dir(place.folder()).unwrap().count(), 1);
}

#[test]
fn a_key_that_others_could_see_is_replaced() {
    let place = Place::new();
    let key = std::fs::read(place.key()).unwrap();
    mode(&place.key(), 0o644);
    assert!(!place.is_found());
    let new = std::fs::read(place.key()).unwrap();
    assert_eq!((new.len(), new == key), (32, false));
    std::fs::write(place.key(), b"short").unwrap();
    assert!(!place.is_found());
    assert_eq!(std::fs::read(place.key()).unwrap().len(), 32);
}

#[test]
fn what_nobody_used_for_long_is_removed() {
    let place = Place::new();
    let made = |name: &str, days: u64, bytes: u64| {
        let file = File::create(place.folder().join(name)).unwrap();
        file.set_len(bytes).unwrap();
        let used = UNIX_EPOCH + Duration::from_millis(NOW_MS) - Duration::from_secs(days * 24 * 60 * 60);
        file.set_modified(used).unwrap();
    };
    std::fs::remove_file(place.entry()).unwrap();
    made("old.cwasm", 91, 1);
    made("draft-old", 1, 1);
    made("draft-new", 0, 1);
    // Holes: they take no room on the disk.
    made("large.cwasm", 3, 1 << 30);
    made("too-much.cwasm", 4, 1 << 30);
    made("small.cwasm", 2, 1);
    drop(ArtefactCache::new(Some(place.folder()), NOW_MS));
    let mut left: Vec<_> = std::fs::read_dir(place.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["draft-new", "large.cwasm", "small.cwasm"]);
}

#[test]
fn use_keeps_an_entry_young() {
    let place = Place::new();
    let file = File::options().append(true).open(place.entry()).unwrap();
    file.set_modified(UNIX_EPOCH).unwrap();
    assert!(place.is_found());
    assert!(file.metadata().unwrap().modified().unwrap() > UNIX_EPOCH);
}
