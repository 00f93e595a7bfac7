//! The value at a JSON pointer (RFC 6901) in a record, which is read once and never kept: a record
//! of brackets alone would take fourteen times its length as a tree.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::text::message::shown_key;

/// Puts the key at `pointer` of a JSON record into `key`: a string as its text, an integer as its
/// digits.
pub fn key(record: &[u8], pointer: &str, key: &mut Vec<u8>) -> Result<(), String> {
    let found = find(record, pointer, key)
        .map_err(|error| format!("not JSON ({error}); expected one JSON value on each line"))?;
    match found {
        Found::Key => Ok(()),
        Found::Other(value) => Err(format!(
            "the value at {pointer} is {}; expected a string or an integer of 64 bits",
            shown_key(value.as_bytes())
        )),
        Found::Nothing => Err(format!("no value at {pointer}; expected a string or an integer")),
    }
}

/// Is there a value at `pointer` of a JSON record?
pub fn exists(record: &[u8], pointer: &str) -> bool {
    find(record, pointer, &mut Vec::new()).is_ok_and(|found| !matches!(found, Found::Nothing))
}

/// Is the record one object or array of JSON?
pub fn is_container(record: &[u8]) -> bool {
    matches!(record.trim_ascii_start().first(), Some(b'{' | b'['))
        && find(record, "", &mut Vec::new()).is_ok()
}

/// The pointers of the keys in an object of JSON, at most `most`: of strings and integers, also in
/// the objects in it. The fields of a record that is no JSON before its end are among them.
pub fn paths(record: &[u8], most: usize) -> Vec<String> {
    let mut paths = Vec::new();
    let mut json = serde_json::Deserializer::from_slice(record);
    let list = List { path: String::new(), most, paths: &mut paths };
    // What was found before an error counts.
    let _ = list.deserialize(&mut json);
    paths
}

fn find(record: &[u8], pointer: &str, key: &mut Vec<u8>) -> Result<Found, serde_json::Error> {
    let mut found = Found::Nothing;
    let mut json = serde_json::Deserializer::from_slice(record);
    At { rest: pointer, key, found: &mut found }.deserialize(&mut json)?;
    json.end()?;
    Ok(found)
}

/// What is at the pointer.
enum Found {
    Nothing,
    /// A key, which has been copied.
    Key,
    /// A value that is none.
    Other(Cow<'static, str>),
}

/// Looks for the value at `rest`, what is left of the pointer, in the next value.
struct At<'a> {
    rest: &'a str,
    key: &'a mut Vec<u8>,
    found: &'a mut Found,
}

impl<'a> At<'a> {
    /// The pointer ends here: this value is the one.
    fn is_here(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next part of the pointer, and the rest behind it.
    fn next(&self) -> (&'a str, &'a str) {
        let rest = self.rest.strip_prefix('/').unwrap_or(self.rest);
        rest.split_at(rest.find('/').unwrap_or(rest.len()))
    }

    /// Takes a value that has no others in it.
    fn take(self, key: impl FnOnce(&mut Vec<u8>) -> Found) {
        self.key.clear();
        *self.found = if self.is_here() { key(self.key) } else { Found::Nothing };
    }

    fn take_digits(self, digits: impl fmt::Display) {
        self.take(|key| {
            key.extend_from_slice(digits.to_string().as_bytes());
            Found::Key
        });
    }
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.take(|key| {
            key.extend_from_slice(text.as_bytes());
            Found::Key
        });
        Ok(())
    }

    fn visit_u64<E>(self, n: u64) -> Result<(), E> {
        self.take_digits(n);
        Ok(())
    }

    fn visit_i64<E>(self, n: i64) -> Result<(), E> {
        self.take_digits(n);
        Ok(())
    }

    fn visit_f64<E>(self, n: f64) -> Result<(), E> {
        self.take(|_| Found::Other(serde_json::Value::from(n).to_string().into()));
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.take(|_| Found::Other(if value { "true" } else { "false" }.into()));
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.take(|_| Found::Other("null".into()));
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        *self.found = if self.is_here() { Found::Other("[…]".into()) } else { Found::Nothing };
        let (name, rest) = self.next();
        let at = if self.is_here() { None } else { index(name) };
        for i in 0.. {
            let more = match at {
                Some(at) if at == i => {
                    values.next_element_seed(At { rest, key: self.key, found: self.found })?.is_some()
                }
                _ => values.next_element::<Skip>()?.is_some(),
            };
            if !more {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        *self.found = if self.is_here() { Found::Other("{…}".into()) } else { Found::Nothing };
        let (name, rest) = self.next();
        let name = match name.contains('~') {
            true => Cow::Owned(name.replace("~1", "/").replace("~0", "~")),
            false => Cow::Borrowed(name),
        };
        while let Some(is_named) = fields.next_key_seed(Is(&name))? {
            // Of several fields of one name the last counts.
            if is_named && !self.is_here() {
                fields.next_value_seed(At { rest, key: self.key, found: self.found })?;
            } else {
                fields.next_value::<Skip>()?;
            }
        }
        Ok(())
    }
}

/// Lists the pointers of the keys in the next value.
struct List<'a> {
    path: String,
    most: usize,
    paths: &'a mut Vec<String>,
}

impl List<'_> {
    fn take(self) {
        if !self.path.is_empty() && self.paths.len() < self.most {
            self.paths.push(self.path);
        }
    }
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.take();
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.take();
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.take();
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        while values.next_element::<Skip>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<String>()? {
            if self.paths.len() >= self.most {
                fields.next_value::<Skip>()?;
                continue;
            }
            let path = format!("{}/{}", self.path, name.replace('~', "~0").replace('/', "~1"));
            fields.next_value_seed(List { path, most: self.most, paths: &mut *self.paths })?;
        }
        Ok(())
    }
}

