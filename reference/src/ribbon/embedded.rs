//! Section 4.8.1: the embedded form of a ribbon.

use super::map::Map;
use super::*;
use crate::embedded::{check_of, checked};
use crate::write::{body, body_len};

/// A number as bytes of seven bits, the lowest first.
pub fn number(mut n: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while n > 127 {
        bytes.push((n % 128 + 128) as u8);
        n /= 128;
    }
    bytes.push(n as u8);
    bytes
}

/// Reads the first number and advances past it.
fn take(bytes: &mut &[u8]) -> Result<u64, String> {
    let len = bytes.iter().take_while(|byte| **byte > 127).count() + 1;
    if len > bytes.len() || len > 10 {
        return Err("a number that does not end".to_string());
    }
    let (first, rest) = bytes.split_at(len);
    let n: u128 = (0..len).map(|i| u128::from(first[i] % 128) << (7 * i)).sum();
    let n = u64::try_from(n).map_err(|_| "a number past 2^64")?;
    if number(n) != first {
        return Err("a number of more bytes than it needs".to_string());
    }
    *bytes = rest;
    Ok(n)
}

/// The numbers of the layers.
fn layers(shape: &RibbonShape) -> Vec<u8> {
    let mut numbers = Vec::new();
    for k in 0..LAYERS {
        if shape.words[k] > 0 {
            numbers.extend(number(2 * shape.words[k] + u64::from(shape.seeds[k] > 0)));
            if shape.seeds[k] > 0 {
                numbers.push(shape.seeds[k] as u8);
            }
        }
    }
    numbers
}

/// Reads the layers, up to the end or a 0. Returns whether it was a 0.
fn take_layers(numbers: &mut &[u8], shape: &mut RibbonShape) -> Result<bool, String> {
    let mut k = 0;
    while !numbers.is_empty() {
        let layer = take(numbers)?;
        if layer == 0 {
            return Ok(true);
        }
        if k == LAYERS || layer < 2 || layer >> 33 > 0 {
            return Err(format!("layer {k} of {} words", layer / 2));
        }
        shape.words[k] = layer / 2;
        if layer % 2 == 1 {
            shape.seeds[k] = byte(numbers)?;
            if shape.seeds[k] == 0 {
                return Err(format!("no seed of layer {k}"));
            }
        }
        k += 1;
    }
    Ok(false)
}

/// Reads a byte.
fn byte(bytes: &mut &[u8]) -> Result<u64, String> {
    let (&first, rest) = bytes.split_first().ok_or("a number that is not there")?;
    *bytes = rest;
    Ok(first.into())
}

/// Reads the numbers of the second ribbon.
fn take_second(numbers: &mut &[u8]) -> Result<Second, String> {
    let most = take(numbers)?;
    let keys = take(numbers)?;
    let mut shape = RibbonShape { columns: 1, deep: 1, last: take(numbers)?, ..RibbonShape::default() };
    shape.last_seed = byte(numbers)?;
    if most > 65_535 || take_layers(numbers, &mut shape)? {
        return Err(format!("a second ribbon for {most} of 2^16, or a third one"));
    }
    Ok(Second::new(most, keys, shape))
}

/// The embedded form of a filter without added keys (version E2), or of a map's ribbon (E3) with
/// its greatest value.
fn embed_as(version: u8, ribbon: &Ribbon, greatest: u64) -> Vec<u8> {
    let (shape, mut numbers) = (&ribbon.shape, Vec::new());
    if version == 0xE3 {
        numbers.extend([number(shape.value_bits), number(greatest)].concat());
    }
    numbers.extend(number(ribbon.keys));
    numbers.extend(number(shape.split));
    numbers.extend(layers(shape));
    let mut bits = ribbon.bits.clone();
    if let Some(second) = &ribbon.second {
        let own = &second.ribbon.shape;
        numbers.push(0);
        numbers.extend([number(second.most), number(second.ribbon.keys), number(own.last)].concat());
        numbers.push(own.last_seed as u8);
        numbers.extend(layers(own));
        bits.extend(second.bits());
    }
    let c = check_of(ribbon.scheme, ribbon.domain, ribbon.recipe, ribbon.parameter, &ribbon.records);
    bits.resize(bits.len().max(1), false);
    let bytes = body(&bits);
    let mut said = numbers.clone();
    said.extend([version, numbers.len() as u8]);
    said.push(shape.columns as u8 + if shape.deep > shape.columns { 128 } else { 0 });
    said.push(shape.last_seed as u8);
    said.extend((shape.last as u16).to_le_bytes());
    said.extend((c as u16).to_le_bytes());
    let checksum = crate::hash::xxh3(&said, crate::hash::xxh3(&bytes, c));
    [bytes, said, checksum.to_le_bytes().to_vec()].concat()
}

