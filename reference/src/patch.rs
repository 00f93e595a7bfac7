//! Section 6: what makes one file another, and the other of it.

use crate::hash::xxh3;
use crate::write::{CHUNK, MAGIC, body_len, body_offset};

/// The first 8 bytes of every patch.
pub const PATCH_MAGIC: [u8; 8] = *b"\x89PATCH\r\n";
/// Bytes before what a patch carries as it is.
const START: usize = 72;

/// The patch that makes the file `old` the file `new`.
pub fn diff(old: &[u8], new: &[u8]) -> Result<Vec<u8>, String> {
    let is_tepal = |file: &[u8]| file.len() >= 128 && file[..8] == MAGIC && file[10..12] == [1, 0];
    let (form, head, tail, old_body, new_body) = if is_tepal(old) && is_tepal(new) {
        let (_, old_body, _) = split(old)?;
        let (head, new_body, tail) = split(new)?;
        for (at, len) in [(32, 3), (36, 12), (64, 8), (124, 4)] {
            if old[at..at + len] != new[at..at + len] {
                return Err(format!("the filters differ at offset {at}"));
            }
        }
        (2, head, tail, old_body, new_body)
    } else {
        if old.len() != new.len() {
            return Err("the files differ in length".to_string());
        }
        (1, &[][..], &[][..], old, new)
    };
    let differs = |p: usize| (old_body[p / 8] ^ new_body[p / 8]) >> (p % 8) & 1 == 1;
    let bits = 8 * new_body.len();
    let flips = (0..bits).filter(|&p| differs(p)).count();
    let inverted = flips > bits - flips;
    let positions: Vec<u64> = (0..bits).filter(|&p| differs(p) != inverted).map(|p| p as u64).collect();

    let mut patch = Vec::new();
    patch.extend(PATCH_MAGIC);
    patch.extend(1u16.to_le_bytes());
    patch.extend([form, u8::from(inverted)]);
    patch.extend((head.len() as u32).to_le_bytes());
    patch.extend((new_body.len() as u64).to_le_bytes());
    patch.extend((old.len() as u64).to_le_bytes());
    patch.extend(xxh3(old, 0).to_le_bytes());
    patch.extend((new.len() as u64).to_le_bytes());
    patch.extend(xxh3(new, 0).to_le_bytes());
    patch.extend((positions.len() as u64).to_le_bytes());
    patch.extend((tail.len() as u64).to_le_bytes());
    patch.extend(head);
    patch.extend(tail);
    patch.extend(write_gaps(bits as u64, &positions));
    patch.extend(xxh3(&patch, 0).to_le_bytes());
    Ok(patch)
}

/// The new file, of the old one.
pub fn apply(old: &[u8], patch: &[u8]) -> Result<Vec<u8>, String> {
    if patch.len() < START + 8 || patch[..8] != PATCH_MAGIC || patch[8..10] != [1, 0] {
        return Err("this is not a patch of version 1".to_string());
    }
    let end = patch.len() - 8;
    if u64_at(patch, end) != xxh3(&patch[..end], 0) {
        return Err("the checksum is not that of the patch".to_string());
    }
    let (form, inverted) = (patch[10], patch[11]);
    if !matches!(form, 1 | 2) || inverted > 1 {
        return Err(format!("form {form} or inversion {inverted} is not known"));
    }
    let head_len = u64::from(u32::from_le_bytes(patch[12..16].try_into().unwrap()));
    let [body, old_len, old_sum, new_len, new_sum, coded, tail_len] =
        [16, 24, 32, 40, 48, 56, 64].map(|at| u64_at(patch, at));
    if old_len != old.len() as u64 || old_sum != xxh3(old, 0) {
        return Err("the patch is for another file".to_string());
    }
    let lengths = match form {
        1 => head_len == 0 && tail_len == 0 && body == old_len && body == new_len,
        _ => {
            (128..=128 + 65_536).contains(&head_len)
                && head_len % 8 == 0
                && body % 64 == 0
                && body <= old_len
                && tail_len <= end as u64
                && new_len == body_offset(head_len - 128, 8 * body) + body + tail_len
        }
    };
    if !lengths || coded > 4 * body || START as u64 + head_len + tail_len > end as u64 {
        return Err("the lengths do not fit each other".to_string());
    }
    let (head_len, tail_len, body) = (head_len as usize, tail_len as usize, body as usize);
    let head = &patch[START..START + head_len];
    let tail = &patch[START + head_len..START + head_len + tail_len];
    let positions = read_gaps(8 * body as u64, coded, &patch[START + head_len + tail_len..end])?;

    let old_offset = if form == 1 { 0 } else { u32::from_le_bytes(old[12..16].try_into().unwrap()) as usize };
    if old_offset + body > old.len() {
        return Err("the old file has no such body".to_string());
    }
    let mut changed = old[old_offset..old_offset + body].to_vec();
    if inverted == 1 {
        for byte in &mut changed {
            *byte = !*byte;
        }
    }
    for p in positions {
        changed[(p / 8) as usize] ^= 1 << (p % 8);
    }
    let mut new = Vec::new();
    if form == 2 {
        new.extend(head);
        for chunk in changed.chunks(CHUNK) {
            new.extend(xxh3(chunk, 0).to_le_bytes());
        }
        new.resize(body_offset(head_len as u64 - 128, 8 * body as u64) as usize - 8, 0);
        new.extend(xxh3(&new, 0).to_le_bytes());
    }
    new.extend(changed);
    new.extend(tail);
    if new.len() as u64 != new_len || xxh3(&new, 0) != new_sum {
        return Err("what the patch makes is not what it says".to_string());
    }
    Ok(new)
}

