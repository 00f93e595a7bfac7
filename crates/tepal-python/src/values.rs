//! The values of a map as Python has them: whole numbers, or texts, which are names.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use tepal::{KeyRef, KeySink, hash::KeyHasher};

use crate::column::{self, Fault, Source};
use crate::objects::{iterated, numbered};
use crate::{error, key};

/// Values that have names, at most.
const MOST_NAMES: usize = 1 << 16;
/// Objects between two looks at Ctrl-C.
const BATCH: usize = 4096;

/// What is made of each row of a column, or of each object.
pub(crate) trait Read: Send {
    type Out: Send;
    /// What the rows are, for an error.
    const WHAT: &'static str;

    fn row(&mut self, row: KeyRef<'_>) -> Result<Self::Out, Fault>;

    fn object(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Self::Out>;
}

/// Keys are hashed.
pub(crate) struct Hashed<'a>(pub(crate) &'a KeyHasher);

impl Read for Hashed<'_> {
    type Out = u64;
    const WHAT: &'static str = "keys";

    fn row(&mut self, row: KeyRef<'_>) -> Result<u64, Fault> {
        self.0.hash(&row).map_err(Fault::Library)
    }

    fn object(&mut self, object: &Bound<'_, PyAny>) -> PyResult<u64> {
        self.0.hash(&key::of(object)?).map_err(|error| error::of(object.py(), error))
    }
}

/// Numbers as they are, and names by their numbers.
#[derive(Default)]
pub(crate) struct Values {
    names: Vec<String>,
    by_name: HashMap<String, u32>,
    /// Did the caller say which names there are?
    are_given: bool,
    has_numbers: bool,
}

impl Read for Values {
    type Out = u32;
    const WHAT: &'static str = "values";

    fn row(&mut self, row: KeyRef<'_>) -> Result<u32, Fault> {
        let value = match row {
            KeyRef::Signed(number) => self.number(u64::try_from(number).ok(), || number.to_string()),
            KeyRef::Unsigned(number) => self.number(Some(number), || number.to_string()),
            KeyRef::Bytes(text) => match std::str::from_utf8(text) {
                Ok(text) => self.named(text),
                Err(_) => Err("a value is bytes that are no UTF-8, and the name of a value is text".into()),
            },
            _ => Err("a value is a tuple; it must be a whole number or a text".into()),
        };
        value.map_err(Fault::Value)
    }

    fn object(&mut self, object: &Bound<'_, PyAny>) -> PyResult<u32> {
        let py = object.py();
        if let Ok(text) = object.cast::<PyString>() {
            let Ok(text) = text.to_str() else {
                return Err(error::parameter(
                    py,
                    "the name of a value has a surrogate, which UTF-8 does not have",
                ));
            };
            return self.named(text).map_err(|text| error::parameter(py, text));
        }
        let name = key::type_name(object);
        let is_bool = object.is_instance_of::<PyBool>() || name.starts_with("numpy.bool");
        if is_bool || !object.hasattr("__index__")? {
            let advice = if object.is_none() { "; leave the key out: it has no value then" } else { "" };
            let text = format!(
                "{name} is no value; a value is a whole number (int) from 0 to 2**32 - 1, or a name (str){advice}"
            );
            return Err(error::wrong_argument(py, text));
        }
        let shown = || {
            let shown = object.str().map_or_else(|_| "out of reach".into(), |text| text.to_string());
            if shown.len() > 40 { "of very many digits".into() } else { shown }
        };
        self.number(object.extract().ok(), shown).map_err(|text| error::parameter(py, text))
    }
}

impl Values {
    /// Values of these names, that of 0 first; of whatever comes, where there are none.
    pub(crate) fn new(py: Python<'_>, names: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut values = Values::default();
        let Some(names) = names else { return Ok(values) };
        if names.is_instance_of::<PyString>() {
            let text = "names is one text; it must be a list of texts, that of the value 0 first";
            return Err(error::wrong_type(py, text));
        }
        // One more than there can be: the library refuses them then.
        for name in iterated(names, "holds no names; give a list of texts (str)")?.take(MOST_NAMES + 1) {
            let name = name?;
            let Ok(text) = name.cast::<PyString>() else {
                let text = format!("{} is no name of a value; give a text (str)", key::type_name(&name));
                return Err(error::wrong_type(py, text));
            };
            let Ok(text) = text.to_str() else {
                return Err(error::parameter(
                    py,
                    "the name of a value has a surrogate, which UTF-8 does not have",
                ));
            };
            values.by_name.insert(text.into(), values.names.len() as u32);
            values.names.push(text.into());
        }
        if values.names.is_empty() {
            return Err(error::parameter(py, "names is empty; leave it out where values have no names"));
        }
        values.are_given = true;
        Ok(values)
    }

    fn number(&mut self, number: Option<u64>, shown: impl FnOnce() -> String) -> Result<u32, String> {
        self.has_numbers = true;
        number
            .and_then(|number| u32::try_from(number).ok())
            .ok_or_else(|| format!("a value is {}; it must be from 0 to 2**32 - 1", shown()))
    }

