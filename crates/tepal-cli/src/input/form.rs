//! How the records of an input are written: as rows, or as lines of JSON.
//!
//! A Parquet file is known by its first bytes. Of text, flags decide. Without them the filter does,
//! from whose rows the field was taken, then the name of the file, then the first record. If the
//! name contradicts the filter, the filter decides for a first record that is such a row, and the
//! name for any other. Where fields are numbered, the first records decide before the name
//! ([`separator`]).

use memchr::memchr;

use crate::error::Failure;
use crate::input::field::{Field, KeyRules, RowFormat};
use crate::input::json;
use crate::input::records::Cut;
use crate::input::row::fields;
use crate::input::separator::{self, Known};
use crate::input::source::{Input, Source};

/// Fields between tabs, without quotes.
pub const TABS: RowFormat = RowFormat::plain(b'\t');
/// CSV.
pub const CSV: RowFormat = RowFormat::quoted(b',');
/// CSV as programs write it where the comma separates decimals.
pub const SEMICOLONS: RowFormat = RowFormat::quoted(b';');
/// The formats of rows that a first record can have, in the order in which they are tried.
const GUESSED: [RowFormat; 3] = [TABS, CSV, SEMICOLONS];

/// How the records of an input are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Rows of fields.
    Rows(RowFormat),
    /// A JSON value on each line.
    Json,
    /// Columns of a Parquet file.
    Parquet,
}

/// The format that the ending of a file's name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// `.csv`
    Csv,
    /// `.tsv`
    Tsv,
    /// `.json` and `.jsonl`
    Json,
    /// `.parquet`
    Parquet,
}

impl Named {
    /// What the name of a source says, without the ending of compressed data.
    pub fn of(source: &Source) -> Option<Self> {
        let name = source.path()?.file_name()?.to_string_lossy().to_ascii_lowercase();
        let plain = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
        let endings = [
            (".csv", Self::Csv),
            (".tsv", Self::Tsv),
            (".json", Self::Json),
            (".jsonl", Self::Json),
            (".parquet", Self::Parquet),
        ];
        endings.into_iter().find_map(|(ending, named)| plain.ends_with(ending).then_some(named))
    }

    /// The form of the records; `None` if the name says nothing of them. Records that end in NUL
    /// are no CSV.
    fn form(self, null: bool) -> Option<Form> {
        match self {
            Self::Csv if null => None,
            Self::Csv => Some(Form::Rows(CSV)),
            Self::Tsv => Some(Form::Rows(TABS)),
            Self::Json => Some(Form::Json),
            Self::Parquet => None,
        }
    }
}

/// The form of the records of an input, which may have to be read up to the first record.
pub fn of(rules: &KeyRules, source: &Source, input: &mut Input) -> Result<Form, Failure> {
    let form = match known(rules, source, input.is_parquet) {
        Some(form) => form,
        None => escaped(rules, by_records(rules, source, input)?),
    };
    match form {
        Form::Rows(RowFormat { escape: None, .. }) | Form::Json | Form::Parquet
            if rules.escape.is_some() && rules.field.is_some() =>
        {
            let text = "--escape is about CSV, and its records are no CSV; say how they are written with --csv or -d, or leave \
                        --escape out";
            Err(Failure::at(&source.name(), text))
        }
        form => Ok(form),
    }
}

/// The form with the escape that the flags give, if it is CSV.
fn escaped(rules: &KeyRules, form: Form) -> Form {
    match (form, rules.escape) {
        (Form::Rows(format), Some(_)) if format.quotes => {
            Form::Rows(RowFormat { escape: rules.escape, ..format })
        }
        (form, _) => form,
    }
}

/// The form of the records of a source; `None` if the first record has to decide ([`of`]).
/// `is_parquet`: its first bytes are those of a Parquet file.
pub fn known(rules: &KeyRules, source: &Source, is_parquet: bool) -> Option<Form> {
    if rules.fields().next().is_none() {
        // No record is taken apart.
        return Some(Form::Rows(TABS));
    }
    if is_parquet {
        return Some(Form::Parquet);
    }
    if rules.fields().any(Field::is_path) {
        return Some(Form::Json);
    }
    let said = rules.row_format.map(Form::Rows);
    let form = said.or_else(|| {
        match (rules.stored_format, Named::of(source).and_then(|named| named.form(rules.null))) {
            (Some(stored), None) => Some(Form::Rows(stored)),
            (Some(stored), Some(Form::Rows(named))) if is_alike(stored, named) => Some(Form::Rows(stored)),
            // What separates the fields that are numbered, the records say.
            (None, Some(Form::Rows(_))) if number(rules).is_some() => None,
            (None, named) => named,
            (Some(_), Some(_)) => None,
        }
    });
    form.map(|form| escaped(rules, form))
}

