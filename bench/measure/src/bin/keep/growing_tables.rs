//! Kept files of growing filters.

use serde_json::{Value, json};
use tepal::AnyFilter;

use super::{Numbered, Subject, add_keys, numbers, recorded};

/// Members: more than one link takes.
const MEMBERS: u64 = 1500;

/// Fills the filter; returns its JSON and its file.
pub(super) fn kept(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let mut opened = kind.empty(kind.usual_capacity())?;
    kind.keys(&numbers(0..MEMBERS)).insert_each(&mut opened, |_, _| ())?;
    let AnyFilter::Growing(filter) = opened.filter() else { unreachable!("{opened:?}") };
    let answer = |numbered: &Numbered| match numbered {
        Numbered::Texts(texts) => filter.contains(&texts[0]),
        Numbered::Hashes(hashes) => filter.contains_hash(hashes[0]),
    };
    let answers: String =
        (0..MEMBERS + 1000).map(|i| if answer(&kind.keys(&[i])) { '1' } else { '0' }).collect();
    let (opener, facts) = (kind.opener(), opened.facts()?);
    let tables: Vec<Value> =
        facts.tables.iter().map(|table| json!([table.numbers, table.lines, table.taken_slots])).collect();
    let mut expected = recorded(&facts);
    expected["first"] = filter.first().into();
    expected["is_deletable"] = filter.is_deletable().into();
    expected["tables"] = tables.into();
    expected["members"] = MEMBERS.into();
    expected["answers"] = answers.into();
    add_keys(&mut expected, kind, &opener);
    Ok((expected, opener.file(&opened)))
}
