//! Plans: what every kind of filter, and what other programs, take for two of keys, rate and size.

use tepal::builders::BloomFilterBuilder;
use tepal::file::Format;
use tepal::{BloomFilter, Layout, Plan, PlannedKind};

use crate::json::Json;
use crate::make;
use crate::words::Words;

/// Two of these are given.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) keys: Option<u64>,
    pub(crate) rate: Option<f64>,
    pub(crate) bytes: Option<u64>,
    /// Segments of a filter of segments, and values of a map.
    pub(crate) segments: u64,
    pub(crate) values: u64,
}

/// Other programs, whose filters are Bloom filters.
const PROGRAMS: [(&str, Format); 5] = [
    ("guava", Format::Guava),
    ("spark", Format::Spark),
    ("redis", Format::RedisBloom),
    ("parquet", Format::ParquetSbbf),
    ("go", Format::BitsAndBlooms),
];

/// The smallest ratio of keys to capacity in the curve of a filter that fills, and the largest.
const FILL: (f64, f64) = (0.1, 4.0);
/// Points of a curve.
const POINTS: u32 = 32;
/// The rates of the curve of sizes.
const RATES: (f64, f64) = (0.3, 1e-6);

fn kinds(wanted: &Wanted) -> [(&'static str, PlannedKind); 7] {
    [
        ("static", PlannedKind::Static),
        ("deletable", PlannedKind::Deletable),
        ("counting", PlannedKind::Counting(4)),
        ("growing", PlannedKind::Growing),
        ("window", PlannedKind::Window),
        ("segments", PlannedKind::Segments(wanted.segments)),
        ("map", PlannedKind::Map(wanted.values)),
    ]
}

impl Wanted {
    fn describe(&self, mut builder: BloomFilterBuilder, unit: u64) -> BloomFilterBuilder {
        if let Some(keys) = self.keys {
            builder = builder.capacity(keys);
        }
        if let Some(rate) = self.rate {
            builder = builder.false_positive_rate(rate);
        }
        if let Some(bytes) = self.bytes {
            let bits = bytes.saturating_mul(8);
            builder = builder.bit_len((bits - bits % unit).max(unit));
        }
        builder
    }
}

/// The rows of the table, as JSON.
pub(crate) fn rows(wanted: &Wanted, json: &mut Json) {
    let described = |unit| wanted.describe(BloomFilter::builder(), unit);
    let chosen = described(512).plan().map(|plan| plan.layout);
    json.array(|json| {
        for &layout in Layout::ALL {
            let row =
                Row { name: layout.name(), group: "bloom", chosen: chosen.as_ref().ok() == Some(&layout) };
            row.of_plan(described(512).layout(layout).plan(), None, json);
        }
        for (name, kind) in kinds(wanted) {
            let found = match (wanted.keys, wanted.rate, wanted.bytes) {
                (Some(keys), Some(rate), _) => {
                    kind.size_in_bytes(keys, rate).map(|bytes| Some((keys, rate, bytes)))
                }
                (Some(keys), None, Some(most)) => {
                    Ok(kind.least_rate(keys, most).map(|(rate, bytes)| (keys, rate, bytes)))
                }
                (None, Some(rate), Some(most)) => {
                    Ok(kind.most_keys(rate, most).map(|(keys, bytes)| (keys, rate, bytes)))
                }
                _ => Ok(None),
            };
            let row = Row { name, group: "kind", chosen: false };
            match found {
                Ok(Some((keys, rate, bytes))) => row.put(keys, rate, bytes, None, None, json),
                Ok(None) => row.refused(&"no such filter: it would need a higher rate, or fewer keys", json),
                Err(error) => row.refused(&error, json),
            }
        }
        for (name, format) in PROGRAMS {
            // Parquet's writers know no other sizes than powers of two.
            let unit = match wanted.bytes {
                Some(bytes) if format == Format::ParquetSbbf => 1 << bytes.saturating_mul(8).max(256).ilog2(),
                _ => 64,
            };
            let plan = wanted.describe(make::described(format), unit).plan();
            let delivered =
                plan.as_ref().ok().and_then(|plan| rate_of(make::described(format), plan, plan.capacity));
            Row { name, group: "program", chosen: false }.of_plan(plan, delivered, json);
        }
        limit(wanted, json);
    });
}

/// The rate of a filter of this plan while it holds this number of keys.
fn rate_of(builder: BloomFilterBuilder, plan: &Plan, keys: u64) -> Option<f64> {
    let builder = builder.layout(plan.layout).num_hashes(plan.num_hashes).bit_len(plan.bit_len);
    builder.capacity(keys).plan().ok().map(|plan| plan.false_positive_rate)
}

struct Row {
    name: &'static str,
    group: &'static str,
    chosen: bool,
}

impl Row {
    fn of_plan(&self, plan: tepal::Result<Plan>, delivered: Option<f64>, json: &mut Json) {
        match plan {
            Ok(plan) => {
                let (keys, bytes) = (plan.capacity, plan.bit_len.div_ceil(8));
                self.put(keys, plan.false_positive_rate, bytes, Some(plan.num_hashes), delivered, json);
            }
            Err(error) => self.refused(&error, json),
        }
    }

    fn put(&self, keys: u64, rate: f64, bytes: u64, k: Option<u32>, delivered: Option<f64>, json: &mut Json) {
        self.object(json, |json| {
            json.name("keys").plain(keys);
            json.name("rate").number(rate);
            json.name("bytes").plain(bytes);
            if let Some(k) = k {
                json.name("k").plain(k);
            }
            if let Some(delivered) = delivered {
                json.name("delivered").number(delivered);
            }
        });
    }

    fn refused(&self, reason: &dyn Words, json: &mut Json) {
        let reason = reason.words();
        self.object(json, |json| json.name("problem").text(&reason));
    }

    fn object(&self, json: &mut Json, fill: impl FnOnce(&mut Json)) {
        json.object(|json| {
            json.name("name").text(self.name);
            json.name("group").text(self.group);
            json.name("chosen").plain(self.chosen);
            fill(json);
        });
    }
}

/// The least that any filter can take: log2(1/rate) bits a key.
fn limit(wanted: &Wanted, json: &mut Json) {
    let row = Row { name: "limit", group: "limit", chosen: false };
    let bits = |rate: f64| -libm::log2(rate);
    let found = match (wanted.keys, wanted.rate, wanted.bytes) {
        (Some(keys), Some(rate), None) => {
            Some((keys, rate, libm::ceil(keys as f64 * bits(rate) / 8.0) as u64))
        }
        (Some(keys), _, Some(bytes)) => Some((keys, libm::exp2(-8.0 * bytes as f64 / keys as f64), bytes)),
        (None, Some(rate), Some(bytes)) => Some(((8.0 * bytes as f64 / bits(rate)) as u64, rate, bytes)),
        _ => None,
    };
    match found {
        Some((keys @ 1.., rate, bytes)) if rate > 0.0 && rate < 1.0 => {
            row.put(keys, rate, bytes, None, None, json)
        }
        _ => row.refused(
            &"no such filter: it would have no key, or a rate that no number tells from 0 or 1",
            json,
        ),
    }
}

/// The two plots for filters of this many keys at this rate: bytes against rate, and the rate
/// against the number of keys while a filter fills.
pub(crate) fn curves(keys: u64, rate: f64, wanted: &Wanted, json: &mut Json) {
    let sized = Wanted { keys: Some(keys), rate: None, bytes: None, ..*wanted };
    json.object(|json| {
        json.name("size").object(|json| {
            for &layout in Layout::ALL {
                let bytes = |rate| {
                    let builder = Wanted { rate: Some(rate), ..sized }.describe(BloomFilter::builder(), 512);
                    builder.layout(layout).plan().ok().map(|plan| plan.size_in_bytes() as f64)
                };
                curve(layout.name(), RATES, bytes, json);
            }
            for (name, kind) in kinds(wanted) {
                curve(
                    name,
                    RATES,
                    |rate| kind.size_in_bytes(keys, rate).ok().map(|bytes| bytes as f64),
                    json,
                );
            }
            for (name, format) in PROGRAMS {
                let bytes = |rate| {
                    let plan =
                        Wanted { rate: Some(rate), ..sized }.describe(make::described(format), 64).plan();
                    plan.ok().map(|plan| plan.bit_len.div_ceil(8) as f64)
                };
                curve(name, RATES, bytes, json);
            }
            curve("limit", RATES, |rate| Some(-libm::log2(rate) * keys as f64 / 8.0), json);
        });
        json.name("fill").object(|json| {
            let held = |share: f64| ((keys as f64 * share) as u64).max(1);
            let planned = Wanted { rate: Some(rate), ..sized };
            for &layout in Layout::ALL {
                let plan = planned.describe(BloomFilter::builder(), 512).layout(layout).plan().ok();
                let now = |share| rate_of(BloomFilter::builder(), plan.as_ref()?, held(share));
                curve(layout.name(), FILL, now, json);
            }
            for (name, kind) in kinds(wanted) {
                curve(name, FILL, |share| kind.rate_at(keys, rate, held(share)), json);
            }
            for (name, format) in PROGRAMS {
                let plan = planned.describe(make::described(format), 64).plan().ok();
                let now = |share| rate_of(make::described(format), plan.as_ref()?, held(share));
                curve(name, FILL, now, json);
            }
        });
    });
}

/// The points of one curve, `[x, y]` each, with even steps of the logarithm of x.
fn curve(name: &str, (from, to): (f64, f64), y: impl Fn(f64) -> Option<f64>, json: &mut Json) {
    json.name(name).array(|json| {
        let step = libm::log(to / from) / f64::from(POINTS);
        for point in 0..=POINTS {
            let x = from * libm::exp(step * f64::from(point));
            if let Some(y) = y(x) {
                json.array(|json| {
                    json.number(x);
                    json.number(y);
                });
            }
        }
    });
}
