//! Many items in one argument, answered by a string of bits: a tenth of the server's work for as
//! many arguments and answers.

use super::add::{Adding, FULL};
use super::create::Plan;
use super::{asked, numbers};
use crate::add::Repeats;
use crate::reply::{Outcome, Refusal};
use crate::server::{Ctx, Text};

/// The most items in one argument: a short item takes a longer place in memory.
const MOST_ITEMS: usize = 1 << 20;

/// The items of `width blob`: each of that many bytes; with the width `LP` each after its length,
/// 4 bytes, the least significant first.
fn unpacked<'a>(args: &[Text]) -> Result<Vec<&'a [u8]>, Refusal> {
    let [width, blob] = args else { return Err(Refusal::Arity) };
    let blob: &[u8] = blob.bytes();
    let too_many = || Refusal::from("ERR more than 1048576 items: send them in several commands");
    if !width.bytes().eq_ignore_ascii_case(b"LP") {
        let width = numbers::within(width.bytes(), 1..=1 << 20)
            .ok_or("ERR the width is neither LP nor 1 to 1048576")? as usize;
        if blob.len() % width != 0 {
            return Err("ERR the length of the items is no multiple of the width".into());
        }
        let items = blob.chunks_exact(width);
        return if items.len() > MOST_ITEMS { Err(too_many()) } else { Ok(items.collect()) };
    }
    let (mut items, mut rest) = (Vec::new(), blob);
    while let Some((len, after)) = rest.split_first_chunk::<4>() {
        let len = u32::from_le_bytes(*len) as usize;
        let (item, after) = after.split_at_checked(len).ok_or("ERR the last item is cut")?;
        if items.len() == MOST_ITEMS {
            return Err(too_many());
        }
        items.push(item);
        rest = after;
    }
    if rest.is_empty() { Ok(items) } else { Err("ERR the last length is cut".into()) }
}

/// BF.EXISTSPACKED key width|LP blob
pub(super) fn exists(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let items = unpacked(args)?;
    let mut bits = vec![0; items.len().div_ceil(8)];
    match asked(ctx, name)? {
        Some(held) if held.filter().as_timed().is_none() => held.file.contains_many_bits(&items, &mut bits),
        Some(held) => {
            let mut answers = vec![false; items.len()];
            held.holds_many(&items, ctx, &mut answers);
            set(&mut bits, answers.into_iter());
        }
        None => {}
    }
    ctx.bytes(&bits);
    Ok(())
}

/// Bit `i % 8` (0 = least significant) of byte `i / 8` is answer `i`.
fn set(bits: &mut [u8], answers: impl Iterator<Item = bool>) {
    for (i, yes) in answers.enumerate() {
        bits[i / 8] |= u8::from(yes) << (i % 8);
    }
}

/// BF.ADDPACKED key width|LP blob
pub(super) fn add(ctx: &Ctx, name: Text, args: &[Text]) -> Outcome {
    let (items, plan) = (unpacked(args)?, Some(Plan::default()));
    let adding = Adding { name, items, given: &[], plan, repeats: Repeats::AsKind, at: None };
    let (new, refused) = adding.answers(ctx, FULL)?;
    if let Some(refusal) = refused {
        return Err(refusal);
    }
    let mut bits = vec![0; new.len().div_ceil(8)];
    set(&mut bits, new.into_iter());
    ctx.bytes(&bits);
    Ok(())
}
