//! What the command gives, in the plainest way: what `has` prints, one record after the other and
//! with nothing but the standard library; which bits a filter has, one key after the other.

use tepal::{Open, OverCapacity};

/// The flags of `has` that say what is selected and how it is printed.
#[derive(Default)]
struct Flags {
    invert: bool,
    number: bool,
    count: bool,
    quiet: bool,
    json: bool,
    most: Option<u64>,
}

impl Flags {
    fn parse(text: &str) -> Self {
        let mut flags = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "-v" => flags.invert = true,
                "-n" => flags.number = true,
                "-c" => flags.count = true,
                "-q" => flags.quiet = true,
                "--json" => flags.json = true,
                "-m" => flags.most = Some(words.next().unwrap().parse().unwrap()),
                other => panic!("{other} is not known here"),
            }
        }
        flags
    }
}

/// A record as it stands in its input, and its key, where it has one.
pub(crate) struct Record {
    pub(crate) bytes: Vec<u8>,
    pub(crate) key: Option<Vec<u8>>,
}

/// The records of an input that end with `end`; each is its own key.
pub(crate) fn records(input: &[u8], end: u8) -> Vec<Record> {
    let record = |bytes: &[u8]| {
        let mut key = bytes.strip_suffix(&[end]).unwrap_or(bytes);
        if end == b'\n' && bytes.ends_with(b"\r\n") {
            key = &key[..key.len() - 1];
        }
        Record { bytes: bytes.to_vec(), key: Some(key.to_vec()) }
    };
    input.split_inclusive(|byte| *byte == end).map(record).collect()
}

/// Exit code and standard output for inputs with names. Records end with `end`; which keys are
/// held, `held` says.
pub(crate) fn has(
    flags: &str,
    inputs: &[(&str, &[Record])],
    end: u8,
    held: impl Fn(&[u8]) -> bool,
) -> (i32, Vec<u8>) {
    let flags = Flags::parse(flags);
    let (mut out, mut selected) = (Vec::new(), 0u64);
    let named = inputs.len() > 1;
    let mut counts = String::new();
    for (name, records) in inputs {
        let prefix = if named { format!("{name}:") } else { String::new() };
        let (mut line, mut selected_here) = (1, 0);
        for Record { bytes, key } in *records {
            let first = line;
            // Of records with NUL the records are counted, of others the lines.
            line += bytes.iter().filter(|byte| **byte == end).count();
            let is_held = key.as_ref().is_some_and(|key| held(key));
            if flags.json {
                let key = key.as_ref().map(|key| format!("\"key\":{:?},", std::str::from_utf8(key).unwrap()));
                let key = key.unwrap_or_default();
                // The filter is always `f`.
                let filters = if is_held { "\"f\"" } else { "" };
                let json = format!(
                    "{{\"input\":{name:?},\"line\":{first},{key}\"has\":{is_held},\"filters\":[{filters}]}}\n"
                );
                out.extend(json.into_bytes());
            }
            if is_held == flags.invert || flags.most.is_some_and(|most| selected_here >= most) {
                continue;
            }
            selected += 1;
            selected_here += 1;
            if flags.quiet || flags.count || flags.json {
                continue;
            }
            // The last record of an input may have no end.
            if out.last().is_some_and(|last| *last != end) {
                out.push(end);
            }
            out.extend_from_slice(prefix.as_bytes());
            if flags.number {
                out.extend(format!("{first}:").into_bytes());
            }
            out.extend_from_slice(bytes);
        }
        counts.push_str(&format!("{prefix}{selected_here}\n"));
    }
    if flags.count && !flags.quiet {
        out.extend(counts.into_bytes());
    }
    (if selected > 0 { 0 } else { 1 }, out)
}

/// A filter's file has just the bits that these lines set in it, one after the other.
pub(crate) fn is_filled_with(file: &[u8], open: &Open<'_>, lines: &[u8], what: &str) {
    let filter = open.from_bytes(file).unwrap();
    let mut plain = filter.clone();
    plain.clear().unwrap();
    // One that was forced took more than it has room for. What has no such policy takes as much as
    // it takes.
    let _ = plain.set_over_capacity(OverCapacity::Ignore);
    for key in lines.split(|byte| *byte == b'\n').filter(|key| !key.is_empty()) {
        plain.insert(key).unwrap();
    }
    assert!(plain.filter() == filter.filter(), "{what}");
}
