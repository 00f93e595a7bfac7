//! A filter that is used inside the caller's bytes, without a copy.

use alloc::vec::Vec;
use core::ops::{Bound, Range, RangeBounds};

use super::open::Open;
use crate::error::{Error, Result};
use crate::kinds::bloom::BloomFilter;
#[cfg(feature = "static")]
use crate::kinds::ribbon::{RibbonFilter, RibbonMap};
use crate::kinds::storage::{InBytes, Owned, PlainStorage, StableBytes, sealed};
use crate::kinds::{BodyChecked, Filter, FromFile};

/// A filter inside the caller's bytes: `BloomFilter<InBytes<B>>`, `RibbonFilter<InBytes<B>>` or
/// `RibbonMap<InBytes<B>>`. No other type implements it. [`Open::view`] returns the requested type.
pub trait Viewed: sealed::Sealed + Sized {
    /// The type of the bytes.
    type Bytes: StableBytes;

    /// The filter of the file in this range of the bytes.
    #[doc(hidden)]
    fn viewed(open: &Open<'_>, bytes: Self::Bytes, place: Range<usize>) -> Result<Self>;
}

/// Views of a kind. `$copying` is the link to the call that copies; `$also` are further doc lines.
macro_rules! viewed {
    ($filter:ident, $copying:literal, $($also:literal)*) => {
        impl<B: StableBytes> sealed::Sealed for $filter<InBytes<B>> {}

        impl<B: StableBytes> Viewed for $filter<InBytes<B>> {
            type Bytes = B;

            fn viewed(open: &Open<'_>, bytes: B, place: Range<usize>) -> Result<Self> {
                let (filter, lines) = open.viewed_as::<$filter, B>(bytes, place)?;
                Ok(filter.with_lines(lines))
            }
        }

        impl<B: StableBytes> $filter<InBytes<B>> {
            /// A filter that is read in place from its file in memory, and never copied: in a
            /// `&[u8]`, in bytes that were built into the program
            /// ([`include_aligned!`](crate::include_aligned)), or in an [`Arc`](alloc::sync::Arc)
            /// of your own memory map ([`StableBytes`]).
            #[doc = concat!("Everything is checked, as in ", $copying, "; [`Open::view`] has keys and options.")]
            $(#[doc = $also])*
            ///
            /// # Errors
            #[doc = concat!("As ", $copying, ", and [`Error::NotInPlace`] if the bits are not")]
            /// aligned to 64, or the machine is big-endian: that call copies them.
            /// [`Error::NotPossible`] for a filter of another kind.
            pub fn view(bytes: B) -> Result<Self> {
                Open::new().view(bytes)
            }

            /// [`view`](Self::view) of a file in a range of larger bytes, for example of a table
            /// file with many filters.
            ///
            /// # Errors
            /// As [`view`](Self::view); [`Error::Parameter`] if the range is out of bounds.
            pub fn view_at(bytes: B, place: impl RangeBounds<usize>) -> Result<Self> {
                Open::new().view_at(bytes, place)
            }
        }
    };
}

viewed!(
    BloomFilter, "[`from_bytes`](BloomFilter::from_bytes)",
    ""
    "```"
    "use tepal::BloomFilter;"
    "# #[repr(align(64))] struct Aligned([u8; 320]);"
    "# let mut place = Aligned([0; 320]);"
    "let mut seen = BloomFilter::builder().capacity(100).build()?;"
    "seen.insert(\"apple\")?;"
    "let file = seen.to_bytes()?;"
    "# let file = { place.0.copy_from_slice(&file); &place.0 };"
    "let seen = BloomFilter::view(&file)?;         // if the bytes lie at a multiple of 64"
    "assert!(seen.contains(\"apple\"));"
    "# Ok::<(), tepal::Error>(())"
    "```"
);
#[cfg(feature = "static")]
viewed!(
    RibbonFilter, "[`tepal::from_bytes`](super::open::from_bytes)",
    ""
    "Keys that were [added](RibbonFilter::insert) beside the ribbon are copied into memory, 8 bytes each; more can be added."
    ""
    "```"
    "use tepal::RibbonFilter;"
    "# #[cfg(target_endian = \"little\")] {"
    "// A list that is part of the program, and is read in place."
    "let file = tepal::include_aligned!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/testdata/kept/v1/ribbon/ribbon-xxh3.tepal\"));"
    "let blocked = RibbonFilter::view(file)?;"
    "assert!(blocked.contains(\"key 7\"));"
    "# }"
    "# Ok::<(), tepal::Error>(())"
    "```"
);
#[cfg(feature = "static")]
viewed!(
    RibbonMap, "[`tepal::from_bytes`](super::open::from_bytes)",
    "The names of values are copied."
    ""
    "```"
    "use tepal::RibbonMap;"
    "# #[cfg(target_endian = \"little\")] {"
    "let file = tepal::include_aligned!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/testdata/kept/v1/map/map-names.tepal\"));"
    "let place = RibbonMap::view(file)?;"
    "assert_eq!(place.get(\"key 7\").unwrap(), \"Ort 7\");"
    "# }"
    "# Ok::<(), tepal::Error>(())"
    "```"
);

impl Open<'_> {
    /// Reads a tepal file in place, with these keys and checks. The result is a [`BloomFilter`], a
    /// `RibbonFilter` or a `RibbonMap`, as requested. With [quick](Self::quick), the bits are not
    /// read before they are needed.
    ///
    /// ```
    /// # #[cfg(target_endian = "little")] {
    /// use tepal::{BloomFilter, Open};
    /// let file = tepal::include_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/kept/v1/line-recipe-labels.tepal"));
    /// let blocked: BloomFilter<_> = Open::new().expect_name("Gesperrte Konten").quick().view(file)?;
    /// # }
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`BloomFilter::view`], and as [`from_bytes`](Self::from_bytes) for keys.
    pub fn view<F: Viewed>(&self, bytes: F::Bytes) -> Result<F> {
        self.view_at(bytes, ..)
    }

