//! What separates the fields of rows of which `-f` names one by its number, by the first records.
//!
//! A tab, comma or semicolon fits if it stands in each of these records, outside of quotes, equally
//! often, and gives the field. The name of the file decides between several that fit, else what the
//! filter records. Without either that is an error, since half of such guesses would be wrong, and
//! a filter of the wrong field says no for ever.

use memchr::memchr_iter;

use crate::input::csv::{Csv, Fields, Found, QUOTE, Scanner};
use crate::input::field::RowFormat;
use crate::input::form::{CSV, Named, SEMICOLONS, TABS};
use crate::text::message::shown_key;
use crate::text::number::counted;

/// So many records decide.
pub const RECORDS: usize = 100;

/// What is known besides the records.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The greatest number of a field that is wanted.
    pub number: usize,
    /// What the name of the file says.
    pub named: Option<Named>,
    /// The format that the filter records.
    pub recorded: Option<RowFormat>,
    /// The escape of CSV, if it was given.
    pub escape: Option<u8>,
}

/// The format of rows that begin with `head`; `None` if no separator is found, so that there is one
/// field. `head` ends with the last record.
pub fn choose(head: &[u8], known: Known) -> Result<Option<RowFormat>, String> {
    let tabs = match known.named {
        Some(Named::Csv) => RowFormat::quoted(b'\t'),
        _ => TABS,
    };
    let with_escape = |format: RowFormat| RowFormat { escape: known.escape, ..format };
    let candidates: Vec<RowFormat> = match known.escape {
        None => vec![tabs, CSV, SEMICOLONS],
        Some(_) => [RowFormat::quoted(b'\t'), CSV, SEMICOLONS].map(with_escape).to_vec(),
    };
    let counts: Vec<Vec<usize>> = candidates.iter().map(|format| counts(head, *format)).collect();
    let fits = |counts: &Vec<usize>| match counts.first() {
        Some(&first) => first > 0 && first + 1 >= known.number && counts.iter().all(|count| *count == first),
        None => false,
    };
    let fitting: Vec<RowFormat> = candidates
        .iter()
        .zip(&counts)
        .filter(|(_, counts)| fits(counts))
        .map(|(format, _)| *format)
        .collect();
    let of_name = match known.named {
        Some(Named::Tsv) => Some(b'\t'),
        Some(Named::Csv) => Some(b','),
        _ => None,
    };
    let preferred = [known.recorded.map(|format| format.delimiter), of_name];
    for delimiter in preferred.into_iter().flatten() {
        if let Some(format) = fitting.iter().find(|format| format.delimiter == delimiter) {
            return Ok(Some(*format));
        }
    }
    match fitting[..] {
        [format] => Ok(Some(format)),
        [] if counts.iter().any(|counts| !counts.is_empty() && !counts.contains(&0)) => Ok(None),
        [] => refuse_others(head, known).map(|()| None),
        _ => {
            let all: Vec<String> = fitting.iter().map(|format| told(*format)).collect();
            Err(format!(
                "what separates the fields of its rows is not sure: {}; say which, or add --whole if each whole line is a key",
                all.join(" or ")
            ))
        }
    }
}

/// A separator, and the flag that says it.
fn told(format: RowFormat) -> String {
    let (name, flag) = match format.delimiter {
        b'\t' => ("tabs", "--tsv"),
        b',' => ("commas", "--csv"),
        _ => ("semicolons", "--csv -d ';'"),
    };
    format!("{name} ({flag})")
}

/// How often the separator stands in each of the first records, outside of quotes. A row of CSV
/// whose quotes are wrong does not count.
fn counts(head: &[u8], format: RowFormat) -> Vec<usize> {
    match format.csv() {
        None => lines(head).take(RECORDS).map(tabs).collect(),
        Some(csv) => rows(head, csv)
            .filter_map(|row| {
                Fields::new(row, csv).try_fold(0_usize, |fields, field| field.ok().map(|_| fields + 1))
            })
            .take(RECORDS)
            .map(|fields| fields - 1)
            .collect(),
    }
}

/// The lines that are not blank, without their ends.
fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split(|byte| *byte == b'\n').map(content).filter(|line| !line.is_empty())
}

