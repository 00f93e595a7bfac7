//! `expiring.json`: sections 4.2.4 and 5.4, filters that forget keys, and refused files.

use crate::changed::{Change, case, cases, file_of};
use crate::json::{Json, decimal, list, object, only, plain};
use crate::kinds::{
    File, Good, Header, all_files, bytes_of, header_of, keys_of, of_hashes, under_a_secret, written,
};
use crate::tables;
use tepal_reference::expiring::{Expiring, KEYS, NOT_TOLD, TIME, read, slots_for, tag_bits, write};
use tepal_reference::hash::finish;
use tepal_reference::size::{numbers_for, table};
use tepal_reference::table::{Slot, encode};
use tepal_reference::write::body;

const ABOUT: &str = "Expiring filters (FORMAT.md section 4.2.4). A `shape` is [U, r, v, B, S, spare, lines]; a filter of this capacity, \
    rate and number of generations has it. `steps` are what was done, in order: the filter was cleared (`cleared`), the clock was set \
    (`set`) or told a time (`time`), then the keys from \
    prefix + \"from\" to prefix + (\"to\" - 1) came, or the hashes finish(from) to finish(to - 1) under the scheme caller-hash. `age` is how many generations ago a \
    probe came last, -1 where it is not held; `later` and `held_later` say whether it is held at a later time, told to the asking alone. \
    `refused` are changes to the file `plain` or `keys`, as offsets and new bytes; where one is in the body, the chunk table is mended, \
    always the header checksum; `step` of section 4.6 refuses them.";

const PREFIX: &str = "90";

/// For a file longer than this the JSON has only its header and its checksum.
const LONGEST_WHOLE_FILE: usize = 600;

/// What happens before the keys of a step are inserted.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    Time(u64),
    Set(u64),
    Cleared,
}

/// What happens first, and the keys that are inserted then.
type Step = (Before, u64, u64);

struct Plan {
    name: &'static str,
    filter: Expiring,
    steps: Vec<Step>,
    sealed: bool,
}

fn plan(
    name: &'static str,
    (capacity, rate): (u64, f64),
    (clock, window, generations): (u8, u64, u8),
    steps: &[Step],
) -> Result<Plan, String> {
    let n = slots_for(capacity, generations);
    let shape = table(n, numbers_for(n, rate)?, tag_bits(generations))?;
    let filter = Expiring::new(shape, capacity, rate, clock, window, generations);
    Ok(Plan { name, filter, steps: steps.to_vec(), sealed: false })
}

fn plans() -> Result<Vec<Plan>, String> {
    let at = Before::Time;
    let week = 7 * 86_400;
    let mut plans = vec![
        plan(
            "plain",
            (30, 0.01),
            (NOT_TOLD, 600, 6),
            &[(at(1000), 0, 10), (at(1250), 5, 20), (at(900), 20, 22)],
        )?,
        plan("keys", (40, 0.01), (KEYS, 40, 6), &[(Before::Nothing, 0, 60), (Before::Nothing, 50, 55)])?,
        plan("empty", (1, 0.5), (NOT_TOLD, 1, 1), &[])?,
        plan("told and empty", (5, 0.001), (NOT_TOLD, week, 6), &[(at(1_790_000_000), 0, 0)])?,
        plan("never told", (10, 0.01), (NOT_TOLD, week, 14), &[(Before::Nothing, 0, 7)])?,
        plan(
            "came before the first time",
            (10, 0.01),
            (NOT_TOLD, 60, 6),
            &[(Before::Nothing, 0, 7), (at(5017), 7, 9)],
        )?,
        plan("time 0", (10, 0.01), (NOT_TOLD, 60, 6), &[(at(0), 0, 7), (at(9), 3, 9)])?,
        plan(
            "set back",
            (20, 0.01),
            (NOT_TOLD, 60, 6),
            &[(at(9_000_000), 0, 7), (at(9_000_031), 7, 12), (Before::Set(1017), 12, 14), (at(1050), 3, 5)],
        )?,
        plan("set forward", (10, 0.01), (NOT_TOLD, 60, 6), &[(at(1000), 0, 7), (Before::Set(1065), 7, 9)])?,
        plan("cleared", (10, 0.01), (NOT_TOLD, 60, 6), &[(at(9_000_000), 0, 7), (Before::Cleared, 7, 9)])?,
        plan("cleared keys", (12, 0.01), (KEYS, 12, 6), &[(Before::Nothing, 0, 9), (Before::Cleared, 7, 9)])?,
        plan("all gone", (10, 0.01), (NOT_TOLD, 60, 6), &[(at(100), 0, 7), (at(100_000), 0, 0)])?,
        plan(
            "a secret, sealed",
            (20, 0.001),
            (NOT_TOLD, week, 2),
            &[(at(1_790_000_000), 0, 9), (at(1_790_400_000), 9, 12)],
        )?,
        plan(
            "254 generations",
            (20, 0.01),
            (NOT_TOLD, 1000, 254),
            &[(at(77), 0, 9), (at(500), 5, 12), (at(1080), 20, 25)],
        )?,
        plan(
            "the end of time",
            (10, 0.1),
            (NOT_TOLD, u64::MAX, 30),
            &[(at(1 << 63), 0, 7), (at(u64::MAX), 5, 9)],
        )?,
        plan(
            "caller-hash",
            (20, 0.01),
            (NOT_TOLD, 100, 1),
            &[(at(50), 0, 9), (at(199), 4, 14), (at(250), 20, 22)],
        )?,
        plan(
            "1,000 a window",
            (1000, 0.01),
            (NOT_TOLD, 600, 6),
            &[(at(5000), 0, 400), (at(5300), 200, 700), (at(5610), 700, 1150), (at(5700), 1150, 1200)],
        )?,
    ];
    for plan in &mut plans {
        let filter = &mut plan.filter;
        match plan.name {
            "plain" => filter.parameter = 7,
            "a secret, sealed" => {
                (filter.scheme, filter.secret, filter.parameter) = under_a_secret();
                (filter.policy, filter.recipe) = (2, 3);
                filter.records.push((1, "Gesehene Blüten".to_string()));
                plan.sealed = true;
            }
            "caller-hash" => (filter.scheme, filter.records) = of_hashes(),
            "never told" => (filter.scheme, filter.domain, filter.policy) = (3, 2, 3),
            _ => {}
        }
    }
    Ok(plans)
}

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let (files, good) = all_files(plans()?, file)?;
    Ok(object([("about", plain(ABOUT)), ("files", files), ("refused", refused(&good)?)]))
}

