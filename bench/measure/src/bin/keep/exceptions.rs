//! Kept files of filters with exceptions.

use serde_json::Value;
use tepal::{Exceptions, Opened, hash::PreparedKeys};

use super::{Numbered, Subject, add_keys, digits, numbers, recorded, tepal_kinds};

const MEMBERS: u64 = 1000;
/// Of this many non-members after the members, the ones that the filter says yes for become
/// exceptions.
const KNOWN: u64 = 2000;

/// How a file stores exceptions.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Form {
    List,
    Divider,
}

/// What to keep: a name, a Bloom filter of the list, and the form of its exceptions.
pub(super) fn forms() -> Vec<(&'static str, Box<dyn Subject>, Form)> {
    let named = |name: &str| tepal_kinds().into_iter().find(|kind| kind.name() == name);
    [
        ("list", "line-xxh3", Form::List),
        ("list-siphash13", "double-siphash13", Form::List),
        ("list-sealed", "line-sealed", Form::List),
        ("list-recipe-labels", "split-block-recipe-labels", Form::List),
        ("list-guava-mitz64", "scheme-guava-mitz64", Form::List),
        ("divider", "line-xxh3", Form::Divider),
        ("divider-siphash13", "line-siphash13", Form::Divider),
        ("divider-sealed", "split-block-sealed", Form::Divider),
        ("divider-md5-presets", "scheme-md5-presets", Form::Divider),
    ]
    .into_iter()
    .filter_map(|(name, kind, form)| Some((name, named(kind)?, form)))
    .collect()
}

fn prepared(file: &Opened, keys: &Numbered) -> tepal::Result<PreparedKeys> {
    let Numbered::Texts(texts) = keys else { unreachable!("exceptions are keys") };
    let (hasher, mut prepared) = (file.key_hasher(), PreparedKeys::default());
    texts.iter().try_for_each(|key| hasher.prepare(key, &mut prepared))?;
    Ok(prepared)
}

/// Fills the filter, and excepts its false positives; returns the JSON and the file.
pub(super) fn kept(kind: &dyn Subject, form: Form) -> tepal::Result<(Value, Vec<u8>)> {
    let mut file = kind.empty(kind.usual_capacity())?;
    let members = kind.keys(&numbers(0..MEMBERS));
    members.insert_each(&mut file, |_, _| ())?;
    let known = prepared(&file, &kind.keys(&numbers(MEMBERS..MEMBERS + KNOWN)))?;
    let mut found = Exceptions::new();
    found.take(file.filter(), &known);
    let file = match form {
        Form::List => file.except(&found)?,
        Form::Divider => {
            let members = prepared(&file, &members)?;
            file.divide(&found, &members)?
        }
    };
    let others = kind.keys(&numbers(MEMBERS + KNOWN..MEMBERS + KNOWN + 1000)).held(&file);
    let (opener, facts) = (kind.opener(), file.facts()?);
    let mut expected = recorded(&facts);
    expected["is_divided"] = facts.is_divided.into();
    expected["exceptions"] = facts.exceptions.into();
    expected["members"] = MEMBERS.into();
    expected["known_strangers"] = KNOWN.into();
    expected["answers_to_others"] = digits(others).into();
    add_keys(&mut expected, kind, &opener);
    Ok((expected, opener.file(&file)))
}