fn content(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The rows of CSV that are not blank, without their ends. After one whose quotes are wrong the
/// next begins with the next line.
fn rows(head: &[u8], csv: Csv) -> impl Iterator<Item = &[u8]> {
    let (mut scanner, mut rest) = (Scanner::new(csv), head);
    let all = std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        scanner.reset();
        let end = match scanner.scan(rest) {
            Found::End(end) => end,
            Found::Nothing if scanner.can_end() => rest.len(),
            Found::Nothing | Found::Text => scanner.broken(rest, String::new()).1,
        };
        let row;
        (row, rest) = rest.split_at(end);
        Some(content(row.strip_suffix(b"\n").unwrap_or(row)))
    });
    all.filter(|row| !row.is_empty())
}

/// The tabs of a line that are not in quotes, by whichever of tab, comma and semicolon the quoted
/// field stands between. A quote that nothing of this kind follows is text.
fn tabs(line: &[u8]) -> usize {
    let is_separator = |byte: u8| matches!(byte, b'\t' | b',' | b';');
    let (mut tabs, mut at) = (0, 0);
    while at < line.len() {
        let begins = at == 0 || is_separator(line[at - 1]);
        if line[at] == QUOTE && begins {
            let mut quotes = memchr_iter(QUOTE, &line[at + 1..]).map(|found| at + 1 + found);
            let mut end = quotes.next();
            while let Some(found) = end.filter(|found| line.get(found + 1) == Some(&QUOTE)) {
                end = quotes.find(|next| *next > found + 1);
            }
            let closes =
                |end: &usize| line.get(end + 1).is_none_or(|next| is_separator(*next) || *next == b' ');
            if let Some(end) = end.filter(closes) {
                at = end + 1;
                continue;
            }
        }
        tabs += usize::from(line[at] == b'\t');
        at += 1;
    }
    tabs
}

/// Refuses records that another sign may separate: none of the three fits.
fn refuse_others(head: &[u8], known: Known) -> Result<(), String> {
    let all = || lines(head).take(RECORDS);
    let Some(first) = all().next() else { return Ok(()) };
    for (sign, count) in [(':', colons as fn(&[u8]) -> usize), ('|', bars)] {
        let often = count(first);
        if often > 0 && all().all(|line| count(line) == often) {
            return Err(format!(
                "no tabs, commas or semicolons separate fields, and '{sign}' stands {} in each record, such as {}; say -d '{sign}' if \
                 that separates them, or --whole if each whole line is a key",
                if often == 1 { "once".to_owned() } else { counted(often as u64, "time") },
                shown_key(first)
            ));
        }
    }
    if known.number > 1 && all().all(|line| line.contains(&b' ')) {
        return Err(format!(
            "no tabs, commas or semicolons separate fields, and blanks stand in each record, such as {}; say -d ' ' if these \
             separate them, or --whole if each whole line is a key",
            shown_key(first)
        ));
    }
    Ok(())
}

fn bars(line: &[u8]) -> usize {
    memchr_iter(b'|', line).count()
}

/// The colons that are no part of `://` and of no time of day.
fn colons(line: &[u8]) -> usize {
    memchr_iter(b':', line).filter(|at| !line[at + 1..].starts_with(b"//") && !is_of_time(line, *at)).count()
}

