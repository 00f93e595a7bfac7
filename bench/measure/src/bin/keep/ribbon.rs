//! Kept files of ribbon filters.

use serde_json::Value;

use super::{Subject, add_keys, digits, numbers, recorded};

/// Enough for a layer and last slots.
const MEMBERS: u64 = 3000;

/// Builds the filter; returns its JSON and its file.
pub(super) fn kept(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let opened = kind.filled(MEMBERS, &numbers(0..MEMBERS))?;
    let answers = digits(kind.keys(&numbers(MEMBERS..2 * MEMBERS)).held(&opened));
    let (opener, facts) = (kind.opener(), opened.facts()?);
    let mut expected = recorded(&facts);
    expected["members"] = MEMBERS.into();
    expected["answers_to_others"] = answers.into();
    if kind.name().contains("added") {
        expected["built_of"] = (MEMBERS / 2).into();
    }
    add_keys(&mut expected, kind, &opener);
    Ok((expected, opener.file(&opened)))
}
