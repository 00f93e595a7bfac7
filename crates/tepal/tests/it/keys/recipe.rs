//! The recipe (trim, nocase) belongs to the filter. It is applied to every key that is bytes or
//! text, by every call, before and after a file, and by threads that hash ahead. No caller has to
//! apply it.

use tepal::{
    AnyFilter, BloomFilter, Column, Error, KeyDomain, Opened, Recipe, Result, Scheme, SecretKey,
    file::Format,
    hash::{KeyHasher, PreparedKeys},
};

/// Inserts and lookups use two forms of one key.
const FORMS: [[&str; 2]; 4] = [
    ["alice@x.org", " Alice@X.org "],
    ["\tBOB@x.ORG\r\n", "bob@x.org"],
    ["CAROL@X.ORG", "\u{b}carol@x.org\u{c}"],
    // Letters that are not ASCII keep their case, and inner white space stays.
    ["\u{c4}rger  im B\u{dc}RO", " \u{c4}RGER  IM b\u{dc}ro "],
];
/// Other keys, however alike.
const OTHERS: [&str; 5] =
    ["alice@x.or", "alice @x.org", "\u{e4}rger  im b\u{fc}ro", "\u{c4}rger im B\u{dc}RO", ""];

const BOTH: Recipe = Recipe::new().trim(true).nocase(true);

/// Every scheme that takes keys.
fn filters() -> Vec<BloomFilter> {
    let builder = |scheme: Scheme| {
        let builder = BloomFilter::builder().capacity(2000).false_positive_rate(1e-4).recipe(BOTH);
        match scheme {
            Scheme::SipHash13 => builder.secret_key(SecretKey::new(*b"sixteen secrets!")),
            // Its program has three rates.
            Scheme::Md5Presets => builder.scheme(scheme).false_positive_rate(0.001),
            scheme => builder.scheme(scheme),
        }
    };
    let takes_keys = |scheme: &&Scheme| {
        **scheme != Scheme::CallerHash && (cfg!(feature = "foreign") || **scheme < Scheme::Md5Presets)
    };
    Scheme::ALL.iter().filter(takes_keys).map(|scheme| builder(*scheme).build().unwrap()).collect()
}

fn given() -> Vec<&'static str> {
    FORMS.iter().map(|[given, _]| *given).collect()
}

fn asked() -> Vec<&'static str> {
    FORMS.iter().map(|[_, asked]| *asked).collect()
}

