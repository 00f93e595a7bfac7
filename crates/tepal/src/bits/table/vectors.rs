//! The table compared with `quotient.json`: numbers, tables, entries that do not fit, sizes.
//! `tests/it/vectors/quotient.rs` compares filters and their files; `kinds/table/copies/tests.rs`
//! compares tables that are larger than planned.

use std::string::ToString;
use std::vec;
use std::vec::Vec;

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::super::kernel::TableKernel;
use super::packing::{Packing, PackingFields};
use super::stream::{self, Entries, NoRoom, Stream};
use super::*;

pub(crate) fn cases(list: &str) -> Vec<Value> {
    crate::tests::cases("quotient.json", list, 5)
}

/// A 64-bit number: `0x` and hexadecimal, decimal, or a JSON number.
pub(crate) fn number(value: &Value) -> u64 {
    match value.as_str() {
        None => value.as_u64().unwrap_or_else(|| panic!("no number: {value}")),
        Some(text) => match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).unwrap(),
            None => text.parse().unwrap(),
        },
    }
}

/// The first six numbers of a `shape`; the seventh, its lines, follows from them.
pub(crate) fn fields(shape: &Value) -> PackingFields {
    let small = |i: usize| u8::try_from(number(&shape[i])).unwrap();
    let fields = PackingFields {
        numbers: number(&shape[0]),
        remainder_bits: small(1),
        tag_bits: small(2),
        buckets: small(3),
        slots: small(4),
        spare: small(5).into(),
    };
    assert_eq!(Packing::new(fields).unwrap().lines(), number(&shape[6]), "{shape}");
    fields
}

/// U for a capacity and a rate, by section 5.3.
pub(crate) fn numbers_for(case: &Value) -> u64 {
    let capacity = number(&case["capacity"]) as f64;
    ((capacity / case["rate"].as_f64().unwrap()).ceil() as u64).next_multiple_of(64)
}

/// The entries of `slots`, ascending, for a table with this range of numbers and these tag bits.
pub(crate) fn entries(slots: &Value, numbers: u64, tag_bits: u8) -> Vec<u64> {
    let mut entries = Vec::new();
    for part in slots.as_array().unwrap() {
        let field = |name: &str| part.get(name).map(number);
        let entry = |number: u64, tag: u64| number << tag_bits | tag;
        match (field("number"), field("hashed_from")) {
            (Some(number), None) => {
                let times = field("times").unwrap() as usize;
                entries.extend(vec![entry(number, field("tag").unwrap()); times]);
            }
            (None, Some(from)) => entries.extend((from..from + field("count").unwrap()).map(|i| {
                let h = xxh3_64(i.to_string().as_bytes());
                let number = ((u128::from(spread(h)) * u128::from(numbers)) >> 64) as u64;
                entry(number, h & ((1 << tag_bits) - 1))
            })),
            _ => {
                let (first, step) = (field("first").unwrap(), field("step").unwrap());
                let tag = field("tag").unwrap();
                entries.extend((0..field("count").unwrap()).map(|i| entry(first + i * step, tag)));
            }
        }
    }
    entries.sort_unstable();
    entries
}

/// The packing of a table in the vectors, and its entries.
fn table(case: &Value) -> (Packing, Vec<u64>) {
    let fields = fields(&case["shape"]);
    (Packing::new(fields).unwrap(), entries(&case["slots"], fields.numbers, fields.tag_bits))
}

fn written(packing: &Packing, entries: &[u64]) -> Result<Vec<Line>, NoRoom> {
    let mut lines = vec![Line([0; 8]); packing.lines() as usize];
    stream::write(packing, Stream::of(entries.iter().copied()), &mut lines).map(|()| lines)
}

#[test]
fn numbers() {
    for case in cases("numbers") {
        let (hash, spreads) = (number(&case[0]), number(&case[1]));
        assert_eq!(spread(hash), spreads, "{case}");
        let packing = Packing::for_slots(1, number(&case[2]), 0).unwrap();
        assert_eq!(packing.number(hash), number(&case[3]), "{case}");
    }
}

/// Written at once and slot by slot in two orders, then read again.
#[test]
fn tables() {
    for case in cases("tables") {
        let name = case["name"].as_str().unwrap();
        let (packing, entries) = table(&case);
        let lines = written(&packing, &entries).unwrap_or_else(|_| panic!("{name}: does not fit"));
        let body: Vec<u8> = lines.iter().flat_map(|line| line.0).flat_map(u64::to_le_bytes).collect();
        assert_eq!(xxh3_64(&body), number(&case["body_xxh3"]), "{name}");
        if let Some(hex) = case.get("body") {
            let digits: String = body.iter().map(|byte| std::format!("{byte:02x}")).collect();
            assert_eq!(digits, hex.as_str().unwrap(), "{name}");
        }
        assert_eq!(Entries::new(&packing, &lines).collect::<Vec<_>>(), entries, "{name}");
        let tags = (1 << packing.tag_bits()) - 1;
        let (kernel, mut scratch) = (TableKernel::best(), change::Scratch::default());
        let backwards: Vec<u64> = entries.iter().rev().copied().collect();
        for order in [&entries, &backwards] {
            let mut one_by_one = written(&packing, &[]).unwrap();
            let insert = |entry: &u64| {
                let (number, tag) = (entry >> packing.tag_bits(), entry & tags);
                kernel.insert(&packing, &mut one_by_one, number, tag, &mut scratch)
            };
            assert_eq!(order.iter().map(insert).collect::<Result<Vec<()>, _>>().err(), None, "{name}");
            assert!(one_by_one == lines, "{name}: one by one");
        }
        for entry in &entries {
            let number = entry >> packing.tag_bits();
            assert!(contains_at::<ByArithmetic>(&packing, &lines, packing.place(number)), "{name}: {number}");
            let of_it = entries.iter().filter(|other| *other >> packing.tag_bits() == number);
            let (copies, mut of_it) = (kernel.copies(&packing, &lines, number), of_it.peekable());
            assert_eq!(copies.first_tag, *of_it.peek().unwrap() & tags, "{name}: {number}");
            assert_eq!(copies.slots as usize, of_it.count(), "{name}: {number}");
        }
    }
}

#[test]
fn what_does_not_fit() {
    for case in cases("do_not_fit") {
        let (packing, entries) = table(&case);
        assert_eq!(written(&packing, &entries), Err(NoRoom), "{case}");
    }
}

#[test]
fn sizes() {
    for case in cases("sizes") {
        let slots = number(case.get("n").unwrap_or(&case["capacity"]));
        let tag_bits = u8::try_from(number(&case["v"])).unwrap();
        let numbers = numbers_for(&case);
        // Above 2^56 there is no table, and no filter is that large.
        let found = Packing::for_slots(slots, numbers, tag_bits).ok().map(|packing| packing.fields());
        let expected = (!case["shape"].is_null()).then(|| fields(&case["shape"]));
        assert_eq!(found, expected, "{case}");
    }
}
