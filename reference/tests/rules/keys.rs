//! Sections 1.1 and 1.2: key domains and recipe.

use tepal_reference::bits::LINE;
use tepal_reference::filter::Filter;
use tepal_reference::key::{NOCASE, TRIM, apply_recipe, bytes_of};

const BYTES: u8 = 1;
const INTEGER: u8 = 2;
const INTEGER32: u8 = 3;
const UTF16: u8 = 4;
const FLOAT32: u8 = 5;
const FLOAT64: u8 = 6;

/// The text that stands for an integer.
fn int(value: i128) -> Vec<u8> {
    value.to_string().into_bytes()
}

#[test]
fn an_integer_in_the_bytes_domain_is_its_text() {
    assert_eq!(bytes_of(BYTES, &int(-42)).unwrap(), b"-42");
    assert_eq!(bytes_of(BYTES, b"042").unwrap(), b"042");
}

#[test]
fn text_in_the_integer_domain_is_the_integer() {
    for (text, value) in [("0", 0), ("-1", u64::MAX), ("18446744073709551615", u64::MAX)] {
        assert_eq!(bytes_of(INTEGER, text.as_bytes()).unwrap(), value.to_le_bytes());
    }
    let lowest = bytes_of(INTEGER, b"-9223372036854775808").unwrap();
    assert_eq!(lowest, (1u64 << 63).to_le_bytes());
}

#[test]
fn other_text_is_refused_in_the_integer_domain() {
    let refused = ["", "042", "+1", "-0", "-", "1.0", " 1", "1 ", "1e3", "0x1", "\u{661}"];
    for text in refused.iter().chain(&["18446744073709551616", "-9223372036854775809"]) {
        assert!(bytes_of(INTEGER, text.as_bytes()).is_err(), "{text:?}");
    }
    assert!(bytes_of(INTEGER, b"\xff").is_err());
    assert!(bytes_of(INTEGER, &int(1 << 64)).is_err());
}

#[test]
fn thirty_two_bit_integers() {
    for (text, bytes) in [("0", [0; 4]), ("-1", [255; 4]), ("4294967295", [255; 4]), ("258", [2, 1, 0, 0])] {
        assert_eq!(bytes_of(INTEGER32, text.as_bytes()).unwrap(), bytes);
    }
    assert_eq!(bytes_of(INTEGER32, &int(-(1 << 31))).unwrap(), [0, 0, 0, 0x80]);
    for text in ["4294967296", "-2147483649", "", "01", "+1", "-0", "1.0", "x"] {
        assert!(bytes_of(INTEGER32, text.as_bytes()).is_err(), "{text:?}");
    }
    assert!(bytes_of(INTEGER32, &int(1 << 32)).is_err());
}

#[test]
fn utf16_units() {
    let key = "a\u{e9}\u{1f511}";
    let expected = [0x61, 0, 0xE9, 0, 0x3D, 0xD8, 0x11, 0xDD];
    assert_eq!(bytes_of(UTF16, key.as_bytes()).unwrap(), expected);
    assert_eq!(bytes_of(UTF16, &int(-1)).unwrap(), [b'-', 0, b'1', 0]);
    // A lone byte, and a surrogate written as if it were a character.
    for bytes in [&b"\xFF"[..], b"\xED\xA0\x80"] {
        assert!(bytes_of(UTF16, bytes).is_err());
    }
}

#[test]
fn floats_are_rounded_once() {
    let f32_of = |text: &str| bytes_of(FLOAT32, text.as_bytes());
    // Just above the middle between 1 and the next f32. Rounded to an f64 first, it would be the
    // middle itself, and then round to 1.
    let above_middle = "1.000000059604644775390626";
    assert_eq!(f32_of(above_middle).unwrap(), 1.0000001f32.to_le_bytes());
    assert_eq!(f32_of("-0").unwrap(), [0, 0, 0, 0x80]);
    assert_eq!(f32_of("NaN").unwrap(), [0, 0, 0xC0, 0x7F]);
    assert_eq!(bytes_of(FLOAT64, &int(1)).unwrap(), [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]);
    for text in ["", " 1", "1 ", "1,5", "0x1p3", ".", "e5", "1e", "1_0", "-", "--1", "NaN()", "1f"] {
        assert!(f32_of(text).is_err(), "{text:?}");
    }
    assert!(bytes_of(FLOAT64, b"\xFF").is_err());
}

#[test]
fn recipe_trims_then_lowers() {
    assert_eq!(apply_recipe(TRIM | NOCASE, b"\x0b\r Ab C\t\n\x0c"), b"ab c");
    assert_eq!(apply_recipe(TRIM, b" \t "), b"");
    assert_eq!(apply_recipe(NOCASE, "@AZ[\u{c4}".as_bytes()), "@az[\u{c4}".as_bytes());
    let filter = Filter { recipe: 4, ..Filter::new(LINE, 1, 6, 512) };
    assert!(filter.check().is_err());
}

#[test]
fn a_filter_applies_the_recipe_when_a_key_is_inserted_and_when_it_is_asked() {
    let mut filter = Filter { recipe: TRIM | NOCASE, ..Filter::new(LINE, 1, 8, 512) };
    filter.insert(b" Alice@X.org ").unwrap();
    for key in ["alice@x.org", "\tALICE@X.ORG", " Alice@X.org "] {
        assert!(filter.contains(key.as_bytes()).unwrap(), "{key:?}");
    }
    filter.recipe = 0;
    assert!(filter.contains(b"alice@x.org").unwrap());
    assert!(!filter.contains(b" Alice@X.org ").unwrap());
}
