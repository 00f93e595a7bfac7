use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc;
use alloc::vec;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::*;
use crate::BloomFilter;
use crate::error::Error;
use crate::ids::KeyDomain;
use crate::key::Recipe;

/// The bytes that are hashed for a key in a filter of bytes.
fn bytes(key: &dyn Key) -> Vec<u8> {
    KeyDomain::Bytes.encode(key.key(&mut KeySink::new()), <[u8]>::to_vec).unwrap()
}

#[test]
fn a_key_is_what_it_holds() {
    let texts: [&dyn Key; 7] = [
        &"a",
        &String::from("a"),
        &'a',
        &Box::<str>::from("a"),
        &Rc::<str>::from("a"),
        &&&b"a",
        &alloc::borrow::Cow::<str>::Borrowed("a"),
    ];
    for key in texts {
        assert_eq!(bytes(key), b"a");
    }
    #[cfg(target_has_atomic = "ptr")]
    assert_eq!(bytes(&Arc::<[u8]>::from(&b"a"[..])), b"a");
    assert_eq!(bytes(&'\u{1f511}'), "\u{1f511}".as_bytes());
    #[cfg(feature = "std")]
    {
        let path = std::path::Path::new("/etc/hosts");
        let paths: [&dyn Key; 4] =
            [&path, &path.to_path_buf(), &path.as_os_str(), &path.as_os_str().to_owned()];
        for key in paths {
            assert_eq!(bytes(key), b"/etc/hosts");
        }
    }
    let v4 = Ipv4Addr::new(192, 0, 2, 1);
    assert_eq!(bytes(&v4), b"192.0.2.1");
    assert_eq!(bytes(&IpAddr::from(v4)), b"192.0.2.1");
    assert_eq!(bytes(&Ipv6Addr::LOCALHOST), b"::1");
    let longest = Ipv6Addr::from([0xFFFF; 8]);
    assert_eq!(bytes(&longest), longest.to_string().as_bytes());
}

#[test]
fn integers_of_128_bits_are_those_of_64_as_far_as_these_go() {
    let integer = |key: &dyn Key| KeyDomain::Integer.encode(key.key(&mut KeySink::new()), <[u8]>::to_vec);
    for n in [0u64, 7, i64::MAX as u64, 1 << 63, u64::MAX] {
        for (key, small) in [(&u128::from(n) as &dyn Key, &n as &dyn Key), (&i128::from(n), &n)] {
            assert_eq!((bytes(key), integer(key).unwrap()), (bytes(small), integer(small).unwrap()));
        }
    }
    for n in [-1i64, i64::MIN] {
        let key = i128::from(n);
        assert_eq!((bytes(&key), integer(&key).unwrap()), (bytes(&n), integer(&n).unwrap()));
    }
    for key in [&(1u128 << 64) as &dyn Key, &u128::MAX, &(i128::from(i64::MIN) - 1), &i128::MAX, &i128::MIN] {
        assert!(matches!(integer(key), Err(Error::KeyRefused { domain: KeyDomain::Integer, .. })));
    }
    assert_eq!(bytes(&u128::MAX), u128::MAX.to_string().as_bytes());
    assert_eq!(bytes(&i128::MIN), i128::MIN.to_string().as_bytes());
}

#[test]
fn the_borders_between_parts_count() {
    let keys: [&dyn Key; 14] = [
        &("ab", "c"),
        &("a", "bc"),
        &("abc",),
        &("", "abc"),
        &("abc", ""),
        &(("ab", "c"),),
        &("ab", ("c",)),
        &(("ab",), "c"),
        &("abc", "", ""),
        &"abc",
        &b"\x04ab\x02c",
        &(("abc",),),
        &("a", "b", "c"),
        &(7u64, "abc"),
    ];
    for (i, a) in keys.into_iter().enumerate() {
        for (j, b) in keys.into_iter().enumerate() {
            assert_eq!(bytes(a) == bytes(b), i == j, "{i} {j}");
        }
    }
    assert_eq!(bytes(&(7u16, "x")), bytes(&("7", "x")));
    assert_eq!(bytes(&(-7i64, 'x')), bytes(&("-7", Box::new("x"))));
    assert_eq!(bytes(&KeySink::new().finish()), [COMPOUND]);
}

/// A struct with a list in it.
struct Page {
    host: String,
    tags: Tags,
}

struct Tags(Vec<String>);

impl Key for Page {
    fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
        sink.put(&self.host).put(&self.tags).finish()
    }
}

