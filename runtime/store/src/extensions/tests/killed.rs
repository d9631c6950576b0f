//! A process that is killed at any moment of a change leaves the old state or the new one.

use super::*;

/// The moments of a change, as it passes them.
fn moments(place: &Place, change: &Replacement<'_>) -> usize {
    let mut count = 0;
    let counted = place.folder.replace_watched(change, &mut |_| {
        count += 1;
        Ok(())
    });
    counted.unwrap();
    count
}

/// Does the change and is killed at the moment with this number.
fn killed_at(place: &Place, change: &Replacement<'_>, moment: usize) {
    let mut passed = 0;
    let _ = place.folder.replace_watched(change, &mut |_| {
        passed += 1;
        if passed > moment {
            return Err(io::Error::other("killed"));
        }
        Ok(())
    });
}

/// That the extension is one of these, whole, and that nothing else lies about once it was swept. Says which.
fn check(place: &Place, states: &[Option<&Package>]) -> usize {
    let lock = place.folder.read().unwrap();
    let now = lock.extensions.get(&mood());
    let found = states
        .iter()
        .position(|state| state.map(|package| &package.installed) == now);
    let found = found.unwrap_or_else(|| panic!("neither old nor new: {lock:?}"));
    place.folder.sweep();
    match states[found] {
        None => assert!(
            place
                .files()
                .keys()
                .all(|name| name == LOCK_FILE || !lock_exists(place)),
            "{:?}",
            place.files().keys()
        ),
        Some(package) => {
            let opened = place.folder.open(&mood(), &package.installed.active).unwrap();
            assert_eq!(opened, package.opened());
            assert_eq!(place.files().len(), 4, "{:?}", place.files().keys());
        }
    }
    found
}

/// Without a lock file packages are not swept: somebody may have lost it.
fn lock_exists(place: &Place) -> bool {
    place.folder.lock_path().exists()
}

#[test]
fn a_first_installation() {
    let package = Package::new("1.0.0", &["chat"]);
    let change = package.replacing(None);
    let count = moments(&Place::new(), &change);
    let found: Vec<usize> = (0..=count)
        .map(|moment| {
            let place = Place::new();
            killed_at(&place, &change, moment);
            let found = check(&place, &[None, Some(&package)]);
            // The next one works, whatever was left.
            place.install(&package);
            check(&place, &[Some(&package)]);
            found
        })
        .collect();
    assert_eq!((found[0], found[count]), (0, 1));
    assert!(found.is_sorted(), "{found:?}");
}

#[test]
fn an_update_keeps_the_old_version_and_its_grants_or_is_there_whole() {
    let (old, new) = (Package::new("1.0.0", &["chat"]), Package::new("1.1.0", &["chat"]));
    let prepared = || {
        let place = Place::new();
        place.install(&old);
        place
    };
    let change = new.replacing(Some(&old.installed));
    let count = moments(&prepared(), &change);
    let found: Vec<usize> = (0..=count)
        .map(|moment| {
            let place = prepared();
            killed_at(&place, &change, moment);
            check(&place, &[Some(&old), Some(&new)])
        })
        .collect();
    assert_eq!((found[0], found[count]), (0, 1));
    assert!(found.is_sorted(), "{found:?}");
}

#[test]
fn installing_the_same_again_is_harmless_at_every_moment() {
    let package = Package::new("1.0.0", &["chat"]);
    for moment in 0..=5 {
        let place = Place::new();
        place.install(&package);
        killed_at(&place, &package.replacing(Some(&package.installed)), moment);
        check(&place, &[Some(&package)]);
    }
}

#[test]
fn a_removal() {
    let package = Package::new("1.0.0", &["chat"]);
    let change = Replacement {
        id: &package.id,
        expected: Some(&package.installed),
        new: None,
        files: None,
    };
    for moment in 0..=3 {
        let place = Place::new();
        place.install(&package);
        killed_at(&place, &change, moment);
        check(&place, &[Some(&package), None]);
    }
}

#[test]
fn an_error_of_the_disk_leaves_nothing_lying_about() {
    let place = Place::new();
    let package = Package::new("1.0.0", &["chat"]);
    place.install(&package);
    let before = place.files();
    // A file in the place of the folder of another extension.
    std::fs::write(place.folder.path().join("other"), "x").unwrap();
    let other = Package {
        id: ExtensionId::parse("other").unwrap(),
        ..Package::new("2.0.0", &[])
    };
    let error = place.folder.replace(&other.replacing(None)).unwrap_err();
    assert_eq!(error.code(), "store.extensions_write_failed");
    std::fs::remove_file(place.folder.path().join("other")).unwrap();
    assert_eq!(place.files(), before);
}
