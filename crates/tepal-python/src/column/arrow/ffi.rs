//! The three structs of the Arrow C data and stream interfaces
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>).
//!
//! Each is released once, by who holds it last: a struct that was taken from a capsule leaves an
//! empty one behind.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, NonNull};

/// What an array holds.
#[repr(C)]
pub(super) struct ArrowSchema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *mut *mut ArrowSchema,
    pub(super) dictionary: *mut ArrowSchema,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    pub(super) private_data: *mut c_void,
}

/// An array.
#[repr(C)]
pub(super) struct ArrowArray {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *mut *const c_void,
    pub(super) children: *mut *mut ArrowArray,
    pub(super) dictionary: *mut ArrowArray,
    pub(super) release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    pub(super) private_data: *mut c_void,
}

/// Arrays that come one after the other.
#[repr(C)]
pub(super) struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

macro_rules! owned {
    ($($type:ident),+) => {$(
        // SAFETY: the interface lets whoever holds the struct read and release it from any thread.
        unsafe impl Send for $type {}
        // SAFETY: through a shared reference nothing is changed.
        unsafe impl Sync for $type {}

        impl $type {
            /// Takes the struct out of a capsule of the right name, whose own release then finds
            /// nothing to do.
            pub(super) fn take(from: NonNull<c_void>) -> Self {
                // SAFETY: a capsule of this name points to such a struct, by the interface, and the
                // interpreter is held, so that nobody else takes it at the same time.
                unsafe { ptr::replace(from.cast::<$type>().as_ptr(), $type::empty()) }
            }
        }

        impl Drop for $type {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: the struct was not released before, for that clears the field.
                    unsafe { release(self) };
                }
            }
        }
    )+};
}
owned!(ArrowSchema, ArrowArray, ArrowArrayStream);

impl ArrowSchema {
    pub(super) const fn empty() -> Self {
        ArrowSchema {
            format: ptr::null(),
            name: ptr::null(),
            metadata: ptr::null(),
            flags: 0,
            n_children: 0,
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }

    /// What it says that the array holds; nothing of a struct that was released.
    pub(super) fn format(&self) -> Option<&str> {
        self.release?;
        text(self.format)
    }

    /// The name of the column.
    pub(super) fn name(&self) -> &str {
        text(self.name).unwrap_or("")
    }

    pub(super) fn children(&self) -> impl Iterator<Item = &ArrowSchema> {
        (0..usize::try_from(self.n_children).unwrap_or(0)).filter_map(|i| {
            // SAFETY: the interface says that so many pointers are there.
            let child = unsafe { *self.children.wrapping_add(i) };
            // SAFETY: the interface says that each is of a struct that lives as long as this one.
            unsafe { child.as_ref() }
        })
    }

    pub(super) fn dictionary(&self) -> Option<&ArrowSchema> {
        // SAFETY: the interface says that it is null, or a struct that lives as long as this one.
        unsafe { self.dictionary.as_ref() }
    }
}

impl ArrowArray {
    pub(super) const fn empty() -> Self {
        ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: ptr::null_mut(),
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }

    /// Where buffer `i` starts; null where there is none of that number.
    pub(super) fn buffer(&self, i: usize) -> *const u8 {
        if self.buffers.is_null() || i >= usize::try_from(self.n_buffers).unwrap_or(0) {
            return ptr::null();
        }
        // SAFETY: the interface says that `n_buffers` pointers are there.
        unsafe { *self.buffers.wrapping_add(i) }.cast()
    }

    /// The only array inside of it, if there is just one.
    pub(super) fn only_child(&self) -> Option<&ArrowArray> {
        if self.n_children != 1 || self.children.is_null() {
            return None;
        }
        // SAFETY: the interface says that one pointer is there.
        let child = unsafe { *self.children };
        // SAFETY: the interface says that it is of a struct that lives as long as this one.
        unsafe { child.as_ref() }
    }

    pub(super) fn dictionary(&self) -> Option<&ArrowArray> {
        // SAFETY: the interface says that it is null, or a struct that lives as long as this one.
        unsafe { self.dictionary.as_ref() }
    }
}

impl ArrowArrayStream {
    const fn empty() -> Self {
        ArrowArrayStream {
            get_schema: None,
            get_next: None,
            get_last_error: None,
            release: None,
            private_data: ptr::null_mut(),
        }
    }

    pub(super) fn schema(&mut self) -> Result<ArrowSchema, String> {
        let (Some(get), Some(_)) = (self.get_schema, self.release) else {
            return Err("it was used before".into());
        };
        let mut schema = ArrowSchema::empty();
        // SAFETY: the stream was not released, and there is room for a schema.
        let code = unsafe { get(self, &mut schema) };
        if code == 0 { Ok(schema) } else { Err(self.failed(code)) }
    }

    pub(super) fn next(&mut self) -> Result<Option<ArrowArray>, String> {
        let (Some(get), Some(_)) = (self.get_next, self.release) else {
            return Err("it was used before".into());
        };
        let mut array = ArrowArray::empty();
        // SAFETY: the stream was not released, and there is room for an array.
        let code = unsafe { get(self, &mut array) };
        if code != 0 {
            return Err(self.failed(code));
        }
        // An array that is released already is the end.
        Ok(array.release.is_some().then_some(array))
    }

    fn failed(&mut self, code: c_int) -> String {
        let said = self.get_last_error.and_then(|get| {
            // SAFETY: the stream was not released.
            let said = unsafe { get(self) };
            text(said)
        });
        match said {
            Some(said) => said.to_owned(),
            None => std::io::Error::from_raw_os_error(code).to_string(),
        }
    }
}

/// A text of the interface; nothing where there is none, or it is not UTF-8.
fn text<'a>(from: *const c_char) -> Option<&'a str> {
    if from.is_null() {
        return None;
    }
    // SAFETY: the interface says that it ends with zero and lives as long as its struct, and
    // callers keep it no longer.
    unsafe { CStr::from_ptr(from) }.to_str().ok()
}
