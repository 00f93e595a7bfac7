//! numpy's arrays, `array.array`, `memoryview`: the buffer protocol.

use pyo3::buffer::PyUntypedBuffer;
use pyo3::ffi;
use pyo3::prelude::*;
use tepal::{KeyRef, KeySink, Keys};
use tepal_arrow::{Broken, Column, Numbers, PIECE};

use super::Rows;
use crate::error;
use crate::key::type_name;

/// Bytes of text that are copied at once, at most, but for texts that are longer.
const PIECE_BYTES: usize = 1 << 18;

/// The array that the object has, if it has one of keys. Arrays of objects have none: they are
/// walked through.
pub(super) fn rows<'py>(keys: &Bound<'py, PyAny>) -> PyResult<Option<Rows<'py>>> {
    let py = keys.py();
    // SAFETY: the object is alive, and the interpreter is held.
    if unsafe { ffi::PyObject_CheckBuffer(keys.as_ptr()) } == 0 {
        return Ok(None);
    }
    if type_name(keys).starts_with("numpy.ma.") {
        let text = "a masked array does not say by its memory what is masked; give array.compressed(), or an Arrow array with nulls";
        return Err(error::wrong_type(py, text));
    }
    let Ok(buffer) = PyUntypedBuffer::get(keys) else {
        let has_none = keys.getattr("ndim").is_ok_and(|ndim| ndim.eq(0).unwrap_or(false));
        if has_none {
            let text = format!("{} has no dimensions, and 1 is expected; give array.ravel()", what(keys));
            return Err(error::wrong_type(py, text));
        }
        // Such as numpy's dates, which the protocol has no name for.
        return Err(error::wrong_type(py, format!("{} cannot be read as keys; {ADVICE}", what(keys))));
    };
    let format = buffer.format().to_string_lossy().into_owned();
    if format == "O" {
        buffer.release(py);
        return Ok(None);
    }
    let column = column(&buffer, &format)
        .map_err(|advice| error::wrong_type(py, format!("{} cannot be read as keys; {advice}", what(keys))));
    match column {
        Ok(column) => Ok(Some(Rows::Buffer(column, buffer))),
        Err(error) => {
            buffer.release(py);
            Err(error)
        }
    }
}

const ADVICE: &str = "keys are integers, `S`, `U`, or an Arrow column of strings; convert it with astype()";

/// What the object is, for an error.
fn what(keys: &Bound<'_, PyAny>) -> String {
    match keys.getattr("dtype").and_then(|dtype| dtype.str()) {
        Ok(dtype) => format!("{} of {dtype}", type_name(keys)),
        Err(_) => type_name(keys),
    }
}

fn column(buffer: &PyUntypedBuffer, format: &str) -> Result<Box<dyn Column>, String> {
    if buffer.dimensions() != 1 {
        return Err(format!(
            "it has {} dimensions, and 1 is expected; give array.ravel()",
            buffer.dimensions()
        ));
    }
    if buffer.suboffsets().is_some_and(|offsets| offsets.iter().any(|&offset| offset >= 0)) {
        return Err("its rows lie behind pointers; copy it".into());
    }
    let (order, code) = match format.as_bytes() {
        [order @ (b'<' | b'>' | b'=' | b'@' | b'!'), code @ ..] => (*order, code),
        code => (b'@', code),
    };
    let is_swapped = match order {
        b'<' => cfg!(target_endian = "big"),
        b'>' | b'!' => cfg!(target_endian = "little"),
        _ => false,
    };
    let (start, stride, len) =
        (buffer.buf_ptr().cast_const().cast::<u8>(), buffer.strides()[0], buffer.shape()[0]);
    let width = buffer.item_size();
    let is_signed = match code {
        [b'b' | b'h' | b'i' | b'l' | b'q' | b'n'] => true,
        [b'B' | b'H' | b'I' | b'L' | b'Q' | b'N'] => false,
        [b'c' | b's'] | [b'0'..=b'9', .., b's'] => {
            return Ok(Box::new(Fixed { start, stride, len, width, is_swapped: None }));
        }
        [b'w'] | [b'0'..=b'9', .., b'w'] => {
            return Ok(Box::new(Fixed { start, stride, len, width, is_swapped: Some(is_swapped) }));
        }
        [b'?'] => return Err("say which text or number stands for True: True is not 1".into()),
        [b'e' | b'f' | b'd' | b'g'] => {
            return Err(
                "floats have other bytes and texts in other languages; round them: array.astype('int64')"
                    .into(),
            );
        }
        _ => return Err(ADVICE.into()),
    };
    if !matches!(width, 1 | 2 | 4 | 8) {
        return Err(ADVICE.into());
    }
    // SAFETY: the protocol says so of a buffer of one dimension, and `Rows` keeps the buffer for as
    // long as the column.
    Ok(Box::new(unsafe { Numbers::new(start, stride, len, (width, is_signed, is_swapped)) }))
}

