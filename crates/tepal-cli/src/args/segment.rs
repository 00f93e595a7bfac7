//! The flags of `tepal build` about filters with segments.

use clap::Args;

use crate::input::field::Field;

/// The end of the help of `tepal build`, about these.
pub const SEGMENT_HELP: &str = "\
Which segment: a filter with segments says in which of them a key is (tepal which), at once and however many there are, up to 65,536. \
With --by a field of each row names the segment of its key, which -f names; with --set each list is one, under its name.
  tepal build accounts.csv -f account --by region -o accounts.tepal
  tepal build north.txt south.txt --set --stem -o lists.tepal
  tepal which accounts.tepal -e KZ000017
A key may be in several; -n counts the pairs of a key and a segment. A non-member gets at the rate of -p a wrong segment, all segments \
together: of filters asked one by one each adds its own. At 1 % a pair takes 9.6 bits and about 1.1 for each bit of the number of \
a segment (tepal plan --segments). tepal add --segment and tepal remove --segment add keys to one and drop one; merge joins two such \
filters by the names of their segments. Memory: 16 bytes for each pair, up to twice that while the list is read, and the filter.";

/// Whether keys are in segments.
#[derive(Args, Clone, Debug, Default)]
pub struct SegmentArgs {
    /// Keep for each key its segment, which this field of its row names; tepal which prints the
    /// segment
    #[arg(long, value_name = "FIELD", value_parser = Field::parse, aliases = ["group-by", "segment-by"])]
    pub by: Option<Field>,
    /// Each list is a segment, under the name of its file
    #[arg(long, conflicts_with = "by")]
    pub set: bool,
    /// With --set, name them without folder and ending; each must have a name of its own then
    #[arg(long, requires = "set")]
    pub stem: bool,
}

impl SegmentArgs {
    /// The flag that was given.
    pub fn flag(&self) -> Option<&'static str> {
        match (&self.by, self.set) {
            (Some(_), _) => Some("--by"),
            (None, true) => Some("--set"),
            (None, false) => None,
        }
    }
}
