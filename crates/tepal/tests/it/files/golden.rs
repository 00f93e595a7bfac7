//! The golden files in `testdata/golden`, which the real programs wrote. Each is read, every bit,
//! insert result and answer is compared, false positives included, and it is written again byte for
//! byte.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tepal::{
    AnyFilter, BloomFilter, Error, Key, KeyDomain, KeyRef, Layout, Open, Opened, OverCapacity, Scheme,
    builders::BloomFilterBuilder,
    error::{Looks, ParquetFile, ParquetFilter},
    facts::Form,
    file::Format,
    hash::Md5Split,
};

struct Folder {
    path: PathBuf,
    cases: Vec<Value>,
}

fn folder(name: &str) -> Folder {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden").join(name);
    let text =
        fs::read_to_string(path.join("index.json")).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let index: Value = serde_json::from_str(&text).unwrap();
    let cases = index["cases"].as_array().unwrap().clone();
    assert!(!cases.is_empty(), "{name}");
    Folder { path, cases }
}

/// A new format needs a file of its program, a fuzz target for its reader, and a row in the
/// document.
#[test]
fn every_format_is_golden_and_fuzzed_and_described() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // A package of the library has only the library, and this file beside its manifest.
    if Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml.orig").exists() {
        return;
    }
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let (targets, formats) = (text("fuzz/src/main.rs"), text("docs/formats.md"));
    for format in Format::ALL.iter().filter(|format| **format != Format::Tepal) {
        folder(format.name());
        let target = format!("(\"{}\", ", format.name().replace('-', "_"));
        assert!(targets.contains(&target), "no fuzz target for {format}");
        assert!(formats.contains(&format!("\n| `{format}` |")), "no row for {format} in docs/formats.md");
    }
}

impl Folder {
    fn file(&self, case: &Value, form: &str) -> Option<Vec<u8>> {
        let name = case["files"].get(form)?["file"].as_str()?;
        Some(fs::read(self.path.join(name)).unwrap())
    }
}

/// A key of the index: bytes or an integer, as the program received it.
#[derive(Clone, Debug)]
enum Golden {
    Bytes(Vec<u8>),
    Integer(i64),
}

impl Key for Golden {
    fn key<'a>(&'a self, _: &'a mut tepal::KeySink) -> KeyRef<'a> {
        match self {
            Golden::Bytes(bytes) => KeyRef::Bytes(bytes),
            Golden::Integer(n) => KeyRef::Signed(*n),
        }
    }
}

fn golden(text: &str, domain: KeyDomain) -> Golden {
    let (kind, value) = text.split_once(':').unwrap();
    match kind {
        "str" => Golden::Bytes(value.as_bytes().to_vec()),
        "hex" => Golden::Bytes(
            (0..value.len()).step_by(2).map(|i| u8::from_str_radix(&value[i..i + 2], 16).unwrap()).collect(),
        ),
        "i32" | "i64" => {
            let n: i64 = value.parse().unwrap();
            // A program that hashes longs beside strings hashes their eight bytes.
            let bytes = domain == KeyDomain::Bytes;
            if bytes { Golden::Bytes(n.to_le_bytes().to_vec()) } else { Golden::Integer(n) }
        }
        "f64bits" => number(f64::from_bits(u64::from_str_radix(value, 16).unwrap())),
        "f32bits" => number(f32::from_bits(u32::from_str_radix(value, 16).unwrap())),
        _ => panic!("{text}"),
    }
}

/// A float as decimal text.
fn number(value: impl std::fmt::Display) -> Golden {
    Golden::Bytes(value.to_string().into_bytes())
}

fn keys(case: &Value, list: &str, domain: KeyDomain) -> Vec<Golden> {
    let all = case[list].as_array().map_or(&[][..], Vec::as_slice);
    all.iter().map(|key| golden(key.as_str().unwrap(), domain)).collect()
}

fn param<'a>(case: &'a Value, name: &str) -> &'a str {
    case["params"].get(name).and_then(Value::as_str).unwrap_or("")
}

