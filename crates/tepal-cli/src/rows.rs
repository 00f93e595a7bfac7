//! The field of rows that a filter was built from. The filter's file records it. A verb that reads
//! records for this filter takes their keys from the same field, unless flags say otherwise.

use std::io::{self, IsTerminal};
use std::path::Path;

use tepal::{Opened, facts::Labels, file::Format};

use crate::args::KeyArgs;
use crate::error::Failure;
use crate::input::bad::BadPolicy;
use crate::input::field::{Empty, Field, KeyRules, RowFormat, pointers};
use crate::input::form::Form;
use crate::input::pages::Inputs;
use crate::output::{remind, say};
use crate::text::message::{shown, shown_key};

/// Follows an error about a record if the field was taken from the filter and not from a flag.
const HINT: &str = "; the filter was built from that field: where whole lines are the keys, add --whole";

/// In place of rows: whole records are the keys.
const WHOLE: &str = "whole";
/// After rows: empty fields are keys too.
const EMPTY: &str = "empty";

/// Does a filter's file record that whole records are the keys?
pub fn is_whole(labels: &Labels) -> bool {
    labels.rows.as_deref() == Some(WHOLE)
}

/// A field of rows, as a filter's file records it.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The field.
    pub field: Field,
    /// The format of the rows; `None` for JSON, and if the file does not record it.
    pub format: Option<RowFormat>,
    /// They are lines of JSON.
    pub json: bool,
    /// Records end in NUL.
    pub null: bool,
    /// Empty fields are keys too.
    pub empty: bool,
}

impl Rows {
    /// The rows that a filter was built from; `None` if it was built from whole records, or if its
    /// file does not record the field.
    pub fn of(labels: &Labels) -> Option<Self> {
        let field = Field::parse(labels.field.as_deref()?).ok()?;
        let rows = labels.rows.as_deref().unwrap_or_default();
        let (rows, empty) = match rows.strip_suffix(EMPTY) {
            Some(form) => (form.strip_suffix(' ').unwrap_or(form), true),
            None => (rows, false),
        };
        let (form, null) = rows.strip_suffix(" nul").map_or((rows, false), |form| (form, true));
        let json = form == "json";
        let format = form.split_once(' ').and_then(|(form, separator)| {
            let (separator, escape) =
                separator.split_once(' ').map_or((separator, None), |(s, e)| (s, Some(e)));
            let byte = |digits| u8::from_str_radix(digits, 16).ok();
            let (delimiter, escape) = (byte(separator)?, escape.and_then(byte));
            Some(RowFormat { delimiter, quotes: form == "csv", escape })
        });
        Some(Self { field, format, json, null, empty })
    }

    /// The field in words: `field "email" of CSV rows`.
    pub fn told(&self) -> String {
        let field = match &self.field {
            Field::Number(n) => format!("field {n}"),
            named => format!("field {}", shown_key(named.text().as_bytes())),
        };
        let rows = match self.format {
            None if self.json => "JSON lines".to_owned(),
            None => "rows".to_owned(),
            Some(RowFormat { delimiter: b',', quotes: true, .. }) => "CSV rows".to_owned(),
            Some(RowFormat { delimiter: b'\t', quotes: false, .. }) => "rows between tabs".to_owned(),
            Some(RowFormat { delimiter, quotes, .. }) => {
                format!("{} rows between {:?}", if quotes { "CSV" } else { "plain" }, char::from(delimiter))
            }
        };
        let escape = self.format.and_then(|format| format.escape);
        let escape =
            escape.map_or(String::new(), |escape| format!(" with the escape {}", char::from(escape)));
        let nul = if self.null { " that end with NUL" } else { "" };
        let empty = if self.empty { ", empty ones too" } else { "" };
        format!("{field} of {rows}{escape}{nul}{empty}")
    }
}

impl PartialEq for Rows {
    /// Do both take the same key from each record?
    fn eq(&self, other: &Self) -> bool {
        let all = |rows: &Self| (rows.format, rows.null, rows.empty);
        self.field == other.field && all(self) == all(other)
    }
}

