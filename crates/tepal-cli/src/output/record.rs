//! What `--json` prints for a record.

use std::borrow::Borrow;

use serde::Serialize;
use tepal::Opened;

use crate::keys::refusal;

/// One record: where it stands, its key, and the answer.
#[derive(Serialize)]
pub struct Record<'a, A: Serialize> {
    /// The name of the input; nothing for a key of `-e`.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// The key where it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    /// The key where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_hex: Option<String>,
    #[serde(flatten)]
    answer: A,
    /// Why it has no key; nothing where it has one, and of a blank row.
    #[serde(skip_serializing_if = "Option::is_none")]
    bad: Option<String>,
}

/// Which filters hold a key.
#[derive(Serialize)]
pub struct Held<'a> {
    /// Whether a filter has it.
    pub has: bool,
    /// The names of the filters that have it.
    pub filters: Vec<&'a str>,
    /// How often it is in, with `--copies`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<u64>,
}

/// Which value a map has for a key.
#[derive(Serialize)]
pub struct Value<'a> {
    /// Its value; null where it has none.
    pub value: Option<u32>,
    /// The name of its value; null where values are numbers and no more.
    pub name: Option<&'a str>,
}

/// What `uniq` has found.
#[derive(Serialize)]
pub struct Judged {
    /// Nothing for a record without a key.
    pub new: Option<bool>,
}

impl<'a, A: Serialize> Record<'a, A> {
    /// A record at some place, unless it is a key of `-e`. It may have no key.
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

/// Why the key of a record is none of the filters'.
pub fn why_none<F: Borrow<Opened>>(filters: &[F], key: &[u8]) -> Option<String> {
    let mut refused = filters.iter().map(|filter| filter.borrow().key_hasher().check(key).err());
    refused.find_map(|error| error.map(|error| refusal(&error)))
}
