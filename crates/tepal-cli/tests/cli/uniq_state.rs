//! `uniq --state`: what was seen is remembered, by one run at a time, as a whole or not at all.

use std::fs;
use std::io::Write;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::place::{Place, numbers};

fn slow(place: &Place, args: &str) -> Child {
    place.command(args).stdin(Stdio::piped()).spawn().unwrap()
}

#[test]
fn runs_go_on_where_the_last_one_ended() {
    let place = Place::new();
    for (from, flags) in [(0, "-n 5000"), (10_000, "-n 5000"), (20_000, ""), (30_000, "-p 1e-6 -j3")] {
        place.write("list", numbers(from.max(1000) - 1000..from + 20_000));
        let passed = place.run(&format!("uniq {flags} --state s list"));
        let expected = if from == 0 { numbers(0..20_000) } else { numbers(from + 10_000..from + 20_000) };
        assert!(passed.quiet() == (0, &expected), "{from}");
    }
    assert_eq!(place.run("uniq --state s list").quiet(), (1, &b""[..]));
    assert_eq!(place.names(), ["list", "s"]);

    // A filter as others are: asked, shown, checked, measured, added to.
    place.write("all", numbers(0..50_000));
    assert_eq!(place.run("has -c s all").text(), "50000\n");
    assert_eq!(place.run("has -v s all").code, 1);
    assert_eq!(place.run("verify s").code, 0);
    let json = place.run("info --json s").json();
    let info = &json[0];
    assert_eq!((&info["kind"], &info["format"]), (&"scalable".into(), &"tepal".into()));
    assert_eq!(info["promised_false_positive_rate"], 1e-6);
    assert_eq!((info["keys_inserted"].as_u64(), info["expansion"].as_u64()), (Some(50_000), Some(4)));
    assert!(info["filters"].as_array().unwrap().len() >= 2 && info["over_capacity"] == false);
    assert_eq!(place.run("info s").code, 0);
    let tested = place.run("test s --members all");
    assert_eq!(tested.code, 0, "{}", tested.err);
    place.write("more", numbers(50_000..300_000));
    let added = place.run("add s more");
    assert!(added.code == 0 && added.err.starts_with("250,000 keys added; about 2"), "{}", added.err);
    assert_eq!(place.run("uniq --state s more").quiet(), (1, &b""[..]));
    let json = place.run("info --json s").json();
    assert!(json[0]["false_positive_rate"].as_f64().unwrap() <= 1e-6);
    // What makes no sense of it is refused, and it stays as it is.
    let before = place.read("s");
    for (args, part) in [
        ("merge s s -o t", "cannot be united"),
        (
            "convert s --to guava -o t",
            "s: a file of the format guava cannot hold this filter: it is a chain of 4 filters, which grows as keys come, and \
             the format holds no such chain; build one filter from the keys with: tepal build LIST --to guava -o FILTER\n",
        ),
        ("convert s --to redisbloom -o t", "holds no such chain"),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(part), "{args}: {}", ran.err);
    }
    assert!(place.read("s") == before && !place.path("t").exists());
}

#[test]
fn an_empty_run_makes_a_state_and_keeps_one() {
    let place = Place::new();
    assert_eq!(place.run_with("uniq --state s", b"").quiet(), (1, &b""[..]));
    assert_eq!(place.run("verify s").code, 0);
    let before = place.read("s");
    assert_eq!(place.run_with("uniq --state s", b"").quiet(), (1, &b""[..]));
    assert!(place.read("s") == before);
    assert_eq!(place.run_with("uniq --state s", b"a\n").quiet(), (0, &b"a\n"[..]));
    assert_eq!(place.run_with("uniq --state s", b"").quiet(), (1, &b""[..]));
    assert_eq!(place.run_with("uniq --state s -D", b"a\nb\n").quiet(), (0, &b"a\n"[..]));
    // The new line of a run that prints repeats was seen, too.
    assert_eq!(place.run_with("uniq --state s", b"a\nb\n").quiet(), (1, &b""[..]));
}

