//! Every operation on a filter, one after the other, each on a copy of it: for tests that measure
//! what each takes.

#![allow(dead_code)] // What one test does not need, another does.

use std::io;
#[cfg(feature = "parallel")]
use std::num::NonZeroUsize;

use tepal::{
    AnyFilter, Opened, OverCapacity,
    facts::Labels,
    file::Format,
    hash::{PreparedKeys, finish_hash},
};

use crate::allocator::most_held;

/// What an operation took.
#[derive(Debug)]
pub(crate) struct Took {
    pub(crate) what: &'static str,
    /// The most bytes held at a time.
    pub(crate) held: u64,
    /// The bytes of the file that is written afterwards; 0 if there is no such file.
    pub(crate) file_len: u64,
    /// The bytes of the files that it was given beside its own.
    pub(crate) others: u64,
    /// The number of keys that were new to it, or that it made another filter of.
    pub(crate) keys: u64,
    /// The bytes of the links that were added to the chain.
    pub(crate) links: u64,
}

/// Keys for every operation that takes some.
pub(crate) struct NewKeys {
    texts: Vec<String>,
    hashes: Vec<u64>,
    prepared: PreparedKeys,
    takes_hashes: bool,
}

impl NewKeys {
    /// Keys that the filter takes: six decimal digits, which are a key in every domain.
    pub(crate) fn of(file: &Opened, count: usize) -> Self {
        let texts: Vec<String> = (0..count).map(|number| (400_000 + number).to_string()).collect();
        let hashes: Vec<u64> = (1 << 40..).take(count).map(finish_hash).collect();
        let (hasher, mut prepared) = (file.key_hasher(), PreparedKeys::default());
        let takes_hashes = file.filter().facts().caller_hash.is_some();
        if !takes_hashes {
            texts.iter().for_each(|text| hasher.prepare(text.as_str(), &mut prepared).unwrap());
        }
        NewKeys { texts, hashes, prepared, takes_hashes }
    }

    fn len(&self) -> u64 {
        self.texts.len() as u64
    }
}

/// The result of an operation: the file that is written then.
type Made = Option<Opened>;

/// Runs every operation on a file and with keys; the filter has `members` already. An operation may
/// refuse.
pub(crate) fn each(file: &Opened, members: u64, new: &NewKeys, took: &mut dyn FnMut(Took)) {
    let mut all = All { file, took };
    all.lookups(new);
    all.inserts(new);
    all.unions(file, file.file_len().unwrap_or(0));
    all.smaller(members);
    all.files(members, new);
    #[cfg(feature = "table")]
    all.of_tables(members, new);
}

/// Unites and intersects a file with another one of `len` bytes.
pub(crate) fn each_with(file: &Opened, other: &Opened, len: u64, took: &mut dyn FnMut(Took)) {
    All { file, took }.unions(other, len);
}

struct All<'a> {
    file: &'a Opened,
    took: &'a mut dyn FnMut(Took),
}

