//! Prefetches memory.

#![allow(unsafe_code)]

/// Prefetches a line. Has no effect that a program can see.
#[inline(always)]
pub(crate) fn fetch_line<T>(line: &T) {
    fetch(&raw const *line);
}

/// Prefetches any address.
#[inline(always)]
fn fetch<T>(line: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching has no effect on memory and may be given any address; SSE is part of
    // x86-64.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(line.cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; PRFM is part of every aarch64.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{}]", in(reg) line, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = line;
}

/// Prefetches the value at this place.
#[cfg(any(feature = "static", feature = "table"))]
#[inline(always)]
pub(crate) fn fetch_at<T>(values: &[T], at: usize) {
    fetch(values.as_ptr().wrapping_add(at));
}
