//! Asks filters of every kind, by hashes where all of them have those and key by key where not.

use std::borrow::Cow;

use crate::ask::{Flow, Sink, ask};
use crate::error::Failure;
use crate::key::refusal;
use crate::key_batch::KeyBatch;
use crate::open::{Filter, Own};
use crate::pages::Pages;

/// Asks whether any of `filters` has the keys of `pages`, as [`ask`] does.
pub fn ask_all(filters: &[Filter], pages: &mut Pages, sink: &mut dyn Sink) -> Result<(), Failure> {
    let hashed: Option<Vec<&Own>> = filters.iter().map(Filter::hashed).collect();
    match hashed {
        Some(hashed) => ask(&hashed, pages, sink),
        None => ask_keys(filters, pages, sink),
    }
}

fn ask_keys(filters: &[Filter], pages: &mut Pages, sink: &mut dyn Sink) -> Result<(), Failure> {
    let mut keys = KeyBatch::default();
    let mut keyless = Vec::new();
    while let Some(mut page) = pages.next_page()? {
        if page.is_header {
            sink.header(&page)?;
            continue;
        }
        keys.clear();
        keyless.clear();
        let mut failed = Ok(());
        for i in 0..page.batch.len() {
            let refused = match page.key(i) {
                Ok(Some(key)) => {
                    let refused = filters.iter().find_map(|filter| refused(filter, key));
                    keys.push(key);
                    refused
                }
                Ok(None) => {
                    keyless.push(i);
                    keys.push(b"");
                    None
                }
                Err(failure) => {
                    failed = Err(failure);
                    break;
                }
            };
            if let Some(text) = refused {
                keys.pop();
                failed = Err(page.failure(i, text));
                break;
            }
        }
        let mut held = held(filters, &keys);
        keyless.iter().for_each(|&i| held[i] = false);
        let flow = sink.answers(&mut page, &held)?;
        match flow {
            Flow::Stop => return Ok(()),
            Flow::NextInput => pages.skip_input(),
            Flow::Continue => failed?,
        }
    }
    Ok(())
}

/// Which of the keys any filter holds.
fn held(filters: &[Filter], keys: &KeyBatch) -> Vec<bool> {
    let mut held = vec![false; keys.len()];
    for filter in filters {
        let recipe = filter.recipe();
        let meant: Vec<Cow<'_, [u8]>> = keys.iter().map(|key| recipe.apply(key)).collect();
        let answers = filter.contains_many(&meant);
        held.iter_mut().zip(answers).for_each(|(held, answer)| *held |= answer);
    }
    held
}

/// Whether any of `filters` holds one key, or why it cannot be asked for.
pub fn has_key(filters: &[Filter], key: &[u8]) -> Result<bool, String> {
    match filters.iter().find_map(|filter| refused(filter, key)) {
        Some(text) => Err(text),
        None => Ok(filters.iter().any(|filter| filter.contains_many(&[filter.recipe().apply(key)])[0])),
    }
}

/// Why `filter` cannot be asked for `key`.
fn refused(filter: &Filter, key: &[u8]) -> Option<String> {
    filter.check_key(&filter.recipe().apply(key)).err().map(|error| refusal(key, &error))
}
