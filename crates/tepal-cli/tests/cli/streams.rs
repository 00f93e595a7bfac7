//! Standard output that is closed or full, named pipes, and files with two names.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::place::{Place, Ran, numbers};

/// Runs a script of a shell, in which the program is `$TEPAL`.
fn shell(place: &Place, script: &str) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(place.path(".")).env("TEPAL", env!("CARGO_BIN_EXE_tepal"));
    let begun = Instant::now();
    let ran = crate::place::finish(command);
    assert!(begun.elapsed() < Duration::from_secs(30), "{script}");
    ran
}

/// What every verb prints is an error where it goes nowhere.
#[test]
fn a_closed_or_full_standard_output() {
    let place = Place::new();
    place.write("list", numbers(0..1000));
    place.write("rows", "a,1\nb,2\n");
    place.build("f", b"1\n2\n", "");
    place.build("m", b"", "rows --csv -f 1 --map 2");
    assert_eq!(place.run("diff -q f f -o p").code, 0);
    let before = place.names();
    for args in [
        "has f list",
        "has -c f list",
        "has f list --json",
        "which f -- list",
        "get m rows --csv -f 1",
        "uniq list",
        "uniq list --json",
        "uniq list --count-new",
        "info f",
        "info --json f",
        "plan -n 10",
        "verify f",
        "test f --members list",
        "except f --list",
        "build list -o -",
        "merge f f -o -",
        "diff f f -o -",
        "patch f p -o -",
        "convert f --to tepal -o -",
        "completions bash",
        "man has",
        "--help",
        "--version",
        "has --help",
        "has -h",
        "help has",
    ] {
        for to in [">&-", "> /dev/full"] {
            let ran = shell(&place, &format!("\"$TEPAL\" {args} {to}"));
            assert_eq!(ran.code, 2, "{args} {to}: {}", ran.err);
            assert!(ran.err.contains("tepal: standard output: "), "{args} {to}: {}", ran.err);
        }
    }
    assert_eq!(place.names(), before);
    let ran = shell(&place, "\"$TEPAL\" has f list >&-");
    assert_eq!(ran.err, "tepal: standard output: closed; open it, for example with > FILE\n");
}

/// Where nothing is printed, or what is printed goes somewhere, all is as ever.
#[test]
fn what_prints_nothing_needs_no_standard_output() {
    let place = Place::new();
    place.write("list", numbers(0..1000));
    place.write("none", "x\n");
    for (args, code) in [
        ("build list -o f", 0),
        ("add f list", 0),
        ("has -q f list", 0),
        ("has f none", 1),
        ("uniq -q list", 0),
        ("merge f f -o g", 0),
        ("test -q f --members list", 0),
        ("verify -q f", 0),
    ] {
        let ran = shell(&place, &format!("\"$TEPAL\" {args} >&-"));
        assert_eq!(ran.code, code, "{args}: {}", ran.err);
    }
    for to in ["> /dev/null", "1<> /dev/null", "> file", "| cat"] {
        assert_eq!(shell(&place, &format!("\"$TEPAL\" uniq list --state s {to}")).code, 0, "{to}");
        std::fs::remove_file(place.path("s")).unwrap();
    }
}

#[test]
fn uniq_remembers_nothing_that_nobody_got() {
    let place = Place::new();
    place.write("list", numbers(0..300_000));
    place.write("few", "a\nb\n");
    assert_eq!(place.run_with("uniq --state s", b"x\n").code, 0);
    let before = place.read("s");
    for args in ["list", "list -j 1", "few", "few --json"] {
        for to in [">&-", "> /dev/full"] {
            let ran = shell(&place, &format!("\"$TEPAL\" uniq --state s {args} {to}"));
            assert_eq!(ran.code, 2, "{args} {to}: {}", ran.err);
            assert!(place.read("s") == before, "{args} {to}");
        }
    }
    assert_eq!(place.run("uniq --state s few").quiet(), (0, &b"a\nb\n"[..]));
}

