//! What `--json` prints for a record that was asked for.

use std::borrow::Borrow;

use serde::Serialize;
use tepal::{Opened, RibbonMap};

use crate::asking::Answers;
use crate::error::Failure;
use crate::input::pages::Page;
use crate::keys::refusal;
use crate::names::Names;
use crate::output::Stdout;

/// One record: where it stands, its key, and the answer.
#[derive(Serialize)]
pub struct Record<'a> {
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
    /// Whether a filter has it.
    has: bool,
    /// The names of the filters that have it.
    filters: Vec<&'a str>,
    /// How often it is in, with `--copies`.
    #[serde(skip_serializing_if = "Option::is_none")]
    copies: Option<u64>,
    /// Why it has no key; nothing where it has one, and of a blank row.
    #[serde(skip_serializing_if = "Option::is_none")]
    bad: Option<String>,
}

impl<'a> Record<'a> {
    /// A record at some place, unless it is a key of `-e`. It may have no key.
    pub fn new(place: Option<(&'a str, u64)>, key: Option<&'a [u8]>, filters: Vec<&'a str>) -> Self {
        let (key, key_hex) = text_or_hex(key);
        Self {
            input: place.map(|(input, _)| input),
            line: place.map(|(_, line)| line),
            key,
            key_hex,
            has: !filters.is_empty(),
            filters,
            copies: None,
            bad: None,
        }
    }

    /// With how often its key is in.
    pub fn with_copies(self, copies: Option<u64>) -> Self {
        Self { copies, ..self }
    }
}

/// A record that `uniq` has judged.
#[derive(Serialize)]
pub struct Judged<'a> {
    input: &'a str,
    line: u64,
    /// The key where it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    /// The key where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_hex: Option<String>,
    /// Nothing for a record without a key.
    new: Option<bool>,
    /// Why it has no key; nothing where it has one, and of a blank row.
    #[serde(skip_serializing_if = "Option::is_none")]
    bad: Option<String>,
}

impl<'a> Judged<'a> {
    /// A record at some place, with its key or why it has none. `new` is asked of each that has one.
    pub fn new(
        (input, line): (&'a str, u64),
        key: Result<Option<&'a [u8]>, String>,
        new: impl FnOnce() -> Option<bool>,
    ) -> Self {
        let (key, bad) = match key {
            Ok(key) => (key, None),
            Err(text) => (None, Some(text)),
        };
        let new = key.and_then(|_| new());
        let (key, key_hex) = text_or_hex(key);
        Self { input, line, key, key_hex, new, bad }
    }
}

/// A record, and which value a map has for its key.
#[derive(Serialize)]
pub struct Valued<'a> {
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
    /// Its value; null where it has none.
    value: Option<u32>,
    /// The name of its value; null where values are numbers and no more.
    name: Option<&'a str>,
    /// Why it has no key; nothing where it has one, and of a blank row.
    #[serde(skip_serializing_if = "Option::is_none")]
    bad: Option<String>,
}

impl<'a> Valued<'a> {
    /// A record at some place, unless it is a key of `-e`; its key, or why it has none.
    pub fn new(
        place: Option<(&'a str, u64)>,
        key: Result<Option<&'a [u8]>, String>,
        map: &'a RibbonMap,
        value: Option<u32>,
    ) -> Self {
        let (key, bad) = match key {
            Ok(key) => (key, None),
            Err(text) => (None, Some(text)),
        };
        let (key, key_hex) = text_or_hex(key);
        Self {
            input: place.map(|(input, _)| input),
            line: place.map(|(_, line)| line),
            key,
            key_hex,
            value,
            name: value.and_then(|value| map.name_of(value)),
            bad,
        }
    }
}

/// A key as its text, or as hexadecimal digits where it is none.
fn text_or_hex(key: Option<&[u8]>) -> (Option<&str>, Option<String>) {
    match key.map(|key| (key, std::str::from_utf8(key))) {
        None => (None, None),
        Some((_, Ok(text))) => (Some(text), None),
        Some((key, Err(_))) => (None, Some(key.iter().map(|byte| format!("{byte:02x}")).collect())),
    }
}

/// Why the key of a record is none of the filters'.
fn why_none<F: Borrow<Opened>>(filters: &[F], key: &[u8]) -> Option<String> {
    filters
        .iter()
        .map(Borrow::borrow)
        .find_map(|filter| filter.key_hasher().check(key).err())
        .map(|error| refusal(&error))
}

impl Stdout {
    /// Writes one object for each record of a page. The answers say which filters hold it, and `copies` how often.
    pub fn records<F: Borrow<Opened>>(
        &mut self,
        page: &mut Page<'_>,
        answers: &Answers,
        names: &Names,
        filters: &[F],
        copies: impl Fn(&[u8]) -> Option<u64>,
    ) -> Result<(), Failure> {
        let (name, mut line) = (page.name, page.first_line);
        let bad = page.keys.bad.records().to_vec();
        let mut bad = bad.iter().peekable();
        for i in 0..answers.held.len() {
            let lines = page.keys.batch.lines(i, i + 1);
            let is_bad = bad.next_if_eq(&&i).is_some();
            let (place, holders) = (Some((name, line)), names.list(answers.holders(i, names.all().len())));
            let record = match page.keys.key(i) {
                Ok(key) => {
                    let bad = key.filter(|_| is_bad).and_then(|key| why_none(filters, key));
                    let copies = key.filter(|_| bad.is_none()).and_then(&copies);
                    Record { bad, copies, ..Record::new(place, key, holders.collect()) }
                }
                Err(text) => Record { bad: Some(text), ..Record::new(place, None, holders.collect()) },
            };
            self.json(&record)?;
            line += lines;
        }
        Ok(())
    }
}
