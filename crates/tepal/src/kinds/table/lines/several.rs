//! A table in which a fingerprint has several tags, each once.

use alloc::vec::Vec;

use super::{Counts, Table};
use crate::bits::table::several::{Among, Tags, TagsOfMany};
use crate::bits::table::tagged::Recent;
use crate::error::Result;

impl Table {
    /// The tags of a fingerprint, ascending.
    #[inline]
    pub(crate) fn tags(&self, number: u64) -> Tags<'_> {
        self.kernel.tags(&self.packing, self.as_lines(), number)
    }

    /// Looks up a tag among those of a fingerprint.
    #[inline]
    pub(crate) fn among(&self, number: u64, tag: u64) -> Among {
        self.kernel.among(&self.packing, self.as_lines(), number, tag)
    }

    /// Appends the tags of the fingerprints of these hashes. If a fingerprint has `most` tags,
    /// `more` appends the rest.
    pub(crate) fn tags_of_many(
        &self,
        h: &[u64],
        most: usize,
        more: &dyn Fn(u64, &mut Vec<u16>),
        out: &mut TagsOfMany,
    ) {
        self.kernel.tags_of_many(&self.packing, self.as_lines(), h, most, more, out);
    }

    /// Removes every slot with this tag, in one pass. The number of lines stays.
    pub(crate) fn drop_tag(&mut self, tag: u64) -> Result<u64> {
        let tag_bits = self.packing.tag_bits();
        if tag_bits == 0 {
            let dropped = self.slots;
            self.clear()?;
            return Ok(dropped);
        }
        let (packing, kernel, lines, _) = self.own()?;
        // In ages counted from the tag behind it, every other tag is young enough.
        let most = (1 << tag_bits) - 2;
        let dropped = kernel.sweep(packing, lines, Recent { now: tag.wrapping_sub(1) & (most + 1), most });
        let counts = Counts::of(self.stream(), tag_bits as u8);
        (self.slots, self.numbers) = (counts.slots, counts.numbers);
        Ok(dropped)
    }
}
