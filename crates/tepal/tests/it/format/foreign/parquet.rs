//! Valid and invalid footers.

use tepal::{
    BloomFilter, Error, KeyDomain, Layout, Open, Opened, Scheme,
    error::{Looks, ParquetFile},
    file::Format,
};

/// A number as Thrift writes it.
fn varint(mut n: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while n > 0x7F {
        bytes.push(n as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
    bytes
}

fn number(n: i64) -> Vec<u8> {
    varint((n << 1 ^ n >> 63) as u64)
}

fn text(text: &str) -> Vec<u8> {
    [varint(text.len() as u64), text.into()].concat()
}

/// A list of structs.
fn list(elements: &[Vec<u8>]) -> Vec<u8> {
    [vec![0xFC], varint(elements.len() as u64), elements.concat()].concat()
}

/// Thrift's type of a text.
const BINARY: u8 = 8;

/// The metadata of a column: a type, its path, the place of its pages, and its filter.
fn metadata(path: &[&str], offset: Option<i64>, length: Option<i64>) -> Vec<u8> {
    let names: Vec<u8> = path.iter().flat_map(|name| text(name)).collect();
    // 1: type  3: path  9: data_page_offset
    let mut bytes = [&[0x15, 4, 0x29, (path.len() as u8) << 4 | BINARY][..], &names, &[0x66, 8]].concat();
    match (offset, length) {
        (Some(offset), None) => bytes.extend([vec![0x56], number(offset)].concat()),
        (Some(offset), Some(length)) => {
            bytes.extend([vec![0x56], number(offset), vec![0x15], number(length)].concat());
        }
        (None, _) => {}
    }
    bytes.push(0);
    bytes
}

/// A column chunk: 2, its offset in the file; 3, its metadata.
fn column(metadata: &[u8]) -> Vec<u8> {
    [&[0x26, 8, 0x1C][..], metadata, &[0]].concat()
}

/// A file of these row groups, after 100 bytes and `body`.
fn file(body: &[u8], row_groups: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let groups: Vec<_> = row_groups
        .iter()
        // 1: columns  2: total_byte_size
        .map(|columns| [&[0x19][..], &list(columns), &[0x16, 8, 0]].concat())
        .collect();
    // 1: version  2: schema, empty  3: num_rows  4: row_groups  6: created_by
    let footer = [&[0x15, 4, 0x19, 0x0C, 0x16, 6, 0x19][..], &list(&groups), &[0x28], &text("tests"), &[0]];
    with_footer(body, &footer.concat())
}

fn with_footer(body: &[u8], footer: &[u8]) -> Vec<u8> {
    [&b"PAR1"[..], &[0; 96], body, footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

/// The result of opening these bytes with any named format.
fn found(bytes: &[u8]) -> ParquetFile {
    let mut all = [None, Some(Format::ParquetSbbf), Some(Format::Guava), Some(Format::Tepal)].map(|told| {
        let open = told.map_or_else(Open::new, |format| Open::new().format(format));
        match open.from_bytes(bytes) {
            Err(Error::NotTepal { found: Looks::Parquet(file), .. }) => file,
            other => panic!("{other:?}"),
        }
    });
    assert!(all.iter().all(|file| *file == all[0]));
    assert_eq!(Format::of(bytes), None);
    std::mem::replace(&mut all[0], ParquetFile::Encrypted)
}

fn damaged(bytes: &[u8], part: &str) {
    match found(bytes) {
        ParquetFile::Damaged { what, .. } => assert!(what.contains(part), "{part:?} is not in {what:?}"),
        other => panic!("{other:?}"),
    }
}

/// A filter as its file.
fn filter(blocks: u64) -> Vec<u8> {
    let builder = BloomFilter::builder().scheme(Scheme::Xxh64).layout(Layout::SplitBlock);
    let mut filter = builder.bit_len(256 * blocks).capacity(1).build().unwrap();
    filter.insert("a").unwrap();
    Opened::new(filter, Format::ParquetSbbf).unwrap().to_bytes().unwrap()
}

#[test]
fn each_filter_is_named_with_its_place() {
    let (one, two) = (filter(1), filter(2));
    let body = [one.clone(), two.clone()].concat();
    let (at, len) = (100, one.len() as i64);
    let whole = file(
        &body,
        &[
            vec![
                column(&metadata(&["id"], Some(at), Some(len))),
                column(&metadata(&["no", "filter"], None, None)),
            ],
            // From an older writer, without a length.
            vec![column(&metadata(&["a", "b c"], Some(at + len), None))],
        ],
    );
    let ParquetFile::Filters { first, total, .. } = found(&whole) else { panic!() };
    assert_eq!(total, 2);
    let places: Vec<_> =
        first.iter().map(|f| (f.row_group, f.column.as_str(), f.offset as i64, f.length)).collect();
    let second = (1, "a.b c", at + len, Some(two.len() as u64));
    assert_eq!(places, [(0, "id", at, Some(len as u64)), second]);
    // The bytes in that place are the filter.
    for (filter, expected) in first.iter().zip([one, two]) {
        let cut = &whole[filter.offset as usize..][..filter.length.unwrap() as usize];
        assert_eq!(cut, expected);
        assert!(tepal::from_bytes(cut).unwrap().contains("a"));
    }
    let text = tepal::from_bytes(&whole).unwrap_err().to_string();
    assert_eq!(
        text,
        "not a tepal filter: it is a whole Parquet file, and 2 Bloom filters are in it: row group 0, column \"id\", 47 \
         bytes from byte 100 on (tail -c +101 FILE | head -c 47); row group 1, column \"a.b c\", 80 bytes from byte 147 \
         on (tail -c +148 FILE | head -c 80); cut it out and open that; a key is held if the filter of any row group \
         holds it"
    );
}

/// The key domain follows from the physical type, and is unknown without one.
#[test]
fn a_column_has_the_key_domain_of_its_type() {
    let one = filter(1);
    let domain = |metadata: &[u8]| match found(&file(&one, &[vec![column(metadata)]])) {
        ParquetFile::Filters { first, .. } => first[0].key_domain,
        other => panic!("{other:?}"),
    };
    let metadata = metadata(&["id"], Some(100), Some(one.len() as i64));
    for physical in 0..9 {
        let mut metadata = metadata.clone();
        metadata[1] = 2 * physical;
        let expected = match physical {
            1 => Some(KeyDomain::Integer32),
            2 => Some(KeyDomain::Integer),
            4 => Some(KeyDomain::Float32),
            5 => Some(KeyDomain::Float64),
            6 => Some(KeyDomain::Bytes),
            3 | 7 => Some(KeyDomain::Hex),
            _ => None,
        };
        assert_eq!(domain(&metadata), expected, "{physical}");
    }
    // A field of another type is no physical type.
    assert_eq!(domain(&[&[0x16, 12], &metadata[2..]].concat()), None);
}

/// A file whose length is a multiple of a block is not read as bits without a header.
#[test]
fn a_whole_file_is_never_taken_for_bits() {
    for more in 0..64 {
        let whole = file(&vec![0; more], &[]);
        assert_eq!(found(&whole), ParquetFile::WithoutFilters);
    }
    let text = tepal::from_bytes(&file(&[], &[])).unwrap_err().to_string();
    assert!(text.contains("a whole Parquet file, without Bloom filters; write it anew with them: bloom_f"));
}

#[test]
fn an_encrypted_footer_and_encrypted_columns() {
    assert_eq!(found(b"PARE-any bytes-PARE"), ParquetFile::Encrypted);
    // 8: crypto_metadata, after the metadata.
    let meta = metadata(&["id"], Some(10), Some(47));
    let secret = [&[0x26, 8, 0x1C][..], &meta, &[0x5C, 0x1C, 0, 0, 0]].concat();
    let whole = file(&[], &[vec![secret]]);
    let ParquetFile::Filters { first, total: 1, .. } = found(&whole) else { panic!() };
    assert!(first[0].is_encrypted && first[0].cutting("f").is_none());
    assert!(tepal::from_bytes(&whole).unwrap_err().to_string().contains("column \"id\", encrypted, from"));
}

/// In a file that collects footers of other files: 1, the path of the file with the column.
#[test]
fn columns_of_other_files() {
    let meta = metadata(&["id"], Some(1 << 40), Some(47));
    let other = [&[0x18][..], &text("part-0.parquet"), &[0x16, 8, 0x1C], &meta, &[0]].concat();
    let ParquetFile::Filters { first, .. } = found(&file(&[], &[vec![other]])) else { panic!() };
    assert_eq!((first[0].file.as_deref(), first[0].offset), (Some("part-0.parquet"), 1 << 40));
    assert_eq!(first[0].cutting("x").unwrap(), "tail -c +1099511627777 x | head -c 47");
}

#[test]
fn what_is_wrong_is_said() {
    let at = |offset, length| file(&[], &[vec![column(&metadata(&["id"], Some(offset), length))]]);
    let most = at(4, Some(1)).len() as i64;
    for (offset, length) in [(3, 1), (-1, 1), (i64::MIN, 1), (4, -1), (4, most), (most, 0), (i64::MAX, 1)] {
        damaged(&at(offset, Some(length)), "a filter is said to lie outside of the file");
    }
    damaged(&at(i64::MAX, None), "outside of the file");
    // Neither the footer nor the filter records the length.
    let ParquetFile::Filters { first, .. } = found(&at(8, None)) else { panic!() };
    assert_eq!((first[0].offset, first[0].length), (8, None));
    assert!(
        tepal::from_bytes(&at(8, None)).unwrap_err().to_string().contains("of unknown length from byte 8")
    );

    let mut longer = file(&[], &[]);
    let end = longer.len() - 8;
    longer[end..end + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    damaged(&longer, "it says that its length is 4294967295, and it is");
    damaged(b"PAR1\x01\0\0\0PAR1", "it says that its length is 1, and it is 0 at most");
    damaged(b"PAR1\0\0\0\0PAR1", "it ends at byte 4, within a piece");
    damaged(&with_footer(&[], &[0x45, 2, 0]), "a value of the type 5 stands at byte");
    damaged(&with_footer(&[], &[0x49, 0x15, 2, 0]), "a value of the type 5 stands at byte");
    damaged(&with_footer(&[], &[0x49, 0xFC, 0xFF, 0xFF, 0xFF, 0x7F, 0]), "a list of 268435455");
    // The beginning of a file without its end.
    let whole = at(4, Some(1));
    match tepal::from_bytes(&whole[..whole.len() - 1]) {
        Err(Error::NotTepal { found: Looks::Parquet(ParquetFile::Damaged { what, .. }), .. }) => {
            assert!(what.contains("it does not end with PAR1"), "{what}");
        }
        other => panic!("{other:?}"),
    }
}

/// Any byte of a footer set to any value, and every cut: no panic, and every place is in the file.
#[test]
fn forged_footers() {
    let whole = file(&[0; 60], &[vec![column(&metadata(&["id", "x"], Some(100), Some(47)))]]);
    let start = 160;
    for at in start..whole.len() - 4 {
        for value in 0..=255u8 {
            let mut forged = whole.clone();
            forged[at] = value;
            if let ParquetFile::Filters { first, .. } = found(&forged) {
                for filter in first.iter().filter(|filter| filter.file.is_none()) {
                    assert!(filter.offset + filter.length.unwrap_or(0) <= forged.len() as u64);
                }
            }
        }
        let footer = &whole[start..at.min(whole.len() - 8)];
        found(&with_footer(&[0; 60], footer));
    }
}

/// With many filters the first ones are reported, and with long names the beginning.
#[test]
fn what_is_named_is_limited() {
    let columns: Vec<_> =
        (0..1000).map(|i| column(&metadata(&[&i.to_string(), "x"], Some(4), Some(47)))).collect();
    let groups = vec![columns; 100];
    let whole = file(&[], &groups);
    let ParquetFile::Filters { first, total, .. } = found(&whole) else { panic!() };
    assert_eq!((first.len(), total, first[63].column.as_str()), (64, 100_000, "63.x"));
    let text = tepal::from_bytes(&whole).unwrap_err().to_string();
    assert!(text.contains("column \"7.x\"") && text.contains("; and 99992 more; cut") && text.len() < 1000);

    let long = "é".repeat(1 << 20);
    let ParquetFile::Filters { first, .. } =
        found(&file(&[], &[vec![column(&metadata(&["a", &long], Some(4), Some(47)))]]))
    else {
        panic!()
    };
    assert_eq!(first[0].column, std::format!("a.{}…", "é".repeat(98)));
}
