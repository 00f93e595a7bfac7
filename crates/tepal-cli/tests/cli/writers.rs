//! Several programs that change one filter: each waits for the other, and none undoes what another
//! has done.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tepal::file::FileLock;

use crate::place::{Place, Ran, finish};

/// Starts the program with its standard input open, so that it goes on until that is closed.
fn slow(place: &Place, args: &str) -> Child {
    place.command(args).stdin(Stdio::piped()).spawn().unwrap()
}

/// Ends it, with these keys. Gives the exit code and what it said.
fn end(mut child: Child, keys: &str) -> (i32, String) {
    child.stdin.take().unwrap().write_all(keys.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8(output.stderr).unwrap())
}

/// Waits until somebody has locked `f`.
fn until_locked(place: &Place) {
    let begun = Instant::now();
    while FileLock::try_acquire(place.path("f")).unwrap().is_some() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(5));
    }
}

fn said(ran: &Ran) -> (i32, &str) {
    (ran.code, ran.err.as_str())
}

#[test]
fn a_second_writer_waits_or_is_refused_and_readers_do_not_wait() {
    let place = Place::new();
    place.build("f", b"old\n", "-n 1000");
    place.write("keys", "two\n");
    let first = slow(&place, "add -q f");
    until_locked(&place);
    let refused = "tepal: f: another program is changing it; run this again later, or leave --no-wait out to wait for it\n";
    for args in [
        "add f keys --no-wait",
        "merge f f -o f --force --no-wait",
        "convert f --to tepal -o f --force --no-wait",
    ] {
        let ran = place.run(args);
        assert_eq!(said(&ran), (2, refused), "{args}");
    }
    // Another target, and whoever only reads.
    for args in ["add -q f keys -o g", "has -q f -e old", "info f", "verify f", "merge -q f g -o h"] {
        assert_eq!(place.run(args).code, 0, "{args}");
    }
    let waiting = slow(&place, "add f keys");
    let quiet = slow(&place, "add -q f keys");
    thread::sleep(Duration::from_millis(300));
    let mut waiting = waiting;
    assert!(waiting.try_wait().unwrap().is_none());
    assert_eq!(end(first, "one\n"), (0, String::new()));
    let (code, text) = end(waiting, "");
    assert_eq!(code, 0);
    let expected = "tepal: f: another program is changing it; waiting until it is done (--no-wait refuses instead)\n1 key added;";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(end(quiet, ""), (0, String::new()));
    place.write("all", "old\none\ntwo\n");
    assert_eq!(place.run("has -c f all").quiet(), (0, &b"3\n"[..]));
    assert_eq!(place.names(), ["all", "f", "g", "h", "keys"]);
}

#[test]
fn a_killed_writer_holds_nothing() {
    let place = Place::new();
    place.build("f", b"old\n", "-n 1000");
    place.write("keys", "two\n");
    let mut first = slow(&place, "add f");
    until_locked(&place);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(place.run("add -q f keys --no-wait").quiet(), (0, &b""[..]));
    assert_eq!(place.names(), ["f", "keys"]);
}

#[test]
fn what_was_rebuilt_meanwhile_is_not_undone() {
    let place = Place::new();
    for rebuild in ["build -q --force -o f keys", "build -q -o new keys"] {
        let _ = fs::remove_file(place.path("f"));
        place.build("f", b"old\n", "-n 1000");
        place.write("keys", "new\n");
        let first = slow(&place, "add f");
        until_locked(&place);
        assert_eq!(place.run(rebuild).quiet(), (0, &b""[..]));
        if place.path("new").exists() {
            fs::rename(place.path("new"), place.path("f")).unwrap();
        }
        let rebuilt = place.read("f");
        let text = "tepal: f: replaced or changed by another program since it was read, and left as that has made it; \
                    run this again\n";
        assert_eq!(end(first, "one\n"), (2, text.to_owned()));
        assert_eq!(place.read("f"), rebuilt);
        assert_eq!(place.names(), ["f", "keys"]);
    }
}

#[test]
fn of_two_builds_of_one_name_one_makes_it() {
    let place = Place::new();
    place.write("keys", "quick\n");
    let first = slow(&place, "build -o f");
    // It is refused at its end, whenever it looked.
    thread::sleep(Duration::from_millis(200));
    assert_eq!(place.run("build -q -o f keys").code, 0);
    let made = place.read("f");
    let text = "tepal: f: made by another program meanwhile, and left as that has made it; add --force to replace it\n";
    assert_eq!(end(first, "slow\n"), (2, text.to_owned()));
    assert_eq!(place.read("f"), made);
    // At once.
    for round in 0..10 {
        let builds: Vec<_> =
            (0..4).map(|_| place.command(&format!("build -q -o g{round} keys")).spawn().unwrap()).collect();
        let codes: Vec<i32> =
            builds.into_iter().map(|mut build| build.wait().unwrap().code().unwrap()).collect();
        assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    }
    assert_eq!(place.names().len(), 12);
}