    /// [`view`](Self::view) of a file in a range of larger bytes.
    ///
    /// # Errors
    /// As [`view`](Self::view); [`Error::Parameter`] if the range is out of bounds.
    pub fn view_at<F: Viewed>(&self, bytes: F::Bytes, place: impl RangeBounds<usize>) -> Result<F> {
        let place = place_in(bytes.bytes(), place)?;
        F::viewed(self, bytes, place)
    }

    /// A filter of one kind without its bits, and the bits in place.
    fn viewed_as<F: FromFile + Filter, B: StableBytes>(
        &self,
        bytes: B,
        place: Range<usize>,
    ) -> Result<(F, InBytes<B>)> {
        let file = &bytes.bytes()[place.clone()];
        let read = self.dissect::<F>(file)?;
        let lines = InBytes::new(bytes, place.start + read.body.start..place.start + read.body.end)?;
        if !self.quick {
            read.check.run(lines.as_lines())?;
        }
        let filter = read.checked_with(Owned::new(Vec::new()));
        self.check_what_it_records(&filter)?;
        Ok((filter, lines))
    }
}

/// Checks that the range is within the bytes.
pub(super) fn place_in(bytes: &[u8], place: impl RangeBounds<usize>) -> Result<Range<usize>> {
    let start = match place.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&before) => before.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match place.end_bound() {
        Bound::Included(&last) => last.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(bytes.len()),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= bytes.len() => Ok(start..end),
        _ => {
            let found = alloc::format!("{:?} to {:?}", place.start_bound(), place.end_bound());
            let expected = alloc::format!("a place within the {} bytes", bytes.len());
            Err(Error::parameter("the place of the filter", found, expected))
        }
    }
}

/// Builds the bytes of a file into the program, like [`include_bytes!`], aligned to 64. So
/// [`BloomFilter::view`](crate::BloomFilter::view), `RibbonFilter::view` and `RibbonMap::view` can
/// use a filter there without a copy. Returns a `&'static [u8]`.
///
/// ```
/// # #[cfg(target_endian = "little")] {
/// let file = tepal::include_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/kept/v1/line-xxh3.tepal"));
/// let blocked = tepal::BloomFilter::view(file)?;
/// assert!(blocked.contains("key 0"));
/// # }
/// # Ok::<(), tepal::Error>(())
/// ```
#[macro_export]
macro_rules! include_aligned {
    ($path:expr $(,)?) => {{
        #[repr(C, align(64))]
        struct Aligned<B: ?Sized>(B);
        static FILE: &Aligned<[u8]> = &Aligned(*::core::include_bytes!($path));
        &FILE.0
    }};
}
