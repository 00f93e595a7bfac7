//! A derived key is that of the tuple of the fields, whatever the struct looks like.

#![deny(warnings)]

use std::borrow::Cow;
use std::net::Ipv4Addr;

use tepal::{BloomFilter, Key};

fn assert_same<A: Key + ?Sized, B: Key + ?Sized>(derived: &A, tuple: &B) {
    let hasher = BloomFilter::builder().capacity(1).build().unwrap().key_hasher();
    assert_eq!(hasher.hash(derived).unwrap(), hasher.hash(tuple).unwrap());
}

#[derive(Key)]
struct Visit {
    /// Whose.
    #[allow(dead_code, reason = "an attribute before a field")]
    pub user: u64,
    pub(crate) from: Ipv4Addr,
    r#type: String,
}

fn visit() -> Visit {
    Visit { user: 7, from: Ipv4Addr::LOCALHOST, r#type: "click".into() }
}

#[test]
fn fields_are_the_parts_in_their_order() {
    assert_same(&visit(), &(7, "127.0.0.1", "click"));

    #[derive(Key)]
    struct Numbered(pub u16, pub(crate) &'static str);
    assert_same(&Numbered(7, "x"), &(7, "x"));
    assert_same(&[Numbered(7, "x")][0], &("7", "x"));
}

#[test]
fn one_field_and_none_are_compound_keys_too() {
    #[derive(Key)]
    struct One {
        only: u64,
    }
    assert_same(&One { only: 7 }, &(7,));

    #[derive(Key)]
    struct Unit;
    #[derive(Key)]
    struct Braces {}
    #[derive(Key)]
    struct Parentheses();
    assert_same(&Unit, b"\xFF");
    assert_same(&Braces {}, b"\xFF");
    assert_same(&Parentheses(), b"\xFF");
}

#[test]
fn a_field_can_be_derived_itself() {
    #[derive(Key)]
    struct Session {
        first: Visit,
        rest: (Visit, Box<Unit>),
    }
    #[derive(Key)]
    struct Unit;
    let of_visit = || (7, "127.0.0.1", "click");
    let session = Session { first: visit(), rest: (visit(), Box::new(Unit)) };
    assert_same(&session, &(of_visit(), (of_visit(), Unit)));
}

/// Parameters with bounds, defaults and attributes; brackets, arrows and commas within types.
#[test]
fn generic_structs() {
    trait Named<T> {
        type Name: Key;
    }
    impl<T> Named<T> for u32 {
        type Name = &'static str;
    }

    #[derive(Key)]
    struct Pair<'a, 'key, A: ?Sized, B: Into<Vec<u8>> + Clone = Vec<u8>, const N: usize = { 1 + 1 }>
    where
        A: 'key,
        'a: 'key,
    {
        a: &'key A,
        b: Cow<'a, str>,
        c: (B, [u8; N]),
    }
    let pair: Pair<'_, '_, str> = Pair { a: "a", b: "b".into(), c: (vec![1], [2, 3]) };
    assert_same(&pair, &("a", "b", ([1], [2, 3])));

    #[derive(Key)]
    #[allow(clippy::type_complexity, reason = "types with arrows, commas and brackets")]
    struct Two<T: Named<fn(u8, T) -> Vec<T>>, F>(T::Name, F, <T as Named<fn(u8, T) -> Vec<T>>>::Name)
    where
        F: PartialEq<<T as Named<fn(u8, T) -> Vec<T>>>::Name>,
        [u8; {
            const LEN: usize = 1;
            LEN
        }]: Sized;
    assert_same(&Two::<u32, &str>("a", "b", "c"), &("a", "b", "c"));

    #[derive(Key)]
    struct Last<T: ?Sized> {
        first: u16,
        last: T,
    }
    let last: &Last<[u8]> = &Last { first: 1, last: *b"ab" };
    assert_same(last, &(1, "ab"));
}

#[test]
fn structs_of_a_macro() {
    macro_rules! record {
        ($visibility:vis $name:ident<$lifetime:lifetime>, $($field:ident: $type:ty),*) => {
            #[derive(Key)]
            $visibility struct $name<$lifetime> { $visibility $($field: $type),* }
        };
        ($name:ident($($type:ty),*)) => {
            #[derive(Key)]
            struct $name($($type),*);
        };
    }
    record!(pub(crate) Row<'a>, key: &'a str, sink: u64);
    record!(Numbers(u64, (u64, u64)));
    assert_same(&Row { key: "a", sink: 1 }, &("a", 1));
    assert_same(&Numbers(1, (2, 3)), &(1, (2, 3)));
}

/// Names of the user's that stand in the way of none of the generated names.
#[test]
fn other_names_are_no_obstacle() {
    mod core {}
    #[allow(
        non_camel_case_types,
        non_upper_case_globals,
        dead_code,
        reason = "names that the generated code could mean"
    )]
    mod inner {
        pub(super) struct KeySink;
        pub(super) const sink: u8 = 1;
        pub(super) trait finish {
            fn put(&self) {}
        }
        impl<T> finish for T {}

        #[derive(tepal::Key)]
        pub(super) struct Inner {
            pub(super) put: u64,
            pub(super) finish: u64,
        }
    }
    assert_same(&inner::Inner { put: 1, finish: 2 }, &(1, 2));
}

#[test]
fn a_filter_takes_them_in_every_call() {
    let visits: Vec<Visit> = (0..100).map(|user| Visit { user, ..visit() }).collect();
    let mut seen = BloomFilter::builder().capacity(100).false_positive_rate(1e-9).build().unwrap();
    seen.insert_many(&visits[..50]).unwrap();
    let answers = seen.contains_many(&visits);
    assert_eq!(answers, (0..100).map(|user| user < 50).collect::<Vec<_>>());
    assert!(seen.contains(&(49, Ipv4Addr::LOCALHOST, "click")));
}
