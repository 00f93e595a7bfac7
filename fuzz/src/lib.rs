//! What every target does with its bytes: nothing may panic, hang, or take memory on the word of a number,
//! and whatever opens must answer, be written again, and hold what is put in. What the command makes of its
//! arguments and inputs is in the package `tepal-fuzz-cli`, beside this one.

mod chains;
mod doors;
mod excepted;
mod map;
mod patches;
mod quotient;
mod ribbon;
mod sealed;
mod segment;

use std::num::NonZeroUsize;

use tepal::build::Gather;
use tepal::{
    AnyFilter, BloomFilter, Error, KeyDomain, Layout, Open, OverCapacity, Recipe, Scheme, SecretKey,
    builders::BloomFilterBuilder,
    error::{Looks, ParquetFile},
    file::Format,
    storage::Mapped,
};
use tepal_fuzz_cli::Scratch;
use xxhash_rust::xxh3::xxh3_64;

pub use chains::chain;
pub use doors::embedded;
pub use map::map;
pub use patches::patch;
pub use quotient::{quotient, quotient_operations};
pub use ribbon::ribbon;
pub use sealed::sealed;

const KEYS: [&str; 4] =
    ["", "42", "570108428378", "a longer key, one that fills more than one block of any hash"];

/// For what is done by several threads.
const THREADS: NonZeroUsize = NonZeroUsize::new(2).unwrap();

/// The secrets of the files in the corpus.
const SECRETS: [[u8; 16]; 2] = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], *b"sixteen secrets!"];

/// A foreign file, or anything: bytes that are read are written again, and a key put in stays in.
pub fn foreign(format: Format, data: &[u8]) {
    for &domain in format.key_domains() {
        let open = Open::new().format(format).key_domain(domain);
        let Ok(mut file) = open.from_bytes(data) else { return };
        // A tepal file is one whatever is said of it.
        if file.format() != format {
            assert_eq!(file.format(), Format::Tepal);
            return;
        }
        let before: Vec<bool> = KEYS.iter().map(|key| file.filter().contains(*key)).collect();
        assert_eq!(file.filter().contains_many(&KEYS), before);
        let facts = file.facts().unwrap();
        assert_eq!((facts.key_domain, facts.file.map(|file| file.format)), (domain, Some(format)));

        // What is written is read again as the same, and from then on nothing changes any more.
        let written = file.to_bytes().unwrap();
        let again = open.from_bytes(&written).unwrap();
        assert_eq!(again.to_bytes().unwrap(), written);
        assert_eq!(again.filter().contains_many(&KEYS), before);
        if one_form(format, data) {
            assert_eq!(written, data);
        }

        if may_insert(format, file.filter(), data) {
            // Refused: a key that the domain does not have, a chain that may not grow.
            if file.insert("570108428378").is_ok() {
                let changed = open.from_bytes(&file.to_bytes().unwrap()).unwrap();
                assert!(changed.filter().contains("570108428378"));
                for (key, held) in KEYS.iter().zip(&before) {
                    assert!(!held || changed.filter().contains(*key));
                }
            }
        }
        if let Ok(ours) = again.convert_to(Format::Tepal) {
            let ours = BloomFilter::from_bytes(&ours.to_bytes().unwrap()).unwrap();
            assert_eq!(ours.contains_many(&KEYS), before);
        }
    }
}

/// Has every filter of the format one form only, so that reading and writing gives the same bytes at once?
/// Not where a program has a choice: Thrift's field encodings, JSON's white space, RDB's lengths, old
/// RedisBloom fields.
fn one_form(format: Format, data: &[u8]) -> bool {
    match format {
        Format::Guava | Format::Spark | Format::Dcso | Format::ValkeyBloom => true,
        Format::ParquetSbbf => data.len() % 32 == 0,
        Format::BitsAndBlooms => !data.trim_ascii_start().starts_with(b"{"),
        _ => false,
    }
}

