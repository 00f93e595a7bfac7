//! Answers as an Arrow array of booleans.

use std::ffi::c_void;
use std::ptr;

use super::{ArrowArray, ArrowSchema};

/// What an exported array stands on.
struct Kept {
    answers: Vec<u8>,
    valid: Option<Vec<u8>>,
    buffers: [*const c_void; 2],
}

/// An array of `len` booleans, a bit each, the least significant bit of a byte first. `valid` has
/// the bits of the rows that are not null, and `nulls` is the number of the others.
///
/// # Panics
/// If there are fewer bits than `len`.
#[must_use]
pub fn booleans(
    answers: Vec<u8>,
    valid: Option<Vec<u8>>,
    (len, nulls): (usize, usize),
) -> (ArrowSchema, ArrowArray) {
    let has_all = |bits: &[u8]| bits.len() >= len.div_ceil(8);
    assert!(has_all(&answers) && valid.as_deref().is_none_or(has_all));
    const NULLABLE: i64 = 2;
    let mut schema = ArrowSchema::empty();
    schema.format = c"b".as_ptr();
    schema.name = c"".as_ptr();
    schema.flags = NULLABLE;
    schema.release = Some(release_schema);
    // Kept alive by the array; its vectors do not move any more.
    let mut kept = Box::new(Kept { answers, valid, buffers: [ptr::null(); 2] });
    kept.buffers = [
        kept.valid.as_ref().map_or(ptr::null(), |valid| valid.as_ptr().cast()),
        kept.answers.as_ptr().cast(),
    ];
    let kept = Box::into_raw(kept);
    let mut array = ArrowArray::empty();
    array.length = len as i64;
    array.null_count = nulls as i64;
    array.n_buffers = 2;
    // SAFETY: the box was just made.
    array.buffers = unsafe { &raw mut (*kept).buffers }.cast();
    array.private_data = kept.cast();
    array.release = Some(release_array);
    (schema, array)
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: whoever releases it holds it, and it is one of `booleans`, whose texts are static.
    unsafe { (*schema).release = None };
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: whoever releases it holds it, and it is one of `booleans`.
    let array = unsafe { &mut *array };
    array.release = None;
    // SAFETY: `booleans` put the box there, and it is released once.
    drop(unsafe { Box::from_raw(array.private_data.cast::<Kept>()) });
}
