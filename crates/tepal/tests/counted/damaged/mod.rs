//! Damage of every kind of file is found: each bit, each length, one more byte, and 10,000 random
//! mutations. A changed file with corrected checksums is not damage: it is refused, or every
//! operation on it ends.
//!
//! `bench/measure/run mutations 1000000` tests every bit of every kind and a million mutations of
//! each (`testdata/records/mutations.md`).

mod kept;

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};

use crate::kinds::{Sample, sample, tepal_kinds};
use crate::mutate::{flips, mutations};
use crate::shared::groups::Group;

const KIB_64: u64 = 64 << 10;
/// Without optimisation everything takes 30 times as long.
const SLOW: bool = cfg!(debug_assertions);

fn samples(most: u64) -> Vec<Sample> {
    tepal_kinds().into_iter().map(|subject| sample(subject, most)).collect()
}

fn samples_of(group: Group, most: u64) -> impl Iterator<Item = Sample> {
    group.among(tepal_kinds()).into_iter().map(move |subject| sample(subject, most))
}

/// All 524,288 bits of a file of 64 KiB, in the default layout. The checks do not depend on the
/// layout.
#[test]
fn every_bit_of_64_kib() {
    let usual = tepal_kinds().into_iter().find(|subject| subject.name() == "line-xxh3").unwrap();
    let sample = sample(usual, KIB_64);
    assert_eq!(sample.file.len() as u64, KIB_64);
    let (tried, accepted) = flips(&sample, if SLOW { 61 } else { 1 });
    assert!(SLOW || tried == 8 * KIB_64);
    assert_eq!(accepted, 0);
}

/// For every kind, every bit of the header and every 61st bit of the rest.
mod bits_of_every_kind {
    crate::shared::groups::for_each_group!(check_bits);
}

fn check_bits(group: Group) {
    for sample in samples_of(group, KIB_64) {
        // A scheme may have only one size: 4 MiB.
        let step = if sample.file.len() as u64 > KIB_64 { 50_021 } else { 61 };
        let (tried, accepted) = flips(&sample, if SLOW { 37 * step } else { step });
        assert!(tried >= 8 * sample.head as u64);
        assert_eq!(accepted, 0, "{}", sample.subject.name());
    }
}

/// A quick opening finds them too, and so does an opening of unknown format.
#[test]
fn bits_of_every_header() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for mut sample in samples(2048) {
        let name = sample.subject.name().to_owned();
        let opener = sample.subject.opener();
        fs::write(&path, &sample.file).unwrap();
        opener.quick(&path).unwrap();
        assert_eq!(opener.without_seal().from_bytes(&sample.file).is_ok(), !opener.is_sealed(), "{name}");
        let mut file = OpenOptions::new().write(true).open(&path).unwrap();
        let mut put = |at: usize, byte: u8| {
            file.seek(SeekFrom::Start(at as u64)).unwrap();
            file.write_all(&[byte]).unwrap();
        };
        for bit in 0..8 * sample.head {
            let (at, before) = (bit / 8, sample.file[bit / 8]);
            let flipped = before ^ 1 << (bit % 8);
            put(at, flipped);
            assert!(opener.quick(&path).is_err(), "{name}: bit {bit}");
            put(at, before);
            if sample.file.len() < 1 << 20 {
                sample.file[at] = flipped;
                assert!(opener.without_seal().from_bytes(&sample.file).is_err(), "{name}: bit {bit}");
                sample.file[at] = before;
            }
        }
        opener.quick(&path).unwrap();
    }
}

/// The pieces of a file are read as the file, wherever it is cut; so are those of a damaged one.
#[test]
fn pieces_are_the_file() {
    for mut sample in samples(2048) {
        let name = sample.subject.name().to_owned();
        let opener = sample.subject.opener();
        let head = sample.head;
        for damaged in [None, Some(head / 2), Some(sample.file.len() - 1)] {
            if let Some(at) = damaged {
                sample.file[at] ^= 4;
            }
            let whole = opener.read(&sample.file).map(|filter| filter.to_bytes().unwrap());
            assert_eq!(whole.is_ok(), damaged.is_none(), "{name}");
            for size in [100, head - 1, head, head + 100] {
                // A small piece first, then pieces that end within lines.
                let (first, rest) = sample.file.split_at(size.min(sample.file.len()));
                let pieces: Vec<&[u8]> =
                    std::iter::once(first).chain(rest.chunks(777)).chain([&[][..]]).collect();
                let found = opener.pieces(&pieces).map(|filter| filter.to_bytes().unwrap());
                match (&whole, found) {
                    (Ok(whole), Ok(found)) => assert!(*whole == found, "{name}: {size}"),
                    (Err(whole), Err(found)) => {
                        assert_eq!(whole.to_string(), found.to_string(), "{name}: {size}");
                    }
                    (_, found) => panic!("{name}: {size}: {:?}", found.map(|file| file.len())),
                }
            }
            if let Some(at) = damaged {
                sample.file[at] ^= 4;
            }
        }
    }
}

mod every_length_but_its_own {
    crate::shared::groups::for_each_group!(check_lengths);
}

fn check_lengths(group: Group) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for mut sample in samples_of(group, KIB_64) {
        let name = sample.subject.name().to_owned();
        let opener = sample.subject.opener();
        for len in 0..sample.file.len() {
            assert!(opener.read(&sample.file[..len]).is_err(), "{name}: {len} bytes");
        }
        fs::write(&path, &sample.file).unwrap();
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        let whole = sample.file.len() as u64;
        for len in (0..sample.head as u64 + 64).chain([whole - 64, whole - 1, whole + 1, whole + 64]) {
            file.set_len(len).unwrap();
            assert!(opener.quick(&path).is_err(), "{name}: {len} bytes");
        }
        for byte in 0..=u8::MAX {
            sample.file.push(byte);
            assert!(opener.read(&sample.file).is_err(), "{name}: one byte more, {byte}");
            sample.file.pop();
        }
        assert!(opener.read(&sample.file).is_ok(), "{name}");
    }
}

mod random_mutations_of_every_kind {
    crate::shared::groups::for_each_group!(check_mutations);
}

fn check_mutations(group: Group) {
    let samples = samples(2048);
    let of_group = |(_, sample): &(u64, &Sample)| group.has(&*sample.subject);
    for (seed, sample) in (0..).zip(&samples).filter(of_group) {
        let name = sample.subject.name();
        let large = sample.file.len() > 1 << 20;
        let count = if large {
            100
        } else if SLOW {
            1000
        } else {
            10_000
        };
        let tally = mutations(sample, &samples, count, seed);
        assert_eq!((tally.accepted, tally.panics), (0, 0), "{name}: {tally:?}");
        assert_eq!(tally.damaged + tally.whole + tally.forged, count, "{name}: {tally:?}");
        assert!(tally.refused == tally.damaged && tally.damaged > count / 2, "{name}: {tally:?}");
        // The checks behind the checksum were reached too.
        assert!(tally.forged_refused > count / 20, "{name}: {tally:?}");
        let most = 2 * sample.file.len() as u64 + KIB_64;
        assert!(tally.most_held <= most, "{name}: {} bytes of at most {most}", tally.most_held);
    }
}