#[test]
fn who_only_asks_changes_nothing() {
    let place = Place::new();
    assert_eq!(
        place.run_with("uniq --count-new --state s", b"a\na\n").text().split(';').next(),
        Some("1 new, 1 seen before")
    );
    assert_eq!(place.run_with("uniq -q --state s", b"a\n").code, 0);
    assert!(!place.path("s").exists());
    assert_eq!(place.run_with("uniq --state s", b"a\n").code, 0);
    let before = place.read("s");
    assert_eq!(place.run_with("uniq -q --state s", b"a\n").quiet(), (1, &b""[..]));
    assert_eq!(place.run_with("uniq -q --state s", b"a\nb\n").quiet(), (0, &b""[..]));
    assert_eq!(
        place.run_with("uniq --count-new --state s", b"a\nb\n").text().split(';').next(),
        Some("1 new, 1 seen before")
    );
    assert!(place.read("s") == before);
    // Of what is not printed nothing is remembered.
    assert_eq!(place.run_with("uniq -m 1 --state s", b"a\nb\nc\nd\n").quiet(), (0, &b"b\n"[..]));
    assert_eq!(place.run_with("uniq --state s", b"a\nb\nc\nd\n").quiet(), (0, &b"c\nd\n"[..]));
}

#[test]
fn flags_that_contradict_the_state_are_refused() {
    let place = Place::new();
    place.write("list", "Ab\n");
    place.write("rows", "1,a\n2,a\n");
    assert_eq!(place.run("uniq --state plain list").code, 0);
    assert_eq!(place.run("uniq --state small --nocase --trim -p 1e-3 list").code, 0);
    assert_eq!(place.run("uniq --state rows.s -f 2 --csv rows").quiet(), (0, &b"1,a\n"[..]));
    assert_eq!(place.run("build -q list -o bloom").code, 0);
    assert_eq!(place.run("build -q list --to guava -o guava").code, 0);
    for (args, text) in [
        (
            "--state plain --nocase list",
            "plain: made without --nocase; leave --nocase out, or name another state",
        ),
        ("--state plain --trim list", "plain: made without --trim; leave --trim out, or name another state"),
        (
            "--state plain -p 1e-3 list",
            "plain: made for 1 in 1,000,000, not 1 in 1,000; leave -p out, or name another state",
        ),
        (
            "--state plain -f 2 --csv rows",
            "plain: its keys are whole lines, not the field 2; leave -f out, or name another state",
        ),
        (
            "--state rows.s --whole rows",
            "rows.s: its keys are the field 2; leave --whole out, or name another state",
        ),
        (
            "--state rows.s -f 1 --csv rows",
            "rows.s: its keys are the field 2, not the field 1; leave -f out, or name another state",
        ),
        (
            "--state bloom list",
            "bloom: one filter, which does not grow, and no state; name another file, which `uniq` makes, or ask this one with: tepal has -v FILTER LINES",
        ),
        ("--state list list", "list: not a tepal filter"),
        ("--state - list", "--state: - is no file"),
        ("--state . list", ".: "),
        ("--state no/s list", "no: no such folder"),
        ("--state /dev/null list", "/dev/null: "),
    ] {
        let names = place.names();
        let ran = place.run(&format!("uniq {args}"));
        assert_eq!((ran.code, ran.text()), (2, ""), "{args}: {}", ran.err);
        assert!(ran.err.starts_with(&format!("tepal: {text}")), "{args}: {}", ran.err);
        assert_eq!(place.names(), names, "{args}");
    }
    assert_eq!(place.read("list"), b"Ab\n");
    // What the state says is done without being said again.
    assert_eq!(place.run_with("uniq --state small", b"aB\n AB \n").quiet(), (1, &b""[..]));
    assert_eq!(place.run_with("uniq --state small --nocase -p 0.1% -n 7", b"ab\n").quiet(), (1, &b""[..]));
    assert_eq!(place.run("uniq --state guava list").code, 2);
}

#[test]
fn a_secret_and_a_seal_are_kept() {
    let place = Place::new();
    place.write_key("secret", "0123456789abcdef");
    place.write_key("seal", "a seal for testing");
    place.write_key("other", "another for testing");
    place.write("list", "a\nb\n");
    let flags = "--state s --secret secret --seal seal";
    assert_eq!(place.run(&format!("uniq {flags} list")).quiet(), (0, &b"a\nb\n"[..]));
    assert_eq!(place.run_with(&format!("uniq {flags}"), b"a\nc\n").quiet(), (0, &b"c\n"[..]));
    let before = place.read("s");
    for (flags, part) in [
        ("--state s", "--secret FILE"),
        ("--state s --secret secret", "--seal FILE"),
        ("--state s --seal other --secret secret", "the seal does not fit the key"),
    ] {
        let ran = place.run(&format!("uniq {flags} list"));
        assert!(ran.code == 2 && ran.err.contains(part), "{flags}: {}", ran.err);
    }
    assert!(place.read("s") == before);
    let info = place.run("info --json --secret secret --seal seal s").json();
    assert_eq!((&info[0]["sealed"], &info[0]["scheme"]), (&true.into(), &"siphash13".into()));
}

