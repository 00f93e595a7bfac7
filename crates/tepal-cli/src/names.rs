//! The names of several filters, or of the segments of one, in the output, where it says which of
//! them hold a key.

use std::borrow::Cow;
use std::path::Path;

use crate::asking::Holders;
use crate::error::Failure;
use crate::text::message::shown;

/// What stands in the place of names where no filter holds the key.
pub const NONE: &str = "none";

/// The names of filters or segments, by their numbers.
pub struct Names {
    /// As they are, for JSON.
    names: Vec<String>,
    /// As they stand in a field of a line, with commas between them.
    listed: Vec<String>,
    /// The name of that field.
    pub field: &'static str,
}

impl Names {
    /// The names of filters. With `stem` a name has no folder and no ending, and each filter must
    /// have a name of its own. In `text` each must be one that fits into a field of a line.
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
            let is_plain = stem || path.to_str() == Some(name);
            if text && !is_plain {
                let text = "its name is no field of a line (it is not UTF-8, or has a tab, a line end or another control \
                            character); rename it, or use --json";
                return Err(Failure::at(&shown(path), text));
            }
        }
        Ok(Self::new(names, "filters"))
    }

    fn new(names: Vec<String>, field: &'static str) -> Self {
        let listed = names.iter().map(|name| quoted(name, true).into_owned()).collect();
        Self { names, listed, field }
    }

    /// The names of the segments of a filter, or of the values of a map (`of_map`), by their
    /// numbers; a number that none has is without a name. Each fits into a field of a line, for no
    /// file has a name with control characters.
    pub fn of_segments(of_map: bool, segments: Vec<(u16, Option<String>)>) -> Self {
        let last = segments.last().map_or(0, |(last, _)| usize::from(*last) + 1);
        let mut names = vec![String::new(); last];
        for (number, name) in segments {
            names[usize::from(number)] = name.unwrap_or_else(|| format!("#{number}"));
        }
        Self::new(names, if of_map { "value" } else { "segments" })
    }

    /// All names.
    pub fn all(&self) -> &[String] {
        &self.names
    }

    /// All names as they stand in a field of a line.
    pub fn all_listed(&self) -> &[String] {
        &self.listed
    }

    /// The names of a set of filters.
    pub fn list<'a>(&'a self, holders: Holders<'a>) -> impl Iterator<Item = &'a str> {
        holders.members().map(|number| self.names[number].as_str())
    }

    /// Appends the names of a set of filters, with a comma between them, or [`NONE`].
    pub fn append(&self, holders: Holders<'_>, line: &mut Vec<u8>) {
        let mut names = holders.members().map(|number| self.listed[number].as_str());
        line.extend_from_slice(names.next().unwrap_or(NONE).as_bytes());
        for name in names {
            line.push(b',');
            line.extend_from_slice(name.as_bytes());
        }
    }
}

/// A name as it stands in a field of a line. As in CSV it is in quotes, and quotes in it are
/// doubled, where it would be read as something else: [`NONE`], what begins with a quote, and in a
/// `list` what has a comma.
pub fn quoted(name: &str, list: bool) -> Cow<'_, str> {
    match name == NONE || name.starts_with('"') || (list && name.contains(',')) {
        true => Cow::Owned(format!("\"{}\"", name.replace('"', "\"\""))),
        false => Cow::Borrowed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(paths: &[&str], stem: bool, text: bool) -> Result<Vec<String>, String> {
        match Names::of(paths.iter().map(Path::new), stem, text) {
            Ok(names) => Ok(names.names),
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
        for bad in ["a\tb", "a\nb", "a\rb", "a\x1bb", "a\u{202e}b"] {
            assert!(of(&["b", bad], false, true).unwrap_err().contains("--json"), "{bad}");
            assert!(of(&["b", bad], false, false).is_ok());
        }
        assert_eq!(of(&["a\tb", "a\nb"], true, true).unwrap(), ["a\\tb", "a\\nb"]);
        for name in ["none", "a,b", "\"a"] {
            assert_eq!(of(&["b", name], false, true).unwrap(), ["b", name]);
            assert_eq!(of(&["b", name], true, true).unwrap(), ["b", name]);
        }
    }

    /// What a reader of CSV makes of a list of names is the names.
    #[test]
    fn a_list_of_names_is_read_as_csv() {
        let all = [
            "a",
            "none",
            "nonesuch",
            "north,east",
            ",",
            "\"",
            "\"\"",
            "\"a\"",
            "\"a\",b",
            "5\" pipe",
            "a \"b\", c",
            " a ",
            "#7",
            "\"none\"",
            "'a'",
            "a\\,b",
        ];
        let names = Names::new(all.iter().map(|name| (*name).to_owned()).collect(), "");
        for set in [1u64, 2, 0b111, 0b1010_1010_1010_1010, 0xffff] {
            let mut line = Vec::new();
            names.append(Holders::Set(&[set]), &mut line);
            let mut read = Vec::new();
            let (mut reader, mut field, mut bytes) = (csv_core::Reader::new(), [0; 64], &line[..]);
            loop {
                let (result, nin, nout) = reader.read_field(bytes, &mut field);
                bytes = &bytes[nin..];
                match result {
                    csv_core::ReadFieldResult::Field { .. } => {
                        read.push(String::from_utf8(field[..nout].to_vec()).unwrap());
                    }
                    csv_core::ReadFieldResult::InputEmpty => {
                        assert!(bytes.is_empty() && nout < field.len());
                        // The end of the input is told by no bytes.
                        let (result, _, more) = reader.read_field(&[], &mut field[nout..]);
                        assert!(matches!(result, csv_core::ReadFieldResult::Field { record_end: true }));
                        read.push(String::from_utf8(field[..nout + more].to_vec()).unwrap());
                        break;
                    }
                    other => panic!("{other:?}"),
                }
            }
            let expected: Vec<_> = (0..16).filter(|bit| set >> bit & 1 == 1).map(|bit| all[bit]).collect();
            assert_eq!(read, expected, "{}", String::from_utf8(line).unwrap());
        }
    }

    #[test]
    fn a_name_alone_is_quoted_where_it_would_be_something_else() {
        for (name, alone, listed) in [
            ("none", "\"none\"", "\"none\""),
            ("a,b", "a,b", "\"a,b\""),
            ("\"a\"", "\"\"\"a\"\"\"", "\"\"\"a\"\"\""),
            ("a\"b", "a\"b", "a\"b"),
            ("None", "None", "None"),
        ] {
            assert_eq!((&*quoted(name, false), &*quoted(name, true)), (alone, listed));
        }
    }

    #[test]
    fn names_of_a_set() {
        let names = Names::new(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()], "");
        let text = |set: u64| {
            let mut line = Vec::new();
            names.append(Holders::Set(&[set]), &mut line);
            String::from_utf8(line).unwrap()
        };
        assert_eq!((text(0).as_str(), text(0b101).as_str(), text(0b10).as_str()), ("none", "a,c", "b"));
    }
}
