//! Lookups of one and of many items.

use super::{asked, only};
use crate::ask::BATCH;
use crate::reply::{Outcome, Refusal};
use crate::server::{Ctx, Text};

/// BF.EXISTS key item, CF.EXISTS key item
pub(super) fn exists(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let item = only(args)?.bytes();
    let held = asked(ctx, name)?;
    ctx.bool(held.is_some_and(|held| held.holds(item, ctx)));
    Ok(())
}

/// BF.MEXISTS key item [item ...], CF.MEXISTS key item [item ...]
pub(super) fn mexists(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    if args.is_empty() {
        return Err(Refusal::Arity);
    }
    let held = asked(ctx, name)?;
    ctx.array(args.len());
    let mut items: [&[u8]; BATCH] = [&[]; BATCH];
    for args in args.chunks(BATCH) {
        let (items, mut answers) = (&mut items[..args.len()], [false; BATCH]);
        let answers = &mut answers[..args.len()];
        if let Some(held) = held {
            items.iter_mut().zip(args).for_each(|(item, arg)| *item = arg.bytes());
            held.holds_many(items, ctx, answers);
        }
        answers.iter().for_each(|answer| ctx.bool(*answer));
    }
    Ok(())
}

/// CF.COUNT key item
pub(super) fn count(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let item = only(args)?.bytes();
    let count = asked(ctx, name)?
        .map_or(0, |held| held.file.count(item).unwrap_or_else(|| held.holds(item, ctx).into()));
    ctx.number(count);
    Ok(())
}
