//! Kept files of segment filters.

use serde_json::{Value, json};
use tepal::{AnyFilter, Opened, SegmentFilter, file::Format};

use super::{Numbered, Subject, add_keys, numbers, recorded};

/// Members. Key i is in each of the ten named segments whose number divides i; key 0 is in eighty
/// more without a name.
const MEMBERS: u64 = 300;

/// The segments of each key: their numbers between commas, and a blank after each key.
fn segments(filter: &SegmentFilter, hashes: &[u64]) -> String {
    let of = |hash: &u64| {
        let of: Vec<String> = filter.segments_of_hash(*hash).map(|s| s.number().to_string()).collect();
        of.join(",")
    };
    hashes.iter().map(of).collect::<Vec<_>>().join(" ")
}

/// Fills the filter; returns its JSON and its file.
pub(super) fn kept(kind: &dyn Subject) -> tepal::Result<(Value, Vec<u8>)> {
    let opened = kind.empty(kind.usual_capacity())?;
    let AnyFilter::Segment(mut filter) = opened.into_filter() else { unreachable!("{}", kind.name()) };
    let hashes = match kind.keys(&numbers(0..MEMBERS + 1000)) {
        Numbered::Texts(texts) => {
            texts.iter().map(|text| filter.hash_key(text)).collect::<tepal::Result<_>>()?
        }
        Numbered::Hashes(hashes) => hashes,
    };
    for divisor in 1..=10 {
        let segment = filter.add_segment(&format!("durch {divisor}"))?;
        for i in (0..MEMBERS).step_by(divisor) {
            filter.insert_hash(segment, hashes[i as usize])?;
        }
    }
    for _ in 0..80 {
        let segment = filter.add_unnamed_segment()?;
        filter.insert_hash(segment, hashes[0])?;
    }
    let opened = Opened::new(filter.clone(), Format::Tepal)?;
    let (opener, facts) = (kind.opener(), opened.facts()?);
    let listed = facts.segments.iter().map(|segment| json!([segment.number, segment.name, segment.keys]));
    let mut expected = recorded(&facts);
    expected["pairs"] = filter.len().into();
    expected["members"] = MEMBERS.into();
    expected["listed"] = listed.collect();
    expected["segments"] = segments(&filter, &hashes).into();
    add_keys(&mut expected, kind, &opener);
    Ok((expected, opener.file(&opened)))
}
