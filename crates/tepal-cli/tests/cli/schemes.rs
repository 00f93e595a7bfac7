//! `build --scheme` and `--to`, and what is refused about other programs' files.

use std::fs;
use std::path::Path;

use crate::place::{Place, numbers};

fn golden(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden").join(name)).unwrap()
}

/// Bits and positions of a filter.
fn shape(place: &Place, name: &str) -> (u64, u64) {
    let json = place.run(&format!("info --json {name}")).json();
    (json[0]["bit_len"].as_u64().unwrap(), json[0]["num_hashes"].as_u64().unwrap())
}

#[test]
fn the_articles_size_their_filters_their_own_way() {
    let place = Place::new();
    place.write("keys", numbers(0..301));
    for (flags, expected) in [
        ("--scheme md5-presets -p 10%", (1445, 3)),
        ("--preset high", (1445, 3)),
        ("--preset middle -n 223 --over ignore", (2141, 7)),
        ("--scheme md5-presets --preset low -n 157 --over ignore", (2261, 10)),
        ("--scheme md5-split -s 250 -k 6", (2000, 6)),
        ("--md5-split le,i0,wrap -s 250 -k 6", (2000, 6)),
        ("--scheme bkdr7", (1 << 25, 7)),
        ("--scheme fnv-crc -s 125", (1000, 3)),
        ("--scheme sha384", (4096, 12)),
        ("--scheme sha384 -n 20M", (1 << 28, 12)),
        ("--scheme guava-mitz64 -n 301 -p 3%", (2240, 5)),
        ("--scheme dcso -n 305 -p 3%", (2226, 6)),
    ] {
        let ran = place.run(&format!("build -q --force keys -o f {flags}"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{flags}");
        assert_eq!(shape(&place, "f"), expected, "{flags}");
        let ran = place.run("has -c f keys");
        assert_eq!(ran.quiet(), (0, &b"301\n"[..]), "{flags}");
        assert_eq!(place.run("test -q f --members keys --absent keys").code, 1, "all of them are held");
    }
}

/// `info` speaks of an article's filter as the article does, and measures its rate.
#[test]
fn the_articles_own_words() {
    let place = Place::new();
    place.write("keys", numbers(0..1000));
    for (flags, words, rates) in [
        (
            "--preset high",
            "first article: preset High (10 %), c = 4.8, m = 4,800, n = 1,000, k = 3\n",
            0.09..0.12,
        ),
        (
            "--scheme md5-presets",
            "first article: preset Middle (1 %), c = 9.6, m = 9,600, n = 1,000, k = 7\n",
            0.008..0.012,
        ),
        (
            "--preset low",
            "first article: preset Low (0.1 %), c = 14.4, m = 14,400, n = 1,000, k = 10\n",
            0.0005..0.002,
        ),
        (
            "--scheme md5-presets -n 1000 -s 1000 -k 7",
            "first article: no preset, c = 8.00, m = 8,000, n = 1,000, k = 7\n",
            0.01..0.04,
        ),
        (
            "--scheme md5-split",
            "second article: m = 9,586, n = 1,000, k = 7, g = h1 + i·h2 of the halves of MD5, big-endian, i from 1 to k, in \
             full (--md5-split be,i1,exact)\n",
            0.008..0.013,
        ),
        (
            "--md5-split le,i0,wrap",
            "little-endian, i from 0 to k-1, modulo 2^64 (--md5-split le,i0,wrap)\n",
            0.008..0.013,
        ),
        (
            "--scheme bkdr7",
            "third article: 2<<24 bits, n = 1,000, one function for each of the seeds 5, 7, 11, 13, 31, 37, 61\n",
            0.0..1e-4,
        ),
        (
            "--scheme fnv-crc",
            "fourth article: m = 12,365, n = 1,000, k = 3, FNV-1a + i·CRC-32 for i = 0, 1, 2\n",
            0.008..0.013,
        ),
        (
            "--scheme sha384 -n 20M",
            "fifth article: 2^28 bits, n = 20,000,000, the 12 words of one SHA-384 digest\n",
            0.0..1e-4,
        ),
    ] {
        assert_eq!(place.run(&format!("build -q --force keys -o f {flags}")).code, 0, "{flags}");
        assert_eq!(place.run("has -c f keys").text(), "1000\n", "{flags}");
        let page = place.run("info f").text().to_owned();
        assert!(page.contains(words), "{flags}: {page}");
        let measured = if rates.start == 0.0 {
            "\nmeasured    0 of 100,000 random keys: at most 1 in 26,030"
        } else {
            "\nmeasured    "
        };
        assert!(page.contains(measured), "{flags}: {page}");
        let article = &place.run("info --json f").json()[0]["article"];
        assert!(words.ends_with("wrap)\n") || article["terms"] == words.trim_end(), "{flags}: {article}");
        let rate = article["false_positive_rate"].as_f64().unwrap();
        assert!(rates.contains(&rate), "{flags}: {article}");
        let held = article["held"].as_f64().unwrap() / article["asked"].as_f64().unwrap();
        assert!((held - rate).abs() < 1e-12, "{flags}: {article}");
    }
    // Nobody else's.
    assert_eq!(place.run("build -q --force keys -o f").code, 0);
    assert!(place.run("info --json f").json()[0]["article"].is_null());
    assert!(!place.run("info f").text().contains("measured"));
}

#[test]
fn every_scheme_finds_its_keys_and_merges() {
    let place = Place::new();
    place.write("a", numbers(0..800));
    place.write("b", numbers(800..1500));
    place.write("both", numbers(0..1500));
    place.write("others", numbers(10_000..20_000));
    for scheme in [
        "md5-presets",
        "md5-split",
        "bkdr7",
        "fnv-crc",
        "sha384",
        "guava-mitz32",
        "guava-mitz64",
        "spark-v1",
        "spark-v2",
        "bits-and-blooms",
        "dcso",
        "redisbloom",
        "valkey-bloom",
        "xxh64",
    ] {
        for list in ["a", "b", "both"] {
            let flags = format!("--scheme {scheme} -n 1500 -p 1% --over ignore");
            let ran = place.run(&format!("build -q --force {list} -o {list}.tepal {flags}"));
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{scheme}");
        }
        // Counted from the list it has about the same size, and keeps its promise.
        let ran = place.run(&format!("build --force --json --scheme {scheme} both both both -o counted"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        let json = ran.json();
        assert_eq!((&json["keys"], &json["filter"]["scheme"]), (&4500.into(), &scheme.into()));
        let different = json["different_keys"].as_u64().unwrap();
        assert!((1490..=1510).contains(&different), "{scheme}: {different}");
        let ran = place.run("has -c counted both others");
        let held: u64 =
            ran.text().lines().filter_map(|line| line.split(':').nth(1)?.parse::<u64>().ok()).sum();
        assert!((1500..1700).contains(&held), "{scheme}: {held}");
        // The union has the bits of the filter of both lists.
        let ran = place.run("merge a.tepal b.tepal -o union --force");
        assert_eq!(ran.code, 0, "{scheme}: {}", ran.err);
        let open = |name: &str| tepal::BloomFilter::open(place.path(name)).unwrap();
        assert!(open("union") == open("both.tepal"), "{scheme}");
        let ran = place.run("merge --and both.tepal a.tepal -o common --force -q");
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{scheme}");
        assert!(open("common") == open("a.tepal"), "{scheme}");
        // Added later or built at once, it is one filter.
        assert_eq!(place.run("add -q --past-promise a.tepal b").code, 0);
        assert!(open("a.tepal") == open("both.tepal"), "{scheme}");
    }
}

#[test]
fn every_format_is_written_and_read() {
    let place = Place::new();
    place.write("keys", numbers(0..1000));
    for (format, encoding) in [
        ("guava", "int32"),
        ("spark", "int64"),
        ("parquet-sbbf", "float64"),
        ("bits-and-blooms", "bytes"),
        ("dcso", "bytes"),
        ("redisbloom", "bytes"),
        ("valkey-bloom", "bytes"),
    ] {
        let built = place.run(&format!("build keys -o f --force --to {format} --keys {encoding}"));
        assert_eq!(built.code, 0, "{format}: {}", built.err);
        let flags = format!("--from {format} --keys {encoding}");
        assert_eq!(place.run(&format!("has -c f keys {flags}")).quiet(), (0, &b"1000\n"[..]), "{format}");
        let ran = place.run(&format!("test f --members keys {flags} --json"));
        assert_eq!(ran.json()["members_missed"], 0, "{format}");
        let rate = ran.json()["false_positive_rate"].as_f64().unwrap();
        // Of Parquet's, the next power of two of bytes may be nearly twice what the rate needs.
        assert!((0.001..0.02).contains(&rate), "{format}: {rate}");
        // Standard output, and our own file by way of the same keys.
        let piped = place.run(&format!("build -q keys -o - --to {format} --keys {encoding}"));
        assert!(piped.out == place.read("f"), "{format}");
    }
}

#[test]
fn recipes_belong_to_every_scheme() {
    let place = Place::new();
    let ran = place.run_with("build -q --scheme fnv-crc -p 1e-6 --trim --nocase -o f", b" Apple \nBANANA\n");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let ran = place.run_with("has f", b"APPLE\nbanana \ncherry\n");
    assert_eq!(ran.quiet(), (0, &b"APPLE\nbanana \n"[..]));
    // Asked together with one that has a hash.
    place.build("ours", b"cherry\n", "");
    let ran = place.run_with("has -v f --in ours", b"apple\ncherry\nplum\n");
    assert_eq!(ran.quiet(), (0, &b"plum\n"[..]));
    assert_eq!(place.run("has -q -e plum ours --in f").code, 1);
    let page = place.run("info f").text().to_owned();
    assert!(page.contains("\nhash        fnv-crc; keys are bytes"), "{page}");
}

#[test]
fn weak_schemes_are_named_so() {
    let place = Place::new();
    let ran = place.run_with("build --scheme bkdr7 -o f", b"a\n");
    assert!(ran.err.contains("f: ! the scheme bkdr7 is weak"), "{}", ran.err);
    assert!(place.run("info f").text().contains("\n!           the scheme bkdr7 is weak"));
    assert_eq!(place.run("info --json f").json()[0]["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn refusals_say_why() {
    let place = Place::new();
    place.write("keys", numbers(0..100));
    place.write("guava", golden("guava/mitz64_utf8.bin"));
    place.write("spark", golden("spark/v2_utf8.bin"));
    place.write("chain", golden("redisbloom/scaled_x2.bin"));
    assert_eq!(place.run("build -q keys -o ours").code, 0);
    assert_eq!(place.run("build -q keys -o fnv --scheme fnv-crc").code, 0);
    assert_eq!(place.run("build -q --integer keys -o integers").code, 0);
    let before = place.names();
    for (args, part) in [
        (
            "has guava -e a",
            "guava: not a tepal filter: it has no mark; by its lengths it could be guava; name its format (--from FORMAT)",
        ),
        ("has spark --from guava -e a", "spark: its mark says spark, not guava; leave --from out"),
        ("has ours --keys int64 -e 1", "ours: its keys are bytes, not int64; leave --keys out"),
        ("has integers --keys utf16 -e 1", "integers: its keys are int64, not utf16; leave --keys out"),
        ("has guava --from guava --keys int64 -e x", "-e: this filter has integer keys; \"x\" is not "),
        (
            "has guava --from guava --keys words -e x",
            "possible values: bytes, int64, int32, utf16, float32, float64, hex",
        ),
        ("has keys --from dcso -e a", "keys: no filter of the format dcso, or a newer one: DCSO version "),
        ("has guava --from redis -e a", "invalid value 'redis' for '--from <FORMAT>'"),
        ("build keys -o x --scheme md5", "invalid value 'md5' for '--scheme <SCHEME>'"),
        (
            "build keys -o x --scheme bkdr7 --to spark",
            "its hash scheme is bkdr7, expected spark-v2 or spark-v1; leave out --scheme, it follows from --to",
        ),
        (
            "build keys -o x --to parquet-sbbf --layout line",
            "its layout is line, expected split-block; leave out --layout, it follows from --to",
        ),
        ("build keys -o x --scheme fnv-crc --layout line", "the layout is line; it must be scattered"),
        ("build keys -o x --scheme sha384 -s 100", "a power of two"),
        (
            "build keys -o x --scheme md5-presets -p 1e-6",
            "the presets of md5-presets are 10 %, 1 % and 0.1 %",
        ),
        ("build keys -o x --scheme fnv-crc --seed 7", "the seed is given with the scheme fnv-crc"),
        (
            "build keys -o x --scheme fnv-crc -n 5",
            "keys: more different keys than the filter has room for, 5",
        ),
        ("build keys -o x --scheme fnv-crc -k 5", "the number of hashes is 5; it must be 3"),
        ("build keys -o x --to redisbloom -n 5", "keys: more different keys than the filter has room for, 5"),
        ("build keys -o x --to guava --trim", "--trim is kept in tepal files only"),
        ("build keys -o x --to guava --name set", "--name is kept in tepal files only"),
        (
            "build keys -o x --to guava --preset low",
            "--preset belongs to the scheme md5-presets, not to guava-mitz64",
        ),
        ("build keys -o x --scheme fnv-crc --md5-split le", "--md5-split belongs to the scheme md5-split"),
        ("build keys -o x --md5-split big", "expected a list of be or le"),
        ("build keys -o x --integer --keys utf16", "cannot be used with"),
        ("build keys -o - --to dcso --json", "--json and -o - both write"),
        ("merge ours fnv -o x", "fnv: cannot be merged with ours: its layout is scattered, not line"),
        (
            "merge ours guava --from guava -o x",
            "guava: cannot be merged with ours: its format is guava, not tepal",
        ),
        (
            "merge ours integers -o x",
            "integers: cannot be merged with ours: its key domain is int64, not bytes",
        ),
        (
            "merge --and chain chain -o x",
            "chain: cannot be merged with chain: a chain of Bloom filters cannot be intersected",
        ),
        ("merge ours ours -o fnv", "fnv: exists; add --force to replace it"),
        (
            "convert guava --from guava --to spark -o x",
            "guava: a file of the format spark cannot hold this filter: its hash scheme is guava-mitz64, expected spark-v2 or spark-v1; bits cannot be turned into those of another hash, so rebuild it from the keys with: tepal build LIST --to spark -o FILTER",
        ),
        ("convert ours --to dcso -o x", "its hash scheme is xxh3, expected dcso"),
        (
            "convert fnv --to guava -o x",
            "rebuild it from the keys with: tepal build LIST --to guava -o FILTER",
        ),
        (
            "convert chain --to tepal -o x",
            "it is a chain of 4 filters, which grows as keys come, and the format holds no such chain; build one filter from the keys with: tepal build LIST --to tepal -o FILTER",
        ),
        ("convert ours --to tepal -o fnv", "fnv: exists; add --force to replace it"),
    ] {
        let ran = place.run(args);
        assert_eq!((ran.code, ran.err.lines().count()), (2, 1), "{args}: {}", ran.err);
        assert!(ran.err.contains(part), "{args}: {}", ran.err);
        assert!(ran.out.is_empty());
    }
    assert_eq!(place.names(), before);
    // A union past the promise needs a word.
    assert_eq!(place.run_with("build -q -n 100 --scheme dcso -o other", &numbers(500..600)).code, 0);
    assert_eq!(place.run("build -q keys -n 100 --scheme dcso -o one").code, 0);
    let ran = place.run("merge one other -o x");
    assert!(
        ran.err.contains("more than the 100 keys the first was planned for; add --past-promise"),
        "{}",
        ran.err
    );
    assert_eq!(place.run("merge one other -o x --past-promise").code, 0);
    assert_eq!(place.run("has -c x keys").text(), "100\n");
}

/// Spark's seeds are signed numbers, and shown as such; what is no such number is refused.
#[test]
fn seeds_of_spark_have_a_sign() {
    let place = Place::new();
    place.write("keys", "a\nb\n");
    for (flag, seed) in
        [("--seed -12345", "-12345"), ("--seed=-2147483648", "-2147483648"), ("--seed 7", "7")]
    {
        let ran = place.run(&format!("build -q --to spark {flag} -o {} keys", seed.trim_start_matches('-')));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{flag}");
        let file = place.read(seed.trim_start_matches('-'));
        assert_eq!(&file[8..12], seed.parse::<i32>().unwrap().to_be_bytes());
        let info = place.run(&format!("info {}", seed.trim_start_matches('-')));
        assert!(info.text().contains(&format!("spark-v2 with seed {seed};")), "{}", info.text());
    }
    for seed in ["-2147483649", "4294967296"] {
        let ran = place.run(&format!("build -q --to spark --seed {seed} -o x keys"));
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("a signed 32-bit number for Spark"), "{}", ran.err);
    }
}

/// Parquet's filters are powers of two, which its C++ library wants; any multiple of a block is
/// given on request, and no size is changed in silence.
#[test]
fn sizes_of_parquet() {
    let place = Place::new();
    place.write("keys", (0..1000).map(|i| format!("{i}\n")).collect::<String>());
    for (flags, bytes) in [("", 2048), ("-n 5000", 8192), ("-s 96", 96), ("-s 32", 32), ("-s 1MiB", 1 << 20)]
    {
        let ran = place.run(&format!("build -q --to parquet-sbbf {flags} --over ignore -o f --force keys"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{flags}");
        let file = place.read("f");
        assert_eq!(file.len() / 32 * 32, bytes, "{flags}");
        assert_eq!(place.run("has f -e 7 --keys bytes").code, 0);
    }
    for (flags, part) in [
        (
            "--to parquet-sbbf -s 100",
            "-s: 100 bytes; the filter is made of blocks of 32 bytes, give 96 or 128",
        ),
        ("-s 96", "-s: 96 bytes; the filter is made of lines of 64 bytes, give 64 or 128"),
        ("-s 63", "-s: 63 bytes; the filter is made of lines of 64 bytes, give 64 or more"),
    ] {
        let ran = place.run(&format!("build -q {flags} -o x keys"));
        assert_eq!(ran.code, 2, "{flags}");
        assert!(ran.err.contains(part), "{flags}: {}", ran.err);
    }
}