/// A column of texts, in Arrow's layout.
fn with_column<R>(texts: &[&str], with: impl FnOnce(&Column<'_>) -> R) -> R {
    let mut offsets = vec![0i32];
    let mut data = Vec::new();
    for text in texts {
        data.extend_from_slice(text.as_bytes());
        offsets.push(data.len() as i32);
    }
    with(&Column::new(&offsets, &data).unwrap())
}

fn prepared(hasher: &KeyHasher, texts: &[&str]) -> PreparedKeys {
    let mut keys = PreparedKeys::default();
    texts.iter().for_each(|text| hasher.prepare(*text, &mut keys).unwrap());
    keys
}

/// Every lookup call finds these texts, or none does.
fn check_every_way(filter: &BloomFilter, texts: &[&str], held: bool) {
    let what = filter.scheme();
    let expected = vec![held; texts.len()];
    for text in texts {
        assert_eq!(filter.contains(*text), held, "{what}: {text:?}");
        assert_eq!(filter.contains(text.as_bytes()), held, "{what}: {text:?}");
        assert_eq!(filter.contains(&text), held, "{what}: {text:?}");
        assert_eq!(filter.contains_branching(*text), held, "{what}: {text:?}");
    }
    assert_eq!(filter.contains_many(texts), expected, "{what}");
    let mut answers = vec![!held; texts.len()];
    filter.contains_many_into(texts, &mut answers);
    assert_eq!(answers, expected, "{what}");
    let mut bits = vec![0; texts.len().div_ceil(8)];
    filter.contains_many_bits(texts, &mut bits);
    assert_eq!(bits, bitmap(&expected), "{what}");
    with_column(texts, |column| {
        assert_eq!(filter.contains_many(column), expected, "{what}");
        bits.fill(0x55);
        filter.contains_many_bits(column, &mut bits);
        assert_eq!(bits, bitmap(&expected), "{what}");
    });

    let hasher = filter.key_hasher();
    let texts_of_thread: Vec<String> = texts.iter().map(|text| text.to_string()).collect();
    let ahead = std::thread::spawn(move || {
        prepared(&hasher, &texts_of_thread.iter().map(String::as_str).collect::<Vec<_>>())
    });
    let ahead = ahead.join().unwrap();
    assert_eq!(ahead, prepared(&filter.key_hasher(), texts));
    answers.fill(!held);
    filter.contains_prepared(&ahead, &mut answers);
    assert_eq!(answers, expected, "{what}");
    if !filter.has_hash() {
        return assert!(matches!(filter.hash_key(texts[0]), Err(Error::NoHash { .. })));
    }
    for text in texts {
        let hash = filter.hash_key(*text).unwrap();
        assert_eq!(filter.key_hasher().hash(*text).unwrap(), hash);
        assert_eq!(filter.contains_hash(hash), held, "{what}: {text:?}");
    }
}

fn bitmap(answers: &[bool]) -> Vec<u8> {
    answers
        .chunks(8)
        .map(|chunk| chunk.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit)))
        .collect()
}

#[cfg(feature = "parallel")]
fn check_bulk(filter: &BloomFilter, texts: &[&str], held: bool) {
    let threads = std::num::NonZeroUsize::new(2).unwrap();
    let many: Vec<&str> = texts.iter().copied().cycle().take(40_000).collect();
    assert_eq!(filter.contains_bulk(&many, threads), vec![held; many.len()]);
    let any = AnyFilter::from(filter.clone());
    assert_eq!(any.contains_bulk(&many, threads), vec![held; many.len()]);
}

#[cfg(not(feature = "parallel"))]
fn check_bulk(_: &BloomFilter, _: &[&str], _: bool) {}

/// Inserted in either form and by either call, the other form is found by every call.
#[test]
fn every_call_applies_the_recipe() {
    for empty in filters() {
        for (insert, ask) in [(given(), asked()), (asked(), given())] {
            let mut files = Vec::new();
            for way in 0..6 {
                let mut filter = empty.clone();
                match way {
                    0 => insert.iter().for_each(|text| assert!(filter.insert(*text).unwrap())),
                    1 => filter.insert_many(&insert).unwrap(),
                    2 => with_column(&insert, |column| filter.insert_many(column)).unwrap(),
                    3 => {
                        let keys = prepared(&filter.key_hasher(), &insert);
                        filter.insert_prepared(&keys).unwrap();
                    }
                    4 if filter.has_hash() => {
                        let hashes: Result<Vec<u64>> =
                            insert.iter().map(|text| filter.hash_key(*text)).collect();
                        filter.insert_many_hashes(&hashes.unwrap()).unwrap();
                    }
                    4 => filter.insert_many(&insert).unwrap(),
                    _ => {
                        let shared = filter.into_shared().unwrap();
                        insert.iter().for_each(|text| assert!(shared.insert(*text).unwrap()));
                        filter = shared.into_owned().unwrap();
                    }
                }
                for texts in [&insert, &ask] {
                    check_every_way(&filter, texts, true);
                    check_bulk(&filter, texts, true);
                }
                // The same key again: nothing is new.
                for text in &ask {
                    assert!(!filter.clone().insert(*text).unwrap(), "{}: {text:?}", filter.scheme());
                }
                check_every_way(&filter, &OTHERS, false);
                check_bulk(&filter, &OTHERS, false);
                files.push(filter.to_bytes().unwrap());
            }
            assert!(files.iter().all(|file| *file == files[0]), "{}", empty.scheme());
        }
    }
}

