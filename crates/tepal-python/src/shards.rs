//! Which of several files a key is in.

use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use tepal::{Key, KeySink, Keys, hash::KeyHasher};

use crate::args::arg;
use crate::column::{self, Source};
use crate::{error, key, options};

/// shards_of(keys, shards, key_domain="bytes")
///
/// Which of so many shards each key is in, from 0: four bytes a key, as `numpy.frombuffer(...,
/// "uint32")` reads them. For a null, and for a key that the key domain does not have, the number
/// means nothing.
///
/// The hash is one of its own, with the seed of the purpose `shard`, so that the filters of the
/// shards keep their rate: with that hash h it is floor(h * shards / 2**64).
///
/// >>> memoryview(tepal.shards_of(["apple", "banana", "cherry"], 4)).cast("I").tolist()
/// [2, 2, 0]
#[pyfunction]
#[pyo3(signature = (keys, shards, key_domain="bytes"))]
pub(crate) fn shards_of<'py>(
    py: Python<'py>,
    keys: &Bound<'py, PyAny>,
    shards: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arg)] key_domain: &str,
) -> PyResult<Bound<'py, PyByteArray>> {
    let shards = match u32::try_from(options::whole("the number of shards", shards)?) {
        Ok(shards) if shards > 0 => shards,
        _ => return Err(error::parameter(py, "the number of shards must be from 1 to 2**32 - 1")),
    };
    let builder = tepal::BloomFilter::builder().key_domain(options::named(py, key_domain)?).seed_for("shard");
    let hasher = builder.key_hasher().map_err(|error| error::of(py, error))?;
    let mut numbers = Vec::new();
    match column::source(keys, None)? {
        Source::Rows(rows) => rows.each(py, |column| {
            column::each_row(py, column, &mut |_, keys| put_all(&hasher, keys, shards, &mut numbers))
        })?,
        Source::Objects(objects) => {
            for object in objects.all.try_iter()? {
                let object = object?;
                let number =
                    if objects.is_null(&object) { 0 } else { shard_of(&hasher, &key::of(&object)?, shards) };
                numbers.extend_from_slice(&number.to_ne_bytes());
            }
        }
    }
    Ok(PyByteArray::new(py, &numbers))
}

fn put_all(hasher: &KeyHasher, keys: &dyn Keys, shards: u32, numbers: &mut Vec<u8>) {
    for i in 0..keys.len() {
        numbers.extend_from_slice(&shard_of(hasher, &keys.key(i, &mut KeySink::new()), shards).to_ne_bytes());
    }
}

fn shard_of<K: Key>(hasher: &KeyHasher, key: &K, shards: u32) -> u32 {
    let hash = hasher.hash(key).unwrap_or(0);
    // Below `shards`.
    ((u128::from(hash) * u128::from(shards)) >> 64) as u32
}
