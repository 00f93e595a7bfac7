//! BF.MERGE: the union of filters.

use super::{asked, check_clock, check_size};
use crate::api::{READ, WRITE};
use crate::reply::{NOT_FOUND, Outcome, Refusal, WRONG_TYPE};
use crate::server::{Ctx, Found, Text};
use crate::types::Type;
use crate::value::{State, UNFINISHED, Value};

/// BF.MERGE dest key [key ...]
///
/// The filters are of one shape and one secret. A destination that does not exist becomes a copy of
/// the first of the others.
pub(super) fn merge(ctx: &Ctx, name: Text, sources: &[Text]) -> Outcome {
    if sources.is_empty() {
        return Err(Refusal::Arity);
    }
    // Read only: it may be one of the others too.
    let key = ctx.key(name, READ | WRITE);
    let own = match key.found() {
        Found::Nothing => None,
        Found::Other => return Err(WRONG_TYPE.into()),
        Found::Value(value) => Some(value.get().held().ok_or(UNFINISHED)?),
    };
    let mut others = Vec::new();
    for source in sources {
        others.push(asked(ctx, *source)?.ok_or(NOT_FOUND)?);
    }
    // The union is made beside the destination: if a filter does not fit, nothing has changed.
    let united = Value::new(|| {
        let mut all = own.unwrap_or(others[0]).clone();
        check_size(ctx, all.file.size_in_bytes())?;
        for other in others.iter().skip(usize::from(own.is_none())) {
            all.file.union_with(&other.file)?;
        }
        check_clock(ctx, all.filter(), None)?;
        Ok::<_, Refusal>(State::Whole(all))
    })?;
    key.set(Type::of(&united.state), united);
    key.changed();
    ctx.replicate_as_it_came();
    ctx.ok();
    Ok(())
}
