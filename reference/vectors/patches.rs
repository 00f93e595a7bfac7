//! `patches.json`: section 6, small files, and the patches from one to another.

use std::ops::Range;

use crate::json::{Json, hex, list, object, plain};
use tepal_reference::filter::Filter;
use tepal_reference::hash::xxh3;
use tepal_reference::patch::{PATCH_MAGIC, apply, code_of, diff};
use tepal_reference::ribbon::{self, Ribbon};
use tepal_reference::table::number;
use tepal_reference::write::{body_offset, write};

const ABOUT: &str = "Patches (FORMAT.md section 6): `patch` makes the file `old` the file `new`, all in hexadecimal, and is what \
    a writer gives for the two. Of `refused` each is a patch that makes nothing of the `old` file of \
    the patch `of`, for the reason that is named; its checksum is right where the reason is another one.";

/// The patches from which the damaged patches are made: of form 2, of form 3, and of form 1.
const BITS: &str = "a few keys more";
const KEYS: &str = "added keys: some go, some come";
const BYTES: &str = "bytes, 5 bits in 10";

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let mut patches = Vec::new();
    let mut refused = Vec::new();
    for (name, old, new) in pairs()? {
        let patch = diff(&old, &new)?;
        if apply(&old, &patch)? != new {
            return Err(format!("{name}: the patch makes another file"));
        }
        let damaged = match name {
            BITS => damaged(&patch).into_iter().chain([uneven(&old, &new)]).collect(),
            BYTES => forged_bytes(&old),
            KEYS => damaged_keys(&patch),
            _ => Vec::new(),
        };
        for (why, changed) in damaged {
            if apply(&old, &changed).is_ok() {
                return Err(format!("{name}: {why}: not refused"));
            }
            refused.push(object([("of", plain(name)), ("reason", plain(why)), ("patch", hex(&changed))]));
        }
        patches.push(object([
            ("name", plain(name)),
            ("old", hex(&old)),
            ("new", hex(&new)),
            ("patch", hex(&patch)),
        ]));
    }
    Ok(object([("about", plain(ABOUT)), ("patches", list(patches)), ("refused", list(refused))]))
}

