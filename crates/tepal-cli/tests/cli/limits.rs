//! What comes without an end, or says that it is huge: an error that names the limit, soon and in
//! little memory.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::{Place, Ran, numbers};

const MIB: usize = 1 << 20;

/// Runs `script` in a shell with 600 MB of memory for each program, which is `$TEPAL` there.
pub(crate) fn shell(place: &Place, script: &str) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v 600000; {script}")]).current_dir(place.path("."));
    command.env("TEPAL", env!("CARGO_BIN_EXE_tepal")).stdin(Stdio::null());
    let begun = Instant::now();
    let ran = crate::place::finish(command);
    assert!(begun.elapsed() < Duration::from_secs(30), "{script}: {:?}", begun.elapsed());
    ran
}

/// A record that is packed to little: so many bytes, and what ends it.
fn packed(mib: usize, before: &str, after: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(before.as_bytes()).unwrap();
    (0..mib).for_each(|_| encoder.write_all(&vec![b'a'; MIB]).unwrap());
    encoder.write_all(after.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Every form of input, and every verb that reads one.
#[test]
fn a_record_that_is_too_long_is_refused_before_its_memory_is_taken() {
    let place = Place::new();
    place.build("f", b"a\nb\n", "");
    place.write("lines", packed(200, "b\n", "\na\n"));
    place.write("no-end", packed(200, "b\n", ""));
    place.write("null", packed(200, "b\0", "\0a\0"));
    place.write("csv", packed(200, "b,1\n\"x\ny", "\",1\na,1\n"));
    place.write("json", packed(200, "{\"id\":\"b\"}\n{\"id\":\"", "\"}\n{\"id\":\"a\"}\n"));
    for (args, end) in [
        ("lines", "line end"),
        ("no-end", "line end"),
        ("null -0", "NUL byte"),
        ("csv --csv -f 2", "line end outside quotes"),
        ("lines --tsv -f 1", "line end"),
        ("json -f /id", "line end"),
    ] {
        for verb in ["build -j 1 -q -o new", "build -j 2 -q -o new", "add -q f", "has f", "test f --members"]
        {
            let ran = shell(&place, &format!("exec \"$TEPAL\" {verb} {args}"));
            let (name, _) = args.split_once(' ').unwrap_or((args, ""));
            // `has` leaves the first line of a row out whose quotes are wrong, and then finds the
            // long one.
            let line = if verb == "has f" && name == "csv" { 3 } else { 2 };
            let expected = format!(
                "tepal: {name}: line {line}: a record of more than 64.0 MiB, expected a {end} before that; say with \
                 --max-record how long one may be\n"
            );
            assert_eq!((ran.code, ran.err), (2, expected), "{verb} {args}");
        }
    }
    assert_eq!(place.run("has -c f -e b").quiet(), (0, &b"1\n"[..]), "nothing was added or replaced");
}

#[test]
fn the_flag_moves_the_limit_of_a_record() {
    let place = Place::new();
    place.build("f", b"a\nb\n", "");
    place.write("keys", packed(3, "b\n", "\na\n"));
    assert_eq!(place.run("has -c f keys").quiet(), (0, &b"2\n"[..]));
    assert_eq!(place.run("has -c --max-record 3MiB f keys").quiet(), (0, &b"2\n"[..]));
    let ran = place.run("has -c --max-record 2MiB f keys");
    assert!(ran.code == 2 && ran.err.contains("a record of more than 2.0 MiB"), "{}", ran.err);
    place.write("longer", packed(65, "b\n", "\na\n"));
    let ran = place.run("has -c f longer");
    assert!(ran.code == 2 && ran.err.contains("a record of more than 64.0 MiB"), "{}", ran.err);
    assert_eq!(place.run("has -c --max-record 65MiB f longer").quiet(), (0, &b"2\n"[..]));
    let ran = place.run("has -c --max-record 1k f keys");
    assert!(ran.code == 2 && ran.err.contains("1,000 bytes; expected 1MiB or more"), "{}", ran.err);
}

/// As a tree such a record would take 700 MB.
#[test]
fn a_json_record_is_read_and_not_kept() {
    let place = Place::new();
    place.build("f", b"a\nb\n", "");
    let brackets = "[],".repeat(20 * MIB);
    place.write("json", format!("{{\"x\":[{brackets}[]],\"id\":\"a\"}}\n{{\"id\":\"c\"}}\n"));
    let ran = shell(&place, "exec \"$TEPAL\" has -c f -f /id json");
    assert_eq!(ran.quiet(), (0, &b"1\n"[..]));
}

/// The keys of a map wait in memory: what it has no room for is told, and does not end it without a
/// word.
#[test]
fn rows_of_a_map_that_memory_has_no_room_for_are_told() {
    let place = Place::new();
    let rows = "seq -f '%.0f,1' 1 5000000";
    for flags in ["--map 2", "--by 2 --static"] {
        let build = format!("\"$TEPAL\" build -q --csv -f 1 {flags} -o m");
        let ran = shell(&place, &format!("ulimit -v 100000; {rows} | {build}"));
        assert_eq!(ran.code, 2, "{flags}: {}", ran.err);
        let said =
            "the keys of a list wait with their values, 16 bytes each, and there is no memory for more than ";
        assert!(ran.err.contains(said) && ran.err.lines().count() == 1, "{flags}: {}", ran.err);
        assert!(ran.err.ends_with(" keys; build maps of shorter lists\n"), "{flags}: {}", ran.err);
        assert!(!place.path("m").exists());
    }
}

/// Devices and pipes that never end.
#[test]
fn inputs_without_an_end_are_refused_at_the_limit() {
    let place = Place::new();
    place.build("f", b"a\nb\n", "");
    for script in
        ["exec \"$TEPAL\" has -c f --text /dev/zero", "cat /dev/zero | \"$TEPAL\" build -q --text -o new"]
    {
        let ran = shell(&place, script);
        assert_eq!(ran.code, 2, "{script}");
        assert!(ran.err.contains("line 1: a record of more than 64.0 MiB"), "{script}: {}", ran.err);
    }
}

/// What gives a filter's file without an end, in a shell, and what is said of it.
const NO_FILTERS: [(&str, &str); 6] = [
    (
        "< /dev/null exec \"$TEPAL\" VERB /dev/zero",
        "/dev/zero: a device, which need not end; expected a tepal filter",
    ),
    ("< /dev/null exec \"$TEPAL\" VERB /dev/urandom", "/dev/urandom: a device, which need not end"),
    (
        "yes | \"$TEPAL\" VERB /dev/stdin",
        "/dev/stdin: not a tepal filter: it looks like text (\"y\\ny\\ny\\ny\\n\")",
    ),
    (
        "cat /dev/zero | \"$TEPAL\" VERB /dev/stdin",
        "/dev/stdin: a pipe gives more than is read of it, expected 268435456 bytes or less; save it to a file",
    ),
    ("cat f /dev/zero | \"$TEPAL\" VERB /dev/stdin", "/dev/stdin: damaged: it has "),
    (
        "yes | \"$TEPAL\" VERB --from guava /dev/stdin",
        "/dev/stdin: a pipe gives more than is read of it, expected 268435456 bytes or less; save it to a file",
    ),
];

#[test]
fn a_filter_without_an_end_is_refused_at_the_limit() {
    let place = Place::new();
    place.build("f", b"a\nb\n", "");
    place.write("keys", "a\n");
    for (script, expected) in NO_FILTERS {
        for verb in ["info", "verify", "has -e a", "info --read", "merge -q -o new f"] {
            let script = script.replace("VERB", verb);
            let ran = shell(&place, &script);
            assert_eq!(ran.code, 2, "{script}: {}", ran.err);
            assert!(ran.err.contains(expected), "{script}: {}", ran.err);
            assert!(!ran.err.contains("panicked"), "{script}: {}", ran.err);
        }
    }
    assert_eq!(place.names(), ["f", "keys"]);
}

/// Keys are short: a device or pipe in the place of one is read no further than that.
#[test]
fn a_key_without_an_end_is_refused_at_the_limit() {
    let place = Place::new();
    place.build("f", b"a\nb\n", "");
    for flag in ["--secret", "--seal"] {
        for device in ["/dev/zero", "/dev/urandom", "/dev/stdin"] {
            for verb in ["info f", "has f -e a", "build -q -o new /dev/null"] {
                let script = format!("yes | \"$TEPAL\" {verb} {flag} {device}");
                let ran = shell(&place, &script);
                assert_eq!(ran.code, 2, "{script}: {}", ran.err);
                let expected = format!("tepal: {device}: more than 4096 bytes; expected ");
                assert!(ran.err.starts_with(&expected), "{script}: {}", ran.err);
            }
        }
    }
    assert_eq!(place.names(), ["f"]);
}

/// `ulimit -f`: a file that may not become so large is an error, as on a full disk, whatever writes
/// it.
#[test]
fn a_file_that_may_not_become_so_large_ends_the_command_in_order() {
    let place = Place::new();
    place.write("list", numbers(0..300_000));
    for (name, flags) in [
        ("f", "-n 1M"),
        ("g", "-n 1M"),
        ("table", "--deletable -n 1M"),
        ("ribbon", "--static"),
        ("window", "--window 7d -n 1M"),
        ("growing", "--growing"),
        ("segments", "--set -n 1M"),
    ] {
        assert_eq!(place.run(&format!("build -q list {flags} -p 1e-6 -o {name}")).code, 0, "{name}");
    }
    place.write("more", numbers(300_000..500_000));
    assert_eq!(place.run("add -q g more").code, 0);
    assert_eq!(place.run("diff -q f g -o patch").code, 0);
    let files = || place.names().into_iter().map(|name| (place.read(&name), name)).collect::<Vec<_>>();
    let before = files();
    for args in [
        "build list -o new",
        "build list -o new -j 4 --memory 1MiB",
        "build list --force -o f",
        "build list --deletable -o new",
        "build list --static -o new -j 2",
        "build list --growing -o new",
        "build list --window 7d -o new",
        "build list --set -o new",
        "build list --to redisbloom -o new",
        "add f list",
        "add table more",
        "add ribbon more",
        "add window more",
        "add growing more",
        "add segments more --segment list",
        "remove table list -o new",
        "remove table more list --allow-absent",
        "merge f g -o new",
        "shrink f -p 50% -o new",
        "diff f g -o new",
        "patch f patch -o new",
        "except f more -o new --non-members",
        "uniq --state new list > /dev/null",
    ] {
        // Blocks of 512 or of 1,024 bytes.
        let ran = shell(&place, &format!("ulimit -f 16; exec \"$TEPAL\" {args}"));
        let told = "a file may not be as large as this one becomes; raise the limit (ulimit -f), or write to another file system\n";
        assert!(
            ran.code == 2 && ran.err.starts_with("tepal: ") && ran.err.ends_with(told),
            "{args}: {} {}",
            ran.code,
            ran.err
        );
        assert_eq!(ran.err.lines().count(), 1, "{args}: {}", ran.err);
        assert!(files() == before, "{args}: {:?}", place.names());
    }
    for args in ["has f list", "has f list --json", "uniq list", "which f g -- list", "build list -o -"] {
        let ran = shell(&place, &format!("ulimit -f 16; exec \"$TEPAL\" {args} > out"));
        assert!(
            ran.code == 2 && ran.err.contains("raise the limit (ulimit -f)"),
            "{args}: {} {}",
            ran.code,
            ran.err
        );
        std::fs::remove_file(place.path("out")).unwrap();
        assert!(files() == before, "{args}: {:?}", place.names());
    }
    let ran = shell(&place, "ulimit -f 16; exec \"$TEPAL\" demo -n 1M --dir d");
    assert!(ran.code == 2 && ran.err.contains("raise the limit (ulimit -f)"), "{} {}", ran.code, ran.err);
    let left: Vec<_> =
        std::fs::read_dir(place.path("d")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, Vec::<std::path::PathBuf>::new());
}
