//! Solves the equations of a shard: computes the values of its slots.

/// The number of columns that are solved at once.
const LANES: usize = 8;

/// Solves from the last slot to the first. In `out`, the columns of 64 slots follow the columns of
/// the 64 slots before. The first `wide` words of slots have one column more than `columns`. After
/// the last slot of the additional column its bits count as 0. A slot without an equation is also
/// 0.
#[inline(always)]
pub(crate) fn solve(rows: &[(u64, u64)], columns: usize, wide: usize, out: &mut [u64]) {
    for from in (0..columns + usize::from(wide > 0)).step_by(LANES) {
        // For each column, the 64 slots that were solved last.
        let mut windows = [0; LANES];
        for (word, rows) in rows.chunks_exact(64).enumerate().rev() {
            for &(c, value) in rows.iter().rev() {
                let value = value >> from;
                // A slot without an equation has the value and the coefficients 0.
                for (i, window) in windows.iter_mut().enumerate() {
                    let shifted = *window << 1;
                    let ones = u64::from((shifted & c).count_ones());
                    *window = shifted | ((ones ^ value >> i) & 1);
                }
            }
            let at = columns * word + word.min(wide);
            let width = columns + usize::from(word < wide);
            for (i, window) in windows.iter_mut().enumerate() {
                if from + i < width {
                    out[at + from + i] = *window;
                } else {
                    *window = 0;
                }
            }
        }
    }
}
