//! `CF.*`: commands of a filter from which items can be removed.

use super::add::{Adding, items};
use super::create::{MOST_CAPACITY, Plan};
use super::{numbers, only, opened};
use crate::add::{Added, Repeats};
use crate::reply::{NOT_FOUND, Outcome, Refusal, WRONG_TYPE};
use crate::server::{Ctx, Text};
use crate::value::{State, UNFINISHED};

const FULL: &str = "Filter is full";
/// The capacity of a filter that is not reserved.
const CAPACITY: u64 = 1024;

/// CF.ADD key item
pub(super) fn add(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    one_item(ctx, name, args, Repeats::Count)
}

/// CF.ADDNX key item
pub(super) fn addnx(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    one_item(ctx, name, args, Repeats::Skip)
}

fn one_item(ctx: &Ctx, name: Text, args: &[Text], repeats: Repeats) -> Outcome {
    let items = vec![only(args)?.bytes()];
    let plan = Some(Plan::cuckoo(CAPACITY));
    let adding = Adding { name, items, given: args, plan, repeats, at: None };
    match adding.answers(ctx, FULL)? {
        (_, Some(refusal)) => return Err(refusal),
        // CF.ADD adds one more copy of an item that is held.
        (new, None) => ctx.bool(repeats == Repeats::Count || new == [true]),
    }
    Ok(())
}

/// CF.INSERT key [CAPACITY n] [NOCREATE] ITEMS item [item ...]
pub(super) fn insert(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    many_items(ctx, name, args, Repeats::Count)
}

/// CF.INSERTNX key [CAPACITY n] [NOCREATE] ITEMS item [item ...]
pub(super) fn insertnx(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    many_items(ctx, name, args, Repeats::Skip)
}

fn many_items(ctx: &Ctx, name: Text, args: &[Text], repeats: Repeats) -> Outcome {
    let (mut capacity, mut create, mut rest) = (CAPACITY, true, args);
    let items = loop {
        let Some((option, after)) = rest.split_first() else { return Err(Refusal::Arity) };
        rest = match option.bytes().to_ascii_uppercase().as_slice() {
            b"ITEMS" => break after,
            b"NOCREATE" => {
                create = false;
                after
            }
            b"CAPACITY" => {
                let value = after.first().ok_or(Refusal::Arity)?;
                capacity = numbers::within(value.bytes(), 1..=MOST_CAPACITY).ok_or("Bad capacity")? as u64;
                &after[1..]
            }
            _ => return Err("Unknown argument received".into()),
        };
    };
    if items.is_empty() {
        return Err(Refusal::Arity);
    }
    let plan = create.then(|| Plan::cuckoo(capacity));
    let (given, items) = (items, self::items(items));
    let adding = Adding { name, items, given, plan, repeats, at: None };
    // A full filter is -1 for a client of RESP2, and for every client of CF.INSERTNX.
    let as_bool = ctx.is_resp3() && repeats == Repeats::Count;
    let mut answers = Vec::with_capacity(adding.items.len());
    adding.run(ctx, |added| {
        let is_last = matches!(added, Added::Refused(_));
        answers.push(added);
        !is_last
    })?;
    ctx.array(answers.len());
    for answer in answers {
        match answer {
            Added::Refused(refusal) => ctx.refuse(&refusal),
            answer if as_bool => ctx.bool(!matches!(answer, Added::Full)),
            Added::New | Added::Again => ctx.number(1),
            Added::Held => ctx.number(0),
            Added::Full => ctx.signed(-1),
        }
    }
    Ok(())
}

/// CF.DEL key item
pub(super) fn del(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let item = only(args)?.bytes();
    let (key, value) = opened(ctx, name)?;
    let value = value.ok_or("Not found")?;
    let removed = value.change(|state| match state {
        State::Whole(held) if held.can().remove => held.remove(item),
        State::Whole(_) => Err(WRONG_TYPE.into()),
        State::Loading(_) => Err(UNFINISHED.into()),
    })?;
    if removed {
        key.changed();
        ctx.replicate_as_it_came();
    }
    ctx.bool(removed);
    Ok(())
}

/// CF.COMPACT key: a table has nothing to compact
pub(super) fn compact(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    super::no_more(args)?;
    let (_, value) = opened(ctx, name)?;
    value.ok_or(NOT_FOUND)?.held().ok_or(UNFINISHED)?;
    ctx.ok();
    Ok(())
}
