//! BF.ADD, BF.MADD and BF.INSERT, and what all adding commands share.

use tepal::ExpiringFilter;

use super::create::{MOST_CAPACITY, Options, Plan};
use super::{check_clock, most_bytes, numbers, only, opened, say};
use crate::add::{Added, Repeats};
use crate::reply::{NOT_FOUND, Outcome, Refusal, WRONG_TYPE};
use crate::server::{Ctx, Text};
use crate::types::Type;
use crate::value::{Held, State, UNFINISHED, Value};

/// An adding command.
pub(super) struct Adding<'a> {
    pub(super) name: Text,
    pub(super) items: Vec<&'a [u8]>,
    /// The arguments that the items are, one for each; empty if they are parts of one argument.
    pub(super) given: &'a [Text],
    /// The filter to make if there is none.
    pub(super) plan: Option<Plan>,
    pub(super) repeats: Repeats,
    /// The time as of which the items are added.
    pub(super) at: Option<u64>,
}

/// What became of the items of a command: whether each was new, up to the first that was refused.
type Answers = (Vec<bool>, Option<Refusal>);

pub(super) const FULL: &str = "ERR non scaling filter is full";

impl Adding<'_> {
    /// Adds the items; `each` answers for each of them, and ends the command by `false`. Replicas
    /// get them, and nothing if none changed anything.
    pub(super) fn run(&self, ctx: &Ctx, mut each: impl FnMut(Added) -> bool) -> Outcome {
        let (mut key, mut value) = opened(ctx, self.name)?;
        let mut created = None;
        if value.is_none() {
            let mut plan = self.plan.clone().ok_or(NOT_FOUND)?;
            let made = plan.make(ctx)?;
            self.check_time(ctx, &made)?;
            key.set(Type::of(&made.state), made);
            created = Some(plan);
            drop(key);
            (key, value) = opened(ctx, self.name)?;
        }
        let value = value.ok_or(NOT_FOUND)?;
        self.check_time(ctx, value)?;
        let now = self.at.unwrap_or_else(|| ctx.now());
        let how = (self.repeats, now, most_bytes(ctx));
        let (mut told, mut changed) = (0, false);
        let outcome: Result<(bool, bool), Refusal> = value.change(|state| {
            let State::Whole(held) = state else { return Err(UNFINISHED.into()) };
            if self.repeats != Repeats::AsKind && !held.can().remove {
                return Err(WRONG_TYPE.into());
            }
            let clock = |held: &Held| held.filter().as_timed().map(ExpiringFilter::now);
            let before = clock(held);
            held.add_many(&self.items, how, |added| {
                changed |= matches!(added, Added::New | Added::Again);
                let goes_on = each(added);
                told += usize::from(goes_on);
                goes_on
            });
            Ok((before.is_some(), clock(held) != before))
        });
        if let Some(plan) = &created {
            plan.replicate(ctx, self.name);
        }
        let (is_timed, has_moved) = outcome?;
        if created.is_some() || changed {
            key.changed();
        }
        // A full filter takes no item, but its clock moves.
        if changed || has_moved {
            self.replicate(ctx, told, is_timed.then_some(now));
        }
        Ok(())
    }

    /// Refuses a time that was given and is in the future.
    fn check_time(&self, ctx: &Ctx, value: &Value) -> Outcome {
        match (self.at, value.held()) {
            (Some(time), Some(held)) => check_clock(ctx, held.filter(), Some(time)),
            _ => Ok(()),
        }
    }

    /// Passes on the items before the first that ended the command, all of them: which of several
    /// items that share their bits are counted depends on the batch that they are in.
    fn replicate(&self, ctx: &Ctx, told: usize, at: Option<u64>) {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (command, words) = match (at, self.repeats) {
            (None, _) if told == self.items.len() => return ctx.replicate_as_it_came(),
            (Some(at), _) => ("BF.INSERT", words(&["ATTIME", &at.to_string(), "NOCREATE", "ITEMS"])),
            (None, Repeats::AsKind) => ("BF.MADD", vec![]),
            (None, _) => ("CF.INSERT", words(&["NOCREATE", "ITEMS"])),
        };
        match self.given.get(..told) {
            Some(given) => ctx.replicate(command, self.name, &words, given, &[]),
            None => ctx.replicate(command, self.name, &words, &[], &self.items[..told]),
        }
    }

    /// Runs the command, and collects its answers up to the first error.
    pub(super) fn answers(&self, ctx: &Ctx, full: &'static str) -> Result<Answers, Refusal> {
        let (mut new, mut refused) = (Vec::with_capacity(self.items.len()), None);
        self.run(ctx, |added| {
            match added {
                Added::New => new.push(true),
                Added::Again | Added::Held => new.push(false),
                Added::Full => refused = Some(full.into()),
                Added::Refused(refusal) => refused = Some(refusal),
            }
            refused.is_none()
        })?;
        Ok((new, refused))
    }
}

