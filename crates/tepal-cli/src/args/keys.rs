//! The flags that say what the keys of an input are. All verbs that read keys have them.

use std::ffi::OsString;
use std::io::ErrorKind::NotFound;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use clap::Args;
use tepal::Recipe;

use crate::error::{Failure, Outcome};
use crate::input::bad::{BadPolicy, BadTotal};
use crate::input::field::{Empty, Field, KeyRules, RowFormat};
use crate::input::limits::{Limits, parse_record, parse_window};
use crate::input::source::Source;
use crate::text::number;

/// The end of the help of every verb that reads keys.
pub const KEYS_HELP: &str = "\
Keys: each line is a key, without its line end (\\n or \\r\\n). Any bytes are allowed, up to 64 MiB a line \
(--max-record). `build` and `add` leave empty lines out, unless --empty-keys is given, and so do `test`, `remove` and `except`; to \
all other verbs an empty line is the empty key. gzip and zstd data are unpacked, also twice; zstd data with a window of more \
than 128 MiB (zstd --long=28 and more) needs --max-window.

Text: a UTF-8 byte-order mark at the start of an input belongs to no key and is not printed. An input with a mark of UTF-16 is read, \
and printed as UTF-8. Without a mark bytes are taken as they are. Only one mark is left out, so keys that begin \
with the bytes of a mark are read as they are behind a UTF-8 mark: (printf '\\357\\273\\277'; cat KEYS) | tepal has FILTER. An input \
whose first 4 KiB have a CR and no LF, or UTF-16 without a mark, or a NUL where whole lines are keys, is refused; --text reads lines \
that have NULs. With -0 no mark is looked for, no byte is changed, and none of this is refused.

Fields: with -f the key is one field of the record, and a blank record has no key. How records are written says --csv, --tsv or -d; \
else the filter, which keeps of which field of which rows it was built; else the name of the file: *.csv, *.tsv, *.json and *.jsonl, \
also with .gz or .zst. In a pipe, and in a file of another name, the first record decides: an object or array is JSON, and in rows \
tabs, commas or semicolons separate the fields. Where -f gives a number, that one of the three separates them which stands in each \
record, outside of quotes, equally often: of the first 100 (build, add, test, remove, except), or of those that have come (has, which, get, \
uniq). Of several the name of the file decides, and else they are refused. In CSV text after a closing quote makes a row bad; \
--escape '\\' reads rows in which a backslash escapes a quote. A first record that contradicts the filter is read as the name says. \
A field that is named by its name is looked for in the first row of each input, so its columns may stand in another order.

Empty fields: a row whose field is empty (of CSV or between tabs), null (JSON) or NULL (Parquet) has no key. `build`, `add` and `uniq` \
leave it out of what they keep, and `has` never selects it where the filter was built from a field. With --empty-keys an empty field \
is a key, which the filter keeps. An empty text of JSON or Parquet always is one.

JSON: one value on each line, of which only the key's own matters. In an array -f 1 is the first value. -f user.id, .user.id and /user/id all name the field id of the object user. A field that is itself \
called user.id in the first record wins, and for all of the input. A filter keeps the path as a JSON pointer (/user/id), which \
always means just that.

Parquet: with -f the key is a column of a Parquet file. The chosen columns are printed, as CSV with a header row. docs/parquet.md has \
the text of each type.

Without -f the filter says which field is the key, and where it says none, whole lines are the keys, also of a pipe. `build` and \
`uniq` refuse a file named *.csv, *.tsv, *.json, *.jsonl or *.parquet without -f, and show its fields; all other verbs do if its first \
row has several. --whole says that whole lines are meant, and a filter that is built with it keeps that. -e always gives whole keys.

Records without a key (a row without the field, text that is no JSON, wrong quotes, letters where keys are \
integers): `which` and `get` answer them with none, as any key that is surely not in the filter, so that one line comes out for each \
record; `has` selects them neither with -v nor without it. These three say at the end how many there were; all other verbs end with \
an error at the first. --bad fail, skip or warn says otherwise. Only --bad fail makes them exit code 2 of `has`, which then ends at \
the first, and of `which` and `get`, which still answer all.";

/// The most threads that can be asked for.
const MOST_THREADS: u64 = 1024;

