//! Keys that are tuples, structs, addresses and numbers.
//!
//! ```sh
//! cargo run --release -p tepal --example own_keys
//! ```

use std::net::Ipv4Addr;

use tepal::{BloomFilter, Key, KeyDomain, KeyRef, KeySink};

struct Visit {
    from: Ipv4Addr,
    page: String,
}

impl Key for Visit {
    fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
        sink.put(&self.from).put(&self.page).finish()
    }
}

pub(crate) fn main() -> tepal::Result<()> {
    let mut seen = BloomFilter::builder().capacity(1000).build()?;

    let visit = Visit { from: Ipv4Addr::new(192, 0, 2, 1), page: "/home".into() };
    seen.insert(&visit)?;
    assert!(seen.contains(&("192.0.2.1", "/home"))); // a tuple of the same parts
    assert!(!seen.contains(&("192.0.2.1/", "home"))); // another border

    seen.insert_many(&[(7, "like"), (8, "like"), (8, "share")])?;
    assert!(seen.contains(&(8, "share")) && !seen.contains(&(7, "share")));

    // A number is the same key as its text, so that a list of lines and a database column agree.
    seen.insert(&42u64)?;
    assert!(seen.contains("42"));

    // In a filter of integers a number is hashed without a text: much faster, and text is refused.
    let mut ids = BloomFilter::builder().capacity(1000).key_domain(KeyDomain::Integer).build()?;
    ids.insert_iter(1..=1000u64)?;
    assert!(ids.contains(&7u16) && ids.contains("7") && ids.insert("seven").is_err());
    Ok(())
}