fn layout_number(case: &Value, name: &str) -> u64 {
    case["layout"][name].as_u64().unwrap_or_else(|| panic!("{case}"))
}

fn set_bits(filter: &BloomFilter) -> BTreeSet<u64> {
    let file = filter.to_bytes().unwrap();
    let body = &file[file.len() - filter.size_in_bytes() as usize..];
    let words = body.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
    let words = (0u64..).zip(words).filter(|(_, word)| *word != 0);
    words.flat_map(|(i, w)| (0..64).filter(move |j| w >> j & 1 != 0).map(move |j| 64 * i + j)).collect()
}

fn single_key_bits(case: &Value, domain: KeyDomain, empty: &BloomFilter) {
    // A few cases of each folder lack them; the others have them.
    let cases = case["single_key_bits"].as_array().unwrap();
    for single in cases {
        let mut filter = empty.clone();
        filter.insert(&golden(single["key"].as_str().unwrap(), domain)).unwrap();
        let expected = single["bits"].as_array().unwrap().iter().map(|b| b.as_u64().unwrap()).collect();
        assert_eq!(set_bits(&filter), expected, "{} {single}", case["name"]);
    }
}

/// Inserts all keys of the case, and compares each result.
fn insert_all(case: &Value, domain: KeyDomain, mut insert: impl FnMut(&Golden) -> Result<bool, Error>) {
    let results = case["insert_result"].as_str().unwrap_or("").as_bytes();
    for (i, key) in keys(case, "inserted", domain).iter().enumerate() {
        let new = insert(key);
        match results.get(i) {
            Some(b'e') => assert!(new.is_err(), "{} insert {i}", case["name"]),
            Some(result) => assert_eq!(new.unwrap(), *result == b'1', "{} insert {i}", case["name"]),
            None => assert!(new.is_ok()),
        }
    }
}

fn answers(case: &Value, domain: KeyDomain, contains: impl Fn(&Golden) -> bool) {
    let refused = case["insert_result"].as_str().unwrap_or("").as_bytes();
    for (i, key) in keys(case, "inserted", domain).iter().enumerate() {
        assert!(contains(key) || refused.get(i) == Some(&b'e'), "{} misses {key:?}", case["name"]);
    }
    let expected = case["absent_answers"].as_str().unwrap().as_bytes();
    let probes = keys(case, "absent_probes", domain);
    assert_eq!(probes.len(), expected.len());
    for (key, &expected) in probes.iter().zip(expected) {
        assert_eq!(contains(key), expected == b'1', "{} {key:?}", case["name"]);
    }
}

/// A case of a format of one filter. The inserts start from `empty`.
fn check_file(case: &Value, format: Format, domain: KeyDomain, bytes: &[u8]) -> Opened {
    let open = Open::new().format(format).key_domain(domain);
    let file = open.from_bytes(bytes).unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
    assert_eq!(file.to_bytes().unwrap(), bytes, "{}", case["name"]);
    answers(case, domain, |key| file.filter().contains(key));
    let many = keys(case, "inserted", domain);
    let asked = file.filter().contains_many(&many);
    assert!(asked.iter().zip(&many).all(|(answer, key)| *answer == file.filter().contains(key)));
    file
}

fn check_one_filter(folder: &Folder, case: &Value, format: Format, domain: KeyDomain, form: &str) {
    let bytes = folder.file(case, form).unwrap();
    let file = check_file(case, format, domain, &bytes);
    let AnyFilter::Bloom(filter) = file.filter() else { panic!("a chain") };
    let mut empty = filter.clone().into_owned().unwrap();
    empty.clear().unwrap();
    single_key_bits(case, domain, &empty);

    // The same inserts into the emptied filter give the same file.
    let mut again = file.clone();
    again.clear().unwrap();
    insert_all(case, domain, |key| again.insert(key));
    assert_eq!(again.to_bytes().unwrap(), bytes, "{}", case["name"]);

    // A union with itself changes only the count.
    let mut twice = filter.clone().into_owned().unwrap();
    twice.union_with(filter).unwrap();
    assert!(twice == *filter);
}

