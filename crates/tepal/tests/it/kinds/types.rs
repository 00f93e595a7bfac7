//! An opened file, a filter of any kind, a trait object and the type of a kind say the same: every
//! call has the same answer and the same effect, whichever of them it is called on.

use tepal::{
    AnyFilter, Ask, Change, Filter, MutableFilter, Opened, OverCapacity, facts::Labels, hash::PreparedKeys,
};

use crate::shared::kinds::{Numbered, all_kinds, is_large, numbers};

/// The keys of a test in every form that a call takes.
struct Given {
    texts: Vec<String>,
    hashes: Vec<u64>,
    prepared: PreparedKeys,
}

impl Given {
    fn new(file: &Opened, keys: Numbered) -> Self {
        let (hasher, mut prepared) = (file.key_hasher(), PreparedKeys::default());
        match keys {
            Numbered::Texts(texts) => {
                texts.iter().for_each(|text| hasher.prepare(text.as_str(), &mut prepared).unwrap());
                let hashes = texts.iter().filter_map(|text| hasher.hash(text.as_str()).ok()).collect();
                Given { texts, hashes, prepared }
            }
            Numbered::Hashes(hashes) => {
                Given { texts: Vec::new(), prepared: PreparedKeys::from_hashes(hashes.clone()), hashes }
            }
        }
    }
}

/// What every call says that changes nothing, with its name.
macro_rules! answers {
    ($filter:expr, $given:expr) => {{
        let (filter, given): (_, &Given) = ($filter, $given);
        let (texts, hashes) = (&given.texts, &given.hashes);
        let mut said = vec![
            ("kind", format!("{:?}", filter.kind())),
            ("can", format!("{:?}", filter.can())),
            ("key_hasher", format!("{:?}", filter.key_hasher().clone())),
            ("scheme", format!("{:?}", filter.scheme())),
            ("key_domain", format!("{:?}", filter.key_domain())),
            ("false_positive_rate", filter.false_positive_rate().to_string()),
            ("promised_false_positive_rate", filter.promised_false_positive_rate().to_string()),
            ("capacity", filter.capacity().to_string()),
            ("over_capacity", filter.over_capacity().to_string()),
            ("is_over_capacity", filter.is_over_capacity().to_string()),
            ("is_full", filter.is_full().to_string()),
            ("labels", format!("{:?}", filter.labels())),
            ("keys_inserted", format!("{:?}", filter.keys_inserted())),
            ("estimated_len", filter.estimated_len().to_string()),
            ("size_in_bytes", filter.size_in_bytes().to_string()),
            ("facts", format!("{:?}", Filter::facts(filter))),
            ("fill_of_slices", format!("{:?}", filter.fill_of_slices(5))),
            ("fold_factors", format!("{:?}", filter.fold_factors())),
            ("folded_size_in_bytes", format!("{:?}", filter.folded_size_in_bytes(2))),
            ("verify", format!("{:?}", filter.verify().is_ok())),
            ("contains", format!("{:?}", texts.iter().map(|text| filter.contains(text)).collect::<Vec<_>>())),
            ("contains_many", format!("{:?}", filter.contains_many(texts))),
            (
                "contains_hash",
                format!("{:?}", hashes.iter().map(|hash| filter.contains_hash(*hash)).collect::<Vec<_>>()),
            ),
            ("count", format!("{:?}", texts.iter().map(|text| Ask::count(filter, text)).collect::<Vec<_>>())),
        ];
        let mut into = vec![false; texts.len()];
        filter.contains_many_into(texts, &mut into);
        said.push(("contains_many_into", format!("{into:?}")));
        let mut bits = vec![0; texts.len().div_ceil(8)];
        filter.contains_many_bits(texts, &mut bits);
        said.push(("contains_many_bits", format!("{bits:?}")));
        let mut into = vec![false; given.prepared.len()];
        filter.contains_prepared(&given.prepared, &mut into);
        said.push(("contains_prepared", format!("{into:?}")));
        let mut into = vec![false; hashes.len()];
        filter.contains_many_hashes(hashes, &mut into);
        said.push(("contains_many_hashes", format!("{into:?}")));
        said
    }};
}

/// What every call says that changes the filter, and the facts of the filter then. `$new` makes the
/// filter.
macro_rules! changes {
    ($new:expr, $given:expr, $facts:expr) => {{
        let (new, given): (_, &Given) = ($new, $given);
        let (texts, hashes) = (&given.texts, &given.hashes);
        let mut said = Vec::new();
        macro_rules! change {
            ($name:literal, $changed:ident => $call:expr) => {{
                let mut $changed = new();
                let answer = $call.map_err(|error| error.to_string());
                said.push(($name, format!("{answer:?} {:?}", $facts(&$changed))));
            }};
        }
        for text in texts {
            change!("insert", to => to.insert(text));
            change!("remove", to => to.remove(text));
        }
        for hash in hashes {
            change!("insert_hash", to => to.insert_hash(*hash));
            change!("remove_hash", to => to.remove_hash(*hash));
        }
        change!("insert_many", to => to.insert_many(texts));
        change!("insert_iter", to => to.insert_iter(texts));
        change!("insert_prepared", to => to.insert_prepared(&given.prepared));
        change!("insert_many_hashes", to => to.insert_many_hashes(hashes));
        change!("remove_prepared", to => to.remove_prepared(&given.prepared));
        change!("clear", to => to.clear());
        for policy in OverCapacity::ALL {
            change!("set_over_capacity", to => to.set_over_capacity(*policy));
        }
        change!("set_labels", to => to.set_labels(Labels::new().name("other")));
        change!("advance_to", to => to.advance_to(u64::MAX));
        change!("set_clock", to => to.set_clock(1));
        said
    }};
}

