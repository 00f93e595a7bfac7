//! Answers, and the reasons for refusing a command.

use std::borrow::Cow;

use crate::api::api;
use crate::server::{Ctx, c_text};
use crate::words::words;

/// Why a command is refused.
pub(crate) enum Refusal {
    /// With this text, which begins with its code, such as `ERR`, if it has one.
    Text(Cow<'static, str>),
    /// The number of arguments is wrong.
    Arity,
}

pub(crate) type Outcome = Result<(), Refusal>;

impl From<&'static str> for Refusal {
    fn from(text: &'static str) -> Self {
        Refusal::Text(text.into())
    }
}

impl From<tepal::Error> for Refusal {
    fn from(error: tepal::Error) -> Self {
        Refusal::Text(format!("ERR {}", words(&error)).into())
    }
}

pub(crate) const WRONG_TYPE: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
pub(crate) const NOT_FOUND: &str = "ERR not found";

impl Ctx {
    pub(crate) fn refuse(&self, refusal: &Refusal) {
        match refusal {
            // SAFETY: the context is the server's.
            Refusal::Arity => unsafe { (api().WrongArity)(self.raw()) },
            Refusal::Text(text) => {
                // A line end would end the reply.
                let text = c_text(&text.replace(['\r', '\n'], " "));
                // SAFETY: as above, and the text ends with a zero.
                unsafe { (api().ReplyWithError)(self.raw(), text.as_ptr()) }
            }
        };
    }

    pub(crate) fn number(&self, number: u64) {
        self.signed(i64::try_from(number).unwrap_or(i64::MAX));
    }

    pub(crate) fn signed(&self, number: i64) {
        // SAFETY: the context is the server's.
        unsafe { (api().ReplyWithLongLong)(self.raw(), number) };
    }

    /// True or false: 1 or 0 for a client of RESP2.
    #[inline]
    pub(crate) fn bool(&self, yes: bool) {
        match api().ReplyWithBool {
            // SAFETY: the context is the server's.
            Some(reply) => drop(unsafe { reply(self.raw(), yes.into()) }),
            None => self.signed(yes.into()),
        }
    }

    pub(crate) fn null(&self) {
        // SAFETY: the context is the server's.
        unsafe { (api().ReplyWithNull)(self.raw()) };
    }

    pub(crate) fn double(&self, number: f64) {
        // SAFETY: the context is the server's.
        unsafe { (api().ReplyWithDouble)(self.raw(), number) };
    }

    pub(crate) fn ok(&self) {
        self.word("OK");
    }

    pub(crate) fn word(&self, word: &str) {
        let word = c_text(word);
        // SAFETY: the context is the server's, and the text ends with a zero.
        unsafe { (api().ReplyWithSimpleString)(self.raw(), word.as_ptr()) };
    }

    pub(crate) fn bytes(&self, bytes: &[u8]) {
        // SAFETY: the context is the server's, which copies the bytes.
        unsafe { (api().ReplyWithStringBuffer)(self.raw(), bytes.as_ptr(), bytes.len()) };
    }

    /// Begins an array of this length.
    pub(crate) fn array(&self, len: usize) {
        // SAFETY: the context is the server's.
        unsafe { (api().ReplyWithArray)(self.raw(), len as isize) };
    }

    /// Begins a map: for a client of RESP2 an array of names and values.
    pub(crate) fn map(&self, pairs: usize) {
        match api().ReplyWithMap {
            // SAFETY: the context is the server's.
            Some(reply) => drop(unsafe { reply(self.raw(), pairs as isize) }),
            None => self.array(2 * pairs),
        }
    }
}
