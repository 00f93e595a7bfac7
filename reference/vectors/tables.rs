//! `quotient.json`: section 2.7, tables, their bytes, and slots that do not fit; and section 5.3,
//! their sizes.

use crate::json::{Json, decimal, hex, hex64, list, object, optional, plain};
use tepal_reference::hash::xxh3;
use tepal_reference::size::{numbers_for, table, table_for};
use tepal_reference::table::{Shape, Slot, decode_canonical, encode, find, number, spread};
use tepal_reference::write::body;

/// For a body longer than this the JSON has only its checksum.
const LONGEST_WHOLE_BODY: usize = 256;

/// Some of the slots of a table.
enum Part {
    /// A number, its tag, and its number of slots.
    Same(u64, u64, u64),
    /// The first number, the step from each number to the next, the count, and the tag of all.
    Run(u64, u64, u64, u64),
    /// The first integer, and the count. The hash of a slot is the XXH3-64 of the integer's decimal
    /// text; its tag is the hash mod 2^v.
    Hashed(u64, u64),
}
use Part::{Hashed, Run, Same};

impl Part {
    fn slots(&self, shape: &Shape) -> Vec<Slot> {
        match *self {
            Same(number, tag, times) => vec![(number, tag); times as usize],
            Run(first, step, count, tag) => (0..count).map(|i| (first + i * step, tag)).collect(),
            Hashed(from, count) => (from..from + count)
                .map(|i| xxh3(i.to_string().as_bytes(), 0))
                .map(|h| (number(h, shape.numbers), h % (1 << shape.tag_bits)))
                .collect(),
        }
    }

    fn json(&self) -> Json {
        match *self {
            Same(number, tag, times) => {
                object([("number", decimal(number)), ("tag", plain(tag)), ("times", plain(times))])
            }
            Run(first, step, count, tag) => object([
                ("first", decimal(first)),
                ("step", decimal(step)),
                ("count", plain(count)),
                ("tag", plain(tag)),
            ]),
            Hashed(from, count) => object([("hashed_from", plain(from)), ("count", plain(count))]),
        }
    }
}