impl Key for Tags {
    fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
        self.0.iter().fold(sink, |sink, tag| sink.put(tag)).finish()
    }
}

#[test]
fn a_struct_is_a_key_in_every_call() {
    let page = |host: &str, tags: &[&str]| Page {
        host: host.into(),
        tags: Tags(tags.iter().map(|&tag| tag.into()).collect()),
    };
    let pages = [page("a.org", &[]), page("a.org", &["x"]), page("b.org", &["x", "y", &"long".repeat(50)])];
    let mut filter = BloomFilter::builder().capacity(1000).false_positive_rate(1e-6).build().unwrap();
    filter.insert_many(&pages).unwrap();
    let others = [page("a.org", &["x", ""]), page("a.orgx", &[]), page("b.org", &[])];
    assert_eq!(filter.contains_many(&pages), [true; 3]);
    assert_eq!(filter.contains_many(&others), [false; 3]);
    assert!(filter.contains(&pages[2]) && filter.contains_branching(&pages[0]));
    assert!(!filter.insert(&("a.org", ("x",))).unwrap());
    assert_eq!(filter.hash_key(&pages[1]).unwrap(), filter.key_hasher().hash(&("a.org", ("x",))).unwrap());
}

#[test]
fn none_but_the_domain_of_bytes_has_compound_keys() {
    for domain in KeyDomain::of_numbers() {
        let encoded = domain.encode(("1", "2").key(&mut KeySink::new()), <[u8]>::to_vec);
        match domain {
            KeyDomain::Bytes => assert!(encoded.is_ok()),
            _ => assert!(matches!(encoded, Err(Error::KeyRefused { domain: d, .. }) if d == domain)),
        }
    }
}

#[test]
fn a_recipe_changes_the_parts() {
    let recipe = Recipe::new().trim(true).nocase(true);
    let filter = BloomFilter::builder().capacity(10).recipe(recipe).build().unwrap();
    let key = filter.hash_key(&(" Alice ", 7, ("X\n", b"  "))).unwrap();
    assert_eq!(key, filter.hash_key(&("alice", "7", ("x", ""))).unwrap());
    assert_ne!(key, filter.hash_key(&("alice", "7", ("x", " y"))).unwrap());
}

/// A key longer than the stack part of a sink goes to the heap, whichever part it begins with. A
/// sink that is used again is empty.
#[test]
fn every_length() {
    let mut sink = KeySink::new();
    let texts =
        [0, 1, SHORT - 4, SHORT - 3, SHORT - 2, SHORT - 1, SHORT, SHORT + 1, 1000].map(|len| "a".repeat(len));
    for a in &texts {
        assert_eq!(sink.cleared().text(a), KeyRef::Bytes(a.as_bytes()));
        assert_eq!(sink.bytes(a.as_bytes()), KeyRef::Bytes(a.as_bytes()));
        for b in &texts {
            let mut expected = vec![COMPOUND];
            for text in [a, b] {
                let (head, len) = head_of_part(text.len(), false);
                expected.extend_from_slice(&head[..len]);
                expected.extend_from_slice(text.as_bytes());
            }
            let key = sink.cleared().put(a).put(b).finish();
            assert_eq!(key, KeyRef::Compound(Compound(&expected)));
            assert_eq!(bytes(&(a, b)), expected);
        }
    }
    assert_eq!(format!("{:?}", sink.cleared()), "KeySink { len: 0, .. }");
}

/// If a key writes to the sink several times, the last write counts, never a mixture.
#[test]
fn a_sink_is_one_key() {
    let mut sink = KeySink::new();
    sink.bytes(b"a~~~~");
    let expected = bytes(&("b",));
    assert_eq!(sink.put("b").finish(), KeyRef::Compound(Compound(&expected)));
    assert_eq!(sink.text(7), KeyRef::Bytes(b"7"));
    assert_eq!(sink.finish(), KeyRef::Compound(Compound(&[COMPOUND])));
    sink.put("c");
    assert_eq!(sink.bytes(b"d"), KeyRef::Bytes(b"d"));
}

proptest! {
    /// Different lists of parts are different keys.
    #[test]
    fn framing_is_unambiguous(
        a in prop::collection::vec("[ab\u{1}\u{2}\u{4}]{0,3}", 0..4),
        b in prop::collection::vec("[ab\u{1}\u{2}\u{4}]{0,3}", 0..4),
    ) {
        let same = a == b;
        prop_assert_eq!(bytes(&Tags(a)) == bytes(&Tags(b)), same);
    }
}
