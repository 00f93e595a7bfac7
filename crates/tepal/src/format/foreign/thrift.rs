//! Thrift's compact protocol, for a reader that looks for a few fields and skips all others.
//!
//! Nothing is stored, and every step consumes at least one byte of the input, so reading ends for
//! any numbers.

use crate::error::{Error, Result};
use crate::fields::Fields;

/// A boolean field has its value in its type and no bytes; in a list it has one byte.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
pub(super) const I32: u8 = 5;
pub(super) const I64: u8 = 6;
const DOUBLE: u8 = 7;
pub(super) const BINARY: u8 = 8;
pub(super) const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
pub(super) const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// The largest depth of nested structs and lists. Parquet's own go to about ten.
const DEPTH: u32 = 32;

/// Calls `take` with the id and type of each field of a struct; `take` reads the value.
pub(super) fn fields<'a>(
    input: &mut Fields<'a>,
    mut take: impl FnMut(&mut Fields<'a>, i64, u8) -> Result<()>,
) -> Result<()> {
    let mut last = 0i64;
    loop {
        let byte = input.u8()?;
        if byte == 0 {
            return Ok(());
        }
        let id = match byte >> 4 {
            0 => zigzag(input)?,
            delta => last.saturating_add(delta.into()),
        };
        last = id;
        take(input, id, byte & 15)?;
    }
}

/// The element type and the length of a list; the length is at most the number of bytes left.
pub(super) fn list(input: &mut Fields<'_>) -> Result<(u8, u64)> {
    let byte = input.u8()?;
    let len = match byte >> 4 {
        15 => varint(input)?,
        len => len.into(),
    };
    if len > input.rest().len() as u64 {
        return Err(Error::damaged(format_args!(
            "a list of {len} at byte {} is longer than the rest",
            input.position()
        )));
    }
    Ok((byte & 15, len))
}

/// Reads a list of structs or of byte strings; `take` reads each element and gets its index.
pub(super) fn each<'a>(
    input: &mut Fields<'a>,
    kind: u8,
    mut take: impl FnMut(&mut Fields<'a>, u64) -> Result<()>,
) -> Result<()> {
    let (found, len) = list(input)?;
    if len > 0 {
        expect(input, found, kind)?;
    }
    (0..len).try_for_each(|i| take(input, i))
}

/// Refuses a value of another type.
pub(super) fn expect(input: &Fields<'_>, found: u8, kind: u8) -> Result<()> {
    if found == kind {
        return Ok(());
    }
    Err(Error::damaged(format_args!(
        "a value of the type {found} stands at byte {}, expected the type {kind}",
        input.position()
    )))
}

pub(super) fn binary<'a>(input: &mut Fields<'a>) -> Result<&'a [u8]> {
    let len = varint(input)?;
    input.take_claimed(len)
}

pub(super) fn zigzag(input: &mut Fields<'_>) -> Result<i64> {
    let value = varint(input)?;
    Ok((value >> 1) as i64 ^ -((value & 1) as i64))
}

fn varint(input: &mut Fields<'_>) -> Result<u64> {
    let mut value = 0u64;
    for shift in (0..70).step_by(7) {
        let byte = input.u8()?;
        value |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Error::damaged(format_args!("a number at byte {} is longer than 64 bits", input.position())))
}

/// Skips the value of a field.
pub(super) fn skip(input: &mut Fields<'_>, kind: u8) -> Result<()> {
    match kind {
        TRUE | FALSE => Ok(()),
        _ => skip_element(input, kind, DEPTH),
    }
}

