//! Answers a list, piece by piece, or one key.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use tepal::Opened;

use crate::json::Json;
use crate::records::Batch;

/// What is written for each record.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Output {
    /// Nothing; records are counted.
    Count,
    /// The record, if its key is perhaps a member.
    Members,
    /// The record, if its key is surely not a member.
    Others,
    /// The key's answer on a line: its segments, its value, or yes or no.
    Answers,
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
        Output::Answers => details(file, batch, &answers, out),
    }
    answers.iter().map(|is_in| u64::from(*is_in)).sum()
}

/// The answers as lines: `no`, `yes`, the names of segments, or a value.
fn details(file: &Opened, batch: &Batch, answers: &[bool], out: &mut Vec<u8>) {
    let mut line = String::new();
    let segmented = file.filter().as_segmented();
    let segments = segmented.map(|filter| filter.segments_many(batch));
    let map = file.filter().as_valued();
    let values = map.map(|map| map.get_many(batch));
    for (i, is_in) in answers.iter().enumerate() {
        line.clear();
        if let (Some(filter), Some(answers)) = (segmented, &segments) {
            for &segment in answers.of(i) {
                let name = filter.segment_name(segment);
                let _ = match name {
                    Some(name) => write!(line, " {name}"),
                    None => write!(line, " {}", segment.number()),
                };
            }
        } else if let Some(values) = &values {
            if let Some(value) = values.get(i).copied().flatten() {
                let _ = write!(line, " {value}");
            }
        } else if *is_in {
            line.push_str(" yes");
        }
        out.extend_from_slice(line.strip_prefix(' ').unwrap_or("no").as_bytes());
        out.push(b'\n');
    }
}

/// Looks up one key, in full.
pub(crate) fn one(file: &Opened, key: &[u8], json: &mut Json) {
    json.object(|json| {
        let problem = file.key_hasher().check(key).err().map(|error| error.to_string());
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
