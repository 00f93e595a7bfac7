//! From the equations of a shard to its slots.

/// Columns that are solved at once.
const LANES: usize = 8;

/// Word `column` of the slots 64 `j` and on stands behind those of the slots before; the first
/// `wide` words of slots have one column more than the others, which have `columns`. What is behind
/// that column's last slot counts as 0 there, and so does a slot without an equation.
#[inline(always)]
pub(crate) fn solve(rows: &[(u64, u64)], columns: usize, wide: usize, out: &mut [u64]) {
    for from in (0..columns + usize::from(wide > 0)).step_by(LANES) {
        // Of each column, the 64 slots that were solved last.
        let mut windows = [0; LANES];
        for (word, rows) in rows.chunks_exact(64).enumerate().rev() {
            for &(c, value) in rows.iter().rev() {
                let value = value >> from;
                // Of a slot without an equation value and coefficients are 0.
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