/// Many keys on several threads, enough to be sorted first.
#[cfg(feature = "parallel")]
#[test]
fn building_in_bulk_applies_the_recipe() {
    let threads = std::num::NonZeroUsize::new(2).unwrap();
    let keys: Vec<String> = (0..1_200_000).map(|i| format!(" Key {i:x} ")).collect();
    let twins: Vec<String> = keys.iter().map(|key| key.trim().to_lowercase()).collect();
    // 16 MiB, and 8 MiB are sorted by two threads.
    let empty =
        BloomFilter::builder().bit_len(1 << 27).false_positive_rate(0.01).recipe(BOTH).build().unwrap();
    let (mut bulk, mut batch) = (empty.clone(), empty);
    bulk.insert_bulk(&keys, threads).unwrap();
    batch.insert_many(&twins).unwrap();
    assert!(bulk == batch && bulk.keys_inserted() == batch.keys_inserted());
    assert!(bulk.contains_bulk(&twins, threads).into_iter().all(|held| held));
}

/// A filter of any kind and its file apply the recipe too, and so does every program that opens the
/// file.
#[test]
fn files_keep_the_recipe_and_apply_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recipe.tepal");
    for empty in filters() {
        let what = empty.scheme();
        let secret = SecretKey::new(*b"sixteen secrets!");
        let open = match what {
            Scheme::SipHash13 => tepal::Open::new().secret_key(&secret),
            _ => tepal::Open::new(),
        };
        let mut any = AnyFilter::from(empty.clone());
        any.insert_many(&given()).unwrap();
        let mut file = Opened::new(empty.clone(), Format::Tepal).unwrap();
        given().iter().for_each(|text| assert!(file.insert(*text).unwrap(), "{what}"));
        let bytes = file.to_bytes().unwrap();
        assert_eq!(bytes, Opened::new(any.clone(), Format::Tepal).unwrap().to_bytes().unwrap(), "{what}");
        file.save(&path).unwrap();

        let mut opened = open.open(&path).unwrap();
        let quick = open.quick().open(&path).unwrap();
        for file in [&file, &opened, &quick, &open.from_bytes(&bytes).unwrap()] {
            check_opened(file, &asked(), true);
            check_opened(file, &given(), true);
            check_opened(file, &OTHERS, false);
            let AnyFilter::Bloom(typed) = file.filter() else { panic!("{what}") };
            check_every_way(typed, &asked(), true);
            check_every_way(typed, &OTHERS, false);
            assert_eq!(file.filter().facts().recipe, BOTH);
        }
        // Inserts into the mapped file, which is copied first: the other form is no new key, and a
        // new key is found.
        assert!(asked().iter().all(|text| !opened.insert(*text).unwrap()), "{what}");
        opened.insert(" New@X.org").unwrap();
        assert!(opened.contains("nEW@x.org "), "{what}");

        let typed = match what {
            Scheme::SipHash13 => BloomFilter::open_with_key(&path, &secret).unwrap(),
            _ => BloomFilter::open(&path).unwrap(),
        };
        check_every_way(&typed, &asked(), true);
        let again = match what {
            Scheme::SipHash13 => BloomFilter::from_bytes_with_key(&bytes, &secret).unwrap(),
            _ => BloomFilter::from_bytes(&bytes).unwrap(),
        };
        check_every_way(&again, &asked(), true);
        check_bulk(&again, &asked(), true);
    }
}

