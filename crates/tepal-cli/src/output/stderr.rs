//! Standard error.

use std::io::{self, Write};

/// Writes one line to standard error. Nothing happens where that is closed.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes one line that says what went wrong: the name of the program, then the text.
pub fn complain(text: &str) {
    say(&format!("tepal: {text}"));
}
