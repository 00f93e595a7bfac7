//! Sections 6.2 and 6.3: the code of the differing bits, and of the keys.

/// Section 6.2: the state that determines the parameter.
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

/// The bits of a number, the lowest first.
fn number(n: u64, len: u32) -> impl Iterator<Item = bool> {
    (0..len).map(move |i| n >> i & 1 == 1)
}

/// Section 6.2: the code of ascending positions below `bits`.
pub(super) fn gaps(bits: u64, positions: &[u64]) -> Vec<bool> {
    let mut code = Vec::new();
    if positions.is_empty() {
        return code;
    }
    let mut mean = Mean::new(bits, positions.len() as u64);
    let mut next = 0;
    for &p in positions {
        let (gap, k) = (p - next, mean.parameter());
        let q = gap >> k;
        if q < 32 {
            code.extend((0..q).map(|_| true));
            code.push(false);
            code.extend(number(gap, k));
        } else {
            let len = 64 - gap.leading_zeros();
            code.extend([true; 32]);
            code.extend(number(u64::from(len - 1), 6));
            code.extend(number(gap, len));
        }
        mean.learn(gap, k);
        next = p + 1;
    }
    code
}

/// Section 6.3: k for this number of hashes.
fn bits_of_a_hash(count: u64) -> u32 {
    let mut k = 64;
    while count >> (64 - k) > 0 {
        k -= 1;
    }
    k
}

/// Section 6.3: the code of ascending hashes.
pub(super) fn hashes(hashes: &[u64]) -> Vec<bool> {
    let k = bits_of_a_hash(hashes.len() as u64);
    let (mut code, mut next) = (Vec::new(), 0);
    for &hash in hashes {
        let gap = hash - next;
        code.extend((0..gap >> k).map(|_| true));
        code.push(false);
        code.extend(number(gap, k));
        next = hash.wrapping_add(1);
    }
    code
}

/// A bit string as bytes.
pub(super) fn pack(code: &[bool]) -> Vec<u8> {
    let mut bytes = vec![0; code.len().div_ceil(8)];
    for i in 0..code.len() {
        bytes[i / 8] |= u8::from(code[i]) << (i % 8);
    }
    bytes
}

/// Reads a bit string.
pub(super) struct Reader<'a> {
    code: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(code: &'a [u8]) -> Reader<'a> {
        Reader { code, at: 0 }
    }

    fn bit(&mut self) -> Result<u64, String> {
        let byte = *self.code.get(self.at / 8).ok_or("the code ends within a gap")?;
        self.at += 1;
        Ok(u64::from(byte >> ((self.at - 1) % 8) & 1))
    }

    fn number(&mut self, len: u32) -> Result<u64, String> {
        let mut number = 0;
        for i in 0..len {
            number |= self.bit()? << i;
        }
        Ok(number)
    }

    /// Section 6.2: reads `coded` positions below `bits`.
    pub(super) fn gaps(&mut self, bits: u64, coded: u64) -> Result<Vec<u64>, String> {
        let mut positions = Vec::new();
        if coded == 0 {
            return Ok(positions);
        }
        let mut mean = Mean::new(bits, coded);
        let mut next = 0u64;
        for _ in 0..coded {
            let k = mean.parameter();
            let mut q = 0;
            while q < 32 && self.bit()? == 1 {
                q += 1;
            }
            let gap = if q < 32 {
                self.number(k)? | q << k
            } else {
                let len = self.number(6)? as u32 + 1;
                let gap = self.number(len)?;
                if gap >> k < 32 {
                    return Err("a gap is longer than it must be".to_string());
                }
                gap
            };
            let p = next.checked_add(gap).filter(|&p| p < bits).ok_or("the code goes past the last bit")?;
            positions.push(p);
            mean.learn(gap, k);
            next = p + 1;
        }
        Ok(positions)
    }

    /// Section 6.3: reads `count` hashes.
    pub(super) fn hashes(&mut self, count: u64) -> Result<Vec<u64>, String> {
        let k = bits_of_a_hash(count);
        // Wide enough for a number after the largest hash.
        let (mut hashes, mut next) = (Vec::new(), 0u128);
        for _ in 0..count {
            let mut gap = 0u128;
            while self.bit()? == 1 {
                gap += 1 << k;
            }
            next += gap + u128::from(self.number(k)?);
            hashes.push(u64::try_from(next).map_err(|_| "the code goes past the last hash")?);
            next += 1;
        }
        Ok(hashes)
    }

    /// Checks that only zero bits follow, up to the end of a byte.
    pub(super) fn end(&self) -> Result<(), String> {
        let (at, code) = (self.at, self.code);
        if at.div_ceil(8) != code.len() || at % 8 != 0 && code[at / 8] >> (at % 8) != 0 {
            return Err("something follows after the code".to_string());
        }
        Ok(())
    }
}