/// The place in an array that a part of a pointer names.
fn index(name: &str) -> Option<usize> {
    let is_plain = !name.starts_with('+') && (name == "0" || !name.starts_with('0'));
    name.parse().ok().filter(|_| is_plain)
}

/// Whether the next text is this one.
struct Is<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        Ok(text == self.0)
    }
}

/// Any value, read as strictly as one that is kept: `IgnoredAny` would take bytes that are no
/// UTF-8, and numbers that are out of range.
struct Skip;

impl<'de> serde::Deserialize<'de> for Skip {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(Skip)
    }
}

impl<'de> Visitor<'de> for Skip {
    type Value = Skip;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, _: &str) -> Result<Skip, E> {
        Ok(Skip)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Skip, E> {
        Ok(Skip)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Skip, E> {
        Ok(Skip)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Skip, E> {
        Ok(Skip)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Skip, E> {
        Ok(Skip)
    }

    fn visit_unit<E>(self) -> Result<Skip, E> {
        Ok(Skip)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Skip, A::Error> {
        while values.next_element::<Skip>()?.is_some() {}
        Ok(Skip)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Skip, A::Error> {
        while fields.next_key_seed(Is(""))?.is_some() {
            fields.next_value::<Skip>()?;
        }
        Ok(Skip)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::random::Random;

    /// The same by way of a tree.
    fn by_tree(record: &[u8], pointer: &str) -> Result<Vec<u8>, String> {
        let value: Value = serde_json::from_slice(record)
            .map_err(|error| format!("not JSON ({error}); expected one JSON value on each line"))?;
        match value.pointer(pointer) {
            Some(Value::String(text)) => Ok(text.as_bytes().to_vec()),
            Some(Value::Number(n)) if n.is_i64() || n.is_u64() => Ok(n.to_string().into_bytes()),
            Some(other) => {
                let shown = match other {
                    Value::Array(_) => "[…]".to_owned(),
                    Value::Object(_) => "{…}".to_owned(),
                    other => other.to_string(),
                };
                Err(format!(
                    "the value at {pointer} is {}; expected a string or an integer of 64 bits",
                    shown_key(shown.as_bytes())
                ))
            }
            None => Err(format!("no value at {pointer}; expected a string or an integer")),
        }
    }

    fn compare(record: &[u8], pointer: &str) -> bool {
        let mut found = b"before".to_vec();
        let read = key(record, pointer, &mut found).map(|()| found);
        assert_eq!(read, by_tree(record, pointer), "{pointer} in {:?}", String::from_utf8_lossy(record));
        read.is_ok()
    }

    #[test]
    fn keys_are_those_of_the_tree() {
        let deep = |n: usize| ["[".repeat(n), "]".repeat(n)].concat();
        let records = [
            r#"{"a":"x","b":{"a":[1,{"a":-2},"\ud83d\ude00\n"]}}"#,
            r#"{"a":1,"a":{"a":"last"},"":{"":"empty"},"a/b":"slash","m~n":"tilde","0":"zero"}"#,
            r#"{"a":{"a":1},"a":2}"#,
            r#"{"a":1.0,"b":null,"c":true}"#,
            "[0,18446744073709551615,-9223372036854775808,18446744073709551616,1e3,-0]",
            r#" {"a" : "x" } "#,
            r#"{"a":"x"} x"#,
            r#"{"a":"x","b":1e999}"#,
            r#"{"a":"x","b":"\ud800"}"#,
            r#"{"a":"x""#,
            r#""text""#,
            "12",
            "",
            &format!(r#"{{"a":"x","b":{}}}"#, deep(126)),
            &format!(r#"{{"a":"x","b":{}}}"#, deep(127)),
            &format!(r#"{{"a":"x","b":{}}}"#, deep(100_000)),
        ];
        let pointers = [
            "/a", "/b", "/b/a", "/b/a/0", "/b/a/1/a", "/b/a/2", "/b/a/3", "/", "//", "/a~1b", "/m~0n", "/0",
            "/1", "/2", "/3", "/4", "/5", "/00", "/+1", "/-1", "/a/a", "/x", "/c",
        ];
        for record in records {
            for pointer in pointers {
                compare(record.as_bytes(), pointer);
            }
        }
        assert!(!compare(b"{\"a\":\"x\",\"b\":\"\xff\"}", "/a"));
        assert!(!compare(b"{\"a\":\"x\",\"\xff\":1}", "/a"));
    }

    #[test]
    fn keys_are_those_of_the_tree_in_random_records() {
        let mut random = Random::new(0x5eed);
        let parts =
            ["{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-2", "1.5", "true", "null", " ", "\"a\":"];
        let mut read = 0;
        for _ in 0..200_000 {
            let record: String = (0..random.below(14)).map(|_| parts[random.below(15) as usize]).collect();
            for record in [format!("{{\"a\":{record}}}"), format!("[{record}]")] {
                for pointer in ["/a", "/0", "/a/b", "/a/1"] {
                    read += u32::from(compare(record.as_bytes(), pointer));
                }
            }
        }
        assert!(read > 1000, "{read}");
    }
}
