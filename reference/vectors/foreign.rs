//! Which files `files.json` holds of the schemes beyond 1 and 2: one of each, and every further key domain.

use crate::plans::Plan;
use crate::schemes::VALKEY_SEEDS;
use tepal_reference::bits::Layout;
use tepal_reference::filter::Policy;
use tepal_reference::hash::Scheme;
use tepal_reference::key::{Domain, TRIM};
use tepal_reference::records::NAME;
use tepal_reference::schemes::{Md5Split, Own};

/// The plans.
pub(crate) fn plans() -> Result<Vec<Plan>, String> {
    use Domain::{Bytes, Float32, Float64, Integer, Integer32, Utf16};
    let words = ["petal", "sepal", "tepal", "stamen", "carpel", "pistil", "ovary", "style", "stigma"];
    let text =
        ["", "apple", "Bl\u{fc}te", "\u{9375}", "\u{1f511}", "a\tb", "570108428378", "tepal self-test 0"];
    let numbers = ["0", "1", "-1", "42", "-42", "9223372036854775808", "-9223372036854775808"];
    let small_numbers = ["0", "1", "-1", "2147483648", "-2147483648", "65536"];
    let valkey = |i: usize| Own::ValkeyBloom { seed: VALKEY_SEEDS[i] };
    let floats = ["0", "-0", "1.5", "-1.5", "0.1", "1e300", "-1e-300", "16777217", "inf", "-inf", "NaN"];
    let split = Md5Split { little_endian: true, from_zero: true, wrapping: true };

    Ok(vec![
        Plan::new("xxh64, split-block", Layout::SplitBlock, 8, 3, Scheme::Xxh64, Bytes)?
            .planned(72, 0.01, Policy::Refuse)
            .keys(&text),
        Plan::new("xxh64, split-block, float64", Layout::SplitBlock, 8, 8, Scheme::Xxh64, Float64)?
            .planned(200, 0.01, Policy::Refuse)
            .keys(&floats)
            .numbered("7.", 40)
            .probes(&["1.50", "0.1000000000000000055511151231257827", "1e301"]),
        Plan::new("xxh64, line, float32", Layout::Line, 6, 2, Scheme::Xxh64, Float32)?
            .planned(100, 0.01, Policy::Warn)
            .keys(&floats)
            .probes(&["16777216", "16777218", "0.100000001", "1.000000059604644775390626"]),
        Plan::own("md5-presets", 3, 1445, Own::Md5Presets, Bytes)?
            .planned(301, 0.1, Policy::Ignore)
            .keys(&text)
            .numbered("key ", 250),
        Plan::own("md5-split", 6, 2003, Own::Md5Split(split), Bytes)?
            .planned(250, 0.02, Policy::Refuse)
            .keys(&words)
            .numbered("", 40),
        Plan::own("bkdr7", 7, 1 << 25, Own::Bkdr7, Bytes)?
            .planned(3_000_000, 0.01, Policy::Ignore)
            .keys(&text)
            .probes(&["Y&", "not UTF-8 would be U+FFFD"]),
        Plan::own("fnv-crc", 3, 1009, Own::FnvCrc, Bytes)?
            .planned(100, 0.05, Policy::Warn)
            .keys(&["apple", "banana", "cherry"])
            .probes(&["apple", "grape"]),
        Plan::own("sha384", 12, 1 << 12, Own::Sha384, Bytes)?
            .planned(300, 0.002, Policy::Refuse)
            .keys(&text)
            .numbered("1111110617", 90),
        Plan::own("guava-mitz32, integer32", 4, 1600, Own::GuavaMitz32, Integer32)?
            .planned(250, 0.05, Policy::Ignore)
            .keys(&small_numbers)
            .numbered("1000", 150)
            .probes(&["4294967295", "4294967294"]),
        Plan::own("guava-mitz64, utf16", 3, 576, Own::GuavaMitz64, Utf16)?
            .planned(120, 0.1, Policy::Ignore)
            .keys(&text)
            .numbered("\u{9375}", 90),
        Plan::own("spark-v1", 5, 64, Own::SparkV1, Bytes)?
            .planned(5, 0.05, Policy::Ignore)
            .recipe(TRIM)
            .keys(&words)
            .probes(&[" petal ", "pe tal"]),
        Plan::own("spark-v2, integer", 5, 2944, Own::SparkV2 { seed: -7 }, Integer)?
            .planned(400, 0.03, Policy::Refuse)
            .keys(&numbers)
            .numbered("1000", 200)
            .probes(&["18446744073709551615"]),
        Plan::own("bits-and-blooms", 9, 777, Own::BitsAndBlooms, Bytes)?
            .planned(60, 0.002, Policy::Refuse)
            .keys(&words),
        Plan::own("dcso, 36 bits", 1, 36, Own::Dcso, Bytes)?.planned(25, 0.5, Policy::Warn).keys(&text),
        Plan::own("redisbloom, count not known", 8, 1152, Own::RedisBloom, Bytes)?
            .planned(100, 0.005, Policy::Refuse)
            .count_unknown()
            .keys(&text)
            .numbered("key ", 90),
        Plan::own("valkey-bloom", 6, 408, valkey(0), Bytes)?.planned(50, 0.02, Policy::Refuse).keys(&text),
        Plan::own("valkey-bloom, another seed and a name", 40, 1000, valkey(1), Bytes)?
            .planned(10, 1e-9, Policy::Refuse)
            .record(NAME, "stands before the seed")
            .keys(&words[..3]),
    ])
}
