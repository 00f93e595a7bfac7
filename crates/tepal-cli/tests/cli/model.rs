//! `has` against the plainest possible model, and against grep, on random small cases.

use std::collections::HashSet;
use std::process::Command;

use crate::place::{Place, finish};

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

/// The records of `bytes` with their terminators, and their keys.
fn records(bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
    bytes
        .split_inclusive(|&b| b == b'\n')
        .map(|record| {
            let key = record.strip_suffix(b"\r\n").or_else(|| record.strip_suffix(b"\n")).unwrap_or(record);
            (record, key)
        })
        .collect()
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
        let built = place.run_with("build -q -p 1e-9 -o -", &list);
        assert_eq!((built.code, built.err.as_str()), (0, ""), "case {case}");
        place.write("f", &built.out);
        let held: HashSet<&[u8]> = records(&list).into_iter().map(|(_, key)| key).collect();
        for _ in 0..8 {
            let lines = random.lines(&alphabet, 30);
            let input = joined(&lines, &[b"\n", b"\r\n"], random.below(2) == 0, &mut random);
            let (invert, number) = (random.below(2) == 0, random.below(2) == 0);
            let most = (random.below(3) == 0).then(|| random.below(5));
            let mut args = "has f".to_owned();
            args.push_str(if invert { " -v" } else { "" });
            args.push_str(if number { " -n" } else { "" });
            args.push_str(&most.map(|most| format!(" -m {most}")).unwrap_or_default());
            let mut expected = Vec::new();
            let mut selected = 0;
            for (i, (record, key)) in records(&input).into_iter().enumerate() {
                if most.is_some_and(|most| selected >= most) || held.contains(key) == invert {
                    continue;
                }
                selected += 1;
                if number {
                    expected.extend_from_slice(format!("{}:", i + 1).as_bytes());
                }
                expected.extend_from_slice(record);
            }
            let code = if selected > 0 { 0 } else { 1 };
            let ran = place.run_with(&args, &input);
            assert_eq!(ran.quiet(), (code, &expected[..]), "case {case}: {args}");
            if random.below(8) == 0 {
                let count = place.run_with(&format!("{args} -c"), &input);
                assert_eq!(count.quiet(), (code, format!("{selected}\n").as_bytes()), "case {case}: {args}");
                let quiet = place.run_with(&format!("{args} -q"), &input);
                assert_eq!(quiet.quiet(), (code, &b""[..]), "case {case}: {args}");
            }
        }
    }
}

#[test]
fn has_is_what_grep_says() {
    let grep = Command::new("grep").arg("--version").output();
    if !grep.is_ok_and(|out| out.stdout.starts_with(b"grep (GNU")) {
        return;
    }
    let place = Place::new();
    let mut random = Random(0x9e9);
    let alphabet: [&[u8]; 4] = [b"a", b"b", b"c", b"\xe9"];
    for case in 0..40 {
        // grep takes an empty list for a list of one empty line.
        let mut keys = random.lines(&alphabet, 12);
        keys.push(b"abc".to_vec());
        place.write("keys", joined(&keys, &[b"\n"], true, &mut random));
        place.write("f", place.run("build -q -p 1e-9 -o - keys").out);
        for flags in ["", "-v", "-c", "-n", "-q", "-m 2", "-v -n -m 3", "-c -v", "-c -m 1", "-x"] {
            let lines = random.lines(&alphabet, 30);
            place.write("lines", joined(&lines, &[b"\n"], true, &mut random));
            let mut grep = Command::new("grep");
            grep.env("LC_ALL", "C").current_dir(place.path("")).args(["-a", "-F", "-x", "-f", "keys"]);
            grep.args(flags.split_whitespace()).arg("lines");
            let expected = finish(grep);
            assert_eq!(place.run(&format!("has {flags} f lines")), expected, "case {case}: {flags}");
        }
    }
}
