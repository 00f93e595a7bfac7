//! Parquet files whose pages are larger than they look, or say that they are.

use std::io::Write;

use crate::limits::shell;
use crate::place::{Place, Ran};

const MIB: usize = 1 << 20;

/// The numbers of the packings.
const PACKINGS: [(&str, u64); 5] = [("none", 0), ("snappy", 1), ("gzip", 2), ("zstd", 6), ("lz4_raw", 7)];

/// A number in Thrift's compact protocol.
fn number(n: u64) -> Vec<u8> {
    let (mut left, mut bytes) = (n << 1, Vec::new());
    while left >= 0x80 {
        bytes.push(left as u8 | 0x80);
        left >>= 7;
    }
    bytes.push(left as u8);
    bytes
}

/// A field with a number: its id after the one before it, and its type.
fn field(head: u8, n: u64) -> Vec<u8> {
    [&[head][..], &number(n)].concat()
}

/// A Parquet file of one page with these bytes, whose header says that it unpacks to `len` bytes
/// and has `values` numbers of 64 bits. A page of kind 0 has values, one of kind 2 is a dictionary.
fn file(packing: u64, kind: u64, len: u64, values: u64, page: &[u8]) -> Vec<u8> {
    file_of([2, 0, 0, 3], packing, kind, len, values, page)
}

/// As [`file`], of a column with these numbers: of its type, of whether a value may be absent, and
/// of the encodings of its values and of its levels.
fn file_of(column: [u64; 4], packing: u64, kind: u64, len: u64, values: u64, page: &[u8]) -> Vec<u8> {
    let [of_type, absent, encoding, levels] = column;
    let of_kind = match kind {
        0 => [vec![0x2C], field(0x15, values), field(0x15, encoding), field(0x15, levels), field(0x15, 3)]
            .concat(),
        _ => [vec![0x4C], field(0x15, values), field(0x15, 0)].concat(),
    };
    let lengths = [field(0x15, kind), field(0x15, len), field(0x15, page.len() as u64)].concat();
    let page = [&lengths[..], &of_kind, &[0, 0], page].concat();
    let all = page.len() as u64;
    let footer = [
        field(0x15, 1),
        // A group with one column.
        [&[0x19, 0x2C, 0x48, 1, b'm'][..], &field(0x15, 1), &[0]].concat(),
        [field(0x15, of_type), field(0x25, absent), vec![0x18, 2, b'i', b'd', 0]].concat(),
        field(0x16, values),
        // A row group with one chunk.
        [&[0x19, 0x1C, 0x19, 0x1C][..], &field(0x26, 4), &[0x1C]].concat(),
        [field(0x15, of_type), vec![0x19], field(0x15, encoding), vec![0x19, 0x18, 2, b'i', b'd']].concat(),
        [field(0x15, packing), field(0x16, values), field(0x16, all), field(0x16, all)].concat(),
        [&field(0x26, 4)[..], &[0, 0]].concat(),
        [&field(0x16, all)[..], &field(0x16, values), &[0, 0]].concat(),
    ]
    .concat();
    let end = (footer.len() as u32).to_le_bytes();
    [&b"PAR1"[..], &page, &footer, &end, b"PAR1"].concat()
}

fn gzip(mib: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    (0..mib).for_each(|_| encoder.write_all(&vec![0; MIB]).unwrap());
    encoder.finish().unwrap()
}

/// Reads the file in memory that one large page does not fit into.
fn read(place: &Place, flags: &str) -> Ran {
    shell(place, &format!("ulimit -v 150000; exec \"$TEPAL\" has -v -j 1 none x.parquet -f id {flags}"))
}

/// The error where a page is refused.
fn refused(why: &str) -> String {
    format!(
        "tepal: x.parquet: unreadable Parquet data after row 0 ({why}); nothing after this point can be read\n"
    )
}

const TOO_LONG: &str = "a page of more than 256MiB, the most that is read; --max-record allows longer ones";
const BROKEN: &str = "a page cannot be unpacked";

#[test]
fn a_page_of_the_length_that_it_says_is_read() {
    let place = Place::new();
    place.build("none", b"", "");
    place.write(
        "x.parquet",
        file(0, 0, 16, 2, &[[7, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0]].concat()),
    );
    assert_eq!(read(&place, "").quiet(), (0, &b"id\n7\n256\n"[..]));
    place.write("x.parquet", file(2, 0, MIB as u64, 1 << 17, &gzip(1)));
    assert_eq!(read(&place, "-c").quiet(), (0, &b"131072\n"[..]));
}

/// No length stands before the levels that old files have, a bit for each value.
#[test]
fn levels_without_their_length_are_skipped() {
    let place = Place::new();
    place.build("none", b"", "");
    // Eight values are there: eight lengths of 1, and the letters.
    let page = [&[0xFF][..], &[0x80, 1, 4, 8, 2, 0, 0, 0, 0, 0], b"abcdefgh"].concat();
    place.write("x.parquet", file_of([6, 1, 6, 4], 0, 0, page.len() as u64, 8, &page));
    assert_eq!(read(&place, "").quiet(), (0, &b"id\na\nb\nc\nd\ne\nf\ng\nh\n"[..]));
}

#[test]
fn a_small_page_that_says_it_is_large_gets_no_memory() {
    let place = Place::new();
    place.build("none", b"", "");
    // The start of a snappy page says its length, too.
    let small = [&[0xFF, 0xFF, 0xFF, 0x7F][..], &[0; 60]].concat();
    for (name, packing) in PACKINGS {
        for kind in [0, 2] {
            for (len, flags, why) in [
                ((1 << 31) - 1, "", TOO_LONG),
                ((256 << 20) + 1, "", TOO_LONG),
                ((1 << 28) - 1, "", BROKEN),
                ((256 << 20) + 1, "--max-record 300MiB", BROKEN),
                ((1 << 31) - 1, "--max-record 3GiB", BROKEN),
            ] {
                place.write("x.parquet", file(packing, kind, len, 1, &small));
                let ran = read(&place, flags);
                assert_eq!((ran.code, ran.err), (2, refused(why)), "{name}, kind {kind}: {len} {flags}");
            }
        }
    }
}

#[test]
fn a_page_that_unpacks_to_more_than_it_says_ends_there() {
    let place = Place::new();
    place.build("none", b"", "");
    let bomb = gzip(300);
    place.write("x.parquet", file(2, 0, 800, 100, &bomb));
    assert_eq!(read(&place, "").err, refused(BROKEN));
    place.write("x.parquet", file(2, 0, 300 << 20, 300 << 17, &bomb));
    assert_eq!(read(&place, "").err, refused(TOO_LONG));
}

#[test]
fn a_page_that_says_it_has_many_values_gets_no_memory() {
    let place = Place::new();
    place.build("none", b"", "");
    for (name, kind) in [("values", 0), ("dictionary", 2)] {
        place.write("x.parquet", file(0, kind, 16, (1 << 31) - 1, &[1; 16]));
        let ran = read(&place, "");
        let begins = "tepal: x.parquet: unreadable Parquet data after row 0 (";
        assert!(ran.code == 2 && ran.err.starts_with(begins), "{name}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{name}: {}", ran.err);
    }
}
