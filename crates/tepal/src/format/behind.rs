//! The section after the body of a file: exceptions as a list (FORMAT.md, section 4.9) or as a
//! divider (section 4.10), or keys that were added beside a ribbon (section 4.11).

use alloc::vec::Vec;

use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

use crate::error::{Error, Result};
#[cfg(feature = "extras")]
use crate::kinds::divider::Divider;
use crate::kinds::{Behind, FilePart, Trailer};

/// Bytes that are written at a time.
const PIECE: usize = 1 << 16;

/// The list of hashes in the section; a filter has at most one.
fn list<'a>(part: &FilePart<'a>) -> &'a [u64] {
    if part.added.is_empty() { part.exceptions } else { part.added }
}

/// The length of the section in bytes.
pub(super) fn len(part: &FilePart<'_>) -> u64 {
    #[cfg(feature = "extras")]
    if let Some(divider) = part.divider {
        return 8 * (divider.words.len() as u64 + 4);
    }
    match list(part).len() as u64 {
        0 => 0,
        hashes => 8 * (hashes + 1),
    }
}

/// Calls `out` with the bytes of the section; `head` is the header. Nothing if there is no section.
pub(super) fn pieces<E>(
    part: &FilePart<'_>,
    head: &[u8],
    mut out: impl FnMut(&[u8]) -> core::result::Result<(), E>,
) -> core::result::Result<(), E> {
    if len(part) == 0 {
        return Ok(());
    }
    let (mut sum, mut piece) = (Xxh3::with_seed(seed(head)), Vec::with_capacity(PIECE));
    let mut put = |words: &[u64]| {
        words.chunks(PIECE / 8).try_for_each(|words| {
            piece.clear();
            words.iter().for_each(|word| piece.extend(word.to_le_bytes()));
            sum.update(&piece);
            out(&piece)
        })
    };
    put(list(part))?;
    #[cfg(feature = "extras")]
    if let Some(divider) = part.divider {
        put(&[divider.exceptions, divider.salt, divider.width])?;
        put(&divider.words)?;
    }
    out(&sum.digest().to_le_bytes())
}

/// Parses the section of a file that has one.
pub(super) fn decode(bytes: &[u8], what: Trailer, is_divided: bool, head: &[u8]) -> Result<Behind> {
    let (number, name) = (|bytes: &[u8]| u64::from_le_bytes(core::array::from_fn(|i| bytes[i])), what.name());
    let Some((written, sum)) =
        bytes.split_last_chunk::<8>().filter(|(written, _)| !written.is_empty() && written.len() % 8 == 0)
    else {
        return Err(Error::damaged(format_args!("{name} of {} bytes", bytes.len())));
    };
    if xxh3_64_with_seed(written, seed(head)) != number(sum) {
        return Err(Error::damaged(format_args!("the checksum of its {name} is not that of their bytes")));
    }
    let mut words = Vec::new();
    words
        .try_reserve_exact(written.len() / 8)
        .map_err(|_| Error::TooLarge { bytes: written.len() as u64 })?;
    words.extend(written.chunks_exact(8).map(number));
    #[cfg(not(feature = "extras"))]
    let _ = is_divided;
    #[cfg(feature = "extras")]
    if is_divided {
        let divider = Some(divider(words)?);
        return Ok(Behind { hashes: Vec::new(), divider });
    }
    if !words.windows(2).all(|pair| pair[0] < pair[1]) {
        return Err(Error::damaged(format_args!("its {name} do not ascend")));
    }
    Ok(Behind {
        hashes: words,
        #[cfg(feature = "extras")]
        divider: None,
    })
}

#[cfg(feature = "extras")]
fn divider(mut words: Vec<u64>) -> Result<Divider> {
    let damaged = || Error::damaged("its divider has another length than its bits have, or no exceptions");
    if words.len() < 4 {
        return Err(damaged());
    }
    let (exceptions, salt, width) = (words[0], words[1], words[2]);
    words.drain(..3);
    let bits = width.checked_mul(3).filter(|bits| *bits > 0 && exceptions > 0).ok_or_else(damaged)?;
    if bits.div_ceil(64) != words.len() as u64 {
        return Err(damaged());
    }
    let last = words[words.len() - 1];
    if bits % 64 > 0 && last >> (bits % 64) != 0 {
        return Err(Error::damaged("the padding of its divider is not zero"));
    }
    Ok(Divider { exceptions, salt, width, words })
}

/// The checksum of the header as a seed, so that the section belongs to this file only.
fn seed(head: &[u8]) -> u64 {
    u64::from_le_bytes(core::array::from_fn(|i| head[head.len() - 8 + i]))
}
