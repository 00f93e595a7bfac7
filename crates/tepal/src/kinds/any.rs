//! The list of kinds as one enum: a filter whose kind is known only at run time.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
#[cfg(feature = "parallel")]
use core::num::NonZeroUsize;

use super::bloom::BloomFilter;
use super::generic::{about_calls, ask_calls, change_calls, hand_on};
use super::storage::Owned;
use super::{
    AwaitsBody, Behind, BodyChecked, CheckBody, FilePart, Filter, FromFile, Inner, InnerMut, KindEntry,
    Kinded, MutableFilter, Ref, Removal, unknown_kind,
};
use crate::error::{Error, Result};
use crate::facts::{Can, Facts, Labels, Warning};
use crate::ids::{KeyDomain, Kind, Operation, OverCapacity, Scheme};
use crate::key::{
    Batch, Key, KeyHasher, KeyRef, KeySink, Keys, PreparedKeys, SecretKey, insert_in_batches,
    insert_iter_in_batches,
};

/// Makes from the list: the enum, how each variant is read from a file, and the tests for variants.
macro_rules! any_filter {
    ($(
        $(#[doc = $doc:literal])* $(#[feature = $feature:literal $(or $other:literal)?])?
        $kind:ident = $id:literal $name:literal $common:literal: $module:ident::$type:ident $(<$storage:ident>)?;
    )+ $(
        + $(#[doc = $form_doc:literal])* $(#[feature = $form_feature:literal])?
        $form:ident of $of:ident: $form_module:ident::$form_type:ident;
    )*) => {
        /// A filter whose kind is known only at run time, for example one read from a file. It has
        /// the calls of a [`BloomFilter`]. A call that its kind does not support returns
        /// [`Error::NotPossible`], which names the kind and the call.
        ///
        /// The first change copies a filter that was mapped from a file into memory. It is saved as
        /// a tepal file; an [`Opened`](crate::Opened) writes another program's format.
        #[derive(Clone, PartialEq)]
        #[non_exhaustive]
        // A program holds a handful of these; a box would cost every lookup an indirection.
        #[allow(clippy::large_enum_variant)]
        pub enum AnyFilter {
            $(
                $(#[doc = $doc])*
                $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                $kind(super::$module::$type $(<$storage>)?),
            )+
            $(
                $(#[doc = $form_doc])*
                $(#[cfg(feature = $form_feature)])?
                $form(super::$form_module::$form_type),
            )*
        }

        impl AnyFilter {
            #[inline]
            pub(crate) fn as_dyn(&self) -> &dyn Filter {
                match self {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyFilter::$kind(filter) => filter,
                    )+
                    $(
                        $(#[cfg(feature = $form_feature)])?
                        AnyFilter::$form(filter) => filter,
                    )*
                }
            }

            #[inline]
            pub(crate) fn as_dyn_mut(&mut self) -> &mut dyn MutableFilter {
                match self {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyFilter::$kind(filter) => filter,
                    )+
                    $(
                        $(#[cfg(feature = $form_feature)])?
                        AnyFilter::$form(filter) => filter,
                    )*
                }
            }

            /// Adds all keys of a filter of the same kind, shape and hasher.
            ///
            /// # Errors
            /// [`Error::Incompatible`] if they differ; [`Error::CapacityReached`] if the union
            /// would hold more than the capacity and the policy is to refuse. The filter is
            /// unchanged then.
            pub fn union_with(&mut self, other: &AnyFilter) -> Result<()> {
                match (self, other) {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        (AnyFilter::$kind(a), AnyFilter::$kind(b)) => MutableFilter::union_with(a, b),
                    )+
                    $(
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$form(a), AnyFilter::$form(b)) => a.union_with(b),
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$form(a), AnyFilter::$of(b)) => a.union_with_plain(b),
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$of(_), AnyFilter::$form(_)) => {
                            Err(super::$form_module::comes_first(Operation::Unite))
                        },
                    )*
                    #[allow(unreachable_patterns, reason = "if there is only one kind")]
                    (a, b) => Err(other_kind(a.kind(), b.kind())),
                }
            }

            /// Keeps the keys that both filters have.
            ///
            /// # Errors
            /// [`Error::Incompatible`] if they differ; [`Error::NotPossible`] for a kind without
            /// intersection. The filter is unchanged then.
            pub fn intersect_with(&mut self, other: &AnyFilter) -> Result<()> {
                match (self, other) {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        (AnyFilter::$kind(a), AnyFilter::$kind(b)) => MutableFilter::intersect_with(a, b),
                    )+
                    $(
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$form(a), AnyFilter::$form(b)) => a.intersect_with(b),
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$form(a), AnyFilter::$of(b)) => a.intersect_with_plain(b),
                        $(#[cfg(feature = $form_feature)])?
                        (AnyFilter::$of(_), AnyFilter::$form(_)) => {
                            Err(super::$form_module::comes_first(Operation::Intersect))
                        },
                    )*
                    #[allow(unreachable_patterns, reason = "if there is only one kind")]
                    (a, b) => Err(other_kind(a.kind(), b.kind())),
                }
            }
        }

        $(
            $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
            impl From<super::$module::$type $(<$storage>)?> for AnyFilter {
                /// Converts without a copy.
                fn from(filter: super::$module::$type $(<$storage>)?) -> Self {
                    AnyFilter::$kind(filter)
                }
            }
        )+
        $(
            $(#[cfg(feature = $form_feature)])?
            impl From<super::$form_module::$form_type> for AnyFilter {
                fn from(filter: super::$form_module::$form_type) -> Self {
                    AnyFilter::$form(filter)
                }
            }
        )*

        /// A filter of any kind, read from a file up to its body.
        pub(crate) enum AnyBodiless {
            $(
                $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                $kind(<super::$module::$type $(<$storage>)? as Kinded>::Bodiless),
            )+
        }

        impl AnyBodiless {
            fn as_dyn(&self) -> &dyn AwaitsBody {
                match self {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyBodiless::$kind(bodiless) => bodiless,
                    )+
                }
            }
        }

        $(
            $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
            const _: () = assert!(
                <super::$module::$type $(<$storage>)? as Kinded>::ENTRY.kind as u16 == Kind::$kind as u16,
                "the entry of a type names another kind than its line in the list"
            );
        )+

        impl FromFile for AnyFilter {
            type Bodiless = AnyBodiless;

            #[allow(unreachable_patterns, reason = "if every kind is built in")]
            fn entry(kind: Kind) -> Result<KindEntry> {
                match kind {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        Kind::$kind => Ok(<super::$module::$type $(<$storage>)? as Kinded>::ENTRY),
                    )+
                    _ => Err(unknown_kind(kind.id())),
                }
            }

            #[allow(unreachable_patterns, reason = "if every kind is built in")]
            fn of_part(kind: Kind, part: &FilePart<'_>, secret: Option<&SecretKey>) -> Result<AnyBodiless> {
                match kind {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        Kind::$kind => <super::$module::$type $(<$storage>)? as Kinded>::of_part(part, secret)
                            .map(AnyBodiless::$kind),
                    )+
                    _ => Err(unknown_kind(kind.id())),
                }
            }

            fn with_body(bodiless: AnyBodiless, lines: Owned, checked: Option<Ref<dyn BodyChecked>>) -> Self {
                match bodiless {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyBodiless::$kind(bodiless) => AnyFilter::$kind(Kinded::with_body(bodiless, lines, checked)),
                    )+
                }
            }

            const WITH_BEHIND: Option<fn(Self, Behind) -> Self> = Some(|filter, behind| match filter {
                // The further form of a kind takes what its own type cannot.
                $(
                    $(#[cfg(feature = $form_feature)])?
                    AnyFilter::$of(filter) => AnyFilter::$form(super::$form_module::$form_type::of_file(filter, behind)),
                )*
                #[allow(unreachable_patterns, reason = "only some kinds have a further form")]
                other => other.kind_with_behind(behind),
            });
        }

        impl AnyFilter {
            /// Adds the data behind the body of its file, if its own type takes that data.
            fn kind_with_behind(self, behind: Behind) -> Self {
                match self {
                    $(
                        $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
                        AnyFilter::$kind(filter) => AnyFilter::$kind(taking(filter, behind)),
                    )+
                    #[allow(unreachable_patterns, reason = "if there is no further form")]
                    form => form,
                }
            }
        }
    };
}
each_kind!(any_filter);

