//! Lookups: batches of items, hashed and prefetched together.

use tepal::{AnyFilter, Filter};

use crate::server::Ctx;
use crate::value::Held;

/// How many items are hashed and prefetched together.
pub(crate) const BATCH: usize = 64;

impl Held {
    /// Whether the filter holds an item, as of the time of the call.
    pub(crate) fn holds(&self, item: &[u8], ctx: &Ctx) -> bool {
        match self.filter() {
            AnyFilter::Bloom(filter) => filter.contains(item),
            AnyFilter::Growing(filter) => filter.contains(item),
            AnyFilter::Expiring(recent) => recent.contains_at(item, ctx.now()),
            filter => filter.contains(item),
        }
    }

    /// [`holds`](Self::holds) for a batch of items, in their order.
    pub(crate) fn holds_many(&self, items: &[&[u8]], ctx: &Ctx, answers: &mut [bool]) {
        let recent = match self.filter() {
            AnyFilter::Bloom(filter) => return filter.contains_many_into(items, answers),
            AnyFilter::Expiring(recent) => recent,
            filter => return filter.contains_many_into(items, answers),
        };
        let (now, mut hashes) = (ctx.now(), [0; BATCH]);
        for (items, answers) in items.chunks(BATCH).zip(answers.chunks_mut(BATCH)) {
            match self.hashed(items, &mut hashes) {
                Some(hashes) => recent.contains_many_hashes_at(hashes, now, answers),
                // An item may be no key of the filter.
                None => items
                    .iter()
                    .zip(answers)
                    .for_each(|(item, answer)| *answer = recent.contains_at(*item, now)),
            }
        }
    }

    /// The hashes of a batch; `None` if the scheme has none, or one of the items.
    pub(crate) fn hashed<'a>(&self, items: &[&[u8]], hashes: &'a mut [u64; BATCH]) -> Option<&'a [u64]> {
        let hasher = Filter::key_hasher(self.filter());
        let hashes = &mut hashes[..items.len()];
        for (item, hash) in items.iter().zip(&mut *hashes) {
            *hash = hasher.hash(*item).ok()?;
        }
        Some(hashes)
    }
}
