//! The library's errors in the words of the command: flags in the place of calls, and kinds by the
//! names that people have for them.

use tepal::{
    Error, Kind,
    error::{Obstacle, Operation},
};

/// What can be said to somebody at a command line: a text, or an error of the library.
pub trait Words {
    /// The words.
    fn words(&self) -> String;
}

impl Words for str {
    fn words(&self) -> String {
        self.to_owned()
    }
}

impl Words for String {
    fn words(&self) -> String {
        self.clone()
    }
}

impl<T: Words + ?Sized> Words for &T {
    fn words(&self) -> String {
        (**self).words()
    }
}

impl Words for Error {
    fn words(&self) -> String {
        match self {
            Error::NotPossible { kind, operation, instead, .. } => {
                format!("a {} cannot {operation}; {}", people(*kind), way_out(*operation, instead))
            }
            Error::Unconvertible { format, obstacle: Obstacle::Kind { found, .. }, .. } => format!(
                "a file of the format {format} cannot hold this filter: it is a {}, and the format holds Bloom filters; rebuild it from \
                 the keys",
                people(*found)
            ),
            Error::KeyRequired => {
                "made with a secret key, which is not in the file; give it with --secret FILE".to_owned()
            }
            Error::SealRequired => {
                "sealed, and the key of its seal is not in the file; give it with --seal FILE".to_owned()
            }
            other => in_flags(&other.to_string()),
        }
    }
}

/// What people call a kind.
pub fn people(kind: Kind) -> &'static str {
    match kind {
        Kind::Bloom => "Bloom filter",
        Kind::Scalable => "chain of Bloom filters",
        Kind::Quotient => "deletable filter",
        Kind::Growing => "growing filter",
        Kind::Expiring => "filter with a window",
        Kind::Segment => "filter of segments",
        Kind::Ribbon => "static filter",
        Kind::Map => "map",
        _ => "filter of another kind",
    }
}

/// [`people`] for the name that a kind has in files.
pub fn people_of(name: &str) -> &str {
    name.parse::<Kind>().ok().map_or(name, |kind| people(kind))
}

/// What to do instead, where a kind cannot do something.
fn way_out(operation: Operation, instead: &str) -> String {
    let text = in_flags(instead);
    match operation {
        _ if !text.contains('`') => text,
        Operation::Remove => {
            "keys can be removed from a filter that is built so: tepal build LIST --deletable".to_owned()
        }
        Operation::Advance => {
            "keys go by themselves from a filter that is built so: tepal build LIST --window 7d".to_owned()
        }
        Operation::HaveSegments => {
            "a filter has segments that is built so: tepal build ROWS --by FIELD, or LIST... --set".to_owned()
        }
        _ => text.replace('`', ""),
    }
}

/// What the library calls otherwise than people do.
const CALLED: [(&str, &str); 7] = [
    ("ribbon map", "map"),
    ("quotient filter", "deletable filter"),
    ("an expiring filter", "a filter with a window"),
    ("a segment filter", "a filter of segments"),
    ("ribbon filter", "static filter"),
    ("a ribbon", "a static filter"),
    ("no ribbon", "no static filter"),
];

/// A text of the library for somebody at a command line. It names ways out in parentheses, those of
/// a program and those of the command, such as "(`insert`, `tepal add`)": those of the command
/// stay.
pub fn in_flags(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, group, after)) = next_group(rest) {
        let ways = group.split(", ").map(|way| way.trim_matches('`'));
        let ways: Vec<&str> = ways.filter(|way| way.starts_with("tepal ") || way.starts_with('-')).collect();
        match ways.as_slice() {
            [] => out.push_str(before.trim_end()),
            ways => out.push_str(&format!("{before}({})", ways.join(", "))),
        }
        rest = after;
    }
    out.push_str(rest);
    CALLED.iter().fold(out, |text, (library, people)| text.replace(library, people))
}

/// The text before the next parentheses that have code alone, what is in them, and what follows.
fn next_group(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let start = from + text[from..].find("(`")?;
        let end = start + text[start..].find(')')?;
        let group = &text[start + 1..end];
        if group.split(", ").all(|way| way.len() > 1 && way.starts_with('`') && way.ends_with('`')) {
            return Some((&text[..start], group, &text[end + 1..]));
        }
        from = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_of_the_command_stay() {
        for (library, command) in [
            (
                "build it (`X::builder`, `tepal build --static`), or not",
                "build it (tepal build --static), or not",
            ),
            ("a seed of its own (`--seed-for`, `seed_for`)", "a seed of its own (--seed-for)"),
            ("freeze it (`Growing::freeze`), or build", "freeze it, or build"),
            ("(`a`)(`-n`) (`b`, c) (`", "(-n) (`b`, c) (`"),
            ("(a) `scattered` with it", "(a) `scattered` with it"),
            ("and a ribbon adds", "and a static filter adds"),
            ("of a ribbon map", "of a map"),
            ("", ""),
        ] {
            assert_eq!(in_flags(library), command);
        }
    }

    #[test]
    fn every_kind_has_a_name_for_people() {
        for &kind in Kind::ALL {
            assert_ne!(people(kind), "filter of another kind", "{kind}");
            assert_eq!(people_of(kind.name()), people(kind));
        }
        assert_eq!(people_of("bloom or so"), "bloom or so");
    }

    #[test]
    fn errors_name_flags() {
        let filter = tepal::BloomFilter::builder().capacity(10).build().unwrap();
        let refused = tepal::AnyFilter::from(filter).remove_hash(5).unwrap_err();
        assert_eq!(
            refused.words(),
            "a Bloom filter cannot remove a key; keys can be removed from a filter that is built so: tepal build LIST --deletable"
        );
    }
}