/// Compares what is said on two ways, call by call.
fn same(name: &str, way: &str, said: &[(&str, String)], expected: &[(&str, String)]) {
    assert_eq!(said.len(), expected.len());
    for ((call, said), (_, expected)) in said.iter().zip(expected) {
        assert!(said == expected, "{name}, {way}: {call} says\n{said}, expected\n{expected}");
    }
}

/// A call that makes a copy of a filter.
type Copied<'a> = &'a dyn Fn() -> Box<dyn MutableFilter>;

fn answers_of(object: &dyn Filter, given: &Given) -> Vec<(&'static str, String)> {
    answers!(object, given)
}

fn changes_of(copied: Copied<'_>, given: &Given) -> Vec<(&'static str, String)> {
    changes!(copied, given, |filter: &Box<dyn MutableFilter>| filter.facts())
}

/// Compares every way to a filter with the type of its kind.
fn check(name: &str, file: &Opened, given: &Given) {
    macro_rules! own {
        ($own:expr) => {{
            let own = $own;
            let clone = own.clone();
            let copied: Box<dyn Fn() -> Box<dyn MutableFilter>> = Box::new(move || Box::new(clone.clone()));
            (answers!(own, given), own as &dyn Filter, copied)
        }};
    }
    let any = file.filter();
    let (own, object, copied) = match any {
        AnyFilter::Bloom(own) => own!(own),
        #[cfg(any(feature = "foreign", feature = "extras"))]
        AnyFilter::Scalable(own) => own!(own),
        #[cfg(feature = "table")]
        AnyFilter::Quotient(own) => own!(own),
        #[cfg(feature = "table")]
        AnyFilter::Growing(own) => own!(own),
        #[cfg(feature = "table")]
        AnyFilter::Expiring(own) => own!(own),
        #[cfg(feature = "table")]
        AnyFilter::Segment(own) => own!(own),
        #[cfg(feature = "static")]
        AnyFilter::Ribbon(own) => own!(own),
        #[cfg(feature = "static")]
        AnyFilter::Map(own) => own!(own),
        #[cfg(feature = "extras")]
        AnyFilter::Excepted(own) => own!(own),
        other => panic!("{name}: no way to the type of {other:?}"),
    };
    same(name, "a trait object", &answers_of(object, given), &own);
    same(name, "AnyFilter", &answers!(any, given), &own);
    same(name, "AnyFilter as an object", &answers_of(any, given), &own);
    same(name, "Opened", &answers!(file, given), &own);
    same(name, "Opened as an object", &answers_of(file, given), &own);

    let changes = changes_of(&*copied, given);
    same(name, "AnyFilter", &changes!(|| any.clone(), given, |any: &AnyFilter| any.facts()), &changes);
    same(name, "AnyFilter as an object", &changes_of(&|| Box::new(any.clone()), given), &changes);
    same(name, "Opened", &changes!(|| file.clone(), given, |file: &Opened| Filter::facts(file)), &changes);
    same(name, "Opened as an object", &changes_of(&|| Box::new(file.clone()), given), &changes);
}

#[test]
fn every_way_to_a_filter_says_the_same() {
    for kind in all_kinds().iter().filter(|kind| !is_large(&***kind)) {
        let file = kind.filled(40, &numbers(0..30)).unwrap();
        let given = Given::new(&file, kind.keys(&numbers(28..37)));
        check(kind.name(), &file, &given);
    }
}

#[cfg(feature = "extras")]
#[test]
fn every_way_to_exceptions_says_the_same() {
    let seen = tepal::BloomFilter::builder().capacity(100).false_positive_rate(0.3);
    let file = Opened::new(seen.build_from(0..100).unwrap(), tepal::file::Format::Tepal).unwrap();
    let others = Given::new(&file, Numbered::texts("", &numbers(100..200)));
    let mut exceptions = tepal::Exceptions::new();
    assert!(exceptions.take(file.filter(), &others.prepared) > 5);
    let excepted = file.clone().except(&exceptions).unwrap();
    let members = Given::new(&file, Numbered::texts("", &numbers(0..100)));
    let divided = file.divide(&exceptions, &members.prepared).unwrap();
    let given = Given::new(&excepted, Numbered::texts("", &numbers(95..110)));
    check("exceptions in a list", &excepted, &given);
    check("exceptions in a divider", &divided, &given);
}
