//! The plans of `files.json`: the filters, their keys and their probes.

use crate::plan::{FLOAT32, FLOAT64, HEX, IGNORE, INTEGER, INTEGER32, Plan, REFUSE, UTF16, WARN};
use crate::schemes::VALKEY_SEEDS;
use tepal_reference::bits::{DOUBLE, LINE, SCATTERED, SPLIT_BLOCK};
use tepal_reference::hash::{finish, xxh3};
use tepal_reference::key::{NOCASE, TRIM};

/// The secret keys of the files with scheme 2.
const SECRETS: [[u8; 16]; 2] = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], *b"sixteen secrets!"];

/// All plans, in the order of the file.
pub(crate) fn plans() -> Vec<Plan> {
    let mut plans = own_plans();
    plans.extend(foreign_plans());
    plans.extend(sealed_plans());
    plans.extend(recipe_plans());
    plans.extend(caller_hash_plans());
    plans
}

/// Every layout with schemes 1 and 2 and domains 1 and 2.
fn own_plans() -> Vec<Plan> {
    let words =
        ["petal", "sepal", "tepal", "stamen", "carpel", "pistil", "ovary", "style", "stigma", "anther"];
    let odd = [
        "",
        " ",
        "042",
        "42",
        "Bl\u{fc}te",
        "bl\u{fc}te",
        "\u{82b1}",
        "\u{1f337}",
        "a\tb",
        "tepal self-test 0",
    ];
    let numbers =
        ["0", "1", "-1", "42", "-42", "570108428378", "9223372036854775808", "-9223372036854775808"];

    vec![
        Plan::new("line, empty", LINE, 1, 6, 512).planned(51, 0.01, REFUSE),
        Plan::new("line, words", LINE, 1, 6, 512).planned(51, 0.01, REFUSE).keys(&words),
        Plan::new("line, recipe and records", LINE, 1, 8, 512 * 3)
            .parameter(1)
            .planned(100, 0.001, WARN)
            .recipe(TRIM | NOCASE)
            .record(1, "parts of a flower")
            .record(2, "a textbook of botany, \u{a7} 3")
            .record(3, "2024-02-29")
            .record(4, "part")
            .keys(&words)
            .probes(&["TEPAL", "  Petal\t", "\r\nsepal", "te pal", "\u{a0}tepal"]),
        Plan::new("line, rows of CSV", LINE, 1, 6, 512)
            .planned(51, 0.01, REFUSE)
            .record(4, "e-mail")
            .record(7, "csv 3b")
            .keys(&words),
        Plan::new("line, rows that end with NUL", LINE, 1, 6, 512)
            .planned(51, 0.01, REFUSE)
            .record(1, "a list")
            .record(4, "2")
            .record(7, "plain 09 nul")
            .keys(&words),
        Plan::new("line, JSON lines", LINE, 1, 6, 512)
            .planned(51, 0.01, REFUSE)
            .record(4, "/user/id")
            .record(7, "json")
            .keys(&words),
        Plan::new("line, overfull", LINE, 1, 1, 512)
            .parameter(u64::MAX)
            .planned(10, 0.5, IGNORE)
            .numbered("key ", 400),
        Plan::new("line, more than 8 bits, integers", LINE, 1, 11, 512 * 5)
            .parameter(0x8000_0000_0000_3039)
            .domain(INTEGER)
            .planned(128, 1.0 / 65536.0, REFUSE)
            .keys(&numbers)
            .probes(&["18446744073709551615", "-9223372036854775807", "9223372036854775807"]),
        Plan::new("line, 16 bits, secret", LINE, 2, 16, 512 * 2)
            .secret(SECRETS[0])
            .planned(30, 1e-6, REFUSE)
            .keys(&words)
            .keys(&odd),
        Plan::new("double, least k", DOUBLE, 1, 2, 512).planned(20, 0.1, WARN).numbered("key ", 120),
        Plan::new("double, odd k, secret integers", DOUBLE, 2, 7, 512 * 4)
            .secret(SECRETS[1])
            .domain(INTEGER)
            .planned(212, 0.01, REFUSE)
            .record(1, "numbers")
            .keys(&numbers)
            .numbered("1000", 100)
            .probes(&["18446744073709551615"]),
        Plan::new("double, largest k", DOUBLE, 1, 32, 512 * 7)
            .parameter(7)
            .planned(60, 1e-9, REFUSE)
            .record(4, "id")
            .keys(&odd),
        Plan::new("split-block, one block", SPLIT_BLOCK, 1, 8, 256)
            .planned(24, 0.01, IGNORE)
            .keys(&words)
            .numbered("key ", 50),
        Plan::new("split-block, padded body, secret integers", SPLIT_BLOCK, 2, 8, 256 * 3)
            .secret(SECRETS[0])
            .domain(INTEGER)
            .planned(72, 0.01, REFUSE)
            .keys(&numbers),
        Plan::new("scattered, one word", SCATTERED, 1, 7, 64)
            .parameter(3)
            .planned(6, 0.01, IGNORE)
            .keys(&words),
        Plan::new("scattered, trim, secret", SCATTERED, 2, 13, 64 * 10)
            .secret(SECRETS[1])
            .planned(30, 1e-4, WARN)
            .recipe(TRIM)
            .record(2, "eight by 8 bytes, so no padding!")
            .keys(&words)
            .probes(&[" tepal ", "TEPAL", "\u{b}petal\u{c}"]),
        Plan::new("scattered, largest k, count not known", SCATTERED, 1, 64, 64 * 33)
            .parameter(1)
            .domain(INTEGER)
            .planned(22, 0.25, REFUSE)
            .recipe(NOCASE)
            .count_unknown()
            .keys(&numbers),
        Plan::new("line, two chunks", LINE, 1, 6, 512 * 1100)
            .planned(56_000, 0.01, REFUSE)
            .record(1, "more than one chunk")
            .keys(&words)
            .numbered("key ", 50_000),
    ]
}

