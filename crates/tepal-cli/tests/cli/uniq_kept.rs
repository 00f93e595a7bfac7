//! When the state of `uniq` is written, and when not.

use std::io::Write;
use std::process::Stdio;

use crate::place::{Place, numbers};

/// A reader that went away has read nobody knows what: nothing is remembered, not even where all
/// that was printed left the program in one piece, without waiting in its buffer.
#[test]
fn a_closed_pipe_is_not_remembered() {
    for lens in [&[3, 3][..], &[400_000, 400_000], &[400_000, 3], &[3, 400_000]] {
        let place = Place::new();
        let list: String =
            lens.iter().enumerate().map(|(i, &len)| format!("{i}{}\n", "x".repeat(len))).collect();
        place.write("list", &list);
        let mut child = place.command("uniq --state s -").stdin(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        // It may have ended before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(list.as_bytes());
        assert_eq!(child.wait().unwrap().code(), Some(2), "{lens:?}");
        let ran = place.run("uniq --state s list");
        assert!(
            ran.quiet() == (0, list.as_bytes()),
            "{lens:?}: lines are taken for seen that nobody has read"
        );
    }
}

/// Where nothing was new the state's file stays the one it is.
#[cfg(unix)]
#[test]
fn without_new_keys_the_state_is_not_written() {
    use std::os::unix::fs::MetadataExt;
    let place = Place::new();
    place.write("list", numbers(0..1000));
    assert_eq!(place.run("uniq --state s list").code, 0);
    let file = |name: &str| {
        let found = std::fs::metadata(place.path(name)).unwrap();
        (found.ino(), found.mtime(), found.mtime_nsec())
    };
    let before = file("s");
    for args in ["uniq --state s list", "uniq --state s -D list", "uniq --state s --count-new list"] {
        assert!(place.run(args).code < 2, "{args}");
        assert_eq!(file("s"), before, "{args}");
    }
    place.write("more", numbers(1000..1001));
    assert_eq!(place.run("uniq --state s more").text(), "1000\n");
    assert_ne!(file("s"), before);
}
