//! The structs of Arrow's C data and stream interfaces
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>), and the reading of their memory.
//!
//! Each struct is released once, by its last owner: taking one leaves an empty one behind. What a
//! struct promises (lengths, pointers) is believed: who makes one answers for it, by the interface.

#![allow(unsafe_code)]

pub(crate) mod export;
pub(crate) mod numbers;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{self, NonNull};

use tepal::hash::Offset;

/// The type of an array, and its name.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

/// An array.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// Arrays of one type, one after the other.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArrayStream {
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
            /// Takes the struct from where another program has put it. An empty one stays there,
            /// whose release has nothing to do.
            ///
            /// # Safety
            /// `from` points to such a struct, by the interface, and nobody else uses it during
            /// this call.
            #[must_use]
            pub unsafe fn take(from: NonNull<c_void>) -> Self {
                // SAFETY: the caller says that such a struct is there, and that it is not used.
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
    pub(crate) const fn empty() -> Self {
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

    /// The format, which is the type of the array; `None` of a struct that was released.
    pub(crate) fn format(&self) -> Option<&str> {
        self.release?;
        text(self.format)
    }

    /// The name of the column.
    pub(crate) fn name(&self) -> &str {
        text(self.name).unwrap_or("")
    }

    /// Whether rows may be null. A table is a struct whose rows are not.
    pub(crate) fn is_nullable(&self) -> bool {
        const NULLABLE: i64 = 2;
        self.flags & NULLABLE != 0
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = &ArrowSchema> {
        (0..usize::try_from(self.n_children).unwrap_or(0)).filter_map(|i| {
            // SAFETY: the interface says that so many pointers are there.
            let child = unsafe { *self.children.wrapping_add(i) };
            // SAFETY: the interface says that each is of a struct that lives as long as this one.
            unsafe { child.as_ref() }
        })
    }

    pub(crate) fn dictionary(&self) -> Option<&ArrowSchema> {
        // SAFETY: the interface says that it is null, or a struct that lives as long as this one.
        unsafe { self.dictionary.as_ref() }
    }

    /// The value of a key of its metadata.
    pub(crate) fn metadata(&self, key: &str) -> Option<&[u8]> {
        let mut rest = self.metadata.cast::<u8>();
        if rest.is_null() {
            return None;
        }
        let mut found = None;
        // The number of pairs; then the length and the bytes of each key and each value.
        for _ in 0..number(&mut rest) {
            let (name, value) = (text_of(&mut rest), text_of(&mut rest));
            if name == key.as_bytes() {
                found = Some(value);
            }
        }
        found
    }
}

impl ArrowArray {
    pub(crate) const fn empty() -> Self {
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

    /// Its first row, counted from the start of its buffers, and the number of its rows; `None` if
    /// they are negative or past memory.
    pub(crate) fn rows(&self) -> Option<(usize, usize)> {
        let (start, len) = (usize::try_from(self.offset).ok()?, usize::try_from(self.length).ok()?);
        start.checked_add(len).filter(|end| *end <= isize::MAX as usize / 16)?;
        Some((start, len))
    }

    /// Whether a row may be null.
    pub(crate) fn may_have_nulls(&self) -> bool {
        self.null_count != 0 && !self.buffer(0).is_null()
    }

    /// How many buffers it has.
    pub(crate) fn buffers(&self) -> usize {
        usize::try_from(self.n_buffers).unwrap_or(0)
    }

    /// Where buffer `i` starts; null if there is none of this number.
    fn buffer(&self, i: usize) -> *const u8 {
        if self.buffers.is_null() || i >= self.buffers() {
            return ptr::null();
        }
        // SAFETY: the interface says that `n_buffers` pointers are there.
        unsafe { *self.buffers.wrapping_add(i) }.cast()
    }

    /// The first `len` bytes of buffer `i`; `None` if there is no such buffer.
    pub(crate) fn bytes(&self, i: usize, len: usize) -> Option<&[u8]> {
        if len == 0 {
            return Some(&[]);
        }
        let from = self.buffer(i);
        if from.is_null() {
            return None;
        }
        // SAFETY: the interface says that the buffer has so many bytes, that nobody changes them,
        // and that they live as long as the array.
        Some(unsafe { std::slice::from_raw_parts(from, len) })
    }

    /// `len` offsets of buffer `i` from number `start` on; `None` if there is no such buffer, or if
    /// it begins at an address where no offset can be.
    pub(crate) fn offsets<O: Offset>(&self, i: usize, start: usize, len: usize) -> Option<&[O]> {
        let from = self.buffer(i).cast::<O>();
        if from.is_null() || !from.is_aligned() {
            return None;
        }
        // SAFETY: the interface says that `start + len` offsets are there, that nobody changes
        // them, and that they live as long as the array.
        Some(unsafe { std::slice::from_raw_parts(from.wrapping_add(start), len) })
    }

    /// Integers of buffer 1 from number `start` on, each of `width` bytes, 1, 2, 4 or 8.
    pub(crate) fn integers(
        &self,
        (start, len): (usize, usize),
        (width, is_signed): (usize, bool),
    ) -> Option<numbers::Numbers> {
        let from = self.buffer(1);
        if from.is_null() && len > 0 {
            return None;
        }
        // SAFETY: the interface says that `start + len` integers are there; whoever reads them
        // borrows the array for as long.
        Some(unsafe {
            numbers::Numbers::new(
                from.wrapping_add(start * width),
                width as isize,
                len,
                (width, is_signed, false),
            )
        })
    }

    /// The only array inside of it, if there is just one.
    pub(crate) fn only_child(&self) -> Option<&ArrowArray> {
        if self.n_children != 1 || self.children.is_null() {
            return None;
        }
        // SAFETY: the interface says that one pointer is there.
        let child = unsafe { *self.children };
        // SAFETY: the interface says that it is of a struct that lives as long as this one.
        unsafe { child.as_ref() }
    }

    pub(crate) fn dictionary(&self) -> Option<&ArrowArray> {
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

    /// The type of its arrays.
    ///
    /// # Errors
    /// What the stream says of its failure.
    pub fn schema(&mut self) -> Result<ArrowSchema, String> {
        let (Some(get), Some(_)) = (self.get_schema, self.release) else {
            return Err("it was used before".into());
        };
        let mut schema = ArrowSchema::empty();
        // SAFETY: the stream was not released, and there is room for a schema.
        let code = unsafe { get(self, &mut schema) };
        if code == 0 { Ok(schema) } else { Err(self.failed(code)) }
    }

    /// The next array; `None` at the end.
    ///
    /// # Errors
    /// What the stream says of its failure.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<ArrowArray>, String> {
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

/// The next number of metadata, which is behind `rest`. A negative one is none.
fn number(rest: &mut *const u8) -> usize {
    // SAFETY: the interface says that four bytes of a number are there.
    let number = unsafe { rest.cast::<i32>().read_unaligned() };
    *rest = rest.wrapping_add(4);
    usize::try_from(number).unwrap_or(0)
}

/// The next text of metadata.
fn text_of<'a>(rest: &mut *const u8) -> &'a [u8] {
    let len = number(rest);
    // SAFETY: the interface says that so many bytes follow, and that they live as long as the
    // schema, which the caller borrows.
    let text = unsafe { std::slice::from_raw_parts(*rest, len) };
    *rest = rest.wrapping_add(len);
    text
}

#[cfg(test)]
impl ArrowSchema {
    /// A schema as another program would make it; what it points to is never freed.
    pub(crate) fn of_tests(format: &str, flags: i64, metadata: &[(&str, &str)]) -> Self {
        unsafe extern "C" fn release(schema: *mut ArrowSchema) {
            // SAFETY: whoever releases it holds it.
            unsafe { (*schema).release = None };
        }
        let format = std::ffi::CString::new(format).unwrap();
        let mut bytes = i32::try_from(metadata.len()).unwrap().to_ne_bytes().to_vec();
        for text in metadata.iter().flat_map(|(key, value)| [key, value]) {
            bytes.extend(i32::try_from(text.len()).unwrap().to_ne_bytes());
            bytes.extend(text.as_bytes());
        }
        let mut schema = ArrowSchema::empty();
        schema.format = format.into_raw();
        schema.metadata = bytes.leak().as_ptr().cast();
        schema.flags = flags;
        schema.release = Some(release);
        schema
    }
}
