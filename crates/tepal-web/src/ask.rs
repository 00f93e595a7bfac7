//! Answers a list, piece by piece, or one key.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use tepal::Opened;

use crate::json::Json;
use crate::records::Batch;
use crate::words::Words;

/// What is written for each record.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Output {
    /// Nothing; records are counted.
    Count,
    /// The record, if its key is perhaps a member.
    Members,
    /// The record, if its key is surely not a member.
    Others,
    /// The key's answer on a line: its segments, its value, or yes; none or no.
    Answers,
    /// The same behind `+`, or `-` if the key is surely not a member.
    Marked,
}

/// Looks up the keys of a batch; returns the number of keys that are perhaps members.
pub(crate) fn answer(file: &Opened, batch: &Batch, output: Output, out: &mut Vec<u8>) -> u64 {
    let answers = file.contains_many(batch);
    let put = |out: &mut Vec<u8>, i: usize| {
        let Some(record) = batch.records.get(i).and_then(|at| batch.bytes.get(at.clone())) else { return };
        out.extend_from_slice(record);
        if record.last() != Some(&b'\n') {
            out.push(b'\n');
        }
    };
    match output {
        Output::Count => {}
        Output::Members => (0..answers.len()).filter(|i| answers[*i]).for_each(|i| put(out, i)),
        Output::Others => (0..answers.len()).filter(|i| !answers[*i]).for_each(|i| put(out, i)),
        Output::Answers | Output::Marked => details(file, batch, output, &answers, out),
    }
    answers.iter().map(|is_in| u64::from(*is_in)).sum()
}

/// The answers as lines, in the command's words.
fn details(file: &Opened, batch: &Batch, output: Output, answers: &[bool], out: &mut Vec<u8>) {
    let mut line = String::new();
    let segmented = file.filter().as_segmented();
    let segments = segmented.map(|filter| filter.segments_many(batch));
    let map = file.filter().as_valued();
    let values = map.map(|map| map.get_many(batch));
    let (yes, no) = if segmented.is_some() || map.is_some() { ("", "none") } else { ("yes", "no") };
    for (i, is_in) in answers.iter().enumerate() {
        line.clear();
        if output == Output::Marked {
            line.push(if *is_in { '+' } else { '-' });
        }
        line.push_str(if *is_in { yes } else { no });
        if let (Some(filter), Some(answers)) = (segmented, &segments) {
            for (place, &segment) in answers.of(i).iter().enumerate() {
                let comma = if place > 0 { "," } else { "" };
                let name = filter.segment_name(segment);
                let _ = match name {
                    Some(name) => write!(line, "{comma}{name}"),
                    None => write!(line, "{comma}{}", segment.number()),
                };
            }
        } else if let Some(value) = values.as_ref().and_then(|values| values.get(i).copied().flatten()) {
            let _ = write!(line, "{value}");
        }
        line.push('\n');
        out.extend_from_slice(line.as_bytes());
    }
}

/// Looks up one key, in full.
pub(crate) fn one(file: &Opened, key: &[u8], json: &mut Json) {
    json.object(|json| {
        let problem = file.key_hasher().check(key).err().map(|error| error.words());
        if let Some(problem) = problem {
            json.name("problem").text(&problem);
        }
        let mut is_in = file.contains(key);
        if let Some(filter) = file.filter().as_segmented() {
            json.name("segments").array(|json| {
                for segment in filter.segments(key) {
                    match filter.segment_name(segment) {
                        Some(name) => json.text(name),
                        None => json.text(&segment.number().to_string()),
                    }
                }
            });
        }
        if let Some(map) = file.filter().as_valued() {
            let value = map.get(key);
            is_in = value.is_some();
            if let Some(value) = value {
                json.name("value").text(&value.to_string());
            }
        }
        if let Some(count) = file.count(key) {
            json.name("count").plain(count);
        }
        if let Some(age) = file.filter().as_timed().and_then(|filter| filter.age_estimate(key)) {
            json.name("age").plain(age);
        }
        json.name("in").plain(is_in);
    });
}
