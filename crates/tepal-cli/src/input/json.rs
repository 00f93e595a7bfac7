//! The value at a JSON pointer (RFC 6901) in a record, which is read once and never kept: a record
//! of brackets alone would take fourteen times its length as a tree.
//!
//! Of the other values only the syntax is read. A number that is out of range, a lone surrogate,
//! bytes that are no UTF-8 or many brackets there do not matter to the key.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::text::message::shown_key;

/// Puts the key at `pointer` of a JSON record into `key`: a string as its text, an integer as its
/// digits. `false` if the value is null.
pub fn key(record: &[u8], pointer: &str, key: &mut Vec<u8>) -> Result<bool, String> {
    let found = find(record, pointer, key)
        .map_err(|error| format!("not JSON ({error}); expected one JSON value on each line"))?;
    match found {
        Found::Key => Ok(true),
        Found::Null => Ok(false),
        Found::Other(value) => Err(no_key(pointer, &value)),
        Found::Nothing => Err(format!("no value at {pointer}; expected a string or an integer")),
    }
}

/// The error for a value that is no key.
pub fn no_key(pointer: &str, value: &str) -> String {
    let value = shown_key(value.as_bytes());
    format!("the value at {pointer} is {value}; expected a string or an integer of 64 bits")
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

/// The number of values of a record that is an array of JSON.
pub fn len_of_array(record: &[u8]) -> Option<usize> {
    serde_json::from_slice::<Vec<IgnoredAny>>(record).ok().map(|values| values.len())
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
    /// Null.
    Null,
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
        self.take(|_| Found::Null);
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
                _ => values.next_element::<IgnoredAny>()?.is_some(),
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
                fields.next_value::<IgnoredAny>()?;
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
        while values.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<String>()? {
            if self.paths.len() >= self.most {
                fields.next_value::<IgnoredAny>()?;
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

/// Whether the next name is this one. A name that is no text is another.
struct Is<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Is<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<bool, D::Error> {
        json.deserialize_bytes(self)
    }
}

impl Visitor<'_> for Is<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_bytes<E>(self, name: &[u8]) -> Result<bool, E> {
        Ok(name == self.0.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::random::Random;

    /// The same by way of a tree.
    fn by_tree(record: &[u8], pointer: &str) -> Result<Option<Vec<u8>>, String> {
        let value: Value = serde_json::from_slice(record)
            .map_err(|error| format!("not JSON ({error}); expected one JSON value on each line"))?;
        match value.pointer(pointer) {
            Some(Value::String(text)) => Ok(Some(text.as_bytes().to_vec())),
            Some(Value::Number(n)) if n.is_i64() || n.is_u64() => Ok(Some(n.to_string().into_bytes())),
            Some(Value::Null) => Ok(None),
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
        let read = key(record, pointer, &mut found).map(|is_key| is_key.then_some(found));
        // In what way a value that is passed over is no JSON, another reader says in other words.
        let plain = |text: String| text.split(" (").next().map(str::to_owned);
        let (found, expected) = (read.clone().map_err(plain), by_tree(record, pointer).map_err(plain));
        assert_eq!(found, expected, "{pointer} in {:?}", String::from_utf8_lossy(record));
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
            r#"{"a":"x","b":1,"c":[}"#,
            r#"{"a":"x""#,
            r#""text""#,
            "12",
            "",
            &format!(r#"{{"a":"x","b":{}}}"#, deep(126)),
        ];
        let pointers = [
            "/a", "/b", "/b/a", "/b/a/0", "/b/a/1/a", "/b/a/2", "/b/a/3", "/", "//", "/a~1b", "/m~0n", "/0",
            "/1", "/2", "/3", "/4", "/5", "/00", "/+1", "/-1", "/a/a", "/x",
        ];
        for record in records {
            for pointer in pointers {
                compare(record.as_bytes(), pointer);
            }
        }
    }

    #[test]
    fn only_the_value_of_the_key_decides() {
        let deep = |n: usize| ["[".repeat(n), "]".repeat(n)].concat().into_bytes();
        let hard = [
            b"1e400".to_vec(),
            b"-1e999".to_vec(),
            br#""\ud800""#.to_vec(),
            b"\"\xff\"".to_vec(),
            deep(129),
            deep(100_000),
        ];
        for value in &hard {
            let mut found = Vec::new();
            for (before, after) in [
                (&b"{\"a\":\"x\",\"b\":"[..], &b"}"[..]),
                (b"{\"b\":", b",\"a\":\"x\"}"),
                (b"{\"a\":\"x\",\"b\":{\"c\":[1,", b"]}}"),
                (b"{\"\xff\":1,\"\\ud800\":2,\"a\":\"x\",\"b\":", b"}"),
            ] {
                let record = [before, value, after].concat();
                assert_eq!(
                    key(&record, "/a", &mut found),
                    Ok(true),
                    "{:?}",
                    String::from_utf8_lossy(&record[..40.min(record.len())])
                );
                assert_eq!(found, b"x");
            }
            let own = [&b"{\"a\":"[..], value, b"}"].concat();
            assert!(key(&own, "/a", &mut found).is_err());
        }
        for record in
            [r#"{"a":"x","b":1e}"#, r#"{"a":"x","b":"\u12"}"#, r#"{"a":"x","b":[}"#, r#"{"a":"x"} x"#]
        {
            assert!(key(record.as_bytes(), "/a", &mut Vec::new()).is_err(), "{record}");
        }
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
