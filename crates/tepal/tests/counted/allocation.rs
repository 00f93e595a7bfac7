//! Forged numbers in files: a reader allocates no memory and spends no time because a file claims a
//! number.
//!
//! Every field of a header is set to 0, 1, 2^31, 2^32, 2^63, 2^64-1, NaN, infinity and -0.0, and
//! the checksum of the header is corrected. A counting allocator measures, for each thread, what a
//! refusal takes.

use std::fs;
#[cfg(feature = "foreign")]
use std::path::Path;
use std::time::{Duration, Instant};

use tepal::{BloomFilter, Layout, facts::Labels};
#[cfg(feature = "foreign")]
use tepal::{Open, file::Format};
#[cfg(all(feature = "foreign", target_endian = "little"))]
use tepal::{Opened, facts::Form};
use xxhash_rust::xxh3::xxh3_64;

use crate::allocator::most_held;
#[cfg(feature = "foreign")]
use crate::forge::mend_dump;

const CLAIMS: [u64; 9] = [
    0,
    1,
    1 << 31,
    1 << 32,
    1 << 63,
    u64::MAX,
    f64::NAN.to_bits(),
    f64::INFINITY.to_bits(),
    (-0.0f64).to_bits(),
];

/// The result of a call, the most bytes it held at a time, and its time: the shortest of a few
/// runs, since other programs run too.
fn measured<T>(mut call: impl FnMut() -> T) -> (T, u64, Duration) {
    let (mut least, mut tries) = (Duration::MAX, 0);
    loop {
        let begun = Instant::now();
        let (result, bytes) = most_held(&mut call);
        least = least.min(begun.elapsed());
        tries += 1;
        if least < LIMIT || tries == 20 {
            return (result, bytes, least);
        }
    }
}

/// Without optimisation the checks of the bits alone take longer.
const LIMIT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 20 } else { 1 });

/// Offset and width of every field before the chunk table, for a file with one record of 16 bytes.
fn fields() -> Vec<(usize, usize)> {
    let mut fields = vec![(8, 2), (10, 2), (12, 4), (16, 8), (24, 4), (28, 4)];
    fields.extend([(32, 1), (33, 1), (34, 1), (35, 1), (36, 4), (40, 8), (48, 8), (56, 8), (64, 8), (72, 8)]);
    fields.extend([(80, 8), (88, 8), (96, 8), (104, 8), (112, 8), (120, 4), (124, 4)]);
    fields.extend([(128, 2), (130, 2), (132, 4), (136, 8), (144, 8)]);
    fields
}

/// Whether a field may have this value: any for optional flags and the number of inserted keys, any
/// but 0 for a capacity, between 0 and 1 for a rate, the two bits of a recipe, and an ignored tag
/// for a record.
fn may_be(at: usize, claim: u64) -> bool {
    let rate = f64::from_bits(claim);
    match at {
        28 | 72 => true,
        48 => claim != 0,
        56 => rate > 0.0 && rate < 1.0,
        124 => claim as u32 <= 3,
        128 => claim as u16 >= 0x8000,
        _ => false,
    }
}

/// Fields that a quick opening does not compare with the bits: the number of set bits, and the
/// chunk's checksum.
fn may_be_quick(at: usize, claim: u64) -> bool {
    may_be(at, claim) || at == 144 || (at == 80 && claim <= 1)
}

#[test]
fn forged_fields_of_our_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let mut refused = 0;
    for &layout in Layout::ALL {
        let labels = Labels::new().name("a name");
        let mut filter = BloomFilter::builder().layout(layout).capacity(100).labels(labels).build().unwrap();
        filter.insert_many(&(0..80u32).collect::<Vec<_>>()).unwrap();
        let good = filter.to_bytes().unwrap();
        let body_offset = good.len() - filter.size_in_bytes() as usize;
        for (at, width) in fields() {
            for claim in CLAIMS {
                let mut file = good.clone();
                file[at..at + width].copy_from_slice(&claim.to_le_bytes()[..width]);
                // The checksum at its place, and at the place that a forged body_offset gives.
                let claimed = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
                for end in [body_offset, claimed] {
                    if (128..=file.len()).contains(&end) {
                        let sum = xxh3_64(&file[..end - 8]).to_le_bytes();
                        file[end - 8..end].copy_from_slice(&sum);
                    }
                }
                fs::write(&path, &file).unwrap();
                let what = format!("{layout}: {claim:#x} at {at}");
                let (read, bytes, time) = measured(|| BloomFilter::from_bytes(&file));
                check(&what, read.is_err(), bytes, time, file.len());
                let (opened, bytes, time) = measured(|| BloomFilter::open(&path));
                check(&what, opened.is_err(), bytes, time, file.len());
                let (quick, bytes, time) = measured(|| BloomFilter::open_quick(&path));
                check(&what, quick.is_err(), bytes, time, file.len());

                assert_eq!(read.is_ok(), opened.is_ok(), "{what}");
                refused += u32::from(read.is_err());
                assert!(read.is_err() || file == good || may_be(at, claim), "{what}: opened");
                assert!(quick.is_err() || file == good || may_be_quick(at, claim), "{what}: opened quick");
                for opened in [opened, quick].into_iter().flatten() {
                    answers(&opened);
                }
            }
        }
    }
    assert!(refused > 700, "{refused}");
}

