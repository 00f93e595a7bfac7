//! The library's errors as exceptions. The classes are in `python/tepal/_errors.py`.

use std::io::ErrorKind;

use pyo3::prelude::*;
use pyo3::types::PyType;
use tepal::Error;

/// Calls that the texts of the library's errors name, and what they are here.
const CALLS: &[(&str, &str)] = &[
    (" (`Open::secret_key`)", " (`secret_key=`)"),
    (" (`Open::seal_key`)", " (`seal_key=`)"),
    (" (`seed_for`, `--seed-for`)", " (`seed=tepal.seed_for(...)`)"),
    ("(`seed_for`, `--seed-for`)", "(`seed=tepal.seed_for(...)`)"),
    (" (`secret_key`, `--secret`)", " (`secret_key=`)"),
    (" (`count_bits`, `--count-bits`)", " (`count_bits=`)"),
    (" (`Labels::name`)", " (`name=`)"),
    ("`BloomFilter::save`", "`save`"),
    ("; use the calls that take keys", ""),
    ("; hash it and use the `_hash` calls", "; ask it in a program in Rust"),
    ("use a newer tepal, or one with more features", "use a newer tepal"),
];

/// An exception of the package, by the name of its class.
pub(crate) fn new(py: Python<'_>, class: &str, text: String) -> PyErr {
    let made = py
        .import("tepal._errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.cast_into::<PyType>().map_err(PyErr::from));
    match made {
        Ok(class) => PyErr::from_type(class, text),
        Err(error) => error,
    }
}

/// A value that a call cannot take: a `ValueError`.
pub(crate) fn parameter(py: Python<'_>, text: impl Into<String>) -> PyErr {
    new(py, "ParameterError", text.into())
}

/// An object that is no key, or no column of keys: a `TypeError`.
pub(crate) fn wrong_type(py: Python<'_>, text: impl Into<String>) -> PyErr {
    new(py, "KeyTypeError", text.into())
}

/// A value that is no key, of a type that has keys: a `ValueError`.
pub(crate) fn wrong_key(py: Python<'_>, text: impl Into<String>) -> PyErr {
    new(py, "KeyValueError", text.into())
}

/// Any error of the library.
pub(crate) fn of(py: Python<'_>, error: Error) -> PyErr {
    match error {
        Error::Io { ref source, .. } => {
            let class = match source.kind() {
                ErrorKind::NotFound => "FileMissingError",
                ErrorKind::PermissionDenied => "FilePermissionError",
                ErrorKind::IsADirectory => "FileIsADirectoryError",
                _ => "FileError",
            };
            let number = source.raw_os_error();
            let raised = new(py, class, text_of(&error));
            if let Some(number) = number {
                // Whoever catches an `OSError` looks at its number.
                let _ = raised.value(py).setattr("errno", number);
            }
            raised
        }
        error => new(py, class_of(&error), text_of(&error)),
    }
}

fn class_of(error: &Error) -> &'static str {
    match error {
        Error::CapacityReached { .. } | Error::KeysClustered { .. } => "CapacityError",
        Error::TooManyCopies { .. } | Error::NumbersClustered { .. } => "CapacityError",
        Error::TooLarge { .. } => "TooLargeError",
        Error::KeyRefused { .. } => "KeyValueError",
        Error::Incompatible { .. } | Error::Unconvertible { .. } => "IncompatibleError",
        Error::NotPossible { .. } | Error::NoHash { .. } | Error::CallerHashes { .. } => "NotPossibleError",
        Error::NotTepal { .. } | Error::NotOfFormat { .. } | Error::Unsupported { .. } => "FormatError",
        Error::PastLimit { .. } => "FormatError",
        Error::Damaged { .. } => "DamagedError",
        Error::KeyRequired | Error::WrongKey | Error::KeyNotUsed => "SecretError",
        Error::SealRequired | Error::WrongSeal | Error::NotSealed => "SecretError",
        Error::FileExists { .. } | Error::FileChanged { .. } | Error::Io { .. } => "FileError",
        // Everything else is a value that was given. The library's errors may grow.
        _ => "ParameterError",
    }
}

fn text_of(error: &Error) -> String {
    CALLS.iter().fold(error.to_string(), |text, (there, here)| text.replace(there, here))
}

/// The same error of a call that had inserted `done` keys before the piece of it that failed.
pub(crate) fn after(done: usize, mut error: Error) -> Error {
    match &mut error {
        Error::CapacityReached { inserted, .. }
        | Error::KeysClustered { inserted, .. }
        | Error::TooManyCopies { inserted, .. }
        | Error::NumbersClustered { inserted, .. } => *inserted += done,
        _ => {}
    }
    error
}
