//! `tepal build --by` and `--set`: a filter that says in which segments a key is.
//!
//! The list is read once and kept as pairs of a hash and the number of a segment; then all pairs go
//! in at once.

use tepal::build::Built;
use tepal::{
    Error, Opened, SegmentFilter,
    builders::SegmentFilterBuilder,
    file::Format,
    hash::{KeyHasher, PreparedKeys},
    segments::Segment,
};

use super::described::described;
use super::way::Way;
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::pages::{Inputs, Page};
use crate::input::pipeline::{self, Flow, Sink};
use crate::keys::{Prepare, takes_keys};
use crate::names;
use crate::rows::Origin;
use crate::secrets::Secrets;
use crate::segments::{ByField, Names, Pairs, Rows};
use crate::text::number;

/// Builds a filter of keys in segments, as the flags describe it, with the secret key.
pub fn way<'a>(args: &'a BuildArgs, rows: Origin, secrets: &Secrets) -> Result<Way<'a>, Failure> {
    let mut builder = described!(SegmentFilter::builder(), args, rows, secrets)
        .over_capacity(args.over.unwrap_or_default());
    if let Some(pairs) = args.shape.capacity {
        builder = builder.capacity(pairs);
    }
    // What cannot be is refused before the list is read.
    builder.clone().capacity(args.shape.capacity.unwrap_or(1)).planned_size_in_bytes(1)?;
    let hasher = takes_keys(builder.key_hasher()?)?;
    Ok(Way::of(move |inputs| build(builder, hasher, args, inputs)))
}

/// Reads all keys and builds the filter of them.
fn build(
    builder: SegmentFilterBuilder,
    hasher: KeyHasher,
    args: &BuildArgs,
    inputs: &mut Inputs,
) -> Result<Built, Failure> {
    let list = args.list();
    let (mut pairs, mut names) = (Pairs::new(args.keys.threads()), Names::default());
    match &args.segments.by {
        Some(_) => {
            let mut rows = Rows { names, pairs: &mut pairs };
            pipeline::run(inputs, &ByField { hasher, flag: "--by" }, &mut rows)?;
            names = rows.names;
        }
        None => {
            let named = names_of_lists(args)?;
            let of_lists = named.all().iter().map(|name| names.segment(&list, name));
            let of_lists: Vec<Segment> = of_lists.collect::<Result<_, _>>()?;
            pipeline::run(inputs, &Prepare { hasher }, &mut Lists { of_lists, pairs: &mut pairs })?;
        }
    }
    let (keys, pairs) = pairs.into_different();
    let different = pairs.len() as u64;
    let builder = builder.capacity(args.shape.capacity.unwrap_or(different.max(1)));
    let filter = builder.build_from_hashes(names.all(), pairs).map_err(|error| match error {
        Error::CapacityReached { capacity, .. } => Failure::at(
            &list,
            format!(
                "{} of a key and a segment, and the room of -n is for {}; give more with -n, or leave it out so that they are counted; \
                 with --over warn more than promised are taken",
                number::counted(different, "different pair"),
                number::count(capacity)
            ),
        ),
        Error::NumbersClustered { .. } => Failure::side_by_side(&list),
        error => Failure::at(&list, error),
    })?;
    Ok(Built::counted(Opened::new(filter, Format::Tepal)?, keys, different))
}

/// The names of the lists of --set.
pub fn names_of_lists(args: &BuildArgs) -> Result<names::Names, Failure> {
    let paths = args.inputs.iter().map(|path| path.as_path());
    names::Names::of(paths, args.segments.stem, false)
}

/// Keys of lists of which each is a segment.
struct Lists<'a> {
    of_lists: Vec<Segment>,
    pairs: &'a mut Pairs,
}

impl Sink<PreparedKeys> for Lists<'_> {
    fn take(&mut self, page: &mut Page<'_>, keys: &PreparedKeys) -> Result<Flow, Failure> {
        let segment = self.of_lists[page.input - 1];
        self.pairs.take(keys.hashes().unwrap_or_default(), |_| segment)?;
        Ok(Flow::Continue)
    }
}
