//! `segment.json`: section 4.2.5, filters that give the segments that may hold a key, and refused
//! files.

use crate::changed::{Change, case, cases, file_of};
use crate::json::{Json, decimal, list, object, only, plain};
use crate::kinds::{
    File, Good, Header, all_files, bytes_of, header_of, keys_of, of_hashes, offset_of, under_a_secret,
    written,
};
use crate::tables;
use tepal_reference::hash::finish;
use tepal_reference::segment::{Segmented, read, tag_bits, write};
use tepal_reference::size::{numbers_for, table};
use tepal_reference::table::{Slot, encode};
use tepal_reference::write::body;

const ABOUT: &str = "Segment filters (FORMAT.md section 4.2.5). A `shape` is [U, r, v, B, S, spare, lines]; a filter of this capacity \
    and rate has it once it has all segments of `names`, of which an empty one is none. They are added in this order, from number 0 on; then \
    `steps`: the keys from prefix + \"from\" to prefix + (\"to\" - 1) went into the segments from `first` to `last`, or the hashes finish(from) to \
    finish(to - 1) under the scheme caller-hash; then the segments `dropped` went. A probe's `segments` are those that may hold it. \
    `refused` are changes to the file `plain` or `wide`, as offsets and new bytes; where one is in the body, the chunk table is mended, \
    always the header checksum; `step` of section 4.6 refuses them.";

const PREFIX: &str = "55";

/// For a file longer than this the JSON has only its header and its checksum.
const LONGEST_WHOLE_FILE: usize = 800;

/// The first and the last segment, and the keys that are inserted into each of them.
type Step = (u16, u16, u64, u64);

struct Plan {
    name: &'static str,
    filter: Segmented,
    names: Vec<String>,
    steps: Vec<Step>,
    dropped: Vec<u16>,
    sealed: bool,
}

fn plan(
    name: &'static str,
    (capacity, rate): (u64, f64),
    names: Vec<String>,
    steps: &[Step],
    dropped: &[u16],
) -> Result<Plan, String> {
    let v = tag_bits(names.len().saturating_sub(1) as u16);
    let shape = table(capacity, numbers_for(capacity, rate)?, v)?;
    let filter = Segmented::new(shape, capacity, rate);
    let (steps, dropped) = (steps.to_vec(), dropped.to_vec());
    Ok(Plan { name, filter, names, steps, dropped, sealed: false })
}

fn numbered(prefix: &str, count: u16) -> Vec<String> {
    (0..count).map(|i| format!("{prefix}{i}")).collect()
}