/// Where keys come from.
#[derive(Args, Debug, Default)]
pub struct KeyArgs {
    /// Records end with a NUL byte, not with a line end
    #[arg(short = '0', long, short_alias = 'z')]
    pub null: bool,
    /// The key is this field: a number from 1, a name in the header row, or a name or path
    /// (user.id, /user/id) in JSON lines
    #[arg(short, long, value_name = "FIELD", value_parser = Field::parse)]
    pub field: Option<Field>,
    /// Each whole record is a key, also where the filter was built from a field, or the file is
    /// named as CSV, JSON or Parquet
    #[arg(long, conflicts_with_all = ["field", "csv", "tsv", "delimiter", "escape", "header"])]
    pub whole: bool,
    /// The first row of each input is a header row, and has no key. A field that is named by its
    /// name finds it there anyway
    #[arg(long)]
    pub header: bool,
    /// Fields are separated by commas and may be quoted, as in CSV
    #[arg(long, conflicts_with_all = ["tsv", "null"])]
    pub csv: bool,
    /// Fields are separated by tabs; quotes have no meaning
    #[arg(long, conflicts_with = "delimiter")]
    pub tsv: bool,
    /// Fields are separated by this character (with --csv they may be quoted too)
    #[arg(short, long, value_name = "CHAR", value_parser = parse_delimiter)]
    pub delimiter: Option<u8>,
    /// In CSV the character after this one stands for itself: \ for files of MySQL and ClickHouse
    #[arg(long, value_name = "CHAR", value_parser = parse_escape, conflicts_with_all = ["tsv", "null"])]
    pub escape: Option<u8>,
    /// Read lines that have NUL bytes, which other data than text has; as grep -a
    #[arg(long, conflicts_with = "null")]
    pub text: bool,
    /// What to do about records without a key [default: warn for has, which and get, else fail]
    ///
    /// Such records are rows without the field, text that is no JSON, and letters where keys are
    /// integers.
    #[arg(long, value_name = "POLICY", value_enum)]
    pub bad: Option<BadPolicy>,
    /// How many threads work on a long input; the results are always the same [default: one for
    /// each processor]
    #[arg(short = 'j', long = "threads", value_name = "N", value_parser = parse_threads)]
    pub jobs: Option<NonZeroUsize>,
    /// The longest record, without its line end: one is in memory as a whole [default: 64MiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_record)]
    pub max_record: Option<usize>,
    /// The largest window of zstd data, which is memory [default: 128MiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_window)]
    pub max_window: Option<u64>,
}

impl KeyArgs {
    /// The rules that these flags give, and `bad` where they do not say it.
    pub fn rules(&self, bad: BadPolicy) -> Result<KeyRules, Failure> {
        if let Some(Field::Name(name)) =
            self.field.as_ref().filter(|field| Path::new(&field.text()).is_file())
        {
            return Err(Failure::new(format!(
                "-f {name}: a file of this name is here, and -f names the field that is the key; for a list of keys leave -f \
                 out, and a field of that name give by its number"
            )));
        }
        // What has an escape has quotes.
        let quotes = self.csv || self.escape.is_some();
        let row_format = match (self.csv, self.tsv, self.delimiter) {
            (true, _, None) => Some(RowFormat { escape: self.escape, ..RowFormat::quoted(b',') }),
            (_, false, Some(delimiter)) => Some(RowFormat { delimiter, quotes, escape: self.escape }),
            (false, true, _) => Some(RowFormat::plain(b'\t')),
            (false, false, None) => None,
            // clap refuses these.
            (true, true, Some(_)) => None,
        };
        if self.escape.is_some() && self.escape == row_format.map(|format| format.delimiter) {
            return Err(Failure::new("--escape and -d name the same character; name another one"));
        }
        let usual = Limits::default();
        let limits = Limits {
            record: self.max_record.unwrap_or(usual.record),
            window: self.max_window.unwrap_or(usual.window),
        };
        Ok(KeyRules {
            null: self.null,
            field: self.field.clone(),
            row_format,
            escape: self.escape,
            whole: self.whole,
            header: self.header,
            text: self.text,
            limits,
            bad: self.bad.unwrap_or(bad),
            ..KeyRules::default()
        })
    }

    /// Refuses flags about rows where no field of them is named.
    pub fn check_field(&self) -> Result<(), Failure> {
        let given = [
            ("--csv", self.csv),
            ("--tsv", self.tsv),
            ("-d", self.delimiter.is_some()),
            ("--escape", self.escape.is_some()),
            ("--header", self.header),
        ];
        match given.iter().find(|(_, given)| *given && self.field.is_none()) {
            Some((flag, _)) => Err(Failure::new(format!(
                "{flag} is about rows, and no field of them is named; say with -f which one is the key, such as -f 2 or -f email"
            ))),
            None => Ok(()),
        }
    }

