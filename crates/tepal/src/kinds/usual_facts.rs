//! The description of a filter of any kind, of which each kind adds its own part.

use alloc::vec::Vec;

use super::Filter;
use crate::facts::Facts;

/// The facts that every filter has; a kind adds its own.
pub(crate) fn usual_facts(filter: &dyn Filter) -> Facts {
    let keys = filter.key_hasher();
    Facts {
        kind: filter.kind(),
        scheme: keys.scheme(),
        seed: keys.seed(),
        valkey_seed: keys.valkey_seed(),
        caller_hash: keys.caller_hash(),
        key_domain: keys.key_domain(),
        recipe: keys.recipe(),
        capacity: filter.capacity(),
        promised_false_positive_rate: filter.promised_false_positive_rate(),
        expansion: None,
        window: None,
        exceptions: 0,
        is_divided: false,
        over_capacity: filter.over_capacity(),
        is_over_capacity: filter.is_over_capacity(),
        is_full: filter.is_full(),
        keys_inserted: filter.keys_inserted(),
        estimated_len: filter.estimated_len(),
        false_positive_rate: filter.false_positive_rate(),
        size_in_bytes: filter.size_in_bytes(),
        labels: filter.labels().clone(),
        parts: Vec::new(),
        tables: Vec::new(),
        segments: Vec::new(),
        ribbon: None,
        warnings: filter.warnings(),
        file: None,
    }
}
