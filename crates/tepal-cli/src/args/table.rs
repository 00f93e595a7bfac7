//! The flags of `tepal build` about filters from which keys can be removed.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The end of the help of `tepal build`, about these.
pub const TABLE_HELP: &str = "\
Keys that go: from a filter of --deletable keys can be removed (tepal remove), and it never loses another member while only keys are \
removed that are in it. It takes the place of a cuckoo filter. Each different key of the list goes in once, however often it comes, so \
that one remove takes it out; with --count-bits every copy counts (tepal has --copies), as in a counting Bloom filter.
  tepal build sessions.txt --deletable -n 10M -o sessions.tepal
  tepal build words.txt --count-bits 8 -o words.tepal
At 1 % a key takes 9.6 bits, with counts of 4 bits 14.3 (tepal plan). A Bloom filter takes 9.95, is asked and filled several times \
as fast (time both on your list), and is the better choice where no key goes. Room for keys that come later is what -n says; without \
it a new key is taken only where one has gone. tepal add puts in one more copy of each key, whether it was in or not.
Memory: 8 bytes for each different key (with --count-bits: for each key) while the list is read, up to twice that, and the filter.";

/// Whether keys can be removed, and are counted.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct TableArgs {
    /// Make a filter from which keys can be removed: tepal remove
    #[arg(long, aliases = ["quotient", "cuckoo", "removable"])]
    pub deletable: bool,
    /// Make one that counts copies too, in 4 bits for a key that comes up to 16 times (1,024 at
    /// most), in 8 up to 256 (16,384), in 16 up to 65,536 (4 million)
    #[arg(long, value_name = "BITS", value_parser = parse_bits())]
    pub count_bits: Option<u8>,
    /// The same as --count-bits 4, for those who look for a counting filter
    #[arg(long, hide = true, conflicts_with = "count_bits")]
    pub counting: bool,
}

impl TableArgs {
    /// Bits of each count; 0 where copies are not counted.
    pub fn bits(self) -> u8 {
        self.count_bits.unwrap_or(if self.counting { 4 } else { 0 })
    }

    /// The flag that was given.
    pub fn flag(self) -> Option<&'static str> {
        match (self.count_bits, self.counting, self.deletable) {
            (Some(_), ..) => Some("--count-bits"),
            (None, true, _) => Some("--counting"),
            (None, false, true) => Some("--deletable"),
            (None, false, false) => None,
        }
    }
}

fn parse_bits() -> impl TypedValueParser<Value = u8> {
    PossibleValuesParser::new(["4", "8", "16"]).try_map(|bits| bits.parse::<u8>())
}
