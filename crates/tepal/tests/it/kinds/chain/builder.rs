//! Chains built from nothing equal those of their programs.

use tepal::{BloomFilter, Opened, OverCapacity, Scheme, builders::BloomFilterBuilder, file::Format};

fn chain_of(scheme: Scheme) -> BloomFilterBuilder {
    BloomFilter::builder().scheme(scheme).capacity(100)
}

fn refused(builder: BloomFilterBuilder, part: &str) {
    let text = builder.build_chain().unwrap_err().to_string();
    assert!(text.contains(part), "{part:?} is not in {text:?}");
}

#[test]
fn the_first_link_has_its_programs_rate() {
    let rate = |builder: BloomFilterBuilder| {
        let chain = builder.build_chain().unwrap();
        let [link] = chain.links() else { panic!("{chain:?}") };
        (link.promised_false_positive_rate(), link.capacity())
    };
    assert_eq!(rate(chain_of(Scheme::RedisBloom)), (0.01, 100));
    assert_eq!(rate(chain_of(Scheme::RedisBloom).expansion(2)), (0.005, 100));
    assert_eq!(rate(chain_of(Scheme::RedisBloom).false_positive_rate(0.25).expansion(9)), (0.125, 100));
    assert_eq!(rate(chain_of(Scheme::ValkeyBloom)), (0.01, 100));
    assert_eq!(rate(chain_of(Scheme::ValkeyBloom).false_positive_rate(0.6).expansion(2)), (0.6, 100));
}

#[test]
fn what_no_server_makes_is_refused() {
    for scheme in [Scheme::RedisBloom, Scheme::ValkeyBloom] {
        refused(chain_of(scheme).expansion(0), "the expansion is 0; it must be 1 or more");
        refused(chain_of(scheme).expansion(2).bit_len(1024), "the size of a chain that grows is given");
        refused(chain_of(scheme).expansion(2).num_hashes(3), "the number of hashes of a chain that grows");
        let plan = chain_of(scheme).plan().unwrap();
        let planned = BloomFilter::builder().scheme(scheme).planned(plan);
        refused(planned.clone().expansion(2), "the size of a chain that grows is given");
        assert_eq!(planned.build_chain().unwrap().links().len(), 1);
        refused(chain_of(scheme).expansion(2).false_positive_rate(1.5), "1.5");
        refused(chain_of(scheme).expansion(2).false_positive_rate(f64::NAN), "NaN");
        refused(BloomFilter::builder().scheme(scheme).expansion(2), "capacity");
        let one = chain_of(scheme).expansion(2).build().unwrap_err().to_string();
        assert!(one.contains("the expansion is 2; it must be left out: one filter does not grow"), "{one}");
    }
    refused(chain_of(Scheme::RedisBloom).false_positive_rate(0.6), "0.6; it must be at most 0.25");
    refused(chain_of(Scheme::GuavaMitz64), "the scheme of a chain is guava-mitz64");
    refused(BloomFilter::builder().capacity(1).expansion(2), "the scheme of a chain is xxh3");
    refused(chain_of(Scheme::RedisBloom).capacity(u64::MAX).expansion(2), "more than this machine");
}

/// A link is full only by its number of items, whatever policy was asked for.
#[test]
fn links_are_filled_to_their_capacity() {
    for scheme in [Scheme::RedisBloom, Scheme::ValkeyBloom] {
        let builder = chain_of(scheme).over_capacity(OverCapacity::Refuse);
        let mut chain = builder.clone().expansion(1).build_chain().unwrap();
        (0..1000u32).for_each(|key| assert!(chain.insert(&key).is_ok()));
        let held: Vec<_> = chain.links().iter().map(|link| link.keys_inserted().unwrap()).collect();
        assert!(held.len() >= 9 && held[..held.len() - 1].iter().all(|keys| *keys == 100), "{held:?}");
        let mut fixed = builder.build_chain().unwrap();
        let new = (0..1000u32).map_while(|key| fixed.insert(&key).ok()).filter(|new| *new).count();
        assert_eq!((new, fixed.links().len()), (100, 1));
    }
}

/// The file of an empty chain equals what its program would write for an empty key.
#[test]
fn an_empty_chain_has_a_file() {
    for (scheme, format) in
        [(Scheme::RedisBloom, Format::RedisBloom), (Scheme::ValkeyBloom, Format::ValkeyBloom)]
    {
        for builder in [chain_of(scheme), chain_of(scheme).expansion(2)] {
            let file = Opened::new(builder.build_chain().unwrap(), format).unwrap();
            let bytes = file.to_bytes().unwrap();
            let again = tepal::Open::new().format(format).from_bytes(&bytes).unwrap();
            assert_eq!((again.to_bytes().unwrap(), again.filter().keys_inserted()), (bytes, Some(0)));
            assert!(!again.contains("a"));
        }
    }
}
