//! The flags of `tepal build` about maps from keys to values.

use clap::Args;

use crate::input::field::Field;

/// The end of the help of `tepal build`, about these.
pub const MAP_HELP: &str = "\
A map: --map keeps for each key the value that a field of its row has, in the fewest bytes, and tepal get says it. The keys are not in the \
file. Values are whole numbers from 0 to 4294967295, or up to 65,536 different texts, whose names are kept.
  tepal build accounts.csv -f account --map country -o countries.tepal
  tepal get countries.tepal today.txt
A key takes the bits of its value and log2(1 / rate) more, by which others are told: with 250 countries and -p 1% 14.7 bits. A key that \
was not on the list gets a value at the rate of -p, and else none. With --known-keys it takes the bits of its value alone, and other \
keys get some value or other: then ask for keys of the list only. --by and --set with --static make a map too, of the segment of \
each key, where each is in one (tepal which). A key with two values is refused. Nothing can be added to a map: build it again.
Memory: 16 bytes for each row until the list has ended (twice that of addresses, since room is made for as many rows again), and the map: \
of 20 million rows 370 MiB. Rows for which there is no memory end with an error.";

/// Whether each key has a value.
#[derive(Args, Clone, Debug, Default)]
pub struct MapArgs {
    /// Keep for each key the value in this field of its row, a number or a name; tepal get prints
    /// the value
    #[arg(long, value_name = "FIELD", value_parser = Field::parse, aliases = ["value", "map-to"],
        conflicts_with_all = ["deletable", "count_bits", "counting", "window", "growing", "by", "set"])]
    pub map: Option<Field>,
    /// Of a map: keep nothing by which a key that is not on the list is told. Such a key gets some
    /// value or other
    #[arg(long, aliases = ["no-fingerprint", "no-fingerprints", "only-known"], conflicts_with = "fpr")]
    pub known_keys: bool,
}
