//! The seal at the end of an artefact: a keyed hash over what it is for, how it is to be loaded, and every byte of it.
//!
//! BLAKE3 with a key, because Python's artefacts are tens of megabytes and are checked at every start.

use std::fs::File;
use std::io::{Error, ErrorKind, Read as _, Result, Seek as _, SeekFrom, Write as _};

use innkeeper_protocol::digest::Sha256;

use crate::artefact::key::Key;

/// What an entry is for; its file's name.
pub(super) struct Label(pub(super) Sha256);

/// Says that a seal follows, and of which form.
const MARK: &[u8; 8] = b"innseal1";
/// Mark, a byte for where it fits, and the hash.
const SEAL_BYTES: u64 = 8 + 1 + 32;
/// Bytes that are read at once.
const CHUNK_BYTES: usize = 128 * 1024;
/// Bytes that have a hash of their own.
const SEGMENT_BYTES: u64 = 1024 * 1024;
/// How many segments are worth a thread.
const SEGMENTS_PER_THREAD: u64 = 4;
/// Threads that hash; memory is no faster for more.
const MAX_THREADS: u64 = 4;

/// Seals the code in the file.
pub(super) fn put(file: &mut File, key: &Key, label: &Label, fits_pool: bool) -> Result<()> {
    let code_bytes = file.metadata()?.len();
    let hash = hash(file, code_bytes, key, label, fits_pool)?;
    file.seek(SeekFrom::End(0))?;
    let mut seal = Vec::with_capacity(SEAL_BYTES as usize);
    seal.extend_from_slice(MARK);
    seal.push(u8::from(fits_pool));
    seal.extend_from_slice(hash.as_bytes());
    file.write_all(&seal)
}

/// Whether the code fits into the pool, if the seal is good.
pub(super) fn check(file: &File, key: &Key, label: &Label) -> Result<bool> {
    let bad = || Error::new(ErrorKind::InvalidData, "its seal is missing or wrong");
    let code_bytes = file.metadata()?.len().checked_sub(SEAL_BYTES).ok_or_else(bad)?;
    let (mut mark, mut fits_pool, mut found) = ([0; MARK.len()], [0], [0; 32]);
    let mut reader = file;
    reader.seek(SeekFrom::Start(code_bytes))?;
    reader.read_exact(&mut mark)?;
    reader.read_exact(&mut fits_pool)?;
    reader.read_exact(&mut found)?;
    let fits_pool = fits_pool == [1];
    // Comparing two hashes takes the same time wherever they differ.
    if mark == *MARK && hash(file, code_bytes, key, label, fits_pool)? == blake3::Hash::from_bytes(found) {
        Ok(fits_pool)
    } else {
        Err(bad())
    }
}

/// Hashes segment by segment, so that several threads can take their turns, and then what came out.
fn hash(file: &File, code_bytes: u64, key: &Key, label: &Label, fits_pool: bool) -> Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new_keyed(key.bytes());
    hasher.update(MARK).update(label.0.as_str().as_bytes());
    hasher.update(&[u8::from(fits_pool)]).update(&code_bytes.to_le_bytes());
    for segment in segments(file, code_bytes, key)? {
        hasher.update(segment.as_bytes());
    }
    Ok(hasher.finalize())
}

/// The hash of each segment, in order.
fn segments(file: &File, code_bytes: u64, key: &Key) -> Result<Vec<blake3::Hash>> {
    let count = code_bytes.div_ceil(SEGMENT_BYTES);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let threads = threads.min(MAX_THREADS).min(count.div_ceil(SEGMENTS_PER_THREAD)).max(1);
    let share = count.div_ceil(threads);
    let part = |n: u64| {
        let mut chunk = vec![0; CHUNK_BYTES];
        let numbers = n * share..((n + 1) * share).min(count);
        let hashes = numbers.map(|number| segment(file, number, code_bytes, key, &mut chunk));
        hashes.collect::<Result<Vec<_>>>()
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|n| scope.spawn(move || part(n))).collect();
        let mut all = part(0)?;
        for other in others {
            all.append(&mut other.join().map_err(|_| Error::other("a thread broke down"))??);
        }
        Ok(all)
    })
}

fn segment(file: &File, number: u64, code_bytes: u64, key: &Key, chunk: &mut [u8]) -> Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new_keyed(key.bytes());
    let start = number * SEGMENT_BYTES;
    let (mut at, end) = (start, (start + SEGMENT_BYTES).min(code_bytes));
    while at < end {
        let most = usize::try_from(end - at).unwrap_or(usize::MAX).min(chunk.len());
        let read = read_at(file, chunk.get_mut(..most).unwrap_or_default(), at)?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        hasher.update(chunk.get(..read).unwrap_or_default());
        at += read as u64;
    }
    Ok(hasher.finalize())
}

#[cfg(unix)]
fn read_at(file: &File, chunk: &mut [u8], at: u64) -> Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, chunk, at)
}

#[cfg(windows)]
fn read_at(file: &File, chunk: &mut [u8], at: u64) -> Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, chunk, at)
}
