//! Cutting, in every piece size.

use csv_core::ReadFieldResult;

use super::*;
use crate::input::csv::Csv;
use crate::input::trickle::Trickle;
use crate::random::Random;

const COMMAS: Cut = Cut::Csv(Csv { delimiter: b',', escape: None });

/// The content of a record, the line where it begins, and its bytes.
type Record = (Vec<u8>, u64, Vec<u8>);

/// All records, read by `step` bytes and cut into pages of `limit`.
fn cut(bytes: &[u8], cut: Cut, step: usize, limit: usize) -> Result<Vec<Record>, String> {
    let mut all = Vec::new();
    for alone in [false, true] {
        all.clear();
        let input = Input::of_bytes("x", Trickle::new(bytes, step));
        let (mut pieces, mut piece) = (Pieces::new(input, cut, 64 << 20), Piece::default());
        let (mut whole, mut line) = (Vec::new(), 1);
        while pieces.read(&mut piece).map_err(|error| text_of(error, line))? {
            let mut records = 0;
            while if alone { piece.next_page_alone(limit) } else { piece.next_page(limit) } {
                let batch = piece.page();
                assert!((1..=limit).contains(&batch.len()));
                for i in 0..batch.len() {
                    let content = batch.content(i).to_vec();
                    all.push((content, line + batch.lines(0, i), batch.bytes(i, i + 1).to_vec()));
                }
                line += batch.lines(0, batch.len());
                records += batch.len();
                whole.extend_from_slice(batch.bytes(0, batch.len()));
            }
            if let Some((_, why)) = piece.all_broken().first() {
                return Err(why.text.clone());
            }
            if !alone {
                let batch = piece.whole();
                assert_eq!(batch.len(), records);
                assert!(whole.ends_with(batch.bytes(0, records)));
                assert_eq!(batch.bytes(0, records).len(), piece.len());
            }
        }
        assert!(!pieces.read(&mut piece).unwrap(), "the end stays the end");
        assert_eq!(whole, bytes);
    }
    Ok(all)
}

fn text_of(error: ReadError, line: u64) -> String {
    match error.failure("x", line) {
        Failure::Message(text) => text,
        Failure::ClosedPipe => unreachable!(),
    }
}

