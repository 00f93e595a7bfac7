//! Files whose names say that their records have fields, where nothing says which field is the key.
//!
//! Their whole lines are hardly ever meant as keys: `build` and `uniq` refuse them, and show the
//! fields and what to type. The verbs that have a filter refuse them if the first row has several
//! fields, and read the lines of others.

use std::collections::HashSet;
use std::env;
use std::path::Path;

use crate::error::Failure;
use crate::input::field::{Field, KeyRules, RowFormat, pointers};
use crate::input::find::{MOST_NAMES, shown_names};
use crate::input::form::{CSV, Named, SEMICOLONS, TABS};
use crate::input::json;
#[cfg(feature = "parquet")]
use crate::input::parquet;
use crate::input::progress::Progress;
use crate::input::row::fields;
use crate::input::source::Source;
use crate::output::remind;
use crate::text::message::{for_shell, one_line, shown, shown_key};

/// A longer command line is not repeated in an error.
const LONGEST_LINE: usize = 300;

/// A longer name is not proposed.
const LONGEST_NAME: usize = 60;

/// The names of the verbs that refuse these files.
const VERBS: [&str; 22] = [
    "build", "create", "uniq", "dedup", "dedupe", "unique", "has", "check", "query", "contains", "which",
    "get", "lookup", "value", "add", "insert", "remove", "delete", "del", "rm", "test", "except",
];

/// Refuses the first of these files, unless a field or `whole` is given. `state` remembers whole
/// lines.
pub fn refuse(
    sources: &[Source],
    rules: &KeyRules,
    whole: bool,
    state: Option<&Path>,
) -> Result<(), Failure> {
    if whole || rules.field.is_some() {
        return Ok(());
    }
    let mut all = sources.iter().filter_map(|source| Some((source, Named::of(source)?)));
    match all.next() {
        None => Ok(()),
        Some((source, named)) => Err(why(source, named, rules, state)?),
    }
}

/// Refuses the first of these files whose first row has several fields, by the format of its name.
/// The keys of the filter are whole lines, and nobody said that this is meant.
pub fn refuse_fields(sources: &[Source], rules: &KeyRules) -> Result<(), Failure> {
    if rules.whole || rules.null || rules.field.is_some() {
        return Ok(());
    }
    let files = sources.iter().filter(|source| source.file_len().is_some() && !source.is_parquet());
    for (source, named) in files.filter_map(|source| Some((source, Named::of(source)?))) {
        // What is wrong with the file is told when it is read.
        let Ok(mut input) = source.open(&Progress::of(&[], true), rules) else { continue };
        let Ok(first) = input.first(rules) else { continue };
        let are_several = match named {
            Named::Csv => fields(first, CSV).nth(1).is_some(),
            Named::Tsv => fields(first, TABS).nth(1).is_some(),
            Named::Json => json::paths(first, 2).len() > 1 || json::len_of_array(first) > Some(1),
            Named::Parquet => false,
        };
        if are_several {
            let (Found { what, line }, _) = found(source, named, rules)?;
            let text = format!(
                "{what}, and the filter was not built from a field; {line}; or add --whole if each whole line is a key"
            );
            return Err(Failure::at(&source.name(), text));
        }
    }
    Ok(())
}

/// Tells a person at a terminal that whole lines of such a file are looked up, because no filter
/// says which field is the key.
pub fn note(sources: &[Source], rules: &KeyRules, whole: bool) {
    let named = sources.iter().find(|source| Named::of(source).is_some() && !source.is_parquet());
    if let (Some(source), None, false) = (named, &rules.field, whole) {
        remind(&format!(
            "{}: whole lines are looked up, since the filter was not built from a field; for one field add -f FIELD, and \
             --whole says that lines are meant",
            source.name()
        ));
    }
}

/// The error for one of these files.
fn why(source: &Source, named: Named, rules: &KeyRules, state: Option<&Path>) -> Result<Failure, Failure> {
    let (Found { what, line }, has_lines) = found(source, named, rules)?;
    let text = match (state, has_lines) {
        (None, true) => format!("{what}; {line}; or add --whole if each whole line is a key"),
        (None, false) => format!("{what}; {line}"),
        (Some(path), has_lines) => {
            let or = if has_lines { "add --whole if each whole line is a key here too, or " } else { "" };
            format!("{what}, and the keys of {} are whole lines; {or}name another state", shown(path))
        }
    };
    Ok(Failure::at(&source.name(), text))
}

