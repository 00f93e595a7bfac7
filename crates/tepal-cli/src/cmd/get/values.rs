//! The values of records, of a map that may be exchanged between two pages.

use std::sync::Arc;

use tepal::{KeyHasher, Opened, PreparedKeys, RibbonMap};

use crate::asking::map_of;
use crate::input::pages::Keys;
use crate::input::pipeline::{Refused, Work};
use crate::keys::prepare;
use crate::live::{Filters, Known};

/// Why what is no map cannot be asked.
pub const NO_VALUES: &str = "a filter, which has no values; tepal has says whether a key is in it, tepal which in which segment, and tepal build --map makes a map";

/// Gets the values of records.
pub struct Get<'a> {
    /// The map, as the one of several filters.
    pub filters: &'a Filters<'a>,
}

/// The values of some records.
#[derive(Default)]
pub struct Values {
    /// For each record its value; nothing where it has none, or no key.
    pub values: Vec<Option<u32>>,
    /// From which record on which map was asked.
    maps: Vec<(usize, Arc<Opened>)>,
}

impl Values {
    /// The map that was asked for record `i`: its values have the names.
    pub fn map_of(&self, i: usize) -> Option<&RibbonMap> {
        let before = self.maps.partition_point(|(first, _)| *first <= i);
        map_of(&self.maps.get(before.checked_sub(1)?)?.1)
    }
}

/// What a thread needs to ask.
pub struct Tools {
    known: Known,
    hasher: KeyHasher,
    keys: PreparedKeys,
    /// Records of the page that have no key.
    keyless: Vec<usize>,
    found: Vec<Option<u32>>,
}

impl Tools {
    fn of(known: Known) -> Self {
        let hasher = known.set[0].key_hasher();
        let (keys, keyless, found) = (PreparedKeys::default(), Vec::new(), Vec::new());
        Self { known, hasher, keys, keyless, found }
    }
}

impl Work for Get<'_> {
    type Tools = Tools;
    type Results = Values;

    fn tools(&self) -> Tools {
        Tools::of(self.filters.known())
    }

    fn clear(values: &mut Values) {
        values.values.clear();
        values.maps.clear();
    }

    fn work(&self, tools: &mut Tools, keys: &mut Keys<'_>, values: &mut Values) -> Result<(), Refused> {
        if let Some(known) = self.filters.renewed(&tools.known) {
            *tools = Tools::of(known);
        }
        let Tools { known, hasher, keys: prepared, keyless, found } = tools;
        let opened = &known.set[0];
        // What is no map was refused when it was opened.
        let Some(map) = map_of(opened) else { return Err(Refused { record: 0, text: NO_VALUES.to_owned() }) };
        prepared.clear();
        keyless.clear();
        let worked = prepare(hasher, keys, keys.batch.len(), prepared, |keys, record, why| {
            if let Some(text) = why {
                keys.bad.push(record, text)?;
            }
            keyless.push(record);
            Ok(())
        });
        let asked = worked.as_ref().err().map_or(keys.batch.len(), |refused| refused.record);
        found.resize(prepared.len(), None);
        map.get_prepared(prepared, found);
        if values.maps.last().is_none_or(|(_, last)| !Arc::ptr_eq(last, opened)) {
            values.maps.push((values.values.len(), opened.clone()));
        }
        let (mut keyless, mut found) = (keyless.iter().peekable(), found.iter());
        values.values.extend((0..asked).map(|record| match keyless.next_if_eq(&&record) {
            Some(_) => None,
            None => found.next().copied().flatten(),
        }));
        worked
    }
}
