//! What cannot be built, and why.

use alloc::string::ToString;

use super::*;

#[test]
fn schemes_and_their_parameters() {
    let text = |builder: BloomFilterBuilder| builder.capacity(10).build().unwrap_err().to_string();
    let builder = BloomFilter::builder;
    assert!(text(builder().scheme(Scheme::SipHash13)).contains("the secret key is missing"));
    let secret = builder().scheme(Scheme::Dcso).secret_key(SecretKey::new([0; 16]));
    assert!(text(secret).contains("only the scheme `siphash13`"));
    assert!(text(builder().scheme(Scheme::Dcso).seed(1)).contains("this scheme has none"));
    assert!(text(builder().scheme(Scheme::Xxh64).seed(1)).contains("this scheme has none"));
    assert!(text(builder().scheme(Scheme::SparkV2).seed(1 << 40)).contains("32-bit"));
    assert!(text(builder().scheme(Scheme::Dcso).layout(Layout::Line)).contains("the layout is line"));
    assert!(text(builder().scheme(Scheme::Bkdr7).num_hashes(6)).contains("7 in the scheme"));
    assert!(text(builder().valkey_seed([0; 32]).scheme(Scheme::Dcso)).contains("another scheme"));
    let spark = builder().scheme(Scheme::SparkV2).seed(-7i64 as u64).capacity(10).build().unwrap();
    assert_eq!(spark.seed(), Some(u64::from(-7i32 as u32)));
    assert_eq!(spark.scheme(), Scheme::SparkV2);
}

#[test]
fn builders_refuse() {
    let text = |builder: BloomFilterBuilder| builder.build().unwrap_err().to_string();
    let none = text(BloomFilter::builder());
    assert!(none.contains("two of capacity"), "{none}");
    let both = text(BloomFilter::builder().capacity(1).seed(1).secret_key(SecretKey::new([0; 16])));
    assert!(both.contains("the seed"), "{both}");
    let labels = |name: &str| Labels { name: Some(name.to_string()), ..Labels::default() };
    for name in ["", "a\nb", "\u{7f}"] {
        let label = text(BloomFilter::builder().capacity(1).labels(labels(name)));
        assert!(label.contains("a label"), "{label}");
    }
    let long = text(BloomFilter::builder().capacity(1).labels(labels(&"x".repeat(70_000))));
    assert!(long.contains("65000"), "{long}");
    let huge = text(BloomFilter::builder().capacity(1 << 42).false_positive_rate(0.01));
    assert!(huge.contains("more than this machine"), "{huge}");
}
