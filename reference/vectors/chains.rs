//! `chains.json`: section 4.2.1, small growing chains, and refused files.

use crate::changed::cases_of_one;
use crate::changes::Change;
use crate::json::{Json, decimal, decimals, list, object, plain};
use crate::kinds::{beginning, bytes_of, header_of, keys_of, under_a_secret, written};
use crate::names;
use tepal_reference::bits::{DOUBLE, LINE, SCATTERED, SPLIT_BLOCK};
use tepal_reference::chain::{Chain, read, write};
use tepal_reference::filter::Filter;

const ABOUT: &str = "Growing chains (FORMAT.md section 4.2.1). The keys `key 0` to `key (keys - 1)` were given to the chain, \
    each put into the first link that is not full unless a link held it. `links` are the parts of the links; `probes` are \
    asked before the recipe. `refused` are changes to the file `plain`, as offsets and new bytes, with the header checksum \
    mended and the step of section 4.6 that refuses them.";

/// A link: layout, k, bit_len, capacity, rate.
type Link = (u8, u32, u64, u64, f64);

/// A chain of these links under a scheme, with the keys that are inserted into it.
struct Plan {
    name: &'static str,
    scheme: u8,
    links: &'static [Link],
    expansion: u32,
    rate: f64,
    keys: u64,
    recipe: u32,
    records: &'static [(u16, &'static str)],
    sealed: bool,
}

const PLAIN: &[Link] = &[(LINE, 6, 3 * 512, 100, 0.0025), (DOUBLE, 10, 7 * 512, 200, 0.001875)];

fn plans() -> Vec<Plan> {
    let plain = Plan {
        name: "plain",
        scheme: 1,
        links: PLAIN,
        expansion: 2,
        rate: 0.01,
        keys: 250,
        recipe: 0,
        records: &[],
        sealed: false,
    };
    vec![
        Plan { name: "one link, empty", links: &PLAIN[..1], keys: 0, ..plain },
        Plan {
            name: "every layout, padded bodies, labels, a recipe",
            links: &[
                (SPLIT_BLOCK, 8, 3 * 256, 40, 0.02),
                (SCATTERED, 5, 64, 1, 0.25),
                (LINE, 9, 1024, 60, 0.01),
                (DOUBLE, 7, 1024, 60, 0.01),
            ],
            expansion: 256,
            rate: 0.5,
            keys: 120,
            recipe: 3,
            records: &[(1, "Gesehene Seiten"), (4, "url")],
            ..plain
        },
        Plan { name: "a secret, sealed", scheme: 2, keys: 300, sealed: true, ..plain },
        Plan {
            name: "chunks over links",
            links: &[
                (LINE, 1, 600 * 512, 20, 0.1),
                (LINE, 1, 600 * 512, 20, 0.1),
                (LINE, 1, 1200 * 512, 20, 0.1),
            ],
            expansion: 4,
            rate: 0.9,
            keys: 55,
            ..plain
        },
        Plan {
            name: "a promise that is used up",
            links: &[(LINE, 6, 512, 30, 0.5)],
            rate: 0.5,
            keys: 9,
            ..plain
        },
        plain,
    ]
}

/// The parts of the links of the file `plain`, of 88 bytes each.
const FIRST: usize = 128;
const SECOND: usize = FIRST + 88;

