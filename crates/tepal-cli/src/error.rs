//! What went wrong, in one line: the name of the thing, what was found, what to do.

use std::fmt;
use std::io;

use crate::text::message::io_text;
use crate::text::number;
use crate::text::words::Words;

/// Why a command stopped.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The program that reads our output has ended. The command stops, without a message.
    ClosedPipe,
    /// Anything else, as one line without the leading `tepal: `.
    Message(String),
}

/// The exit code of every error.
pub const ERROR: u8 = 2;

/// What a command returns: its exit code, or why it stopped.
pub type Outcome = Result<u8, Failure>;

impl Failure {
    /// A failure that names no file.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// A failure about a named thing, usually a file.
    pub fn at(name: &str, text: impl Words) -> Self {
        Self::Message(format!("{name}: {}", text.words()))
    }

    /// A failure at one line of an input.
    pub fn at_line(name: &str, line: u64, text: impl fmt::Display) -> Self {
        Self::Message(format!("{name}: line {line}: {text}"))
    }

    /// A filter whose keys fall on few of its lines, with the flag that takes them all the same.
    pub fn clustered(name: &str, rate: f64, promised: f64, all_the_same: &str) -> Self {
        let (rate, promised) = (number::rate(rate), number::rate(promised));
        Self::at(
            name,
            format!(
                "the keys fall on few of the filter's lines, as if they had been chosen by its own hash: others like \
                 them would be found by mistake, {rate} of them where {promised} is promised; nothing was saved. Build \
                 it with a seed of its own (--seed-for PURPOSE), or give {all_the_same} to take them all the same"
            ),
        )
    }

    /// Keys whose numbers lie side by side. Room does not help.
    pub fn side_by_side(name: &str) -> Self {
        Self::at(
            name,
            "too many keys have equal or neighbouring hash values, as if they had been chosen by the filter's own hash, and no table holds \
             them; nothing was saved. Build it with a secret (--secret FILE) or with a seed of its own (--seed-for PURPOSE)",
        )
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
    /// For an error of the library whose text needs no name before it.
    fn from(error: tepal::Error) -> Self {
        Self::new(error.words())
    }
}
