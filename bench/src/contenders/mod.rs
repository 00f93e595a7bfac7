//! Who takes part. To add one: write the function that builds it, as in [`peers`], and name it here.

mod limits;
mod ours;
mod peers;

use limits::{Fetch, OneLine};
use tepal::Layout;

use crate::contender::Contender;
use crate::keys::{Family, Id};

/// The row that the ratios of a table compare with.
pub(crate) const BASE: &str = "fastbloom";

/// Those that can be given a hash.
pub(crate) fn hashed(keys: usize, rate: f64) -> Vec<Box<dyn Contender<u64>>> {
    let mut field = limits::<u64>(keys, rate);
    field.extend(
        Layout::ALL
            .into_iter()
            .flat_map(|layout| [ours::one_hash(layout, keys, rate), ours::hash_batch(layout, keys, rate)]),
    );
    field.push(peers::fastbloom_hashed(keys, rate));
    field.push(peers::sbbf_rs_safe(keys, rate));
    field
}

/// Those that hash by themselves.
pub(crate) fn identifiers(keys: usize, rate: f64) -> Vec<Box<dyn Contender<Id>>> {
    let mut field = limits::<Id>(keys, rate);
    field.extend(
        Layout::ALL
            .into_iter()
            .flat_map(|layout| [ours::one_id(layout, keys, rate), ours::id_batch(layout, keys, rate)]),
    );
    field.push(peers::fastbloom(keys, rate));
    field
}

fn limits<K: Family>(keys: usize, rate: f64) -> Vec<Box<dyn Contender<K>>> {
    let bits = ours::plan(Layout::Line, keys, rate).bit_len;
    vec![
        Box::new(limits::HashOnly::default()),
        Box::new(OneLine::new(bits, Fetch::Never)),
        Box::new(OneLine::new(bits, Fetch::InPieces)),
        Box::new(OneLine::new(bits, Fetch::Ahead)),
    ]
}
