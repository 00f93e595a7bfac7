//! The vectors in `testdata/vectors`, which the independent reference wrote, hold for the library.

#[cfg(feature = "extras")]
mod chains;
#[cfg(feature = "extras")]
mod exceptions;
#[cfg(feature = "table")]
mod expiring;
#[cfg(feature = "table")]
mod growing_tables;
#[cfg(feature = "static")]
mod map;
mod of_kind;
#[cfg(feature = "extras")]
mod patches;
#[cfg(feature = "table")]
mod quotient;
mod refused;
#[cfg(feature = "static")]
mod ribbon;
#[cfg(feature = "foreign")]
mod schemes;
#[cfg(feature = "table")]
mod segment;
mod sizes;

use std::fs;
use std::net::IpAddr;
use std::path::Path;

use serde_json::Value;
#[cfg(feature = "seal")]
use tepal::SealKey;
use tepal::{
    BloomFilter, Error, Key, KeyDomain, KeyRef, KeySink, Layout, Open, Opened, OverCapacity, Recipe, Scheme,
    SecretKey, file::Format, hash::finish_hash,
};

fn vectors(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/vectors").join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// The cases of one list, which must not be empty.
fn cases<'a>(file: &'a Value, list: &str) -> &'a [Value] {
    let cases = file[list].as_array().unwrap_or_else(|| panic!("no list {list}"));
    assert!(cases.len() >= 15, "{list} has only {} cases", cases.len());
    cases
}

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or_else(|| panic!("no text {field} in {case}"))
}