#[test]
fn guava() {
    let folder = folder("guava");
    for case in &folder.cases {
        let domain = match param(case, "funnel") {
            "bytes" | "utf8" => KeyDomain::Bytes,
            "int" => KeyDomain::Integer32,
            "long" => KeyDomain::Integer,
            "unencoded" | "utf16le" => KeyDomain::Utf16,
            funnel => panic!("{funnel}"),
        };
        check_one_filter(&folder, case, Format::Guava, domain, "bin");

        // The planner gives the size and k that Guava 33 chose.
        let n: u64 = param(case, "expectedInsertions").parse().unwrap();
        let scheme = if param(case, "strategy") == "32" { Scheme::GuavaMitz32 } else { Scheme::GuavaMitz64 };
        if n > 0 && !case["name"].as_str().unwrap().ends_with("guava31") {
            let builder = BloomFilter::builder().scheme(scheme).capacity(n);
            let plan = builder.false_positive_rate(param(case, "fpp").parse().unwrap()).plan().unwrap();
            assert_eq!(plan.bit_len, layout_number(case, "m_bits"), "{}", case["name"]);
            assert_eq!(u64::from(plan.num_hashes), layout_number(case, "k"), "{}", case["name"]);
        }
    }
}

#[test]
fn spark() {
    let folder = folder("spark");
    for case in &folder.cases {
        let domain = if param(case, "keys") == "long" { KeyDomain::Integer } else { KeyDomain::Bytes };
        check_one_filter(&folder, case, Format::Spark, domain, "bin");
        let bytes = folder.file(case, "bin").unwrap();
        assert_eq!(Format::of(&bytes), Some(Format::Spark), "{}", case["name"]);
    }
}

#[test]
fn parquet_sbbf() {
    let folder = folder("parquet-sbbf");
    for case in &folder.cases {
        let domain = match param(case, "keys") {
            "bytes" | "utf8" => KeyDomain::Bytes,
            "int" => KeyDomain::Integer32,
            "long" => KeyDomain::Integer,
            "double" => KeyDomain::Float64,
            "float" => KeyDomain::Float32,
            keys => panic!("{keys}"),
        };
        check_one_filter(&folder, case, Format::ParquetSbbf, domain, "bin");
        let bytes = folder.file(case, "bin").unwrap();
        if layout_number(case, "header_bytes") > 0 {
            assert_eq!(Format::of(&bytes), Some(Format::ParquetSbbf), "{}", case["name"]);
        }
        // The whole Parquet file contains exactly these bytes.
        if let Some(whole) = folder.file(case, "parquet") {
            let filters = filters_in(&whole);
            let place = |name: &str| Some(case["reported"][name].as_str().unwrap().parse::<u64>().unwrap());
            let [filter] = &filters[..] else { panic!("{filters:?}") };
            assert_eq!(Some(filter.offset), place("bloom_filter_offset"), "{}", case["name"]);
            assert_eq!(filter.length, place("bloom_filter_length"), "{}", case["name"]);
            assert!(cut(&whole, filter) == bytes, "{}", case["name"]);
        }
    }
}

/// The places of the filters in a whole Parquet file, from the error that refuses it.
fn filters_in(whole: &[u8]) -> Vec<ParquetFilter> {
    match tepal::from_bytes(whole) {
        Err(Error::NotTepal { found: Looks::Parquet(ParquetFile::Filters { first, total, .. }), .. }) => {
            assert_eq!(first.len() as u64, total);
            first
        }
        other => panic!("{other:?}"),
    }
}

fn cut<'a>(whole: &'a [u8], filter: &ParquetFilter) -> &'a [u8] {
    &whole[filter.offset as usize..][..filter.length.unwrap() as usize]
}

