//! The smallest filter of a list from a pipe takes no more memory than twice the filter, a byte a
//! key, what `--memory` says, and 20 MiB; and the file is the same, whatever the memory.

use crate::{alone, peak, run_with_numbers, tepal};

/// More than twice the hashes which are kept in memory.
const KEYS: u64 = 15_000_000;

#[test]
fn building_a_static_filter_from_a_pipe_is_bounded() {
    alone("ribbon::building_a_static_filter_from_a_pipe_is_bounded", || {
        let folder = tempfile::tempdir().unwrap();
        let run = |name: &str, args: &str| {
            let path = folder.path().join(name);
            let mut command = tepal();
            command.args(["build", "-q", "--static", "-o"]).arg(&path).args(args.split(' '));
            run_with_numbers(command, KEYS);
            std::fs::read(path).unwrap()
        };
        let bounded = run("f", "-j 2 --memory 46MiB");
        let (peak, size) = (peak(), bounded.len() as u64);
        assert!(peak <= 2 * size + KEYS + (66 << 20), "{peak} bytes for a filter of {size}");
        assert!(peak < 8 * KEYS, "{peak} bytes: as much as its hashes take");
        assert!(run("g", "-j 1 --memory 1GiB") == bounded);
    });
}