/// Can rows of the first format be in a file that is named after the second one? What separates the
/// fields of CSV is often not a comma.
fn is_alike(stored: RowFormat, named: RowFormat) -> bool {
    stored == named || (stored.quotes && named.quotes)
}

/// The greatest number of a field, if the key is named by one.
fn number(rules: &KeyRules) -> Option<usize> {
    let numbers = rules.fields().filter_map(|field| match field {
        Field::Number(n) => Some(*n),
        _ => None,
    });
    matches!(rules.field, Some(Field::Number(_))).then(|| numbers.max()).flatten()
}

/// The form of the records of a source, by the first of them, if nothing else is [`known`].
fn by_records(rules: &KeyRules, source: &Source, input: &mut Input) -> Result<Form, Failure> {
    let (named, first) = (Named::of(source), input.first(rules)?);
    let is_json = named.is_none() && json::is_container(first);
    match (number(rules), rules.stored_format) {
        (Some(number), None) if !rules.null && !is_json => {
            let known = Known { number, named, recorded: rules.recorded_format, escape: rules.escape };
            let chosen = separator::choose(input.first_records(rules)?, known)
                .map_err(|text| Failure::at(&source.name(), text))?;
            match chosen {
                Some(format) => Ok(Form::Rows(format)),
                None => Ok(by_record(rules, source, input.first(rules)?)),
            }
        }
        _ => Ok(by_record(rules, source, first)),
    }
}

/// The form of the records of a source whose first record is `first`, if nothing else is [`known`].
fn by_record(rules: &KeyRules, source: &Source, first: &[u8]) -> Form {
    let named = Named::of(source).and_then(|named| named.form(rules.null));
    match (rules.stored_format, named, &rules.field) {
        (Some(stored), Some(named), Some(field)) => {
            if fits(first, field, stored) {
                Form::Rows(stored)
            } else {
                named
            }
        }
        (None, Some(named), _) => named,
        (_, _, field) => guess(first, field.as_ref(), rules.null, rules.escape.is_some()),
    }
}

/// Is `first` the first of rows of this format with this field?
fn fits(first: &[u8], field: &Field, format: RowFormat) -> bool {
    match field {
        Field::Number(n) => {
            !json::is_container(first) && fields(first, format).nth((*n).max(2) - 1).is_some()
        }
        named => fields(first, format).any(|field| *field == *named.text().as_bytes()),
    }
}

/// The form of which `first` is a record.
fn guess(first: &[u8], field: Option<&Field>, null: bool, escape: bool) -> Form {
    if json::is_container(first) {
        return Form::Json;
    }
    if null {
        return Form::Rows(TABS);
    }
    let guessed = || GUESSED.into_iter().filter(|format| format.quotes || !escape);
    let by_name = match field {
        Some(field @ Field::Name(_)) => guessed().find(|format| fits(first, field, *format)),
        _ => None,
    };
    let by_separator = || guessed().find(|format| memchr(format.delimiter, first).is_some());
    let quoted = if first.starts_with(b"\"") || escape { CSV } else { TABS };
    Form::Rows(by_name.or_else(by_separator).unwrap_or(quoted))
}

