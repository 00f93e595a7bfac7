//! A program that is asked line by line, as a co-process is.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::place::Place;

/// How long an answer may take on a machine with much to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running program.
pub(crate) struct Asked {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<Vec<u8>>,
    args: String,
}

impl Asked {
    pub(crate) fn start(place: &Place, args: &str) -> Self {
        let mut child = place.command(args).stdin(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
                // Nobody may wait for it any more.
                let _ = send.send(line);
            }
        });
        Self { child, stdin, lines, args: args.to_owned() }
    }

    /// The answer to one line.
    pub(crate) fn ask(&mut self, line: impl AsRef<[u8]>) -> String {
        let line = line.as_ref();
        // Where it has ended, there is no answer.
        let _ = self.stdin.write_all(&[line, b"\n"].concat());
        match self.lines.recv_timeout(PATIENCE) {
            Ok(answer) => String::from_utf8_lossy(&answer).trim_end().to_owned(),
            Err(error) => panic!("{}: no answer to {}: {error}", self.args, String::from_utf8_lossy(line)),
        }
    }

    /// Ends it, and gives its exit code and what it said on standard error.
    pub(crate) fn end_with_code(mut self) -> (Option<i32>, String) {
        drop(self.stdin);
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(self.lines.recv_timeout(PATIENCE).is_err(), "{}: an answer without a question", self.args);
        (self.child.wait().unwrap().code(), said)
    }

    /// Ends it, and gives what it said on standard error.
    pub(crate) fn end(self) -> String {
        self.end_with_code().1
    }
}
