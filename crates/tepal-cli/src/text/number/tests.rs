//! What is read as a number, and what is refused.

use super::*;

#[test]
fn counts_are_read_exactly() {
    for (text, n) in [
        ("1", 1),
        ("20M", 20_000_000),
        ("1.5k", 1_500),
        ("1G", 1_000_000_000),
        ("20_000_000", 20_000_000),
        ("20,000,000", 20_000_000),
        ("2e7", 20_000_000),
        ("1.25e+2", 125),
        (" 20 M ", 20_000_000),
        ("0.001k", 1),
        ("64Ki", 65_536),
        ("18446744073709551615", u64::MAX),
    ] {
        assert_eq!(parse_count(text), Ok(n), "{text}");
    }
    for text in [
        "",
        "0",
        "0k",
        "-1",
        "1.5",
        "M",
        "1e",
        "1e99",
        "20X",
        "1 2",
        "nan",
        ".",
        "1.2.3",
        "0x10",
        "18446744073709551616",
        "1e-3",
        "20MM",
        "٢",
        "1,5M",
        "1,500M",
        "1,5k",
        "20.000",
        "1,00,000",
        "1 000 000",
        "1'000'000",
        "1_5M",
    ] {
        assert!(parse_count(text).is_err(), "{text}");
    }
    assert_eq!(parse_count("1,5M"), Err("1,5M has a decimal comma; write 1.5M".to_owned()));
    // No spelling that is refused too.
    assert!(
        parse_count("0,100")
            .is_err_and(|text| text.starts_with("not a whole number") && !text.contains("0.100"))
    );
    assert_eq!(parse_rate("1,500%"), Err("1,500% may be read in two ways; write 1.500%".to_owned()));
    assert_eq!(parse_count_or_zero("0"), Ok(0));
}

#[test]
fn sizes_are_read_exactly() {
    for (text, n) in [
        ("4096", 4096),
        ("24MiB", 24 << 20),
        ("24 MiB", 24 << 20),
        ("24MB", 24_000_000),
        ("24M", 24_000_000),
        ("1.5KiB", 1536),
        ("10B", 10),
        ("2GiB", 2 << 30),
        ("3GB", 3_000_000_000),
        ("7T", 7_000_000_000_000),
        ("1.5TiB", 3 << 39),
        ("9KB", 9_000),
    ] {
        assert_eq!(parse_size(text), Ok(n), "{text}");
    }
    for text in ["", "0", "MiB", "-1MiB", "99999999TiB", "1.0001KiB", "5 bits", "0,5GiB", "1,500MB", "4.096"]
    {
        assert!(parse_size(text).is_err(), "{text}");
    }
}

#[test]
fn rates_are_read() {
    for (text, rate) in [
        ("1%", 0.01),
        ("0.1%", 0.001),
        ("0.1 %", 0.001),
        ("0.01", 0.01),
        ("1e-6", 1e-6),
        ("1 in 100", 0.01),
        ("1in100", 0.01),
        ("1/1,000", 0.001),
        ("1 in 1_000_000", 1e-6),
        (".5", 0.5),
        ("1 in 1,000,000", 1e-6),
        ("1,000 in 1,000,000", 1e-3),
        ("0.001%", 1e-5),
        ("1E-6", 1e-6),
    ] {
        assert_eq!(parse_rate(text), Ok(rate), "{text}");
    }
    for text in [
        "0",
        "0%",
        "1",
        "100%",
        "2",
        "nan",
        "NaN",
        "inf",
        "-0.1",
        "1 in 0",
        "1 in 1",
        "0 in 5",
        "",
        "%",
        "in",
        "infinity",
        "1e-400",
        "abc",
        "0,1%",
        "0,001%",
        "0,01",
        "1,500%",
        "1 in 1,5",
        "1 in 100.000",
        "1 in 1 000 000",
        "0_1%",
        "1/1'000",
    ] {
        assert!(parse_rate(text).is_err(), "{text}");
    }
}

#[test]
fn seeds_are_read() {
    assert_eq!(parse_seed("0"), Ok(0));
    assert_eq!(parse_seed("0xff"), Ok(255));
    assert_eq!(parse_seed("18446744073709551615"), Ok(u64::MAX));
    assert_eq!(parse_seed("-1"), Ok(u64::MAX));
    assert_eq!(parse_seed("-9223372036854775808"), Ok(1 << 63));
    for bad in
        ["-", "--1", "-9223372036854775809", "18446744073709551616", "-0x1", "x", "1,5", "0,001", "1_5"]
    {
        assert!(parse_seed(bad).is_err(), "{bad}");
    }
    assert!(parse_seed("0x").is_err());
    assert_eq!(parse_seed("-1_000"), parse_seed("-1,000"));
}

#[test]
fn whole_numbers_are_read_within_their_bounds() {
    assert_eq!(parse_whole::<u8>("254", 1, 254), Ok(254));
    assert_eq!(parse_whole::<u32>("1,000", 0, 1000), Ok(1000));
    for text in ["", "0", "255", "256", "1,5", "1.0", "x", "-1"] {
        assert!(parse_whole::<u8>(text, 1, 254).is_err(), "{text}");
    }
    let text = "expected a number from 1 to 1024, such as 4".to_owned();
    assert_eq!(parse_whole::<u32>("0", 1, 1024), Err(text));
}

#[test]
fn numbers_are_written_for_people() {
    assert_eq!(count(0), "0");
    assert_eq!(count(999), "999");
    assert_eq!(count(1_000), "1,000");
    assert_eq!(count(20_000_000), "20,000,000");
    assert_eq!(counted(1, "key"), "1 key");
    assert_eq!(counted(0, "key"), "0 keys");
    assert_eq!(size(870), "870 bytes");
    assert_eq!(size(1024), "1.0 KiB");
    assert_eq!(size(25_000_000), "23.8 MiB");
    assert_eq!(size((1 << 20) - 1), "1.0 MiB");
    assert_eq!(size(u64::MAX), "16.0 EiB");
    assert_eq!(rate(0.01), "1 in 100");
    assert_eq!(rate(1.0 / 95.46), "1 in 95.5");
    assert_eq!(rate(1e-6), "1 in 1,000,000");
    assert_eq!(rate(1.0 / 123_456.0), "1 in 123,500");
    assert_eq!(rate(0.0), "never");
    // The least number above 0 has no reciprocal.
    assert_eq!((rate(5e-324), rate(1e-308)), ("0".to_owned(), "1 in 1.0e308".to_owned()));
    assert_eq!((promise(0.0), promise(5e-324)), ("0".to_owned(), "0".to_owned()));
    assert_eq!(promise(0.01), "1 in 100");
    assert_eq!(rate(0.9), "90 %");
    assert_eq!(rate(0.5), "1 in 2");
    assert_eq!(rate(1e-300), "1 in 1.0e300");
    assert_eq!(percent(0.551), "55 %");
    assert_eq!(percent(0.0098), "0.98 %");
    assert_eq!(percent(1.0), "100 %");
}

#[test]
fn numbers_are_those_that_are_written_so() {
    for (text, number) in [("0", Some(0)), ("7", Some(7)), ("4294967295", Some(u32::MAX))] {
        assert_eq!(plain_number(text), number);
    }
    for text in ["", "007", "+7", "-7", "4294967296", "1.0", " 1", "x", "00"] {
        assert_eq!(plain_number(text), None, "{text:?}");
    }
}
