//! The value of a key: a number, which may have a name; and what a map is built of, numbers or
//! texts.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, Result, advice};
use crate::kinds::named::{MOST_SEGMENTS, Segment, SegmentList, check_name};

/// The name for errors of the name of a value.
pub(super) const NAME: &str = "the name of a value";

/// The value of a key in a [`RibbonMap`](crate::RibbonMap): a number, which has a name if the map
/// was built of texts or [`names`](super::RibbonMapBuilder::names).
///
/// It is displayed as its name, or as its number if it has none. It can be compared with a `u32`,
/// which is its number, and with a text, which is its name.
///
/// ```
/// let country = tepal::RibbonMap::builder().build_from([("alice", "AT"), ("bob", "CH")])?;
/// if let Some(value) = country.get("bob") {
///     assert_eq!((value.to_string(), value.name(), value.number()), ("CH".into(), Some("CH"), 1));
///     assert!(value == "CH" && value == 1);
/// }
/// # Ok::<(), tepal::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Value<'a> {
    number: u32,
    names: &'a SegmentList,
}

impl<'a> Value<'a> {
    #[inline(always)]
    pub(super) fn new(number: u32, names: &'a SegmentList) -> Self {
        Value { number, names }
    }

    /// The number. If values have names, it is the place of the name among them.
    #[inline]
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }

    /// The name, if it has one.
    #[must_use]
    pub fn name(self) -> Option<&'a str> {
        self.names.name(Segment::new(u16::try_from(self.number).ok()?))
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => fmt::Display::fmt(&self.number, f),
        }
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => fmt::Debug::fmt(name, f),
            None => fmt::Debug::fmt(&self.number, f),
        }
    }
}

impl From<Value<'_>> for u32 {
    fn from(value: Value<'_>) -> u32 {
        value.number
    }
}

/// Values are equal if their numbers and their names are.
impl PartialEq<Value<'_>> for Value<'_> {
    fn eq(&self, other: &Value<'_>) -> bool {
        self.number == other.number && (core::ptr::eq(self.names, other.names) || self.name() == other.name())
    }
}

impl Eq for Value<'_> {}

impl PartialEq<u32> for Value<'_> {
    fn eq(&self, number: &u32) -> bool {
        self.number == *number
    }
}

impl PartialEq<str> for Value<'_> {
    fn eq(&self, name: &str) -> bool {
        self.name() == Some(name)
    }
}

impl PartialEq<&str> for Value<'_> {
    fn eq(&self, name: &&str) -> bool {
        *self == **name
    }
}

/// What [`RibbonMapBuilder::build_from`](super::RibbonMapBuilder::build_from) takes as the value of
/// a key: a `u32`, a text, or a [`Value`] of another map, by its name if it has one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of a key in a map",
    label = "not a `u32` and not a text",
    note = "convert a number with `u32::try_from`, and anything else to the text that stands for it"
)]
pub trait MapValue: Given {}

impl<V: Given + ?Sized> MapValue for V {}

mod sealed {
    /// A value as a caller gives it.
    pub enum GivenValue<'a> {
        Number(u32),
        Name(&'a str),
    }

    pub trait Given {
        fn given(&self) -> GivenValue<'_>;
    }
}

use sealed::{Given, GivenValue};

/// Types of values, and what each gives.
macro_rules! given {
    ($($type:ty, |$self:ident| $given:expr;)*) => {$(
        impl Given for $type {
            fn given(&$self) -> GivenValue<'_> {
                $given
            }
        }
    )*};
}
given! {
    u32, |self| GivenValue::Number(*self);
    &str, |self| GivenValue::Name(self);
    String, |self| GivenValue::Name(self);
    &String, |self| GivenValue::Name(self);
    Box<str>, |self| GivenValue::Name(self);
    Cow<'_, str>, |self| GivenValue::Name(self);
    Value<'_>, |self| self.name().map_or(GivenValue::Number(self.number), GivenValue::Name);
}

/// The numbers of values while a map is built.
pub(super) struct Numbers {
    /// The names so far, numbered as they come; or the caller's.
    by_name: BTreeMap<Box<str>, u32>,
    are_given: bool,
    has_numbers: bool,
}

impl Numbers {
    /// For values of these names, or of any names if there are none.
    pub(super) fn new(names: &[String]) -> Self {
        let by_name: BTreeMap<_, _> = names.iter().map(|name| Box::from(&**name)).zip(0..).collect();
        Numbers { are_given: !by_name.is_empty(), by_name, has_numbers: false }
    }

    /// The number of a value.
    pub(super) fn of(&mut self, value: &impl Given) -> Result<u32> {
        let name = match value.given() {
            GivenValue::Number(number) => {
                self.has_numbers = true;
                return Ok(number);
            }
            GivenValue::Name(name) => name,
        };
        if let Some(number) = self.by_name.get(name) {
            return Ok(*number);
        }
        check_name(NAME, name)?;
        if self.are_given {
            let error = Error::parameter("a value", shown(name), "one of the names of the values");
            return Err(error.with(advice!("give it a name there, or leave the names out", ValueNames)));
        }
        let number = self.by_name.len();
        check_num_names(number + 1)?;
        self.by_name.insert(name.into(), number as u32);
        Ok(number as u32)
    }

    /// The names in their order, if the values gave them, with the numbers of the pairs changed to
    /// it. Otherwise `None`.
    pub(super) fn finish(self, pairs: &mut [(u64, u32)]) -> Result<Option<Vec<String>>> {
        if self.are_given || self.by_name.is_empty() {
            return Ok(None);
        }
        if self.has_numbers {
            let error =
                Error::parameter("a list of values", "numbers and texts", "all numbers, or all texts");
            return Err(error.with(advice!("or give the names in the order of their numbers", ValueNames)));
        }
        let mut places = alloc::vec![0; self.by_name.len()];
        for (place, number) in (0..).zip(self.by_name.values()) {
            places[*number as usize] = place;
        }
        pairs.iter_mut().for_each(|pair| pair.1 = places[pair.1 as usize]);
        Ok(Some(self.by_name.into_keys().map(Into::into).collect()))
    }
}

/// Refuses more names than a map can have.
pub(super) fn check_num_names(names: usize) -> Result<()> {
    if names <= MOST_SEGMENTS {
        return Ok(());
    }
    let expected = "at most 65536; give the values as numbers, and keep their names elsewhere";
    Err(Error::parameter("the number of names", names, expected))
}

/// The name as an error shows it.
pub(super) fn shown(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}...", &name[..end]),
        None => format!("{name:?}"),
    }
}
