//! What a tepal file holds of a filter, whatever its kind: a kind gives and takes its own part and its body; the
//! envelope around them is the room `format`'s.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::panic::{RefUnwindSafe, UnwindSafe};

use super::AnyFilter;
use super::storage::Mapped;
use crate::bits::Line;
#[cfg(any(feature = "quotient", feature = "ribbon"))]
use crate::error::Error;
use crate::error::Result;
use crate::facts::Labels;
use crate::key::{KeyHasher, Recipe};
#[cfg(any(feature = "quotient", feature = "ribbon"))]
use crate::{bits::mix::spread, key::schemes::Hasher};

/// Held by a filter and its clones: counted by atomics, where the machine has them.
#[cfg(not(target_has_atomic = "ptr"))]
pub(crate) use alloc::rc::Rc as Ref;
#[cfg(target_has_atomic = "ptr")]
pub(crate) use alloc::sync::Arc as Ref;

/// Bytes of a kind's own part of the header.
pub(crate) const OWN_BYTES: usize = 88;

/// The keys of which a file says what its writer's hash makes of them.
pub(crate) const SELF_TEST_KEYS: [&[u8; 17]; 4] =
    [b"tepal self-test 0", b"tepal self-test 1", b"tepal self-test 2", b"tepal self-test 3"];

/// The sum of what the self-test keys are spread to, of a filter that spreads hashes (FORMAT.md, section 4.2.2).
#[cfg(any(feature = "quotient", feature = "ribbon"))]
pub(crate) fn self_test_of_spread(hasher: &Hasher) -> u64 {
    let Hasher::Hash(scheme) = hasher else { return 0 };
    (0..).zip(SELF_TEST_KEYS).fold(0, |sum: u64, (number, key)| {
        sum.wrapping_add(scheme.self_test_hash(number, key).map_or(0, spread))
    })
}

/// Does this hasher give what the writer's gave?
#[cfg(any(feature = "quotient", feature = "ribbon"))]
pub(crate) fn check_self_test_of_spread(hasher: &Hasher, sum: u64) -> Result<()> {
    match self_test_of_spread(hasher) == sum {
        true => Ok(()),
        false => Err(Error::damaged("this build's hash does not give the numbers that the writer's gave")),
    }
}

/// A filter as its file has it.
pub(crate) struct FilePart<'a> {
    /// The kind's own part of the header.
    pub(crate) own: [u8; OWN_BYTES],
    pub(crate) recipe: Recipe,
    pub(crate) labels: Labels,
    /// The record of the scheme: its tag and its text.
    pub(crate) scheme_record: Option<(u16, String)>,
    /// Of a kind that consists of several filters, the own part of each.
    pub(crate) links: Vec<[u8; OWN_BYTES]>,
    /// Of a kind that has more to say than there is room for in its own part, that: its segments, the names of its values.
    #[cfg(any(feature = "quotient", feature = "ribbon"))]
    pub(crate) section: Vec<u8>,
    /// The hashes of keys that it says no for, ascending (FORMAT.md, section 4.9).
    #[cfg_attr(not(feature = "except"), allow(dead_code, reason = "there are none then"))]
    pub(crate) exceptions: &'a [u64],
    /// The hashes of keys that were added beside a ribbon, ascending (FORMAT.md, section 4.11).
    pub(crate) added: &'a [u64],
    /// What tells its members from such keys, in the place of a list (section 4.10).
    #[cfg(feature = "except")]
    pub(crate) divider: Option<&'a super::divider::Divider>,
    /// The bits, in pieces that follow each other; nothing of a file whose body is still to come.
    pub(crate) body: Vec<&'a [Line]>,
}

impl<'a> FilePart<'a> {
    /// The part of a filter without links, section, exceptions and added keys.
    pub(crate) fn new(
        own: [u8; OWN_BYTES],
        keys: &KeyHasher,
        labels: &Labels,
        body: Vec<&'a [Line]>,
    ) -> Self {
        FilePart {
            own,
            recipe: keys.recipe(),
            labels: labels.clone(),
            scheme_record: keys.hasher().record(),
            links: Vec::new(),
            #[cfg(any(feature = "quotient", feature = "ribbon"))]
            section: Vec::new(),
            exceptions: &[],
            added: &[],
            #[cfg(feature = "except")]
            divider: None,
            body,
        }
    }

    /// Bytes of the bits.
    pub(crate) fn body_len(&self) -> u64 {
        self.body.iter().map(|lines| size_of_val(*lines) as u64).sum()
    }
}

/// A filter that has everything but its body.
pub(crate) trait AwaitsBody {
    /// Lines of the body.
    fn lines(&self) -> u64;
    /// Damage, where this build does not set the bits that the writer's has set. To be asked once the body is known to
    /// fit the file.
    fn self_test(&self) -> Result<()>;
    /// What its bits must be, beside what the chunks' checksums say.
    fn check(&self) -> Box<dyn CheckBody>;
    /// The filter with these lines, and what they are to be held against before they are copied.
    fn with_body(self: Box<Self>, lines: Mapped, checked: Option<Ref<dyn BodyChecked>>) -> AnyFilter;
}

/// What a kind demands of the bits of a file.
pub(crate) trait CheckBody: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Damage, where they are not that.
    fn check(&self, lines: &[Line]) -> Result<()>;
}

/// The bits of an opened file and everything they are held against, as a filter of it knows that.
pub(crate) trait BodyChecked: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Holds the bits against all of it.
    fn run(&self, lines: &[Line]) -> Result<()>;
    /// Were they found right, and not wrong since?
    fn has_passed(&self) -> bool;
    /// Is there a seal among it?
    fn is_sealed(&self) -> bool;
}
