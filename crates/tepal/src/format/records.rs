//! The records of a file: tagged texts (FORMAT.md, section 4.3).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::error::{Error, Result};
use crate::facts::Labels;
use crate::fields::{Fields, check_text};
use crate::kinds::FilePart;

/// Record tags from here on may be ignored.
const IGNORABLE: u16 = 0x8000;
/// The tags of the records with a parameter of the scheme. Labels have smaller and larger tags.
const SCHEME_TAGS: [u16; 2] = [5, 6];

/// Tag and text of every record in a filter's file, in order.
fn all<'a>(part: &'a FilePart<'_>) -> impl Iterator<Item = (u16, &'a str)> {
    let scheme = part.scheme_record.as_ref().map(|(tag, text)| (*tag, text.as_str()));
    let labels = |before| part.labels.tagged().filter(move |(tag, _)| (*tag < SCHEME_TAGS[0]) == before);
    labels(true).chain(scheme).chain(labels(false))
}

/// The length of the records of a filter's file in bytes.
pub(super) fn len(part: &FilePart<'_>) -> u64 {
    all(part).map(|(_, text)| 8 + (text.len() as u64).next_multiple_of(8)).sum()
}

/// Appends the records.
pub(super) fn encode(part: &FilePart<'_>, out: &mut Vec<u8>) {
    for (tag, text) in all(part) {
        out.extend(tag.to_le_bytes());
        out.extend([0; 2]);
        out.extend((text.len() as u32).to_le_bytes());
        out.extend(text.as_bytes());
        out.resize(out.len().next_multiple_of(8), 0);
    }
}

/// Parses the labels, and the parameter of a scheme that has a record for it.
pub(super) fn decode(records: &[u8]) -> Result<(Labels, Option<(u16, String)>)> {
    let (mut labels, mut scheme) = (Labels::default(), None);
    let mut fields = Fields::at(records, 0);
    let mut last = 0;
    while !fields.rest().is_empty() {
        let (tag, zero) = (fields.u16_le()?, fields.u16_le()?);
        let len = fields.u32_le()? as usize;
        let text = fields.take(len)?;
        let padding = fields.take(len.next_multiple_of(8) - len)?;
        if tag <= last || zero != 0 || padding.iter().any(|byte| *byte != 0) {
            return Err(Error::damaged(format_args!("the record with tag {tag} is out of order")));
        }
        last = tag;
        let text = core::str::from_utf8(text)
            .map_err(|_| Error::damaged(format_args!("the record with tag {tag} is not UTF-8")))?;
        check_text("a label", text)?;
        if SCHEME_TAGS.contains(&tag) {
            if scheme.replace((tag, text.to_string())).is_some() {
                return Err(Error::damaged("it has records for parameters of two schemes"));
            }
        } else if !labels.set(tag, text.to_string()) && tag < IGNORABLE {
            return Err(Error::Unsupported { what: "record tag", found: tag.into(), known: "1 to 7" });
        }
    }
    labels.check_rows()?;
    Ok((labels, scheme))
}
