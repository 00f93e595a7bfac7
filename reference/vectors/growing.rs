//! `growing.json`: sections 4.2.3 and 5.5, small growing filters, their growth, and refused files.

use crate::changed::cases_of_one;
use crate::changes::Change;
use crate::json::{Json, decimal, list, object, plain};
use crate::kinds::{beginning, bytes_of, keys_of, under_a_secret, written};
use crate::tables;
use tepal_reference::growing::{Growing, capacity, numbers, rate, read, room, write};
use tepal_reference::quotient::{NOTHING, Quotient};
use tepal_reference::size::table;

const ABOUT: &str = "Growing filters (FORMAT.md sections 4.2.3 and 5.5). `links` of `plans`: [numbers, capacity, rate] of each \
    link there can be. `files`: the keys `key 0` to `key (keys - 1)` were given to the filter, then `key 0` to `key \
    (again - 1)` once more, then `key 0` to `key (removed - 1)` taken out. A `shape` is [U, r, v, B, S, spare, lines]. \
    `refused` are changes to the file `plain`, as offsets and new bytes, with the header checksum mended and the step of section 4.6 that refuses them.";

/// A filter, and the operations on it.
struct Plan {
    name: &'static str,
    first: u64,
    rate: f64,
    deletable: bool,
    scheme: u8,
    domain: u8,
    recipe: u32,
    records: &'static [(u16, &'static str)],
    keys: u64,
    again: u64,
    removed: u64,
    sealed: bool,
}

fn plans() -> Vec<Plan> {
    let plain = Plan {
        name: "plain",
        first: 2,
        rate: 0.1,
        deletable: false,
        scheme: 1,
        domain: 1,
        recipe: 0,
        records: &[],
        keys: 60,
        again: 10,
        removed: 0,
        sealed: false,
    };
    vec![
        Plan { name: "empty", first: 1000, rate: 0.01, keys: 0, again: 0, ..plain },
        Plan { name: "one key", first: 1, rate: 0.5, keys: 1, again: 1, ..plain },
        Plan { name: "just full", first: 2, keys: 32, ..plain },
        Plan { name: "some taken out", deletable: true, keys: 150, again: 90, removed: 70, ..plain },
        Plan {
            name: "a secret, sealed, labels, a recipe",
            scheme: 2,
            recipe: 3,
            records: &[(1, "Gesehene Seiten"), (4, "url")],
            rate: 1e-6,
            sealed: true,
            ..plain
        },
        Plan { name: "two chunks", first: 20_000, rate: 1e-9, again: 0, ..plain },
        Plan {
            name: "numbers held 64 times",
            first: 1,
            rate: 0.9,
            deletable: true,
            keys: 4_500,
            again: 0,
            ..plain
        },
        Plan { name: "three links", first: 1, rate: 0.01, keys: 900, scheme: 3, ..plain },
        plain,
    ]
}

/// The parts of the links of the file `plain`, of 88 bytes each.
const FIRST: usize = 128;
const SECOND: usize = FIRST + 88;

/// Changes of the file `plain`.
const CHANGES: &[Change] = &[
    (4, "no links", &[(32, &[0, 0, 0, 0])]),
    (4, "11 links", &[(32, &[11, 0, 0, 0])]),
    (4, "2^32-1 links", &[(32, &[0xFF; 4])]),
    (5, "one link of two", &[(32, &[1, 0, 0, 0])]),
    (4, "neither deletable nor not", &[(36, &[2])]),
    (4, "something behind deletable", &[(37, &[1])]),
    (4, "promised rate 0", &[(40, &[0; 8])]),
    (4, "promised rate NaN", &[(40, &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F])]),
    (4, "promised rate 2^-10, and not that of the links", &[(40, &[0, 0, 0, 0, 0, 0, 0x50, 0x3F])]),
    (4, "begun with no key", &[(48, &[0; 8])]),
    (4, "begun with another number of keys", &[(48, &[3])]),
    (4, "begun with 2^64-1 keys", &[(48, &[0xFF; 8])]),
    (4, "something behind the first keys", &[(56, &[1])]),
    (4, "something at the end of the filter's part", &[(119, &[0x80])]),
    (4, "a link of another scheme", &[(SECOND, &[3])]),
    (4, "links of scheme 26", &[(FIRST, &[26]), (SECOND, &[26])]),
    (4, "a link of another key domain", &[(SECOND + 1, &[2])]),
    (4, "a link that refuses", &[(FIRST + 2, &[1])]),
    (4, "a link that ignores", &[(SECOND + 2, &[3])]),
    (4, "a link that counts", &[(FIRST + 3, &[1]), (FIRST + 7, &[4])]),
    (4, "a link of no remainder bits", &[(FIRST + 4, &[0])]),
    (4, "a link of more numbers", &[(SECOND + 8, &[1])]),
    (4, "a link of 2^64-1 numbers", &[(SECOND + 8, &[0xFF; 8])]),
    (4, "a link of another capacity", &[(FIRST + 16, &[33])]),
    (4, "a link of another rate", &[(SECOND + 24, &[1])]),
    (4, "a link of another seed", &[(SECOND + 32, &[1])]),
    (4, "a number twice", &[(SECOND + 56, &[1])]),
    (4, "more numbers than a link takes", &[(FIRST + 40, &[33]), (FIRST + 48, &[33]), (FIRST + 56, &[33])]),
    (7, "one number fewer", &[(SECOND + 40, &[5]), (SECOND + 48, &[5]), (SECOND + 56, &[5])]),
    (5, "one spare line more", &[(FIRST + 64, &[9])]),
    (6, "another self-test of the first link", &[(FIRST + 80, &[0xEE])]),
    (6, "another self-test of the last link", &[(SECOND + 87, &[0xEE])]),
    (4, "exceptions", &[(24, &[2])]),
    (4, "a record of a filter that has none", &[(120, &[8, 0, 0, 0])]),
];

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let mut files = Vec::new();
    for plan in plans() {
        files.push(file(&plan)?);
    }
    let plain = plans().pop().ok_or("no plan")?;
    let good = write(&filled(&plain)?, None)?;
    Ok(object([
        ("about", self::plain(ABOUT)),
        ("plans", growth()),
        ("files", list(files)),
        ("refused", cases_of_one(&good, read, CHANGES)?),
    ]))
}

