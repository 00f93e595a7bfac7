//! Kept files of expiring filters.

use serde_json::Value;
use tepal::{AnyFilter, ExpiringFilter, facts::Window};

use super::{Numbered, Subject, add_keys, numbers, recorded};

/// Members of each of two times; some are inserted at both.
const MEMBERS: u64 = 500;

/// A digit for each key: 0 if it is not held, 1 if it was inserted in this generation, 2 if before.
fn ages(filter: &ExpiringFilter, numbered: &Numbered) -> String {
    let hashes = match numbered {
        Numbered::Texts(texts) => {
            texts.iter().map(|text| filter.hash_key(text)).collect::<tepal::Result<_>>()
        }
        Numbered::Hashes(hashes) => Ok(hashes.clone()),
    };
    let digit = |hash| match filter.age_estimate_hash(hash) {
        None => '0',
        Some(0) => '1',
        Some(_) => '2',
    };
    hashes.unwrap_or_else(|error| unreachable!("{error}")).into_iter().map(digit).collect()
}

/// Fills the filter at two times; returns its JSON and its file.
pub(super) fn kept(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let mut opened = kind.empty(kind.usual_capacity())?;
    kind.keys(&numbers(0..MEMBERS)).insert_each(&mut opened, |_, _| ())?;
    let window = opened.facts()?.window.unwrap_or_else(|| unreachable!("{opened:?}"));
    let Window::Time(length) = window.window else { unreachable!("{opened:?}") };
    if let Some(now) = window.now {
        opened.advance_to(now.saturating_add(length / 2))?;
    }
    kind.keys(&numbers(MEMBERS - 100..2 * MEMBERS)).insert_each(&mut opened, |_, _| ())?;
    let AnyFilter::Expiring(filter) = opened.filter() else { unreachable!("{opened:?}") };
    let asked = kind.keys(&numbers(0..2 * MEMBERS + 1000));
    let now_ages = ages(filter, &asked);
    let mut later = filter.clone();
    let later_at = filter.now().map(|now| now.saturating_add(length));
    if let Some(time) = later_at {
        later.advance_to(time)?;
    }
    let (opener, facts) = (kind.opener(), opened.facts()?);
    let mut expected = recorded(&facts);
    expected["window"] = length.to_string().into();
    expected["generations"] = window.generations.into();
    expected["now"] = filter.now().map(|now| now.to_string()).into();
    expected["members"] = (2 * MEMBERS).into();
    expected["ages"] = now_ages.into();
    expected["later"] = later_at.map(|time| time.to_string()).into();
    expected["ages_later"] = ages(&later, &asked).into();
    add_keys(&mut expected, kind, &opener);
    Ok((expected, opener.file(&opened)))
}
