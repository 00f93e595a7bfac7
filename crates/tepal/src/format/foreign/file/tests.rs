//! What a file says beside its filter, and chains on the way into a format of one filter.

use alloc::string::ToString;

use super::super::tests::{FOREIGN, filter, growing_by, read};
use super::super::{rdb, redisbloom};
use super::*;

#[test]
fn a_chain_of_one_is_a_filter_and_a_longer_one_is_not() {
    let file = FilterFile::new(filter(Scheme::ValkeyBloom, 200), Format::ValkeyBloom).unwrap();
    let single = file.convert_to(Format::Tepal).unwrap();
    assert!(matches!(single.filter(), AnyFilter::Bloom(_)));

    let mut grown = growing_by(2);
    (1000..1100u64).for_each(|key| assert!(grown.filter_mut().insert(&key).is_ok()));
    assert_eq!(grown.filter().parts().len(), 2);
    let refused = grown.convert_to(Format::Tepal).unwrap_err().to_string();
    assert!(refused.contains("it is a chain of 2 filters, and a tepal file holds one"), "{refused}");
}

#[test]
fn who_has_a_checksum() {
    let own = BloomFilter::builder().capacity(200).build().unwrap();
    assert!(FilterFile::new(own, Format::Tepal).unwrap().has_checksum());
    for (format, scheme) in FOREIGN {
        assert!(!FilterFile::new(filter(scheme, 1), format).unwrap().has_checksum(), "{format}");
    }
    // Of Redis, the other form of file.
    let (chain, beside) = redisbloom::chain_of(filter(Scheme::RedisBloom, 100)).unwrap();
    let Beside::RedisBloom(rest) = beside else { panic!("{beside:?}") };
    let dump = rdb::write(chain.parts(), &rest, 11);
    let file = FilterFile::from_bytes(&dump, &Reading::default()).unwrap();
    assert!(file.has_checksum() && file.format() == Format::RedisBloom);
    assert_eq!(file.to_bytes().unwrap(), dump);
    for at in 0..dump.len() {
        let mut changed = dump.clone();
        changed[at] ^= 0x20;
        assert!(read(Format::RedisBloom, &changed).is_err(), "byte {at}");
    }
}

#[test]
fn promises_that_a_format_cannot_keep() {
    let warnings = |scheme, bits, k| {
        let filter = BloomFilter::builder().scheme(scheme).bit_len(bits).capacity(10).num_hashes(k);
        FilterFile::new(filter.build().unwrap(), Format::Tepal).unwrap().warnings()
    };
    let expected = "positions of the scheme guava-mitz32 are 31 bits: half full, a filter of this size errs at \
                    3.12 %, where 3.12 % would be expected";
    assert_eq!(warnings(Scheme::GuavaMitz32, 1 << 28, 5), [expected]);
    assert!(warnings(Scheme::GuavaMitz32, (1 << 28) - 64, 5).is_empty());
    assert!(warnings(Scheme::GuavaMitz64, 1 << 28, 5).is_empty());
    let weak = "the scheme bkdr7 is weak: colliding keys can be written down by hand";
    assert_eq!(warnings(Scheme::Bkdr7, 1 << 25, 7), [weak]);
}