fn check(what: &str, refused: bool, bytes: u64, time: Duration, file_len: usize) {
    let most = if refused { 64 << 10 } else { (64 << 10) + 2 * file_len as u64 };
    assert!(bytes <= most, "{what}: {bytes} bytes");
    assert!(time < LIMIT, "{what}: {time:?}");
}

/// An opened filter answers and is measured without a panic.
fn answers(filter: &BloomFilter) {
    for key in 0..80u32 {
        assert!(filter.contains(&key));
    }
    let _ = (filter.false_positive_rate(), filter.estimated_len(), filter.is_over_capacity());
    let _ = (filter.bits_per_key(), filter.fill_of_slices(7), filter.verify());
}

/// The same in a file of several chunks, which also claims the length of its chunk table.
#[test]
fn forged_sizes_of_a_larger_file() {
    let mut filter = BloomFilter::builder().capacity(200_000).build().unwrap();
    filter.insert_many(&(0..1000u32).collect::<Vec<_>>()).unwrap();
    let good = filter.to_bytes().unwrap();
    let body_offset = good.len() - filter.size_in_bytes() as usize;
    for (at, width) in [(12, 4), (16, 8), (24, 4), (36, 4), (40, 8), (120, 4)] {
        for claim in CLAIMS.into_iter().chain([512, 1 << 46, (1 << 46) + 512, u64::MAX - 511]) {
            let mut file = good.clone();
            file[at..at + width].copy_from_slice(&claim.to_le_bytes()[..width]);
            if file == good {
                continue;
            }
            let sum = xxh3_64(&file[..body_offset - 8]).to_le_bytes();
            file[body_offset - 8..body_offset].copy_from_slice(&sum);
            let (read, bytes, time) = measured(|| BloomFilter::from_bytes(&file));
            let what = format!("{claim:#x} at {at}");
            assert!(read.is_err(), "{what}");
            check(&what, true, bytes, time, file.len());
        }
    }
}

/// The golden files of other programs, with every number of their first bytes forged.
#[cfg(feature = "foreign")]
#[test]
fn forged_fields_of_other_programs_files() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden");
    let (mut files, mut refused) = (0, 0);
    for &format in Format::ALL.iter().filter(|format| **format != Format::Tepal) {
        for entry in fs::read_dir(golden.join(format.name())).unwrap() {
            let path = entry.unwrap().path();
            let good = fs::read(&path).unwrap();
            if path.ends_with("index.json") || good.len() > 16_384 {
                continue;
            }
            files += 1;
            for forged in forgeries(&good) {
                let (read, bytes, time) =
                    measured(|| Open::new().format(format).from_bytes(&forged).map(|_| ()));
                refused += u32::from(read.is_err());
                // Compressed values of a dump are unpacked, and the text of JSON is decoded, before
                // they are checked.
                let most = (64 << 10) + 4 * forged.len() as u64;
                assert!(bytes <= most, "{}: {bytes} bytes for {}", path.display(), forged.len());
                assert!(read.is_ok() || time < LIMIT, "{}: {time:?}", path.display());
            }
        }
    }
    assert!(files >= 40 && refused > 10_000, "{files} files, {refused} refused");
}

