//! Sections 4.2.6 and 4.11: the file of a ribbon filter.

use super::*;
use crate::envelope::{self, Parts};
use crate::read::{refuse, u64_at};
use crate::write::{KEY_CHECK, body};

/// Section 4.2.6: the 88 bytes of a filter's own part.
fn own_part(filter: &Ribbon) -> Result<Vec<u8>, String> {
    let shape = &filter.shape;
    let mut own = vec![filter.scheme, filter.domain, 0, shape.columns as u8];
    own.extend([shape.deep as u8, shape.last_seed as u8]);
    own.extend((shape.last as u16).to_le_bytes());
    own.extend(filter.keys.to_le_bytes());
    own.extend((shape.split as u32).to_le_bytes());
    let section = if filter.second.is_some() { SECOND as u32 } else { 0 };
    own.extend(if filter.numbers > 0 { 8 } else { section }.to_le_bytes());
    own.extend(filter.rate.to_le_bytes());
    own.extend(filter.parameter.to_le_bytes());
    for words in shape.words {
        own.extend((words as u32).to_le_bytes());
    }
    own.extend(shape.seeds.map(|seed| seed as u8));
    own.extend(filter.self_test()?.to_le_bytes());
    Ok(own)
}

/// Bytes of the part of a second ribbon.
const SECOND: usize = 80;

/// Section 4.2.6: the part of a second ribbon.
fn second_part(second: &Second) -> Vec<u8> {
    let shape = &second.ribbon.shape;
    let mut part = (second.most as u16).to_le_bytes().to_vec();
    part.extend([0, shape.columns as u8, shape.deep as u8, shape.last_seed as u8]);
    part.extend((shape.last as u16).to_le_bytes());
    part.extend(second.ribbon.keys.to_le_bytes());
    part.extend([0; 24]);
    for words in shape.words {
        part.extend((words as u32).to_le_bytes());
    }
    part.extend(shape.seeds.map(|seed| seed as u8));
    part
}

/// Parses this part: the second ribbon without seeds and bits.
fn of_second_part(part: &[u8]) -> Result<Second, String> {
    if part[2] != 0 || part[16..40] != [0; 24] {
        return Err("bytes of a second ribbon's part that are not zero".to_string());
    }
    let shape = RibbonShape {
        columns: part[3].into(),
        deep: part[4].into(),
        last_seed: part[5].into(),
        last: u64::from(part[6]) | u64::from(part[7]) << 8,
        words: std::array::from_fn(|k| u64::from(crate::read::u32_at(part, 40 + 4 * k))),
        seeds: std::array::from_fn(|k| part[72 + k].into()),
        ..RibbonShape::default()
    };
    Ok(Second::new(u64::from(part[0]) | u64::from(part[1]) << 8, u64_at(part, 8), shape))
}

/// Parses an own part: the filter without its bits.
fn of_own_part(
    own: &[u8],
    numbers: u64,
    recipe: u32,
    records: &[(u16, String)],
    secret: Option<&[u8; 16]>,
) -> Result<Ribbon, String> {
    let u32_at = |at: usize| u64::from(crate::read::u32_at(own, at));
    let filter = Ribbon {
        scheme: own[0],
        domain: own[1],
        rate: f64::from_bits(u64_at(own, 24)),
        parameter: u64_at(own, 32),
        recipe,
        records: records.to_vec(),
        secret: secret.copied().unwrap_or_default(),
        keys: u64_at(own, 8),
        shape: RibbonShape {
            columns: own[3].into(),
            deep: own[4].into(),
            split: u32_at(16),
            words: std::array::from_fn(|k| u32_at(40 + 4 * k)),
            seeds: std::array::from_fn(|k| own[72 + k].into()),
            last: u64::from(own[6]) | u64::from(own[7]) << 8,
            value_bits: 0,
            last_seed: own[5].into(),
        },
        bits: Vec::new(),
        second: None,
        added: Vec::new(),
        numbers,
    };
    if own[2] != 0 {
        return Err(format!("the byte {} before the columns", own[2]));
    }
    Ok(filter)
}

/// Section 4.2.6: U, after the records.
fn numbers_of(filter: &Ribbon) -> Vec<Vec<u8>> {
    if filter.numbers == 0 { Vec::new() } else { vec![filter.numbers.to_le_bytes().to_vec()] }
}

