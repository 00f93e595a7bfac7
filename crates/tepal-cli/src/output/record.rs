//! What `--json` prints for a record that was asked for.

use serde::Serialize;

use crate::asking::Answers;
use crate::error::Failure;
use crate::input::pages::Page;
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
        }
    }
}

impl Stdout {
    /// Writes one object for each record of a page. The answers say which filters hold it.
    pub fn records(&mut self, page: &mut Page<'_>, answers: &Answers, names: &Names) -> Result<(), Failure> {
        let (name, mut line) = (page.name, page.first_line);
        for i in 0..answers.held.len() {
            let lines = page.keys.batch.lines(i, i + 1);
            let key = page.keys.key(i).map_err(|text| Failure::at_line(name, line, text))?;
            let holders = names.list(answers.holders(i, names.all().len())).collect();
            self.json(&Record::new(Some((name, line)), key, holders))?;
            line += lines;
        }
        Ok(())
    }
}
