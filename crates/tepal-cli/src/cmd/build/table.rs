//! `tepal build --deletable` and `--count-bits`: a filter from which keys can be removed, and which
//! counts them.
//!
//! Its table is sorted, so the list is read once and kept as hashes; then the different keys are
//! counted exactly, and all numbers go in at once.

use tepal::build::Built;
use tepal::{Error, Opened, QuotientFilter, builders::QuotientFilterBuilder, file::Format, hash::KeyHasher};

use super::described::described;
use super::grow::mix;
use super::way::Way;
use crate::args::BuildArgs;
use crate::error::Failure;
use crate::input::pages::Inputs;
use crate::input::pipeline;
use crate::keys::{Hashes, Prepare, takes_keys};
use crate::rows::Origin;
use crate::secrets::Secrets;
use crate::text::number;

/// So few keys at once are not sorted into a table of another size.
const LAID_OUT_AS_IT_IS: usize = 1024;

/// What the filter is before there are keys.
enum Shape {
    /// As the flags say.
    Flags(Box<QuotientFilterBuilder>),
    /// As another filter, which is empty by now.
    Like(Box<Opened>),
}

/// Builds a filter that the flags describe, with the secret key.
pub fn way<'a>(args: &'a BuildArgs, rows: Origin, secrets: &Secrets) -> Result<Way<'a>, Failure> {
    let mut builder = described!(QuotientFilter::builder(), args, rows, secrets)
        .count_bits(args.table.bits())
        .over_capacity(args.over.unwrap_or_default());
    if let Some(keys) = args.shape.capacity {
        builder = builder.capacity(keys);
    }
    // What cannot be is refused before the list is read.
    builder.clone().capacity(args.shape.capacity.unwrap_or(1)).planned_size_in_bytes()?;
    let hasher = takes_keys(builder.key_hasher()?)?;
    Ok(Way::of(move |inputs| build(Shape::Flags(Box::new(builder)), hasher, args, inputs)))
}

/// Builds a filter in the shape of an opened one; nothing for one of another kind.
pub fn like(mut file: Opened, args: &BuildArgs) -> Result<Result<Way<'_>, Opened>, Failure> {
    if !file.can().become_static {
        return Ok(Err(file));
    }
    file.clear()?;
    let hasher = takes_keys(file.key_hasher())?;
    Ok(Ok(Way::of(move |inputs| build(Shape::Like(Box::new(file)), hasher, args, inputs))))
}

/// Reads all keys and builds the filter of them.
fn build(shape: Shape, hasher: KeyHasher, args: &BuildArgs, inputs: &mut Inputs) -> Result<Built, Failure> {
    let list = args.list();
    let count_bits = match &shape {
        Shape::Flags(_) => args.table.bits(),
        Shape::Like(file) => file.filter().facts().tables.first().map_or(0, |table| table.tag_bits),
    };
    let mut listed = Hashes { once: count_bits == 0, ..Hashes::default() };
    pipeline::run(inputs, &Prepare { hasher }, &mut listed)?;
    let Hashes { keys, mut hashes, .. } = listed;
    QuotientFilter::sort_hashes(&mut hashes, args.keys.threads());
    let different = hashes.chunk_by(|one, other| one == other).count() as u64;
    let most = hashes.chunk_by(|one, other| one == other).map(<[u64]>::len).max().unwrap_or(0);
    if count_bits == 0 {
        hashes.dedup();
    }
    let file = match shape {
        Shape::Flags(builder) => {
            let capacity = args.shape.capacity.unwrap_or(different.max(1));
            // Where there are not even as many numbers as keys, no policy helps.
            if different as f64 * args.shape.fpr.unwrap_or(0.01) >= capacity as f64 {
                return Err(too_many(&list, capacity, different, args));
            }
            let filter = builder.capacity(capacity).build_from_hashes(hashes);
            filter.and_then(|filter| Opened::new(filter, Format::Tepal))
        }
        // In its own lines where they have room, so that a patch leads from the one file to the
        // other.
        Shape::Like(mut file) => {
            if file.can().grow {
                mix(&mut hashes);
            }
            let mut pieces = hashes.chunks(LAID_OUT_AS_IT_IS);
            pieces.try_for_each(|piece| file.insert_many_hashes(piece)).map(|()| *file)
        }
    };
    let file = file.map_err(|error| match error {
        Error::CapacityReached { capacity, .. } => too_many(&list, capacity, different, args),
        Error::TooManyCopies { most: counted, .. } => too_many_copies(&list, most as u64, counted),
        Error::NumbersClustered { .. } => Failure::side_by_side(&list),
        error => error.into(),
    })?;
    Ok(Built::counted(file, keys, different))
}

/// More keys than the room that was asked for.
fn too_many(list: &str, capacity: u64, different: u64, args: &BuildArgs) -> Failure {
    if args.like.is_some() {
        return super::gather::too_many(list, capacity, Format::Tepal, args.like.as_deref());
    }
    let (capacity, different) = (number::count(capacity), number::counted(different, "different key"));
    Failure::at(
        list,
        format!(
            "{different}, and the room of -n is for {capacity}; give more with -n, or leave it out so that the keys are counted; with \
             --over warn a few more than promised are taken"
        ),
    )
}

/// A key that is on the list more often than can be counted.
fn too_many_copies(list: &str, copies: u64, most: u64) -> Failure {
    let (copies, most) = (number::count(copies), number::count(most));
    Failure::at(
        list,
        format!(
            "a key comes {copies} times, and no more than {most} copies of one are counted; count in more bits \
             (--count-bits 8 or 16), or take repeats out of the list (tepal uniq)"
        ),
    )
}
