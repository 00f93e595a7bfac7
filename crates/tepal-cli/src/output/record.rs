//! What `--json` prints for a record.

use std::borrow::Borrow;

use serde::Serialize;
use tepal::Opened;

use crate::text::words::Words;

/// One record: its place, its key, and the answer.
#[derive(Serialize)]
pub struct Record<'a, A: Serialize> {
    /// The name of the input; absent for a key of `-e`.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// The key, if it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    /// The key in hexadecimal, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_hex: Option<String>,
    #[serde(flatten)]
    answer: A,
    /// The reason why the record has no key; absent if it has one, and for a blank row.
    #[serde(skip_serializing_if = "Option::is_none")]
    bad: Option<String>,
}

/// Which filters hold a key.
#[derive(Serialize)]
pub struct Held<'a> {
    /// Does a filter hold the key?
    pub has: bool,
    /// The names of the filters that hold the key.
    pub filters: Vec<&'a str>,
    /// The number of copies, with `--copies`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<u64>,
}

/// The value of a key in a map.
#[derive(Serialize)]
pub struct Value<'a> {
    /// The value; null if the key has none.
    pub value: Option<u32>,
    /// The name of the value; null if the map's values have no names.
    pub name: Option<&'a str>,
}

/// The result of `uniq`.
#[derive(Serialize)]
pub struct Judged {
    /// Null for a record without a key.
    pub new: Option<bool>,
}

impl<'a, A: Serialize> Record<'a, A> {
    /// A record with its place; a key of `-e` has no place. The record may have no key.
    pub fn new(place: Option<(&'a str, u64)>, key: Option<&'a [u8]>, bad: Option<String>, answer: A) -> Self {
        let text = key.and_then(|key| std::str::from_utf8(key).ok());
        let hex = |key: &[u8]| key.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            input: place.map(|(input, _)| input),
            line: place.map(|(_, line)| line),
            key: text,
            key_hex: key.filter(|_| text.is_none()).map(hex),
            answer,
            bad,
        }
    }
}

/// The reason why one of the filters refuses the key of a record; `None` if none does.
pub fn why_none<F: Borrow<Opened>>(filters: &[F], key: &[u8]) -> Option<String> {
    let mut refused = filters.iter().map(|filter| filter.borrow().key_hasher().check(key).err());
    refused.find_map(|error| error.map(|error| error.words()))
}
