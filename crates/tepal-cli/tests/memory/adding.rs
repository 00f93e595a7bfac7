//! One key more in a large filter takes memory for the pages that it changes, not for a copy of the
//! filter.

use crate::{alone, peak, tepal};

#[test]
fn adding_a_key_to_a_large_filter_copies_few_pages() {
    alone("adding::adding_a_key_to_a_large_filter_copies_few_pages", || {
        let folder = tempfile::tempdir().unwrap();
        let run = |args: &[&str]| {
            let ran = tepal().args(args).current_dir(folder.path()).output().unwrap();
            assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
            ran.stdout
        };
        std::fs::write(folder.path().join("keys"), "a\n").unwrap();
        std::fs::write(folder.path().join("more"), "b\n").unwrap();
        run(&["build", "-q", "-s", "256MiB", "-n", "1M", "-o", "f", "keys"]);
        // Building has its filter once in memory.
        let once = peak();
        run(&["add", "-q", "f", "more"]);
        assert!(peak() <= once + (32 << 20), "{} bytes, and {once} for building", peak());
        assert_eq!(run(&["has", "f", "-e", "a", "-e", "b"]), b"a\nb\n");
        run(&["verify", "f"]);
    });
}