/// numpy's texts of one width: bytes (`S`), or code points of four bytes (`U`), filled up with
/// zeros that do not count.
struct Fixed {
    start: *const u8,
    stride: isize,
    len: usize,
    width: usize,
    /// Of code points: are their bytes in the other order than this machine's?
    is_swapped: Option<bool>,
}

// SAFETY: it only reads, and `Rows` keeps the buffer for as long.
unsafe impl Send for Fixed {}
// SAFETY: as above.
unsafe impl Sync for Fixed {}

impl Fixed {
    /// Adds the bytes of a row.
    fn copy(&self, row: usize, copy: &mut Vec<u8>) {
        assert!(row < self.len);
        // SAFETY: the protocol says that row `row` is there.
        let from = unsafe { self.start.offset(row as isize * self.stride) };
        let end = copy.len();
        copy.resize(end + self.width, 0);
        // SAFETY: (1) the row has `width` bytes; (2) so many were added.
        unsafe { std::ptr::copy_nonoverlapping(from, copy[end..].as_mut_ptr(), self.width) };
    }

    /// The text of a row of code points.
    fn text(bytes: &[u8], is_swapped: bool, row: usize, out: &mut Vec<u8>) -> Result<(), Broken> {
        let (mut end, mut utf8) = (out.len(), [0; 4]);
        for code in bytes.chunks_exact(4) {
            let code = u32::from_ne_bytes([code[0], code[1], code[2], code[3]]);
            let code = if is_swapped { code.swap_bytes() } else { code };
            let Some(char) = char::from_u32(code) else {
                let text = format!(
                    "row {row} has {code:#x}, which is no character of UTF-8; give bytes (`S`) instead"
                );
                return Err(Broken(text));
            };
            out.extend_from_slice(char.encode_utf8(&mut utf8).as_bytes());
            if code != 0 {
                end = out.len();
            }
        }
        out.truncate(end);
        Ok(())
    }
}

impl Column for Fixed {
    fn len(&self) -> usize {
        self.len
    }

    fn most(&self) -> usize {
        (PIECE_BYTES / self.width.max(1)).clamp(1, PIECE)
    }

    fn keys(&self, start: usize, len: usize) -> Result<Box<dyn Keys + '_>, Broken> {
        let mut texts = Texts { data: Vec::new(), ends: Vec::with_capacity(len) };
        let (data, mut row_bytes) = (&mut texts.data, Vec::new());
        for row in start..start + len {
            match self.is_swapped {
                Some(is_swapped) => {
                    row_bytes.clear();
                    self.copy(row, &mut row_bytes);
                    Fixed::text(&row_bytes, is_swapped, row, data)?;
                }
                None => {
                    let begin = data.len();
                    self.copy(row, data);
                    let kept = data[begin..].iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                    data.truncate(begin + kept);
                }
            }
            texts.ends.push(data.len());
        }
        Ok(Box::new(texts))
    }

    /// Its keys are made by pieces.
    fn key(&self, row: usize) -> Result<KeyRef<'_>, Broken> {
        Err(Broken(format!("row {row} of a column without nulls was asked for by itself")))
    }
}

/// Texts one after the other, and where each ends.
struct Texts {
    data: Vec<u8>,
    ends: Vec<usize>,
}

impl Keys for Texts {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn key<'a>(&'a self, i: usize, _: &'a mut KeySink) -> KeyRef<'a> {
        let start = i.checked_sub(1).map_or(0, |before| self.ends[before]);
        KeyRef::Bytes(&self.data[start..self.ends[i]])
    }
}
