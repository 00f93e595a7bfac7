//! Many items in one argument, answered by a string of bits: a tenth of the server's work for as
//! many arguments and answers.

use super::add::{Adding, FULL};
use super::create::Plan;
use super::{asked, numbers};
use crate::add::{Added, Repeats};
use crate::reply::{Outcome, Refusal};
use crate::server::{Ctx, Text};

/// The items of `width blob`: each of that many bytes; with the width `LP` each after its length,
/// 4 bytes, the least significant first.
fn unpacked<'a>(args: &[Text]) -> Result<Vec<&'a [u8]>, Refusal> {
    let [width, blob] = args else { return Err(Refusal::Arity) };
    let blob: &[u8] = blob.bytes();
    if !width.bytes().eq_ignore_ascii_case(b"LP") {
        let width = numbers::within(width.bytes(), 1..=1 << 20)
            .ok_or("ERR the width is neither LP nor 1 to 1048576")? as usize;
        if blob.len() % width != 0 {
            return Err("ERR the length of the items is no multiple of the width".into());
        }
        return Ok(blob.chunks_exact(width).collect());
    }
    let (mut items, mut rest) = (Vec::new(), blob);
    while let Some((len, after)) = rest.split_first_chunk::<4>() {
        let len = u32::from_le_bytes(*len) as usize;
        let (item, after) = after.split_at_checked(len).ok_or("ERR the last item is cut")?;
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
    let items = unpacked(args)?;
    let mut new = Vec::with_capacity(items.len());
    let mut refused = None;
    let adding = Adding { name, items, plan: Some(Plan::default()), repeats: Repeats::AsKind, at: None };
    let mut bits = vec![0; adding.items.len().div_ceil(8)];
    adding.run(ctx, |added| {
        match added {
            Added::Full => refused = Some(FULL.into()),
            Added::Refused(refusal) => refused = Some(refusal),
            added => new.push(matches!(added, Added::New)),
        }
        refused.is_none()
    })?;
    if let Some(refusal) = refused {
        return Err(refusal);
    }
    set(&mut bits, new.into_iter());
    ctx.bytes(&bits);
    Ok(())
}