/// Eight at once, each with 10,000 keys: none of the 80,000 is missed.
#[test]
fn eight_adders_at_once_lose_nothing() {
    let place = Place::new();
    place.build("f", b"", "-n 100000");
    let list = |adder: u32| (0..10_000).map(|i| format!("{adder}-{i}\n")).collect::<String>();
    for adder in 0..8 {
        place.write(&format!("k{adder}"), list(adder));
    }
    let adders: Vec<_> =
        (0..8).map(|adder| place.command(&format!("add -q f k{adder}")).spawn().unwrap()).collect();
    for adder in adders {
        let output = adder.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    }
    let counted: String = (0..8).map(|adder| format!("k{adder}:10000\n")).collect();
    assert_eq!(place.run("has -c f k0 k1 k2 k3 k4 k5 k6 k7").quiet(), (0, counted.as_bytes()));
    assert_eq!(place.run("info f --json").json()[0]["keys_inserted"], 80_000);
    assert_eq!(place.names().len(), 9);
}

/// Eight writers, of which some are killed and begin again, and four readers: no reader ever sees
/// fewer keys than before, and in the end all are there.
#[test]
fn writers_and_readers_with_kills_among_them() {
    const BATCHES: u32 = 12;
    let place = Place::new();
    place.build("f", b"", "-n 100000");
    let mut all = String::new();
    for writer in 0..8 {
        for batch in 0..BATCHES {
            let keys: String = (0..100).map(|i| format!("{writer}-{batch}-{i}\n")).collect();
            all.push_str(&keys);
            place.write(&format!("k{writer}-{batch}"), keys);
        }
    }
    place.write("all", all);
    let (done, killed, read) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|scope| {
        let writers: Vec<_> = (0..8u32)
            .map(|writer| {
                let (place, killed) = (&place, &killed);
                scope.spawn(move || {
                    for batch in 0..BATCHES {
                        let args = format!("add -q f k{writer}-{batch}");
                        for attempt in 0..2 {
                            let mut child = place.command(&args).spawn().unwrap();
                            if attempt == 0 && batch % 3 == 0 {
                                thread::sleep(Duration::from_micros(
                                    u64::from(writer * 2_311 + batch * 977) % 15_000,
                                ));
                                let _ = child.kill();
                            }
                            let output = child.wait_with_output().unwrap();
                            match output.status.code() {
                                None => killed.fetch_add(1, Ordering::Relaxed),
                                code => {
                                    let text = String::from_utf8(output.stderr).unwrap();
                                    assert_eq!((code, text.as_str()), (Some(0), ""));
                                    break;
                                }
                            };
                        }
                    }
                })
            })
            .collect();
        for _ in 0..4 {
            scope.spawn(|| {
                let mut least = 0;
                while !done.load(Ordering::Relaxed) {
                    let ran = place.run("has -c f all");
                    assert_eq!(ran.err, "");
                    let held: u32 = ran.text().trim().parse().unwrap();
                    assert!(held >= least, "{held} keys after {least}");
                    least = held;
                    read.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    let (killed, read) = (killed.into_inner(), read.into_inner());
    assert!(killed >= 8 && read >= 8, "{killed} killed, {read} read");
    let expected = format!("{}\n", 8 * BATCHES * 100);
    assert_eq!(place.run("has -c f all").quiet(), (0, expected.as_bytes()));
    // What the killed ones left goes with the next save.
    place.write("none", "");
    assert_eq!(place.run("add -q f none").quiet(), (0, &b""[..]));
    let names: BTreeSet<String> = place.names().into_iter().filter(|name| !name.starts_with('k')).collect();
    assert_eq!(names, BTreeSet::from(["all", "f", "none"].map(str::to_owned)));
}

#[test]
fn merging_onto_an_input_is_locked_too() {
    let place = Place::new();
    for name in ["f", "g", "h"] {
        place.build(name, format!("{name}\n").as_bytes(), "-n 1000");
    }
    // Whoever waits reads after that, and so has what the other has added.
    let first = slow(&place, "add -q f");
    until_locked(&place);
    let mut merge = slow(&place, "merge -q g f h -o f --force");
    thread::sleep(Duration::from_millis(200));
    assert!(merge.try_wait().unwrap().is_none());
    assert_eq!(end(first, "one\n"), (0, String::new()));
    assert_eq!(end(merge, ""), (0, String::new()));
    place.write("all", "f\ng\nh\none\n");
    assert_eq!(place.run("has -c f all").quiet(), (0, &b"4\n"[..]));
}

/// The input is not looked at where the filter could not be saved.
#[test]
fn targets_are_looked_at_before_the_work() {
    let place = Place::new();
    let _socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    symlink("nowhere", place.path("dangling")).unwrap();
    symlink("loop", place.path("loop")).unwrap();
    place.write("file", "");
    let before = place.names();
    let long = "x".repeat(256);
    for (name, expected) in [
        ("socket", "socket: a socket; expected the name of a file"),
        (
            "dangling",
            "dangling: a symbolic link to nowhere, which is not there; name that file, or remove the link",
        ),
        ("loop", "loop: "),
        ("file/f", "file/f: not a directory"),
        (&long, "name too long"),
    ] {
        let ran = place.run(&format!("build no-such-input --force -o {name}"));
        assert_eq!((ran.code, ran.err.lines().count()), (2, 1), "{name}: {}", ran.err);
        assert!(ran.err.contains(expected), "{name}: {}", ran.err);
        assert_eq!(place.names(), before, "{name}");
    }
    // Devices and pipes are written to.
    place.write("keys", "a\n");
    assert_eq!(place.run("build -q keys -o /dev/null").quiet(), (0, &b""[..]));
    // The longest name that there can be.
    let longest = "x".repeat(255);
    assert_eq!(place.run(&format!("build -q keys -o {longest}")).quiet(), (0, &b""[..]));
    assert_eq!(place.run(&format!("add -q {longest} keys")).quiet(), (0, &b""[..]));
    assert_eq!(place.names().len(), before.len() + 2);
}

/// As somebody who is not root, for whom folders have permissions.
#[test]
fn folders_that_may_not_be_read_or_written() {
    const NOBODY: u32 = 65_534;
    let place = Place::new();
    place.write("keys", "a\n");
    let mode =
        |name: &str, mode| fs::set_permissions(place.path(name), fs::Permissions::from_mode(mode)).unwrap();
    mode(".", 0o755);
    fs::create_dir(place.path("dark")).unwrap();
    fs::create_dir(place.path("shut")).unwrap();
    place.build("shut/f", b"a\n", "-n 100");
    let is_root = std::os::unix::fs::chown(place.path("dark"), Some(NOBODY), Some(NOBODY)).is_ok();
    mode("dark", 0o333);
    mode("shut", 0o555);
    // The program itself may be where nobody else gets to. Another process copies it: a file cannot
    // be run while a child of another test has it open for writing, as this process would.
    let copied =
        std::process::Command::new("cp").arg(env!("CARGO_BIN_EXE_tepal")).arg(place.path("program")).status();
    assert!(copied.unwrap().success());
    let run = |args: &str| {
        let mut command = std::process::Command::new(place.path("program"));
        command.args(args.split_whitespace()).current_dir(place.path("."));
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        finish(command)
    };
    for args in ["build -q --force keys -o dark/f", "add -q dark/f keys", "build -q --force keys -o dark/f"] {
        assert_eq!(run(args).quiet(), (0, &b""[..]), "{args}");
    }
    for args in
        ["build no-such-input -o shut/g", "build no-such-input --force -o shut/f", "add shut/f no-such-input"]
    {
        let ran = run(args);
        let expected = "tepal: shut: no file can be made here: permission denied; name a file elsewhere\n";
        assert_eq!(said(&ran), (2, expected), "{args}");
    }
    mode("dark", 0o755);
    mode("shut", 0o755);
}

/// A file that is mounted by itself, as containers do it, cannot be replaced.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_mounted_by_itself() {
    let place = Place::new();
    place.build("f", b"a\n", "-n 100");
    place.build("g", b"a\n", "-n 100");
    let script = format!(
        "mount --bind f g && echo mounted && {} add g no-such-input",
        place.command("").get_program().to_str().unwrap()
    );
    // As whoever this is, else as root of a space of its own.
    let ran = [&["-m"][..], &["-r", "-m"]].into_iter().find_map(|flags| {
        let mut command = std::process::Command::new("unshare");
        command.args(flags).args(["sh", "-c", &script]).current_dir(place.path("."));
        let output = command.output().expect("unshare, of util-linux");
        output.stdout.starts_with(b"mounted").then_some(output)
    });
    let Some(output) = ran else {
        return crate::place::not_run("a file that is mounted by itself", "the right to mount");
    };
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("mounted by itself") && text.lines().count() == 1, "{text}");
}
