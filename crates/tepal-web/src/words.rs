//! The page as a door of the library: its fields and parts in the texts of the library's errors.

use alloc::string::{String, ToString};

use tepal::Error;
use tepal::error::{Door, WayOut};
use tepal::facts::Warning;

/// What can be told to somebody at the page: a text, or an error of the library.
pub(crate) trait Words {
    /// The words.
    fn words(&self) -> String;
}

impl Words for &str {
    fn words(&self) -> String {
        (*self).to_string()
    }
}

impl Words for Error {
    fn words(&self) -> String {
        self.in_words(&Page).to_string()
    }
}

impl Words for Warning {
    fn words(&self) -> String {
        self.in_words(&Page).to_string()
    }
}

/// The fields and parts of the page.
struct Page;

impl Door for Page {
    fn way_out(&self, way: WayOut) -> Option<&'static str> {
        Some(match way {
            WayOut::OpenFormat => "the field Format",
            WayOut::OpenSecret => "the field Secret key",
            WayOut::MakeFile => "the part Make",
            WayOut::Static
            | WayOut::Map
            | WayOut::Deletable
            | WayOut::Growing
            | WayOut::Window
            | WayOut::Segments => "the field Filter",
            // The page opens any file, makes a filter of a whole list, and changes none.
            WayOut::Seed
            | WayOut::Secret
            | WayOut::OpenSeal
            | WayOut::Name
            | WayOut::Capacity
            | WayOut::First
            | WayOut::BitLen
            | WayOut::Expansion
            | WayOut::OverCapacity
            | WayOut::ValueNames
            | WayOut::CountBits
            | WayOut::WindowLength
            | WayOut::Keys
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
            | WayOut::StaticSegments
            | WayOut::GrowingDeletable
            | WayOut::ExactOn
            | WayOut::ExactAsList
            | WayOut::OpenAny
            | WayOut::Copy
            | WayOut::FromEmbedded
            | WayOut::Aligned
            | WayOut::ToBytes
            | WayOut::NewFile
            | WayOut::SaveTo
            | WayOut::Replace
            | WayOut::MakePatch
            | WayOut::Features => return None,
        })
    }
}
