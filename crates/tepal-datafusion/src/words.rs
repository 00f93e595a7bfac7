//! The library's errors in the words of a person who writes SQL.

use std::error::Error as _;

use datafusion::error::DataFusionError;
use tepal::error::{Door, WayOut};
use tepal::facts::Warning;

/// SQL as a door of the library: its functions and their arguments, and the command where SQL has
/// none.
struct Sql;

impl Door for Sql {
    fn way_out(&self, way: WayOut) -> Option<&'static str> {
        Some(match way {
            WayOut::Capacity | WayOut::Keys => "the second argument of `bloom_build`",
            WayOut::MakeFile | WayOut::SaveTo | WayOut::NewFile | WayOut::Growing | WayOut::Deletable => {
                "`tepal build`"
            }
            WayOut::Map | WayOut::Segments | WayOut::Static | WayOut::StaticSegments | WayOut::Window => {
                "`tepal build`"
            }
            WayOut::OpenFormat => "`tepal convert --from`",
            WayOut::OpenAny => "`bloom_contains_file`",
            WayOut::ToBytes | WayOut::Copy => "`bloom_read_file`",
            // SQL has no argument for a key, a seed, a seal or a policy, and removes nothing.
            WayOut::Seed
            | WayOut::Secret
            | WayOut::OpenSecret
            | WayOut::OpenSeal
            | WayOut::Name
            | WayOut::First
            | WayOut::BitLen
            | WayOut::Expansion
            | WayOut::OverCapacity
            | WayOut::ValueNames
            | WayOut::CountBits
            | WayOut::WindowLength
            | WayOut::CallerHash
            | WayOut::HashCalls
            | WayOut::Insert
            | WayOut::InsertInSegment
            | WayOut::AddSegment
            | WayOut::DropSegment
            | WayOut::MergeSegments
            | WayOut::Freeze
            | WayOut::ShrinkToFit
            | WayOut::FoldFactors
            | WayOut::GrowingDeletable
            | WayOut::ExactOn
            | WayOut::ExactAsList
            | WayOut::FromEmbedded
            | WayOut::Aligned
            | WayOut::Replace
            | WayOut::MakePatch
            | WayOut::Features => return None,
        })
    }
}

/// A warning of the library.
pub(crate) fn warning(warning: &Warning) -> String {
    warning.in_words(&Sql).to_string()
}

/// An error of the library while a function runs. `what` is the function, and the file if there is
/// one.
pub(crate) fn failed(what: &str, error: &tepal::Error) -> DataFusionError {
    let reason = error.source().map_or(String::new(), |source| format!(": {source}"));
    DataFusionError::Execution(format!("{what}: {}{reason}", error.in_words(&Sql)))
}

/// An error of a call that was found before it runs.
pub(crate) fn planned(function: &str, text: impl std::fmt::Display) -> DataFusionError {
    DataFusionError::Plan(format!("{function}: {text}"))
}

/// An error of a value while a function runs.
pub(crate) fn refused(function: &str, text: impl std::fmt::Display) -> DataFusionError {
    DataFusionError::Execution(format!("{function}: {text}"))
}