#[cfg(feature = "foreign")]
fn forgeries(good: &[u8]) -> Vec<Vec<u8>> {
    if good.trim_ascii_start().starts_with(b"{") {
        return forged_json(good);
    }
    let mut all = Vec::new();
    for at in 0..good.len().min(64) {
        for claim in CLAIMS {
            for (width, big_endian) in [(4, false), (4, true), (8, false), (8, true)] {
                let mut file = good.to_vec();
                let bytes = if big_endian { claim.to_be_bytes() } else { claim.to_le_bytes() };
                // The low bytes of the number; for width 4 also the high bytes of a float.
                let from = if big_endian { 8 - width } else { 0 };
                let width = width.min(file.len() - at);
                file[at..at + width].copy_from_slice(&bytes[from..from + width]);
                mend_dump(&mut file);
                all.push(file);
            }
        }
    }
    all
}

/// Each number of the text in turn.
#[cfg(feature = "foreign")]
fn forged_json(good: &[u8]) -> Vec<Vec<u8>> {
    let text = std::str::from_utf8(good).unwrap();
    let starts = (0..text.len()).filter(|&i| {
        let digit = |i: usize| text.as_bytes().get(i).is_some_and(u8::is_ascii_digit);
        digit(i) && i > 0 && matches!(text.as_bytes()[i - 1], b':' | b' ' | b'[' | b',')
    });
    let mut all = Vec::new();
    for start in starts {
        let end = start + text[start..].find(|c: char| !c.is_ascii_digit()).unwrap();
        for claim in [
            "0",
            "1",
            "2147483648",
            "4294967296",
            "9223372036854775808",
            "18446744073709551615",
            "-0.0",
            "1e999",
        ] {
            all.push(format!("{}{claim}{}", &text[..start], &text[end..]).into_bytes());
        }
    }
    all
}

/// A `DUMP` payload of RedisBloom whose filters have these bits, compressed to zeros and copies of
/// zeros, and the bytes that each unpacks to.
#[cfg(feature = "foreign")]
fn packed_dump(copies: &[usize], literals: usize) -> (Vec<u8>, u64) {
    let number = |n: u64| [&[2, 0x81][..], &n.to_be_bytes()].concat();
    let float = |value: f64| [&[4][..], &value.to_le_bytes()].concat();
    let mut dump = vec![0x07, 0x81, 0x30, 0x16, 0xE5, 0xA2, 0x89, 0xBE, 0xF8, 0x04];
    dump.extend([number(0), number(copies.len() as u64), number(5), number(2)].concat());
    let mut unpacked = 0;
    for copies in copies {
        let len = (32 * literals.max(1) + 264 * copies) as u64;
        unpacked += len;
        dump.extend([number(1000), float(0.01), number(7), float(9.585_058_377_367_44)].concat());
        dump.extend([number(8 * len), number(0)].concat());
        // A compressed string: its compressed and its real length.
        let packed =
            [[&[31][..], &[0; 32]].concat().repeat(literals.max(1)), b"\xe0\xff\0".repeat(*copies)].concat();
        dump.extend(
            [&[5, 0xC3, 0x81][..], &(packed.len() as u64).to_be_bytes(), &[0x81], &len.to_be_bytes()]
                .concat(),
        );
        dump.extend(packed);
        dump.extend(number(0));
    }
    dump.extend([0, 11, 0]);
    dump.extend([0; 8]);
    mend_dump(&mut dump);
    (dump, unpacked)
}

