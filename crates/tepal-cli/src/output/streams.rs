//! Standard output and standard error.

use std::io::{self, BufWriter, IsTerminal, Write};

use serde::Serialize;

use crate::error::Failure;
use crate::text::message::{is_steering, one_line};

/// Bytes that are collected before they are written.
const BUFFER: usize = 1 << 17;

/// Standard output, written in large pieces. [`Stdout::show`] writes to a terminal at once.
pub struct Stdout {
    writer: BufWriter<Open>,
    terminal: bool,
}

impl Stdout {
    /// Nothing is collected yet.
    pub fn new() -> Self {
        let terminal = io::stdout().is_terminal();
        Self { terminal, writer: BufWriter::with_capacity(BUFFER, Open(io::stdout())) }
    }

    /// Writes bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.writer.write_all(bytes).map_err(|e| Failure::stdout(&e))
    }

    /// Writes text with colours. The colours are removed if they are not wanted.
    pub fn styled(&mut self, text: &str) -> Result<(), Failure> {
        let choice = anstream::AutoStream::choice(&io::stdout());
        let mut stream = anstream::AutoStream::new(Vec::new(), choice);
        let styled = stream.write_all(text.as_bytes());
        styled.map_err(|e| Failure::stdout(&e))?;
        self.write(&stream.into_inner())
    }

    /// Writes one line of JSON.
    pub fn json<T: Serialize>(&mut self, value: &T) -> Result<(), Failure> {
        match serde_json::to_writer(Plain(&mut self.writer), value) {
            Ok(()) => self.write(b"\n"),
            Err(error) => Err(Failure::stdout(&error.into())),
        }
    }

    /// Writes one JSON document over several lines.
    pub fn document<T: Serialize>(&mut self, value: &T) -> Result<(), Failure> {
        match serde_json::to_writer_pretty(Plain(&mut self.writer), value) {
            Ok(()) => self.write(b"\n")?,
            Err(error) => return Err(Failure::stdout(&error.into())),
        }
        self.flush()
    }

    /// Writes the collected bytes, if standard output is a terminal.
    pub fn show(&mut self) -> Result<(), Failure> {
        if self.terminal { self.flush() } else { Ok(()) }
    }

    /// After a failure the collected bytes are still printed, unless nobody reads them.
    pub fn ended(&mut self, done: Result<(), Failure>) -> Result<(), Failure> {
        if let Err(Failure::Message(_)) = &done {
            self.flush()?;
        }
        done
    }

    /// Writes the collected bytes.
    pub fn flush(&mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|e| Failure::stdout(&e))
    }
}

/// Standard output, for which a write is an error if it was closed when the process started. The
/// standard library has opened `/dev/null` in its place then.
pub struct Open(pub io::Stdout);

impl Write for Open {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        check_stdout()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// An error if standard output was closed when the process started.
pub fn check_stdout() -> io::Result<()> {
    #[cfg(unix)]
    if crate::at_start::stdout_is_closed() {
        return Err(io::Error::other("closed; open it, for example with > FILE"));
    }
    Ok(())
}

/// Escapes characters that steer a terminal in JSON. JSON itself demands this of the first 32
/// characters only. All these characters are in strings.
struct Plain<W>(W);

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        // Line ends between members stay; line ends in strings are escaped already.
        let escaped = |letter: char| letter != '\n' && is_steering(letter);
        match std::str::from_utf8(bytes) {
            Ok(text) if !bytes.is_ascii() || bytes.contains(&0x7F) => {
                for piece in text.split_inclusive(escaped) {
                    match piece.chars().next_back().filter(|&last| escaped(last)) {
                        Some(last) => {
                            self.0.write_all(&piece.as_bytes()[..piece.len() - last.len_utf8()])?;
                            write!(self.0, "\\u{:04x}", u32::from(last))?;
                        }
                        None => self.0.write_all(piece.as_bytes())?,
                    }
                }
                Ok(())
            }
            _ => self.0.write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes one line to standard error, without characters that steer the terminal. Does nothing if
/// standard error is closed.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", one_line(text));
}

/// Writes one line that is the same on every run, for example which keys are used. It is for a
/// person who tries a command, so it appears on terminals only.
pub fn remind(text: &str) {
    if io::stderr().is_terminal() {
        complain(text);
    }
}

/// Writes one line about an error or a warning: the name of the program, then the text.
pub fn complain(text: &str) {
    say(&format!("tepal: {text}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_does_not_steer() {
        let mut out = Plain(Vec::new());
        assert_eq!(out.write(b"{\n\"a\": ").unwrap(), 7);
        assert_eq!(out.write("\"é\u{202e}b\u{7f}\"\n".as_bytes()).unwrap(), 10);
        assert_eq!(String::from_utf8(out.0).unwrap(), "{\n\"a\": \"é\\u202eb\\u007f\"\n");
    }
}
