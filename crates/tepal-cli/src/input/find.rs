//! Finds a field by its name in the first record, or tells which fields there are.

use memchr::memchr;

use crate::input::field::{Field, RowFormat, pointers};
use crate::input::json;
use crate::input::row::fields;
use crate::text::message::{for_shell, one_line, shown_key};
use crate::text::nearest::nearest;
use crate::text::number::counted;

/// An error about a record, in the words of the flag that named the field in place of `-f`.
pub fn of_flag(flag: &str, text: &str) -> String {
    let said = |text: &str, by_f: &str| text.replace(by_f, &by_f.replace(KEY_FLAG, flag));
    format!("{flag}: {}", said(&said(text, SAY_WHICH), SAY_NUMBER))
}

/// The flag that names the field of the key, and its words in errors.
const KEY_FLAG: &str = "-f";
const SAY_WHICH: &str = "say which one with -f";
const SAY_NUMBER: &str = "give the number of one of them to -f";

/// The error for a row that is too short.
pub fn lacks(record: &[u8], number: usize, format: RowFormat) -> String {
    let n = fields(record, format).count();
    if let Some(text) = json_instead(record, &number.to_string()) {
        return text;
    }
    format!(
        "no field {number}: the row {} has {n} {} between {}; {SAY_WHICH}, or how they are separated \
         with --csv, --tsv or -d",
        shown_key(record),
        if n == 1 { "field" } else { "fields" },
        separator(format, "s")
    )
}

/// The number of the field `name` in the header row.
pub fn find_column(header: &[u8], name: &str, format: RowFormat) -> Result<usize, String> {
    let mut found = None;
    for (n, _) in (1..).zip(fields(header, format)).filter(|(_, field)| **field == *name.as_bytes()) {
        if found.replace(n).is_some() {
            return Err(format!("two fields are named {}; {SAY_NUMBER}", shown_key(name.as_bytes())));
        }
    }
    found.ok_or_else(|| no_column(header, name, format))
}

/// The most names of fields that an error shows.
pub const MOST_NAMES: usize = 20;

/// The error for a header row without a field of this name.
fn no_column(header: &[u8], name: &str, format: RowFormat) -> String {
    if let Some(text) = json_instead(header, name) {
        return text;
    }
    let wanted = shown_key(name.as_bytes());
    if fields(header, format).count() == 1 {
        let other = match (memchr(b',', header), memchr(b';', header), memchr(b'\t', header)) {
            _ if format.delimiter == b','
                && memchr(b';', header).is_none()
                && memchr(b'\t', header).is_none() =>
            {
                ""
            }
            (_, _, Some(_)) => "; say --tsv, for it has tabs",
            (Some(_), ..) => "; say --csv, for it has commas",
            (None, Some(_), None) => "; say --csv -d \";\", for it has semicolons",
            _ => "",
        };
        return format!(
            "no field named {wanted} in the first row, which is {} with no {} in it{}",
            shown_key(header),
            separator(format, ""),
            if other.is_empty() {
                "; say --csv, --tsv or -d if fields are separated otherwise"
            } else {
                other
            }
        );
    }
    let names = fields(header, format).take(1000).map(|name| String::from_utf8_lossy(&name).into_owned());
    let names: Vec<String> = names.collect();
    let meant = nearest(name, names.iter().map(String::as_str));
    let meant = meant.map_or(String::new(), |name| format!("; did you mean {}?", shown_key(name.as_bytes())));
    format!(
        "no field named {wanted} in the first row{meant}{} Its fields between {} are {}",
        if meant.is_empty() { "." } else { "" },
        separator(format, "s"),
        shown_names(names.iter().map(String::as_bytes))
    )
}

/// The first [`MOST_NAMES`] names of fields, as an error shows them.
pub fn shown_names<N: AsRef<[u8]>>(names: impl IntoIterator<Item = N>) -> String {
    let mut names = names.into_iter();
    let shown: Vec<_> = names.by_ref().take(MOST_NAMES).map(|name| shown_key(name.as_ref())).collect();
    format!("{}{}", shown.join(", "), if names.next().is_some() { ", …" } else { "" })
}

/// The advice if a record is JSON, and is read as a row.
fn json_instead(record: &[u8], field: &str) -> Option<String> {
    let is_json = record.trim_ascii_start().first().is_some_and(|byte| matches!(byte, b'{' | b'['));
    is_json.then(|| {
        let is_number = field.bytes().all(|byte| byte.is_ascii_digit());
        let path = match is_number {
            true => json::paths(record, 1).pop().unwrap_or_else(|| "/acct/no".to_owned()),
            false => format!("/{}", field.trim_start_matches(['.', '/']).replace('.', "/")),
        };
        format!(
            "a record of JSON: {}; name the field of an object by its path with a slash before each name, such as -f {}",
            shown_key(record),
            for_shell(&one_line(&path))
        )
    })
}

/// The pointer of the field that `-f` names in records of JSON, of which `first` is the first.
///
/// A field of this name wins. Else the dots of the name lead from one object to the next. In an
/// array a number counts its values from 1.
pub fn pointer(field: &Field, first: &[u8]) -> Result<String, String> {
    let name = match field {
        Field::Pointer(pointer) => return Ok(pointer.clone()),
        field => field.text(),
    };
    if let (Field::Number(n), Some(len)) = (field, json::len_of_array(first)) {
        return match *n <= len {
            true => Ok(format!("/{}", n - 1)),
            false => Err(format!(
                "no field {n}: the array {} has {}; {SAY_WHICH}",
                shown_key(first),
                counted(len as u64, "value")
            )),
        };
    }
    let [exact, path] = pointers(&name);
    if json::exists(first, &exact) {
        return Ok(exact);
    }
    match field {
        Field::Number(_) if !first.is_empty() => Err(json_instead(first, &name).unwrap_or_else(|| {
            format!("a number is no field of JSON; name one by its path, such as -f /{name}")
        })),
        _ if name.contains('/') => Err(json_instead(first, &name)
            .unwrap_or_else(|| format!("no field named {} in the first record", shown_key(name.as_bytes())))),
        _ => Ok(path),
    }
}

/// The separator of fields in words, in the singular or plural.
fn separator(format: RowFormat, s: &str) -> String {
    match format.delimiter {
        b'\t' => format!("tab{s}"),
        b',' => format!("comma{s}"),
        byte => format!("{:?}", char::from(byte)),
    }
}
