//! The machine's own clock and entropy: the one place where the library asks the system for them.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use innkeeper_protocol::digest::Sha256;
use innkeeper_protocol::port::{Clock, Entropy, Randomness};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

/// The system's clocks.
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    #[allow(
        clippy::disallowed_methods,
        reason = "this is the port that everything else takes the time from"
    )]
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[allow(
        clippy::disallowed_methods,
        reason = "this is the port that everything else takes the time from"
    )]
    fn wall_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn monotonic_micros(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// The system's entropy.
#[derive(Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn uuid_bytes(&self) -> [u8; 16] {
        let mut bytes = [0_u8; 16];
        // A system without entropy cannot give ids that collide with nothing; the time and the address space still differ.
        if getrandom::fill(&mut bytes).is_err() {
            let mix = Sha256::of(format!("{:?}{:p}", SystemClock::default().wall_ms(), &bytes).as_bytes());
            bytes
                .iter_mut()
                .zip(mix.as_str().bytes())
                .for_each(|(byte, mixed)| *byte = mixed);
        }
        bytes
    }

    fn seed(&self) -> u64 {
        self.uuid_bytes()
            .iter()
            .take(8)
            .fold(0, |seed, byte| (seed << 8) | u64::from(*byte))
    }
}

/// 32 hex characters of a version 4 UUID, as ids have them.
pub(crate) fn fresh_hex(entropy: &dyn Entropy) -> String {
    let [a, b, c, d, e, f, version, h, variant, rest @ ..] = entropy.uuid_bytes();
    let head = [a, b, c, d, e, f, (version & 0x0f) | 0x40, h, (variant & 0x3f) | 0x80];
    format!(
        "{}{}",
        innkeeper_protocol::digest::hex(&head),
        innkeeper_protocol::digest::hex(&rest)
    )
}

/// A version 4 UUID with its hyphens.
pub(crate) fn fresh_uuid(entropy: &dyn Entropy) -> String {
    let hex = fresh_hex(entropy);
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(
        "{}-{}-{}-{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 16),
        part(16, 20),
        part(20, 32)
    )
}

/// Random numbers that follow from a seed, the same on every machine and in every version.
pub(crate) struct SeededRandomness {
    numbers: ChaCha20Rng,
}

impl SeededRandomness {
    /// The numbers of one call: each call of a run has its own, so that calls do not disturb each other's.
    pub(crate) fn of_call(seed: u64, call: u64) -> Self {
        let mut key = [0_u8; 32];
        let digest = Sha256::of(format!("{seed}\n{call}").as_bytes());
        key.iter_mut()
            .zip(digest.as_str().bytes())
            .for_each(|(byte, hex)| *byte = hex);
        Self {
            numbers: ChaCha20Rng::from_seed(key),
        }
    }
}

impl Randomness for SeededRandomness {
    fn below(&mut self, bound: u64) -> u64 {
        let bound = bound.max(1);
        // Numbers above the last whole multiple of `bound` would favour the small ones.
        let limit = u64::MAX - u64::MAX % bound;
        loop {
            let number = self.numbers.next_u64();
            if number < limit {
                return number % bound;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_and_another_call_others() {
        let roll = |seed, call| {
            let mut numbers = SeededRandomness::of_call(seed, call);
            (0..8).map(|_| numbers.below(1_000_000)).collect::<Vec<_>>()
        };
        assert_eq!(roll(7, 1), roll(7, 1));
        assert_ne!(roll(7, 1), roll(7, 2));
        assert_ne!(roll(7, 1), roll(8, 1));
    }

    #[test]
    fn every_number_below_a_bound_comes_up() {
        let mut numbers = SeededRandomness::of_call(1, 1);
        let mut seen = [0_u32; 6];
        for _ in 0..6_000 {
            let index = usize::try_from(numbers.below(6)).unwrap();
            seen[index] += 1;
        }
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        assert_eq!(numbers.below(1), 0);
    }

    #[test]
    fn ids_look_like_version_4_uuids() {
        let uuid = fresh_uuid(&SystemEntropy);
        assert_eq!(uuid.len(), 36);
        assert_eq!(uuid.as_bytes()[14], b'4');
        assert!(b"89ab".contains(&uuid.as_bytes()[19]));
        assert_ne!(uuid, fresh_uuid(&SystemEntropy));
    }
}
