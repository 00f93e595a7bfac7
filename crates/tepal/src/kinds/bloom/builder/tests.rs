use super::*;

#[test]
fn another_filter_of_the_scheme_is_as_large_as_it_may_be() {
    let builder = BloomFilter::builder().scheme(Scheme::RedisBloom).capacity(100);
    let filter = builder.clone().key_domain(KeyDomain::Integer).build().unwrap();
    let larger = filter.same_hasher(5000, 0.001, u64::MAX).unwrap();
    assert_eq!((larger.capacity(), larger.promised_false_positive_rate()), (5000, 0.001));
    assert_eq!((larger.scheme(), larger.key_domain()), (Scheme::RedisBloom, KeyDomain::Integer));
    let direct = builder.capacity(5000).false_positive_rate(0.001).build().unwrap();
    assert_eq!((larger.bit_len(), larger.num_hashes()), (direct.bit_len(), direct.num_hashes()));
    let bytes = larger.size_in_bytes();
    assert!(filter.same_hasher(5000, 0.001, bytes).is_ok());
    let error = filter.same_hasher(5000, 0.001, bytes - 1).unwrap_err();
    assert!(matches!(error, Error::TooLarge { bytes: found } if found == bytes), "{error}");
}
