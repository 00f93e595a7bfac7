//! Separators in numbers: `20,000,000` and `20_000_000` are read, `0,1%` and `1,5M` are refused.
//!
//! In many countries the decimal mark is a comma, and a point separates thousands. A number that
//! can be read in two ways is refused, and the error shows both spellings.

use std::borrow::Cow;
use std::fmt;

/// A number whose separators are refused, and how to write it.
#[derive(Debug, PartialEq, Eq)]
pub struct Misspelt {
    /// The number as it was given.
    text: String,
    /// What is wrong with it.
    why: &'static str,
    /// The spellings that may be meant.
    ways: Vec<String>,
}

impl fmt::Display for Misspelt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}; write {}", self.text, self.why, self.ways.join(" or "))
    }
}

impl Misspelt {
    /// The message of a flag: with the spellings that `read` accepts. If it accepts none, the
    /// message tells why the first is refused.
    pub fn told_by<T>(mut self, read: impl Fn(&str) -> Result<T, String>) -> String {
        let refused = self.ways.first().and_then(|way| read(way).err());
        self.ways.retain(|way| read(way).is_ok());
        refused.filter(|_| self.ways.is_empty()).unwrap_or_else(|| self.to_string())
    }
}

impl From<Misspelt> for String {
    fn from(misspelt: Misspelt) -> Self {
        misspelt.to_string()
    }
}

/// The longest number that a message repeats.
const LONGEST: usize = 60;

/// The number without the separators of its thousands.
///
/// A comma separates thousands only in a number without a point, an exponent, a unit or `%`. The
/// first group must have one to three digits and must not begin with 0; the other groups must have
/// three. An underscore is nowhere a decimal mark, so a point, an exponent or a unit may follow its
/// groups. A text that is not a number is returned unchanged.
pub fn without_separators(text: &str) -> Result<Cow<'_, str>, Misspelt> {
    let text = text.trim();
    let Some(number) = Number::of(text) else { return Ok(Cow::Borrowed(text)) };
    let commas = number.digits.matches(',').count();
    let points = number.digits.matches('.').count();
    let others = number.digits.contains(is_other);
    let has_underscores = number.digits.contains('_');
    if commas == 0 && !others && !has_underscores {
        return match points > 1 || number.tail.is_empty() && are_groups(number.digits, '.') {
            true => Err(number.misspelt(commas, points)),
            false => Ok(Cow::Borrowed(text)),
        };
    }
    let whole = number.digits.split('.').next().unwrap_or_default();
    let read = match (commas, others, has_underscores) {
        (1.., false, false) => number.tail.is_empty() && are_groups(number.digits, ','),
        (0, false, true) => {
            let after = number.digits.strip_prefix(whole).unwrap_or_default();
            points < 2 && are_groups(whole, '_') && !after.contains('_')
        }
        _ => false,
    };
    match read {
        true => Ok(Cow::Owned(text.replace([',', '_'], ""))),
        false => Err(number.misspelt(commas, points)),
    }
}

/// Are these two or more groups of three digits? The first has one to three and does not begin
/// with 0.
fn are_groups(digits: &str, separator: char) -> bool {
    let mut groups = digits.split(separator);
    let is_first = |group: &str| (1..=3).contains(&group.len()) && !group.starts_with('0');
    let are_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    digits.contains(separator)
        && groups.next().is_some_and(|group| is_first(group) && are_digits(group))
        && groups.all(|group| group.len() == 3 && are_digits(group))
}

