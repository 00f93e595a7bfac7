//! An allocator that counts for each thread, and that fails on request.
#![allow(unsafe_code)]
#![allow(dead_code)] // What one test does not need, another does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

struct Counting;

thread_local! {
    /// The bytes that this thread holds, and the most it has held.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
    /// Allocations of at least this many bytes count towards the one that fails.
    static LEAST: Cell<usize> = const { Cell::new(usize::MAX) };
    /// This many of them succeed before one fails; negative: it has failed already.
    static BEFORE: Cell<i64> = const { Cell::new(-1) };
    /// The bytes that are looked for in freed blocks of 16 bytes; the number of such blocks, and
    /// how many held the bytes.
    static WATCHED: Cell<Option<[u8; 16]>> = const { Cell::new(None) };
    static FREED: Cell<u32> = const { Cell::new(0) };
    static FOUND: Cell<u32> = const { Cell::new(0) };
}

fn count(change: isize) {
    let held = HELD.get() + change;
    HELD.set(held);
    MOST.set(MOST.get().max(held));
}

/// Whether this allocation is to fail.
fn fails(size: usize) -> bool {
    if size < LEAST.get() || BEFORE.get() < 0 {
        return false;
    }
    BEFORE.set(BEFORE.get() - 1);
    BEFORE.get() < 0
}

// SAFETY: every call is passed to the system's allocator unchanged, or fails; the counters are
// plain cells, which neither allocate nor unwind.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size()) {
            return null_mut();
        }
        count(layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size()) {
            return null_mut();
        }
        count(layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        if let (16, Some(watched)) = (layout.size(), WATCHED.get()) {
            // SAFETY: the block is not freed yet, and a watching test frees only blocks of 16 bytes
            // that were written completely.
            let held = unsafe { at.cast::<[u8; 16]>().read() };
            FREED.set(FREED.get() + 1);
            FOUND.set(FOUND.get() + u32::from(held == watched));
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if fails(size) {
            return null_mut();
        }
        // Both blocks may exist for a moment.
        count(size as isize);
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The result of a call, and the most bytes that it held at a time.
pub(crate) fn most_held<T>(call: impl FnOnce() -> T) -> (T, u64) {
    let before = HELD.get();
    MOST.set(before);
    let result = call();
    (result, (MOST.get() - before) as u64)
}

/// The result of a call, and the bytes that it still holds.
pub(crate) fn held_by<T>(call: impl FnOnce() -> T) -> (T, u64) {
    let before = HELD.get();
    let result = call();
    (result, (HELD.get() - before) as u64)
}

/// How many blocks of 16 bytes a call frees, and how many of them hold these bytes then. Each block
/// must be written completely.
pub(crate) fn freed_with<T>(bytes: [u8; 16], call: impl FnOnce() -> T) -> (u32, u32) {
    FREED.set(0);
    FOUND.set(0);
    WATCHED.set(Some(bytes));
    drop(call());
    WATCHED.set(None);
    (FREED.get(), FOUND.get())
}

/// The result of a call in which one allocation of at least `least` bytes fails, after `after` that
/// succeed; and whether it came to that.
pub(crate) fn failing<T>(least: usize, after: u32, call: impl FnOnce() -> T) -> (T, bool) {
    LEAST.set(least);
    BEFORE.set(after.into());
    let result = call();
    let failed = BEFORE.get() < 0;
    LEAST.set(usize::MAX);
    BEFORE.set(-1);
    (result, failed)
}
