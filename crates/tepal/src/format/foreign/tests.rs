//! Marks, conversions and refusals; the golden files are in `tests/it/files/golden.rs`.

use alloc::string::ToString;
use alloc::vec;

use super::*;
use crate::ids::{Layout, Scheme};
use crate::kinds::bloom::BloomFilter;
use crate::{Open, Opened};

pub(in crate::format) const FOREIGN: [(Format, Scheme); 9] = [
    (Format::Guava, Scheme::GuavaMitz32),
    (Format::Guava, Scheme::GuavaMitz64),
    (Format::Spark, Scheme::SparkV1),
    (Format::Spark, Scheme::SparkV2),
    (Format::ParquetSbbf, Scheme::Xxh64),
    (Format::BitsAndBlooms, Scheme::BitsAndBlooms),
    (Format::Dcso, Scheme::Dcso),
    (Format::RedisBloom, Scheme::RedisBloom),
    (Format::ValkeyBloom, Scheme::ValkeyBloom),
];

pub(in crate::format) fn filter(scheme: Scheme, keys: u64) -> BloomFilter {
    let builder = BloomFilter::builder().scheme(scheme).capacity(200).false_positive_rate(0.01);
    let builder = if scheme == Scheme::Xxh64 { builder.layout(Layout::SplitBlock) } else { builder };
    let mut filter = builder.build().unwrap();
    (0..keys).for_each(|key| assert!(filter.insert(&key).is_ok()));
    filter
}

pub(in crate::format) fn read(format: Format, bytes: &[u8]) -> Result<Opened> {
    Open::new().format(format).from_bytes(bytes)
}

/// The Bloom filters of an opened file, the oldest first.
pub(in crate::format) fn parts(file: &Opened) -> Vec<BloomFilter> {
    match file.filter().clone() {
        AnyFilter::Scalable(chain) => {
            chain.links().iter().map(|link| link.clone().into_owned().unwrap()).collect()
        }
        other => vec![other.into_bloom().unwrap().into_owned().unwrap()],
    }
}

pub(in crate::format) fn refused(format: Format, bytes: &[u8], part: &str) {
    let text = read(format, bytes).unwrap_err().to_string();
    assert!(text.contains(part), "{part:?} is not in {text:?}");
}

/// Bytes are tried as bits without a header only in a size that Parquet writes.
#[test]
fn a_hint_takes_no_large_memory() {
    let bytes = vec![0; MOST_WITHOUT_HEADER + 32];
    assert!(possible(&bytes[..64]).contains(&Format::ParquetSbbf));
    assert!(!possible(&bytes).contains(&Format::ParquetSbbf));
}

#[test]
fn every_format_goes_out_and_in() {
    for (format, scheme) in FOREIGN {
        let file = Opened::new(filter(scheme, 200), format).unwrap();
        let bytes = file.to_bytes().unwrap();
        let again = read(format, &bytes).unwrap();
        assert_eq!(again.to_bytes().unwrap(), bytes, "{format}");
        assert!((0..200u64).all(|key| again.filter().contains(&key)), "{format}");
        assert!(parts(&again) == parts(&file), "{format}");
        assert!(again.filter().false_positive_rate() < 0.03, "{format}");
        let marked = Format::of(&bytes);
        let unmarked = matches!(format, Format::Guava | Format::ValkeyBloom);
        let unmarked = unmarked || scheme == Scheme::BitsAndBlooms;
        assert_eq!(marked, if unmarked { None } else { Some(format) }, "{format}");
        assert!(possible(&bytes).contains(&format), "{format}");
    }
}