/// A full chain grows by the numbers in its file, which may be as large as they like: only small ones here.
fn may_insert(format: Format, filter: &AnyFilter, data: &[u8]) -> bool {
    let AnyFilter::Scalable(chain) = filter else { return true };
    let newest = &chain.links()[chain.links().len() - 1];
    if newest.keys_inserted().is_some_and(|keys| keys < newest.capacity()) {
        return true;
    }
    let growth = match format {
        // After iterator and length: total, number of filters, options.
        Format::RedisBloom if data.starts_with(&[1, 0, 0, 0, 0, 0, 0, 0]) => u32_at(data, 28),
        Format::ValkeyBloom => u32_at(data, 1),
        _ => return false,
    };
    growth.is_some_and(|growth| growth <= 8) && newest.capacity() <= 4096
}

/// Naming a format from any bytes, and listing those they could be.
pub fn recognise(data: &[u8]) {
    let told = |format: Format| Open::new().format(format).from_bytes(data).unwrap().format();
    match (Format::of(data), tepal::from_bytes(data)) {
        (Some(format), Ok(file)) => {
            assert_eq!(file.format(), format);
            assert_eq!(told(format), format);
        }
        // A mark of another program counts only where the rest can be read, but for one that leaves no doubt: a dump's.
        (Some(format), Err(_)) => {
            let is_dump = format == Format::RedisBloom && data.starts_with(&[0x07, 0x81, 0x30, 0x16]);
            assert!(format == Format::Tepal || is_dump, "{format}");
        }
        (None, Ok(file)) => panic!("{} without a mark", file.format()),
        (None, Err(Error::NotTepal { found: Looks::Unmarked(possible), .. })) => {
            assert!(!possible.is_empty() && possible.iter().all(|format| told(*format) == *format));
        }
        (None, Err(Error::NotTepal { .. })) => {}
        (None, Err(error)) => panic!("{error}"),
    }
}

/// A whole Parquet file: as it is, and as a footer alone, with the marks and the length that it must have.
pub fn parquet_file(data: &[u8]) {
    for told in [None, Some(Format::ParquetSbbf)] {
        let open = told.map_or_else(Open::new, |format| Open::new().format(format));
        let len = data.len() as u32;
        let framed = [b"PAR1", data, &len.to_le_bytes(), b"PAR1"].concat();
        for bytes in [data, &framed] {
            if bytes.len() < 12 || !bytes.starts_with(b"PAR1") || !bytes.ends_with(b"PAR1") {
                continue;
            }
            let Err(Error::NotTepal { found: Looks::Parquet(file), .. }) = open.from_bytes(bytes) else {
                panic!("not named")
            };
            assert!(!file.to_string().contains('\n'));
            let ParquetFile::Filters { first, total, .. } = file else { continue };
            assert!(!first.is_empty() && first.len() <= 64 && first.len() as u64 <= total);
            for filter in first.iter().filter(|filter| filter.file.is_none()) {
                assert!(filter.offset + filter.length.unwrap_or(0) <= bytes.len() as u64);
            }
        }
    }
}

/// A tepal file: as it is, and again with the checksums made to fit, so that what lies behind them is reached.
pub fn own(data: &[u8]) {
    opened(data);
    excepted::excepted(data);
    doors::every(data);
    if let Some(repaired) = repaired(data, 0) {
        opened(&repaired);
        doors::every(&repaired);
    }
}

fn opened(data: &[u8]) {
    let open = BloomFilter::from_bytes(data);
    let under_key = SECRETS.map(|secret| BloomFilter::from_bytes_with_key(data, &SecretKey::new(secret)));
    assert!(open.is_err() || under_key.iter().all(Result::is_err));
    for filter in under_key.into_iter().chain([open]).flatten() {
        let before: Vec<bool> = KEYS.iter().map(|key| filter.contains(*key)).collect();
        assert_eq!(filter.contains_many(&KEYS), before);
        let _ = (filter.false_positive_rate(), filter.estimated_len(), filter.fill_ratio());
        // Decoded, encoded and decoded again it is the same filter; and one filter has one file.
        let written = filter.to_bytes().unwrap();
        let again = match filter.seed() {
            None if filter.has_hash() && filter.scheme() == Scheme::SipHash13 => SECRETS
                .iter()
                .find_map(|secret| BloomFilter::from_bytes_with_key(&written, &SecretKey::new(*secret)).ok())
                .unwrap(),
            _ => BloomFilter::from_bytes(&written).unwrap(),
        };
        assert!(again == filter);
        assert_eq!(again.to_bytes().unwrap(), written);
        assert_eq!((again.labels(), again.recipe()), (filter.labels(), filter.recipe()));
        assert_eq!((again.capacity(), again.keys_inserted()), (filter.capacity(), filter.keys_inserted()));
        if !has_ignorable(data) {
            assert_eq!(written, data);
        }
    }
}