/// Fixed header and records of a file, its body, and what follows it.
type Parts<'a> = (&'a [u8], &'a [u8], &'a [u8]);

/// The parts of a tepal file of kind 1.
fn split(file: &[u8]) -> Result<Parts<'_>, String> {
    let offset = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let records = u32::from_le_bytes(file[120..124].try_into().unwrap()) as usize;
    let end = offset + body_len(u64_at(file, 40)) as usize;
    if 128 + records > offset || end > file.len() {
        return Err("the lengths in the file are not right".to_string());
    }
    Ok((&file[..128 + records], &file[offset..end], &file[end..]))
}

/// Section 6.2: the state that chooses the parameter.
struct Mean {
    count: u64,
    sum: u64,
}

impl Mean {
    fn new(bits: u64, coded: u64) -> Mean {
        Mean { count: 8, sum: 8 * ((bits - coded) / coded) }
    }

    fn parameter(&self) -> u32 {
        let mut k = 0;
        while 2 * (self.count << k) < self.sum + self.count / 2 {
            k += 1;
        }
        k
    }

    fn learn(&mut self, gap: u64, k: u32) {
        self.sum += gap.min(32 << k);
        self.count += 1;
        if self.count == 64 {
            self.count = 32;
            self.sum /= 2;
        }
    }
}

/// The code of ascending positions below `bits`.
pub fn write_gaps(bits: u64, positions: &[u64]) -> Vec<u8> {
    let mut code: Vec<bool> = Vec::new();
    let number = |code: &mut Vec<bool>, n: u64, len: u32| code.extend((0..len).map(|i| n >> i & 1 == 1));
    if !positions.is_empty() {
        let mut mean = Mean::new(bits, positions.len() as u64);
        let mut next = 0;
        for &p in positions {
            let (gap, k) = (p - next, mean.parameter());
            let q = gap >> k;
            if q < 32 {
                code.extend((0..q).map(|_| true));
                code.push(false);
                number(&mut code, gap, k);
            } else {
                let len = 64 - gap.leading_zeros();
                code.extend([true; 32]);
                number(&mut code, u64::from(len - 1), 6);
                number(&mut code, gap, len);
            }
            mean.learn(gap, k);
            next = p + 1;
        }
    }
    let mut bytes = vec![0; code.len().div_ceil(8)];
    for i in 0..code.len() {
        bytes[i / 8] |= u8::from(code[i]) << (i % 8);
    }
    bytes
}

/// The positions of a code, `coded` of them below `bits`.
pub fn read_gaps(bits: u64, coded: u64, code: &[u8]) -> Result<Vec<u64>, String> {
    let mut at = 0;
    let mut bit = || {
        let byte = *code.get(at / 8).ok_or("the code ends within a gap")?;
        at += 1;
        Ok::<u64, String>(u64::from(byte >> ((at - 1) % 8) & 1))
    };
    let mut positions = Vec::new();
    if coded > 0 {
        let mut mean = Mean::new(bits, coded);
        let mut next = 0u64;
        for _ in 0..coded {
            let k = mean.parameter();
            let mut q = 0;
            while q < 32 && bit()? == 1 {
                q += 1;
            }
            let mut gap = 0;
            if q < 32 {
                for i in 0..k {
                    gap |= bit()? << i;
                }
                gap |= q << k;
            } else {
                let mut len = 1;
                for i in 0..6 {
                    len += bit()? << i;
                }
                for i in 0..len {
                    gap |= bit()? << i;
                }
                if gap >> k < 32 {
                    return Err("a gap is longer than it must be".to_string());
                }
            }
            let p = next.checked_add(gap).filter(|&p| p < bits).ok_or("the code goes past the last bit")?;
            positions.push(p);
            mean.learn(gap, k);
            next = p + 1;
        }
    }
    if at.div_ceil(8) != code.len() || at % 8 != 0 && code[at / 8] >> (at % 8) != 0 {
        return Err("something follows after the code".to_string());
    }
    Ok(positions)
}

/// The little-endian u64 at an offset.
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}
