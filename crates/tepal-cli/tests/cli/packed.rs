//! gzip and zstd inputs, known by their first bytes.

use std::io::Write;

use crate::line_ends::line_ends;
use crate::place::Place;

/// Lines as zstd data that the program must unpack.
pub(crate) fn zstd(lines: &[u8]) -> Vec<u8> {
    // One frame of raw blocks, the simplest that the format has.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    let blocks: Vec<&[u8]> = lines.chunks(100_000).collect();
    for (i, block) in blocks.iter().enumerate() {
        let header = (block.len() as u32) << 3 | u32::from(i + 1 == blocks.len());
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.extend_from_slice(block);
    }
    frame
}

pub(crate) fn gzip(lines: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(lines).unwrap();
    encoder.finish().unwrap()
}

fn lines() -> Vec<u8> {
    (0..100_000).flat_map(|n| format!("line {n}\n").into_bytes()).collect()
}

#[test]
fn packed_data_is_unpacked_from_files_and_pipes() {
    let place = Place::new();
    let lines = lines();
    place.build("plain", &lines, "");
    for packed in [gzip(&lines), zstd(&lines)] {
        place.build("f", &packed, "--force");
        assert!(place.read("f") == place.read("plain"));
        let ran = place.run_with("has f", &packed);
        assert!(ran.code == 0 && ran.out == lines);
        place.write("no-ending", &packed);
        assert_eq!(place.run("has -c -I f no-ending no-ending").quiet(), (0, &b"100000\n100000\n"[..]));
    }
}

#[test]
fn members_and_frames_follow_each_other() {
    let place = Place::new();
    place.build("f", &[gzip(b"a\n"), gzip(b"b\n")].concat(), "");
    assert_eq!(place.run("has -c f -e a -e b").quiet(), (0, &b"2\n"[..]));
    place.build("g", &[zstd(b"a\n"), zstd(b"b\n")].concat(), "");
    assert_eq!(place.run("has -c g -e a -e b").quiet(), (0, &b"2\n"[..]));
}

#[test]
fn a_stream_that_breaks_off_is_an_error_and_builds_nothing() {
    let place = Place::new();
    let lines = lines();
    for (kind, packed) in [("gzip", gzip(&lines)), ("zstd", zstd(&lines))] {
        for keep in [packed.len() / 2, packed.len() - 1] {
            place.write("cut", &packed[..keep]);
            let ran = place.run("build -o f cut");
            assert_eq!(ran.code, 2);
            assert!(ran.err.starts_with(&format!("tepal: cut: broken {kind} data (")), "{}", ran.err);
            assert_eq!(place.names(), ["cut"]);
        }
    }
}

#[test]
fn what_is_wrong_with_packed_data_is_told_in_words() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    let gzip = gzip(&lines());
    let with = |at: usize, byte: u8| {
        let mut bytes = gzip.clone();
        bytes[at] ^= byte;
        bytes
    };
    for (packed, why) in [
        (with(gzip.len() - 6, 1), "what it unpacks to is not what its checksum says"),
        ([&gzip[..], b"more than a header"].concat(), "what follows is no gzip data"),
        (vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x07, 0, 0], "some of its bytes were changed or lost"),
        (
            vec![0x28, 0xb5, 0x2f, 0xfd, 0x01, 0x58, 0x07, 1, 0, 0],
            "packed with a dictionary; unpack it first: zstd -dc -D ",
        ),
    ] {
        let ran = place.run_with("has f", &packed);
        assert!(ran.code == 2 && ran.err.contains(&format!(" data ({why}")), "{why}: {}", ran.err);
    }
}

#[test]
fn what_cannot_be_unpacked_is_refused() {
    let place = Place::new();
    place.write("keys.xz", b"\xfd7zXZ\0\0\x04rest");
    let ran = place.run("build -o f keys.xz");
    assert_eq!(ran.code, 2);
    assert_eq!(ran.err, "tepal: keys.xz: xz data; unpack it first: xz -dc FILE | tepal …\n");
}

#[test]
fn a_large_window_is_refused_in_every_frame_and_allowed_by_a_flag() {
    let place = Place::new();
    let (usual, large) = (line_ends(27, 8, 2), line_ends(28, 8, 2));
    place.build("f", &usual.repeat(3), "--empty-keys");
    for (packed, frames) in [(large.clone(), 1), ([&usual[..], &large].concat(), 2)] {
        place.write("packed", &packed);
        for verb in ["build -o new packed", "add f packed", "has f packed", "test f --members packed"] {
            let ran = place.run(verb);
            assert_eq!(ran.code, 2, "{verb}");
            assert_eq!(
                ran.err,
                "tepal: packed: zstd data with a window of 256.0 MiB, expected 128MiB or less; give it that memory \
                 with --max-window 256MiB\n",
                "{verb}"
            );
        }
        let ran = place.run("has -c f packed --max-window 256MiB");
        assert_eq!(ran.quiet(), (0, format!("{}\n", frames << 18).as_bytes()));
    }
    let ran = place.run("has -c f packed --max-window 4GiB");
    assert!(ran.code == 2 && ran.err.contains("4.0 GiB; expected 1KiB to"), "{}", ran.err);
}

/// The decoder asks for the window, does not get it, and says so.
#[cfg(target_os = "linux")]
#[test]
fn a_window_that_the_machine_does_not_give_is_an_error() {
    let place = Place::new();
    place.write("packed", line_ends(31, 8, 2));
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -v 1500000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_tepal")]);
    command.args(["build", "-o", "f", "--max-window", "2GiB", "packed"]).current_dir(place.path("."));
    let ran = crate::place::finish(command);
    let expected = "tepal: packed: this machine has no memory for zstd data with a window of 2.0 GiB\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, expected));
}