impl All<'_> {
    /// Measures one operation on a copy of the file, and the file that is written then.
    fn watch(&mut self, what: &'static str, keys: u64, others: u64, operation: impl FnOnce(Opened) -> Made) {
        let copy = self.file.clone();
        let (links, size) = (links(&copy), copy.filter().size_in_bytes());
        let (made, operated) = most_held(|| operation(copy));
        let (mut written, mut file_len, mut added) = (0, 0, 0);
        if let Some(made) = made {
            let bytes;
            (bytes, written) = most_held(|| made.to_bytes());
            file_len = bytes.map_or(0, |bytes| bytes.len() as u64);
            if self::links(&made) > links {
                added = made.filter().size_in_bytes().saturating_sub(size);
            }
        }
        let held = operated.max(written);
        (self.took)(Took { what, held, file_len, others, keys, links: added });
    }

    fn change<R>(
        &mut self,
        what: &'static str,
        keys: u64,
        change: impl FnOnce(&mut Opened) -> tepal::Result<R>,
    ) {
        self.watch(what, keys, 0, |mut file| {
            drop(change(&mut file));
            Some(file)
        });
    }

    fn lookups(&mut self, new: &NewKeys) {
        let keys = new.len();
        self.watch("ask", keys, 0, |file| {
            let filter = file.filter();
            let mut answers = vec![false; new.texts.len()];
            let mut bitmap = vec![0; new.texts.len().div_ceil(8)];
            let _ = (filter.contains_many(&new.texts), new.texts.first().map(|text| filter.contains(text)));
            filter.contains_many_into(&new.texts, &mut answers);
            filter.contains_many_bits(&new.texts, &mut bitmap);
            filter.contains_many_hashes(&new.hashes, &mut answers);
            if new.takes_hashes || !new.prepared.is_empty() {
                let mut answers = vec![false; new.prepared.len()];
                filter.contains_prepared(&new.prepared, &mut answers);
            }
            #[cfg(feature = "parallel")]
            let _ = filter.contains_bulk(&new.texts, NonZeroUsize::MIN);
            match filter {
                #[cfg(feature = "static")]
                AnyFilter::Map(map) => drop(map.get_many(&new.texts)),
                #[cfg(feature = "table")]
                AnyFilter::Segment(filter) => {
                    // Each answer may have all segments.
                    let few = &new.texts[..new.texts.len().min(8)];
                    drop(filter.segments_many(few));
                    let _ = filter.all_segments().map(|segment| filter.segment_len(segment)).max();
                }
                #[cfg(feature = "table")]
                AnyFilter::Expiring(filter) => {
                    let _ = new.hashes.iter().map(|hash| filter.age_estimate_hash(*hash)).max();
                }
                #[cfg(feature = "table")]
                AnyFilter::Quotient(filter) => {
                    let _ = new.hashes.iter().map(|hash| filter.count_hash(*hash)).max();
                }
                _ => {}
            }
            None
        });
        self.watch("describe", 0, 0, |file| {
            let filter = file.filter();
            let _ = (file.facts(), file.file_facts(), filter.facts(), filter.fill_of_slices(8));
            let _ = (filter.warnings(), filter.fold_factors(), filter.folded_size_in_bytes(2));
            let _ = (filter.estimated_len(), filter.false_positive_rate(), filter.keys_inserted());
            let _ = (filter.is_full(), filter.is_over_capacity(), filter.capacity());
            let _ = (file.verify(), file.file_len(), format!("{filter:?}"), filter == file.filter());
            if let AnyFilter::Bloom(bloom) = filter {
                let _ = (bloom.bits_per_key(), bloom.fill_ratio(), bloom.set_bits());
            }
            None
        });
    }

    fn inserts(&mut self, new: &NewKeys) {
        let keys = new.len();
        self.change("insert", 1, |file| match new.takes_hashes {
            true => file.insert_hash(new.hashes[0]),
            false => file.insert(&new.texts[0]),
        });
        self.change("insert_many", keys, |file| file.insert_many(&new.texts));
        self.change("insert_many_hashes", keys, |file| file.insert_many_hashes(&new.hashes));
        self.change("insert_prepared", keys, |file| file.insert_prepared(&new.prepared));
        self.change("insert_iter", keys, |file| file.insert_iter(&new.texts));
        self.change("insert past the capacity", keys, |file| {
            file.set_over_capacity(OverCapacity::Ignore)?;
            drop(file.insert_many(&new.texts));
            file.insert_many_hashes(&new.hashes)
        });
        self.change("clear and insert", keys, |file| {
            file.clear()?;
            drop(file.insert_many(&new.texts));
            file.insert_many_hashes(&new.hashes)
        });
        self.change("clear", 0, Opened::clear);
        self.change("set_labels", 0, |file| file.set_labels(Labels::new().name("another name")));
        #[cfg(feature = "table")]
        {
            self.change("remove", keys, |file| {
                new.hashes.iter().try_for_each(|hash| file.remove_hash(*hash).map(drop))?;
                new.texts.iter().try_for_each(|text| file.remove(text).map(drop))
            });
            self.change("remove_prepared", keys, |file| file.remove_prepared(&new.prepared));
            self.change("insert and remove", keys, |file| {
                drop(file.insert_many_hashes(&new.hashes));
                new.hashes.iter().try_for_each(|hash| file.remove_hash(*hash).map(drop))
            });
        }
    }

    fn unions(&mut self, other: &Opened, len: u64) {
        for (what, is_union) in [("union_with", true), ("intersect_with", false)] {
            self.watch(what, 0, len, |mut file| {
                drop(if is_union { file.union_with(other) } else { file.intersect_with(other) });
                Some(file)
            });
        }
    }

    fn smaller(&mut self, members: u64) {
        let factors = self.file.filter().fold_factors();
        for factor in factors.first().into_iter().chain(factors.last()) {
            self.change("fold", 0, |file| file.fold(*factor));
        }
        let rate = self.file.filter().false_positive_rate();
        for rate in [4.0 * rate, 0.9] {
            let rate = rate.clamp(1e-12, 0.99);
            self.change("shrink_to", 0, |file| file.shrink_to(rate));
            #[cfg(all(feature = "table", feature = "static"))]
            self.change("make_static", members, |file| file.make_static(rate));
        }
        let _ = members;
    }

    fn files(&mut self, members: u64, new: &NewKeys) {
        self.watch("write_to", 0, 0, |file| {
            drop(file.write_to(io::sink()));
            None
        });
        for format in Format::ALL {
            self.watch("convert_to", 0, 0, |file| file.convert_to(*format).ok());
        }
        self.watch("embed", 0, 0, |file| {
            match file.into_filter() {
                AnyFilter::Bloom(filter) => {
                    drop(filter.to_embedded());
                    drop(filter.into_owned());
                }
                #[cfg(feature = "static")]
                AnyFilter::Ribbon(filter) => drop(filter.to_embedded()),
                #[cfg(feature = "static")]
                AnyFilter::Map(map) => drop(map.to_embedded()),
                _ => {}
            }
            None
        });
        #[cfg(feature = "extras")]
        if let Ok(old) = self.file.to_bytes() {
            let mut changed = self.file.clone();
            let _ = (changed.insert_many(&new.texts), changed.insert_many_hashes(&new.hashes));
            if let Ok(bytes) = changed.to_bytes() {
                self.watch("patch", new.len(), bytes.len() as u64, |_| {
                    if let Ok(patch) = tepal::file::Patch::between(&old, &bytes) {
                        assert!(patch.apply(&old).unwrap() == bytes);
                    }
                    None
                });
            }
        }
        #[cfg(feature = "extras")]
        if !new.prepared.is_empty() {
            // For a full filter every key is a false positive.
            let mut exceptions = tepal::Exceptions::new();
            exceptions.take(self.file.filter(), &new.prepared);
            self.watch("except", new.len(), 0, |file| file.except(&exceptions).ok());
            let none = PreparedKeys::default();
            self.watch("divide", members + new.len(), 0, |file| file.divide(&exceptions, &none).ok());
        }
        let _ = (members, new);
    }

    #[cfg(feature = "table")]
    fn of_tables(&mut self, members: u64, new: &NewKeys) {
        let file = |filter: AnyFilter| Opened::new(filter, Format::Tepal).ok();
        match self.file.filter() {
            AnyFilter::Quotient(_) | AnyFilter::Growing(_) | AnyFilter::Segment(_) => {
                self.watch("shrink_to_fit", 0, 0, |opened| {
                    let mut filter = opened.into_filter();
                    drop(match &mut filter {
                        AnyFilter::Quotient(filter) => filter.shrink_to_fit(),
                        AnyFilter::Growing(filter) => filter.shrink_to_fit(),
                        AnyFilter::Segment(filter) => filter.shrink_to_fit(),
                        _ => Ok(()),
                    });
                    file(filter)
                });
            }
            AnyFilter::Expiring(filter) => {
                let now = filter.now().unwrap_or(0);
                for time in [now, now.saturating_add(1), now.saturating_mul(2), u64::MAX - 1, u64::MAX] {
                    self.change("advance_to", new.len(), |file| {
                        file.advance_to(time)?;
                        drop(file.insert_many_hashes(&new.hashes));
                        file.insert_many(&new.texts)
                    });
                    self.change("set_clock", new.len(), |file| {
                        file.set_clock(time / 3)?;
                        file.insert_many(&new.texts)
                    });
                }
            }
            _ => {}
        }
        if let AnyFilter::Growing(_) = self.file.filter() {
            for rate in [0.01, 0.5, 0.99] {
                self.watch("freeze", members, 0, |opened| match opened.filter() {
                    AnyFilter::Growing(filter) => file(filter.freeze(rate).ok()?.into()),
                    _ => None,
                });
            }
        }
        if let AnyFilter::Segment(filter) = self.file.filter() {
            self.change("add_segment", 0, |file| file.add_segment("another segment"));
            if let Some(segment) = filter.all_segments().next() {
                self.change("drop_segment", 0, |file| file.drop_segment(segment));
                let pairs: Vec<_> = new.hashes.iter().map(|hash| (*hash, segment)).collect();
                self.change("insert_pairs", new.len(), |file| file.insert_pairs(pairs));
                self.change("insert_prepared_in", new.len(), |file| {
                    file.insert_prepared_in(segment, &new.prepared)
                });
                self.watch("merge_segments", 0, 0, |opened| {
                    let mut filter = opened.into_filter();
                    if let AnyFilter::Segment(filter) = &mut filter {
                        let into = filter.add_segment("another segment").ok()?;
                        drop(filter.merge_segments(segment, into));
                    }
                    file(filter)
                });
            }
        }
    }
}

/// The number of links of a chain.
fn links(file: &Opened) -> usize {
    let facts = file.filter().facts();
    facts.parts.len() + facts.tables.len()
}
