//! A call of the server: its context, its arguments, the key that it names.

use std::ffi::{CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;

use crate::api::{self, KEY_EMPTY, Opaque, api};
use crate::types::{self, Type};
use crate::value::Value;

/// Runs a callback of the server. A panic is caught, since it must not reach the server's code.
pub(crate) fn caught<T>(otherwise: T, run: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(otherwise)
}

/// A text for the server: what follows a zero byte is left out.
pub(crate) fn c_text(text: &str) -> CString {
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).unwrap_or_default()
}

/// An argument of a command.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Text(Opaque);

impl Text {
    /// Its bytes. They live as long as the call that it is an argument of.
    pub(crate) fn bytes<'a>(self) -> &'a [u8] {
        let mut len = 0;
        // SAFETY: it is the server's string.
        let first = unsafe { (api().StringPtrLen)(self.0, &raw mut len) };
        // SAFETY: the server gives the bytes' address and number, and changes none in this call.
        unsafe { std::slice::from_raw_parts(first, len) }
    }
}

/// The arguments of a call.
///
/// # Safety
/// `argv` has `argc` strings of the server, for the time of the call.
pub(crate) unsafe fn args<'a>(argv: *const Opaque, argc: c_int) -> &'a [Text] {
    if argv.is_null() || argc <= 0 {
        return &[];
    }
    // SAFETY: the caller's promise; `Text` is a pointer.
    unsafe { std::slice::from_raw_parts(argv.cast::<Text>(), argc as usize) }
}

/// The context of a call.
pub(crate) struct Ctx(Opaque);

/// What a key is opened for.
pub(crate) enum Found {
    /// There is no such key.
    Nothing,
    /// A filter.
    Value(Handle),
    /// Another type's key.
    Other,
}

/// The value of a key. It stays where it is until the key is deleted or set: the server runs one
/// call at a time, and each command uses a value for changes alone.
pub(crate) struct Handle(NonNull<Value>);

impl Handle {
    /// The value, to read.
    pub(crate) fn get(self) -> &'static Value {
        // SAFETY: the types of the module hold a `Value`, and this call reads it.
        unsafe { self.0.as_ref() }
    }

    /// The value, to change. It is the only reference to it in this call.
    pub(crate) fn get_mut(mut self) -> &'static mut Value {
        // SAFETY: the types of the module hold a `Value`; the caller has no other reference to it.
        unsafe { self.0.as_mut() }
    }
}

impl Ctx {
    /// # Safety
    /// `ctx` is the context of the present call.
    pub(crate) unsafe fn new(ctx: Opaque) -> Self {
        Ctx(ctx)
    }

    pub(crate) fn raw(&self) -> Opaque {
        self.0
    }

    /// Writes a line to the server's log.
    pub(crate) fn log(&self, level: &str, line: &str) {
        let (level, line) = (c_text(level), c_text(line));
        // SAFETY: the texts end with zeros, and the format takes one text.
        unsafe { (api().Log)(self.0, level.as_ptr(), c"%s".as_ptr(), line.as_ptr()) };
    }

    fn flags(&self) -> c_int {
        // SAFETY: the context is the server's.
        unsafe { (api().GetContextFlags)(self.0) }
    }

    /// Whether the command came from the master or from the append-only file: it was accepted
    /// there, so no limit of this server refuses it.
    pub(crate) fn is_replicated(&self) -> bool {
        self.flags() & api::REPLICATED != 0
    }

    pub(crate) fn is_resp3(&self) -> bool {
        self.flags() & api::RESP3 != 0
    }

