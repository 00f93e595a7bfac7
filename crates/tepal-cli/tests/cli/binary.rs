//! Data that is no list: archives, databases, other text than UTF-8, and lines with NULs.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use crate::packed::{gzip, zstd};
use crate::place::Place;

fn tar(name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..108].copy_from_slice(b"0000644\0");
    header[148..156].copy_from_slice(b"012345\0 ");
    header[257..263].copy_from_slice(b"ustar ");
    let mut padded = content.to_vec();
    padded.resize(content.len().next_multiple_of(512) + 1024, 0);
    [header, padded].concat()
}

#[test]
fn what_is_packed_or_binary_is_refused_by_name() {
    let place = Place::new();
    place.build("f", b"k\n", "");
    let xls = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0";
    for (bytes, what) in [
        (tar("list.txt", b"k\n"), "a tar archive; unpack it first: tar -xOf"),
        (b"\x04\x22\x4d\x18....".to_vec(), "lz4 data; unpack it first: lz4 -dc"),
        (b"7z\xbc\xaf\x27\x1c....".to_vec(), "a 7z archive; unpack it first: 7z x -so"),
        (b"Rar!\x1a\x07\x01\0".to_vec(), "a rar archive; unpack it first: unrar p"),
        (b"\x1f\x9d\x90....".to_vec(), "data of compress (.Z); unpack it first: gzip -dc"),
        (b"]\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0".to_vec(), "lzma data; unpack it first: lzma -dc"),
        (b"ARROW1\0\0....".to_vec(), "an Arrow or Feather file"),
        (b"Obj\x01....".to_vec(), "an Avro file; write it as JSON lines: avro-tools tojson"),
        (b"SQLite format 3\0....".to_vec(), "an SQLite database; write one column: sqlite3"),
        (xls.to_vec(), "an old Excel or Office file"),
        (b"\x93NUMPY\x01\0".to_vec(), "an array of NumPy"),
    ] {
        for packed in [bytes.clone(), gzip(&bytes), zstd(&gzip(&bytes))] {
            for args in ["build -q -o g", "has f", "uniq", "build -q -f 1 -o g"] {
                let ran = place.run_with(args, &packed);
                assert!(ran.code == 2 && ran.err.contains(what), "{args}: {}", ran.err);
            }
            place.write("file", &packed);
            let ran = place.run("build -q file -o g");
            assert!(ran.code == 2 && ran.err.starts_with(&format!("tepal: file: {what}")), "{}", ran.err);
        }
    }
    place.write("data.orc", b"ORC\x0a....\x03ORC\x17");
    place.write("old.feather", b"FEA1\0\0\0\0....FEA1");
    assert!(place.run("build data.orc -o g").err.contains("data.orc: an ORC file"));
    assert!(place.run("build old.feather -o g").err.contains("old.feather: an Arrow or Feather file"));
    // Lists may begin with the letters of these marks.
    for list in [
        "ORC\n",
        "ORCHID\nORC",
        "FEA1\nFEA12\n",
        "Rar!\n",
        "Obj\n",
        "ARROW1\n",
        "7z\n",
        "SQLite format 3\n",
        "]\n",
    ] {
        place.build("list", list.as_bytes(), "--force");
        place.write("file", list);
        assert_eq!(place.run("build -q file -o list --force").code, 0);
        assert_eq!(place.run("has list file").text(), list, "{list:?}");
    }
    // Two layers are unpacked.
    place.build("two", &gzip(&zstd(b"a\nb\n")), "");
    assert_eq!(place.run("has -c two -e a -e b").text(), "2\n");
    let ran = place.run_with("build -q -o g", &gzip(&gzip(&gzip(b"a\n"))));
    assert!(ran.code == 2 && ran.err.contains("packed more than twice"), "{}", ran.err);
}

