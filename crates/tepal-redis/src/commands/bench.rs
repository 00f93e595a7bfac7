//! A command that does nothing but parse, open the key and reply: the least that a lookup can cost.

use super::asked;
use crate::reply::Outcome;
use crate::server::{Ctx, Text};

/// TEPAL.REPLY key item [item ...]: a number for each item
pub(super) fn reply(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let held = asked(ctx, name)?.is_some();
    ctx.array(args.len());
    args.iter().for_each(|item| ctx.signed(i64::from(held && !item.bytes().is_empty())));
    Ok(())
}
