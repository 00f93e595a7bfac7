//! A filter that is asked inside bytes of the caller's, without a copy.

use alloc::vec::Vec;
use core::ops::{Bound, Range, RangeBounds};

use super::check::BodyCheck;
use super::envelope::{Header, Lengths};
use super::open::{Open, with_format};
use crate::error::{Error, Result};
use crate::kinds::bloom::BloomFilter;
use crate::kinds::storage::{Backing, InBytes, Mapped, PlainStorage, StableBytes};
use crate::kinds::{BodyChecked, Ref};

impl<B: StableBytes> BloomFilter<InBytes<B>> {
    /// A filter that is asked where its file lies in memory, and never copied: in a `&[u8]`, in bytes that were built into
    /// the program ([`include_aligned!`](crate::include_aligned)), in an [`Arc`](alloc::sync::Arc) of a map of the caller's ([`StableBytes`]).
    /// Everything is checked, as by [`open`](BloomFilter::open); [`Open::view`] has keys and options.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// # #[repr(align(64))] struct Aligned([u8; 320]);
    /// # let mut place = Aligned([0; 320]);
    /// let mut seen = BloomFilter::builder().capacity(100).build()?;
    /// seen.insert("apple")?;
    /// let file = seen.to_bytes()?;
    /// # let file = { place.0.copy_from_slice(&file); &place.0 };
    /// let seen = BloomFilter::view(&file)?;         // where `file` lies at a multiple of 64
    /// assert!(seen.contains("apple"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_bytes`](BloomFilter::from_bytes), and [`Error::NotInPlace`] where the bits do not lie at a multiple of 64
    /// in memory, or the machine is big-endian: `from_bytes` copies them.
    pub fn view(bytes: B) -> Result<Self> {
        Open::new().view(bytes)
    }

    /// [`view`](Self::view) of a file inside larger bytes, such as one of many filters in a table file.
    ///
    /// # Errors
    /// As [`view`](Self::view); [`Error::Parameter`] where the bytes have no such place.
    pub fn view_at(bytes: B, place: impl RangeBounds<usize>) -> Result<Self> {
        Open::new().view_at(bytes, place)
    }
}

impl Open<'_> {
    /// A tepal file's filter that is asked where it lies ([`BloomFilter::view`]), with these keys and checks. Asked to be
    /// [quick](Self::quick), it leaves the bits unread until they are asked for.
    ///
    /// # Errors
    /// As [`BloomFilter::view`], and as [`from_bytes`](Self::from_bytes) for keys.
    pub fn view<B: StableBytes>(&self, bytes: B) -> Result<BloomFilter<InBytes<B>>> {
        self.view_at(bytes, ..)
    }

    /// [`view`](Self::view) of a file inside larger bytes.
    ///
    /// # Errors
    /// As [`view`](Self::view); [`Error::Parameter`] where the bytes have no such place.
    pub fn view_at<B: StableBytes>(
        &self,
        bytes: B,
        place: impl RangeBounds<usize>,
    ) -> Result<BloomFilter<InBytes<B>>> {
        let place = place_in(bytes.bytes(), place)?;
        let file = &bytes.bytes()[place.clone()];
        let (header, check, body) = self.dissect(file).map_err(|error| with_format(error, file))?;
        let lines = InBytes::new(bytes, place.start + body.start..place.start + body.end)?;
        if !self.quick {
            check.run(lines.as_lines())?;
        }
        // The filter without its bits, then with these.
        let nothing = Mapped(Backing::Memory(Vec::new()));
        let filter = header.with_body(nothing, Some(Ref::new(check)));
        self.check_what_it_records(&filter)?;
        Ok(filter.into_bloom()?.with_lines(lines))
    }

    /// A tepal file as its header, what its bits are to be held against, and where they are.
    pub(super) fn dissect(&self, file: &[u8]) -> Result<(Header, BodyCheck, Range<usize>)> {
        let lengths = Lengths::read(file, file.len() as u64)?;
        let body_offset = lengths.body_offset as usize;
        let (head, rest) = file.split_at(body_offset);
        let mut header = Header::decode(lengths, head, self)?;
        let (rest, seal) = rest.split_at(rest.len() - header.seal_len());
        let (body, behind) = rest.split_at(rest.len() - header.behind_len as usize);
        #[cfg(any(feature = "except", feature = "ribbon"))]
        if !behind.is_empty() {
            header.behind = super::behind::decode(behind, header.what, head)?;
        }
        let check = BodyCheck::new(&mut header, head, behind, seal, self.seal)?;
        Ok((header, check, body_offset..body_offset + body.len()))
    }
}

/// A place that the bytes have.
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

/// Builds the bytes of a file into the program, as [`include_bytes!`] does, at a multiple of 64: so
/// [`BloomFilter::view`](crate::BloomFilter::view) can ask a filter there without a copy. Gives a `&'static [u8]`.
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

#[cfg(test)]
mod tests;