/// Separators that people write and that are refused: apostrophes, and spaces of all widths.
fn is_other(letter: char) -> bool {
    matches!(letter, '\'' | '’' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

/// A text of digits and separators, and what follows them.
struct Number<'a> {
    text: &'a str,
    /// The text from the first digit or separator to the last one.
    digits: &'a str,
    /// The exponent, the unit or `%`, with the space before it.
    tail: &'a str,
}

impl<'a> Number<'a> {
    /// Splits a number; `None` for a text that is not a number or is too long for a message.
    fn of(text: &'a str) -> Option<Self> {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '_') || is_other(c);
        let digits = text.split(|c| !is_part(c)).next()?.trim_end();
        let tail = &text[digits.len()..];
        let is_tail = |c: char| c.is_ascii_alphanumeric() || matches!(c, '%' | '+' | '-' | ' ');
        let has_digit = digits.contains(|c: char| c.is_ascii_digit());
        (has_digit && text.len() <= LONGEST && tail.chars().all(is_tail)).then_some(Self {
            text,
            digits,
            tail,
        })
    }

    /// The reason why it is refused, and the right spellings.
    fn misspelt(&self, commas: usize, points: usize) -> Misspelt {
        let plain = |mark: Option<usize>| {
            let kept = |(at, c): (usize, char)| match c {
                _ if c.is_ascii_digit() => Some(c),
                _ => (mark == Some(at)).then_some('.'),
            };
            let digits: String = self.digits.char_indices().filter_map(kept).collect();
            let zero = if digits.starts_with('.') { "0" } else { "" };
            format!("{zero}{}{}", digits.trim_end_matches('.'), self.tail)
        };
        let last = self.digits.rfind([',', '.']);
        let is_last = |c: char| last.is_some_and(|at| self.digits[at..].starts_with(c));
        // The decimal mark occurs once, after all separators of thousands.
        let (is_comma, is_point) = (commas == 1 && is_last(','), points == 1 && is_last('.'));
        let mark = last.filter(|_| is_comma || is_point);
        let (why, ways) = match (commas, points) {
            (1, 0) if are_groups(self.digits, ',') => {
                ("may be read in two ways", vec![plain(None), plain(mark)])
            }
            // The second spelling must be accepted: it has another number of decimals.
            (0, 1) if are_groups(self.digits, '.') => {
                let short = plain(mark);
                let short = short.trim_end_matches('0').trim_end_matches('.').to_owned();
                let decimal = if are_groups(&short, '.') { format!("{short}0") } else { short };
                ("may be read in two ways", vec![plain(None), decimal])
            }
            _ if is_comma => ("has a decimal comma", vec![plain(mark)]),
            (1.., _) if is_point => ("has commas and a point", vec![plain(mark)]),
            (0, 0 | 1) => ("has separators between its digits that are not read", vec![plain(mark)]),
            (0, _) => ("has several points", vec![plain(None)]),
            _ => ("has commas that do not separate thousands", vec![plain(None)]),
        };
        Misspelt { text: self.text.to_owned(), why, ways }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_read() {
        for (text, plain) in [
            ("20,000,000", "20000000"),
            ("1,000", "1000"),
            ("999,999", "999999"),
            ("20_000_000", "20000000"),
            ("20_000k", "20000k"),
            ("1_000.25e3", "1000.25e3"),
            ("0.001", "0.001"),
            ("1.500M", "1.500M"),
            ("1.000%", "1.000%"),
            (" 20 M ", "20 M"),
            ("1.25e+2", "1.25e+2"),
            ("M", "M"),
            ("", ""),
            ("-0,1", "-0,1"),
            ("0x10", "0x10"),
        ] {
            assert_eq!(without_separators(text).as_deref(), Ok(plain), "{text}");
        }
    }

    #[test]
    fn a_flag_tells_of_no_spelling_that_it_refuses() {
        let whole = |text: &str| match text.contains('.') {
            true => Err("no whole number".to_owned()),
            false => Ok(()),
        };
        let told = |text| without_separators(text).unwrap_err().told_by(whole);
        assert_eq!(told("1,500s"), "1,500s may be read in two ways; write 1500s");
        assert_eq!(told("1,5d"), "no whole number");
    }

    #[test]
    fn what_may_be_read_in_two_ways_is_refused_with_its_spellings() {
        for (text, expected) in [
            ("0,1%", "0,1% has a decimal comma; write 0.1%"),
            ("0,001%", "0,001% has a decimal comma; write 0.001%"),
            ("0,01", "0,01 has a decimal comma; write 0.01"),
            (",5", ",5 has a decimal comma; write 0.5"),
            ("5,", "5, has a decimal comma; write 5"),
            ("1,5M", "1,5M has a decimal comma; write 1.5M"),
            ("1,5 M", "1,5 M has a decimal comma; write 1.5 M"),
            ("0,5GiB", "0,5GiB has a decimal comma; write 0.5GiB"),
            ("1,5e3", "1,5e3 has a decimal comma; write 1.5e3"),
            ("1,500M", "1,500M may be read in two ways; write 1500M or 1.500M"),
            ("1,500%", "1,500% may be read in two ways; write 1500% or 1.500%"),
            ("1,500e3", "1,500e3 may be read in two ways; write 1500e3 or 1.500e3"),
            ("20.000", "20.000 may be read in two ways; write 20000 or 20"),
            ("1.250", "1.250 may be read in two ways; write 1250 or 1.25"),
            ("1.234", "1.234 may be read in two ways; write 1234 or 1.2340"),
            ("1.000.000", "1.000.000 has several points; write 1000000"),
            ("1.234,5", "1.234,5 has a decimal comma; write 1234.5"),
            ("1,234.5", "1,234.5 has commas and a point; write 1234.5"),
            ("1,234,567.5k", "1,234,567.5k has commas and a point; write 1234567.5k"),
            ("1,000,000k", "1,000,000k has commas that do not separate thousands; write 1000000k"),
            ("1,00,000", "1,00,000 has commas that do not separate thousands; write 100000"),
            ("1,,000", "1,,000 has commas that do not separate thousands; write 1000"),
            ("012,345,678", "012,345,678 has commas that do not separate thousands; write 012345678"),
            ("1000,000", "1000,000 has a decimal comma; write 1000.000"),
            ("1_5M", "1_5M has separators between its digits that are not read; write 15M"),
            ("0_1%", "0_1% has separators between its digits that are not read; write 01%"),
            ("1.000_000", "1.000_000 has separators between its digits that are not read; write 1.000000"),
            ("1'000'000", "1'000'000 has separators between its digits that are not read; write 1000000"),
            ("1 000 000", "1 000 000 has separators between its digits that are not read; write 1000000"),
            ("1 000,5k", "1 000,5k has a decimal comma; write 1000.5k"),
        ] {
            assert_eq!(without_separators(text).map_err(String::from), Err(expected.to_owned()));
        }
    }
}