/// Adds the data behind the body of its file. A file with data that its kind cannot take was
/// refused before.
fn taking<K: Kinded>(filter: K, behind: Behind) -> K {
    match K::WITH_BEHIND {
        Some(take) => take(filter, behind),
        None => filter,
    }
}

impl AwaitsBody for AnyBodiless {
    fn lines(&self) -> u64 {
        self.as_dyn().lines()
    }

    fn self_test(&self) -> Result<()> {
        self.as_dyn().self_test()
    }

    fn check(&self) -> Box<dyn CheckBody> {
        self.as_dyn().check()
    }
}

impl fmt::Debug for AnyFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_dyn().fmt(f)
    }
}

fn other_kind(expected: Kind, found: Kind) -> Error {
    Error::Incompatible {
        property: "kind",
        expected: expected.common_name().into(),
        found: found.common_name().into(),
    }
}

hand_on!(AnyFilter: self => self.as_dyn(), self.as_dyn_mut());

impl AnyFilter {
    about_calls!();

    ask_calls!(pub);

    change_calls!(pub);

    /// Everything about the filter, as data. Costs some passes over the bits.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Filter::facts(self)
    }

    /// Warnings for the user: promises that the scheme cannot keep.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        Inner::warnings(self)
    }

    /// What a lookup of this key reads: its place in a table, or the slots of a ribbon. `None` for
    /// other kinds, and for a key that has no hash.
    #[cfg(any(feature = "table", feature = "static"))]
    #[doc(hidden)]
    #[must_use]
    pub fn touched<K: Key + ?Sized>(&self, key: &K) -> Option<crate::facts::Touched> {
        Inner::touched(self, Filter::key_hasher(self).hash(key).ok()?)
    }

    /// This filter as a Bloom filter; `None` for another kind and for a Bloom filter with
    /// exceptions.
    ///
    /// ```
    /// use tepal::{AnyFilter, BloomFilter};
    /// let any = AnyFilter::from(BloomFilter::builder().build_from(["apple"])?);
    /// assert!(any.as_bloom().is_some_and(|seen| seen.fill_ratio() > 0.0));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn as_bloom(&self) -> Option<&BloomFilter> {
        match self {
            AnyFilter::Bloom(filter) => Some(filter),
            #[allow(unreachable_patterns, reason = "if there is only one kind")]
            _ => None,
        }
    }

    /// Converts into the Bloom filter that this is.
    ///
    /// # Errors
    /// [`Error::NotPossible`] for a filter of another kind, and for one with exceptions.
    pub fn into_bloom(self) -> Result<BloomFilter> {
        match self {
            AnyFilter::Bloom(filter) => Ok(filter),
            #[cfg(feature = "extras")]
            AnyFilter::Excepted(filter) => filter.into_bloom(),
            #[allow(unreachable_patterns, reason = "if there is only one kind")]
            other => Err(other.refusal(Operation::BeAnother)),
        }
    }
}