/// Writes the filter's file, sealed if there is a seal key.
pub fn write(filter: &Ribbon, seal_key: Option<&[u8]>) -> Result<Vec<u8>, String> {
    filter.check()?;
    if filter.scheme == 2 && filter.parameter != siphash13(&filter.secret, KEY_CHECK) {
        return Err("the key check is not that of the secret key".to_string());
    }
    let mut bits = filter.bits.clone();
    bits.extend(filter.second.iter().flat_map(Second::bits));
    bits.resize(bits.len().next_multiple_of(512).max(512), false);
    let parts = Parts {
        kind: 7,
        own: own_part(filter)?,
        recipe: filter.recipe,
        records: &filter.records,
        links: numbers_of(filter).into_iter().chain(filter.second.iter().map(second_part)).collect(),
        body: body(&bits),
        added: filter.added.clone(),
    };
    envelope::write(&parts, seal_key)
}

/// The length of the section after the records of a file of kind 7, and the length of its body.
/// Needs no key.
pub fn lengths(file: &[u8]) -> Result<(u64, u64), String> {
    let (_, filter, section) = start(file, None)?;
    Ok((section as u64, filter.body_len()))
}

/// Steps 1 to 4 of reading a file of kind 7: the filter without its bits, and the length of the
/// section after its records.
fn start<'a>(
    file: &'a [u8],
    secret: Option<&[u8; 16]>,
) -> Result<(envelope::Head<'a>, Ribbon, usize), String> {
    let head = envelope::head(file, 7, "ribbon filter")?;
    let len = crate::read::u32_at(head.own(), 20) as usize;
    if len != 0 && len != 8 && len != SECOND {
        return refuse(4, &format!("{len} bytes behind the records"));
    }
    let section = head.section(len as u64)?;
    let numbers = if len == 8 { u64_at(section, 0) } else { 0 };
    if len == 8 && numbers == 0 {
        return refuse(4, "no numbers");
    }
    let mut filter = of_own_part(head.own(), numbers, head.recipe, &head.records, secret)
        .or_else(|why| refuse(4, &why))?;
    if len == SECOND {
        filter.second = Some(of_second_part(section).or_else(|why| refuse(4, &why))?);
    }
    filter.check().or_else(|why| refuse(4, &why))?;
    Ok((head, filter, len))
}

/// Reads a file of kind 7, with the keys and the steps of [`read`](crate::read::read).
pub fn read(file: &[u8], secret: Option<&[u8; 16]>, seal_key: Option<&[u8]>) -> Result<Ribbon, String> {
    let (head, mut filter, len) = start(file, secret)?;
    // Step 5.
    let words = filter.shape.all_words();
    let body = head.body(len, filter.body_len())?;
    // Step 6: keys, self-test.
    head.check_keys(filter.scheme, filter.parameter, secret, seal_key)?;
    if u64_at(head.own(), 80) != filter.self_test().or_else(|why| refuse(6, &why))? {
        return refuse(6, "the self-test");
    }
    // Step 7: added keys, chunks, unused bits.
    filter.added = head.added(body)?;
    head.check_chunks(len, body)?;
    filter.bits = (0..8 * body.len()).map(|p| body[p / 8] >> (p % 8) & 1 == 1).collect();
    if let Some(second) = &mut filter.second {
        let behind = filter.bits.split_off(64 * words as usize);
        second.take(&filter.shape, &behind)?;
    }
    filter.check_unused()?;
    filter.bits.truncate(64 * words as usize);
    // Step 8.
    head.check_seal(seal_key)?;
    Ok(filter)
}

impl Ribbon {
    /// Section 3: the length of the body in bytes.
    fn body_len(&self) -> u64 {
        let behind = self.second.as_ref().map_or((0, 0), |second| second.words(&self.shape));
        64 * (self.shape.all_words() + behind.0 + behind.1).div_ceil(8).max(1)
    }

    /// Step 7: checks that unused bits are 0.
    pub(super) fn check_unused(&self) -> Result<(), String> {
        let mut unused: Vec<(u64, u64)> = Vec::new();
        for layer in self.shape.layers() {
            let used =
                64 * layer.thresholds_at + layer.shards() * layer.buckets_of_shard() * layer.code_bits();
            unused.push((used, 64 * (layer.thresholds_at + layer.threshold_words())));
        }
        let last = 64 * self.shape.last_at() + self.shape.last * self.shape.deep;
        unused.push((last, self.bits.len() as u64));
        if unused.iter().any(|&(from, to)| self.bits[from as usize..to as usize].contains(&true)) {
            return refuse(7, "bits that stand for nothing are set");
        }
        Ok(())
    }
}