fn check_opened(file: &Opened, texts: &[&str], held: bool) {
    let expected = vec![held; texts.len()];
    for text in texts {
        assert_eq!(file.contains(*text), held, "{text:?}");
        assert_eq!(file.filter().contains(*text), held, "{text:?}");
    }
    assert_eq!(file.contains_many(texts), expected);
    assert_eq!(file.filter().contains_many(texts), expected);
    let mut answers = vec![!held; texts.len()];
    file.filter().contains_prepared(&prepared(&file.key_hasher(), texts), &mut answers);
    assert_eq!(answers, expected);
    let mut bits = vec![0x55; texts.len().div_ceil(8)];
    file.filter().contains_many_bits(texts, &mut bits);
    assert_eq!(bits, bitmap(&expected));
}

/// Each half works alone.
#[test]
fn trim_and_nocase_by_themselves() {
    for (recipe, found, not_found) in [
        (Recipe::new().trim(true), "\n alice@x.org\t", "Alice@x.org"),
        (Recipe::new().nocase(true), "ALICE@X.ORG", "alice@x.org "),
        (Recipe::default(), "alice@x.org", "alice@x.org\n"),
    ] {
        let builder = BloomFilter::builder().capacity(100).false_positive_rate(1e-6).recipe(recipe);
        let mut filter = builder.build().unwrap();
        filter.insert("alice@x.org").unwrap();
        check_every_way(&filter, &[found], true);
        check_every_way(&filter, &[not_found], false);
    }
}

/// First the recipe, then the domain: text around an integer is trimmed before it is parsed. An
/// integer that is given as a number is not changed.
#[test]
fn the_recipe_comes_before_the_domain() {
    let domains = [KeyDomain::Integer, KeyDomain::Integer32, KeyDomain::Float64];
    for &domain in &domains[..if cfg!(feature = "foreign") { 3 } else { 1 }] {
        let recipe = Recipe::new().trim(true);
        let builder = BloomFilter::builder().capacity(100).key_domain(domain).recipe(recipe);
        let mut filter = builder.build().unwrap();
        filter.insert(" 42\n").unwrap();
        assert!(filter.contains("42") && filter.contains(&42u64) && filter.contains(&42i32), "{domain}");
        check_every_way(&filter, &["42", "\t42"], true);
        filter.insert(&-7).unwrap();
        assert!(filter.contains("-7 "), "{domain}");
        assert!(matches!(filter.insert("4 2"), Err(Error::KeyRefused { .. })), "{domain}");
        assert!(!filter.contains("4 2"), "{domain}");
    }
}

/// The hashes of a filter with a recipe are those of its keys after the recipe, and have no meaning
/// for a filter without one.
#[test]
fn hashers_with_and_without_a_recipe() {
    let plain = BloomFilter::builder().capacity(100).build().unwrap();
    let with = BloomFilter::builder().capacity(100).recipe(BOTH).build().unwrap();
    assert_eq!(with.hash_key(" Alice@X.org ").unwrap(), plain.hash_key("alice@x.org").unwrap());
    assert_ne!(plain.hash_key(" Alice@X.org ").unwrap(), plain.hash_key("alice@x.org").unwrap());
    assert_ne!(with.key_hasher(), plain.key_hasher());
    assert_eq!((with.key_hasher().recipe(), with.recipe()), (BOTH, BOTH));
    let refused = with.clone().union_with(&plain);
    assert!(matches!(refused, Err(Error::Incompatible { property: "key recipe", .. })), "{refused:?}");
}

/// Other programs would not apply it, so their formats refuse it.
#[cfg(feature = "foreign")]
#[test]
fn other_programs_files_have_no_recipe() {
    use tepal::error::Obstacle;
    for &format in Format::ALL.iter().filter(|format| **format != Format::Tepal) {
        let builder = BloomFilter::builder().capacity(100).scheme(format.schemes()[0]).recipe(BOTH);
        let builder = format.layout().map_or(builder.clone(), |layout| builder.layout(layout));
        let refused = Opened::new(builder.build().unwrap(), format);
        let recipe = matches!(refused, Err(Error::Unconvertible { obstacle: Obstacle::Recipe, .. }));
        assert!(recipe, "{format}: {refused:?}");
    }
}
