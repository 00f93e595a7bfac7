//! Writes records to standard output, unchanged.

use crate::error::Failure;
use crate::output::Stdout;

/// Writes whole records. The last record of an input may have no terminator; it gets one if another
/// record follows.
pub struct Lines {
    terminator: u8,
    /// The last written record has no terminator.
    unterminated: bool,
}

impl Lines {
    /// Records that end with a line end, or with NUL.
    pub fn new(null: bool) -> Self {
        Self { terminator: if null { 0 } else { b'\n' }, unterminated: false }
    }

    /// What a record ends with.
    pub fn terminator(&self) -> u8 {
        self.terminator
    }

    /// Writes the terminator that the last written record does not have, because more output
    /// follows.
    pub fn end(&mut self, stdout: &mut Stdout) -> Result<(), Failure> {
        if std::mem::take(&mut self.unterminated) {
            stdout.write(&[self.terminator])?;
        }
        Ok(())
    }

    /// Writes the prefix of a record, as grep does: the name of its input, its number.
    pub fn prefix(
        &mut self,
        stdout: &mut Stdout,
        input: Option<&str>,
        line: Option<u64>,
    ) -> Result<(), Failure> {
        self.end(stdout)?;
        if let Some(name) = input {
            stdout.write(format!("{name}:").as_bytes())?;
        }
        line.map_or(Ok(()), |line| stdout.write(format!("{line}:").as_bytes()))
    }

    /// Writes records.
    pub fn write(&mut self, stdout: &mut Stdout, bytes: &[u8]) -> Result<(), Failure> {
        self.end(stdout)?;
        self.unterminated = bytes.last() != Some(&self.terminator);
        stdout.write(bytes)
    }
}
