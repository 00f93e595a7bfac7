//! Rows, and their fields.

use super::*;
use crate::random::Random;

const COMMAS: Csv = Csv { delimiter: b',', escape: None };
const ESCAPED: Csv = Csv { delimiter: b',', escape: Some(b'\\') };

/// What a scan finds in these bytes, given by `step`.
fn scanned(bytes: &[u8], csv: Csv, step: usize) -> (Found, Scanner) {
    let mut scanner = Scanner::new(csv);
    for end in (0..bytes.len()).step_by(step).skip(1).chain([bytes.len()]) {
        match scanner.scan(&bytes[..end]) {
            Found::Nothing => {}
            found => return (found, scanner),
        }
    }
    (Found::Nothing, scanner)
}

fn all(row: &[u8], csv: Csv) -> Result<Vec<Vec<u8>>, String> {
    Fields::new(row, csv)
        .map(|raw| {
            let mut room = Vec::new();
            Ok(raw?.text(csv, &mut room).map_or_else(|| room.clone(), <[u8]>::to_vec))
        })
        .collect()
}

#[test]
fn where_rows_end_and_what_their_fields_are() {
    for (row, csv, fields) in [
        ("", COMMAS, &[""][..]),
        (",", COMMAS, &["", ""]),
        ("a,b", COMMAS, &["a", "b"]),
        ("\"a,b\",\"c\"\"d\",\"\"", COMMAS, &["a,b", "c\"d", ""]),
        ("\"a\nb\"", COMMAS, &["a\nb"]),
        ("a\"b\",c\"", COMMAS, &["a\"b\"", "c\""]),
        ("\"\"\"\"", COMMAS, &["\""]),
        // Blanks after the last quote are no text of the field, and before the first one they are.
        ("\"a\" ,\"b\"\t ,\"c\"  ", COMMAS, &["a", "b", "c"]),
        (" \"a\",b", COMMAS, &[" \"a\"", "b"]),
        ("\"a\"\r", COMMAS, &["a"]),
        ("\"a\"\t\"b\"", Csv { delimiter: b'\t', escape: None }, &["a", "b"]),
        ("\"a\" \"b\"", Csv { delimiter: b' ', escape: None }, &["a", "b"]),
        ("\"a\\\"b, c\",K1", ESCAPED, &["a\"b, c", "K1"]),
        ("\"a\"\"b\\\\\",x\\,y,\\\"z\"", ESCAPED, &["a\"b\\", "x,y", "\"z\""]),
        ("a\\\nb,\"c\\\nd\"", ESCAPED, &["a\nb", "c\nd"]),
        ("a\\b", COMMAS, &["a\\b"]),
        ("a,\\", ESCAPED, &["a", "\\"]),
    ] {
        assert_eq!(
            all(row.as_bytes(), csv).unwrap(),
            fields.iter().map(|f| f.as_bytes()).collect::<Vec<_>>(),
            "{row:?}"
        );
        if row.ends_with('\\') {
            continue;
        }
        for step in [1, 2, 100] {
            for rest in ["", "next,\"row\"\n"] {
                let bytes = format!("{row}\n{rest}");
                assert_eq!(scanned(bytes.as_bytes(), csv, step).0, Found::End(row.len() + 1), "{row:?}");
            }
        }
    }
}

#[test]
fn text_after_a_quoted_field_breaks_the_row() {
    for (row, csv, lines, read) in [
        ("1,\"x\n2,y\n3,\"z\"\n", COMMAS, 0, 5),
        ("\"a\"b\n", COMMAS, 0, 5),
        ("\"a\" b\n", COMMAS, 0, 6),
        ("\"a\" \"b\n", COMMAS, 0, 7),
        ("\"a\"\rb\n", COMMAS, 0, 6),
        ("\"a\nb\",\"c\nd\"e\n", COMMAS, 1, 9),
        ("\"a\\\"b, c\",K1\n", COMMAS, 0, 13),
        ("\"a\"\tb\n", Csv { delimiter: b';', escape: None }, 0, 6),
        ("\"a\\\\\"b\n", ESCAPED, 0, 7),
    ] {
        for step in [1, 2, 100] {
            let (found, scanner) = scanned(row.as_bytes(), csv, step);
            assert_eq!(found, Found::Text, "{row:?}");
            let (why, end) = scanner.broken(row.as_bytes(), scanner.text_after(row.as_bytes()));
            assert_eq!((why.lines, end), (lines, read), "{row:?}");
            assert_eq!(why.text.contains("--escape '\\'"), row.contains("\\\"b,"), "{}", why.text);
        }
        let text = all(row.strip_suffix('\n').unwrap().as_bytes(), csv).unwrap_err();
        assert!(text.starts_with("text after a quoted field; expected "), "{text}");
    }
    assert_eq!(all(b"a,\"b", COMMAS).unwrap_err(), never_closed());
    assert_eq!(all(b"a,\"b\\\"", ESCAPED).unwrap_err(), never_closed());
    // For a name in a header row, what is wrong is a field as it stands.
    let names: Vec<_> = texts(b"a,\"b\"c,d", COMMAS).collect();
    assert_eq!(names, [&b"a"[..], b"\"b\"c,d"]);
}

#[test]
fn what_is_right_is_what_the_crate_reads() {
    let mut random = Random::new(0x5eed);
    let mut right = 0;
    for _ in 0..100_000 {
        let row: Vec<u8> = (0..random.below(16)).map(|_| b"ab,\"\""[random.below(5) as usize]).collect();
        let Ok(fields) = all(&row, COMMAS) else {
            assert_ne!(scanned(&[&row[..], b"\n"].concat(), COMMAS, 1).0, Found::End(row.len() + 1));
            continue;
        };
        let mut reader = csv_core::Reader::new();
        let (mut text, mut ends) = ([0; 64], [0; 64]);
        let (_, _, _, columns) = reader.read_record(&row, &mut text, &mut ends);
        let (_, _, _, more) = reader.read_record(b"", &mut text, &mut ends[columns..]);
        right += 1;
        // It reads no row where there is no byte.
        let read = if row.is_empty() { 1 } else { columns + more };
        assert_eq!(fields.len(), read, "{:?}", String::from_utf8_lossy(&row));
        assert_eq!(scanned(&[&row[..], b"\n"].concat(), COMMAS, 1).0, Found::End(row.len() + 1));
    }
    assert!(right > 30_000, "{right}");
}
