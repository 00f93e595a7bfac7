//! A small filter that is drawn: what each key sets, and what a lookup reads.

use alloc::vec::Vec;

use tepal::facts::Touched;
use tepal::{
    AnyFilter, BloomFilter, ExpiringFilter, Layout, QuotientFilter, Result, RibbonFilter, RibbonMap,
    SegmentFilter,
};

use crate::json::Json;

/// Bits of the Bloom filters that are drawn: four lines.
const BITS: u64 = 2048;
/// Keys that a drawn table is planned for, at least; a window has room for these alone.
const ROOM: u64 = 64;
/// Candidates that are tried until one is found wrongly.
const TRIES: u32 = 2_000_000;

/// Draws a filter of these keys, and the lookup of another key. `find` looks for a key that is
/// wrongly found instead.
pub(crate) fn draw(kind: &str, keys: &[&str], asked: &str, find: bool, json: &mut Json) -> Result<()> {
    let drawing = Drawing::new(kind, keys)?;
    let mut asked = alloc::string::String::from(asked);
    if find {
        let is_wrong = |key: &alloc::string::String| {
            drawing.filter.contains(key.as_str()) && !keys.contains(&key.as_str())
        };
        if let Some(found) = (1..TRIES).map(|i| alloc::format!("guess {i}")).find(is_wrong) {
            asked = found;
        }
    }
    json.object(|json| {
        json.name("bits").plain(BITS);
        json.name("rate").number(drawing.filter.false_positive_rate());
        json.name("bytes").plain(drawing.filter.size_in_bytes());
        let facts = drawing.filter.facts();
        if let [part] = facts.parts.as_slice() {
            json.name("k").plain(part.num_hashes);
            json.name("set").plain(part.set_bits);
        }
        if let [table] = facts.tables.as_slice() {
            json.name("lines").plain(table.lines);
            json.name("buckets").plain(table.buckets);
            json.name("slots").plain(table.slots);
            json.name("numbers").plain(table.numbers);
            json.name("remainderBits").plain(table.remainder_bits);
        }
        if let Some(ribbon) = &facts.ribbon {
            json.name("slotCount").plain(ribbon.last_slots);
        }
        json.name("keys").array(|json| {
            for key in keys {
                drawing.key(key, json);
            }
        });
        drawing.key(&asked, json.name("asked"));
    });
    Ok(())
}

struct Drawing {
    filter: AnyFilter,
    /// The same Bloom filter without keys.
    empty: Option<BloomFilter>,
}

impl Drawing {
    fn new(kind: &str, keys: &[&str]) -> Result<Self> {
        let pairs =
            || keys.iter().enumerate().map(|(i, key)| (if i % 2 == 0 { "even" } else { "odd" }, *key));
        let room = ROOM.max(keys.len() as u64);
        let filter: AnyFilter = match kind {
            // A power of two, so that every key has the same number of bits.
            "static" => RibbonFilter::builder().false_positive_rate(1.0 / 16.0).build_from(keys)?.into(),
            "deletable" => {
                let builder = QuotientFilter::builder().capacity(room).false_positive_rate(1.0 / 16.0);
                builder.build_from(keys)?.into()
            }
            "window" => {
                let builder = ExpiringFilter::builder().window_of_keys(ROOM).false_positive_rate(1.0 / 16.0);
                let mut filter = builder.build()?;
                filter.insert_many(keys)?;
                filter.into()
            }
            "segments" => {
                let builder = SegmentFilter::builder().capacity(room).false_positive_rate(1.0 / 16.0);
                builder.build_from(pairs())?.into()
            }
            "map" => {
                let value = |(i, key): (usize, &&str)| (alloc::string::String::from(*key), i as u32 % 2);
                let builder = RibbonMap::builder().names(["even", "odd"]).false_positive_rate(1.0 / 16.0);
                builder.build_from(keys.iter().enumerate().map(value))?.into()
            }
            layout => {
                let layout = layout.parse().unwrap_or(Layout::Line);
                let k = if layout == Layout::SplitBlock { 8 } else { 4 };
                let builder = BloomFilter::builder().layout(layout).num_hashes(k).bit_len(BITS);
                // Past its capacity too: what happens then is what the drawing shows.
                let builder = builder.capacity(ROOM).over_capacity(tepal::OverCapacity::Ignore);
                let empty = builder.build()?;
                let mut filter = empty.clone();
                filter.insert_many(keys)?;
                return Ok(Drawing { filter: filter.into(), empty: Some(empty) });
            }
        };
        Ok(Drawing { filter, empty: None })
    }

    /// A key, its answer, and what its lookup reads.
    fn key(&self, key: &str, json: &mut Json) {
        json.object(|json| {
            json.name("key").text(key);
            json.name("in").plain(self.filter.contains(key));
            if let Some(bits) = self.bits(key) {
                json.name("bits").array(|json| bits.iter().for_each(|bit| json.plain(bit)));
            }
            if let Some(filter) = self.filter.as_segmented() {
                json.name("names").array(|json| {
                    filter.segments(key).for_each(|segment| {
                        json.text(filter.segment_name(segment).unwrap_or_default());
                    });
                });
            }
            if let Some(map) = self.filter.as_valued() {
                if let Some(name) = map.get(key).and_then(|value| value.name()) {
                    json.name("names").array(|json| json.text(name));
                }
            }
            match self.filter.touched(key) {
                Some(Touched::Number { number, line, bucket, remainder }) => {
                    json.name("number").plain(number);
                    json.name("line").plain(line);
                    json.name("bucket").plain(bucket);
                    json.name("remainder").plain(remainder);
                }
                Some(Touched::Slots { slots, columns, fingerprint, value_bits }) => {
                    json.name("columns").plain(columns);
                    json.name("fingerprint").plain(fingerprint);
                    json.name("valueBits").plain(value_bits);
                    json.name("sum").plain(slots.iter().fold(0, |sum, (_, value)| sum ^ value));
                    json.name("slots").array(|json| {
                        for (slot, value) in &slots {
                            json.array(|json| {
                                json.plain(slot);
                                json.plain(value);
                            });
                        }
                    });
                }
                _ => {}
            }
        });
    }

    /// The bits that a key sets: those of an empty filter with this key alone.
    fn bits(&self, key: &str) -> Option<Vec<usize>> {
        let mut alone = self.empty.clone()?;
        alone.insert(key).ok()?;
        let bytes = alone.to_bits().ok()?;
        Some((0..8 * bytes.len()).filter(|bit| bytes[bit / 8] >> (bit % 8) & 1 == 1).collect())
    }
}