/// What ends a run at once leaves the state as it was; what comes later finds no leftovers.
#[cfg(unix)]
#[test]
fn a_run_that_is_killed_remembers_nothing() {
    let place = Place::new();
    assert_eq!(place.run_with("uniq --state s", b"a\n").code, 0);
    let before = place.read("s");
    for _ in 0..3 {
        let mut child = slow(&place, "uniq --state s");
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"a\nb\n").unwrap();
        let mut out = [0; 2];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut out).unwrap();
        assert_eq!(&out, b"b\n");
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None);
        drop(stdin);
        assert!(place.read("s") == before);
    }
    // The reader goes away.
    place.write("many", numbers(0..1_000_000));
    let mut child = place.command("uniq --state s many").spawn().unwrap();
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0; 10]).unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert!(place.read("s") == before);
    // A bad record ends it with an error, and what was printed before is remembered.
    place.write("rows", "x,1\ny\n");
    assert_eq!(place.run("uniq --state r -f 2 --csv rows").code, 2);
    place.write("rows", "x,1\ny,2\n");
    assert_eq!(place.run("uniq --state r -f 2 --csv rows").quiet(), (0, &b"y,2\n"[..]));
    assert_eq!(place.names(), ["many", "r", "rows", "s"]);
}

/// kill -9 around the time of saving: the old state or the new one, whole.
#[cfg(unix)]
#[test]
fn killed_while_it_saves() {
    let place = Place::new();
    place.write("one", numbers(0..200_000));
    place.write("two", numbers(200_000..400_000));
    assert_eq!(place.run("uniq --state old one -n 400000").code, 0);
    let old = place.read("old");
    fs::copy(place.path("old"), place.path("s")).unwrap();
    assert_eq!(place.run("uniq --state s two").code, 0);
    let new = place.read("s");
    let (mut kept, mut saved) = (0, 0);
    for round in 0..60u64 {
        fs::copy(place.path("old"), place.path("s")).unwrap();
        let names = place.names().len();
        let mut child = place.command("uniq --state s two").stdout(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while place.names().len() == names && child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(60));
            thread::sleep(Duration::from_micros(50));
        }
        thread::sleep(Duration::from_micros(round * 37 % 60 * 50));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = place.read("s");
        assert!(found == old || found == new, "round {round}");
        kept += u32::from(found == old);
        saved += u32::from(found == new);
    }
    assert!(kept > 0 && saved > 0, "{kept} kept, {saved} saved");
    assert_eq!(place.run("uniq --state s one").quiet(), (1, &b""[..]));
    // The next save of this state swept what was left of it.
    assert_eq!(place.run_with("uniq --state s", b"swept\n").code, 0);
    assert_eq!(place.names(), ["old", "one", "s", "two"]);
}

/// A file may have only so many bytes, as on a disk that is full: the new state finds no room.
#[cfg(unix)]
#[test]
fn a_disk_that_is_full_when_it_saves() {
    let place = Place::new();
    assert_eq!(place.run_with("uniq --state s", b"1\n").code, 0);
    let before = place.read("s");
    place.write("list", numbers(0..300_000));
    let names = place.names();
    let run = |args: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "ulimit -f 1000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_tepal")]);
        command.args(args.split(' ')).current_dir(place.path("."));
        crate::place::finish(command)
    };
    let mut others = numbers(0..1);
    others.extend(numbers(2..300_000));
    for (args, printed, passed) in
        [("uniq --state s list", &others[..], "299,999"), ("uniq -D --state s list", b"1\n", "1")]
    {
        let ran = run(args);
        assert!(ran.code == 2 && ran.out == printed, "{args}: {}", ran.err);
        let lines = if passed == "1" { "1 line" } else { "299,999 lines" };
        let expected = format!(
            "tepal: s: a file may not be as large as this one becomes; raise the limit (ulimit -f), or write to another file system; {lines} passed, and the state stays as it was: for the next run 299,999 keys are new again\n"
        );
        assert_eq!(ran.err, expected, "{args}");
        assert!(place.read("s") == before && place.names() == names, "{args}");
    }
    // With room again nothing is lost.
    assert!(place.run("uniq --state s list").quiet() == (0, &others));
    assert_eq!(place.run("uniq --state s list").quiet(), (1, &b""[..]));
}