/// The unpacked length of a RedisBloom dump is compared with its limit before memory is allocated.
#[cfg(feature = "foreign")]
#[test]
fn a_small_dump_of_a_large_filter() {
    const MIB: usize = 1 << 20;
    let read = |dump: &[u8], format: Option<Format>| {
        let open = format.map_or_else(Open::new, |format| Open::new().format(format));
        most_held(|| open.from_bytes(dump).map(|opened| opened.filter().size_in_bytes()))
    };
    for format in [None, Some(Format::RedisBloom)] {
        // Three megabytes that would become a quarter of a gigabyte.
        let (dump, unpacked) = packed_dump(&[MIB], 1);
        assert!(dump.len() < 4 * MIB && unpacked > 250 << 20);
        let (refused, bytes) = read(&dump, format);
        let text = refused.unwrap_err().to_string();
        assert!(text.contains("expected 67108864 bytes or less; take the pairs of BF.SCANDUMP"), "{text}");
        assert!(bytes <= 64 << 10, "{bytes}");
        // The limit is for all filters of a dump together.
        let most = (64 * MIB - 64) / 264;
        let (dump, unpacked) = packed_dump(&[most / 2, most / 2], 1);
        let (opened, bytes) = read(&dump, format);
        assert!(opened.unwrap() >= unpacked && bytes <= 3 * unpacked);
        let (dump, unpacked) = packed_dump(&[most / 2, most / 2, 1], 1);
        assert!(unpacked > 64 << 20);
        let (refused, bytes) = read(&dump, format);
        assert!(refused.is_err() && bytes <= 65 << 20, "{bytes}");
        // A larger dump may unpack to more: to 16 times its length.
        let (dump, unpacked) = packed_dump(&[400_000], 200_000);
        assert!(unpacked > 100 << 20 && unpacked < 16 * dump.len() as u64);
        assert!(read(&dump, format).0.unwrap() >= unpacked);
    }
    // A length that so few bytes cannot unpack to.
    let (mut dump, unpacked) = packed_dump(&[10], 1);
    let at = |dump: &[u8], n: u64| dump.windows(8).position(|window| window == n.to_be_bytes()).unwrap();
    for n in [unpacked, 8 * unpacked] {
        let place = at(&dump, n);
        dump[place..place + 8].copy_from_slice(&(n << 12).to_be_bytes());
    }
    mend_dump(&mut dump);
    let (refused, bytes) = read(&dump, Some(Format::RedisBloom));
    assert!(refused.unwrap_err().to_string().contains("its packed bits cannot be unpacked"));
    assert!(bytes <= 64 << 10, "{bytes}");
}

/// A file that is no filter is refused without allocating its length: here 64 GiB of zeros, which
/// take no disk space.
#[cfg(all(feature = "foreign", target_pointer_width = "64", target_os = "linux"))]
#[test]
fn a_long_file_that_is_no_filter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    // The header of a DCSO filter of 64 bits, and of one without any.
    let dcso = |bits: u64| {
        [1, 100, 0.01f64.to_bits(), 7, bits, 0].iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>()
    };
    for first in [&[0u8; 8][..], &[1, 7, 0, 0, 0, 9], &dcso(64), &dcso(0), b"\x89TEPAL\r\n\x01\0\x01\0"] {
        fs::write(&path, first).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_len(64 << 30).unwrap();
        let ((), bytes) = most_held(|| {
            assert!(BloomFilter::open(&path).is_err());
            assert!(Open::new().open(&path).is_err());
        });
        assert!(bytes <= 64 << 10, "{first:02x?}: {bytes}");
    }
}

/// Another program's file is mapped while its bits are copied. Memory is allocated for the bits and
/// for nothing else. Giving the map back in pieces while it is read changes no bit.
#[cfg(all(feature = "foreign", target_endian = "little"))]
#[test]
fn a_foreign_file_is_held_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    for &format in Format::ALL.iter().filter(|format| **format != Format::Tepal) {
        let builder = BloomFilter::builder().scheme(format.schemes()[0]).capacity(9_000_000);
        let builder = format.layout().map_or(builder.clone(), |layout| builder.layout(layout));
        // More than two of the pieces, and not a whole number of them.
        let mut filter = builder.bit_len(8 * (9 << 20) + 8 * 96).build().unwrap();
        filter.insert_many(&(0..50_000u32).collect::<Vec<_>>()).unwrap();
        let forms = [None, Some(Form::Dump)]
            .into_iter()
            .filter(|form| form.is_none() || format == Format::RedisBloom);
        for form in forms {
            let file = Opened::new(filter.clone(), format).unwrap();
            let file = form.map_or(file.clone(), |form| file.in_form(form).unwrap());
            let bytes = file.to_bytes().unwrap();
            fs::write(&path, &bytes).unwrap();
            let open = Open::new().format(format);
            let (opened, held) = most_held(|| open.open(&path).unwrap());
            assert!(held <= file.filter().size_in_bytes() + (64 << 10), "{format} {form:?}: {held}");
            assert!(opened.to_bytes().unwrap() == bytes, "{format} {form:?}");
            // In memory, the file and its bits exist at the same time while it is read.
            let (opened, held) = most_held(|| open.in_memory().open(&path).unwrap());
            assert!(held <= 2 * bytes.len() as u64 + (64 << 10), "{format} {form:?}: {held}");
            fs::write(&path, b"").unwrap();
            assert!(opened.to_bytes().unwrap() == bytes, "{format} {form:?}");
        }
    }
}
