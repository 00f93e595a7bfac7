//! The names of several filters, or of the segments of one, in the output, where it says which of them hold a key.

use std::path::Path;

use crate::asking::Holders;
use crate::error::Failure;
use crate::input::records::Batch;
use crate::text::message::{one_line, shown, shown_key};

/// What stands in the place of names where no filter holds the key.
pub const NONE: &str = "none";

/// How filters are named in text: as they were given, in one field of a line.
pub struct Names(Vec<String>);

impl Names {
    /// The names of filters. With `stem` a name has no folder and no ending; then, and in `text`, each must be one that a
    /// script can tell from all others.
    pub fn of<'a>(
        paths: impl IntoIterator<Item = &'a Path>,
        stem: bool,
        text: bool,
    ) -> Result<Self, Failure> {
        let paths: Vec<&Path> = paths.into_iter().collect();
        let named = |path: &&Path| match path.file_stem().filter(|_| stem) {
            Some(name) => shown(Path::new(name)),
            None => shown(path),
        };
        let names: Vec<String> = paths.iter().map(named).collect();
        for (path, name) in paths.iter().zip(&names) {
            let other = paths.iter().zip(&names).find(|(other, its)| stem && *its == name && other != &path);
            if let Some((other, _)) = other {
                let text = format!("{} has the name {name} too; leave --stem out", shown(other));
                return Err(Failure::at(&shown(path), text));
            }
            if text && name == NONE {
                let text =
                    format!("the name {NONE} says that no filter has a key; write ./{NONE}, or use --json");
                return Err(Failure::at(&shown(path), text));
            }
            let is_plain = stem || path.to_str() == Some(name);
            if text && (!is_plain || name.contains([',', '\t'])) {
                let text =
                    "its name is no field of a line (commas stand between names); rename it, or use --json";
                return Err(Failure::at(&shown(path), text));
            }
        }
        Ok(Self(names))
    }

    /// The names of the segments of a filter, by their numbers; a number that none has is without a name. In `text` each must be one
    /// that a script can tell from all others.
    pub fn of_segments(
        path: &Path,
        segments: Vec<(u16, Option<String>)>,
        text: bool,
    ) -> Result<Self, Failure> {
        let last = segments.last().map_or(0, |(last, _)| usize::from(*last) + 1);
        let mut names = vec![String::new(); last];
        for (number, name) in segments {
            let name = name.unwrap_or_else(|| format!("#{number}"));
            if text && (name == NONE || name.contains([',', '\t']) || one_line(&name) != name) {
                let why = match name == NONE {
                    true => "says that no segment has a key",
                    false => "is no field of a line (commas stand between names)",
                };
                let text = format!("the name {} of a segment {why}; use --json", shown_key(name.as_bytes()));
                return Err(Failure::at(&shown(path), text));
            }
            names[usize::from(number)] = name;
        }
        Ok(Self(names))
    }

    /// All names.
    pub fn all(&self) -> &[String] {
        &self.0
    }

    /// The names of a set of filters.
    pub fn list<'a>(&'a self, holders: Holders<'a>) -> impl Iterator<Item = &'a str> {
        holders.members().map(|number| self.0[number].as_str())
    }

    /// Record `i` of a batch with the names of a set of filters, after a tab, in the place of `line`.
    pub fn line(&self, batch: &Batch<'_>, i: usize, holders: Holders<'_>, line: &mut Vec<u8>) {
        with_field(batch, i, line, |line| self.append(holders, line));
    }

    /// A header row, which stands first in a batch, with a name for the names.
    pub fn header(batch: &Batch<'_>, line: &mut Vec<u8>) {
        with_field(batch, 0, line, |line| line.extend_from_slice(b"filters"));
    }

    /// Appends the names of a set of filters, with a comma between them, or [`NONE`].
    pub fn append(&self, holders: Holders<'_>, line: &mut Vec<u8>) {
        let mut names = self.list(holders);
        line.extend_from_slice(names.next().unwrap_or(NONE).as_bytes());
        for name in names {
            line.push(b',');
            line.extend_from_slice(name.as_bytes());
        }
    }
}

/// Puts a record with one more field, after a tab, in the place of `line`. It ends as it did.
pub fn with_field(batch: &Batch<'_>, i: usize, line: &mut Vec<u8>, field: impl FnOnce(&mut Vec<u8>)) {
    let (content, whole) = (batch.content(i), batch.bytes(i, i + 1));
    line.clear();
    line.extend_from_slice(content);
    line.push(b'\t');
    field(line);
    line.extend_from_slice(&whole[content.len()..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(paths: &[&str], stem: bool, text: bool) -> Result<Vec<String>, String> {
        match Names::of(paths.iter().map(Path::new), stem, text) {
            Ok(names) => Ok(names.0),
            Err(Failure::Message(text)) => Err(text),
            Err(Failure::ClosedPipe) => unreachable!(),
        }
    }

    #[test]
    fn names_can_be_told_apart() {
        assert_eq!(of(&["x/a.tepal", "b"], false, true).unwrap(), ["x/a.tepal", "b"]);
        assert_eq!(of(&["x/a.tepal", "b"], true, true).unwrap(), ["a", "b"]);
        assert_eq!(of(&["x/a.tepal", "x/a.tepal"], true, true).unwrap(), ["a", "a"]);
        assert!(of(&["x/a.tepal", "y/a.bin"], true, true).unwrap_err().contains("--stem"));
        for bad in ["none", "a,b", "a\tb", "a\nb"] {
            assert!(of(&["b", bad], false, true).unwrap_err().contains("--json"), "{bad}");
            assert!(of(&["b", bad], false, false).is_ok());
        }
        assert!(of(&["./none"], false, true).is_ok() && of(&["./none"], true, true).is_err());
    }

    #[test]
    fn names_of_a_set() {
        let names = Names(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]);
        let text = |set: u64| {
            let mut line = Vec::new();
            names.append(Holders::Set(&[set]), &mut line);
            String::from_utf8(line).unwrap()
        };
        assert_eq!((text(0).as_str(), text(0b101).as_str(), text(0b10).as_str()), ("none", "a,c", "b"));
    }
}