/// What a filter's file will record of where its keys were.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    field: Option<String>,
    rows: Option<String>,
}

impl Origin {
    /// The field of these rules. The format of its rows is recorded if all sources have the same
    /// and are text:
    /// `forms`, with `None` for a source whose form is not known yet.
    pub fn of(rules: &KeyRules, forms: &[Option<Form>]) -> Self {
        let Some(field) = &rules.field else {
            return Self { field: None, rows: rules.whole.then(|| WHOLE.to_owned()) };
        };
        let nul = if rules.null { " nul" } else { "" };
        let same = |form: &Form| forms.iter().all(|other| *other == Some(*form));
        let form = forms.first().copied().flatten().filter(same);
        let rows = form.and_then(|form| match form {
            Form::Json => Some(format!("json{nul}")),
            Form::Rows(RowFormat { delimiter, quotes, escape }) => {
                let escape = escape.map_or(String::new(), |escape| format!(" {escape:02x}"));
                Some(format!("{} {delimiter:02x}{escape}{nul}", if quotes { "csv" } else { "plain" }))
            }
            Form::Parquet => None,
        });
        let rows = match (rows, rules.empty_keys) {
            (Some(rows), true) => Some(format!("{rows} {EMPTY}")),
            (None, true) => Some(EMPTY.to_owned()),
            (rows, false) => rows,
        };
        Self { field: Some(field.text()), rows }
    }

    /// The labels with this origin.
    pub fn label(self, labels: Labels) -> Labels {
        let mut labels = labels;
        (labels.field, labels.rows) = (self.field, self.rows);
        labels
    }
}

/// How the records of inputs are read as keys, for each form: `field 1 of CSV rows`.
pub fn read_as(inputs: &Inputs) -> Vec<String> {
    let rules = inputs.rules();
    let told = |form: Form| match (&rules.field, form) {
        (None, _) if rules.null => "whole records that end with NUL".to_owned(),
        (None, _) => "whole lines".to_owned(),
        (Some(field), Form::Parquet) => {
            format!("column {} of a Parquet file", shown_key(field.text().as_bytes()))
        }
        (Some(field), form) => {
            let format = match form {
                Form::Rows(format) => Some(format),
                _ => None,
            };
            let (field, json, null, empty) = (field.clone(), format.is_none(), rules.null, rules.empty_keys);
            Rows { field, format, json, null, empty }.told()
        }
    };
    inputs.read_as().iter().map(|read| told(read.form)).collect()
}

/// Tells how the inputs were read, with the first key of each form: only a terminal gets that, and
/// nobody if the keys are hashed under a secret.
pub fn tell(inputs: &Inputs, is_secret: bool) {
    let shows = !is_secret && io::stderr().is_terminal();
    for (told, read) in read_as(inputs).iter().zip(inputs.read_as()) {
        let first = read.first.as_ref().filter(|_| shows);
        let first = first.map_or(String::new(), |key| format!(", the first is {}", shown_key(key)));
        say(&format!("keys: {told}{first}"));
    }
}

/// The keys that a filter's file records: a field of rows, or whole records (`Some(None)`). `None`
/// for another program's file, which does not record this.
fn said(filter: &Opened) -> Option<Option<Rows>> {
    (filter.format() == Format::Tepal).then(|| Rows::of(filter.labels()))
}