/// Fills the filter, writes its file, reads the file, and looks up the probes.
fn file(plan: Plan) -> Result<File, String> {
    let mut filter = plan.filter;
    let is_hashed = filter.scheme == 4;
    let (shape, told) = (filter.shape, filter.clock);
    let mut inserted = Vec::new();
    for &(before, from, to) in &plan.steps {
        match before {
            Before::Nothing => {}
            Before::Time(time) => filter.advance_to(time),
            Before::Set(time) => filter.set_clock(time),
            Before::Cleared => filter.clear(),
        }
        for i in from..to {
            match is_hashed {
                true => filter.insert_hash(finish(i)),
                false => filter.insert(format!("{PREFIX}{i}").as_bytes())?,
            }
            inserted.push(i);
        }
    }
    filter.lay()?;
    if filter.shape != shape {
        return Err(format!("{}: the keys do not fit the shape for the capacity", plan.name));
    }
    let keys = keys_of(filter.scheme, plan.sealed);
    let file = written(plan.name, &filter, (write, read), keys)?;

    inserted.sort_unstable();
    inserted.dedup();
    let step = inserted.len() / 8 + 1;
    let asked: Vec<u64> = inserted.iter().copied().step_by(step).chain(8000..8003).collect();
    // The answers half a window from now.
    let later = filter.now.saturating_add(filter.window / 2);
    let mut then = filter.clone();
    if filter.clock == TIME {
        then.advance_to(later);
    }
    let mut probes = Vec::new();
    for i in asked {
        let ages = |filter: &Expiring| match is_hashed {
            true => Ok(filter.age_hash(finish(i))),
            false => filter.age(format!("{PREFIX}{i}").as_bytes()),
        };
        let age = ages(&filter)?.map_or(-1, |age| age as i64);
        let held_later = only(filter.clock == TIME, plain(ages(&then)?.is_some()));
        probes.push(object([("number", decimal(i)), ("age", plain(age)), ("held_later", held_later)]));
    }

    let whole = file.len() <= LONGEST_WHOLE_FILE;
    let step = |&(before, from, to): &Step| {
        let said = match before {
            Before::Nothing => None,
            Before::Time(time) => Some(("time", decimal(time))),
            Before::Set(time) => Some(("set", decimal(time))),
            Before::Cleared => Some(("cleared", plain(true))),
        };
        object(said.into_iter().chain([("from", decimal(from)), ("to", decimal(to))]))
    };
    let Expiring { scheme, parameter, domain, policy, recipe, ref records, capacity, rate, .. } = filter;
    let (policy, capacity) = (Some(policy), Some(capacity));
    let header = Header { scheme, parameter, domain, policy, recipe, records, capacity, rate };
    let mut fields = header.fields(plan.name, keys);
    fields.extend([
        ("of", plain(if told == KEYS { "keys" } else { "time" })),
        ("window", decimal(filter.window)),
        ("generations", plain(filter.generations)),
        ("shape", tables::shape_json(&filter.shape)),
        ("prefix", only(!is_hashed, plain(PREFIX))),
        ("steps", list(plan.steps.iter().map(step))),
        ("now", only(filter.clock != NOT_TOLD, decimal(filter.now))),
        ("keys_inserted", decimal(filter.inserted)),
        ("slots", decimal(filter.held.len() as u64)),
        ("later", only(filter.clock == TIME, decimal(later))),
    ]);
    fields.extend(bytes_of(&file, whole));
    fields.extend([("header", header_of(&file, whole)), ("probes", list(probes))]);
    Ok((plan.name, file, object(fields)))
}

