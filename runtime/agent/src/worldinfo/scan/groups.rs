//! Inclusion groups: of the entries in one group only one is activated.
//!
//! An entry that claims precedence wins by its order; else chance decides by weight. Scoring by the number of keys found is not known.

use std::collections::{HashMap, HashSet};

use super::candidate::{Candidate, State};

/// What is left of the found entries, in their order. The losers of a group are dropped for good.
pub(super) fn settle(candidates: &mut [Candidate<'_>], found: Vec<usize>, seed: u64) -> Vec<usize> {
    let active = candidates.iter().filter(|candidate| candidate.state == State::Active);
    let taken: HashSet<&str> = active.flat_map(names).collect();
    let mut out: HashSet<usize> = HashSet::new();
    for (group, members) in groups_of(candidates, &found) {
        let members: Vec<usize> = members.into_iter().filter(|index| !out.contains(index)).collect();
        let winner = if taken.contains(group) {
            None
        } else {
            winner(candidates, &members, group, seed)
        };
        out.extend(members.into_iter().filter(|index| Some(*index) != winner));
    }
    for index in &out {
        if let Some(loser) = candidates.get_mut(*index) {
            loser.state = State::Dropped;
        }
    }
    found.into_iter().filter(|index| !out.contains(index)).collect()
}

fn names<'a>(candidate: &Candidate<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    candidate.entry.groups.iter().map(String::as_str)
}

/// The groups of the found entries with their members, in the order in which they turn up.
fn groups_of<'a>(candidates: &[Candidate<'a>], found: &[usize]) -> Vec<(&'a str, Vec<usize>)> {
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for index in found {
        for name in candidates.get(*index).into_iter().flat_map(names) {
            let place = *places.entry(name).or_insert_with(|| {
                groups.push((name, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, members)) = groups.get_mut(place) {
                members.push(*index);
            }
        }
    }
    groups
}

fn winner(candidates: &[Candidate<'_>], members: &[usize], group: &str, seed: u64) -> Option<usize> {
    let entries = || {
        members
            .iter()
            .filter_map(|index| Some((*index, candidates.get(*index)?)))
    };
    // The found entries come with the highest order first.
    if let Some((first, _)) = entries().find(|(_, candidate)| candidate.entry.group_override) {
        return Some(first);
    }
    let weight = |candidate: &Candidate<'_>| u64::from(candidate.entry.group_weight);
    let total: u64 = entries().map(|(_, candidate)| weight(candidate)).sum();
    let (first, drawn_for) = entries().next()?;
    if total == 0 {
        return Some(first);
    }
    let mut drawn = drawn_for.roll(seed, group) % total;
    for (index, candidate) in entries() {
        match drawn.checked_sub(weight(candidate)) {
            Some(rest) => drawn = rest,
            None => return Some(index),
        }
    }
    Some(first)
}