    fn named(&mut self, name: &str) -> Result<u32, String> {
        if let Some(number) = self.by_name.get(name) {
            return Ok(*number);
        }
        if self.are_given {
            return Err(format!("the value {} is none of `names`; give its name there, too", shown(name)));
        }
        if self.names.len() == MOST_NAMES {
            return Err(format!(
                "{} would be name {}, and values have 65,536 names at most; give them as numbers, and keep their names elsewhere",
                shown(name),
                MOST_NAMES + 1
            ));
        }
        let number = self.names.len() as u32;
        self.by_name.insert(name.into(), number);
        self.names.push(name.into());
        Ok(number)
    }

    /// The names, and the values of these pairs as their numbers. Names that nobody has put in an
    /// order are sorted, so that the order of the pairs does not matter.
    pub(crate) fn finish(self, pairs: &mut [(u64, u32)]) -> Result<Vec<String>, String> {
        if self.are_given || self.names.is_empty() {
            return Ok(self.names);
        }
        if self.has_numbers {
            return Err("some values are numbers, and some are texts; give all as texts, or `names=` with those of the numbers".into());
        }
        let mut sorted = self.names.clone();
        sorted.sort_unstable();
        let mut places = vec![0; sorted.len()];
        for (place, name) in (0..).zip(&sorted) {
            places[self.by_name[name] as usize] = place;
        }
        pairs.iter_mut().for_each(|pair| pair.1 = places[pair.1 as usize]);
        Ok(sorted)
    }
}

/// The name as an error shows it.
fn shown(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}...", &name[..end]),
        None => format!("{name:?}"),
    }
}

/// What is made of all rows, with nothing for a null.
pub(crate) fn read<R: Read>(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    reader: &mut R,
) -> PyResult<Vec<Option<R::Out>>> {
    let mut all = Vec::new();
    match column::source(rows, None)? {
        Source::Rows(rows) => rows.each(py, |column| {
            let mut failed = None;
            column::each_row(py, column, &mut |start, keys| {
                for i in 0..keys.len() {
                    if failed.is_some() {
                        return;
                    }
                    if column.has_nulls() && column.is_null(start + i) {
                        all.push(None);
                        continue;
                    }
                    match reader.row(keys.key(i, &mut KeySink::new())) {
                        Ok(out) => all.push(Some(out)),
                        Err(fault) => failed = Some(fault),
                    }
                }
            })?;
            failed.map_or(Ok(()), |fault| Err(fault.raise(py)))
        })?,
        Source::Objects(objects) => {
            let expected =
                "holds no rows; give a list or another iterable, a numpy array, or an Arrow column";
            for (i, object) in iterated(&objects.all, expected)?.enumerate() {
                if object.as_ref().is_ok_and(|object| objects.is_null(object)) {
                    all.push(None);
                    continue;
                }
                let out = object.and_then(|object| reader.object(&object));
                all.push(Some(out.map_err(|error| numbered(py, error, i, R::WHAT))?));
                if i % BATCH == 0 {
                    py.check_signals()?;
                }
            }
        }
    }
    Ok(all)
}

/// The hash and the value of each pair of a mapping or an iterable.
pub(crate) fn read_pairs(
    pairs: &Bound<'_, PyAny>,
    keys: &mut Hashed<'_>,
    values: &mut Values,
) -> PyResult<Vec<(u64, u32)>> {
    let py = pairs.py();
    let is_mapping = pairs.hasattr("keys")? && pairs.hasattr("items")?;
    let items = if is_mapping { pairs.call_method0("items")? } else { pairs.clone() };
    let expected =
        "holds no pairs; give a dict, a list of pairs (key, value), or columns to RibbonMap.from_columns()";
    let mut all = Vec::new();
    for (i, item) in iterated(&items, expected)?.enumerate() {
        let pair = item.and_then(|item| {
            let (key, value) = pair_of(&item)?;
            Ok((keys.object(&key)?, values.object(&value)?))
        });
        all.push(pair.map_err(|error| numbered(py, error, i, "pairs"))?);
        if i % BATCH == 0 {
            py.check_signals()?;
        }
    }
    Ok(all)
}

/// A tuple or a list of two. A text of two characters is none.
fn pair_of<'py>(item: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let is_pair =
        item.is_instance_of::<pyo3::types::PyTuple>() || item.is_instance_of::<pyo3::types::PyList>();
    if is_pair && item.len()? == 2 {
        return Ok((item.get_item(0)?, item.get_item(1)?));
    }
    let found = match is_pair {
        true => format!("a {} of {}", key::type_name(item), item.len()?),
        false => key::type_name(item),
    };
    let text = format!(
        "{found} is no pair; give a tuple (key, value) for each, or two columns to RibbonMap.from_columns()"
    );
    Err(error::wrong_argument(item.py(), text))
}
