//! The column of a Parquet file that `-f` names.

use std::collections::HashSet;

use ::parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use super::text::Text;
use crate::input::field::Field;
use crate::input::find::shown_names;
use crate::text::message::shown_key;
use crate::text::nearest::nearest;

/// A column whose values can be keys.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its place among the columns that have values.
    pub leaf: usize,
    /// The name by which `-f` finds it.
    pub name: String,
    /// How its values become text.
    pub text: Text,
}

/// The names of the columns whose values can be keys.
pub fn names(schema: &SchemaDescriptor) -> Vec<String> {
    usable(schema, 0..schema.num_columns())
}

/// The names of those of these columns whose values can be keys.
fn usable(schema: &SchemaDescriptor, leaves: impl IntoIterator<Item = usize>) -> Vec<String> {
    let tops = top_names(schema);
    let columns = leaves.into_iter().filter_map(|leaf| Column::of(schema, &tops, leaf).ok());
    columns.map(|column| column.name).collect()
}

/// The names of the columns that are in no group.
fn top_names(schema: &SchemaDescriptor) -> HashSet<&str> {
    schema.root_schema().get_fields().iter().map(|top| top.name()).collect()
}

impl Column {
    /// The column that `-f` names. A column of that name is found before one that dots lead to.
    pub fn find(schema: &SchemaDescriptor, field: &Field) -> Result<Self, String> {
        let tops = schema.root_schema().get_fields();
        let top = match field {
            Field::Number(n) => match tops.len() {
                len if *n > len => {
                    return Err(format!("no column {n}: the file has {len}; {}", have(schema)));
                }
                _ => Some(n - 1),
            },
            Field::Name(name) => {
                let mut named = (0..).zip(tops).filter(|(_, top)| top.name() == name).map(|(i, _)| i);
                let first = named.next();
                if named.next().is_some() {
                    return Err(format!(
                        "two columns are named {}; give the number of one of them",
                        shown_key(name.as_bytes())
                    ));
                }
                first
            }
            Field::Pointer(_) => None,
        };
        let path = match (top, field) {
            (Some(top), _) => vec![tops[top].name().to_owned()],
            (None, Field::Pointer(pointer)) => {
                pointer[1..].split('/').map(|name| name.replace("~1", "/").replace("~0", "~")).collect()
            }
            (None, named) => {
                let text = named.text();
                text.strip_prefix('.').unwrap_or(&text).split('.').map(str::to_owned).collect::<Vec<_>>()
            }
        };
        let is_there = |leaf: &usize| match top {
            Some(top) => schema.get_column_root_idx(*leaf) == top,
            None => parts(&schema.column(*leaf)).starts_with(&path),
        };
        let leaves: Vec<usize> = (0..schema.num_columns()).filter(is_there).collect();
        match leaves[..] {
            [] => Err(nothing(schema, &field.text())),
            [leaf] if parts(&schema.column(leaf)).len() == path.len() => {
                Self::of(schema, &top_names(schema), leaf)
            }
            _ => Err(group(schema, &path.join("."), leaves)),
        }
    }

    /// A column, if its values can be keys.
    fn of(schema: &SchemaDescriptor, tops: &HashSet<&str>, leaf: usize) -> Result<Self, String> {
        let column = schema.column(leaf);
        let name = name_of(&parts(&column), tops);
        let shown = shown_key(name.as_bytes());
        if column.max_rep_level() > 0 {
            return Err(format!("the column {shown} is a list; expected one value in each row"));
        }
        match Text::of(&column) {
            Ok(text) => Ok(Self { leaf, name, text }),
            Err(why) => Err(format!("the column {shown} is {why}")),
        }
    }
}

/// The name by which `-f` finds the column that these names lead to: with a dot after each group,
/// or as a path if the dots lead to another column.
fn name_of(parts: &[String], tops: &HashSet<&str>) -> String {
    let dotted = parts.join(".");
    if let [_] = parts {
        return dotted;
    }
    match tops.contains(dotted.as_str()) || parts.iter().any(|part| part.contains('.')) {
        true => parts.iter().map(|part| format!("/{}", part.replace('~', "~0").replace('/', "~1"))).collect(),
        false => dotted,
    }
}

/// The names that lead to a column.
fn parts(column: &ColumnDescPtr) -> Vec<String> {
    column.path().parts().to_vec()
}

/// The columns there are, in words.
fn have(schema: &SchemaDescriptor) -> String {
    match names(schema) {
        names if names.is_empty() => "none of its columns can be a key".to_owned(),
        names => format!("those that can be keys are {}", shown_names(names)),
    }
}

/// The error if no column has this name.
fn nothing(schema: &SchemaDescriptor, name: &str) -> String {
    let names = names(schema);
    let meant = nearest(name, names.iter().map(String::as_str));
    let meant = meant.map_or(String::new(), |name| format!("; did you mean {}?", shown_key(name.as_bytes())));
    format!("no column named {}{meant}; {}", shown_key(name.as_bytes()), have(schema))
}

/// The error if the name is that of a group of columns.
fn group(schema: &SchemaDescriptor, name: &str, leaves: Vec<usize>) -> String {
    let usable = usable(schema, leaves);
    let shown = shown_key(name.as_bytes());
    match usable.is_empty() {
        true => {
            format!(
                "the column {shown} is a list, map or group; no row has one value of it that can be a key"
            )
        }
        false => format!("the column {shown} is a group; name a column in it: {}", shown_names(usable)),
    }
}