/// A tepal file on disk: opening says what reading the same bytes says, and opening quick says it later.
pub fn own_file(data: &[u8]) {
    for bytes in [Some(data.to_vec()), repaired(data, 0)].into_iter().flatten() {
        let file = Scratch::new(&bytes, "tepal");
        let expected = BloomFilter::from_bytes(&bytes);
        match (BloomFilter::open(file.path()), &expected) {
            (Ok(opened), Ok(expected)) => same(opened, expected),
            (Err(opened), Err(expected)) => {
                assert!(opened.to_string().ends_with(&expected.to_string()), "{opened}; {expected}");
            }
            (opened, expected) => panic!("{:?}, {:?}", opened.is_ok(), expected.is_ok()),
        }
        match (BloomFilter::open_quick(file.path()), &expected) {
            (Ok(opened), Ok(expected)) => {
                opened.verify().unwrap();
                same(opened, expected);
            }
            (Ok(opened), Err(expected)) => {
                // The bits are damaged: nothing panics, and whatever looks at all of them says so.
                let _ = (opened.contains_many(&KEYS), opened.false_positive_rate(), opened.estimated_len());
                assert_eq!(opened.verify().unwrap_err().to_string(), expected.to_string());
                assert!(opened.to_bytes().is_err());
                assert!(opened.into_owned().is_err());
            }
            (opened, expected) => assert!(opened.is_err() && expected.is_err()),
        }
    }
}

fn same(opened: BloomFilter<Mapped>, expected: &BloomFilter) {
    assert!(&opened == expected);
    assert_eq!(opened.contains_many(&KEYS), expected.contains_many(&KEYS));
    assert_eq!(opened.into_owned().unwrap().to_bytes().unwrap(), expected.to_bytes().unwrap());
}

/// A filter as the bytes say, with keys from the rest: what is built is written, read and equal.
pub fn build(data: &[u8]) {
    let Some((choices, keys)) = data.split_first_chunk::<12>() else { return };
    let pick = |i: usize, most: usize| usize::from(choices[i]) % most;
    let layout = Layout::ALL[pick(0, 4)];
    let scheme = Scheme::ALL[pick(1, Scheme::ALL.len())];
    // These two have megabytes whatever is asked for.
    if matches!(scheme, Scheme::Bkdr7 | Scheme::Sha384) {
        return;
    }
    let bits = u64::from(u16::from_le_bytes([choices[2], choices[3]])) * 64;
    let mut builder = BloomFilter::builder()
        .scheme(scheme)
        .key_domain(KeyDomain::ALL[pick(4, KeyDomain::ALL.len())])
        .over_capacity([OverCapacity::Refuse, OverCapacity::Warn, OverCapacity::Ignore][pick(5, 3)])
        .recipe(Recipe::new().trim(choices[6] & 1 != 0).nocase(choices[6] & 2 != 0));
    builder = match choices[6] >> 6 {
        0 => builder.bit_len(bits).capacity(u64::from(choices[7])),
        1 => builder.bit_len(bits).false_positive_rate(f64::from(choices[7]) / 256.0),
        2 => builder.capacity(bits).false_positive_rate(0.5f64.powi(i32::from(choices[7]))),
        _ => builder.capacity(u64::from(choices[7])).num_hashes(choices[8].into()),
    };
    if choices[6] & 4 != 0 {
        builder = builder.layout(layout);
    }
    if choices[6] & 8 != 0 {
        builder = builder.seed(u64::from_le_bytes([choices[9]; 8]));
    }
    let secret = SecretKey::new([choices[10]; 16]);
    let keyed = scheme == Scheme::SipHash13;
    if keyed {
        builder = builder.secret_key(secret.clone());
    }
    let caller_hashes = scheme == Scheme::CallerHash;
    if caller_hashes {
        builder = builder.caller_hash("xxh3, of the fuzzer");
    }
    let keys: Vec<&[u8]> = keys.chunks(8).collect();
    let Ok(plan) = builder.plan() else {
        assert!(builder.build().is_err());
        return;
    };
    if plan.size_in_bytes() > 1 << 20 {
        return;
    }
    let Ok(mut filter) = builder.clone().build() else { return };
    assert_eq!(filter.size_in_bytes(), plan.size_in_bytes());
    let mut held = Vec::new();
    for key in &keys {
        let inserted = match caller_hashes {
            true => filter.insert_hash(xxh3_64(key)),
            false => filter.insert(*key),
        };
        if inserted.is_ok() {
            held.push(*key);
        }
    }
    let file = filter.to_bytes().unwrap();
    assert_eq!(file.len() as u64, filter.file_len());
    let again = match keyed {
        true => BloomFilter::from_bytes_with_key(&file, &secret).unwrap(),
        false => BloomFilter::from_bytes(&file).unwrap(),
    };
    assert!(again == filter);
    assert_eq!(again.to_bytes().unwrap(), file);
    assert!(held.iter().all(|key| match caller_hashes {
        true => again.contains_hash(xxh3_64(key)),
        false => again.contains(*key),
    }));
    let many = again.contains_many(&keys);
    assert_eq!(many, filter.contains_many(&keys));
    assert_eq!(again.contains_bulk(&keys, THREADS), many);
    // It takes ten times as long as the rest.
    if choices[11] % 8 == 7 {
        gathered(builder, &keys);
    }
}