/// What one of these files has, and whether it has lines.
fn found(source: &Source, named: Named, rules: &KeyRules) -> Result<(Found, bool), Failure> {
    #[cfg(feature = "parquet")]
    if let Some(path) = source.path().filter(|_| source.is_parquet()) {
        return Ok((Found::parquet(&parquet::names(path)?), false));
    }
    let mut first = Vec::new();
    // A pipe can be read only once, and its first record is not worth the wait.
    if source.file_len().is_some() {
        let mut input = source.open(&Progress::of(&[], true), rules)?;
        first = input.first(rules)?.to_vec();
    }
    let found = match named {
        _ if first.is_empty() => Found::nothing(named),
        Named::Csv => Found::rows(&first, &[CSV, SEMICOLONS, TABS]),
        Named::Tsv => Found::rows(&first, &[TABS, CSV, SEMICOLONS]),
        Named::Json => Found::json(&first),
        Named::Parquet => Found {
            what: format!("named as Parquet, and begins with {}", shown_key(&first)),
            line: "give its right name".to_owned(),
        },
    };
    Ok((found, true))
}

/// The records of a file, and the advice.
struct Found {
    what: String,
    line: String,
}

impl Found {
    /// Of a file whose records are not known.
    fn nothing(named: Named) -> Self {
        let (format, example) = match named {
            Named::Csv => ("CSV", "1"),
            Named::Tsv => ("rows between tabs", "1"),
            Named::Json => ("JSON lines", "id"),
            Named::Parquet => ("Parquet", "id"),
        };
        let what = format!("named as {format}, and no record of it is there to show its fields");
        Self { what, line: format!("say which one is the key: {}", typed(&["-f", example])) }
    }

    /// Of rows, in the first of these formats that has several fields, or in the first of all.
    fn rows(first: &[u8], formats: &[RowFormat]) -> Self {
        let several = formats.iter().find(|format| fields(first, **format).nth(1).is_some());
        let format = *several.unwrap_or(&formats[0]);
        let all = || fields(first, format);
        let (mut seen, mut is_header) = (HashSet::new(), true);
        for name in all() {
            let text = String::from_utf8_lossy(&name);
            is_header &= !text.trim().is_empty() && text.trim().parse::<f64>().is_err() && seen.insert(name);
        }
        let number = all().count();
        let shown = shown_names(all());
        let rows = match format {
            CSV => "CSV rows".to_owned(),
            TABS => "rows between tabs".to_owned(),
            other => format!("CSV rows between {:?}", char::from(other.delimiter)),
        };
        let columns = if number == 1 { "column" } else { "columns" };
        let what = match is_header {
            true => format!("{rows} with the {columns} {shown}"),
            false => format!("{rows}, the first with {number} {columns}: {shown}"),
        };
        let by_name = all()
            .filter_map(|name| String::from_utf8(name.into_owned()).ok())
            .find(|name| can_be_typed(name));
        let field = by_name.filter(|_| is_header).unwrap_or_else(|| "1".to_owned());
        let mut flags = match (format == formats[0], format) {
            (true, _) => Vec::new(),
            (false, TABS) => vec!["--tsv"],
            (false, CSV) => vec!["--csv"],
            (false, _) => vec!["--csv", "-d", ";"],
        };
        flags.extend(["-f", &field]);
        Self { what, line: format!("say which one is the key: {}", typed(&flags)) }
    }

    /// Of a Parquet file.
    #[cfg(feature = "parquet")]
    fn parquet(names: &[String]) -> Self {
        let columns = if names.len() == 1 { "column" } else { "columns" };
        let what = match names.is_empty() {
            true => "a Parquet file, of which no column can be a key".to_owned(),
            false => format!("a Parquet file with the {columns} {}", shown_names(names)),
        };
        let name = names.iter().find(|name| can_be_typed(name)).map_or("1", String::as_str);
        Self { what, line: format!("say which one is the key: {}", typed(&["-f", name])) }
    }

    /// Of JSON.
    fn json(first: &[u8]) -> Self {
        let paths = json::paths(first, MOST_NAMES + 1);
        if !json::is_container(first) && json::exists(first, "") {
            let what = format!("its first line is JSON without fields: {}", shown_key(first));
            return Self { what, line: "its text is taken out by: jq -r . FILE | tepal …".to_owned() };
        }
        if !json::is_container(first) {
            let what = format!("its first line is no JSON object: {}", shown_key(first));
            let line =
                "JSON that goes over several lines is put on one for each record by: jq -c . FILE | tepal …";
            return Self { what, line: line.to_owned() };
        }
        if paths.is_empty() {
            let what = format!("its first line has no field that can be a key: {}", shown_key(first));
            let line = "an array is taken apart by: jq -c '.[]' FILE | tepal …, and a field is named by -f";
            return Self { what, line: line.to_owned() };
        }
        let names: Vec<_> = paths.iter().map(|path| name_of(path, first)).collect();
        let fields = if names.len() == 1 { "field" } else { "fields" };
        let what = format!("JSON lines with the {fields} {}", shown_names(&names));
        let is_path = |name: &str| name.starts_with('/') && name.len() <= LONGEST_NAME;
        let field = names.iter().find(|name| can_be_typed(name) || is_path(name));
        let field = field.map_or("FIELD", String::as_str);
        Self { what, line: format!("say which one is the key: {}", typed(&["-f", field])) }
    }
}

