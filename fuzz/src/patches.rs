//! Patches: made from any two files, and applied with any content.

use tepal::{
    Opened, RibbonFilter,
    file::{Format, Patch},
};
use xxhash_rust::xxh3::xxh3_64;

/// The first two bytes are the length of an old file. The bytes after it are a new file, and a
/// patch.
pub fn patch(data: &[u8]) {
    let Some((len, data)) = data.split_first_chunk::<2>() else { return };
    let (old, rest) = data.split_at(usize::from(u16::from_le_bytes(*len)).min(data.len()));
    if let Ok(made) = Patch::between(old, rest) {
        assert_eq!(made.apply(old).unwrap(), rest);
        assert!(Patch::from_bytes(made.as_bytes().to_vec()).unwrap() == made);
        assert_eq!(Patch::between(rest, old).unwrap().flips(), made.flips());
    }
    ribbons(old, rest);
    for patch in [Some(rest.to_vec()), fitting(old, rest)].into_iter().flatten() {
        let Ok(read) = Patch::from_bytes(patch) else { continue };
        if let Ok(new) = read.apply(old) {
            assert_eq!(new.len() as u64, read.new_len());
            // A pair of files has one patch, unless a header field that has no effect on the body
            // was changed.
            if let Ok(made) = Patch::between(old, &new) {
                assert_eq!(made.apply(old).unwrap(), new);
            }
        }
    }
}

/// Two lists of hashes, of eight bytes each, as keys added beside a ribbon of three keys. Each list
/// is patched to the other one.
fn ribbons(old: &[u8], new: &[u8]) {
    let list = |bytes: &[u8]| -> Vec<u64> {
        bytes.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap())).collect()
    };
    let file = |hashes: &[u64]| {
        let mut filter = RibbonFilter::builder().build_from([1u32, 2, 3]).unwrap();
        filter.insert_many_hashes(hashes).unwrap();
        Opened::new(filter, Format::Tepal).unwrap().to_bytes().unwrap()
    };
    let (old, new) = (file(&list(old)), file(&list(new)));
    let (patch, back) = (Patch::between(&old, &new).unwrap(), Patch::between(&new, &old).unwrap());
    assert_eq!((patch.apply(&old).unwrap(), back.apply(&new).unwrap()), (new, old));
    assert_eq!((patch.added_keys(), patch.removed_keys()), (back.removed_keys(), back.added_keys()));
    assert!(Patch::from_bytes(patch.as_bytes().to_vec()).unwrap() == patch);
}

/// The bytes as a patch for the old file, with a matching checksum.
fn fitting(old: &[u8], patch: &[u8]) -> Option<Vec<u8>> {
    let mut patch = patch.get(..patch.len().checked_sub(8)?)?.to_vec();
    patch.get_mut(..10)?.copy_from_slice(b"\x89PATCH\r\n\x01\0");
    patch.get_mut(24..32)?.copy_from_slice(&(old.len() as u64).to_le_bytes());
    patch.get_mut(32..40)?.copy_from_slice(&xxh3_64(old).to_le_bytes());
    let sum = xxh3_64(&patch);
    patch.extend(sum.to_le_bytes());
    Some(patch)
}