/// One file of each scheme beyond 1 and 2, and of every further key domain.
fn foreign_plans() -> Vec<Plan> {
    let words = ["petal", "sepal", "tepal", "stamen", "carpel", "pistil", "ovary", "style", "stigma"];
    let text =
        ["", "apple", "Bl\u{fc}te", "\u{9375}", "\u{1f511}", "a\tb", "570108428378", "tepal self-test 0"];
    let numbers = ["0", "1", "-1", "42", "-42", "9223372036854775808", "-9223372036854775808"];
    let small_numbers = ["0", "1", "-1", "2147483648", "-2147483648", "65536"];
    let floats = ["0", "-0", "1.5", "-1.5", "0.1", "1e300", "-1e-300", "16777217", "inf", "-inf", "NaN"];

    vec![
        Plan::new("xxh64, split-block", SPLIT_BLOCK, 3, 8, 256 * 3).planned(72, 0.01, REFUSE).keys(&text),
        Plan::new("xxh64, split-block, float64", SPLIT_BLOCK, 3, 8, 256 * 8)
            .domain(FLOAT64)
            .planned(200, 0.01, REFUSE)
            .keys(&floats)
            .numbered("7.", 40)
            .probes(&["1.50", "0.1000000000000000055511151231257827", "1e301"]),
        Plan::new("xxh64, line, float32", LINE, 3, 6, 512 * 2)
            .domain(FLOAT32)
            .planned(100, 0.01, WARN)
            .keys(&floats)
            .probes(&["16777216", "16777218", "0.100000001", "1.000000059604644775390626"]),
        Plan::new("xxh64, split-block, hex", SPLIT_BLOCK, 3, 8, 256)
            .domain(HEX)
            .planned(20, 0.01, REFUSE)
            .keys(&["", "00", "00ff", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "DEADBEEF"])
            .probes(&["00FF", "00-ff", "6BA7B8109DAD11D180B400C04FD430C8", "deadbeef", "feedbeef"]),
        Plan::new("md5-presets", SCATTERED, 16, 3, 1445)
            .planned(301, 0.1, IGNORE)
            .keys(&text)
            .numbered("key ", 250),
        Plan::new("md5-split", SCATTERED, 17, 6, 2003)
            .parameter(7)
            .planned(250, 0.02, REFUSE)
            .keys(&words)
            .numbered("", 40),
        Plan::new("bkdr7", SCATTERED, 18, 7, 1 << 25)
            .planned(3_000_000, 0.01, IGNORE)
            .keys(&text)
            .probes(&["Y&", "not UTF-8 would be U+FFFD"]),
        Plan::new("fnv-crc", SCATTERED, 19, 3, 1009)
            .planned(100, 0.05, WARN)
            .keys(&["apple", "banana", "cherry"])
            .probes(&["apple", "grape"]),
        Plan::new("sha384", SCATTERED, 20, 12, 1 << 12)
            .planned(300, 0.002, REFUSE)
            .keys(&text)
            .numbered("1111110617", 90),
        Plan::new("guava-mitz32, int32", SCATTERED, 21, 4, 1600)
            .domain(INTEGER32)
            .planned(250, 0.05, IGNORE)
            .keys(&small_numbers)
            .numbered("1000", 150)
            .probes(&["4294967295", "4294967294"]),
        Plan::new("guava-mitz64, utf16", SCATTERED, 22, 3, 576)
            .domain(UTF16)
            .planned(120, 0.1, IGNORE)
            .keys(&text)
            .numbered("\u{9375}", 90),
        Plan::new("spark-v1", SCATTERED, 23, 5, 64)
            .planned(5, 0.05, IGNORE)
            .recipe(TRIM)
            .keys(&words)
            .probes(&[" petal ", "pe tal"]),
        Plan::new("spark-v2, int64", SCATTERED, 24, 5, 2944)
            .parameter(0xFFFF_FFF9)
            .domain(INTEGER)
            .planned(400, 0.03, REFUSE)
            .keys(&numbers)
            .numbered("1000", 200)
            .probes(&["18446744073709551615"]),
        Plan::new("bits-and-blooms", SCATTERED, 25, 9, 777).planned(60, 0.002, REFUSE).keys(&words),
        Plan::new("dcso, 36 bits", SCATTERED, 26, 1, 36).planned(25, 0.5, WARN).keys(&text),
        Plan::new("redisbloom, count not known", SCATTERED, 27, 8, 1152)
            .planned(100, 0.005, REFUSE)
            .count_unknown()
            .keys(&text)
            .numbered("key ", 90),
        Plan::new("valkey-bloom", SCATTERED, 28, 6, 408)
            .seed(VALKEY_SEEDS[0])
            .planned(50, 0.02, REFUSE)
            .keys(&text),
        Plan::new("valkey-bloom, another seed and a name", SCATTERED, 28, 40, 1000)
            .seed(VALKEY_SEEDS[1])
            .planned(10, 1e-9, REFUSE)
            .record(1, "stands before the seed")
            .keys(&words[..3]),
    ]
}

