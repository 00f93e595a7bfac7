//! A filter's file that is cut or overwritten in place: with `--read` no reader ends by a signal.

use std::fs::{self, File};
use std::io::Write;
use std::process::{ChildStdin, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::place::Place;

/// So large that what is left of a page does not hide that the rest is gone.
const SHAPE: &str = "-s 1MiB";

/// `has` with these flags, at work on the filter `f`, whose file is then cut in place; and asked
/// once more.
fn cut_under_a_reader(flags: &str) -> (Output, usize) {
    let place = Place::new();
    place.build("f", b"a\nb\n", SHAPE);
    let mut reader = place.command(&format!("has -c f {flags}")).stdin(Stdio::piped()).spawn().unwrap();
    let mut questions: ChildStdin = reader.stdin.take().unwrap();
    // More than a pipe holds: when it is written, the program is reading, and has the filter.
    questions.write_all("a\nz\n".repeat(200_000).as_bytes()).unwrap();
    File::options().write(true).open(place.path("f")).unwrap().set_len(0).unwrap();
    // It may have ended.
    let _ = questions.write_all("b\ny\n".repeat(200_000).as_bytes());
    drop(questions);
    (reader.wait_with_output().unwrap(), 400_000)
}

#[test]
fn a_file_that_is_cut_under_a_reader() {
    let (output, held) = cut_under_a_reader("--read");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(
        (output.status.code(), output.stdout),
        (Some(0), format!("{held}\n").into_bytes()),
        "{}",
        output.status
    );
}

/// Otherwise the test above would show nothing.
#[cfg(all(target_os = "linux", target_endian = "little"))]
#[test]
fn a_mapped_reader_does_not_outlive_it() {
    use std::os::unix::process::ExitStatusExt;
    let (output, _) = cut_under_a_reader("");
    assert_eq!(output.status.signal(), Some(7), "{}", output.status);
}

#[test]
fn a_file_that_is_overwritten_while_processes_open_it() {
    let place = Place::new();
    place.build("f", b"a\nb\n", SHAPE);
    place.write("keys", "a\nb\nz\n");
    let bytes = place.read("f");
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::write(place.path("f"), &bytes[..bytes.len() / 2]).unwrap();
                fs::write(place.path("f"), &bytes).unwrap();
            }
        });
        for _ in 0..100 {
            let ran = place.run("has f keys --read");
            match ran.code {
                0 => assert_eq!(ran.quiet(), (0, &b"a\nb\n"[..])),
                2 => {
                    assert!(ran.err.starts_with("tepal: f: ") && ran.err.lines().count() == 1, "{}", ran.err)
                }
                other => panic!("{other}: {}", ran.err),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn every_verb_that_opens_filters_reads_them() {
    let place = Place::new();
    place.build("f", b"a\nb\n", SHAPE);
    place.write("keys", "a\n");
    for args in [
        "has f -e a",
        "info f",
        "verify f",
        "test f --members keys",
        "add -q f keys",
        "merge -q f f -o g",
        "convert -q f --to tepal -o h",
    ] {
        let ran = place.run(&format!("{args} --read"));
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args}");
        let verb = args.split(' ').next().unwrap();
        let page = place.run(&format!("{verb} --help"));
        let page = page.text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains("a mapped file that others cut or overwrite in place"), "{verb}: {page}");
    }
}
