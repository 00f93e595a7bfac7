//! One file of `files.json` before it is built.

use tepal_reference::filter::Filter;
use tepal_reference::hash::siphash13;
use tepal_reference::write::KEY_CHECK;

/// Over-capacity policies (section 4.2).
pub(crate) const REFUSE: u8 = 1;
pub(crate) const WARN: u8 = 2;
pub(crate) const IGNORE: u8 = 3;

/// Key domains (section 1.1).
pub(crate) const INTEGER: u8 = 2;
pub(crate) const INTEGER32: u8 = 3;
pub(crate) const UTF16: u8 = 4;
pub(crate) const FLOAT32: u8 = 5;
pub(crate) const FLOAT64: u8 = 6;
pub(crate) const HEX: u8 = 7;

/// One file before it is built: an empty filter with its parameters, and its keys.
pub(crate) struct Plan {
    /// The name of the file in the JSON.
    pub(crate) name: &'static str,
    /// The filter, without its keys.
    pub(crate) filter: Filter,
    /// Keys to insert, before the recipe is applied.
    pub(crate) keys: Vec<String>,
    /// Further keys: a prefix followed by a number, and the count of the numbers, which begin at 0.
    pub(crate) numbered: Option<(&'static str, u64)>,
    /// Hashes to insert, under scheme 4 in place of keys.
    pub(crate) hashes: Vec<u64>,
    /// Hashes to look up, which may not have been inserted.
    pub(crate) hash_probes: Vec<u64>,
    /// Does the file have the number of inserted keys?
    pub(crate) count_known: bool,
    /// The first keys to look up, before the recipe is applied.
    pub(crate) probes: Vec<String>,
    /// The seal key; `None` for a file that is not sealed.
    pub(crate) seal_key: Option<&'static [u8]>,
}

impl Plan {
    pub(crate) fn new(name: &'static str, layout: u8, scheme: u8, k: u32, bit_len: u64) -> Plan {
        Plan {
            name,
            filter: Filter::new(layout, scheme, k, bit_len),
            keys: Vec::new(),
            numbered: None,
            hashes: Vec::new(),
            hash_probes: Vec::new(),
            count_known: true,
            probes: Vec::new(),
            seal_key: None,
        }
    }

    /// The field at offset 64.
    pub(crate) fn parameter(mut self, parameter: u64) -> Plan {
        self.filter.parameter = parameter;
        self
    }

    /// The key of scheme 2.
    pub(crate) fn secret(mut self, secret: [u8; 16]) -> Plan {
        self.filter.secret = secret;
        self.parameter(siphash13(&secret, KEY_CHECK))
    }

    /// The seed of scheme 28.
    pub(crate) fn seed(self, seed: [u8; 32]) -> Plan {
        let digits: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
        self.record(5, &digits)
    }

    pub(crate) fn domain(mut self, domain: u8) -> Plan {
        self.filter.domain = domain;
        self
    }

    pub(crate) fn planned(mut self, capacity: u64, rate: f64, policy: u8) -> Plan {
        (self.filter.capacity, self.filter.rate, self.filter.policy) = (capacity, rate, policy);
        self
    }

    pub(crate) fn recipe(mut self, recipe: u32) -> Plan {
        self.filter.recipe = recipe;
        self
    }

    pub(crate) fn record(mut self, tag: u16, value: &str) -> Plan {
        self.filter.records.push((tag, value.to_string()));
        self.filter.records.sort();
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

    /// Sets, for scheme 4, the name of the hash, the hashes to insert and the hashes to look up.
    pub(crate) fn hashes(mut self, name: &str, hashes: Vec<u64>, probes: Vec<u64>) -> Plan {
        (self.hashes, self.hash_probes) = (hashes, probes);
        self.record(6, name)
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

    pub(crate) fn sealed(mut self, key: &'static [u8]) -> Plan {
        self.seal_key = Some(key);
        self
    }
}