    /// Whether records without a key are told of at the end: where it was asked for, or by default
    /// and not with `--quiet`.
    pub fn warns_of_bad(&self, default: BadPolicy, quiet: bool) -> bool {
        match self.bad {
            Some(policy) => policy == BadPolicy::Warn,
            None => default == BadPolicy::Warn && !quiet,
        }
    }

    /// Whether a record without a key is an error.
    pub fn fails_on_bad(&self) -> bool {
        self.bad == Some(BadPolicy::Fail)
    }

    /// The end of a verb that has answered every record: `--bad` decides what is said of those
    /// without a key, and whether they are an error.
    pub fn end_of_answers(&self, outcome: Outcome, bad: &BadTotal, quiet: bool) -> Outcome {
        let code = outcome?;
        match bad.failure() {
            Some(failure) if self.fails_on_bad() => return Err(failure),
            Some(_) if self.warns_of_bad(BadPolicy::Warn, quiet) => bad.warn(),
            _ => {}
        }
        Ok(code)
    }

    /// How many threads to use: as given, else one for each processor.
    pub fn threads(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_else(|| thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

/// What is done to each key, kept in the file.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct RecipeArgs {
    /// Ignore white space around keys. The file keeps this rule, for lookups and for keys that are
    /// added
    #[arg(long)]
    pub trim: bool,
    /// Read capital letters A to Z as small ones. The file keeps this rule too
    #[arg(long)]
    pub nocase: bool,
}

impl RecipeArgs {
    /// What they say.
    pub fn recipe(self) -> Recipe {
        Recipe::new().trim(self.trim).nocase(self.nocase)
    }
}

/// Whether empty keys are keys.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct EmptyArgs {
    /// Take empty fields, quoted or not, and empty lines for keys too. The file keeps this rule for
    /// fields. A null of JSON and a NULL of Parquet stay none
    #[arg(long)]
    pub empty_keys: bool,
}

impl EmptyArgs {
    /// The rules of keys that go into a filter: empty ones are none, unless these flags or the
    /// filter (`kept`) say so.
    pub fn apply(self, rules: &mut KeyRules, kept: bool, trim: bool) {
        let left_out = !self.empty_keys && !kept;
        rules.empty = Empty { fields: left_out, nulls: true, lines: left_out && !rules.null, trim };
        rules.empty_keys = self.empty_keys || kept;
    }
}

/// Keys on the command line.
#[derive(Args, Clone, Debug, Default)]
pub struct AskedArgs {
    /// A key by itself; may be given several times. Standard input is then read only if - is given
    #[arg(short = 'e', long = "key", value_name = "KEY", allow_hyphen_values = true)]
    pub asked: Vec<OsString>,
}

impl AskedArgs {
    /// The inputs: where keys are asked for and no file is named, none.
    pub fn sources(&self, inputs: &[PathBuf]) -> Vec<Source> {
        match inputs.is_empty() && !self.asked.is_empty() {
            true => Vec::new(),
            false => Source::list(inputs),
        }
    }

    /// Refuses a file that is not there, which may be a key.
    pub fn check(source: &Source) -> Result<(), Failure> {
        let is_missing = |path: &Path| path.symlink_metadata().is_err_and(|error| error.kind() == NotFound);
        if source.path().is_some_and(is_missing) {
            let text = "no such file; expected a file of keys. A key by itself is given with -e";
            return Err(Failure::at(&source.name(), text));
        }
        Ok(())
    }
}

/// What becomes of a header row.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct HeaderArgs {
    /// Do not print the header row. It else comes first and once, that of the first input, also
    /// where no row follows
    #[arg(long)]
    pub no_header: bool,
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [b'\n' | b'\r' | b'"' | 0] => Err("this character has another meaning in rows".to_owned()),
        &[byte] => Ok(byte),
        _ => Err("expected one character of one byte, such as ; or \\t".to_owned()),
    }
}

fn parse_escape(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_punctuation() && !matches!(byte, b'"' | b',') => Ok(*byte),
        _ => Err("expected one sign such as \\, no quote and no comma".to_owned()),
    }
}

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let threads = number::parse_whole(text, 1, MOST_THREADS)?;
    Ok(NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN))
}
