//! Kept files of quotient filters.

use serde_json::Value;
use tepal::AnyFilter;

use super::{Numbered, Subject, add_keys, numbers, recorded};

/// Members, each once; each tenth is inserted three times.
const MEMBERS: u64 = 800;

/// Fills the filter; returns its JSON and its file.
pub(super) fn kept(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let mut opened = kind.empty(kind.usual_capacity())?;
    kind.keys(&numbers(0..MEMBERS)).insert_each(&mut opened, |_, _| ())?;
    let tenths: Vec<u64> = (0..MEMBERS).step_by(10).collect();
    for _ in 0..2 {
        kind.keys(&tenths).insert_each(&mut opened, |_, _| ())?;
    }
    let AnyFilter::Quotient(filter) = opened.filter() else { unreachable!("{opened:?}") };
    let count = |numbered: &Numbered| -> u64 {
        match numbered {
            Numbered::Texts(texts) => filter.count(&texts[0]),
            Numbered::Hashes(hashes) => filter.count_hash(hashes[0]),
        }
    };
    let digit = |i| char::from(b'0' + u8::try_from(count(&kind.keys(&[i])).min(9)).unwrap_or(9));
    let counts: String = (0..MEMBERS + 1000).map(digit).collect();
    let (opener, facts) = (kind.opener(), opened.facts()?);
    let mut expected = recorded(&facts);
    expected["members"] = MEMBERS.into();
    expected["counts"] = counts.into();
    add_keys(&mut expected, kind, &opener);
    Ok((expected, opener.file(&opened)))
}