fn plans() -> Result<Vec<Plan>, String> {
    let named = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let long = "Blüte".repeat(170);
    let mut plans = vec![
        plan(
            "plain",
            (30, 0.01),
            named(&["mo", "tu", "Mittwoch", "", "fr"]),
            &[(0, 0, 0, 8), (1, 2, 5, 12), (4, 4, 0, 3)],
            &[],
        )?,
        plan("wide", (200, 0.01), numbered("s", 70), &[(0, 69, 3, 4), (9, 9, 0, 20)], &[])?,
        plan("no segments", (1, 0.5), vec![], &[], &[])?,
        plan("one segment", (50, 0.01), named(&["all"]), &[(0, 0, 0, 40)], &[])?,
        plan("without keys", (5, 0.001), named(&["a", "", "c"]), &[], &[])?,
        plan(
            "the longest name",
            (5, 0.1),
            vec![format!("{long}.123"), "b".to_string()],
            &[(0, 1, 0, 2)],
            &[],
        )?,
        plan("dropped ones", (60, 0.01), numbered("day ", 9), &[(0, 8, 0, 4), (3, 5, 4, 9)], &[0, 4, 8])?,
        plan("dropped of a wide number", (300, 0.01), numbered("s", 100), &[(0, 99, 1, 3)], &[7, 80, 81])?,
        plan(
            "a secret, sealed",
            (40, 0.001),
            named(&["north", "south"]),
            &[(0, 0, 0, 9), (1, 1, 5, 12)],
            &[],
        )?,
        plan("caller-hash", (80, 0.01), numbered("part-", 20), &[(0, 19, 0, 2), (19, 19, 2, 12)], &[])?,
        plan("int64", (300, 0.2), vec![String::new(); 300], &[(0, 299, 0, 1), (250, 255, 1, 9)], &[299])?,
        plan("v = 16", (40, 0.01), numbered("n", 33_000), &[(32_990, 32_999, 0, 3)], &[])?,
        plan(
            "1,000 pairs",
            (1000, 0.01),
            numbered("day ", 30),
            &[(0, 29, 0, 10), (3, 9, 100, 150), (11, 28, 200, 215), (20, 20, 300, 350)],
            &[29],
        )?,
    ];
    for plan in &mut plans {
        let filter = &mut plan.filter;
        match plan.name {
            "plain" => filter.parameter = 7,
            "a secret, sealed" => {
                (filter.scheme, filter.secret, filter.parameter) = under_a_secret();
                (filter.policy, filter.recipe) = (2, 3);
                filter.records.push((1, "Blütenblätter nach Gegend".to_string()));
                plan.sealed = true;
            }
            "caller-hash" => (filter.scheme, filter.records) = of_hashes(),
            "int64" => (filter.scheme, filter.domain, filter.policy) = (3, 2, 3),
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
    let shape = filter.shape;
    filter.segments.extend((0..).zip(plan.names.iter().cloned()));
    let mut inserted = Vec::new();
    for &(first, last, from, to) in &plan.steps {
        for segment in first..=last {
            for i in from..to {
                match is_hashed {
                    true => filter.insert_hash(segment, finish(i)),
                    false => filter.insert(segment, format!("{PREFIX}{i}").as_bytes())?,
                }
                inserted.push(i);
            }
        }
    }
    filter.lay()?;
    if filter.shape != shape {
        return Err(format!("{}: the pairs do not fit the shape for the capacity", plan.name));
    }
    plan.dropped.iter().for_each(|segment| filter.drop_segment(*segment));
    let keys = keys_of(filter.scheme, plan.sealed);
    let file = written(plan.name, &filter, (write, read), keys)?;

    inserted.sort_unstable();
    inserted.dedup();
    let step = inserted.len() / 8 + 1;
    let mut probes = Vec::new();
    for i in inserted.iter().copied().step_by(step).chain(8000..8003) {
        let segments = match is_hashed {
            true => filter.segments_of_hash(finish(i)),
            false => filter.segments_of(format!("{PREFIX}{i}").as_bytes())?,
        };
        let segments = list(segments.iter().map(|segment| plain(*segment)));
        probes.push(object([("number", decimal(i)), ("segments", segments)]));
    }

    let whole = file.len() <= LONGEST_WHOLE_FILE || plan.name == "wide";
    let step = |&(first, last, from, to): &Step| {
        object([("first", plain(first)), ("last", plain(last)), ("from", decimal(from)), ("to", decimal(to))])
    };
    // More than 100 names are a prefix and consecutive numbers: only the prefix and the count are
    // written.
    let many = plan.names.len() > 100;
    let prefix = plan.names.first().map_or("", |name| name.trim_end_matches('0'));
    let Segmented { scheme, parameter, domain, policy, recipe, ref records, capacity, rate, .. } = filter;
    let (policy, capacity) = (Some(policy), Some(capacity));
    let header = Header { scheme, parameter, domain, policy, recipe, records, capacity, rate };
    let mut fields = header.fields(plan.name, keys);
    fields.extend([
        ("shape", tables::shape_json(&filter.shape)),
        ("names", only(!many, list(plan.names.iter().map(|name| plain(name.as_str()))))),
        ("names_count", only(many, plain(plan.names.len()))),
        ("names_prefix", only(many, plain(prefix))),
        ("prefix", only(!is_hashed, plain(PREFIX))),
        ("steps", list(plan.steps.iter().map(step))),
        ("dropped", list(plan.dropped.iter().map(|segment| plain(*segment)))),
        ("pairs", decimal(filter.held.len() as u64)),
        ("slots", decimal(filter.slots().0.len() as u64)),
    ]);
    fields.extend(bytes_of(&file, whole));
    fields.extend([("header", only(!many, header_of(&file, whole))), ("probes", list(probes))]);
    Ok((plan.name, file, object(fields)))
}

const MOST: &[u8] = &[0xFF; 8];

/// `plain` has v = 3, 25 pairs, and its segments at 128, 152, 176, 200 and 216, up to 240. `wide`
/// has v = 7, and 70 segments of 24 bytes each, up to 1808; there stands one number with 6 further
/// segments.
const CHANGES: &[Change] = &[
    (4, "plain", "required flag 1", &[(24, &[2])]),
    (4, "plain", "scheme 5", &[(32, &[5])]),
    (4, "plain", "scheme 26", &[(32, &[26]), (64, &[0])]),
    (4, "plain", "key domain 8", &[(33, &[8])]),
    (4, "plain", "policy 0", &[(34, &[0])]),
    (4, "plain", "recipe with an unknown bit", &[(124, &[4])]),
    (4, "plain", "tag 0", &[(35, &[0])]),
    (4, "plain", "tag 1", &[(35, &[1])]),
    (4, "plain", "tag 2", &[(35, &[2])]),
    (4, "plain", "tag 4", &[(35, &[4])]),
    (4, "plain", "v = 2, and a segment 4", &[(39, &[2])]),
    (4, "plain", "U = 0", &[(40, &[0; 8])]),
    (
        4,
        "plain",
        "U = 2^48 + 1, with no room for all segments",
        &[(40, &[1, 0, 0, 0, 0, 0, 1, 0]), (36, &[40, 94, 9])],
    ),
    (4, "plain", "65 spare lines", &[(96, &[65])]),
    (4, "plain", "capacity 0", &[(48, &[0; 8])]),
    (4, "plain", "rate 0", &[(56, &[0; 8])]),
    (4, "plain", "a pair more", &[(72, &[26])]),
    (4, "plain", "more slots than the line has", &[(80, &[200]), (72, &[200])]),
    (4, "plain", "2^64-1 slots", &[(80, MOST)]),
    (4, "plain", "more different numbers than slots", &[(88, &[26])]),
    (4, "plain", "a segment less", &[(100, &[4])]),
    (4, "plain", "a segment more", &[(100, &[6])]),
    (4, "plain", "2^32-1 segments", &[(100, &[0xFF; 4])]),
    (4, "plain", "segments of 8 bytes less", &[(104, &[104])]),
    (4, "plain", "segments of 1 byte more", &[(104, &[113])]),
    (4, "plain", "segments of 2^64-8 bytes", &[(104, &[0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])]),
    (4, "plain", "segments of 2^30 bytes", &[(104, &[0, 0, 0, 0x40])]),
    (4, "plain", "two segments of one number", &[(152, &[0])]),
    (4, "plain", "segments that do not ascend", &[(152, &[3])]),
    (4, "plain", "a segment of another number in the table", &[(216, &[8])]),
    (4, "plain", "two segments of one name", &[(168, b"mo")]),
    (4, "plain", "a name that is not UTF-8", &[(168, &[0xFF])]),
    (4, "plain", "a name with a control character", &[(168, &[10])]),
    (4, "plain", "a name that is padded with something", &[(170, &[1])]),
    (4, "plain", "a name of 1,025 bytes", &[(154, &[1, 4])]),
    (4, "plain", "something behind the length of a name", &[(156, &[1])]),
    (4, "plain", "a segment of 2^64-1 numbers", &[(160, MOST)]),
    (4, "plain", "a number more in a segment, and in no other less", &[(160, &[8])]),
    (4, "wide", "a number without segments", &[(1816, &[0])]),
    (4, "wide", "2^32-1 segments of a number", &[(1816, &[0xFF; 4])]),
    (4, "wide", "a segment less of a number", &[(1816, &[5])]),
    (4, "wide", "something behind the segments of a number", &[(1836, &[1])]),
    (4, "wide", "something behind their count", &[(1820, &[1])]),
    (4, "wide", "a segment twice", &[(1826, &[64])]),
    (4, "wide", "segments of a number that do not ascend", &[(1826, &[63])]),
    (4, "wide", "a segment that there is not", &[(1834, &[70])]),
    (5, "plain", "a spare line more", &[(96, &[1])]),
    (5, "plain", "U of many lines", &[(42, &[9])]),
    (6, "plain", "another self-test", &[(112, &[0xEE])]),
    (6, "plain", "another seed", &[(64, &[8])]),
    (7, "plain", "another chunk checksum", &[(240, &[0xEE])]),
    (7, "plain", "a number less", &[(88, &[1])]),
    (7, "plain", "a segment of another number, of which there is none", &[(216, &[5])]),
    (7, "plain", "numbers of one segment counted for another", &[(136, &[7]), (160, &[8])]),
    (7, "wide", "another number beside the table", &[(1808, &[0xEE, 0xEE])]),
    (7, "wide", "another segment beside the table, which is in it", &[(1824, &[63])]),
];

/// All cases; each is checked to be refused.
fn refused(good: &Good) -> Result<Json, String> {
    let mut cases = cases(good, read, CHANGES)?;
    let case = |of, edits: &[(usize, Vec<u8>)]| case(good, read, of, edits, (None, None));
    // The lines of other slots, in the same number as before.
    let filter = read(file_of(good, "plain")?, None, None)?;
    let (u, slots) = (filter.shape.numbers, filter.slots().0);
    let other: [(&str, Slot); 4] = [
        ("a number that is twice in a segment", slots[1]),
        ("a number of a segment that there is not", (slots[0].0, 5)),
        ("a number past the last one", (u, slots[0].1)),
        ("a number of another segment", (slots[0].0, 3)),
    ];
    for (what, slot) in other {
        let mut slots = slots.clone();
        slots[0] = slot;
        slots.sort_unstable();
        let lines = body(&encode(&filter.shape, &slots)?);
        cases.push(case((7, "plain", what), &[(offset_of(file_of(good, "plain")?), lines)])?);
    }
    // The number in 70 segments: segment 63 is listed after the segments, and segment 64 is in the
    // table.
    let filter = read(file_of(good, "wide")?, None, None)?;
    let mut slots = filter.slots().0;
    let many = *filter.slots().1.keys().next().ok_or("no number in many segments")?;
    let last = slots.iter_mut().rfind(|slot| slot.0 == many).ok_or("no slots of it")?;
    last.1 = 64;
    let lines = (offset_of(file_of(good, "wide")?), body(&encode(&filter.shape, &slots)?));
    let what = "a segment beside the table that is lower than one in it";
    cases.push(case((7, "wide", what), &[(1824, vec![63]), lines])?);
    Ok(list(cases))
}
