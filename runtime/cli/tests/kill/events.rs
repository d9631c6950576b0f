//! Kills at the moments that everybody can see: right after an event was announced.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::checks::{announced, check};
use super::is_thorough;
use super::place::{Place, chat_of, long_script};

/// After which events of the run the program is killed: every so many of them.
const EVERY: usize = 13;

/// Kills the run once it has announced so many events, and gives what it said. It must still have been running then.
pub fn killed_after(place: &Place, events: usize) -> String {
    let mut child = place.run().stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while announced(&said).len() < events {
        assert_ne!(
            stdout.read_line(&mut said).unwrap(),
            0,
            "the run ended before event {events}"
        );
    }
    child.kill().unwrap();
    child.wait().unwrap();
    said
}

/// Kills after every so many events.
pub fn kill_at_events(whole: &Place, every: usize) {
    let output = Place::like(whole).run().output().unwrap();
    let total = announced(&String::from_utf8(output.stdout).unwrap()).len();
    assert!(total > 40, "the run is too short to say anything: {total} events");
    for events in (1..=total).step_by(every) {
        let place = Place::like(whole);
        let said = killed_after(&place, events);
        check(&place, &announced(&said));
    }
    eprintln!("killed at {} of {total} events", total.div_ceil(every));
}

#[test]
fn a_run_that_is_killed_at_any_event_leaves_nothing_half_done() {
    let whole = Place::new(&chat_of(8), &long_script());
    kill_at_events(&whole, if is_thorough() { 1 } else { EVERY });
}
