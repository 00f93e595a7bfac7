//! Checks the counts of delta-encoded values before the crate `parquet` makes room for them.
//!
//! DELTA_LENGTH_BYTE_ARRAY begins with the lengths of its values, and DELTA_BYTE_ARRAY with two
//! such lists. The crate reads each list whole, for the number of values that the list claims.

use ::parquet::basic::Encoding;

/// The most values in a page of these encodings. Writers end a page after 20,000 values or 1 MiB.
const MOST: u64 = 1 << 24;

/// Can values of this encoding be read, in a page that says it has `values` of them? `bytes` are
/// those after the levels.
pub fn check(encoding: Encoding, bytes: &[u8], values: u32) -> Option<()> {
    let most = MOST.min(values.into());
    match encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => list(bytes, most).map(drop),
        Encoding::DELTA_BYTE_ARRAY => list(bytes, most).and_then(|rest| list(rest, most)).map(drop),
        _ => Some(()),
    }
}

/// Skips a list of at most `most` numbers in DELTA_BINARY_PACKED; `None` if it is damaged.
fn list(bytes: &[u8], most: u64) -> Option<&[u8]> {
    let (block, bytes) = varint(bytes)?;
    let (miniblocks, bytes) = varint(bytes)?;
    let (values, bytes) = varint(bytes)?;
    let (_first, mut bytes) = varint(bytes)?;
    if values > most || miniblocks == 0 || block == 0 || block % 128 != 0 || block % miniblocks != 0 {
        return None;
    }
    let in_one = block / miniblocks;
    // The first value is in the header.
    let mut left = values.saturating_sub(1);
    while left > 0 {
        let (_least, rest) = varint(bytes)?;
        let (widths, mut rest) = rest.split_at_checked(usize::try_from(miniblocks).ok()?)?;
        for width in widths {
            if left == 0 {
                break;
            }
            let len = u64::from(*width).checked_mul(in_one)? / 8;
            // The last miniblock may be cut off after its last value.
            rest = rest.get(usize::try_from(len).ok()?..).unwrap_or_default();
            left = left.saturating_sub(in_one);
        }
        bytes = rest;
    }
    Some(bytes)
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0u64;
    for (i, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7F).checked_shl(7 * i as u32).unwrap_or(0);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[i + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_skipped_and_claims_refused() {
        // 128 in a block, 4 miniblocks, 3 values, the first is 1; least delta 0; 2 bits for each.
        let list = [&[0x80, 1, 4, 3, 2, 0, 2, 0, 0, 0][..], &[0; 8], b"rest"].concat();
        assert_eq!(super::list(&list, 3), Some(&b"rest"[..]));
        assert_eq!(super::list(&list, 2), None);
        assert_eq!(super::list(&list[..9], 3), None);
        assert_eq!(super::list(&[0x80, 1, 4, 1, 2, 9], 1), Some(&[9][..]));
        for bad in [&[0, 4, 3, 2][..], &[0x80, 1, 0, 3, 2], &[0x80, 1, 3, 3, 2], &[0xFF; 12], b""] {
            assert_eq!(super::list(bad, 9), None, "{bad:?}");
        }
        let claims = [&[0x80, 1, 4][..], &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], &[2, 0, 0, 0, 0, 0]].concat();
        for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
            assert_eq!(check(encoding, &claims, u32::MAX), None);
        }
        let second = [&[0x80, 1, 4, 1, 2][..], &claims].concat();
        assert_eq!(check(Encoding::DELTA_BYTE_ARRAY, &second, u32::MAX), None);
        assert_eq!(check(Encoding::PLAIN, &claims, 1), Some(()));
    }
}
