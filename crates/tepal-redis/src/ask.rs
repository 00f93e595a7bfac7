//! Lookups: batches of items, hashed and prefetched together.

use tepal::AnyFilter;
use tepal::hash::PreparedKeys;

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
        let mut prepared = PreparedKeys::default();
        match recent.key_hasher().prepare_many(items, &mut prepared).map(|()| prepared.hashes()) {
            Ok(Some(hashes)) => recent.contains_many_hashes_at(hashes, ctx.now(), answers),
            // Bytes are keys of every domain that the module makes.
            _ => items.iter().zip(answers).for_each(|(item, answer)| *answer = self.holds(item, ctx)),
        }
    }
}
