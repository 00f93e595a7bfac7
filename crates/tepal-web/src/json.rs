//! Writes answers as JSON. Numbers that JSON cannot hold are `null`.

use alloc::string::String;
use core::fmt::{Display, Write};

/// A JSON text that grows. Commas are set by the text that stands before.
#[derive(Default)]
pub(crate) struct Json(pub(crate) String);

impl Json {
    /// An object; `fill` writes its members.
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.nested('{', '}', fill);
    }

    /// An array; `fill` writes its elements.
    pub(crate) fn array(&mut self, fill: impl FnOnce(&mut Self)) {
        self.nested('[', ']', fill);
    }

    fn nested(&mut self, open: char, close: char, fill: impl FnOnce(&mut Self)) {
        self.comma();
        self.0.push(open);
        fill(self);
        self.0.push(close);
    }

    fn comma(&mut self) {
        if !matches!(self.0.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.0.push(',');
        }
    }

    /// The name of a member; its value is written next.
    pub(crate) fn name(&mut self, name: &str) -> &mut Self {
        self.text(name);
        self.0.push(':');
        self
    }

    /// A whole number, `true`, `false`, or whatever else is JSON as it is displayed.
    pub(crate) fn plain(&mut self, value: impl Display) {
        self.comma();
        // Writing into a string cannot fail.
        let _ = write!(self.0, "{value}");
    }

    /// A number that may have decimals.
    pub(crate) fn number(&mut self, value: f64) {
        match value.is_finite() {
            true => self.plain(format_args!("{value:e}")),
            false => self.plain("null"),
        }
    }

    /// A text.
    pub(crate) fn text(&mut self, text: &str) {
        self.comma();
        self.0.push('"');
        for letter in text.chars() {
            match letter {
                '"' | '\\' => {
                    self.0.push('\\');
                    self.0.push(letter);
                }
                '\0'..=' ' if letter != ' ' => {
                    let _ = write!(self.0, "\\u{:04x}", letter as u32);
                }
                _ => self.0.push(letter),
            }
        }
        self.0.push('"');
    }
}
