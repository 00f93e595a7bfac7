//! What a filter tells about itself.

use tepal::AnyFilter;
use tepal::file::Format;

use super::{asked, no_more, read, say};
use crate::reply::{NOT_FOUND, Outcome, Refusal};
use crate::server::{Ctx, Text};
use crate::settings;
use crate::value::Held;

/// The filter of a key, and the memory that the key takes.
fn weighed(ctx: &Ctx, name: Text) -> Result<(&'static Held, u64), Refusal> {
    let value = read(ctx, name)?.ok_or(NOT_FOUND)?;
    Ok((value.held().ok_or(NOT_FOUND)?, value.memory() as u64))
}

/// BF.CARD key
pub(super) fn card(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    no_more(args)?;
    ctx.number(asked(ctx, name)?.map_or(0, Held::items));
    Ok(())
}

/// BF.RATE key: the false-positive rate now
pub(super) fn rate(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    no_more(args)?;
    ctx.double(asked(ctx, name)?.ok_or(NOT_FOUND)?.file.false_positive_rate());
    Ok(())
}

/// A field of BF.INFO: its word as an argument, its name in the answer.
const BF_FIELDS: [(&str, &str); 5] = [
    ("CAPACITY", "Capacity"),
    ("SIZE", "Size"),
    ("FILTERS", "Number of filters"),
    ("ITEMS", "Number of items inserted"),
    ("EXPANSION", "Expansion rate"),
];
/// The fields of valkey-bloom beside these.
const VALKEY_FIELDS: [(&str, &str); 2] = [("ERROR", "Error rate"), ("TIGHTENING", "Tightening ratio")];

fn put_field(ctx: &Ctx, held: &Held, memory: u64, field: &str) {
    match field {
        "CAPACITY" => ctx.number(held.capacity()),
        "SIZE" => ctx.number(memory),
        "FILTERS" => ctx.number(held.filters() as u64),
        "ITEMS" => ctx.number(held.items()),
        "ERROR" => ctx.double(held.file.promised_false_positive_rate()),
        "EXPANSION" => match held.expansion() {
            Some(times) => ctx.number(times.into()),
            None => ctx.null(),
        },
        _ => ctx.null(),
    }
}

/// BF.INFO key [CAPACITY | SIZE | FILTERS | ITEMS | EXPANSION]
pub(super) fn bf_info(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let (held, memory) = weighed(ctx, name)?;
    let is_valkey = settings::get().valkey;
    let fields = || BF_FIELDS.iter().chain(VALKEY_FIELDS.iter().filter(|_| is_valkey));
    match args {
        [] => {
            ctx.map(fields().count());
            for (word, name) in fields() {
                ctx.word(name);
                put_field(ctx, held, memory, word);
            }
        }
        [one] => {
            let asked = one.bytes().to_ascii_uppercase();
            let field = fields().find(|(word, _)| word.as_bytes() == asked);
            let (word, _) =
                field.ok_or_else(|| say("Invalid information value", "ERR invalid information value"))?;
            if !is_valkey {
                ctx.array(1);
            }
            put_field(ctx, held, memory, word);
        }
        _ => return Err(Refusal::Arity),
    }
    Ok(())
}

/// CF.INFO key
pub(super) fn cf_info(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    no_more(args)?;
    let (held, memory) = weighed(ctx, name)?;
    let about = &held.about;
    let buckets = held.capacity() / u64::from(about.bucket_size.max(1));
    let fields = [
        ("Size", memory),
        ("Number of buckets", buckets),
        ("Number of filters", held.filters() as u64),
        ("Number of items inserted", held.items()),
        ("Number of items deleted", about.deleted),
        ("Bucket size", about.bucket_size.into()),
        ("Expansion rate", about.expansion.unwrap_or(0).into()),
        ("Max iterations", about.max_iterations.into()),
    ];
    ctx.map(fields.len());
    for (name, number) in fields {
        ctx.word(name);
        ctx.number(number);
    }
    Ok(())
}

/// BF.UPGRADE key: what can become of a filter without its keys
pub(super) fn upgrade(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    no_more(args)?;
    let held = asked(ctx, name)?.ok_or(NOT_FOUND)?;
    let items = held.items();
    let program = match held.file.format() {
        Format::RedisBloom => "RedisBloom",
        Format::ValkeyBloom => "valkey-bloom",
        _ => {
            ctx.array(1);
            let kind = match held.filter() {
                AnyFilter::Growing(_) => "growing",
                AnyFilter::Expiring(_) => "with a window",
                AnyFilter::Quotient(_) => "deletable",
                _ => "of a fixed capacity",
            };
            ctx.bytes(
                format!("the filter is the module's own ({kind}): there is nothing to upgrade").as_bytes(),
            );
            return Ok(());
        }
    };
    ctx.array(3);
    let lines = [
        format!(
            "the filter has the bits of {program}: {} filters, {items} items; it answers, grows, is saved and dumped as there",
            held.filters()
        ),
        "the bits cannot become those of another hash: a smaller and faster filter, and a secret hash, need the items".into(),
        format!("with the items: BF.RESERVE another key for {items} items, BF.MADD them there, and RENAME it"),
    ];
    lines.iter().for_each(|line| ctx.bytes(line.as_bytes()));
    Ok(())
}