/// Sealed files: with seal keys shorter than a block of SHA-256, of its length and longer, with and
/// without a secret key.
fn sealed_plans() -> Vec<Plan> {
    let words = ["petal", "sepal", "tepal"];
    vec![
        Plan::new("sealed, 16-byte key", LINE, 1, 6, 512)
            .planned(51, 0.01, REFUSE)
            .keys(&words)
            .sealed(b"0123456789abcdef"),
        Plan::new("sealed, 64-byte key, secret", DOUBLE, 2, 7, 512 * 2)
            .secret(SECRETS[0])
            .planned(100, 0.01, WARN)
            .record(1, "sealed and secret")
            .keys(&words)
            .sealed(&[0xA5; 64]),
        Plan::new("sealed, 65-byte key, padded body", SPLIT_BLOCK, 1, 8, 256)
            .parameter(1)
            .planned(24, 0.01, IGNORE)
            .numbered("key ", 20)
            .sealed(&[0x5A; 65]),
        Plan::new("sealed, two chunks", LINE, 1, 6, 512 * 1100)
            .planned(56_000, 0.01, REFUSE)
            .numbered("key ", 1000)
            .sealed(b"a seal key of some length, in ASCII"),
    ]
}

/// Keys that only the recipe makes equal: a reader that does not apply it says no for them.
fn recipe_plans() -> Vec<Plan> {
    vec![
        Plan::new("recipe, keys as they were given", LINE, 1, 6, 512)
            .planned(51, 0.01, REFUSE)
            .recipe(TRIM | NOCASE)
            .keys(&[" Alice@X.org ", "BOB@x.org", "\tcarol@x.org\r\n", "dave@x.org", "\u{c4}RGER@x.org\u{b}"])
            .probes(&[
                "alice@x.org",
                "ALICE@X.ORG",
                " bob@x.org",
                "Carol@x.org",
                "dave@x.ORG\n",
                "al ice@x.org",
            ])
            .probes(&["\u{c4}rger@x.org", "\u{e4}rger@x.org", "\u{a0}dave@x.org"]),
        Plan::new("recipe before an integer", DOUBLE, 1, 7, 512)
            .domain(INTEGER)
            .planned(40, 0.01, REFUSE)
            .recipe(TRIM)
            .keys(&[" 42", "-1\n", "570108428378"])
            .probes(&["42", "\t42 ", "18446744073709551615 ", "570108428378\r\n", "-42"]),
        Plan::new("recipe before utf16", SCATTERED, 22, 3, 576)
            .domain(UTF16)
            .planned(120, 0.1, IGNORE)
            .recipe(TRIM | NOCASE)
            .keys(&[" Bl\u{dc}TE ", "\u{9375}KEY"])
            .probes(&["bl\u{dc}te", "BL\u{fc}TE", "\u{9375}Key\t"]),
    ]
}

