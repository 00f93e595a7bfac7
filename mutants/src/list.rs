//! The list of changes, as cargo-mutants writes it.

use std::fs;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;

use crate::Result;

/// One change of one place.
#[derive(Deserialize)]
pub struct Mutant {
    /// Place and change, as cargo-mutants shows them.
    pub name: String,
    /// The source file, from the project's folder on.
    pub file: String,
    /// What kind of place.
    pub genre: Genre,
    /// What comes there.
    pub replacement: String,
    /// What is replaced.
    pub span: Span,
    /// The function it is in.
    pub function: Option<Function>,
}

/// A function, by what it returns.
#[derive(Deserialize)]
pub struct Function {
    pub return_type: String,
}

impl Mutant {
    /// Whether the value is of a type of its own, so that the body cannot stand beside it.
    pub fn is_other_type(&self) -> bool {
        let opaque = self.function.as_ref().is_some_and(|f| f.return_type.contains("impl "));
        self.genre == Genre::FnValue && opaque
    }
}

/// The kinds of places.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
pub enum Genre {
    /// A function's body becomes a value.
    FnValue,
    /// An operator becomes another.
    BinaryOperator,
    /// `!` or `-` goes.
    UnaryOperator,
    /// An arm goes.
    MatchArm,
    /// A guard is always true, or never.
    MatchArmGuard,
    /// A field is left to the base of its struct expression.
    StructField,
}

/// From one place of a file to another.
#[derive(Clone, Copy, Deserialize)]
pub struct Span {
    pub start: Place,
    pub end: Place,
}

impl Span {
    /// Its bytes in the text.
    pub fn range(self, text: &str) -> Option<Range<usize>> {
        Some(self.start.offset(text)?..self.end.offset(text)?)
    }
}

/// A place in a file; both numbers from 1 on, columns in characters.
#[derive(Clone, Copy, Deserialize)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    /// Its byte in the text.
    fn offset(self, text: &str) -> Option<usize> {
        let before: usize = text.split_inclusive('\n').take(self.line - 1).map(str::len).sum();
        let line = text.get(before..)?;
        let within = line.char_indices().nth(self.column - 1).map_or(line.len(), |(i, _)| i);
        Some(before + within)
    }
}

/// Reads the list.
pub fn read(path: &Path) -> Result<Vec<Mutant>> {
    let text = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_slice(&text).map_err(|e| format!("{}: not cargo-mutants's list: {e}", path.display()))
}
