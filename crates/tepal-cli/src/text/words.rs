//! The command as a door of the library: its verbs and flags in the texts of the library's errors.

use tepal::{
    Error,
    error::{Door, WayOut},
    facts::Warning,
};

use crate::text::message::{io_text, one_line};

/// What can be said to somebody at a command line: a text, or an error of the library.
pub trait Words {
    /// The words.
    fn words(&self) -> String;
}

impl Words for str {
    fn words(&self) -> String {
        self.to_owned()
    }
}

impl Words for String {
    fn words(&self) -> String {
        self.clone()
    }
}

impl<T: Words + ?Sized> Words for &T {
    fn words(&self) -> String {
        (**self).words()
    }
}

impl Words for Error {
    fn words(&self) -> String {
        let text = self.in_words(&Flags).to_string();
        match self {
            Error::Io { source, .. } => format!("{}: {}", one_line(&text), io_text(source)),
            _ => text,
        }
    }
}

impl Words for Warning {
    fn words(&self) -> String {
        self.in_words(&Flags).to_string()
    }
}

/// The verbs and flags of the command.
struct Flags;

impl Door for Flags {
    fn way_out(&self, way: WayOut) -> Option<&'static str> {
        Some(match way {
            WayOut::Seed => "--seed-for PURPOSE",
            WayOut::Secret | WayOut::OpenSecret => "--secret FILE",
            WayOut::OpenSeal => "--seal FILE",
            WayOut::Name => "--name",
            WayOut::Capacity | WayOut::First => "-n",
            WayOut::BitLen => "-s",
            WayOut::Expansion => "--expansion",
            WayOut::OverCapacity => "--past-promise",
            WayOut::CountBits => "--count-bits",
            WayOut::WindowLength => "--window",
            WayOut::Insert => "tepal add",
            WayOut::InsertInSegment | WayOut::AddSegment => "tepal add --segment NAME",
            WayOut::DropSegment => "tepal remove --segment NAME",
            WayOut::Freeze => "tepal shrink -p RATE",
            WayOut::ShrinkToFit | WayOut::FoldFactors => "tepal shrink",
            WayOut::Static => "tepal build LIST --static",
            WayOut::Map => "tepal build ROWS --map FIELD",
            WayOut::StaticSegments => "tepal build ROWS --by FIELD --static",
            WayOut::Deletable => "tepal build LIST --deletable",
            WayOut::Growing => "tepal build LIST --growing",
            WayOut::GrowingDeletable => "tepal build LIST --growing --deletable",
            WayOut::Window => "tepal build LIST --window 7d",
            WayOut::Segments => "tepal build ROWS --by FIELD",
            WayOut::ExactOn => "tepal build LIST --exact-on UNIVERSE",
            WayOut::ExactAsList => "--exact-as list",
            WayOut::MakeFile => "tepal build LIST -o FILTER",
            WayOut::OpenFormat => "--from FORMAT",
            WayOut::SaveTo => "-o FILTER",
            WayOut::Replace => "--force",
            WayOut::MakePatch => "tepal diff OLD NEW -o PATCH",
            // The command reads lists of keys, opens files of every kind, and has every feature.
            WayOut::Keys
            | WayOut::ValueNames
            | WayOut::CallerHash
            | WayOut::HashCalls
            | WayOut::MergeSegments
            | WayOut::OpenAny
            | WayOut::Copy
            | WayOut::FromEmbedded
            | WayOut::Aligned
            | WayOut::ToBytes
            | WayOut::NewFile
            | WayOut::Features => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_flags_and_no_call() {
        for &way in WayOut::ALL {
            let Some(text) = Flags.way_out(way) else { continue };
            assert!(text.starts_with("tepal ") || text.starts_with('-'), "{way:?}: {text}");
            assert!(!text.contains(['`', '_', '!', '=']) && !text.contains("::"), "{way:?}: {text}");
        }
    }

    #[test]
    fn errors_name_flags() {
        let filter = tepal::BloomFilter::builder().capacity(10).build().unwrap();
        let refused = tepal::AnyFilter::from(filter).remove_hash(5).unwrap_err();
        assert_eq!(
            refused.words(),
            "a Bloom filter cannot remove a key; build a deletable filter of its keys (tepal build LIST --deletable)"
        );
    }

    #[test]
    fn the_system_gives_its_reason() {
        let missing = tepal::open("no folder/no file").unwrap_err();
        assert_eq!(missing.words(), "no folder/no file: opening failed: no such file");
    }
}