/// Every layout with scheme 4. The answer for every key is `yes`, even if the filter is empty.
fn caller_hash_plans() -> Vec<Plan> {
    let drawn = |text: &str, count: u64| -> Vec<u64> {
        (0..count).map(|i| xxh3(format!("{text} {i}").as_bytes(), 0)).collect()
    };
    let mut edges = vec![0, 1, u64::MAX, 1 << 63, 0x9E3779B97F4A7C15];
    edges.extend(drawn("hash", 35));
    vec![
        Plan::new("caller-hash, line", LINE, 4, 6, 512)
            .planned(51, 0.01, REFUSE)
            .record(7, "whole")
            .hashes("hash \"64\", v1", edges, drawn("never inserted", 12))
            .probes(&["petal", ""]),
        Plan::new("caller-hash, double, with all records", DOUBLE, 4, 7, 512 * 2)
            .domain(INTEGER)
            .planned(100, 0.01, WARN)
            .recipe(TRIM)
            .record(1, "hashes")
            .record(2, "a caller")
            .record(3, "2024-02-29")
            .record(4, "id")
            .record(7, "csv 2c 5c empty")
            .hashes("H\u{e4}sh v2, seed 7", drawn("hash", 70), drawn("never inserted", 12))
            .probes(&["42", " 42 "]),
        Plan::new("caller-hash, split-block, finished integers", SPLIT_BLOCK, 4, 8, 256 * 3)
            .planned(72, 0.01, IGNORE)
            .hashes(
                "the integer, then finish",
                (0..60).map(finish).collect(),
                (60..72).map(finish).collect(),
            ),
        Plan::new("caller-hash, scattered, empty", SCATTERED, 4, 13, 640)
            .planned(30, 1e-4, REFUSE)
            .hashes("a hash", Vec::new(), vec![0, 1, u64::MAX])
            .probes(&["petal"]),
        Plan::new("caller-hash, sealed", LINE, 4, 12, 512 * 2)
            .planned(40, 1e-4, REFUSE)
            .hashes("a hash", drawn("hash", 5), drawn("never inserted", 3))
            .sealed(b"0123456789abcdef"),
    ]
}