/// The shortest name of the field at a pointer: with dots if these lead to it.
fn name_of(path: &str, first: &[u8]) -> String {
    let name = path[1..].replace('/', ".").replace("~1", "/").replace("~0", "~");
    let [exact, dotted] = pointers(&name);
    match exact == path || (dotted == path && !json::exists(first, &exact)) {
        true if !name.contains('/') => name,
        _ => path.to_owned(),
    }
}

/// Does `-f` take this for the name of a field?
fn can_be_typed(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && Field::parse(name) == Ok(Field::Name(name.to_owned()))
        && !name.starts_with('-')
        && !Path::new(name).is_file()
}

/// The command line of this run with more flags after its verb.
fn typed(flags: &[&str]) -> String {
    let quoted = |word: &str| for_shell(&one_line(word));
    let mut words: Vec<_> = env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    let verb = words.iter().position(|word| VERBS.contains(&word.as_str()));
    let flags: Vec<_> = flags.iter().map(|flag| quoted(flag)).collect();
    let flags = flags.join(" ");
    words.insert(verb.map_or(0, |at| at + 1), flags.clone());
    let line = format!("tepal {}", words.join(" "));
    if line.len() > LONGEST_LINE { format!("the same with {flags}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(first: &str, formats: &[RowFormat]) -> (String, String) {
        let found = Found::rows(first.as_bytes(), formats);
        let flags = found.line.split_once("tepal ").unwrap().1.to_owned();
        (found.what, flags)
    }

    #[test]
    fn columns_are_shown_and_one_is_proposed() {
        let (csv, tsv) = ([CSV, SEMICOLONS, TABS], [TABS, CSV, SEMICOLONS]);
        for (first, formats, what, flags) in [
            ("id,email", &csv, "CSV rows with the columns \"id\", \"email\"", "-f id"),
            ("email", &csv, "CSV rows with the column \"email\"", "-f email"),
            ("\"a, b\",\"c\"", &csv, "CSV rows with the columns \"a, b\", \"c\"", "-f 'a, b'"),
            (
                "id;email",
                &csv,
                "CSV rows between ';' with the columns \"id\", \"email\"",
                "--csv -d ';' -f id",
            ),
            ("id\temail", &csv, "rows between tabs with the columns \"id\", \"email\"", "--tsv -f id"),
            ("1,x", &csv, "CSV rows, the first with 2 columns: \"1\", \"x\"", "-f 1"),
            ("x,x", &csv, "CSV rows, the first with 2 columns: \"x\", \"x\"", "-f 1"),
            ("-x,/y,z.w", &csv, "CSV rows with the columns \"-x\", \"/y\", \"z.w\"", "-f z.w"),
            ("id\temail", &tsv, "rows between tabs with the columns \"id\", \"email\"", "-f id"),
            ("id,email", &tsv, "CSV rows with the columns \"id\", \"email\"", "--csv -f id"),
        ] {
            let found = rows(first, formats);
            assert_eq!(found.0, what);
            assert!(found.1.starts_with(flags), "{first}: {}", found.1);
        }
        let wide = (0..100).map(|n| format!("c{n}")).collect::<Vec<_>>().join(",");
        assert!(rows(&wide, &csv).0.ends_with("\"c19\", …"));
    }

    #[test]
    fn fields_of_json_have_the_shortest_name_that_finds_them() {
        let first = br#"{"a":{"b":1,"c.d":"x"},"a.b":2,"e/f":"x","n":null,"l":[1]}"#;
        let names: Vec<_> = json::paths(first, 20).iter().map(|path| name_of(path, first)).collect();
        assert_eq!(names, ["/a/b", "/a/c.d", "a.b", "/e~1f"]);
        // A path is proposed, unless it is too long to be typed.
        assert!(Found::json(br#"{"e/f":"x"}"#).line.contains("-f '/e~1f'"));
        let long = format!("{{\"{}/\":1}}", "x".repeat(LONGEST_NAME));
        assert!(Found::json(long.as_bytes()).line.contains("-f FIELD"));
    }
}