/// Skips a value that is an element of a list, set or map, or a field with bytes.
fn skip_element(input: &mut Fields<'_>, kind: u8, depth: u32) -> Result<()> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::damaged(format_args!("values lie in each other more than {DEPTH} deep")));
    };
    match kind {
        TRUE | FALSE | BYTE => input.take(1).map(drop),
        I16 | I32 | I64 => varint(input).map(drop),
        DOUBLE => input.take(8).map(drop),
        BINARY => binary(input).map(drop),
        LIST | SET => {
            let (kind, len) = list(input)?;
            (0..len).try_for_each(|_| skip_element(input, kind, depth))
        }
        MAP => {
            let len = varint(input)?;
            if len == 0 {
                return Ok(());
            }
            let kinds = input.u8()?;
            (0..len).try_for_each(|_| {
                skip_element(input, kinds >> 4, depth)?;
                skip_element(input, kinds & 15, depth)
            })
        }
        STRUCT => fields(input, |input, _, kind| match kind {
            TRUE | FALSE => Ok(()),
            _ => skip_element(input, kind, depth),
        }),
        UUID => input.take(16).map(drop),
        _ => Err(Error::damaged(format_args!("{kind} at byte {} is no type", input.position()))),
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    fn skipped(kind: u8, bytes: &[u8]) -> Result<usize> {
        let mut input = Fields::at(bytes, 0);
        skip(&mut input, kind)?;
        Ok(input.position())
    }

    #[test]
    fn values_are_passed_over_to_their_last_byte() {
        for (kind, bytes) in [
            (TRUE, &[][..]),
            (FALSE, &[]),
            (BYTE, &[7]),
            (I16, &[0x80, 1]),
            (I64, &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
            (DOUBLE, &[0; 8]),
            (BINARY, b"\x03abc"),
            (BINARY, b"\0"),
            (LIST, &[0x21, 1, 2]),
            (LIST, &[0xF5, 2, 9, 9]),
            (SET, &[0x38, 0, 1, 7, 0]),
            (MAP, &[0]),
            (MAP, &[2, 0x85, 1, 7, 9, 0, 4]),
            (STRUCT, &[0x15, 4, 0x11, 0x28, 1, 7, 0]),
            (STRUCT, &[0x05, 0x80, 2, 4, 0]),
            (LIST, &[0x2C, 0, 0x15, 2, 0]),
            (UUID, &[0; 16]),
        ] {
            assert_eq!(skipped(kind, bytes).unwrap(), bytes.len(), "{kind} {bytes:02x?}");
            for len in 0..bytes.len() {
                assert!(skipped(kind, &bytes[..len]).is_err(), "{kind} {bytes:02x?} of {len}");
            }
        }
    }

    #[test]
    fn claims_are_refused_before_they_are_followed() {
        for (kind, bytes, part) in [
            (LIST, &[0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0][..], "a list of 4294967295 at byte 6"),
            (LIST, &[0x3C, 0, 0], "a list of 3 at byte 1 is longer than the rest"),
            (MAP, &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x33, 0], "it ends"),
            (BINARY, &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], "it ends"),
            (I64, &[0xFF; 11], "longer than 64 bits"),
            (0, &[0], "0 at byte 0 is no type"),
            (14, &[0], "14 at byte 0 is no type"),
            (LIST, &[0x1E, 0], "14 at byte 1 is no type"),
        ] {
            let text = skipped(kind, bytes).unwrap_err().to_string();
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
        // Lists in lists, and structs in structs, to any depth.
        for (kind, nested) in [(LIST, 0x19), (STRUCT, 0x1C)] {
            for (depth, is_ok) in [(DEPTH as usize - 1, true), (DEPTH as usize, false), (1 << 20, false)] {
                let end: Vec<u8> = if kind == LIST { vec![0x03] } else { vec![0; depth + 1] };
                let bytes = [vec![nested; depth], end].concat();
                assert_eq!(skipped(kind, &bytes).is_ok(), is_ok, "{kind} {depth}");
            }
        }
    }

    #[test]
    fn ids_of_fields_are_steps_or_numbers() {
        let mut found = Vec::new();
        let mut input = Fields::at(&[0x15, 2, 0x05, 0x1E, 4, 0x21, 0], 0);
        fields(&mut input, |input, id, kind| {
            found.push((id, kind));
            skip(input, kind)
        })
        .unwrap();
        assert_eq!(found, [(1, I32), (15, I32), (17, TRUE)]);
        let mut input = Fields::at(&[0x29, 0x15, 9], 0);
        assert!(each(&mut input, STRUCT, |_, _| Ok(())).is_err());
    }
}
