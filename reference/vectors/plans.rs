//! Which files `files.json` holds: the filters, their keys and what is asked of them.

use tepal_reference::bits::Layout;
use tepal_reference::filter::{Filter, Policy};
use tepal_reference::hash::Scheme;
use tepal_reference::key::{Domain, NOCASE, TRIM};
use tepal_reference::records::{DATE, FIELD, NAME, Record, SOURCE};
use tepal_reference::schemes::Own;

/// The secret keys of the files with scheme 2.
const SECRETS: [[u8; 16]; 2] = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], *b"sixteen secrets!"];

/// One file before it is built: an empty filter with its parameters, and its keys.
pub(crate) struct Plan {
    /// What the file is called in the JSON.
    pub(crate) name: &'static str,
    /// The filter, without its keys.
    pub(crate) filter: Filter,
    /// Keys to insert, as they stand after the recipe.
    pub(crate) keys: Vec<String>,
    /// Further keys: a prefix, and how many numbers follow it, from 0.
    pub(crate) numbered: Option<(&'static str, u64)>,
    /// Whether the file says how many keys were inserted.
    pub(crate) count_known: bool,
    /// What is asked first, as it stands before the recipe.
    pub(crate) probes: Vec<String>,
    /// The key of the seal, where there is one.
    pub(crate) seal_key: Option<&'static [u8]>,
}

impl Plan {
    /// `size` is in lines, blocks or words.
    pub(crate) fn new(
        name: &'static str,
        layout: Layout,
        k: u32,
        size: u64,
        scheme: Scheme,
        domain: Domain,
    ) -> Result<Plan, String> {
        Ok(Plan::of(name, Filter::new(layout, k, size * layout.unit(), scheme, domain)?))
    }

    /// A scheme with a rule of its own; `m` is in bits.
    pub(crate) fn own(name: &'static str, k: u32, m: u64, own: Own, domain: Domain) -> Result<Plan, String> {
        Ok(Plan::of(name, Filter::new(Layout::Scattered, k, m, Scheme::Own(own), domain)?))
    }

    fn of(name: &'static str, filter: Filter) -> Plan {
        Plan {
            name,
            filter,
            keys: Vec::new(),
            numbered: None,
            count_known: true,
            probes: Vec::new(),
            seal_key: None,
        }
    }

    /// What it is planned for.
    pub(crate) fn planned(mut self, capacity: u64, rate: f64, policy: Policy) -> Plan {
        (self.filter.capacity, self.filter.rate, self.filter.policy) = (capacity, rate, policy);
        self
    }

    pub(crate) fn recipe(mut self, recipe: u32) -> Plan {
        self.filter.recipe = recipe;
        self
    }

    pub(crate) fn record(mut self, tag: u16, value: &str) -> Plan {
        self.filter.records.push(Record::new(tag, value));
        self
    }

    pub(crate) fn keys(mut self, keys: &[&str]) -> Plan {
        self.keys.extend(keys.iter().map(|key| key.to_string()));
        self
    }

    pub(crate) fn numbered(mut self, prefix: &'static str, count: u64) -> Plan {
        self.numbered = Some((prefix, count));
        self
    }

    pub(crate) fn sealed(mut self, key: &'static [u8]) -> Plan {
        self.seal_key = Some(key);
        self
    }

    /// Leaves the number of inserted keys unknown.
    pub(crate) fn count_unknown(mut self) -> Plan {
        self.count_known = false;
        self
    }