/// Keys that come once, in any number, end up in a filter that holds them.
fn gathered(builder: BloomFilterBuilder, keys: &[&[u8]]) {
    let Ok(gather) = Gather::new(builder, Format::Tepal) else { return };
    // Refused: a key that the domain does not have, more keys than the filter is for.
    if gather.insert_many(keys).is_err() {
        return;
    }
    let Ok(built) = gather.finish() else { return };
    assert!(built.keys == keys.len() as u64 && built.different <= built.keys);
    assert!(keys.iter().all(|key| built.file.contains(*key)));
}

/// The file with its length, count of bits and checksums as they must be for its bits, where so many bytes are still to
/// come behind them.
fn repaired(data: &[u8], behind: u64) -> Option<Vec<u8>> {
    let mut file = data.to_vec();
    let body_offset = u32_at(data, 12)? as usize;
    let records = u32_at(data, 120)? as usize;
    let body = file.get(body_offset..)?;
    let table: Vec<u8> = body.chunks(65_536).flat_map(|chunk| xxh3_64(chunk).to_le_bytes()).collect();
    let set_bits: u64 = body.iter().map(|byte| u64::from(byte.count_ones())).sum();
    let file_len = file.len() as u64 + behind;
    file.get_mut(16..24)?.copy_from_slice(&file_len.to_le_bytes());
    file.get_mut(80..88)?.copy_from_slice(&set_bits.to_le_bytes());
    let start = records.checked_add(128)?;
    let end = start.checked_add(table.len())?;
    let sum_at = body_offset.checked_sub(8).filter(|at| *at >= end)?;
    file.get_mut(start..end)?.copy_from_slice(&table);
    let sum = xxh3_64(&file[..sum_at]);
    file.get_mut(sum_at..body_offset)?.copy_from_slice(&sum.to_le_bytes());
    Some(file)
}

/// Optional flags, or records that a reader may ignore: those are not written again.
fn has_ignorable(file: &[u8]) -> bool {
    let records_len = u32_at(file, 120).map_or(0, |len| len as usize);
    let mut records = file.get(128..128 + records_len).unwrap_or_default();
    let mut ignorable = u32_at(file, 28) != Some(0);
    while let (Some(head), Some(len)) = (u32_at(records, 0), u32_at(records, 4)) {
        ignorable |= head & 0x8000 != 0;
        records = records.get(8 + (len as usize).next_multiple_of(8)..).unwrap_or_default();
    }
    ignorable
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let field = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes([field[0], field[1], field[2], field[3]]))
}