/// The items of a command.
pub(super) fn items<'a>(args: &[Text]) -> Vec<&'a [u8]> {
    args.iter().map(|arg| arg.bytes()).collect()
}

/// Answers a command with many items: after an error the array ends.
pub(super) fn many(ctx: &Ctx, adding: &Adding<'_>) -> Outcome {
    let (new, refused) = adding.answers(ctx, FULL)?;
    ctx.array(new.len() + usize::from(refused.is_some()));
    new.iter().for_each(|new| ctx.bool(*new));
    if let Some(refusal) = refused {
        ctx.refuse(&refusal);
    }
    Ok(())
}

/// BF.ADD key item
pub(super) fn bf_add(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let items = vec![only(args)?.bytes()];
    let plan = Some(Plan::default());
    let adding = Adding { name, items, given: args, plan, repeats: Repeats::AsKind, at: None };
    match adding.answers(ctx, FULL)? {
        (_, Some(refusal)) => return Err(refusal),
        (new, None) => ctx.bool(new == [true]),
    }
    Ok(())
}

/// BF.MADD key item [item ...]
pub(super) fn bf_madd(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    if args.is_empty() {
        return Err(Refusal::Arity);
    }
    let (items, plan) = (items(args), Some(Plan::default()));
    many(ctx, &Adding { name, items, given: args, plan, repeats: Repeats::AsKind, at: None })
}

/// BF.INSERT key [CAPACITY n] [ERROR rate] [EXPANSION n] [NOCREATE] [NONSCALING] [DELETABLE]
/// [WINDOW seconds] [SECRET hex] [ATTIME seconds] ITEMS item [item ...]
///
/// `SEED bytes` and `TIGHTENING 0.5` make the filter of valkey-bloom, which passes its own on so.
pub(super) fn bf_insert(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let (mut plan, mut options) = (Plan::default(), Options::default());
    let (mut create, mut at, mut rate, mut rest) = (true, None, None, args);
    let items = loop {
        if options.take(&mut plan, &mut rest, |_| say("Bad expansion", "ERR bad expansion"))? {
            continue;
        }
        let Some((option, after)) = rest.split_first() else { return Err(Refusal::Arity) };
        let value = || after.first().map(|value| value.bytes()).ok_or(Refusal::Arity);
        let taken = match option.bytes().to_ascii_uppercase().as_slice() {
            b"ITEMS" => break after,
            b"NOCREATE" => {
                create = false;
                1
            }
            b"CAPACITY" => {
                let capacity = numbers::within(value()?, 1..=MOST_CAPACITY);
                plan.capacity = capacity.ok_or_else(|| say("Bad capacity", "ERR bad capacity"))? as u64;
                2
            }
            b"ERROR" => {
                rate = numbers::double(value()?);
                let is_rate = rate.and_then(|rate| plan.set_rate(rate));
                is_rate.ok_or_else(|| say("Bad error rate", "ERR bad error rate"))?;
                2
            }
            b"SEED" => {
                let seed = value()?.try_into();
                plan.valkey_seed = Some(seed.map_err(|_| "ERR the seed is not 32 bytes")?);
                2
            }
            b"TIGHTENING" => {
                if numbers::double(value()?) != Some(0.5) {
                    let text =
                        "ERR the tightening ratio is not 0.5: bring such a filter by BF.LOAD or RESTORE";
                    return Err(text.into());
                }
                2
            }
            b"ATTIME" => {
                let time = numbers::within(value()?, 0..=i64::MAX);
                at = Some(time.ok_or("ERR the time is no number of seconds since 1970")? as u64);
                2
            }
            _ => return Err(say("Unknown argument received", "ERR unknown argument received")),
        };
        rest = &rest[taken..];
    };
    // A time without items moves the clock of a filter with a window.
    if items.is_empty() && (at.is_none() || create) {
        return Err(Refusal::Arity);
    }
    options.apply(&mut plan)?;
    if let (Some(rate), Some(_)) = (rate, plan.valkey_seed) {
        // valkey-bloom lowers no rate.
        plan.rate = rate;
    }
    let (given, items) = (items, self::items(items));
    many(ctx, &Adding { name, items, given, plan: create.then_some(plan), repeats: Repeats::AsKind, at })
}
