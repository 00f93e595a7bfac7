//! Kept files of maps.

use serde_json::{Value, json};

use tepal::{AnyFilter, hash::finish_hash};

use super::{Numbered, Subject, add_keys, digits, numbers, recorded};

/// Enough for a layer and last slots.
const MEMBERS: u64 = 3000;

/// Builds the map; returns its JSON and its file.
pub(super) fn kept(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let opened = kind.filled(MEMBERS, &numbers(0..MEMBERS))?;
    let answers = digits(kind.keys(&numbers(MEMBERS..2 * MEMBERS)).held(&opened));
    let AnyFilter::Map(map) = opened.filter() else { unreachable!("{opened:?}") };
    let value = |number: &u64| match kind.keys(&[*number]) {
        Numbered::Texts(texts) => map.get(&texts[0]),
        Numbered::Hashes(_) => map.get_hash(finish_hash(*number)),
    };
    let number = |number: &u64| value(number).map(u32::from);
    let values: Vec<Option<u32>> = numbers(0..2 * MEMBERS).iter().map(number).collect();
    let (opener, facts) = (kind.opener(), opened.facts()?);
    let mut expected = recorded(&facts);
    expected["members"] = MEMBERS.into();
    expected["names"] = json!(map.names().collect::<Vec<_>>());
    expected["values"] = values_text(&values).into();
    expected["answers_to_others"] = answers.into();
    add_keys(&mut expected, kind, &opener);
    Ok((expected, opener.file(&opened)))
}

/// The value of each key, or a `-`, separated by spaces.
fn values_text(values: &[Option<u32>]) -> String {
    let text = |value: &Option<u32>| value.map_or("-".to_string(), |value| value.to_string());
    values.iter().map(text).collect::<Vec<_>>().join(" ")
}