    pub(crate) fn probes(mut self, probes: &[&str]) -> Plan {
        self.probes.extend(probes.iter().map(|probe| probe.to_string()));
        self
    }
}

/// Every layout with schemes 1 and 2 and domains 1 and 2.
pub(crate) fn plans() -> Result<Vec<Plan>, String> {
    use Domain::{Bytes, Integer};
    use Layout::{Double, Line, Scattered, SplitBlock};
    let seed = |seed| Scheme::Xxh3 { seed };
    let secret = |i: usize| Scheme::SipHash13 { key: SECRETS[i] };
    let words =
        ["petal", "sepal", "tepal", "stamen", "carpel", "pistil", "ovary", "style", "stigma", "anther"];
    let odd = [
        "",
        " ",
        "042",
        "42",
        "Bl\u{fc}te",
        "bl\u{fc}te",
        "\u{82b1}",
        "\u{1f337}",
        "a\tb",
        "tepal self-test 0",
    ];
    let numbers =
        ["0", "1", "-1", "42", "-42", "570108428378", "9223372036854775808", "-9223372036854775808"];

    Ok(vec![
        Plan::new("line, empty", Line, 6, 1, seed(0), Bytes)?.planned(51, 0.01, Policy::Refuse),
        Plan::new("line, words", Line, 6, 1, seed(0), Bytes)?.planned(51, 0.01, Policy::Refuse).keys(&words),
        Plan::new("line, recipe and records", Line, 8, 3, seed(1), Bytes)?
            .planned(100, 0.001, Policy::Warn)
            .recipe(TRIM | NOCASE)
            .record(NAME, "parts of a flower")
            .record(SOURCE, "a textbook of botany, \u{a7} 3")
            .record(DATE, "2024-02-29")
            .record(FIELD, "part")
            .keys(&words)
            .probes(&["TEPAL", "  Petal\t", "\r\nsepal", "te pal", "\u{a0}tepal"]),
        Plan::new("line, overfull", Line, 1, 1, seed(u64::MAX), Bytes)?
            .planned(10, 0.5, Policy::Ignore)
            .numbered("key ", 400),
        Plan::new("line, more than 8 bits, integers", Line, 11, 5, seed(0x8000_0000_0000_3039), Integer)?
            .planned(128, 1.0 / 65536.0, Policy::Refuse)
            .keys(&numbers)
            .probes(&["18446744073709551615", "-9223372036854775807", "9223372036854775807"]),
        Plan::new("line, 16 bits, secret", Line, 16, 2, secret(0), Bytes)?
            .planned(30, 1e-6, Policy::Refuse)
            .keys(&words)
            .keys(&odd),
        Plan::new("double, least k", Double, 2, 1, seed(0), Bytes)?
            .planned(20, 0.1, Policy::Warn)
            .numbered("key ", 120),
        Plan::new("double, odd k, secret integers", Double, 7, 4, secret(1), Integer)?
            .planned(212, 0.01, Policy::Refuse)
            .record(NAME, "numbers")
            .keys(&numbers)
            .numbered("1000", 100)
            .probes(&["18446744073709551615"]),
        Plan::new("double, largest k", Double, 32, 7, seed(7), Bytes)?
            .planned(60, 1e-9, Policy::Refuse)
            .record(FIELD, "id")
            .keys(&odd),
        Plan::new("split-block, one block", SplitBlock, 8, 1, seed(0), Bytes)?
            .planned(24, 0.01, Policy::Ignore)
            .keys(&words)
            .numbered("key ", 50),
        Plan::new("split-block, padded body, secret integers", SplitBlock, 8, 3, secret(0), Integer)?
            .planned(72, 0.01, Policy::Refuse)
            .keys(&numbers),
        Plan::new("scattered, one word", Scattered, 7, 1, seed(3), Bytes)?
            .planned(6, 0.01, Policy::Ignore)
            .keys(&words),
        Plan::new("scattered, trim, secret", Scattered, 13, 10, secret(1), Bytes)?
            .planned(30, 1e-4, Policy::Warn)
            .recipe(TRIM)
            .record(SOURCE, "eight by 8 bytes, so no padding!")
            .keys(&words)
            .probes(&[" tepal ", "TEPAL", "\u{b}petal\u{c}"]),
        Plan::new("scattered, largest k, count not known", Scattered, 64, 33, seed(1), Integer)?
            .planned(22, 0.25, Policy::Refuse)
            .recipe(NOCASE)
            .count_unknown()
            .keys(&numbers),
        Plan::new("line, two chunks", Line, 6, 1100, seed(0), Bytes)?
            .planned(56_000, 0.01, Policy::Refuse)
            .record(NAME, "more than one chunk")
            .keys(&words)
            .numbered("key ", 50_000),
    ])
}

/// Sealed files: keys shorter than, as long as and longer than a block of SHA-256, alone and with a secret.
pub(crate) fn sealed_plans() -> Result<Vec<Plan>, String> {
    let words = ["petal", "sepal", "tepal"];
    let secret = Scheme::SipHash13 { key: SECRETS[0] };
    Ok(vec![
        Plan::new("sealed, 16-byte key", Layout::Line, 6, 1, Scheme::Xxh3 { seed: 0 }, Domain::Bytes)?
            .planned(51, 0.01, Policy::Refuse)
            .keys(&words)
            .sealed(b"0123456789abcdef"),
        Plan::new("sealed, 64-byte key, secret", Layout::Double, 7, 2, secret, Domain::Bytes)?
            .planned(100, 0.01, Policy::Warn)
            .record(NAME, "sealed and secret")
            .keys(&words)
            .sealed(&[0xA5; 64]),
        Plan::new(
            "sealed, 65-byte key, padded body",
            Layout::SplitBlock,
            8,
            1,
            Scheme::Xxh3 { seed: 1 },
            Domain::Bytes,
        )?
        .planned(24, 0.01, Policy::Ignore)
        .numbered("key ", 20)
        .sealed(&[0x5A; 65]),
        Plan::new("sealed, two chunks", Layout::Line, 6, 1100, Scheme::Xxh3 { seed: 0 }, Domain::Bytes)?
            .planned(56_000, 0.01, Policy::Refuse)
            .numbered("key ", 1000)
            .sealed(b"a seal key of some length, in ASCII"),
    ])
}
