//! What `--json` prints for a record that was asked for.

use std::borrow::Borrow;

use serde::Serialize;
use tepal::Opened;

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
    /// Why it has no key; nothing where it has one, and of a blank row.
    #[serde(skip_serializing_if = "Option::is_none")]
    bad: Option<String>,
}

impl<'a> Record<'a> {
    /// A record at some place, unless it is a key of `-e`. It may have no key.
    pub fn new(place: Option<(&'a str, u64)>, key: Option<&'a [u8]>, filters: Vec<&'a str>) -> Self {
        let text = key.map(std::str::from_utf8);
        let hex = |key: &[u8]| key.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            input: place.map(|(input, _)| input),
            line: place.map(|(_, line)| line),
            key: text.and_then(Result::ok),
            key_hex: key.filter(|_| text.is_some_and(|text| text.is_err())).map(hex),
            has: !filters.is_empty(),
            filters,
            bad: None,
        }
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
    /// Writes one object for each record of a page. The answers say which filters hold it.
    pub fn records<F: Borrow<Opened>>(
        &mut self,
        page: &mut Page<'_>,
        answers: &Answers,
        names: &Names,
        filters: &[F],
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
                    Record { bad, ..Record::new(place, key, holders.collect()) }
                }
                Err(text) => Record { bad: Some(text), ..Record::new(place, None, holders.collect()) },
            };
            self.json(&record)?;
            line += lines;
        }
        Ok(())
    }
}