/// The same facts as pyarrow reports: two row groups of 20 numbers and 20 names; none; an encrypted
/// footer.
#[test]
fn whole_files_of_parquet() {
    let read = |name: &str| fs::read(folder("parquet-sbbf").path.join(name)).unwrap();
    let whole = read("pyarrow_row_groups.parquet");
    let filters = filters_in(&whole);
    let places: Vec<_> =
        filters.iter().map(|f| (f.row_group, f.column.as_str(), f.offset, f.length.unwrap())).collect();
    let expected =
        [(0, "id", 1206, 47), (0, "who.name", 1253, 47), (1, "id", 1300, 47), (1, "who.name", 1347, 47)];
    assert_eq!(places, expected);
    for filter in &filters {
        let of_numbers = filter.column == "id";
        let domain = if of_numbers { KeyDomain::Integer } else { KeyDomain::Bytes };
        let file = Open::new().key_domain(domain).from_bytes(cut(&whole, filter)).unwrap();
        let first = 20 * filter.row_group;
        let held = |n: u64| if of_numbers { file.contains(&n) } else { file.contains(&format!("n{n}")) };
        assert!((first..first + 20).all(held));
        assert!((1000..2000).filter(|n| held(*n)).count() < 200);
    }
    for (name, expected) in [
        ("pyarrow_without.parquet", ParquetFile::WithoutFilters),
        ("pyarrow_encrypted.parquet", ParquetFile::Encrypted),
    ] {
        match tepal::from_bytes(&read(name)) {
            Err(Error::NotTepal { found: Looks::Parquet(file), .. }) => assert_eq!(file, expected, "{name}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn bits_and_blooms() {
    let folder = folder("bits-and-blooms");
    for case in &folder.cases {
        for form in ["bin", "json"] {
            check_one_filter(&folder, case, Format::BitsAndBlooms, KeyDomain::Bytes, form);
        }
    }
}

#[test]
fn dcso() {
    let folder = folder("dcso");
    for case in &folder.cases {
        check_one_filter(&folder, case, Format::Dcso, KeyDomain::Bytes, "bin");
        let bytes = folder.file(case, "bin").unwrap();
        assert_eq!(Format::of(&bytes), Some(Format::Dcso), "{}", case["name"]);
        // Built from the numbers that its program was given, header included; the user's data
        // follow.
        let number = |name| param(case, name).parse::<f64>().unwrap();
        let builder = BloomFilter::builder().capacity(number("n") as u64).false_positive_rate(number("p"));
        let mut anew = builder.scheme(Scheme::Dcso).build().unwrap();
        insert_all(case, KeyDomain::Bytes, |key| anew.insert(key));
        let anew = Opened::new(anew, Format::Dcso).unwrap().to_bytes().unwrap();
        assert_eq!(anew, bytes[..anew.len()], "{}", case["name"]);
    }
}

/// A chain grows again from its first filter, emptied.
fn check_chain(case: &Value, format: Format, bytes: &[u8], is_dump: bool, first: BloomFilter) {
    let file = check_file(case, format, KeyDomain::Bytes, bytes);
    single_key_bits(case, KeyDomain::Bytes, &first);
    let mut again = file.clone();
    let AnyFilter::Scalable(_) = again.filter() else { panic!("one filter") };
    again.clear().unwrap();
    insert_all(case, KeyDomain::Bytes, |key| again.insert(key));
    assert_eq!(again.to_bytes().unwrap(), bytes, "{}", case["name"]);
    // The file need not be remembered: all of it follows from the first filter. Only the form of a
    // dump differs.
    let mut emptied = file.filter().clone();
    emptied.clear().unwrap();
    let mut anew = Opened::new(emptied, format).unwrap();
    insert_all(case, KeyDomain::Bytes, |key| anew.insert(key));
    if !is_dump {
        assert_eq!(anew.to_bytes().unwrap(), bytes, "{}", case["name"]);
    }

    let mut twice = file.filter().clone();
    assert!(twice.union_with(file.filter()).is_ok());
}

fn first_link(folder: &Folder, case: &Value, format: Format) -> BloomFilter {
    let file = Open::new().format(format).from_bytes(&folder.file(case, "bin").unwrap()).unwrap();
    let AnyFilter::Scalable(chain) = file.filter() else { panic!("one filter") };
    let mut first = chain.links()[0].clone().into_owned().unwrap();
    first.clear().unwrap();
    first
}

#[test]
fn redisbloom() {
    let folder = folder("redisbloom");
    let mut dumps = 0;
    for case in &folder.cases {
        let first = first_link(&folder, case, Format::RedisBloom);
        let bytes = folder.file(case, "bin").unwrap();
        // Not every case has a dump.
        let dump = folder.file(case, "dump");
        dumps += usize::from(dump.is_some());
        for (is_dump, bytes) in [(false, Some(bytes)), (true, dump)] {
            let Some(bytes) = bytes else { continue };
            check_chain(case, Format::RedisBloom, &bytes, is_dump, first.clone());
            assert_eq!(Format::of(&bytes), Some(Format::RedisBloom), "{}", case["name"]);
        }
    }
    assert!(dumps > 0);
}

/// The arguments of a case for `BF.RESERVE`, or for a first `BF.ADD`.
fn reserved(case: &Value) -> BloomFilterBuilder {
    let number = |names: [&str; 2], default: f64| {
        let given = names.into_iter().map(|name| param(case, name)).find(|text| !text.is_empty());
        given.map_or(default, |text| text.parse().unwrap())
    };
    let builder = BloomFilter::builder()
        .capacity(number(["capacity"; 2], 100.0) as u64)
        .false_positive_rate(number(["error", "fp_rate"], 0.01));
    match number(["expansion"; 2], 2.0) as u32 {
        0 => builder,
        _ if param(case, "nonscaling") == "1" => builder,
        expansion => builder.expansion(expansion),
    }
}

/// Chains built from only the server's arguments and the keys, in both forms.
#[test]
fn redisbloom_chains_are_grown_from_nothing() {
    let folder = folder("redisbloom");
    let (mut growing, mut dumps, mut packed) = (0, 0, 0);
    for case in &folder.cases {
        let label = &case["name"];
        let mut builder = reserved(case).scheme(Scheme::RedisBloom);
        if param(case, "error") == "0.6" {
            // The server lowers it; here it is refused, with the server's value in the error.
            let text = builder.clone().build_chain().unwrap_err().to_string();
            assert!(
                text.contains("the rate of a RedisBloom chain is 0.6; it must be at most 0.25"),
                "{text}"
            );
            builder = builder.false_positive_rate(0.25);
        }
        let mut file = Opened::new(builder.build_chain().unwrap(), Format::RedisBloom).unwrap();
        insert_all(case, KeyDomain::Bytes, |key| file.insert(key));
        let pairs = folder.file(case, "bin").unwrap();
        assert!(file.to_bytes().unwrap() == pairs, "{label}");
        growing += usize::from(file.facts().unwrap().parts.len() > 1);

        let Some(dump) = folder.file(case, "dump") else { continue };
        dumps += 1;
        let theirs = tepal::from_bytes(&dump).unwrap();
        assert_eq!((file.form(), theirs.form()), (Some(Form::Pairs), Some(Form::Dump)));
        assert!(theirs.clone().in_form(Form::Pairs).unwrap().to_bytes().unwrap() == pairs, "{label}");
        for ours in [file, tepal::from_bytes(&pairs).unwrap()] {
            let ours = ours.in_form(Form::Dump).unwrap();
            assert!(ours.filter() == theirs.filter(), "{label}");
            let mut bytes = ours.to_bytes().unwrap();
            assert_eq!(ours.file_facts().unwrap().form, Some(Form::Dump));
            assert!(ours.file_facts().unwrap().has_checksum);
            let version = bytes.len() - 10;
            assert_eq!(bytes[version..version + 2], [9, 0], "{label}");
            assert!(tepal::from_bytes(&bytes).unwrap().to_bytes().unwrap() == bytes, "{label}");
            // These are from Redis 7.0, whose version is 10. One has a string that the server
            // compressed.
            bytes[version] = 10;
            mend(&mut bytes);
            packed += usize::from(bytes.len() != dump.len());
            assert!(bytes == dump || bytes.len() == dump.len() + 9, "{label}");
        }
    }
    assert_eq!((growing, dumps, packed), (3, 6, 2));
}

/// Corrects the CRC-64 at the end of a payload.
fn mend(dump: &mut [u8]) {
    let end = dump.len() - 8;
    let sum = dump[..end].iter().fold(0u64, |crc, byte| {
        (0..8).fold(crc ^ u64::from(*byte), |crc, _| match crc & 1 {
            1 => crc >> 1 ^ 0x95AC_9329_AC4B_C9B5,
            _ => crc >> 1,
        })
    });
    dump[end..].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn valkey_chains_are_grown_from_nothing() {
    let folder = folder("valkey-bloom");
    for case in &folder.cases {
        let hex = param(case, "seed_hex");
        let seed = core::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap());
        let chain = reserved(case).valkey_seed(seed).build_chain().unwrap();
        let mut file = Opened::new(chain, Format::ValkeyBloom).unwrap();
        insert_all(case, KeyDomain::Bytes, |key| file.insert(key));
        assert!(file.to_bytes().unwrap() == folder.file(case, "bin").unwrap(), "{}", case["name"]);
    }
}

/// Only RedisBloom's files have two forms.
#[test]
fn forms_are_of_redisbloom_alone() {
    for format in Format::ALL.iter().filter(|format| **format != Format::RedisBloom) {
        let builder = BloomFilter::builder().scheme(format.schemes()[0]).capacity(10);
        let builder = format.layout().map_or(builder.clone(), |layout| builder.layout(layout));
        let file = Opened::new(builder.build().unwrap(), *format).unwrap();
        assert_eq!((file.form(), file.file_facts().unwrap().form), (None, None), "{format}");
        for &form in Form::ALL {
            let text = file.clone().in_form(form).unwrap_err().to_string();
            assert!(
                text.contains(&format!("its files have no form {form}, which those of redisbloom")),
                "{text}"
            );
        }
    }
}

#[test]
fn valkey_bloom() {
    let folder = folder("valkey-bloom");
    for case in &folder.cases {
        let first = first_link(&folder, case, Format::ValkeyBloom);
        check_chain(case, Format::ValkeyBloom, &folder.file(case, "bin").unwrap(), false, first);
    }
}

/// The filter that the program of one of the five articles would have made.
fn check_article(name: &str, builder: impl Fn(&Value) -> BloomFilterBuilder, sparse: bool) {
    let folder = folder(name);
    for case in &folder.cases {
        let label = &case["name"];
        let empty = builder(case).over_capacity(OverCapacity::Ignore).build().unwrap();
        assert_eq!(empty.bit_len(), layout_number(case, "m"), "{label}");
        assert_eq!(u64::from(empty.num_hashes()), layout_number(case, "k"), "{label}");
        assert_eq!(empty.layout(), Layout::Scattered);
        single_key_bits(case, KeyDomain::Bytes, &empty);

        let mut filter = empty;
        insert_all(case, KeyDomain::Bytes, |key| filter.insert(key));
        answers(case, KeyDomain::Bytes, |key| filter.contains(key));
        let bits = set_bits(&filter);
        match folder.file(case, "bin") {
            Some(bytes) if sparse => {
                let positions = bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap()).into());
                assert_eq!(bits, positions.collect(), "{label}");
            }
            Some(bytes) => {
                // Least significant bit first; Java's BitSet leaves out zero bytes at the end.
                let mut ours = vec![0; (filter.bit_len().div_ceil(8)) as usize];
                bits.iter().for_each(|p| ours[(p / 8) as usize] |= 1 << (p % 8));
                assert_eq!(ours[..bytes.len()], bytes, "{label}");
                assert!(ours[bytes.len()..].iter().all(|byte| *byte == 0), "{label}");
            }
            None => {
                let expected = case["set_bits"].as_array().unwrap().iter().map(|b| b.as_u64().unwrap());
                assert_eq!(bits, expected.collect(), "{label}");
            }
        }

        // It can be saved in tepal's own file.
        let again = BloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
        assert!(again == filter);
        answers(case, KeyDomain::Bytes, |key| again.contains(key));
    }
}

#[test]
fn md5_presets() {
    let builder = |case: &Value| {
        let n: u64 = param(case, "n").parse().unwrap();
        let builder = BloomFilter::builder().scheme(Scheme::Md5Presets).capacity(n);
        match param(case, "preset") {
            "High" => builder.false_positive_rate(0.1),
            "Middle" => builder.false_positive_rate(0.01),
            "Low" => builder.false_positive_rate(0.001),
            _ => {
                let c: f64 = param(case, "c").parse().unwrap();
                let bits = (c * n as f64).ceil() as u64;
                builder.bit_len(bits).num_hashes(param(case, "k").parse().unwrap())
            }
        }
    };
    check_article("legacy-md5-presets", builder, false);
}

#[test]
fn md5_split() {
    let builder = |case: &Value| {
        let rule = Md5Split { from_zero: param(case, "i0") == "0", ..Md5Split::default() };
        let builder = BloomFilter::builder().md5_split(rule).capacity(10);
        builder.bit_len(param(case, "m").parse().unwrap()).num_hashes(param(case, "k").parse().unwrap())
    };
    check_article("legacy-md5-split", builder, false);
}

#[test]
fn bkdr7() {
    check_article("legacy-bkdr7", |_| BloomFilter::builder().scheme(Scheme::Bkdr7).capacity(1000), true);
}

#[test]
fn fnv_crc() {
    let builder = |case: &Value| {
        let bits = param(case, "m").parse().unwrap();
        BloomFilter::builder().scheme(Scheme::FnvCrc).capacity(100).bit_len(bits)
    };
    check_article("legacy-fnv-crc", builder, false);
}

#[test]
fn sha384() {
    let builder = |_: &Value| {
        BloomFilter::builder().scheme(Scheme::Sha384).capacity(20_000_000).false_positive_rate(0.01)
    };
    check_article("legacy-sha384", builder, true);
}

/// A chain of RedisBloom with one number of its second link set.
fn chain_with(at: usize, number: u64) -> Opened {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden/redisbloom/scaled_x2.bin");
    let mut bytes = fs::read(path).unwrap();
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    Open::new().format(Format::RedisBloom).from_bytes(&bytes).unwrap()
}

/// The offset of a link's header, and its length.
const LINKS: usize = 32;
const LINK: usize = 53;

#[test]
fn a_chain_that_was_emptied_grows_by_its_rule_and_can_be_read_again() {
    // The file's numbers for its second link differ from what the rule gives.
    let mut file = chain_with(LINKS + LINK + 24, 0.2f64.to_bits());
    assert_eq!(file.facts().unwrap().parts.len(), 4);
    file.clear().unwrap();
    let keys: Vec<String> = (0..2000).map(|n| n.to_string()).collect();
    file.insert_many(&keys).unwrap();
    let again = tepal::from_bytes(&file.to_bytes().unwrap()).unwrap();
    assert!(again.facts().unwrap().parts.len() > 1 && again.filter() == file.filter());
    assert!(again.contains_many(&keys).iter().all(|&held| held));
}

#[test]
fn numbers_of_items_that_no_sum_can_hold_are_told() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden/redisbloom/scaled_x2.bin");
    let total = |bytes: &[u8]| u64::from_le_bytes(bytes[12..20].try_into().unwrap());
    assert!(total(&fs::read(&path).unwrap()) > 0);
    let mut bytes = fs::read(path).unwrap();
    bytes[LINKS + 16..LINKS + 24].copy_from_slice(&u64::MAX.to_le_bytes());
    match Open::new().format(Format::RedisBloom).from_bytes(&bytes) {
        Err(Error::Damaged { .. }) => {}
        Ok(mut file) => {
            assert_eq!(file.filter().keys_inserted(), None);
            let _ = file.insert("one more");
            assert!(file.to_bytes().is_err());
        }
        Err(other) => panic!("{other}"),
    }
}