    /// The seconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        // SAFETY: it has no conditions.
        (unsafe { (api().Milliseconds)() }.max(0) / 1000) as u64
    }

    /// The server's `maxmemory`; `None` if there is no limit.
    pub(crate) fn maxmemory(&self) -> Option<u64> {
        // SAFETY: the context is the server's, and the name ends with a zero.
        let info = unsafe { (api().GetServerInfo)(self.0, c"memory".as_ptr()) };
        let mut failed = 0;
        // SAFETY: as above.
        let most =
            unsafe { (api().ServerInfoGetFieldUnsigned)(info, c"maxmemory".as_ptr(), &raw mut failed) };
        // SAFETY: it was made for this context, and is not used again.
        unsafe { (api().FreeServerInfo)(self.0, info) };
        (failed == api::OK && most > 0).then_some(most)
    }

    /// Opens a key.
    pub(crate) fn key(&self, name: Text, mode: c_int) -> Key {
        // SAFETY: context and name are the server's.
        Key { ctx: self.0, name, key: unsafe { (api().OpenKey)(self.0, name.0, mode) } }
    }

    /// Passes the command on to replicas and to the append-only file as it came.
    pub(crate) fn replicate_as_it_came(&self) {
        // SAFETY: the context is the server's.
        unsafe { (api().ReplicateVerbatim)(self.0) };
    }

    /// Passes a command on to replicas and to the append-only file: the key, then these words, then
    /// these arguments of the call, then these items.
    pub(crate) fn replicate(
        &self,
        command: &str,
        key: Text,
        words: &[String],
        given: &[Text],
        items: &[&[u8]],
    ) {
        let command = c_text(command);
        let words = words.iter().map(|word| word.as_bytes());
        let strings: Vec<Text> = words.chain(items.iter().copied()).map(|word| self.string(word)).collect();
        let (words, items) = strings.split_at(strings.len() - items.len());
        // SAFETY: the format takes a string, and three arrays of strings, each with its length.
        unsafe {
            (api().Replicate)(
                self.0,
                command.as_ptr(),
                c"svvv".as_ptr(),
                key.0,
                words.as_ptr(),
                words.len(),
                given.as_ptr(),
                given.len(),
                items.as_ptr(),
                items.len(),
            )
        };
        for string in strings {
            // SAFETY: it was made above, and nothing uses it now.
            unsafe { (api().FreeString)(self.0, string.0) };
        }
    }

    fn string(&self, bytes: &[u8]) -> Text {
        // SAFETY: the server copies the bytes.
        Text(unsafe { (api().CreateString)(self.0, bytes.as_ptr(), bytes.len()) })
    }
}

/// An open key.
pub(crate) struct Key {
    ctx: Opaque,
    name: Text,
    key: Opaque,
}

impl Key {
    /// What the key holds.
    pub(crate) fn found(&self) -> Found {
        if self.key.is_null() {
            return Found::Nothing;
        }
        // SAFETY: the key is open.
        let of = unsafe { (api().ModuleTypeGetType)(self.key) };
        if !types::is_ours(of) {
            // SAFETY: the key is open.
            let is_empty = of.is_null() && unsafe { (api().KeyType)(self.key) } == KEY_EMPTY;
            return if is_empty { Found::Nothing } else { Found::Other };
        }
        // SAFETY: the key is open.
        let value = unsafe { (api().ModuleTypeGetValue)(self.key) };
        NonNull::new(value.cast()).map_or(Found::Other, |value| Found::Value(Handle(value)))
    }

    /// Stores a value of this type in the place of what the key holds.
    pub(crate) fn set(&self, of: Type, value: Box<Value>) {
        let value = Box::into_raw(value);
        // SAFETY: the key is open for writing; the type's `free` takes the value.
        unsafe { (api().ModuleTypeSetValue)(self.key, types::raw(of), value.cast()) };
    }

    /// Tells clients that watch the key that it has changed.
    pub(crate) fn changed(&self) {
        // SAFETY: context and name are the server's.
        unsafe { (api().SignalModifiedKey)(self.ctx, self.name.0) };
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        if !self.key.is_null() {
            // SAFETY: the key is open, and is not used again.
            unsafe { (api().CloseKey)(self.key) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught() {
        assert_eq!(caught(1, || panic!("for this test")), 1);
        assert_eq!(caught(1, || 2), 2);
        assert_eq!(c_text("a\0b").as_bytes(), b"a");
    }
}