/// A named pipe is refused before anything is read; pipes that a shell opens are written to.
#[test]
fn named_pipes_are_refused_and_pipes_of_the_shell_are_not() {
    let place = Place::new();
    place.write("list", numbers(0..1000));
    place.build("f", b"1\n", "-n 1000");
    assert_eq!(shell(&place, "mkfifo pipe && ln -s pipe link").code, 0);
    assert_eq!(place.run("diff -q f f -o p").code, 0);
    // The list would be waited for.
    for (args, part) in [
        ("build pipe -o pipe", "a named pipe, which cannot be replaced as a whole"),
        ("build pipe -o ./link --force", "a named pipe, which"),
        ("merge f pipe -o pipe", "a named pipe, which"),
        ("convert f --to tepal -o pipe", "a named pipe, which"),
        ("diff f f -o pipe", "a named pipe, which"),
        (
            "add pipe pipe",
            "a pipe, which cannot be replaced by the new filter; write that to a file with -o FILE",
        ),
        ("remove pipe pipe", "a pipe, which cannot be replaced"),
        ("except pipe pipe --non-members", "a pipe, which cannot be replaced"),
        ("shrink pipe -p 50% --force", "a pipe, which cannot be replaced"),
        ("patch pipe p", "a pipe, which cannot be replaced"),
        ("uniq --state pipe list", "no ordinary file"),
    ] {
        let ran = place.run(args);
        assert!(ran.code == 2 && ran.err.contains(part), "{args}: {}", ran.err);
    }
    let ran = shell(&place, "cat f | \"$TEPAL\" add /dev/stdin list");
    assert!(ran.code == 2 && ran.err.contains("a pipe, which cannot be replaced"), "{}", ran.err);
    for script in [
        "\"$TEPAL\" build -q list -o - | cat > g",
        "\"$TEPAL\" build -q list -o /dev/stdout --force | cat > g",
        "\"$TEPAL\" build -q list -o /dev/stdout | cat > g",
        "\"$TEPAL\" build -q list -o /dev/fd/1 | cat > g",
        "\"$TEPAL\" build -q list -o /proc/self/fd/1 | cat > g",
        "cat g > pipe & \"$TEPAL\" add -q pipe list -o h --force && mv h g",
        "cat g | \"$TEPAL\" add -q /dev/stdin list -o h --force && mv h g",
        "cat pipe > g & \"$TEPAL\" build -q list -o - > pipe; wait",
    ] {
        let ran = shell(&place, script);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{script}");
        assert_eq!(place.run("has -c g list").text(), "1000\n", "{script}");
    }
    assert_eq!(place.run("build -q list -o /dev/null").quiet(), (0, &b""[..]));
}

/// A file that is replaced takes one of its names along.
#[test]
fn the_other_names_of_a_file_are_told_of() {
    let place = Place::new();
    place.write("list", "3\n");
    place.build("f", b"1\n2\n", "-n 1000 --seed 1");
    place.build("other", b"3\n", "-n 1000 --seed 1");
    let told =
        "tepal: f: ! this name has the new file now; the old file keeps its 1 other name (hard links)\n";
    for args in ["add -q f list", "merge -q f other -o f --force", "build -q list -o f --force"] {
        assert_eq!(place.run(args).quiet(), (0, &b""[..]), "one name: {args}");
        std::fs::hard_link(place.path("f"), place.path("g")).unwrap();
        let before = place.read("g");
        let ran = place.run(args);
        assert_eq!((ran.code, ran.err.as_str()), (0, told), "{args}");
        assert!(place.read("g") == before, "{args}");
        std::fs::remove_file(place.path("g")).unwrap();
    }
    std::fs::hard_link(place.path("f"), place.path("g")).unwrap();
    std::fs::hard_link(place.path("f"), place.path("h")).unwrap();
    assert!(place.run("add -q f list").err.contains("keeps its 2 other names"));
    // Another file is written, and nothing is parted.
    assert_eq!(place.run("add -q g list -o i").quiet(), (0, &b""[..]));
}
