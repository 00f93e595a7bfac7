//! `tepal verify`: what it says of whole, damaged and other programs' files.

use std::fs;
use std::path::Path;

use crate::place::Place;

fn golden(place: &Place, name: &str) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden");
    let file_name = name.rsplit('/').next().unwrap();
    place.write(file_name, fs::read(golden.join(name)).unwrap());
}

#[test]
fn whole_files() {
    let place = Place::new();
    place.build("f", b"a\nb\n", "");
    place.build("big", b"a\nb\n", "-s 200000B --layout scattered");
    place.write_key("secret", "0123456789abcdef");
    place.build("keyed", b"a\n", "--secret secret");
    let ran = place.run("verify f big");
    let len = |name: &str| place.read(name).len();
    assert_eq!((len("f"), len("big")), (256, 200_192));
    assert_eq!(ran.text(), "f: whole, 1 chunk, 256 bytes\nbig: whole, 4 chunks, 200,192 bytes\n");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let ran = place.run("verify keyed f");
    assert_eq!((ran.code, ran.text()), (2, "f: whole, 1 chunk, 256 bytes\n"));
    assert!(ran.err.contains("keyed: made with a secret key") && ran.err.contains("--secret FILE"));
    let ran = place.run("verify keyed --secret secret");
    assert_eq!((ran.code, ran.text().lines().count()), (0, 1), "{}", ran.err);
}

#[test]
fn damage_is_named_and_the_others_are_told_too() {
    let place = Place::new();
    place.build("f", b"a\nb\n", "");
    place.build("big", b"a\nb\n", "-s 200000B --layout scattered");
    let good = place.read("big");
    for (at, what) in [
        (0, "not a tepal filter"),
        (50, "the header has the checksum"),
        (192 + 65_536, "bytes 65728 to 131263 have the checksum"),
        (good.len() - 1, "bytes 196800 to 200191 have the checksum"),
    ] {
        let mut bytes = good.clone();
        // Later damage does not hide the first.
        bytes[at..].iter_mut().step_by(65_536).for_each(|byte| *byte ^= 1);
        place.write("bad", &bytes);
        let ran = place.run("verify bad f");
        assert_eq!((ran.code, ran.text()), (2, "f: whole, 1 chunk, 256 bytes\n"));
        assert!(ran.err.starts_with("tepal: bad: ") && ran.err.contains(what), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1);
        let ran = place.run("verify --json bad f");
        assert_eq!(ran.code, 2);
        let json = ran.json();
        assert_eq!((&json[0]["right"], &json[1]["right"]), (&false.into(), &true.into()));
        assert!(json[0]["problem"].as_str().unwrap().contains(what), "{json}");
        assert_eq!((&json[1]["chunks"], &json[1]["file_len"]), (&1.into(), &256.into()));
    }
    place.write("cut", &good[..good.len() - 64]);
    let ran = place.run("verify cut nothing");
    assert_eq!((ran.code, ran.text()), (2, ""));
    assert!(ran.err.contains("cut: damaged: it has 200128 bytes, and 200192 were written"), "{}", ran.err);
    assert!(ran.err.contains("nothing: no such file"), "{}", ran.err);
}

#[test]
fn other_programs_files_say_what_can_be_checked() {
    let place = Place::new();
    for name in ["guava/mitz64_long.bin", "redisbloom/scaled_x2.redis-dump", "redisbloom/scaled_x2.bin"] {
        golden(&place, name);
    }
    let ran = place.run("verify --from guava mitz64_long.bin");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.text().starts_with("mitz64_long.bin: guava, ") && ran.text().contains("no checksum"));
    let ran = place.run("verify scaled_x2.redis-dump scaled_x2.bin");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<&str> = ran.text().lines().collect();
    assert!(lines[0].ends_with("its lengths, fields and checksum are right"), "{}", lines[0]);
    assert!(lines[1].contains("there is no checksum"), "{}", lines[1]);
    let json = place.run("verify --json scaled_x2.redis-dump scaled_x2.bin").json();
    assert_eq!((&json[0]["checksum"], &json[1]["checksum"]), (&true.into(), &false.into()));
    let mut bytes = place.read("scaled_x2.redis-dump");
    bytes[100] ^= 1;
    place.write("bad", bytes);
    let ran = place.run("verify --from redisbloom bad");
    assert_eq!((ran.code, ran.text()), (2, ""));
    assert!(ran.err.contains("CRC-64"), "{}", ran.err);
}

#[test]
fn quietly_only_what_is_wrong_is_said() {
    let place = Place::new();
    place.build("f", b"a\n", "");
    place.write("bad", &place.read("f")[1..]);
    assert_eq!(place.run("verify -q f").quiet(), (0, &b""[..]));
    let ran = place.run("verify -q f bad");
    assert_eq!((ran.code, ran.text()), (2, ""));
    assert!(ran.err.starts_with("tepal: bad: "), "{}", ran.err);
}
