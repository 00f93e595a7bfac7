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
    let told = "keyed: whole, 1 chunk, 256 bytes; bytes are as written; secret: not checked without it\n\
                f: whole, 1 chunk, 256 bytes\n";
    assert_eq!((ran.code, ran.text(), ran.err.as_str()), (0, told, ""));
    let ran = place.run("verify keyed --secret secret");
    assert_eq!((ran.code, ran.text()), (0, "keyed: whole, 1 chunk, 256 bytes\n"), "{}", ran.err);
}

/// Of every kind: the checksums need no key, and damage is found without one too.
#[test]
fn no_key_is_needed_to_check_the_bytes() {
    let place = Place::new();
    place.write_key("secret", "0123456789abcdef");
    place.write_key("seal", "fedcba9876543210");
    place.write("keys", crate::place::numbers(0..2000));
    place.write("rows", "1,a\n2,b\n");
    for (name, flags) in [
        ("bloom", "keys"),
        ("deletable", "--deletable keys"),
        ("growing", "--growing keys"),
        ("window", "--window 7d keys"),
        ("static", "--static keys"),
        ("segments", "--set keys"),
        ("map", "--csv -f 1 --map 2 rows"),
    ] {
        let ran = place.run(&format!("build -q -o {name} {flags} --secret secret --seal seal"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
        for (keys, told, seal, secret) in [
            ("", "; bytes are as written; secret and seal: not checked without their keys\n", false, false),
            (
                "--seal seal",
                ", the seal is right; bytes are as written; secret: not checked without it\n",
                true,
                false,
            ),
            ("--secret secret", "; bytes are as written; seal: not checked without its key\n", false, true),
            ("--secret secret --seal seal", " bytes, the seal is right\n", true, true),
        ] {
            let ran = place.run(&format!("verify {name} {keys}"));
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name} {keys}");
            assert!(ran.text().ends_with(told), "{name} {keys}: {}", ran.text());
            let json = place.run(&format!("verify --json {name} {keys}")).json();
            let is =
                ["right", "sealed", "seal_checked", "secret_checked"].map(|field| json[0][field].as_bool());
            assert_eq!(is, [true, true, seal, secret].map(Some), "{name} {keys}: {json}");
            // With a key that is not its own it is refused as ever.
            let ran = place.run(&format!("verify {name} {keys} --require-seal"));
            assert_eq!(
                (ran.code, ran.out.is_empty()),
                if seal { (0, false) } else { (2, true) },
                "{name} {keys}"
            );
            assert_eq!(ran.err.contains("its seal was not checked"), !seal, "{name} {keys}: {}", ran.err);
        }
        for wrong in ["--secret seal", "--seal secret", "--secret secret --seal secret"] {
            assert_eq!(place.run(&format!("verify {name} {wrong}")).code, 2, "{name} {wrong}");
            assert_eq!(place.run(&format!("info {name} {wrong}")).code, 2, "{name} {wrong}");
        }
        // `info` says all that needs no key, and that it has none.
        let [without, with] =
            ["", "--secret secret --seal seal"].map(|keys| place.run(&format!("info {name} {keys}")));
        assert_eq!((without.code, without.err.as_str()), (0, ""), "{name}");
        let text = without.text().to_owned();
        for part in [
            " with a secret key, not checked without it (--secret); ",
            "seal        not checked without its key (--seal)\n",
        ] {
            assert!(text.contains(part), "{name}: {text}");
        }
        let text = text.replace(", not checked without it (--secret)", "");
        let text =
            text.replace("not checked without its key (--seal)", "under the key of --seal, and unbroken");
        assert_eq!(text, with.text(), "{name}");
        let [without, with] = ["", "--secret secret --seal seal"]
            .map(|keys| place.run(&format!("info --json {name} {keys}")).json());
        assert_eq!(without, with, "{name}");
        // Whatever is damaged.
        let good = place.read(name);
        for at in (0..good.len() - 32).step_by(good.len() / 50 + 1) {
            let mut bytes = good.clone();
            bytes[at] ^= 4;
            place.write("bad", bytes);
            let ran = place.run("verify bad");
            assert_eq!((ran.code, ran.err.lines().count()), (2, 1), "{name} {at}: {}", ran.err);
        }
        assert_eq!(place.run(&format!("has -q {name} -e 5")).code, 2, "{name}");
        assert_eq!(place.run(&format!("merge -q {name} {name} -o merged")).code, 2, "{name}");
    }
}

#[test]
fn a_seal_can_be_required() {
    let place = Place::new();
    place.write_key("seal", "fedcba9876543210");
    place.build("f", b"a\n", "");
    place.build("sealed", b"a\n", "--seal seal");
    golden(&place, "redisbloom/scaled_x2.bin");
    let ran = place.run("verify f scaled_x2.bin sealed --require-seal");
    assert_eq!((ran.code, ran.text()), (2, ""));
    let told: Vec<&str> = ran.err.lines().collect();
    assert_eq!(
        told[0],
        "tepal: f: has no seal, which --require-seal asks for; get the sealed one from its maker"
    );
    assert!(told[1].starts_with("tepal: scaled_x2.bin: has no seal, "), "{}", told[1]);
    assert!(
        told[2].starts_with("tepal: sealed: its seal was not checked, ") && told[2].ends_with("--seal FILE"),
        "{}",
        told[2]
    );
    let json = place.run("verify --json f --require-seal").json();
    assert_eq!(
        (&json[0]["right"], &json[0]["chunks"], &json[0]["secret_checked"]),
        (&false.into(), &1.into(), &().into())
    );
    assert_eq!(place.run("verify -q sealed --require-seal --seal seal").quiet(), (0, &b""[..]));
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