/// The possible links.
fn growth() -> Json {
    let plans = [(1, 0.5), (1000, 0.01), (20_000, 0.01), (777, 1e-9), (1, 2e-14), (1 << 40, 0.3)];
    list(plans.map(|(first, all)| {
        let links = (0..).map_while(|i| {
            let numbers = numbers(first, all, i).ok()?;
            Some(list([decimal(numbers), decimal(capacity(first, i)), plain(rate(all, i))]))
        });
        object([("first", decimal(first)), ("false_positive_rate", plain(all)), ("links", list(links))])
    }))
}

/// The filter with its keys.
fn filled(plan: &Plan) -> Result<Growing, String> {
    let shape = table(plan.first, numbers(plan.first, plan.rate, 0)?, 0)?;
    let mut like = Quotient::new(NOTHING, shape, 1, plan.rate);
    (like.scheme, like.domain, like.recipe) = (plan.scheme, plan.domain, plan.recipe);
    like.records = plan.records.iter().map(|(tag, value)| (*tag, value.to_string())).collect();
    match plan.scheme {
        1 => like.parameter = 0xFEDC_BA98_7654_3210,
        2 => (like.scheme, like.secret, like.parameter) = under_a_secret(),
        _ => {}
    }
    let mut filter = Growing::new(&like, plan.deletable, plan.first, plan.rate)?;
    for i in (0..plan.keys).chain(0..plan.again) {
        filter.insert(format!("key {i}").as_bytes())?;
    }
    for i in 0..plan.removed {
        if filter.remove(format!("key {i}").as_bytes())? == 0 {
            return Err(format!("{}: key {i} is not held", plan.name));
        }
    }
    Ok(filter)
}

fn file(plan: &Plan) -> Result<Json, String> {
    let filter = filled(plan)?;
    let keys = keys_of(plan.scheme, plan.sealed);
    let file = written(plan.name, &filter, (write, read), keys)?;
    let mut probes = Vec::new();
    let members = (0..4).map(|i| format!("key {}", i * plan.keys / 4));
    for key in members.chain((0..6).map(|i| format!("never inserted {i}"))) {
        let answer = filter.contains(key.as_bytes())?;
        probes.push(object([("key", plain(key)), ("answer", plain(answer))]));
    }
    let link = |link: &Quotient| {
        object([
            ("shape", tables::shape_json(&link.shape)),
            ("room", decimal(room(&link.shape))),
            ("slots", decimal(link.keys_held())),
            ("different", decimal(link.held.len() as u64)),
        ])
    };
    let mut fields = beginning(plan.name, (plan.scheme, filter.links[0].parameter), &[], keys);
    fields.extend([
        ("recipe", plain(plan.recipe)),
        ("first", decimal(plan.first)),
        ("false_positive_rate", plain(plan.rate)),
        ("deletable", plain(plan.deletable)),
        ("keys", decimal(plan.keys)),
        ("again", decimal(plan.again)),
        ("removed", decimal(plan.removed)),
        ("links", list(filter.links.iter().map(link))),
    ]);
    fields.extend(bytes_of(&file, file.len() <= 2048));
    fields.push(("probes", list(probes)));
    Ok(object(fields))
}
