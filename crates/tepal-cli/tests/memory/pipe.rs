//! A list of unknown length from a pipe takes no more memory than the filter, what `--memory` says,
//! and 18 MiB.

use crate::{alone, peak, run_with_numbers, tepal};

/// More than the hashes which are kept in memory, so that the file is used too.
const KEYS: u64 = 7_000_000;

#[test]
fn building_from_a_pipe_is_bounded() {
    alone("pipe::building_from_a_pipe_is_bounded", || {
        let folder = tempfile::tempdir().unwrap();
        let filter = folder.path().join("f");
        let run = |args: &[&str]| {
            let mut command = tepal();
            command.args(args).arg(&filter);
            run_with_numbers(command, KEYS)
        };
        run(&["build", "-q", "--memory", "46MiB", "-o"]);
        let size = std::fs::metadata(&filter).unwrap().len();
        let after_build = peak();
        assert!(after_build <= size + (64 << 20), "{after_build} bytes for a filter of {size}");
        assert_eq!(run(&["has", "-c"]), format!("{KEYS}\n").into_bytes());
        assert_eq!(peak(), after_build, "asking takes more than building");
    });
}
