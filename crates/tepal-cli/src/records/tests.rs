//! Cutting, in every piece size.

use super::*;
use std::io::{self, Read};

/// Gives its bytes in pieces of `step`.
struct Pieces(Vec<u8>, usize, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.2.min(buffer.len()).min(self.0.len() - self.1);
        buffer[..n].copy_from_slice(&self.0[self.1..self.1 + n]);
        self.1 += n;
        Ok(n)
    }
}

fn cut(bytes: &[u8], cut: Cut, step: usize, limit: usize) -> Result<Vec<(Vec<u8>, u64)>, String> {
    let input = Input::of_bytes("x", Pieces(bytes.to_vec(), 0, step));
    let mut records = Records::new(input, cut);
    let mut all = Vec::new();
    let mut whole = Vec::new();
    loop {
        match records.next_batch(limit) {
            Ok(Some(batch)) => {
                assert!(batch.len() <= limit);
                for i in 0..batch.len() {
                    all.push((batch.content(i).to_vec(), batch.line(i)));
                }
                whole.extend_from_slice(batch.bytes(0, batch.len()));
            }
            Ok(None) => break,
            Err(Failure::Message(text)) => return Err(text),
            Err(Failure::ClosedPipe) => unreachable!(),
        }
    }
    assert_eq!(whole, bytes);
    Ok(all)
}

fn contents(bytes: &[u8], how: Cut) -> Vec<Vec<u8>> {
    let mut results = Vec::new();
    for step in [1, 2, 3, 7, 1 << 20] {
        for limit in [1, 2, 1000] {
            let all = cut(bytes, how, step, limit).unwrap();
            results.push(all.into_iter().map(|(bytes, _)| bytes).collect::<Vec<_>>());
        }
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
    results.swap_remove(0)
}

#[test]
fn lines_of_any_bytes() {
    let lines = |bytes| contents(bytes, Cut::Lines);
    assert!(lines(b"").is_empty());
    assert_eq!(lines(b"\n"), [b""]);
    assert_eq!(lines(b"a\nb"), [b"a", b"b"]);
    assert_eq!(lines(b"a\r\n\r\nb\r"), [&b"a"[..], b"", b"b\r"]);
    assert_eq!(lines(b"\xff\0\n\r\r\n"), [&b"\xff\0"[..], b"\r"]);
}

#[test]
fn nul_records_keep_everything_else() {
    assert_eq!(contents(b"a\n\0b\r\n\0\0c", Cut::Null), [&b"a\n"[..], b"b\r\n", b"", b"c"]);
}

#[test]
fn csv_records_may_hold_newlines() {
    let csv = |bytes| contents(bytes, Cut::Csv(b','));
    assert_eq!(
        csv(b"a,\"b\nc\"\r\n\nd,e\n\"x\"\"\ny\",\"\"\nlast,\"q\""),
        [&b"a,\"b\nc\""[..], b"", b"d,e", b"\"x\"\"\ny\",\"\"", b"last,\"q\""]
    );
    assert_eq!(csv(b"a\"b\nc\n"), [&b"a\"b"[..], b"c"]);
    assert_eq!(csv(b"\xef\xbb\xbf\"a\nb\"\n"), [b"\xef\xbb\xbf\"a\nb\""]);
    let lines = cut(b"\"a\n\n\",b\nc\n", Cut::Csv(b','), 3, 9).unwrap();
    assert_eq!(lines[1], (b"c".to_vec(), 4));
}

#[test]
fn a_quote_that_is_never_closed_is_an_error() {
    for step in [1, 5, 100] {
        for bytes in [&b"a\nb,\"c\nd\ne\n"[..], b"a\nb,\"c", b"a\n\""] {
            let error = cut(bytes, Cut::Csv(b','), step, 9).unwrap_err();
            assert!(error.starts_with("x: line 2: a quoted field"), "{error}");
        }
    }
}

#[test]
fn a_record_longer_than_the_buffer() {
    let mut bytes = vec![b'x'; 3 * BUFFER + 17];
    bytes.extend_from_slice(b"\nshort\n");
    for how in [Cut::Lines, Cut::Csv(b',')] {
        let all = contents(&bytes, how);
        assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [3 * BUFFER + 17, 5]);
    }
}

/// All fields of all rows, by `csv-core` alone.
fn parsed(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut reader, mut fields, mut at) = (csv_reader(b','), vec![Vec::new()], 0);
    let mut field = [0; 1];
    loop {
        let (result, read, written) = reader.read_field(&bytes[at..], &mut field);
        at += read;
        let last = fields.len() - 1;
        fields[last].extend_from_slice(&field[..written]);
        match result {
            ReadFieldResult::Field { record_end } => {
                fields[last].push(if record_end { b'\n' } else { b',' });
                fields.push(Vec::new());
            }
            ReadFieldResult::End => return fields,
            ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
        }
    }
}

#[test]
fn csv_records_are_those_of_the_crate() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    let mut compared = 0;
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..below(24)).map(|_| b"ab,\"\"\n\r"[below(7) as usize]).collect();
        let (step, limit) = (1 + below(9) as usize, 1 + below(4) as usize);
        // An open quote at the end is an error here, and no error there.
        let Ok(records) = whole_records(&bytes, step, limit) else {
            continue;
        };
        let one_by_one: Vec<Vec<u8>> = records
            .iter()
            .flat_map(|record| {
                let mut fields = parsed(record);
                fields.pop();
                fields
            })
            .collect();
        let mut at_once = parsed(&bytes);
        at_once.pop();
        assert_eq!(one_by_one, at_once, "{:?}", String::from_utf8_lossy(&bytes));
        compared += 1;
    }
    assert!(compared > 8_000, "{compared}");
}

fn whole_records(bytes: &[u8], step: usize, limit: usize) -> Result<Vec<Vec<u8>>, Failure> {
    let input = Input::of_bytes("x", Pieces(bytes.to_vec(), 0, step));
    let mut records = Records::new(input, Cut::Csv(b','));
    let mut all = Vec::new();
    while let Some(batch) = records.next_batch(limit)? {
        all.extend((0..batch.len()).map(|i| batch.bytes(i, i + 1).to_vec()));
    }
    Ok(all)
}