fn contents(bytes: &[u8], how: Cut) -> Vec<Vec<u8>> {
    let mut results = Vec::new();
    for step in [1, 2, 3, 7, 1 << 20] {
        for limit in [1, 2, 1000] {
            let all = cut(bytes, how, step, limit).unwrap();
            results.push(all.into_iter().map(|(content, _, _)| content).collect::<Vec<_>>());
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
    let csv = |bytes| contents(bytes, COMMAS);
    assert_eq!(
        csv(b"a,\"b\nc\"\r\n\nd,e\n\"x\"\"\ny\",\"\"\nlast,\"q\""),
        [&b"a,\"b\nc\""[..], b"", b"d,e", b"\"x\"\"\ny\",\"\"", b"last,\"q\""]
    );
    assert_eq!(csv(b"a\"b\nc\n"), [&b"a\"b"[..], b"c"]);
    // A mark that was not left out is a part of the field, which does not begin with its quote
    // then.
    assert_eq!(csv(b"\xef\xbb\xbf\"a\nb\"\n"), [&b"\xef\xbb\xbf\"a"[..], b"b\""]);
    let lines = cut(b"\"a\n\n\",b\nc\n", COMMAS, 3, 9).unwrap();
    assert_eq!(lines[1], (b"c".to_vec(), 4, b"c\n".to_vec()));
}

#[test]
fn a_quote_that_is_never_closed_is_an_error() {
    for step in [1, 5, 100] {
        for bytes in [&b"a\nb,\"c\nd\ne\n"[..], b"a\nb,\"c", b"a\n\""] {
            let error = cut(bytes, COMMAS, step, 9).unwrap_err();
            assert!(error.starts_with("x: line 2: a quoted field"), "{error}");
        }
    }
}

#[test]
fn a_record_longer_than_the_buffer() {
    let mut bytes = vec![b'x'; 3 * BUFFER + 17];
    bytes.extend_from_slice(b"\nshort\n");
    for how in [Cut::Lines, COMMAS] {
        let all = contents(&bytes, how);
        assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [3 * BUFFER + 17, 5]);
    }
}

/// All fields of all rows, by `csv-core` alone.
fn parsed(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (mut reader, mut fields, mut at) = (
        csv_core::ReaderBuilder::new().terminator(csv_core::Terminator::Any(b'\n')).build(),
        vec![Vec::new()],
        0,
    );
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
    let mut random = Random::new(0x5eed);
    let mut below = |bound| random.below(bound);
    let mut compared = 0;
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..below(24)).map(|_| b"ab,\"\"\n\r"[below(7) as usize]).collect();
        let (step, limit) = (1 + below(9) as usize, 1 + below(4) as usize);
        // Wrong quotes are an error here, and no error there.
        let Ok(records) = cut(&bytes, COMMAS, step, limit) else {
            continue;
        };
        let one_by_one: Vec<Vec<u8>> = records
            .iter()
            .flat_map(|(_, _, record)| {
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
    assert!(compared > 5_000, "{compared}");
}

#[test]
fn a_long_record_gives_its_memory_back() {
    let mut bytes = vec![b'x'; 3 * LONG];
    bytes.extend_from_slice(b"\nshort\n");
    bytes.extend(b"line\n".repeat(BUFFER));
    let input = Input::of_bytes("x", Trickle::new(&bytes, usize::MAX));
    let (mut pieces, mut piece) = (Pieces::new(input, Cut::Lines, 64 << 20), Piece::default());
    assert!(pieces.read(&mut piece).unwrap() && piece.is_long());
    assert!(piece.len() <= 3 * LONG + BUFFER, "what follows a long record is left for the next piece");
    piece.shrink();
    assert!(pieces.read(&mut piece).unwrap() && !piece.is_long());
    assert!(piece.len() <= 2 * BUFFER);
}

/// The lengths of the records, or the error, where a record may have [`LONG`] bytes; and the most
/// memory of a buffer.
fn within(bytes: &[u8], how: Cut, step: usize) -> (Result<Vec<usize>, String>, usize) {
    let input = Input::of_bytes("x", Trickle::new(bytes, step));
    let (mut pieces, mut piece) = (Pieces::new(input, how, LONG), Piece::default());
    let (mut lengths, mut most) = (Vec::new(), 0);
    loop {
        let read = pieces.read(&mut piece);
        most = most.max(piece.buffer.capacity());
        match read {
            Ok(false) => return (Ok(lengths), most),
            Ok(true) => {
                while piece.next_page(1000) {
                    lengths.extend((0..piece.page().len()).map(|i| piece.page().content(i).len()));
                }
            }
            Err(error) => return (Err(text_of(error, lengths.len() as u64 + 1)), most),
        }
    }
}

#[test]
fn a_record_of_the_longest_length_is_read_and_a_longer_one_is_refused() {
    for (how, before, after) in [
        (Cut::Lines, &b""[..], &b"\n"[..]),
        (Cut::Lines, b"", b"\r\n"),
        (Cut::Null, b"", b"\0"),
        (COMMAS, b"", b"\n"),
        (COMMAS, b"", b"\r\n"),
        (COMMAS, b"\"a\nb\",", b"\n"),
    ] {
        for end in [true, false] {
            for more in [0, 1, 2, BUFFER, 8 * LONG] {
                let long = [before, &vec![b'x'; LONG + more - before.len()]].concat();
                let after = if end { after } else { b"" };
                let rest = if end { [&b"y"[..], after].concat().repeat(9) } else { Vec::new() };
                let separator: &[u8] = if how == Cut::Null { b"\0" } else { b"\n" };
                let bytes = [b"x", separator, &long, after, &rest].concat();
                for step in [65_521, 1 << 20] {
                    let (read, most) = within(&bytes, how, step);
                    let case = format!("{how:?} {before:?} {after:?} {more} by {step}");
                    assert!(most <= LONG + 2 * BUFFER, "{case}: {most}");
                    match read {
                        Ok(lengths) => {
                            let rest = if end { 9 } else { 0 };
                            assert_eq!(lengths, [&[1, LONG][..], &[1; 9][..rest]].concat(), "{case}");
                            assert_eq!(more, 0, "{case}");
                        }
                        Err(text) => {
                            assert!(more > 0, "{case}: {text}");
                            assert!(text.starts_with("x: line 2: a record of more than 1.0 MiB, "), "{text}");
                            assert!(text.contains("--max-record"), "{text}");
                        }
                    }
                }
            }
        }
    }
}
