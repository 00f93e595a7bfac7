use std::fs;
use std::io::Cursor;

use ::parquet::data_type::Int64Type;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;

use super::*;
use crate::input::field::Field;
use crate::random::Random;

fn golden(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden/parquet-columns");
    fs::read(folder.join(name)).unwrap()
}

/// The rows of a file with these bytes, or why there are none.
fn rows(bytes: &[u8], field: &str) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    fs::write(&path, bytes).unwrap();
    let rules = KeyRules { field: Some(Field::parse(field).unwrap()), ..KeyRules::default() };
    let file = File::open(&path).unwrap();
    let mut reader = match open(&path, file, &Progress::of(&[], true), &rules) {
        Ok(reader) => reader,
        Err(Failure::Message(text)) => return Err(text),
        Err(Failure::ClosedPipe) => unreachable!(),
    };
    let mut rows = Vec::new();
    reader.read_to_end(&mut rows).map_err(|error| error.to_string())?;
    Ok(rows)
}

/// The bytes of a footer, between its length and what it says.
fn footer(file: &[u8]) -> std::ops::Range<usize> {
    let end = file.len() - 8;
    let len = u32::from_le_bytes(file[end..end + 4].try_into().unwrap());
    end - len as usize..end
}

#[test]
fn damaged_bytes_are_errors_and_no_panics() {
    let mut random = Random::new(0x9A2);
    let columns =
        ["id", "name", "day", "price", "large", "raw", "fixed", "uuid", "flag", "/who/name", "nothing"];
    for name in
        ["none.parquet", "snappy.parquet", "gzip.parquet", "zstd.parquet", "delta.parquet", "old.parquet"]
    {
        let whole = golden(name);
        let footer = footer(&whole);
        let (mut errors, tries) = (0, 600);
        for i in 0..tries {
            let mut bytes = whole.clone();
            // Half of the changes are in the footer.
            let from = if i % 2 == 0 { footer.start } else { 4 };
            for _ in 0..1 + random.below(4) {
                let at = from + random.below((footer.end - from) as u64) as usize;
                let new = [0, 0xFF, 0x7F, 0x80, 0xFC, random.below(256) as u8];
                let len = 1 + random.below(6) as usize;
                let end = (at + len).min(footer.end);
                bytes[at..end].fill(new[random.below(6) as usize]);
            }
            let column = columns[random.below(columns.len() as u64) as usize];
            errors += usize::from(rows(&bytes, column).is_err());
        }
        assert!(errors > tries / 8, "{name}: {errors}");
    }
}

#[test]
fn files_that_are_cut_are_damaged() {
    let whole = golden("snappy.parquet");
    for len in (4..whole.len()).step_by(997).chain([4, 11, 12, whole.len() - 1]) {
        let text = rows(&whole[..len], "id").unwrap_err();
        assert!(text.contains("a damaged Parquet file ("), "{text}");
    }
    let text = rows(&[b"PAR1".as_slice(), &[0; 4], b"PAR1"].concat(), "id").unwrap_err();
    assert!(text.contains("it ends too early"), "{text}");
    let text = rows(&[b"PAR1".as_slice(), &[9, 0, 0, 0], b"PAR1"].concat(), "id").unwrap_err();
    assert!(text.contains("its footer is longer than the file"), "{text}");
}

#[test]
fn pages_whose_checksum_differs_are_not_read() {
    let whole = golden("gzip.parquet");
    let plain = rows(&whole, "id").unwrap();
    let mut random = Random::new(7);
    for _ in 0..300 {
        let mut bytes = whole.clone();
        let at = 4 + random.below(footer(&whole).start as u64 - 4) as usize;
        bytes[at] ^= 1 << random.below(8);
        // The byte may belong to another column, or to a part of a header that nobody reads.
        if let Ok(rows) = rows(&bytes, "id") {
            assert_eq!(rows, plain, "byte {at}");
        }
    }
}

