//! JSON values whose objects keep their order, and how they are printed.

use serde_json::Value;

/// A JSON value.
pub(crate) enum Json {
    /// A text, a number, `true`, `false` or `null`, in its printed form.
    Plain(String),
    /// A list.
    List(Vec<Json>),
    /// An object. Values that are [`Json::Absent`] are left out.
    Object(Vec<(&'static str, Json)>),
    /// No value.
    Absent,
}

/// A text, a number, a truth value or null.
pub(crate) fn plain(value: impl Into<Value>) -> Json {
    Json::Plain(value.into().to_string())
}

/// A list.
pub(crate) fn list(values: impl IntoIterator<Item = Json>) -> Json {
    Json::List(values.into_iter().collect())
}

/// An object.
pub(crate) fn object(fields: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    Json::Object(fields.into_iter().collect())
}

/// A value or nothing.
pub(crate) fn optional(value: Option<Json>) -> Json {
    value.unwrap_or(Json::Absent)
}

/// A value that is there only under a condition.
pub(crate) fn only(there: bool, value: Json) -> Json {
    if there { value } else { Json::Absent }
}

/// Bytes as hexadecimal digits in small letters.
pub(crate) fn hex(bytes: &[u8]) -> Json {
    plain(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// A hash, seed or checksum: `0x` and 16 digits.
pub(crate) fn hex64(value: u64) -> Json {
    plain(format!("{value:#018x}"))
}

/// A count or a position as decimal text.
pub(crate) fn decimal(value: u64) -> Json {
    plain(value.to_string())
}

/// Counts or positions.
pub(crate) fn decimals(values: &[u64]) -> Json {
    list(values.iter().map(|&value| decimal(value)))
}

impl Json {
    /// The text of a file. Objects and lists down to depth `levels` have one value in each line.
    /// Deeper ones are written within this line. So a case is one line, and a difference is easy to
    /// see.
    pub(crate) fn print(&self, levels: usize) -> String {
        let mut text = String::new();
        self.print_to(&mut text, 1, levels);
        text.push('\n');
        text
    }

    fn print_to(&self, text: &mut String, depth: usize, levels: usize) {
        let (brackets, values): (&str, Vec<(Option<&str>, &Json)>) = match self {
            Json::Plain(printed) => return text.push_str(printed),
            Json::List(values) => ("[]", values.iter().map(|value| (None, value)).collect()),
            Json::Object(fields) => ("{}", fields.iter().map(|(name, value)| (Some(*name), value)).collect()),
            Json::Absent => return text.push_str("null"),
        };
        let lines = depth <= levels;
        let mut empty = true;
        text.push_str(&brackets[..1]);
        for (name, value) in values {
            if name.is_some() && matches!(value, Json::Absent) {
                continue;
            }
            match (empty, lines) {
                (true, true) => text.push_str(&format!("\n{}", "  ".repeat(depth))),
                (true, false) => {}
                (false, true) => text.push_str(&format!(",\n{}", "  ".repeat(depth))),
                (false, false) => text.push_str(", "),
            }
            empty = false;
            if let Some(name) = name {
                text.push_str(&format!("\"{name}\": "));
            }
            value.print_to(text, depth + 1, levels);
        }
        if lines && !empty {
            text.push_str(&format!("\n{}", "  ".repeat(depth - 1)));
        }
        text.push_str(&brackets[1..]);
    }
}