/// A 64-bit number: as a text `0x` and hexadecimal, or decimal; a small one also as a number.
fn number(value: &Value) -> u64 {
    let Some(text) = value.as_str() else { return value.as_u64().unwrap_or_else(|| panic!("{value}")) };
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

fn small(case: &Value, field: &str) -> u32 {
    case[field].as_u64().unwrap_or_else(|| panic!("no number {field} in {case}")) as u32
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn secret(case: &Value) -> Option<SecretKey> {
    let hex = case.get("secret_key")?.as_str()?;
    Some(SecretKey::new(bytes(hex).try_into().unwrap()))
}

/// Opens a file of the vectors with the keys of the case; without the feature `seal` every sealed
/// file is refused.
fn open_file(case: &Value, file: &[u8]) -> tepal::Result<Opened> {
    let secret = secret(case);
    let mut open = Open::new();
    if let Some(key) = &secret {
        open = open.secret_key(key);
    }
    #[cfg(feature = "seal")]
    if let Some(hex) = case.get("seal_key") {
        let key = SealKey::new(&bytes(hex.as_str().unwrap())).unwrap();
        return open.seal_key(&key).from_bytes(file);
    }
    open.from_bytes(file)
}

/// Its filter. If there is no seal, the call that returns a Bloom filter at once agrees.
fn open(case: &Value, file: &[u8]) -> tepal::Result<BloomFilter> {
    let opened = open_file(case, file).and_then(|file| file.into_filter().into_bloom()?.into_owned());
    if case.get("seal_key").is_none() {
        let typed = match secret(case) {
            Some(key) => BloomFilter::from_bytes_with_key(file, &key),
            None => BloomFilter::from_bytes(file),
        };
        match (&opened, &typed) {
            (Ok(opened), Ok(typed)) => assert!(opened == typed, "{case}"),
            // Bytes that are no tepal file may be another program's; the error of each call tells
            // how to open it.
            (Err(Error::NotTepal { .. }), Err(Error::NotTepal { .. })) => {}
            (Err(opened), Err(typed)) => assert_eq!(opened.to_string(), typed.to_string(), "{case}"),
            _ => panic!("{}, {}: {case}", opened.is_ok(), typed.is_ok()),
        }
    }
    opened
}

fn layout(case: &Value) -> Layout {
    text(case, "layout").parse().unwrap()
}

fn recipe(case: &Value) -> Recipe {
    let flags = small(case, "recipe");
    Recipe::new().trim(flags & 1 != 0).nocase(flags & 2 != 0)
}

fn empty_filter(case: &Value, domain: KeyDomain) -> BloomFilter {
    let builder = BloomFilter::builder().capacity(1).key_domain(domain);
    let builder = match secret(case) {
        Some(key) => builder.secret_key(key),
        None => builder.seed(number(&case["seed"])),
    };
    builder.build().unwrap()
}

#[test]
fn hashes() {
    let file = vectors("hashes.json");
    for case in cases(&file, "hashes") {
        let key = &case["key"];
        let key = match key.get("hex") {
            Some(hex) => bytes(hex.as_str().unwrap()),
            None => {
                let pattern = bytes(text(key, "repeat_hex"));
                pattern.into_iter().cycle().take(small(key, "len") as usize).collect()
            }
        };
        let filter = empty_filter(case, KeyDomain::Bytes);
        assert_eq!(filter.hash_key(&key).unwrap(), number(&case["hash"]), "{case}");
    }
}

#[test]
fn key_domains() {
    let file = vectors("hashes.json");
    for case in cases(&file, "domains") {
        let domain: KeyDomain = text(case, "domain").parse().unwrap();
        if !cfg!(feature = "foreign") && domain > KeyDomain::Integer {
            continue;
        }
        let value = text(case, "value");
        let filter = BloomFilter::builder().capacity(1).key_domain(domain).build().unwrap();
        let as_bytes = BloomFilter::builder().capacity(1).build().unwrap();
        let expected = case["bytes"].as_str().map(|hex| as_bytes.hash_key(&bytes(hex)).unwrap());
        let raw = if text(case, "given") == "hex" { bytes(value) } else { Vec::new() };
        let key = match (text(case, "given"), value.parse::<u64>(), value.parse::<i64>()) {
            ("text", ..) => KeyRef::Bytes(value.as_bytes()),
            ("hex", ..) => KeyRef::Bytes(&raw),
            (_, Ok(unsigned), _) => KeyRef::Unsigned(unsigned),
            (_, _, Ok(signed)) => KeyRef::Signed(signed),
            _ => panic!("{case}"),
        };
        assert_eq!(filter.hash_key(&key).ok(), expected, "{case}");
        if expected.is_none() {
            assert!(matches!(filter.hash_key(&key), Err(Error::KeyRefused { .. })), "{case}");
        }
    }
}

#[test]
fn recipes() {
    let file = vectors("hashes.json");
    for case in cases(&file, "recipes") {
        let result = bytes(text(case, "result"));
        assert_eq!(*recipe(case).apply(&bytes(text(case, "key"))), *result, "{case}");
    }
}

/// The function that makes a caller's weak hash usable.
#[test]
fn finished_hashes() {
    let file = vectors("hashes.json");
    for case in cases(&file, "finish") {
        assert_eq!(finish_hash(number(&case["hash"])), number(&case["finished"]), "{case}");
    }
}

#[test]
fn files() {
    let file = vectors("files.json");
    for case in cases(&file, "files") {
        let name = text(case, "name");
        let rate = case["false_positive_rate"].as_f64().unwrap();
        let policy: OverCapacity = text(case, "over_capacity").parse().unwrap();

        // Reads the reference's file, if it is there.
        let whole = case.get("file").map(|hex| bytes(hex.as_str().unwrap()));
        let sealed = case.get("seal_key").is_some();
        if let (false, true, Some(bytes)) = (cfg!(feature = "seal"), sealed, &whole) {
            assert!(matches!(open(case, bytes), Err(Error::Unsupported { .. })), "{name}");
            continue;
        }
        let scheme: Scheme = text(case, "scheme").parse().unwrap();
        let domain: KeyDomain = text(case, "key_domain").parse().unwrap();
        let is_own = scheme < Scheme::Md5Presets && domain <= KeyDomain::Integer;
        if !cfg!(feature = "foreign") && !is_own {
            if let Some(bytes) = &whole {
                assert!(matches!(open(case, bytes), Err(Error::Unsupported { .. })), "{name}");
            }
            continue;
        }
        let mut filter = match &whole {
            Some(bytes) => open(case, bytes).unwrap(),
            None => {
                let builder = BloomFilter::builder()
                    .layout(layout(case))
                    .num_hashes(small(case, "num_hashes"))
                    .bit_len(number(&case["bit_len"]))
                    .capacity(number(&case["capacity"]))
                    .over_capacity(policy);
                let builder = match case.get("seed") {
                    Some(seed) => builder.seed(number(seed)),
                    None => builder.scheme(text(case, "scheme").parse().unwrap()),
                };
                builder.build().unwrap()
            }
        };
        assert_eq!(filter.layout(), layout(case), "{name}");
        assert_eq!(filter.num_hashes(), small(case, "num_hashes"), "{name}");
        assert_eq!(filter.bit_len(), number(&case["bit_len"]), "{name}");
        assert_eq!(filter.scheme().to_string(), text(case, "scheme"), "{name}");
        let caller_hash = case.get("caller_hash").map(|name| name.as_str().unwrap());
        assert_eq!(filter.key_hasher().caller_hash().as_deref(), caller_hash, "{name}");
        assert_eq!(caller_hash.is_some(), scheme == Scheme::CallerHash, "{name}");
        assert_eq!(filter.key_domain().to_string(), text(case, "key_domain"), "{name}");
        assert_eq!(filter.over_capacity(), policy, "{name}");
        assert_eq!(filter.capacity(), number(&case["capacity"]), "{name}");
        if let Some(bytes) = &whole {
            let file_len = filter.file_len() + if sealed { 32 } else { 0 };
            assert_eq!(file_len, number(&case["file_len"]), "{name}");
            assert_eq!(filter.promised_false_positive_rate(), rate, "{name}");
            assert_eq!(filter.recipe(), recipe(case), "{name}");
            assert_eq!(filter.labels(), &of_kind::labels(case), "{name}");
            assert_eq!(filter.set_bits(), number(&case["set_bits"]), "{name}");
            let inserted = number(&case["keys_inserted"]);
            assert_eq!(filter.keys_inserted(), Some(inserted).filter(|n| *n != u64::MAX), "{name}");
            let opened = open_file(case, bytes).unwrap();
            assert_eq!(&of_kind::write(case, &opened), bytes, "{name}");
            assert_eq!((opened.format(), opened.is_sealed()), (Format::Tepal, sealed), "{name}");
            assert_eq!(opened.facts().unwrap().file.unwrap().file_len, file_len, "{name}");
            // It can be written unsealed after it was opened.
            assert_eq!(opened.to_bytes().unwrap(), filter.to_bytes().unwrap(), "{name}");
        }

        // Inserts the same keys into the emptied filter: the same bits again.
        let before = filter.clone();
        filter.clear().unwrap();
        filter.set_over_capacity(OverCapacity::Ignore).unwrap();
        // The original keys: the filter applies its recipe.
        for key in case["keys"].as_array().unwrap() {
            filter.insert(key.as_str().unwrap()).unwrap();
        }
        for hash in case.get("hashes").map_or(&[][..], |hashes| hashes.as_array().unwrap()) {
            filter.insert_hash(number(hash)).unwrap();
        }
        if let Some(numbered) = case.get("numbered_keys").filter(|n| !n.is_null()) {
            for i in 0..number(&numbered["count"]) {
                filter.insert(&format!("{}{i}", text(numbered, "prefix"))).unwrap();
            }
        }
        assert_eq!(filter.set_bits(), number(&case["set_bits"]), "{name}");
        match &whole {
            Some(_) => assert!(filter == before, "{name}"),
            None => {
                // The reference's header with the library's body is a file that passes every check.
                let ours = filter.to_bytes().unwrap();
                let mut file = bytes(text(case, "header"));
                file.extend_from_slice(&ours[ours.len() - filter.size_in_bytes() as usize..]);
                file.extend(case.get("seal").map(|hex| bytes(hex.as_str().unwrap())).unwrap_or_default());
                match open(case, &file) {
                    Err(Error::Unsupported { .. }) if !cfg!(feature = "seal") && sealed => {}
                    opened => assert!(opened.unwrap() == filter, "{name}"),
                }
            }
        }
        let embedded = filter.to_embedded().unwrap();
        let (body, trailer) = embedded.split_at(embedded.len() - 16);
        assert_eq!(trailer, bytes(text(case, "embedded_trailer")), "{name}");
        assert_eq!(body, &filter.to_bytes().unwrap()[filter.file_len() as usize - body.len()..], "{name}");
        assert!(BloomFilter::from_embedded(&embedded, &filter.key_hasher()).unwrap() == filter, "{name}");
        for probe in case["probes"].as_array().unwrap() {
            let answer = match probe.get("hash") {
                Some(hash) => filter.contains_hash(number(hash)),
                None => {
                    let key = text(probe, "key");
                    // For information: the key after the filter's recipe.
                    let after = probe.get("after_recipe").map_or(key, |key| key.as_str().unwrap());
                    assert_eq!(*recipe(case).apply(key.as_bytes()), *after.as_bytes(), "{name}: {probe}");
                    filter.contains(key)
                }
            };
            assert_eq!(answer, probe["answer"].as_bool().unwrap(), "{name}: {probe}");
        }
    }
}

/// The reference knows every layout, scheme, key domain and policy: a new one is written there
/// first.
#[test]
fn every_member_is_in_the_vectors() {
    let file = vectors("files.json");
    let in_files =
        |field: &str, name: &str| cases(&file, "files").iter().any(|case| text(case, field) == name);
    let members = |field, names: Vec<&str>| {
        names.iter().for_each(|name| assert!(in_files(field, name), "no file of the {field} {name}"));
    };
    members("layout", Layout::ALL.iter().map(|layout| layout.name()).collect());
    members("scheme", Scheme::ALL.iter().map(|scheme| scheme.name()).collect());
    members("key_domain", KeyDomain::ALL.iter().map(|domain| domain.name()).collect());
    members("over_capacity", OverCapacity::ALL.iter().map(|policy| policy.name()).collect());
}

#[test]
fn seeds() {
    let file = vectors("hashes.json");
    for case in cases(&file, "seeds") {
        let builder = BloomFilter::builder();
        let builder = match case["purpose"].as_str() {
            Some(purpose) => builder.seed_for(purpose),
            None => builder,
        };
        assert_eq!(builder.key_hasher().unwrap().seed(), Some(number(&case["seed"])), "{case}");
    }
}

/// A part of a compound key of the vectors.
struct Part<'a>(&'a Value);

impl Key for Part<'_> {
    fn key<'a>(&'a self, sink: &'a mut KeySink) -> KeyRef<'a> {
        match self.0 {
            Value::String(text) => text.key(sink),
            Value::Array(parts) => parts.iter().fold(sink, |sink, part| sink.put(&Part(part))).finish(),
            part => match (part.get("hex"), part.get("integer").map(|n| n.as_str().unwrap())) {
                (Some(hex), _) => sink.bytes(&bytes(hex.as_str().unwrap())),
                (_, Some(n)) => match (n.parse::<u64>(), n.parse::<i64>()) {
                    (Ok(n), _) => KeyRef::Unsigned(n),
                    (_, Ok(n)) => KeyRef::Signed(n),
                    _ => sink.text(n.parse::<i128>().unwrap()),
                },
                _ => panic!("{part}"),
            },
        }
    }
}