#[test]
fn forged_footers_claim_no_memory() {
    let claims = [0xFF, 0xFF, 0xFF, 0xFF, 0x07];
    for (bytes, why) in [
        // The columns: a list of 2^31 - 1; a list without its elements; a number in its place.
        ([&[0x15, 2, 0x19, 0xFC][..], &claims, &[0]].concat(), "a list is longer than the rest"),
        (vec![0x15, 2, 0x19, 0x3C, 0], "a list is longer than the rest"),
        ([&[0x15, 2, 0x15][..], &claims, &[0]].concat(), "another type than its place"),
        // A group of 2^30 columns; one of -1.
        ([&[0x15, 2, 0x19, 0x1C, 0x55][..], &claims, &[0, 0]].concat(), "its columns form no tree"),
        (vec![0x15, 2, 0x19, 0x1C, 0x55, 1, 0, 0], "its columns form no tree"),
        // Groups in groups.
        (
            [&[0x15, 2, 0x19, 0xFC, 100][..], &[0x55, 2, 0].repeat(100), &[0]].concat(),
            "its columns form no tree",
        ),
        // Structs and lists in each other.
        ([&[0x9C][..], &[0x1C].repeat(1000), &[0].repeat(1002)].concat(), "too deep"),
        ([&[0x99][..], &[0x19].repeat(1000), &[0].repeat(1002)].concat(), "too deep"),
        (vec![0x15, 0xFF, 0xFF], "it ends too early"),
        ([&[0x15][..], &[0xFF; 11]].concat(), "longer than 64 bits"),
    ] {
        let len = (bytes.len() as u32).to_le_bytes();
        let file = [b"PAR1", &bytes[..], &len, b"PAR1"].concat();
        let text = rows(&file, "id").unwrap_err();
        assert!(text.contains(why), "{bytes:?}: {text}");
    }
    // The algorithm of an encrypted file, and of an encrypted column.
    let bytes = [0x8C, 0x1C, 0, 0, 0];
    assert_eq!(footer::check(&bytes), Err(Wrong::Encrypted));
    assert_eq!(footer::check(&[0x49, 0x1C, 0x19, 0x1C, 0x8C, 0, 0, 0, 0]), Err(Wrong::Encrypted));
    // A field that is not known, of Thrift's type of 16 bytes.
    assert_eq!(footer::check(&[&[0x9D][..], &[7; 16], &[0]].concat()), Ok(()));
    assert_eq!(footer::check(&[0x9D, 7, 0]), Err(Wrong::Damaged("it ends too early")));
}

#[test]
fn every_way_of_writing_gives_the_same_rows() {
    let expected: serde_json::Value = serde_json::from_slice(&golden("rows.json")).unwrap();
    for name in ["none", "snappy", "gzip", "zstd", "lz4", "old", "delta"] {
        let bytes = golden(&format!("{name}.parquet"));
        for (column, values) in expected.as_object().unwrap() {
            let text = rows(&bytes, column).unwrap();
            let mut csv = csv_core::ReaderBuilder::new().build();
            let mut found = Vec::new();
            let mut input = Cursor::new(text.clone());
            let values: Vec<_> = values.as_array().unwrap().iter().map(|value| value.as_str()).collect();
            loop {
                let mut field = vec![0; 1 << 12];
                let at = input.position() as usize;
                let (result, read, len) = csv.read_field(&text[at..], &mut field);
                input.set_position((at + read) as u64);
                match result {
                    csv_core::ReadFieldResult::Field { record_end: true } => {
                        found.push(field[..len].to_vec())
                    }
                    csv_core::ReadFieldResult::End => break,
                    _ => {}
                }
            }
            // A row without a value is an empty line, which this reader skips.
            let bytes = |value: &str| match column.as_str() {
                "raw" | "fixed" => value.chars().map(|c| c as u8).collect(),
                _ => value.as_bytes().to_vec(),
            };
            let there: Vec<Vec<u8>> = values.iter().flatten().map(|value| bytes(value)).collect();
            assert!(found[1..] == there, "{name}: {column}");
            if !values.is_empty() && !column.starts_with("raw") && column != "fixed" && column != "name" {
                let lines: Vec<_> = text.split(|byte| *byte == b'\n').skip(1).collect();
                assert_eq!(lines.len(), values.len() + 1, "{name}: {column}");
                for (line, value) in lines.iter().zip(&values) {
                    assert_eq!(line.is_empty(), value.is_none(), "{name}: {column}");
                }
            }
        }
    }
    assert_eq!(rows(&golden("empty.parquet"), "name").unwrap(), b"name\n");
}

/// A file with one row, whose columns have the values 1, 2, 3 and so on.
fn numbered(schema: &str) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut value = 0;
    while let Some(mut column) = group.next_column().unwrap() {
        value += 1;
        column.typed::<Int64Type>().write_batch(&[value], None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.into_inner().unwrap()
}

#[test]
fn dots_in_names_and_dots_between_them() {
    let file = numbered(
        "message m {
            required int64 who.name;
            required group who { required int64 name; required int64 id; }
            required group a { required int64 b.c; required group b { required int64 c; } }
            required group x.y { required int64 z; required int64 t~/; }
        }",
    );
    for (value, field, name) in [
        (1, "who.name", "who.name"),
        (1, "1", "who.name"),
        (2, "/who/name", "/who/name"),
        (3, "who.id", "who.id"),
        (3, "/who/id", "who.id"),
        (4, "/a/b.c", "/a/b.c"),
        (5, "a.b.c", "a.b.c"),
        (6, "/x.y/z", "/x.y/z"),
        (7, "/x.y/t~0~1", "/x.y/t~0~1"),
    ] {
        let text = String::from_utf8(rows(&file, field).unwrap()).unwrap();
        assert_eq!(text, format!("{name}\n{value}\n"), "{field}");
    }
    let text = rows(&file, "x.y").unwrap_err();
    assert!(text.ends_with("is a group; name a column in it: \"/x.y/z\", \"/x.y/t~0~1\""), "{text}");
    let text = rows(&file, "x.y.z").unwrap_err();
    let all = "\"who.name\", \"/who/name\", \"who.id\", \"/a/b.c\", \"a.b.c\", \"/x.y/z\", \"/x.y/t~0~1\"";
    assert!(text.contains("no column named \"x.y.z\"") && text.ends_with(all), "{text}");
}