#[cfg(unix)]
#[test]
fn two_runs_at_once_take_turns() {
    let place = Place::new();
    let mut first = slow(&place, "uniq --state s");
    let begun = Instant::now();
    while !place.path("s").exists() || tepal::file::FileLock::try_acquire(place.path("s")).unwrap().is_some()
    {
        assert!(begun.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(5));
    }
    let refused = "tepal: s: another program is changing it; run this again later, or leave --no-wait out to wait for it\n";
    let ran = place.run_with("uniq --state s --no-wait", b"x\n");
    assert_eq!((ran.code, ran.err.as_str(), ran.text()), (2, refused, ""));
    // Whoever only asks does not wait.
    assert_eq!(place.run_with("uniq -q --state s", b"x\n").code, 0);
    let mut second = slow(&place, "uniq --state s");
    second.stdin.take().unwrap().write_all(b"one\ntwo\n").unwrap();
    thread::sleep(Duration::from_millis(200));
    assert!(second.try_wait().unwrap().is_none());
    first.stdin.take().unwrap().write_all(b"one\n").unwrap();
    assert_eq!(first.wait_with_output().unwrap().stdout, b"one\n");
    let second = second.wait_with_output().unwrap();
    assert_eq!((second.status.code(), &second.stdout[..]), (Some(0), &b"two\n"[..]));
    // Many make it at once, and none undoes another.
    let runs: Vec<Child> = (0..8)
        .map(|i| {
            let mut child = slow(&place, "uniq --state t");
            child.stdin.take().unwrap().write_all(format!("all\n{i}\n").as_bytes()).unwrap();
            child
        })
        .collect();
    let printed: Vec<u8> = runs.into_iter().flat_map(|run| run.wait_with_output().unwrap().stdout).collect();
    let printed = String::from_utf8(printed).unwrap();
    assert_eq!((printed.matches("all\n").count(), printed.lines().count()), (1, 9), "{printed}");
}

/// A folder in which nothing can be made is found before a line is printed.
#[cfg(unix)]
#[test]
fn a_folder_that_takes_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    fs::create_dir(place.path("d")).unwrap();
    assert_eq!(place.run_with("uniq --state d/s", b"a\n").code, 0);
    fs::set_permissions(place.path("d"), fs::Permissions::from_mode(0o555)).unwrap();
    let denied = fs::File::create(place.path("d/x")).is_err();
    for state in ["d/s", "d/new"] {
        let ran = place.run_with(&format!("uniq --state {state}"), b"b\n");
        // The owner of all files may do everything.
        assert_eq!(
            (ran.code, ran.text().is_empty()),
            if denied { (2, true) } else { (0, false) },
            "{}",
            ran.err
        );
    }
    assert_eq!(place.run_with("uniq -q --state d/s", b"a\n").code, 1);
    fs::set_permissions(place.path("d"), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Of a damaged state nothing is believed, and it is left to whoever can mend it.
#[test]
fn a_damaged_state_is_refused() {
    let place = Place::new();
    assert_eq!(place.run_with("uniq --state s -n 100", &numbers(0..1000)).code, 0);
    let good = place.read("s");
    for at in (0..good.len()).step_by(97) {
        let mut bad = good.clone();
        bad[at] ^= 4;
        place.write("s", &bad);
        let ran = place.run_with("uniq --state s", b"a\n");
        // Flags that a reader ignores stand under the header's checksum too.
        assert_eq!((ran.code, ran.text()), (2, ""), "byte {at}");
        assert!(place.read("s") == bad, "byte {at}");
    }
    for len in [0, 7, 24, 128, 600, good.len() - 1] {
        place.write("s", &good[..len]);
        assert_eq!(place.run_with("uniq --state s", b"a\n").code, 2, "{len} bytes");
    }
}

/// A state keeps of which rows its keys are a field, and every verb takes them from there.
#[test]
fn a_state_keeps_its_rows() {
    let place = Place::new();
    place.write("rows", "1;a\n2;b\n1;c\n");
    place.write("more", "3;a\n2;d\n");
    let first = place.run("uniq rows -d ; -f 1 --state s");
    assert_eq!(first.quiet(), (0, &b"1;a\n2;b\n"[..]));
    // With the field said again, and without.
    assert_eq!(place.run("uniq --count-new -f 1 --state s more").quiet().0, 0);
    let ran = place.run("uniq more --state s");
    assert_eq!((ran.code, ran.text(), ran.err.as_str()), (0, "3;a\n", ""));
    assert_eq!(place.run("uniq -f 1 --state s more").quiet(), (1, &b""[..]));
    for (verb, text) in [("has s more", "3;a\n2;d\n"), ("which s -- more", "3;a\ts\n2;d\ts\n")] {
        assert_eq!(place.run(verb).text(), text, "{verb}");
    }
    assert_eq!(place.run("test s --members rows").code, 0);
    let refused = place.run("build --like s rows -o t");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("s: a chain of filters, which grows"), "{}", refused.err);
}
