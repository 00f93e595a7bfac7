//! Filters in pieces: SCANDUMP, LOADCHUNK, and valkey-bloom's LOAD.

use tepal::Open;
use tepal::file::Format;

use super::{check_clock, check_size, numbers, only, opened};
use crate::api::READ;
use crate::loading::Loading;
use crate::reply::{NOT_FOUND, Outcome, Refusal, WRONG_TYPE};
use crate::server::{Ctx, Found, Text};
use crate::types::{NO_CUCKOO, Type};
use crate::value::{About, Held, State, Value, has_mark};

const NOT_NUMERIC: &str = "Second argument must be numeric";

/// BF.SCANDUMP key iterator, CF.SCANDUMP key iterator
pub(super) fn scandump(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let iterator = numbers::within(only(args)?.bytes(), 0..=i64::MAX).ok_or(NOT_NUMERIC)?;
    let key = ctx.key(name, READ);
    let (next, data) = match key.found() {
        Found::Nothing => return Err(NOT_FOUND.into()),
        Found::Other => return Err(WRONG_TYPE.into()),
        Found::Value(value) => value.get().pair(iterator as u64)?.unwrap_or_default(),
    };
    ctx.array(2);
    ctx.number(next);
    ctx.bytes(&data);
    Ok(())
}

/// BF.LOADCHUNK key iterator data
pub(super) fn loadchunk(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let [iterator, data] = args else { return Err(Refusal::Arity) };
    let iterator = numbers::within(iterator.bytes(), 1..=i64::MAX).ok_or(NOT_NUMERIC)? as u64;
    let data = data.bytes();
    let (key, value) = opened(ctx, name)?;
    if iterator == 1 {
        let begun = Value::new(|| {
            let loading = Loading::new(data)?;
            check_size(ctx, loading.announced())?;
            Ok::<_, Refusal>(State::Loading(loading))
        })?;
        key.set(Type::Own, begun);
    } else {
        let value = value.ok_or("ERR received bad data: the first pair, with the iterator 1, is missing")?;
        value.change(|state| match state {
            State::Loading(loading) => loading.push(iterator, data),
            State::Whole(_) => Err("ERR received bad data: the filter is complete".into()),
        })?;
        match finished(ctx, value) {
            Ok(None) => {}
            Ok(Some(whole)) => key.set(Type::of(&whole.state), whole),
            Err(refusal) => {
                value.change(|state| {
                    if let State::Loading(loading) = state {
                        loading.pop();
                    }
                });
                return Err(refusal);
            }
        }
    }
    key.changed();
    ctx.replicate_as_it_came();
    ctx.ok();
    Ok(())
}

/// CF.LOADCHUNK key iterator data
pub(super) fn cf_loadchunk(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    if let [iterator, data] = args {
        if numbers::whole(iterator.bytes()) == Some(1) && !has_mark(data.bytes()) {
            return Err(Refusal::Text(format!("ERR {NO_CUCKOO}").into()));
        }
    }
    loadchunk(ctx, name, args)
}

/// The value of the filter, if all its pieces have arrived.
fn finished(ctx: &Ctx, value: &Value) -> Result<Option<Box<Value>>, Refusal> {
    match &value.state {
        State::Loading(loading) if loading.is_complete() => {
            let whole = Value::new(|| loading.finish().map(State::Whole))?;
            whole.held().map_or(Ok(()), |held| check_clock(ctx, held.filter(), None))?;
            Ok(Some(whole))
        }
        _ => Ok(None),
    }
}

/// BF.LOAD key blob: valkey-bloom's
pub(super) fn load(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let blob = only(args)?.bytes();
    let (key, None) = opened(ctx, name)? else {
        return Err("BUSYKEY Target key name already exists.".into());
    };
    check_size(ctx, blob.len() as u64)?;
    let value = Value::new(|| {
        let file = Open::new().format(Format::ValkeyBloom).from_bytes(blob)?;
        Ok::<_, Refusal>(State::Whole(Held { file, about: About::default() }))
    })?;
    key.set(Type::of(&value.state), value);
    key.changed();
    ctx.replicate_as_it_came();
    ctx.ok();
    Ok(())
}