/// Changes of the file `plain`.
const CHANGES: &[Change] = &[
    (4, "no links", &[(32, &[0, 0, 0, 0])]),
    (4, "65 links", &[(32, &[65, 0, 0, 0])]),
    (4, "2^32-1 links", &[(32, &[0xFF; 4])]),
    (5, "one link of two", &[(32, &[1, 0, 0, 0])]),
    (4, "expansion 1", &[(36, &[1, 0, 0, 0])]),
    (4, "expansion 257", &[(36, &[1, 1, 0, 0])]),
    (4, "promised rate 0", &[(40, &[0; 8])]),
    (4, "promised rate NaN", &[(40, &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F])]),
    (4, "promised rate 2^-10, less than the links'", &[(40, &[0, 0, 0, 0, 0, 0, 0x50, 0x3F])]),
    (4, "something behind the rate", &[(48, &[1])]),
    (4, "something at the end of the chain's part", &[(119, &[0x80])]),
    (4, "a link of layout 5", &[(FIRST, &[5])]),
    (4, "a link of another scheme", &[(SECOND + 1, &[3])]),
    (4, "links of scheme 3 with a seed", &[(FIRST + 1, &[3]), (SECOND + 1, &[3])]),
    (4, "a link of scheme 26", &[(FIRST, &[4, 26]), (SECOND, &[4, 26])]),
    (4, "a link of another key domain", &[(SECOND + 2, &[2])]),
    (4, "a link that refuses", &[(FIRST + 3, &[1])]),
    (4, "a link that ignores", &[(SECOND + 3, &[3])]),
    (4, "a link of k = 0", &[(FIRST + 4, &[0])]),
    (4, "a link of 2^64-1 bits", &[(SECOND + 8, &[0xFF; 8])]),
    (5, "a link of 2^45 bits", &[(SECOND + 8, &[0, 0, 0, 0, 0, 0x20, 0, 0])]),
    (5, "a link of a line more", &[(SECOND + 8, &[0, 16])]),
    (4, "a link of capacity 0", &[(FIRST + 16, &[0; 8])]),
    (4, "a link whose rate is 1", &[(FIRST + 24, &[0, 0, 0, 0, 0, 0, 0xF0, 0x3F])]),
    (4, "a link of another seed", &[(SECOND + 32, &[1])]),
    (4, "more keys than a link is for", &[(FIRST + 40, &[101])]),
    (4, "a link whose keys are not known", &[(SECOND + 40, &[0xFF; 8])]),
    (4, "more set bits than bits", &[(FIRST + 48, &[0, 0, 1])]),
    (7, "other set bits", &[(FIRST + 48, &[1, 0])]),
    (6, "another self-test of the first link", &[(FIRST + 56, &[0xEE])]),
    (6, "another self-test of the last link", &[(SECOND + 87, &[0xEE])]),
    (4, "a record of a chain that has none", &[(120, &[8, 0, 0, 0])]),
];

/// The file.
pub(crate) fn json() -> Result<Json, String> {
    let mut chains = Vec::new();
    for plan in plans() {
        chains.push(chain(&plan)?);
    }
    let plain = plans().pop().ok_or("no plan")?;
    let good = write(&filled(&plain)?, None)?;
    Ok(object([
        ("about", self::plain(ABOUT)),
        ("chains", list(chains)),
        ("refused", cases_of_one(&good, read, CHANGES)?),
    ]))
}

/// The chain with its keys.
fn filled(plan: &Plan) -> Result<Chain, String> {
    let link = |&(layout, k, bit_len, capacity, rate): &Link| {
        let mut link = Filter::new(layout, plan.scheme, k, bit_len);
        (link.policy, link.capacity, link.rate, link.recipe) = (2, capacity, rate, plan.recipe);
        link.records = plan.records.iter().map(|(tag, value)| (*tag, value.to_string())).collect();
        link.parameter = 0xFEDC_BA98_7654_3210;
        if plan.scheme == 2 {
            (link.scheme, link.secret, link.parameter) = under_a_secret();
        }
        link
    };
    let links = plan.links.iter().map(link).collect();
    let mut chain = Chain { links, expansion: plan.expansion, rate: plan.rate };
    for i in 0..plan.keys {
        chain.insert(format!("key {i}").as_bytes())?;
    }
    Ok(chain)
}

fn chain(plan: &Plan) -> Result<Json, String> {
    let chain = filled(plan)?;
    let keys = keys_of(plan.scheme, plan.sealed);
    let file = written(plan.name, &chain, (write, read), keys)?;
    let mut probes = Vec::new();
    let members = (0..4).map(|i| format!("key {}", i * plan.keys / 4));
    for key in members.chain((0..10).map(|i| format!("never inserted {i}"))) {
        let answer = chain.contains(key.as_bytes())?;
        probes.push(object([("key", plain(key)), ("answer", plain(answer))]));
    }
    let mut links = Vec::new();
    for link in &chain.links {
        links.push(object([
            ("layout", plain(names::layout(link.layout))),
            ("num_hashes", plain(link.num_hashes)),
            ("bit_len", decimal(link.bit_len)),
            ("capacity", decimal(link.capacity)),
            ("false_positive_rate", plain(link.rate)),
            ("keys_inserted", decimal(link.keys_inserted)),
            ("set_bits", decimal(link.set_bits())),
            ("self_test", decimals(&link.self_test()?)),
        ]));
    }
    let whole = file.len() <= 4096;
    let mut fields = beginning(plan.name, (plan.scheme, chain.links[0].parameter), &[], keys);
    fields.extend([
        ("recipe", plain(plan.recipe)),
        ("expansion", plain(plan.expansion)),
        ("false_positive_rate", plain(plan.rate)),
        ("keys", decimal(plan.keys)),
        ("links", list(links)),
    ]);
    fields.extend(bytes_of(&file, whole));
    fields.extend([("header", header_of(&file, whole)), ("probes", list(probes))]);
    Ok(object(fields))
}