/// Is the colon one between hours, minutes and seconds?
fn is_of_time(line: &[u8], at: usize) -> bool {
    let before = line[..at].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let after = line[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let stands_before = |len: usize| match line[..at - len].last() {
        Some(byte) => !byte.is_ascii_alphanumeric(),
        None => true,
    };
    let is_sixty = |digits: &[u8]| digits.first().is_some_and(|first| *first < b'6');
    matches!(before, 1 | 2)
        && after == 2
        && stands_before(before)
        && is_sixty(&line[at + 1..])
        // `7:30` and `12:30:59` are times, and `T12:30` is one of a date.
        || (matches!(before, 2)
            && after == 2
            && is_sixty(&line[at + 1..])
            && matches!(line[..at - before].last(), Some(b'T' | b't')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAB_CSV: RowFormat = RowFormat::quoted(b'\t');

    fn chosen(head: &str, number: usize, named: Option<Named>) -> Result<Option<RowFormat>, String> {
        choose(head.as_bytes(), Known { number, named, recorded: None, escape: None })
    }

    #[test]
    fn what_stands_equally_often_in_each_record_separates() {
        let (csv, tsv) = (Some(Named::Csv), Some(Named::Tsv));
        for (head, number, named, format) in [
            ("a,b\nc,d\n", 1, None, Some(CSV)),
            ("account;amount\n1;2\n", 1, csv, Some(SEMICOLONS)),
            ("1\t2\n3\t4\n", 1, csv, Some(TAB_CSV)),
            ("1\t2\n3\t4\n", 1, None, Some(TABS)),
            ("1\t2,5\n3\t4,6\n", 1, tsv, Some(TABS)),
            ("1,2;5\n3,4;6\n", 1, csv, Some(CSV)),
            ("1;2,5\n3;4\n", 1, csv, Some(SEMICOLONS)),
            ("\"x\ty\",1\n", 2, None, Some(CSV)),
            ("\"x;y\",\"a\nb\"\n\"z\",1\n", 2, None, Some(CSV)),
            ("April 15, 2023;42;x\nMay 1;1;y\n", 2, None, Some(SEMICOLONS)),
            ("a,b;c\n", 3, None, None),
            ("a,b;c;d\n", 3, None, Some(SEMICOLONS)),
            // A stray quote in one row says nothing of the others.
            ("1,2\n3,\"4\"5\n6,7\n", 1, None, Some(CSV)),
            ("\"5 inch\t2\n3\t4\n", 2, None, Some(TABS)),
            // One column, as it is.
            ("https://x.org/a\nhttp://y.org/b\n", 1, None, None),
            ("Jane Doe\nJohn Doe\n", 1, None, None),
            ("2024-01-01 12:30;x\nb\n", 1, None, None),
            ("12:30\n7:45:10\n", 1, None, None),
            ("2024-01-01T12:30:00\n2024-01-01T12:31:00\n", 1, None, None),
            ("a:b\nc\n", 1, None, None),
            ("Jane Doe\nJohn\n", 2, None, None),
            ("1\n2\n", 1, csv, None),
            ("", 1, None, None),
            ("\n\r\n", 1, None, None),
            // Rows of several lengths: as the name or the first record has it.
            ("a:1,b\nc:1,d,e\n", 1, csv, None),
            ("a,b\n\nc,d\r\n", 2, None, Some(CSV)),
            ("a,b\nc,d", 2, None, Some(CSV)),
        ] {
            assert_eq!(chosen(head, number, named), Ok(format), "{head:?}");
        }
    }

    #[test]
    fn what_is_not_sure_is_refused() {
        for (head, number, flags) in [
            ("April 15, 2023;42;x\n", 2, &["commas (--csv)", "semicolons (--csv -d ';')"][..]),
            ("1\t2,5\n3\t4,6\n", 1, &["tabs (--tsv)", "commas (--csv)"]),
            (
                "0018A45C4D1DEF81644B54AB7F969B88D65:10\n00D4F6E8FA6EECAD2A3AA415EEC418D38EC:2\n",
                1,
                &["-d ':'", "--whole"],
            ),
            ("a|b\nc|d\n", 1, &["-d '|'", "--whole"]),
            ("a|b|c\nd|e|f\n", 1, &["'|' stands 2 times"]),
            ("Jane Doe\nJohn Doe\n", 2, &["-d ' '", "--whole"]),
        ] {
            let text = chosen(head, number, None).unwrap_err();
            assert!(flags.iter().all(|flag| text.contains(flag)), "{head:?}: {text}");
        }
        let known = Known { number: 2, named: None, recorded: Some(SEMICOLONS), escape: None };
        assert_eq!(choose(b"April 15, 2023;42;x\n", known), Ok(Some(SEMICOLONS)));
        let known = Known { number: 2, named: None, recorded: None, escape: Some(b'\\') };
        let escaped = RowFormat { escape: Some(b'\\'), ..CSV };
        assert_eq!(choose(b"\"a\\\"\",b\\,c\nd,e\n", known), Ok(Some(escaped)));
    }
}