#[test]
fn lines_with_nuls_are_refused_and_cells_with_nuls_are_not() {
    let place = Place::new();
    place.build("f", b"k\n", "");
    for args in ["build -q -o g", "has f", "uniq", "which f", "add f"] {
        let ran = place.run_with(args, b"a\nk\0\n");
        let expected = "standard input: a NUL byte among the first bytes, so this is no list of lines; where records end with NUL, \
                        add -0, and where lines have NULs, add --text\n";
        assert_eq!((ran.code, ran.err), (2, format!("tepal: {expected}")), "{args}");
    }
    let lines = b"a\nk\0x\n";
    assert_eq!(place.run_with("build -q -o g --text", lines).quiet().0, 0);
    assert_eq!(place.run_with("has g --text", lines).quiet(), (0, &lines[..]));
    assert_eq!(place.run_with("build -q -o g -0 --force", b"a\0k\0").quiet().0, 0);
    assert_eq!(place.run("has -c g -e a -e k").text(), "2\n");
    // Cells of rows keep theirs.
    let rows = b"1,k\0x\n2,k\n";
    assert_eq!(place.run_with("build -q -o g -f 2 --force", rows).quiet().0, 0);
    assert_eq!(place.run_with("has g", rows).quiet(), (0, &rows[..]));
    // UTF-16 without a mark.
    for (bytes, encoding) in [(&b"k\0\n\0x\0\n\0"[..], "UTF-16LE"), (b"\0k\0\n\0x\0\n", "UTF-16BE")] {
        for args in ["has f", "has f -f 1", "build -q -o g --force"] {
            let ran = place.run_with(args, bytes);
            let expected = format!("expected UTF-8: iconv -f {encoding} -t UTF-8 FILE");
            assert!(ran.code == 2 && ran.err.contains(&expected), "{args}: {}", ran.err);
        }
    }
}

/// What comes before a NUL is answered when it comes.
#[test]
fn nothing_is_held_back_for_the_check() {
    let place = Place::new();
    place.build("f", b"a\nb\n", "");
    let mut child = place.command("has f").stdin(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for line in ["a\n", "b\n"] {
        to.write_all(line.as_bytes()).unwrap();
        let mut answered = String::new();
        from.read_line(&mut answered).unwrap();
        assert_eq!(answered, line);
    }
    to.write_all(b"\0\n").unwrap();
    drop(to);
    assert_eq!(child.wait().unwrap().code(), Some(2));
    let mut child = place.command("has f -0").stdin(Stdio::piped()).spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    to.write_all(b"a\0").unwrap();
    let mut answered = Vec::new();
    from.read_until(0, &mut answered).unwrap();
    assert_eq!(answered, b"a\0");
    drop(to);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// With `-0` keys are any bytes, also those of a mark.
#[test]
fn binary_keys_are_not_taken_for_utf16() {
    let place = Place::new();
    let keys = [&b"\xff\xfe\0"[..], b"\xfe\xff\xff\xff\x01\0", b"\xef\xbb\xbfk\0"];
    for key in keys {
        let all = [key, b"other\0"].concat();
        assert_eq!(place.run_with("build -q -0 -o f --force -p 1e-9", &all).quiet().0, 0, "{key:?}");
        assert_eq!(place.run_with("has -0 f", &all).quiet(), (0, &all[..]), "{key:?}");
        assert_eq!(place.run_with("uniq -0", &[&all[..], &all].concat()).quiet(), (0, &all[..]), "{key:?}");
        assert_eq!(place.run_with("has -0 f", &gzip(&all)).quiet(), (0, &all[..]), "{key:?}");
    }
    // Without -0 all is as it was.
    assert_eq!(place.run_with("uniq", b"\xff\xfek\0\n\0").quiet(), (0, &b"k\n"[..]));
    assert_eq!(place.run_with("uniq", b"\xef\xbb\xbfk\n").quiet(), (0, &b"k\n"[..]));
}

#[test]
fn gzip_that_is_filled_up_with_zeros() {
    let place = Place::new();
    for zeros in [1, 511, 600_000] {
        let packed = [gzip(b"a\n"), gzip(b"b\n"), vec![0; zeros]].concat();
        place.build("f", &packed, "--force");
        assert_eq!(place.run("has -c f -e a -e b").text(), "2\n");
        let ran = place.run_with("build -q -o g", &[&packed[..], b"x"].concat());
        assert!(ran.code == 2 && ran.err.contains("broken gzip data (what follows the zeros"), "{}", ran.err);
    }
    let ran = place.run_with("build -q -o g", &[&gzip(b"a\n")[..], b"x"].concat());
    assert!(
        ran.code == 2 && ran.err.contains("broken gzip data (what follows is no gzip data)"),
        "{}",
        ran.err
    );
}