/// The rules for the keys of records that are looked up in these filters: from the flags, else from
/// the filters. If no records are read (`reads` is `false`), the filters are not read for this.
pub fn rules<'a>(
    args: &KeyArgs,
    bad: BadPolicy,
    filters: impl IntoIterator<Item = (&'a Path, &'a Opened)>,
    reads: bool,
    quiet: bool,
) -> Result<KeyRules, Failure> {
    let mut rules = args.rules(bad)?;
    // The verbs that answer each record go on after one without a key.
    rules.waits = bad == BadPolicy::Fail;
    if args.whole || !reads {
        return Ok(rules);
    }
    let filters: Vec<_> =
        filters.into_iter().filter_map(|(path, filter)| Some((path, filter, said(filter)?))).collect();
    rules.whole = filters.iter().any(|(_, filter, _)| is_whole(filter.labels()));
    if let Some((_, filter, rows)) = filters.first() {
        // A filter that records a field has no empty one, unless it records that too. A verb
        // that reads lists leaves their empty lines out, as `build` has done.
        let (trim, rows) = (filter.filter().key_hasher().recipe().trim, rows.as_ref());
        let (fields, nulls) = (rows.is_some_and(|rows| !rows.empty), rows.is_some());
        rules.empty = Empty { fields, nulls, lines: rules.waits && !rules.null, trim };
        rules.empty_keys = rows.is_some_and(|rows| rows.empty);
    }
    let mut all = filters.into_iter().map(|(path, _, rows)| (path, rows));
    let Some((path, rows)) = all.next() else {
        return args.check_field().map(|()| rules);
    };
    if let Some(field) = &args.field {
        rules.field = Some(same(field, rows.as_ref()));
        let kept = rows.as_ref().filter(|rows| rules.field.as_ref() == Some(&rows.field));
        rules.recorded_format = kept.and_then(|rows| rows.format);
        let is_other = |rows: &Rows| rules.field.as_ref().is_some_and(|field| !may_be(field, &rows.field));
        if let (Some(rows), false) = (rows.filter(is_other), quiet) {
            let text = format!("built from {}; here the keys are those of -f {}", rows.told(), field.text());
            remind(&format!("{}: {text}", shown(path)));
        }
        return Ok(rules);
    }
    if let Some((other, others)) = all.find(|(_, others)| *others != rows) {
        return Err(Failure::at(
            &shown(path),
            format!(
                "built from {}, and {} from {}; say what the keys of these lines are, with -f FIELD or --whole",
                told(&rows),
                shown(other),
                told(&others)
            ),
        ));
    }
    let Some(rows) = rows else {
        return args.check_field().map(|()| rules);
    };
    if !quiet {
        remind(&format!("{}: {}; for whole lines say --whole", shown(path), said_of(&rows, &rules)));
    }
    take(&rows, &mut rules);
    rules.hint = HINT;
    Ok(rules)
}

/// The field that a flag names, as the pointer that a filter of these rows records, if it is that
/// one. What a number means in JSON the records decide.
pub fn same(field: &Field, rows: Option<&Rows>) -> Field {
    match (field, rows.map(|rows| &rows.field)) {
        (Field::Name(name), Some(Field::Pointer(kept))) if pointers(name).contains(kept) => {
            Field::Pointer(kept.clone())
        }
        _ => field.clone(),
    }
}

/// May the field of a flag be the one that a filter records?
pub fn may_be(field: &Field, kept: &Field) -> bool {
    match (field, kept) {
        (Field::Number(n), Field::Pointer(kept)) => [*n, n - 1].iter().any(|n| *kept == format!("/{n}")),
        (field, kept) => field == kept,
    }
}

/// Where the keys of records are, taken from filters that answer for a long time: a field, or
/// `None` for whole records.
pub struct KeysFrom(Option<Rows>);

impl KeysFrom {
    /// The choice that [`rules`] makes from these filters; `None` if flags make it.
    pub fn of<'a>(args: &KeyArgs, filters: impl IntoIterator<Item = &'a Opened>) -> Option<Self> {
        let is_said = args.whole || args.field.is_some();
        (!is_said).then(|| Self(filters.into_iter().find_map(said).flatten()))
    }

    /// Refuses a filter that would replace one of them while records are read, if its file records
    /// another field.
    pub fn check(&self, path: &Path, filter: &Opened) -> Result<(), Failure> {
        let field = |rows: &Option<Rows>| rows.as_ref().map(|rows| rows.field.clone());
        match said(filter) {
            Some(found) if field(&found) != field(&self.0) => Err(Failure::at(
                &shown(path),
                format!(
                    "its successor is built from {}, and the keys of these lines are {}; start again, or say what they are with \
                     -f FIELD or --whole",
                    told(&found),
                    told(&self.0)
                ),
            )),
            _ => Ok(()),
        }
    }
}