/// An old and a new file.
type Pair = (&'static str, Vec<u8>, Vec<u8>);

fn pairs() -> Result<Vec<Pair>, String> {
    let mut pairs = Vec::new();
    let filter = |keys: Range<u32>, layout, label: Option<&str>| {
        let (k, bit_len) = if layout == 3 { (8, 2048) } else { (5, 2048) };
        let mut filter = Filter::new(layout, 1, k, bit_len);
        filter.capacity = 200;
        filter.records.extend(label.map(|label| (1, label.to_string())));
        for n in keys {
            filter.insert(n.to_string().as_bytes())?;
        }
        Ok::<Filter, String>(filter)
    };
    let seal = b"a seal for testing";
    for (name, old, new, sealed) in [
        ("the same file", filter(0..100, 1, None)?, filter(0..100, 1, None)?, false),
        ("a key more", filter(0..100, 1, None)?, filter(0..101, 1, None)?, false),
        ("a few keys more", filter(0..100, 2, Some("old"))?, filter(0..110, 2, Some("old"))?, false),
        (
            "another list, a longer label",
            filter(0..100, 4, None)?,
            filter(100..200, 4, Some("another label"))?,
            false,
        ),
        ("from no key to many", filter(0..0, 3, None)?, filter(0..500, 3, None)?, false),
        ("from many keys to none", filter(0..2000, 1, None)?, filter(0..0, 1, None)?, false),
        ("sealed", filter(0..100, 1, None)?, filter(0..105, 1, None)?, true),
    ] {
        let key = if sealed { Some(&seal[..]) } else { None };
        pairs.push((name, write(&old, key)?, write(&new, key)?));
    }
    // Bytes of another program, with other densities of set bits.
    let noise = |len: u32, share: u32| -> Vec<u8> {
        let bit = |i: u32| u8::from(xxh3(&i.to_le_bytes(), 7) % 1000 < share.into());
        (0..len).map(|byte| (0..8).map(|i| bit(8 * byte + i) << i).sum()).collect()
    };
    for (name, len, share) in [
        ("bytes, 1 bit in 500", 1000, 2),
        ("bytes, 1 bit in 100", 400, 10),
        ("bytes, 1 bit in 10", 200, 100),
        ("bytes, 3 bits in 10", 200, 300),
        ("bytes, 5 bits in 10", 100, 500),
        ("bytes, 9 bits in 10", 200, 900),
    ] {
        pairs.push((name, vec![0; len as usize], noise(len, share)));
    }
    let mut clusters = noise(100, 400);
    clusters.resize(1000, 0);
    clusters.extend(noise(60, 700));
    pairs.push(("bytes, in clusters", vec![0; 1060], clusters));
    pairs.push(("no bytes", Vec::new(), Vec::new()));
    pairs.extend(ribbons()?);
    Ok(pairs)
}

/// Ribbons, and keys that were added to them.
#[allow(clippy::single_range_in_vec_init)] // Lists of ranges, some of one.
fn ribbons() -> Result<Vec<Pair>, String> {
    let hashes = |filter: &Ribbon, keys: Range<u32>| -> Result<Vec<u64>, String> {
        keys.map(|n| filter.hash_of(n.to_string().as_bytes())).collect()
    };
    let ribbon = |rate, keys: Range<u32>, added: &[Range<u32>]| -> Result<Ribbon, String> {
        let mut filter = Ribbon::new(rate);
        filter.build(&hashes(&filter, keys)?)?;
        for range in added {
            hashes(&filter, range.clone())?.into_iter().for_each(|hash| filter.add(hash));
        }
        Ok(filter)
    };
    let few = |added: &[Range<u32>]| ribbon(0.01, 0..20, added);
    let table = |added: &[u64]| -> Result<Ribbon, String> {
        let mut filter = Ribbon::new(0.3);
        let held: Vec<u64> = hashes(&filter, 0..20)?.iter().map(|&h| number(h, 128)).collect();
        filter.build_of_table(128, &held)?;
        added.iter().for_each(|&hash| filter.add(hash));
        Ok(filter)
    };
    let two = |added: &[Range<u32>]| ribbon(0.1, 0..2048, added);
    let seal = Some(&b"a seal for testing"[..]);
    let mut pairs = Vec::new();
    for (name, old, new, seals) in [
        ("added keys: none, then one", few(&[])?, few(&[100..101])?, (None, None)),
        ("added keys: some, then none", few(&[100..107])?, few(&[])?, (None, None)),
        (KEYS, few(&[100..103, 200..201])?, few(&[101..103, 300..303])?, (None, None)),
        ("added keys: most go", few(&[100..106])?, few(&[105..107])?, (None, None)),
        ("added keys: all others", few(&[100..102])?, few(&[200..203])?, (None, None)),
        ("added keys: of another ribbon", few(&[100..101])?, ribbon(0.01, 1..21, &[50..51])?, (None, None)),
        (
            "added keys: beside a table's, the least and the greatest, sealed",
            table(&[])?,
            table(&[0, u64::MAX])?,
            (None, seal),
        ),
        ("added keys: beside two ribbons", two(&[])?, two(&[5000..5004])?, (None, None)),
        ("ribbons without added keys", few(&[])?, ribbon(0.01, 1..21, &[])?, (None, None)),
    ] {
        pairs.push((name, ribbon::write(&old, seals.0)?, ribbon::write(&new, seals.1)?));
    }
    Ok(pairs)
}

/// A changed patch with a matching checksum.
fn mended(patch: &[u8], change: &dyn Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut changed = patch[..patch.len() - 8].to_vec();
    change(&mut changed);
    let sum = xxh3(&changed, 0);
    changed.extend(sum.to_le_bytes());
    changed
}

/// Changes of the tail of a patch of form 3 that leaves the body unchanged: the code of its keys is
/// followed only by the checksum.
fn damaged_keys(patch: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let again = |change: &dyn Fn(&mut Vec<u8>)| mended(patch, change);
    const TAIL: usize = 72 + 128;
    let code = TAIL + 24;
    vec![
        ("those that stay are coded", again(&|p| p[11] = 2)),
        ("inversion 4", again(&|p| p[11] = 4)),
        ("a tail of 16 bytes", again(&|p| p[64..72].copy_from_slice(&16u64.to_le_bytes()))),
        ("one old key more", again(&|p| p[TAIL] += 1)),
        ("one new key less", again(&|p| p[TAIL + 16] -= 1)),
        ("2^63 new keys", again(&|p| p[TAIL + 23] = 0x80)),
        ("another place of a key that goes", again(&|p| p[code] ^= 1)),
        ("hashes past the last one", again(&|p| p[code + 2..].fill(0xFF))),
        ("a bit of a hash is flipped", again(&|p| p[code + 20] ^= 1)),
    ]
}

/// Changes of a patch, each with the reason why it is refused.
fn damaged(patch: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let end = patch.len() - 8;
    let again = |change: &dyn Fn(&mut Vec<u8>)| mended(patch, change);
    let mut flipped = patch.to_vec();
    flipped[100] ^= 1;
    vec![
        ("a bit is flipped", flipped),
        ("its last byte is missing", patch[..end + 7].to_vec()),
        ("nothing but the mark", patch[..8].to_vec()),
        ("the mark of a filter", again(&|p| p[..8].copy_from_slice(b"\x89TEPAL\r\n"))),
        ("version 2", again(&|p| p[8] = 2)),
        ("form 3", again(&|p| p[10] = 3)),
        ("form 4", again(&|p| p[10] = 4)),
        ("form 1 with a head", again(&|p| p[10] = 1)),
        ("inversion 2", again(&|p| p[11] = 2)),
        ("inverted, so that another file is made", again(&|p| p[11] = 1)),
        ("a head of 120 bytes", again(&|p| p[12] = 120)),
        ("a head of 4 GiB", again(&|p| p[15] = 0xFF)),
        ("a body of 64 bytes more", again(&|p| p[16] += 64)),
        ("a body of 2^63 bytes", again(&|p| p[23] |= 0x80)),
        ("another length of the old file", again(&|p| p[24] ^= 1)),
        ("another checksum of the old file", again(&|p| p[32] ^= 1)),
        ("another length of the new file", again(&|p| p[40] ^= 1)),
        ("another checksum of the new file", again(&|p| p[48] ^= 1)),
        ("a position more", again(&|p| p[56] += 1)),
        ("a position less", again(&|p| p[56] -= 1)),
        ("2^63 positions", again(&|p| p[63] |= 0x80)),
        ("a tail of 8 bytes", again(&|p| p[64] = 8)),
        ("a tail of 2^64 - 1 bytes", again(&|p| p[64..72].fill(0xFF))),
        ("another count of keys", again(&|p| p[72 + 72] ^= 1)),
        ("a byte after the code", again(&|p| p.push(0))),
        ("the last byte of the code is missing", again(&|p| p.truncate(p.len() - 1))),
        ("a bit of the code is flipped", again(&|p| p[72 + 144 + 3] ^= 4)),
    ]
}

/// A patch with these numbers and this code of its bits, with a matching checksum.
fn forged(form: u8, head: &[u8], old: &[u8], new: &[u8], body: u64, coded: u64, code: &[u8]) -> Vec<u8> {
    let mut patch = PATCH_MAGIC.to_vec();
    patch.extend([1, 0, form, 0]);
    patch.extend((head.len() as u32).to_le_bytes());
    let (old_sum, new_sum) = (xxh3(old, 0), xxh3(new, 0));
    for number in [body, old.len() as u64, old_sum, new.len() as u64, new_sum, coded, 0] {
        patch.extend(number.to_le_bytes());
    }
    patch.extend(head);
    patch.extend(code);
    let sum = xxh3(&patch, 0);
    patch.extend(sum.to_le_bytes());
    patch
}

/// A patch of form 2 whose body is 8 bytes shorter than whole lines. Its checksum of the new file
/// is right.
fn uneven(old: &[u8], new: &[u8]) -> (&'static str, Vec<u8>) {
    let (from, records) = (u64::from(old[12]) + 256 * u64::from(old[13]), u64::from(new[120]));
    let head = &new[..128 + records as usize];
    let body = &old[from as usize..old.len() - 8];
    let mut made = [head, &xxh3(body, 0).to_le_bytes()].concat();
    made.resize(body_offset(records, 8 * body.len() as u64) as usize - 8, 0);
    made.extend(xxh3(&made, 0).to_le_bytes());
    made.extend(body);
    ("a body of 8 bytes less", forged(2, head, old, &made, body.len() as u64, 0, &[]))
}

/// Patches of form 1 for a file of zeros. Their checksums of the new file are right.
fn forged_bytes(old: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let (body, bits) = (old.len() as u64, 8 * old.len() as u64);
    let many: Vec<u64> = (0..bits / 2 + 1).collect();
    let with = |positions: &[u64]| {
        let mut new = old.to_vec();
        positions.iter().for_each(|p| new[(p / 8) as usize] |= 1 << (p % 8));
        new
    };
    let coded = many.len() as u64;
    let more = forged(1, &[], old, &with(&many), body, coded, &code_of(bits, &many));
    // 32 ones, 2 for a length of 3 bits, and a gap of 5. The short form of this gap would take
    // fewer bits.
    let long: u64 = 0xFFFF_FFFF | 2 << 32 | 5 << 38;
    let long = forged(1, &[], old, &with(&[5]), body, 1, &long.to_le_bytes()[..6]);
    vec![
        ("the bits that differ are coded, and are more than half", more),
        ("a gap written with its length in vain", long),
    ]
}
