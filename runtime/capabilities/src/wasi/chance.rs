//! `wasi:random`: bytes from a generator whose seed the host draws and records, or a fixed seed for a tool that does not use
//! `innkeeper:random`.
//!
//! "Insecure" randomness is no different.

use innkeeper_protocol::call::RecordedDraw;
use innkeeper_sandbox::HostStop;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use wasmtime_wasi::p2::bindings::random::{insecure, insecure_seed, random};

use crate::host::View;
use crate::interface::Interface;

/// Most bytes of one request; a generator of a toolchain asks for some hundred to seed itself.
const MAX_BYTES: u64 = 64 * 1024;
/// Each draw of a seed is below this.
const WORD: u64 = 1 << 32;

impl random::Host for View<'_> {
    fn get_random_bytes(&mut self, len: u64) -> wasmtime::Result<Vec<u8>> {
        Ok(self.bytes(len)?)
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        Ok(self.number()?)
    }
}

impl insecure::Host for View<'_> {
    fn get_insecure_random_bytes(&mut self, len: u64) -> wasmtime::Result<Vec<u8>> {
        Ok(self.bytes(len)?)
    }

    fn get_insecure_random_u64(&mut self) -> wasmtime::Result<u64> {
        Ok(self.number()?)
    }
}

impl insecure_seed::Host for View<'_> {
    fn insecure_seed(&mut self) -> wasmtime::Result<(u64, u64)> {
        Ok((self.number()?, self.number()?))
    }
}

impl View<'_> {
    fn bytes(&mut self, len: u64) -> Result<Vec<u8>, HostStop> {
        self.meter.host_call(0)?;
        let len = usize::try_from(len.min(MAX_BYTES + 1)).unwrap_or_default();
        if len as u64 > MAX_BYTES {
            return Err(HostStop::Misuse(
                "wasi:random was asked for more than 65536 bytes at once",
            ));
        }
        let mut bytes = vec![0; len];
        self.generator().fill_bytes(&mut bytes);
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u64, HostStop> {
        self.meter.host_call(0)?;
        Ok(self.generator().next_u64())
    }

    fn generator(&mut self) -> &mut ChaCha20Rng {
        let seed = match self.wasi().generator {
            Some(_) => None,
            None => Some(self.seed()),
        };
        let generator = &mut self.wasi().generator;
        generator.get_or_insert_with(|| ChaCha20Rng::from_seed(seed.unwrap_or_default()))
    }

    /// Drawn and recorded like any other number where the tool may draw, and always the same one elsewhere.
    fn seed(&mut self) -> [u8; 32] {
        let mut seed = [0; 32];
        let randomness = match &mut self.host.randomness {
            Some(randomness) if self.host.armed.contains(&Interface::Random) => randomness,
            _ => return seed,
        };
        for word in seed.chunks_exact_mut(4) {
            let value = randomness.below(WORD);
            self.host.told.draws.push(RecordedDraw { bound: WORD, value });
            word.copy_from_slice(&u32::try_from(value).unwrap_or_default().to_le_bytes());
        }
        seed
    }
}
