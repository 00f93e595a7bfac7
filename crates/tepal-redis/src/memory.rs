//! The server's allocator as the module's, with a count of what one thread has allocated.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

use crate::api::{self, Api, Opaque};

/// Allocates through the server.
pub(crate) struct ServerMemory;

/// The server's allocator aligns every size of a word or more to this: one that has no function for
/// the size of an allocation writes it into a word before the memory, and what follows is aligned
/// to that word only.
const ALIGNED: usize = size_of::<usize>();

/// How many bytes after `address`, a multiple of [`ALIGNED`], the next multiple of a larger `align`
/// is: at least [`ALIGNED`] and at most `align`.
fn skip_to(align: usize, address: usize) -> usize {
    align - address % align
}

thread_local! {
    /// The bytes that this thread has allocated less the bytes that it has freed.
    static NET: Cell<isize> = const { Cell::new(0) };
}

/// Runs `f`; returns by how many bytes of the allocator the memory has grown.
pub(crate) fn counted<T>(f: impl FnOnce() -> T) -> (T, isize) {
    let before = NET.get();
    let result = f();
    (result, NET.get().wrapping_sub(before))
}

/// Counts memory that the server allocated and the module takes over.
fn take_over(api: &Api, memory: Opaque) {
    // SAFETY: the memory came from the server's allocator.
    let size = unsafe { (api.MallocSize)(memory) };
    NET.set(NET.get().wrapping_add_unsigned(size));
}

/// A string that the server allocated, without a copy.
///
/// # Safety
/// `first` is what the server's allocator returned, with `len` bytes that are initialized.
pub(crate) unsafe fn taken(first: *mut u8, len: usize) -> Vec<u8> {
    if len == 0 || cfg!(test) {
        // SAFETY: the caller's promise.
        unsafe { (api::api().Free)(first.cast()) };
        return Vec::new();
    }
    take_over(api::api(), first.cast());
    // SAFETY: the caller's promise; the module's allocator frees it by the same function.
    unsafe { Vec::from_raw_parts(first, len, len) }
}

impl ServerMemory {
    /// Memory of this size, or null. A server without `TryAlloc` ends if there is none.
    fn ask(api: &Api, size: usize) -> Opaque {
        // SAFETY: any size may be asked for.
        unsafe { api.TryAlloc.unwrap_or(api.Alloc)(size) }
    }

    fn allocate(layout: Layout) -> *mut u8 {
        let Some(api) = api::get() else { return std::ptr::null_mut() };
        if layout.align() <= ALIGNED {
            let memory = ServerMemory::ask(api, layout.size().max(layout.align()));
            if !memory.is_null() {
                take_over(api, memory);
            }
            return memory.cast();
        }
        let Some(size) = layout.size().checked_add(layout.align()) else { return std::ptr::null_mut() };
        let memory = ServerMemory::ask(api, size).cast::<u8>();
        if memory.is_null() {
            return memory;
        }
        take_over(api, memory.cast());
        // The next aligned address; the start of the memory is noted before it.
        let skip = skip_to(layout.align(), memory.addr());
        // SAFETY: `skip` is at most the alignment, by which the memory is larger.
        let aligned = unsafe { memory.add(skip) };
        // SAFETY: the server's memory and `aligned` are aligned to a word, and `aligned` is not its
        // start, so there is room for a pointer between them.
        let note = unsafe { aligned.sub(size_of::<*mut u8>()) };
        // SAFETY: as above.
        unsafe { note.cast::<*mut u8>().write_unaligned(memory) };
        aligned
    }

    /// The address that the server's allocator gave.
    ///
    /// # Safety
    /// `memory` was allocated by `allocate` for this layout.
    unsafe fn start(memory: *mut u8, layout: Layout) -> Opaque {
        if layout.align() <= ALIGNED {
            return memory.cast();
        }
        // SAFETY: `allocate` noted the start there.
        let note = unsafe { memory.sub(size_of::<*mut u8>()) };
        // SAFETY: as above.
        unsafe { note.cast::<*mut u8>().read_unaligned() }.cast()
    }
}

// SAFETY: memory comes from the server's allocator, aligned as asked; null means that there is
// none.
unsafe impl GlobalAlloc for ServerMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ServerMemory::allocate(layout)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let Some(api) = api::get() else { return };
        // SAFETY: the caller's promise.
        let start = unsafe { ServerMemory::start(memory, layout) };
        // SAFETY: as above.
        let size = unsafe { (api.MallocSize)(start) };
        NET.set(NET.get().wrapping_sub_unsigned(size));
        // SAFETY: as above, and the caller does not use it again.
        unsafe { (api.Free)(start) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the server's allocator writes before its memory, the pointer fits before the
    /// aligned place, and the memory is large enough.
    #[test]
    fn a_pointer_fits_before_every_aligned_place() {
        for shift in 1..8 {
            let align = ALIGNED << shift;
            for start in (0..4 * align).step_by(ALIGNED) {
                let skip = skip_to(align, start);
                assert!((start + skip) % align == 0, "{align} {start}");
                assert!((size_of::<*mut u8>()..=align).contains(&skip), "{align} {start}");
            }
        }
    }
}
