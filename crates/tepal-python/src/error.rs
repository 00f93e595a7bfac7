//! The library's errors as exceptions. The classes are in `python/tepal/_errors.py`.

use std::io::ErrorKind;

use pyo3::PyErrArguments;
use pyo3::prelude::*;
use pyo3::types::PyType;
use tepal::Error;
use tepal::error::{Door, WayOut};
use tepal::facts::Warning;

/// The package as a door of the library: its calls and arguments.
struct Package;

impl Door for Package {
    fn way_out(&self, way: WayOut) -> Option<&'static str> {
        call(way)
    }
}

const fn call(way: WayOut) -> Option<&'static str> {
    Some(match way {
        WayOut::Seed => "`seed=tepal.seed_for(...)`",
        WayOut::Secret | WayOut::OpenSecret => "`secret_key=`",
        WayOut::OpenSeal => "`seal_key=`",
        WayOut::Name => "`name=`",
        WayOut::Capacity => "`capacity=`",
        WayOut::First => "`first=`",
        WayOut::Expansion => "`expansion=`",
        WayOut::OverCapacity => "`over_capacity`",
        WayOut::ValueNames => "`names=`",
        WayOut::CountBits => "`count_bits=`",
        WayOut::WindowLength => "`window=`, `window_of_keys=`",
        WayOut::Insert => "`add`",
        WayOut::InsertInSegment | WayOut::AddSegment => "`add(segment, key)`",
        WayOut::DropSegment => "`drop_segment`",
        WayOut::Freeze => "`freeze`",
        WayOut::ShrinkToFit | WayOut::FoldFactors => "`shrink_to`",
        WayOut::Static => "`tepal.RibbonFilter(keys)`",
        WayOut::Map | WayOut::StaticSegments => "`tepal.RibbonMap(pairs)`",
        WayOut::Deletable => "`tepal.QuotientFilter`",
        WayOut::Growing => "`tepal.GrowingFilter`",
        WayOut::GrowingDeletable => "`tepal.GrowingFilter(deletable=True)`",
        WayOut::Window => "`tepal.ExpiringFilter`",
        WayOut::Segments => "`tepal.SegmentFilter`",
        WayOut::MakeFile | WayOut::SaveTo | WayOut::Replace => "`save`",
        WayOut::OpenAny => "`tepal.open`",
        WayOut::OpenFormat => "`format=`",
        WayOut::ToBytes => "`to_bytes`",
        // A size in bits, hashes, the library's forms of a filter, exceptions and patches have
        // no call here, and every feature is in the package.
        WayOut::BitLen
        | WayOut::Keys
        | WayOut::CallerHash
        | WayOut::HashCalls
        | WayOut::MergeSegments
        | WayOut::ExactOn
        | WayOut::ExactAsList
        | WayOut::Copy
        | WayOut::FromEmbedded
        | WayOut::Aligned
        | WayOut::NewFile
        | WayOut::MakePatch
        | WayOut::Features => return None,
    })
}

/// No call here is a flag of the command, or a path of Rust.
const _: () = {
    let mut at = 0;
    while at < WayOut::ALL.len() {
        if let Some(text) = call(WayOut::ALL[at]) {
            let (text, mut i) = (text.as_bytes(), 1);
            while i < text.len() {
                assert!(!matches!((text[i - 1], text[i]), (b'-', b'-') | (b':', b':')));
                i += 1;
            }
        }
        at += 1;
    }
};

/// A warning of the library.
pub(crate) fn warning(warning: &Warning) -> String {
    warning.in_words(&Package).to_string()
}

/// An exception of the package, by the name of its class, with the arguments of the class.
fn made(py: Python<'_>, class: &str, args: impl PyErrArguments + 'static) -> PyErr {
    let found = py
        .import("tepal._errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.cast_into::<PyType>().map_err(PyErr::from));
    match found {
        Ok(class) => PyErr::from_type(class, args),
        Err(error) => error,
    }
}

/// An exception of the package with a text.
pub(crate) fn new(py: Python<'_>, class: &str, text: String) -> PyErr {
    made(py, class, text)
}

/// A value that a call cannot take: a `ValueError`.
pub(crate) fn parameter(py: Python<'_>, text: impl Into<String>) -> PyErr {
    new(py, "ParameterError", text.into())
}

/// An argument of a type that the call does not take: a `TypeError`.
pub(crate) fn wrong_argument(py: Python<'_>, text: impl Into<String>) -> PyErr {
    new(py, "ParameterTypeError", text.into())
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
    let text = error.in_words(&Package).to_string();
    match error {
        Error::Io { path, source, .. } => {
            let class = match source.kind() {
                ErrorKind::NotFound => "FileMissingError",
                ErrorKind::PermissionDenied => "FilePermissionError",
                ErrorKind::IsADirectory => "FileIsADirectoryError",
                _ => "FileError",
            };
            let reason = source.to_string();
            match (source.raw_os_error(), path) {
                // As Python's own: `errno`, `strerror` and `filename`.
                (Some(number), Some(path)) => {
                    let reason = reason.split(" (os error").next().unwrap_or_default().to_owned();
                    made(py, class, (number, reason, path.into_os_string()))
                }
                (Some(number), None) => {
                    let reason = reason.split(" (os error").next().unwrap_or_default();
                    made(py, class, (number, format!("{text}: {reason}")))
                }
                (None, _) => new(py, class, format!("{text}: {reason}")),
            }
        }
        error => new(py, class_of(&error), text),
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