/// The keys in words.
fn told(rows: &Option<Rows>) -> String {
    rows.as_ref().map_or("whole lines".to_owned(), Rows::told)
}

/// Takes the keys from the field that a state file records. The rows have the recorded format,
/// unless flags give another.
pub fn take_from(path: &Path, rows: &Rows, rules: &mut KeyRules, quiet: bool) {
    if !quiet {
        remind(&format!("{}: {}", shown(path), said_of(rows, rules)));
    }
    take(rows, rules);
}

/// The message that tells which keys are used.
fn said_of(rows: &Rows, rules: &KeyRules) -> String {
    let told = Rows { format: rules.row_format.or(rows.format), ..rows.clone() }.told();
    format!("the keys are {told}, from which it was built")
}

fn take(rows: &Rows, rules: &mut KeyRules) {
    rules.null |= rows.null && rules.row_format.is_none();
    rules.field = Some(rows.field.clone());
    rules.stored_format = rows.format;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::form::{self, Named, TABS};
    use crate::input::source::Source;
    use std::path::PathBuf;

    #[test]
    fn what_is_kept_is_read_again() {
        let label = |rules: &KeyRules, names: &[&str]| {
            let sources = names.iter().map(|name| Source::Path(PathBuf::from(name)));
            // What no name says is rows between tabs.
            let forms = sources.map(|source| {
                let is_parquet = Named::of(&source) == Some(Named::Parquet);
                form::known(rules, &source, is_parquet).or(Some(Form::Rows(TABS)))
            });
            Origin::of(rules, &forms.collect::<Vec<_>>()).rows
        };
        let tabs = RowFormat::plain(b'\t');
        let csv = RowFormat::quoted(b';');
        for (field, row_format, null, names, expected, told) in [
            ("id", None, false, &["a.csv", "b.csv.gz"][..], Some("csv 2c"), "field \"id\" of CSV rows"),
            ("id", None, false, &["a.csv", "b"], None, "field \"id\" of rows"),
            ("id", None, false, &["a"], Some("plain 09"), "field \"id\" of rows between tabs"),
            ("id", Some(csv), false, &["a"], Some("csv 3b"), "field \"id\" of CSV rows between ';'"),
            (
                "2",
                Some(tabs),
                true,
                &["a.csv"],
                Some("plain 09 nul"),
                "field 2 of rows between tabs that end with NUL",
            ),
            ("/a/b", None, false, &["a", "b.csv"], Some("json"), "field \"/a/b\" of JSON lines"),
            ("/a/b", None, false, &["a.parquet"], None, "field \"/a/b\" of rows"),
            ("/a/b", None, false, &["a.parquet", "b.jsonl"], None, "field \"/a/b\" of rows"),
        ] {
            let field = Field::parse(field).unwrap();
            let rules = KeyRules { field: Some(field.clone()), row_format, null, ..KeyRules::default() };
            let kept = label(&rules, names);
            assert_eq!(kept.as_deref(), expected);
            let mut labels = Labels::new().field(field.text());
            labels.rows = kept;
            let rows = Rows::of(&labels).unwrap();
            assert_eq!((&rows.field, rows.null, rows.told().as_str()), (&field, null, told));
        }
        assert_eq!(Rows::of(&Labels::new()), None);
        assert_eq!(label(&KeyRules::default(), &["a"]), None);
        let rules = KeyRules { field: Some(Field::Number(1)), ..KeyRules::default() };
        assert_eq!(Origin::of(&rules, &[Some(Form::Rows(TABS)), None]).rows, None);
    }
}