/// Where records of this form end.
pub fn cut(rules: &KeyRules, form: Form) -> Cut {
    match form {
        Form::Parquet => Cut::Parquet,
        _ if rules.null => Cut::Null,
        Form::Rows(format) if rules.field.is_some() => format.csv().map_or(Cut::Lines, Cut::Csv),
        _ => Cut::Lines,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::csv::Csv;
    use std::path::PathBuf;

    fn file(name: &str) -> Source {
        Source::Path(PathBuf::from(name))
    }

    fn rules(field: &str) -> KeyRules {
        KeyRules { field: Some(Field::parse(field).unwrap()), ..KeyRules::default() }
    }

    #[test]
    fn names_say_a_format() {
        for (name, named) in [
            ("a.csv", Some(Named::Csv)),
            ("x/a.CSV.gz", Some(Named::Csv)),
            ("a.tsv.zst", Some(Named::Tsv)),
            ("a.json", Some(Named::Json)),
            ("a.jsonl.gz", Some(Named::Json)),
            ("a.parquet", Some(Named::Parquet)),
            ("a.csv.xz", None),
            ("a.csv/b", None),
            ("csv", None),
            ("a.jsonlines", None),
        ] {
            assert_eq!(Named::of(&file(name)), named, "{name}");
        }
        assert_eq!(Named::of(&Source::Stdin), None);
    }

    #[test]
    fn flags_then_the_filter_then_the_name() {
        let (typed, stored) = (rules("email"), SEMICOLONS);
        assert_eq!(known(&typed, &file("a.csv"), false), Some(Form::Rows(CSV)));
        assert_eq!(known(&typed, &file("a.jsonl"), false), Some(Form::Json));
        assert_eq!(known(&typed, &file("a"), false), None);
        assert_eq!(known(&rules("/id"), &file("a.csv"), false), Some(Form::Json));
        assert_eq!(known(&KeyRules::default(), &Source::Stdin, false), Some(Form::Rows(TABS)));
        assert_eq!(known(&rules("/id"), &file("a.csv"), true), Some(Form::Parquet));
        let given = KeyRules { row_format: Some(stored), ..rules("2") };
        assert_eq!(known(&given, &file("a.json"), false), Some(Form::Rows(stored)));
        let kept = KeyRules { stored_format: Some(stored), ..rules("2") };
        for name in ["a", "a.csv"] {
            assert_eq!(known(&kept, &file(name), false), Some(Form::Rows(stored)));
        }
        assert_eq!(known(&kept, &file("a.tsv"), false), None);
        assert_eq!(cut(&typed, Form::Rows(CSV)), Cut::Csv(Csv { delimiter: b',', escape: None }));
        assert_eq!(cut(&KeyRules { null: true, ..typed }, Form::Rows(CSV)), Cut::Null);
    }

    #[test]
    fn a_name_that_contradicts_the_filter() {
        for (field, stored, name, first, expected) in [
            ("email", CSV, "a.tsv", "email\tid", Form::Rows(TABS)),
            ("email", CSV, "a.tsv", "id,email", Form::Rows(CSV)),
            ("1", TABS, "a.csv", "x\ty", Form::Rows(TABS)),
            ("1", TABS, "a.csv", "x,y", Form::Rows(CSV)),
            ("2", TABS, "a.csv", "x", Form::Rows(CSV)),
            ("2", CSV, "a.jsonl", "{\"a\":1,\"b\":2}", Form::Json),
        ] {
            let rules = KeyRules { stored_format: Some(stored), ..rules(field) };
            assert_eq!(known(&rules, &file(name), false), None);
            assert_eq!(by_record(&rules, &file(name), first.as_bytes()), expected, "{name} {first}");
        }
    }

    #[test]
    fn the_first_record_of_a_pipe() {
        for (field, first, expected) in [
            ("email", "id,email", Form::Rows(CSV)),
            ("email", "id;email", Form::Rows(SEMICOLONS)),
            ("email", "id\temail", Form::Rows(TABS)),
            ("email", "\"a\tb\",email", Form::Rows(CSV)),
            ("email", "email", Form::Rows(TABS)),
            ("email", "id,e-mail", Form::Rows(CSV)),
            ("2", "a,b\tc", Form::Rows(TABS)),
            ("2", "a,b", Form::Rows(CSV)),
            ("2", "\"a", Form::Rows(CSV)),
            ("2", "a b", Form::Rows(TABS)),
            ("2", "", Form::Rows(TABS)),
            ("user.id", "{\"user\":{\"id\":1}}", Form::Json),
            ("2", "[1,2]", Form::Json),
            ("2", "{a,b}", Form::Rows(CSV)),
            ("2", "12", Form::Rows(TABS)),
        ] {
            assert_eq!(by_record(&rules(field), &Source::Stdin, first.as_bytes()), expected, "{first}");
        }
        let null = KeyRules { null: true, ..rules("2") };
        assert_eq!(by_record(&null, &Source::Stdin, b"a,b"), Form::Rows(TABS));
    }
}