/// Reads the embedded form, and the greatest value of a map. `keys` has the scheme, parameters, key
/// domain and recipe that the store keeps.
fn extract_as(version: u8, bytes: &[u8], keys: &Ribbon) -> Result<(Ribbon, u64), String> {
    let c = check_of(keys.scheme, keys.domain, keys.recipe, keys.parameter, &keys.records);
    let (body, said) = checked(version, bytes, c)?;
    let (mut numbers, rest) = said.split_at(said.len() - 8);
    let mut shape = RibbonShape { columns: u64::from(rest[2] % 128), ..RibbonShape::default() };
    shape.deep = shape.columns + u64::from(rest[2] / 128);
    (shape.last_seed, shape.last) = (rest[3].into(), u64::from(rest[4]) + 256 * u64::from(rest[5]));
    let mut greatest = 0;
    if version == 0xE3 {
        shape.value_bits = take(&mut numbers)?;
        greatest = take(&mut numbers)?;
        if !(1..=32).contains(&shape.value_bits) {
            return Err(format!("values of {} bits", shape.value_bits));
        }
    }
    let mut ribbon = keys.clone();
    ribbon.keys = take(&mut numbers)?;
    shape.split = take(&mut numbers)?;
    let has_second = take_layers(&mut numbers, &mut shape)?;
    ribbon.shape = shape;
    ribbon.check_ribbon()?;
    let first = ribbon.shape.all_words();
    let mut words = first;
    ribbon.second = None;
    if has_second {
        if version == 0xE3 {
            return Err("a map with a second ribbon".to_string());
        }
        let second = take_second(&mut numbers)?;
        second.check(&ribbon)?;
        let (seeds, own) = second.words(&ribbon.shape);
        words += seeds + own;
        ribbon.second = Some(second);
    }
    if body_len((64 * words).max(1)) != body.len() as u64 {
        return Err(format!("{words} words do not take {} bytes", body.len()));
    }
    ribbon.bits = (0..8 * body.len()).map(|p| body[p / 8] >> (p % 8) & 1 == 1).collect();
    if let Some(second) = &mut ribbon.second {
        let behind = ribbon.bits.split_off(64 * first as usize);
        second.take(&ribbon.shape, &behind)?;
    }
    ribbon.check_unused()?;
    ribbon.bits.truncate(64 * first as usize);
    Ok((ribbon, greatest))
}

/// The embedded form of a filter, which has no added keys and was not made from a table.
pub fn embed(filter: &Ribbon) -> Result<Vec<u8>, String> {
    filter.check()?;
    match filter.added.is_empty() && filter.numbers == 0 {
        true => Ok(embed_as(0xE2, filter, 0)),
        false => Err("a filter with added keys, or made of a table, has no embedded form".to_string()),
    }
}

/// Reads the embedded form of a filter. `keys` is a filter with the scheme, parameters, key domain
/// and recipe that the store keeps; the promised rate is also taken from it.
pub fn extract(bytes: &[u8], keys: &Ribbon) -> Result<Ribbon, String> {
    Ok(extract_as(0xE2, bytes, keys)?.0)
}

/// The embedded form of a map whose values have no names.
pub fn embed_map(map: &Map) -> Result<Vec<u8>, String> {
    map.check()?;
    match map.names.is_empty() {
        true => Ok(embed_as(0xE3, &map.ribbon, map.greatest)),
        false => Err("a map with names has no embedded form".to_string()),
    }
}

/// Reads the embedded form of a map, like [`extract`].
pub fn extract_map(bytes: &[u8], keys: &Map) -> Result<Map, String> {
    let (ribbon, greatest) = extract_as(0xE3, bytes, &keys.ribbon)?;
    let map = Map { ribbon, names: Vec::new(), greatest };
    map.check()?;
    Ok(map)
}

/// The numbers of an embedded form, and the 8 bytes after them.
type Said<'a> = (&'a mut Vec<u8>, &'a mut [u8]);

/// The embedded form with other numbers and a matching length and checksum, which no writer makes.
/// `keys` is as for [`extract`].
pub fn forged(bytes: &[u8], keys: &Ribbon, change: &dyn Fn(Said<'_>)) -> Result<Vec<u8>, String> {
    let c = check_of(keys.scheme, keys.domain, keys.recipe, keys.parameter, &keys.records);
    let (body, said) = checked(bytes[bytes.len() - 16], bytes, c)?;
    let (numbers, rest) = said.split_at(said.len() - 8);
    let (mut numbers, mut rest) = (numbers.to_vec(), rest.to_vec());
    change((&mut numbers, &mut rest));
    rest[1] = numbers.len() as u8;
    let said = [numbers, rest].concat();
    let checksum = crate::hash::xxh3(&said, crate::hash::xxh3(body, c));
    Ok([body, &said, &checksum.to_le_bytes()].concat())
}