const MOST: &[u8] = &[0xFF; 8];

/// `plain` has g = 6, v = 3 and 22 numbers; its clock is at 1250. `keys` has a clock of keys, which
/// is at 65.
const CHANGES: &[Change] = &[
    (4, "plain", "required flag 1", &[(24, &[2])]),
    (4, "plain", "scheme 5", &[(32, &[5])]),
    (4, "plain", "scheme 26", &[(32, &[26]), (64, &[0])]),
    (4, "plain", "key domain 8", &[(33, &[8])]),
    (4, "plain", "policy 0", &[(34, &[0])]),
    (4, "plain", "recipe with an unknown bit", &[(124, &[4])]),
    (4, "plain", "tag 0", &[(35, &[0])]),
    (4, "plain", "tag 1", &[(35, &[1])]),
    (4, "plain", "tag 3", &[(35, &[3])]),
    (4, "plain", "v = 0", &[(39, &[0])]),
    (4, "plain", "v = 4", &[(39, &[4]), (38, &[8])]),
    (4, "plain", "U = 0", &[(40, &[0; 8])]),
    (4, "plain", "U = 2^56", &[(40, &[0, 0, 0, 0, 0, 0, 0, 1])]),
    (4, "plain", "65 spare lines", &[(96, &[65])]),
    (4, "plain", "capacity 0", &[(48, &[0; 8])]),
    (4, "keys", "a capacity below the window", &[(48, &[39])]),
    (4, "plain", "rate 0", &[(56, &[0; 8])]),
    (4, "plain", "clock 0", &[(100, &[0])]),
    (4, "plain", "clock 4", &[(100, &[4])]),
    (4, "plain", "clock 3 with a time", &[(100, &[3])]),
    (4, "plain", "clock 2 with another number of keys", &[(100, &[2]), (88, &[30, 0])]),
    (4, "keys", "a clock of a key more", &[(72, &[66])]),
    (4, "keys", "a key less", &[(104, &[64])]),
    (4, "plain", "g = 0", &[(101, &[0])]),
    (4, "plain", "g = 255", &[(101, &[255])]),
    (4, "plain", "g = 7, which has other tags", &[(101, &[7])]),
    (4, "plain", "g = 2, which has other tags", &[(101, &[2])]),
    (4, "plain", "W = 5", &[(88, &[5, 0])]),
    (4, "plain", "W = 0", &[(88, &[0; 8])]),
    (4, "plain", "something behind g", &[(102, &[1])]),
    (4, "plain", "something before the keys inserted", &[(103, &[0x80])]),
    (4, "plain", "more slots than the line has", &[(80, &[200])]),
    (4, "plain", "2^64-1 slots", &[(80, MOST)]),
    (4, "plain", "fewer keys inserted than slots", &[(104, &[21])]),
    (5, "plain", "a spare line more", &[(96, &[1])]),
    (5, "plain", "U of many lines", &[(42, &[9])]),
    (5, "plain", "padding before the header checksum not zero", &[(183, &[1])]),
    (6, "plain", "another self-test", &[(112, &[0xEE])]),
    (6, "plain", "another seed", &[(64, &[8])]),
    (7, "plain", "another chunk checksum", &[(128, &[0xEE])]),
    (7, "plain", "a slot less", &[(80, &[21])]),
    (7, "plain", "an earlier time, before keys that came", &[(72, &[0x4C, 4])]),
    (7, "plain", "a later time, when some are gone", &[(72, &[0xA4, 6])]),
    (7, "plain", "a generation in which there was none before", &[(88, &[0xFF, 0xFF, 0xFF, 0xFF])]),
];

/// All cases; each is checked to be refused.
fn refused(good: &Good) -> Result<Json, String> {
    let mut cases = cases(good, read, CHANGES)?;
    let case = |of, edits: &[(usize, Vec<u8>)]| case(good, read, of, edits, (None, None));
    // The lines of other slots.
    let filter = read(file_of(good, "plain")?, None, None)?;
    let now = filter.generation(filter.now);
    let u = filter.shape.numbers;
    let other: [(&str, &[Slot]); 5] = [
        ("a number that stands twice, of two generations", &[(9, now % 8), (9, (now - 1) % 8)]),
        ("a number that stands twice, of one generation", &[(9, now % 8), (9, now % 8)]),
        ("a number of the generation to come", &[(9, (now + 1) % 8)]),
        ("a number of a generation too old", &[(9, (now - 7) % 8)]),
        ("a number past the last one", &[(u, now % 8)]),
    ];
    for (what, slots) in other {
        let mut slots = slots.to_vec();
        slots.sort_unstable();
        let lines = body(&encode(&filter.shape, &slots)?);
        let edits = [(80, (slots.len() as u64).to_le_bytes().to_vec()), (192, lines)];
        cases.push(case((7, "plain", what), &edits)?);
    }
    Ok(list(cases))
}