/// A table before it is written: its name, its shape, and its slots.
type Plan = (&'static str, Shape, Vec<Part>);

/// A shape with `home` home lines, whose numbers are all below U.
fn shape(rem_bits: u32, tag_bits: u32, buckets: u64, slots: u64, home: u64, spare: u64) -> Shape {
    Shape { numbers: (home * buckets) << rem_bits, rem_bits, tag_bits, buckets, slots, spare }
}

/// The shape for `n` keys.
fn sized(n: u64, rate: f64, tag_bits: u32) -> Result<Shape, String> {
    table(n, numbers_for(n, rate)?, tag_bits)
}

/// Small tables. Together they use each rule of section 2.7.1.
fn small() -> Result<Vec<Plan>, String> {
    let one = sized(50, 0.01, 0)?;
    // Twelve buckets of four numbers and four slots a line, 24 bits of meta.
    let tiny = shape(2, 0, 12, 4, 3, 3);
    let five = || Same(0, 0, 5);
    Ok(vec![
        ("empty", one, vec![]),
        ("empty, with lines to spare", shape(6, 0, 83, 58, 1, 2), vec![]),
        ("one number", one, vec![Same(one.numbers - 1, 0, 1)]),
        ("the number 0", one, vec![Same(0, 0, 1)]),
        ("one number below 1", Shape { numbers: 1, ..shape(1, 0, 8, 162, 1, 0) }, vec![Same(0, 0, 64)]),
        ("a full line", one, vec![Hashed(0, one.slots)]),
        ("a full line, all its slots in the last bucket", tiny, vec![Same(47, 0, 4)]),
        ("one bucket on two lines", tiny, vec![five()]),
        ("slots go on in a later bucket of the line", tiny, vec![Same(3, 0, 4), Same(21, 0, 1)]),
        ("S slots, and only 0s to come", tiny, vec![Same(3, 0, 4), Same(48, 0, 1)]),
        ("S slots, only 0s to come, and meta is full", tiny, vec![five(), Run(4, 4, 3, 0)]),
        ("meta is full behind a bucket's last 1", tiny, vec![five(), Same(4 * 21, 0, 1)]),
        ("meta is full behind a 0 whose slot is to come", tiny, vec![five(), Same(4 * 22, 0, 1)]),
        (
            "meta is full between the slots of a bucket",
            tiny,
            vec![five(), Same(4 * 21, 0, 1), Same(4 * 21 + 3, 0, 1)],
        ),
        ("meta is just full when all is out", tiny, vec![Run(0, 4, 5, 0), Run(48, 12, 3, 0)]),
        (
            "S slots, the 0 of the next slot's bucket does not fit",
            tiny,
            vec![five(), Run(4, 4, 3, 0), Same(4 * 23, 0, 1)],
        ),
        (
            "S slots, the 0 of the next slot's bucket just fits",
            tiny,
            vec![five(), Run(4, 4, 3, 0), Same(4 * 19, 0, 1)],
        ),
        ("spare lines in use", Shape { spare: 3, ..tiny }, vec![Same(4 * 35, 0, 4), Same(4 * 35 + 1, 0, 4)]),
        ("tags in one bucket", shape(2, 4, 12, 4, 1, 0), vec![Same(1, 15, 2), Same(1, 7, 1), Same(0, 3, 1)]),
        (
            "equal numbers, tags that ascend, on two lines",
            shape(3, 8, 20, 5, 2, 1),
            vec![Run(9, 0, 4, 200), Run(9, 0, 3, 17)],
        ),
    ])
}

/// Tables of many lines.
fn large() -> Result<Vec<Plan>, String> {
    let mut plans = vec![
        ("64 copies of one number", shape(6, 0, 40, 20, 12, 6), vec![Same(100, 0, 64), Hashed(0, 60)]),
        ("a line begins 1,022 buckets before its own", shape(3, 0, 146, 1, 180, 0), vec![Same(0, 0, 8)]),
        (
            "lines that begin far before their own",
            shape(3, 0, 150, 1, 130, 0),
            vec![Same(0, 0, 6), Hashed(0, 6)],
        ),
        (
            "all numbers in the last lines",
            shape(6, 0, 83, 58, 40, 6),
            vec![Run(83 * 64 * 40 - 200, 1, 200, 0)],
        ),
        ("64 spare lines", shape(4, 0, 50, 88, 5, 64), vec![Run(50 * 16 * 5 - 800, 1, 800, 0)]),
        (
            "U is no multiple of anything",
            Shape { numbers: 10_007, ..shape(6, 0, 83, 58, 1, 6) },
            vec![Hashed(0, 100)],
        ),
        (
            "U = 2^56 - 1, r = 40",
            Shape { numbers: (1 << 56) - 1, ..shape(40, 0, 150, 8, 1, 6) },
            vec![Hashed(0, 2500)],
        ),
        ("r = 40, v = 16", shape(40, 16, 8, 8, 30, 6), vec![Hashed(0, 190)]),
        ("r = 1, B = 150", shape(1, 0, 150, 34, 20, 6), vec![Hashed(0, 500)]),
        ("r = 1, B = 8, S = 176", shape(1, 0, 8, 176, 20, 6), vec![Hashed(0, 3000)]),
        ("S = 1", shape(6, 0, 9, 1, 300, 64), vec![Hashed(0, 120)]),
    ];
    for (name, rate, tag_bits) in [
        ("rate 0.5", 0.5, 0),
        ("rate 0.1", 0.1, 0),
        ("rate 0.01", 0.01, 0),
        ("rate 2^-16", 1.0 / 65536.0, 0),
        ("rate 0.01, v = 3", 0.01, 3),
        ("rate 0.01, v = 4", 0.01, 4),
        ("rate 0.01, v = 8", 0.01, 8),
        ("rate 0.01, v = 16", 0.01, 16),
    ] {
        plans.push((name, sized(2000, rate, tag_bits)?, vec![Hashed(0, 2000)]));
    }
    // Loads in percent of the slots of 40 lines.
    for (name, load) in [("load 0.5", 50), ("load 0.9", 90), ("load 0.95", 95), ("load 0.97", 97)] {
        let shape = shape(6, 0, 83, 58, 40, 32);
        plans.push((name, shape, vec![Hashed(1_000_000, 40 * 58 * load / 100)]));
    }
    Ok(plans)
}

/// Slots that do not fit their shape.
fn too_many() -> Vec<Plan> {
    let tiny = shape(2, 0, 12, 4, 1, 1);
    vec![
        ("d of 1,029", shape(3, 0, 147, 1, 180, 6), vec![Same(0, 0, 8)]),
        ("d of 1,050", shape(3, 0, 150, 1, 180, 6), vec![Same(0, 0, 8)]),
        ("one slot more than a line has", shape(6, 0, 83, 58, 1, 0), vec![Same(83 * 64 - 1, 0, 59)]),
        ("one slot more than two lines have", tiny, vec![Same(47, 0, 9)]),
        ("all slots on the last line, but not all 0s", tiny, vec![Same(0, 0, 5)]),
        ("meta of the last line full before the last slot", tiny, vec![Same(0, 0, 5), Same(4 * 11, 0, 3)]),
        ("spare lines full", shape(6, 0, 83, 58, 40, 6), vec![Run(83 * 64 * 40 - 500, 1, 500, 0)]),
        ("twice too many", shape(6, 0, 83, 58, 10, 64), vec![Hashed(0, 4000)]),
    ]
}

/// The numbers of some hashes: hash, spread, U, number.
pub(crate) fn numbers() -> Json {
    let hashes =
        (0..6u64).map(|i| xxh3(i.to_string().as_bytes(), 0)).chain([0, 1, 1 << 32, u64::MAX, 0x9E37_79B9]);
    let sizes = [1, 64, 5056, 10_007, 100_000_000, (1 << 56) - 1];
    list(hashes.enumerate().map(|(i, h)| {
        let numbers = sizes[i % sizes.len()];
        list([hex64(h), hex64(spread(h)), decimal(numbers), decimal(number(h, numbers))])
    }))
}

pub(crate) fn tables() -> Result<Json, String> {
    let mut tables = Vec::new();
    for (name, shape, parts) in small()?.into_iter().chain(large()?) {
        let wrong = |why: String| format!("{name}: {why}");
        shape.check().map_err(wrong)?;
        let mut slots: Vec<Slot> = parts.iter().flat_map(|part| part.slots(&shape)).collect();
        slots.sort();
        let bits = encode(&shape, &slots).map_err(wrong)?;
        if decode_canonical(&shape, &bits).map_err(wrong)? != slots {
            return Err(format!("{name}: the lines have other slots"));
        }
        for &(number, _) in &slots {
            let tags: Vec<u64> = slots.iter().filter(|slot| slot.0 == number).map(|slot| slot.1).collect();
            if find(&shape, &bits, number) != tags {
                return Err(format!("{name}: {number} is not found"));
            }
        }
        let body = body(&bits);
        tables.push(object([
            ("name", plain(name)),
            ("shape", shape_json(&shape)),
            ("slots", list(parts.iter().map(Part::json))),
            ("body_xxh3", hex64(xxh3(&body, 0))),
            ("body", optional((body.len() <= LONGEST_WHOLE_BODY).then(|| hex(&body)))),
        ]));
    }
    Ok(list(tables))
}

pub(crate) fn what_does_not_fit() -> Result<Json, String> {
    let mut tables = Vec::new();
    for (name, shape, parts) in too_many() {
        shape.check().map_err(|why| format!("{name}: {why}"))?;
        let slots: Vec<Slot> = parts.iter().flat_map(|part| part.slots(&shape)).collect();
        if encode(&shape, &slots).is_ok() {
            return Err(format!("{name}: it fits"));
        }
        tables.push(object([
            ("name", plain(name)),
            ("shape", shape_json(&shape)),
            ("slots", list(parts.iter().map(Part::json))),
        ]));
    }
    Ok(list(tables))
}

/// U, r, v, B, S, spare and the number of lines.
pub(crate) fn shape_json(shape: &Shape) -> Json {
    list([
        decimal(shape.numbers),
        plain(shape.rem_bits),
        plain(shape.tag_bits),
        plain(shape.buckets),
        plain(shape.slots),
        plain(shape.spare),
        decimal(shape.lines()),
    ])
}

/// Section 5.3: capacity, rate, n, and the shape.
pub(crate) fn sizes() -> Result<Json, String> {
    const CAPACITIES: [u64; 10] = [1, 2, 50, 54, 55, 56, 100, 1000, 1_000_000, 1_000_000_000];
    const RATES: [f64; 8] = [0.5, 0.1, 0.01, 1.0 / 256.0, 0.001, 1.0 / 65536.0, 1e-6, 1e-9];
    let mut rows = Vec::new();
    let mut add = |capacity: u64, rate: f64, n: u64, tag_bits: u32| -> Result<(), String> {
        // If there is no table, the row has no shape.
        let numbers = numbers_for(capacity, rate)?;
        let shape = table(n, numbers, tag_bits).ok().map(|shape| shape_json(&shape));
        let n = if n == capacity { Json::Absent } else { decimal(n) };
        rows.push(object([
            ("capacity", decimal(capacity)),
            ("rate", plain(rate)),
            ("n", n),
            ("v", plain(tag_bits)),
            ("shape", shape.unwrap_or_else(|| plain(serde_json::Value::Null))),
        ]));
        Ok(())
    };
    for capacity in CAPACITIES {
        for rate in RATES {
            // U of 2^56 or more is refused.
            if numbers_for(capacity, rate).is_ok() {
                add(capacity, rate, capacity, 0)?;
            }
        }
    }
    for tag_bits in [1, 4, 8, 16] {
        for (capacity, rate) in [(1, 0.01), (30, 0.01), (1000, 0.1), (1_000_000, 0.001), (70_000_000, 1e-9)] {
            add(capacity, rate, capacity, tag_bits)?;
        }
    }
    for (capacity, rate, n) in [
        (50, 0.01, 1),
        (50, 0.01, 200),
        (1_000_000, 0.01, 20_000),
        (1_000_000, 0.01, 1_500_000),
        (1_000_000, 0.5, 100_000_000),
        (1, 0.999, 64),
        (1, 0.999, 1000),
        (36_000_000_000_000_000, 0.5, 1_000_000),
    ] {
        add(capacity, rate, n, 0)?;
    }
    Ok(list(rows))
}

/// Section 5.3: tables that are larger than the table for n, because their slots do not fit that
/// table.
pub(crate) fn larger() -> Result<Json, String> {
    let mut rows = Vec::new();
    for (capacity, rate, tag_bits, parts) in [
        (50, 0.01, 0, vec![Hashed(0, 60)]),
        (100, 0.01, 0, vec![Hashed(0, 400)]),
        (100, 0.01, 0, vec![Same(100, 0, 64), Same(101, 0, 64)]),
        (1000, 0.01, 0, vec![Run(0, 1, 1000, 0)]),
        (1000, 0.01, 4, vec![Hashed(0, 1500)]),
        (100, 0.01, 0, vec![Hashed(0, 20_000)]),
        // A few numbers with the most slots: at the end of the table, and close to each other
        // before the end.
        (640, 1e-6, 4, vec![Hashed(0, 100), Same(639_999_000, 3, 64), Same(639_999_500, 3, 64)]),
        (640, 1e-6, 16, (0..16).map(|i| Same(300_000_000 + 100_000 * i, 0, 64)).collect()),
        // Many neighbouring numbers fit no table, although one number has many slots.
        (1000, 0.01, 0, vec![Run(0, 1, 4000, 0), Same(5, 0, 63)]),
    ] {
        let numbers = numbers_for(capacity, rate)?;
        let shape = table(capacity, numbers, tag_bits)?;
        let slots: Vec<Slot> = parts.iter().flat_map(|part| part.slots(&shape)).collect();
        let found = table_for(capacity, numbers, tag_bits, &slots).ok();
        if found == Some(shape) {
            return Err(format!("{capacity} at {rate} fit the first table"));
        }
        rows.push(object([
            ("capacity", decimal(capacity)),
            ("rate", plain(rate)),
            ("v", plain(tag_bits)),
            ("slots", list(parts.iter().map(Part::json))),
            ("shape", found.map_or_else(|| plain(serde_json::Value::Null), |shape| shape_json(&shape))),
        ]));
    }
    Ok(list(rows))
}