#[test]
fn compound_keys() {
    let file = vectors("hashes.json");
    let plain = BloomFilter::builder().capacity(1).build().unwrap();
    for case in cases(&file, "compounds") {
        let filter = BloomFilter::builder().capacity(1).recipe(recipe(case)).build().unwrap();
        let key = Part(&case["parts"]);
        let expected = bytes(text(case, "bytes"));
        assert_eq!(filter.hash_key(&key).unwrap(), plain.hash_key(&expected).unwrap(), "{case}");
    }
}

/// The parts of a key as the fields of a struct, for keys of up to three parts.
#[cfg(feature = "derive")]
#[test]
fn derived_keys() {
    #[derive(Key)]
    struct None;
    #[derive(Key)]
    struct One<'a> {
        only: Part<'a>,
    }
    #[derive(Key)]
    struct Two<'a>(Part<'a>, Part<'a>);
    #[derive(Key)]
    struct Three<A, B, C> {
        a: A,
        b: B,
        c: C,
    }
    let file = vectors("hashes.json");
    let plain = BloomFilter::builder().capacity(1).build().unwrap();
    let mut checked = [0; 4];
    for case in cases(&file, "compounds") {
        let filter = BloomFilter::builder().capacity(1).recipe(recipe(case)).build().unwrap();
        let parts: Vec<_> = case["parts"].as_array().unwrap().iter().map(Part).collect();
        let key: Box<dyn Key> = match <[Part<'_>; 3]>::try_from(parts) {
            Ok([a, b, c]) => Box::new(Three { a, b, c }),
            Err(parts) => match <[Part<'_>; 2]>::try_from(parts) {
                Ok([a, b]) => Box::new(Two(a, b)),
                Err(mut parts) if parts.len() == 1 => Box::new(One { only: parts.remove(0) }),
                Err(parts) if parts.is_empty() => Box::new(None),
                Err(_) => continue,
            },
        };
        checked[case["parts"].as_array().unwrap().len()] += 1;
        let expected = bytes(text(case, "bytes"));
        assert_eq!(filter.hash_key(&key).unwrap(), plain.hash_key(&expected).unwrap(), "{case}");
    }
    assert!(checked.iter().all(|cases| *cases >= 4), "{checked:?}");
}

#[cfg(all(feature = "std", unix))]
#[test]
fn paths() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    let file = vectors("hashes.json");
    let filter = BloomFilter::builder().capacity(1).build().unwrap();
    for case in cases(&file, "paths") {
        let name = bytes(text(case, "hex"));
        let path = Path::new(OsStr::from_bytes(&name));
        assert_eq!(filter.hash_key(path).unwrap(), filter.hash_key(&name).unwrap(), "{case}");
    }
}

#[test]
fn addresses() {
    let file = vectors("hashes.json");
    let filter = BloomFilter::builder().capacity(1).build().unwrap();
    for case in cases(&file, "addresses") {
        let address = bytes(text(case, "hex"));
        let address = match (<[u8; 4]>::try_from(&address[..]), <[u8; 16]>::try_from(&address[..])) {
            (Ok(v4), _) => IpAddr::from(v4),
            (_, Ok(v6)) => IpAddr::from(v6),
            _ => panic!("{case}"),
        };
        assert_eq!(
            filter.hash_key(&address).unwrap(),
            filter.hash_key(text(case, "text")).unwrap(),
            "{case}"
        );
    }
}
