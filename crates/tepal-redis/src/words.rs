//! The module as a door of the library: its commands and options in the texts of the library's
//! errors.

use std::error::Error as _;

use tepal::Error;
use tepal::error::{Door, WayOut};

/// An error of the library, for a client or the log.
pub(crate) fn words(error: &Error) -> String {
    let reason = error.source().map_or(String::new(), |source| format!(": {source}"));
    format!("{}{reason}", error.in_words(&Commands))
}

/// The commands of the module and their options.
struct Commands;

impl Door for Commands {
    fn way_out(&self, way: WayOut) -> Option<&'static str> {
        Some(match way {
            WayOut::Secret => "SECRET",
            WayOut::Capacity | WayOut::First => "BF.RESERVE key error capacity",
            WayOut::Expansion => "EXPANSION",
            WayOut::Deletable => "BF.RESERVE key error capacity DELETABLE",
            WayOut::Growing => "BF.RESERVE key error capacity",
            WayOut::GrowingDeletable => "DELETABLE",
            WayOut::Window => "BF.RESERVE key error capacity WINDOW seconds",
            WayOut::WindowLength => "WINDOW",
            WayOut::Insert => "BF.ADD",
            WayOut::MakeFile | WayOut::ToBytes | WayOut::SaveTo => "BF.SCANDUMP",
            // A filter keeps its seed and its policy here, hashes every item itself, and is in
            // memory. There are no names, seals, segments, maps, static filters and patches.
            WayOut::Seed
            | WayOut::OpenSecret
            | WayOut::OpenSeal
            | WayOut::Name
            | WayOut::BitLen
            | WayOut::OverCapacity
            | WayOut::ValueNames
            | WayOut::CountBits
            | WayOut::Keys
            | WayOut::CallerHash
            | WayOut::HashCalls
            | WayOut::InsertInSegment
            | WayOut::AddSegment
            | WayOut::DropSegment
            | WayOut::MergeSegments
            | WayOut::Freeze
            | WayOut::ShrinkToFit
            | WayOut::FoldFactors
            | WayOut::Static
            | WayOut::Map
            | WayOut::StaticSegments
            | WayOut::Segments
            | WayOut::ExactOn
            | WayOut::ExactAsList
            | WayOut::OpenAny
            | WayOut::OpenFormat
            | WayOut::Copy
            | WayOut::FromEmbedded
            | WayOut::Aligned
            | WayOut::NewFile
            | WayOut::Replace
            | WayOut::MakePatch
            | WayOut::Features => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use tepal::{AnyFilter, BloomFilter, GrowingFilter, Open};

    use super::*;

    #[test]
    fn commands_and_options_are_named_and_no_call() {
        for &way in WayOut::ALL {
            let Some(text) = Commands.way_out(way) else { continue };
            assert!(text.starts_with(|first: char| first.is_ascii_uppercase()), "{way:?}: {text}");
            assert!(!text.contains(['`', '_', '(']) && !text.contains("::"), "{way:?}: {text}");
        }
    }

    #[test]
    fn errors_name_commands() {
        let filter = || BloomFilter::builder().capacity(10);
        let refused = AnyFilter::from(filter().build().unwrap()).remove_hash(5).unwrap_err();
        let growing = GrowingFilter::builder().build().unwrap();
        let no_file = Open::new().from_bytes(b"").unwrap_err();
        for (error, text) in [
            (
                refused,
                "a Bloom filter cannot remove a key; build a deletable filter of its keys \
                 (BF.RESERVE key error capacity DELETABLE)",
            ),
            (
                AnyFilter::from(growing).remove_hash(5).unwrap_err(),
                "a growing filter cannot remove a key; build it as a deletable one (DELETABLE)",
            ),
            (no_file, "not a tepal filter: it is empty; give a filter's file (BF.SCANDUMP)"),
        ] {
            assert_eq!(words(&error), text);
        }
    }

    #[test]
    fn the_system_gives_its_reason() {
        let read = Open::new().read_from(Broken).unwrap_err();
        assert_eq!(words(&read), "reading a filter failed: no more");
    }

    struct Broken;

    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("no more"))
        }
    }
}
