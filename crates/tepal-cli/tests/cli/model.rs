//! `has` against the plainest possible model, and against grep, on random small cases.

use std::collections::HashSet;
#[cfg(target_os = "linux")]
use std::process::Command;

use crate::place::Place;
use crate::plain;

/// Random numbers for tests (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// Short lines over a small alphabet, so that many are alike.
    fn lines(&mut self, alphabet: &[&[u8]], most: u64) -> Vec<Vec<u8>> {
        let n = self.below(most);
        (0..n)
            .map(|_| {
                let letters = self.below(4);
                (0..letters)
                    .flat_map(|_| alphabet[self.below(alphabet.len() as u64) as usize])
                    .copied()
                    .collect()
            })
            .collect()
    }
}

fn joined(lines: &[Vec<u8>], ends: &[&[u8]], last: bool, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        bytes.extend_from_slice(line);
        if last || i + 1 < lines.len() || line.is_empty() {
            bytes.extend_from_slice(ends[random.below(ends.len() as u64) as usize]);
        }
    }
    bytes
}

/// Whether these lines, of fewer bytes than are looked at, are refused because they end in CR
/// alone.
fn ends_in_cr(bytes: &[u8]) -> bool {
    assert!(bytes.len() < 4096);
    bytes.contains(&b'\r') && !bytes.contains(&b'\n')
}

/// The key of a line.
fn key(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n")).unwrap_or(line)
}

#[test]
fn has_is_what_the_model_says() {
    let place = Place::new();
    let mut random = Random(0x7e9a1);
    let alphabet: [&[u8]; 6] = [b"a", b"b", b"\xff", b"\0", b" ", b"\r"];
    for case in 0..200 {
        let keys = random.lines(&alphabet, 12);
        let list = joined(&keys, &[b"\n", b"\r\n"], random.below(2) == 0, &mut random);
        // To standard output, so that the disk is not waited for.
        let built = place.run_with("build -q --text --empty-keys -p 1e-9 -o -", &list);
        if ends_in_cr(&list) {
            assert!(built.code == 2 && built.err.contains("end in CR alone"), "case {case}: {}", built.err);
            continue;
        }
        assert_eq!((built.code, built.err.as_str()), (0, ""), "case {case}");
        place.write("f", &built.out);
        let held: HashSet<&[u8]> = list.split_inclusive(|byte| *byte == b'\n').map(key).collect();
        for _ in 0..8 {
            let lines = random.lines(&alphabet, 30);
            let input = joined(&lines, &[b"\n", b"\r\n"], random.below(2) == 0, &mut random);
            let mut flags = String::new();
            flags.push_str(if random.below(2) == 0 { " -v" } else { "" });
            flags.push_str(if random.below(2) == 0 { " -n" } else { "" });
            if random.below(3) == 0 {
                flags.push_str(&format!(" -m {}", random.below(5)));
            }
            for more in if random.below(8) == 0 { &["", " -c", " -q"][..] } else { &[""] } {
                let flags = format!("{flags}{more}");
                let records = plain::records(&input, b'\n');
                let (code, out) = plain::has(&flags, &[("", &records)], b'\n', |key| held.contains(key));
                let ran = place.run_with(&format!("has --text f{flags}"), &input);
                // Where no line is wanted, none is read.
                if ends_in_cr(&input) && !flags.contains("-m 0") {
                    let said = ran.err.contains("end in CR alone");
                    assert!(ran.code == 2 && said && ran.out.is_empty(), "case {case}: {flags}: {}", ran.err);
                    continue;
                }
                assert_eq!(ran.quiet(), (code, &out[..]), "case {case}: {flags}");
            }
        }
    }
}

/// Elsewhere grep is another program.
#[cfg(target_os = "linux")]
#[test]
fn has_is_what_grep_says() {
    let grep = Command::new("grep").arg("--version").output();
    let is_gnu = grep.is_ok_and(|out| out.stdout.starts_with(b"grep (GNU"));
    assert!(is_gnu, "this test compares with GNU grep; install it as `grep`");
    let place = Place::new();
    let mut random = Random(0x9e9);
    let alphabet: [&[u8]; 4] = [b"a", b"b", b"c", b"\xe9"];
    for case in 0..40 {
        // grep takes an empty list for a list of one empty line.
        let mut keys = random.lines(&alphabet, 12);
        keys.push(b"abc".to_vec());
        place.write("keys", joined(&keys, &[b"\n"], true, &mut random));
        place.write("f", place.run("build -q --empty-keys -p 1e-9 -o - keys").out);
        for flags in ["", "-v", "-c", "-n", "-q", "-m 2", "-v -n -m 3", "-c -v", "-c -m 1", "-x"] {
            let lines = random.lines(&alphabet, 30);
            place.write("lines", joined(&lines, &[b"\n"], true, &mut random));
            let mut grep = Command::new("grep");
            grep.env("LC_ALL", "C").current_dir(place.path("")).args(["-a", "-F", "-x", "-f", "keys"]);
            grep.args(flags.split_whitespace()).arg("lines");
            let expected = crate::place::finish(grep);
            assert_eq!(place.run(&format!("has {flags} f lines")), expected, "case {case}: {flags}");
        }
    }
}
