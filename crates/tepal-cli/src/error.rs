//! What went wrong, in one line: the name of the thing, what was found, what to do.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// Why a command stopped.
#[derive(Clone, Debug)]
pub enum Failure {
    /// Whoever read our output went away: the end, but nothing to complain about.
    ClosedPipe,
    /// Anything else, as one line without the leading `tepal: `.
    Message(String),
}

/// What a command returns: its exit code, or why it stopped.
pub type Outcome = Result<u8, Failure>;

impl Failure {
    /// A failure that names no file.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// A failure about a named thing, usually a file.
    pub fn at(name: &str, text: impl fmt::Display) -> Self {
        Self::Message(format!("{name}: {text}"))
    }

    /// A failure at one line of an input.
    pub fn at_line(name: &str, line: u64, text: impl fmt::Display) -> Self {
        Self::Message(format!("{name}: line {line}: {text}"))
    }

    /// A failed read or write of a named file.
    pub fn io(name: &str, error: &io::Error) -> Self {
        Self::at(name, io_text(error))
    }

    /// A failed write to standard output, where a closed pipe is no error.
    pub fn stdout(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Self::io("standard output", error)
        }
    }
}

impl From<tepal::Error> for Failure {
    /// For an error of the library that says it all.
    fn from(error: tepal::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// Writes one line to standard error; where that is gone too, nothing.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The same with the name of the program before it, for all that went wrong.
pub fn complain(text: &str) {
    say(&format!("tepal: {text}"));
}

/// An I/O error in words, without the number of the operating system.
pub fn io_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "a directory; expected a file".to_owned(),
        io::ErrorKind::StorageFull => "no space left on the device".to_owned(),
        _ => {
            let text = error.to_string();
            let plain = text.split(" (os error").next().unwrap_or(&text);
            let mut letters = plain.chars();
            match letters.next() {
                Some(first) => first.to_lowercase().chain(letters).collect(),
                None => "input or output failed".to_owned(),
            }
        }
    }
}

/// A path for a message: on one line, whatever bytes it holds.
pub fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy())
}

/// Key bytes for a message: quoted, on one line, the first 60 characters.
pub fn shown_key(key: &[u8]) -> String {
    let text = String::from_utf8_lossy(&key[..key.len().min(400)]);
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() || key.len() > 400 {
        short.push('…');
    }
    format!("\"{}\"", one_line(&short))
}

/// Text without control characters, so that a message stays one line and moves no cursor.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_keys_stay_on_one_line() {
        assert_eq!(shown(Path::new("a\nb\x1b[2J")), "a\\nb\\u{1b}[2J");
        assert_eq!(shown_key(b"plain"), "\"plain\"");
        assert_eq!(shown_key(b"\xff\r"), "\"\u{fffd}\\r\"");
        assert_eq!(shown_key(&[b'x'; 1000]).chars().count(), 63);
    }

    #[test]
    fn io_errors_have_no_number() {
        let error = io::Error::from_raw_os_error(5);
        assert!(!io_text(&error).contains("os error"), "{}", io_text(&error));
    }
}
