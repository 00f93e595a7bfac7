//! What an opened filter is, as JSON.

use alloc::string::ToString;

use tepal::Opened;
use tepal::facts::{Unrecorded, Window};

use crate::json::Json;
use crate::words::Words;

/// Slices of the picture of the fill.
const SLICES: usize = 48;
/// Segments or values that are named; the number of all is told.
const MOST_NAMED: usize = 24;

/// Describes the filter and its file.
pub(crate) fn describe(file: &Opened, keyless: bool, json: &mut Json) -> tepal::Result<()> {
    let facts = file.facts()?;
    let about = file.file_facts()?;
    let recorded = |what| !about.not_recorded.contains(&what);
    json.object(|json| {
        json.name("kind").text(facts.kind.name());
        json.name("format").text(about.format.name());
        json.name("scheme").text(facts.scheme.name());
        json.name("domain").text(facts.key_domain.name());
        json.name("keyless").plain(keyless || facts.caller_hash.is_some());
        json.name("sealed").plain(about.is_sealed);
        json.name("checksum").plain(about.has_checksum);
        json.name("fileLen").plain(about.file_len);
        json.name("bytes").plain(facts.size_in_bytes);
        json.name("length").number(facts.estimated_len);
        json.name("rate").number(facts.false_positive_rate);
        json.name("overCapacity").plain(facts.is_over_capacity);
        json.name("full").plain(facts.is_full);
        json.name("exceptions").plain(facts.exceptions);
        if recorded(Unrecorded::Plan) {
            json.name("promised").number(facts.promised_false_positive_rate);
            json.name("capacity").plain(facts.capacity);
        }
        if let Some(inserted) = facts.keys_inserted {
            json.name("inserted").plain(inserted);
        }
        json.name("domainRecorded").plain(recorded(Unrecorded::KeyDomain));
        if facts.recipe.trim || facts.recipe.nocase {
            json.name("trim").plain(facts.recipe.trim);
            json.name("nocase").plain(facts.recipe.nocase);
        }
        let labels = &facts.labels;
        let texts = [
            ("name", &labels.name),
            ("source", &labels.source),
            ("date", &labels.date),
            ("field", &labels.field),
            ("rows", &labels.rows),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                json.name(name).text(text);
            }
        }
        if let [part] = facts.parts.as_slice() {
            json.name("layout").text(part.layout.name());
            json.name("k").plain(part.num_hashes);
        }
        let links = facts.parts.len().max(facts.tables.len());
        json.name("links").plain(links);
        let (set, bits) =
            facts.parts.iter().fold((0, 0), |sum, part| (sum.0 + part.set_bits, sum.1 + part.bit_len));
        let slots = |(taken, all), table: &tepal::facts::TableFacts| {
            (taken + table.taken_slots, all + table.lines * u64::from(table.slots))
        };
        let (taken, all) = facts.tables.iter().fold((0, 0), slots);
        match (bits, all) {
            (0, 0) => {}
            (0, all) => json.name("fill").number(taken as f64 / all as f64),
            (bits, _) => json.name("fill").number(set as f64 / bits as f64),
        }
        json.name("slices").array(|json| {
            file.fill_of_slices(SLICES).iter().for_each(|share| json.number(*share));
        });
        if let Some(window) = facts.window {
            let (unit, length) = match window.window {
                Window::Time(length) => ("seconds", length),
                Window::Keys(keys) => ("keys", keys),
                _ => ("", 0),
            };
            json.name("window").object(|json| {
                json.name("unit").text(unit);
                json.name("length").plain(length);
                json.name("generations").plain(window.generations);
                if let Some(now) = window.now {
                    json.name("now").plain(now);
                }
            });
        }
        json.name("segmentCount").plain(facts.segments.len());
        json.name("segments").array(|json| {
            for segment in facts.segments.iter().take(MOST_NAMED) {
                json.object(|json| {
                    match &segment.name {
                        Some(name) => json.name("name").text(name),
                        None => json.name("name").text(&segment.number.to_string()),
                    }
                    json.name("keys").plain(segment.keys);
                });
            }
        });
        let can = file.can();
        let abilities = [
            ("insert", can.insert),
            ("remove", can.remove),
            ("count", can.count),
            ("grow", can.grow),
            ("expire", can.expire),
            ("fold", can.fold),
            ("segmented", can.segments),
            ("valued", can.values),
        ];
        json.name("can").array(|json| {
            abilities.iter().filter(|(_, can)| *can).for_each(|(name, _)| json.text(name));
        });
        json.name("warnings").array(|json| {
            facts.warnings.iter().for_each(|warning| json.text(&warning.words()));
        });
    });
    Ok(())
}
