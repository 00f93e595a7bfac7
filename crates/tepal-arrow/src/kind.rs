//! Which types of Arrow hold keys, and which keys.

use std::fmt::Write;

use crate::ffi::ArrowSchema;

/// What an array holds, of all that can be keys.
#[derive(Clone, Debug)]
pub struct Type(pub(crate) Kind);

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Nothing but nulls.
    Null,
    /// Integers: bytes of one, and whether they have a sign.
    Integers(usize, bool),
    /// Text or bytes by offsets of 32 bits.
    Short,
    /// The same by offsets of 64 bits.
    Long,
    /// Text or bytes by views.
    Views,
    /// Byte strings of one length.
    Fixed(usize),
    /// UUIDs.
    Uuid,
    /// The integers of a dictionary, and what it holds.
    Dictionary(Box<Kind>, Box<Kind>),
    /// A table of one column.
    OneColumn(Box<Kind>),
}

/// Extension types whose values are the texts that they are stored as.
const TEXTS: [&str; 1] = ["arrow.json"];

impl Type {
    /// What the schema says.
    ///
    /// # Errors
    /// What is there instead, with the way out, to stand behind "a column of".
    pub fn of(schema: &ArrowSchema) -> Result<Self, String> {
        // A struct of rows that are never null is a table. A column of structs looks the same, but
        // for this flag.
        let kind = match schema.format() {
            Some("+s") if !schema.is_nullable() && name_of(schema).is_none() => one_column(schema)?,
            _ => kind(schema)?,
        };
        Ok(Type(kind))
    }

    /// Whether its values are UUIDs, whose keys are their texts. A filter of another program may
    /// hold their bytes.
    #[must_use]
    pub fn is_uuid(&self) -> bool {
        self.0.is_uuid()
    }
}

impl Kind {
    pub(crate) fn is_uuid(&self) -> bool {
        match self {
            Kind::Dictionary(_, values) | Kind::OneColumn(values) => values.is_uuid(),
            kind => matches!(kind, Kind::Uuid),
        }
    }
}

fn kind(schema: &ArrowSchema) -> Result<Kind, String> {
    let Some(format) = schema.format() else { return Err("an empty schema; give the column itself".into()) };
    if let Some(extended) = extended(schema, format)? {
        return Ok(extended);
    }
    if let Some(values) = schema.dictionary() {
        let index = integers(format).ok_or_else(|| format!("a dictionary by {format}; cast it to string"))?;
        return Ok(Kind::Dictionary(Box::new(index), Box::new(kind(values)?)));
    }
    if let Some(integers) = integers(format) {
        return Ok(integers);
    }
    match format {
        "n" => Ok(Kind::Null),
        "u" | "z" => Ok(Kind::Short),
        "U" | "Z" => Ok(Kind::Long),
        "vu" | "vz" => Ok(Kind::Views),
        "+s" => Err(format!(
            "structs ({}) is no column of keys: a struct of one field is not its field; give the field, or a \
             column of strings, bytes or integers",
            names(schema)
        )),
        _ => match format.strip_prefix("w:").map(str::parse) {
            Some(Ok(width)) => Ok(Kind::Fixed(width)),
            _ => Err(refused(format)),
        },
    }
}

fn name_of(schema: &ArrowSchema) -> Option<&[u8]> {
    schema.metadata("ARROW:extension:name").filter(|name| !name.is_empty())
}

/// What a column of an extension type holds; `None` if its values are what they are stored as.
fn extended(schema: &ArrowSchema, format: &str) -> Result<Option<Kind>, String> {
    let Some(name) = name_of(schema) else { return Ok(None) };
    let name = String::from_utf8_lossy(name);
    match (&*name, format) {
        ("arrow.uuid", "w:16") => Ok(Some(Kind::Uuid)),
        (name, "u" | "U" | "vu") if TEXTS.contains(&name) => Ok(None),
        ("arrow.bool8", _) => {
            Err("arrow.bool8, which is true and false, is no column of keys; say which text or \
                                   number stands for true: true is not 1"
                .into())
        }
        _ => {
            let mut shown = shown(&name);
            if let Some(more) = schema.metadata("ARROW:extension:metadata").filter(|more| !more.is_empty()) {
                let _ = write!(shown, " {}", self::shown(&String::from_utf8_lossy(more)));
            }
            Err(format!(
                "the extension type {shown} (stored as Arrow's {format:?}) is no column of keys: nobody here knows \
                 what its bytes mean; cast it to string, binary or int64"
            ))
        }
    }
}

/// Text of another program as an error shows it: a line, not too long.
fn shown(text: &str) -> String {
    const MOST: usize = 80;
    let escaped = text.chars().take(MOST).flat_map(|char| match char.is_control() {
        true => char.escape_default().collect::<Vec<_>>(),
        false => vec![char],
    });
    let line: String = escaped.collect();
    if text.chars().nth(MOST).is_some() { line + "..." } else { line }
}

fn integers(format: &str) -> Option<Kind> {
    Some(match format {
        "c" => Kind::Integers(1, true),
        "C" => Kind::Integers(1, false),
        "s" => Kind::Integers(2, true),
        "S" => Kind::Integers(2, false),
        "i" => Kind::Integers(4, true),
        "I" => Kind::Integers(4, false),
        "l" => Kind::Integers(8, true),
        "L" => Kind::Integers(8, false),
        _ => return None,
    })
}

fn one_column(schema: &ArrowSchema) -> Result<Kind, String> {
    let children: Vec<_> = schema.children().collect();
    match children.as_slice() {
        [only] => Ok(Kind::OneColumn(Box::new(kind(only)?))),
        all => Err(format!(
            "{} columns ({}), and one is expected; give the column of the keys",
            all.len(),
            names(schema)
        )),
    }
}

fn names(schema: &ArrowSchema) -> String {
    let names: Vec<_> = schema.children().map(ArrowSchema::name).collect();
    names.join(", ")
}

/// The name of a type that is no key, and the way out.
fn refused(format: &str) -> String {
    let (name, advice) = match format {
        "b" => ("bool", "say which text or number stands for true: true is not 1"),
        "e" | "f" | "g" => (
            "floating-point numbers",
            "floats have other bytes and texts in other languages; cast them to int64 or string",
        ),
        "+r" => ("run-end encoded values", "cast them to the type of the values"),
        _ if format.starts_with('d') => ("decimals", "cast them to int64 or string"),
        _ if format.starts_with('t') => {
            ("dates or times", "cast them to int64 or string, and say so to who asks")
        }
        _ if format.starts_with('+') => {
            ("lists, maps or unions", "give a column of strings, bytes or integers")
        }
        _ => ("a type that is no key", "cast it to int64 or string"),
    };
    format!("{name} (Arrow's {format:?}) is no column of keys; {advice}")
}

#[cfg(test)]
mod tests;
