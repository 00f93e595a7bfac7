//! `Extend` for every filter that takes one key after the other, written once for the list.

#[cfg(feature = "extras")]
use super::generic::Change;
#[cfg(feature = "static")]
use super::storage::PlainStorage;
use crate::error::Result;
use crate::key::Key;

/// Ends `extend`, which cannot return an error.
#[track_caller]
pub(crate) fn or_panic(inserted: Result<()>) {
    if let Err(error) = inserted {
        panic!("{error}");
    }
}

/// Implements [`Extend`] for a type that has `insert_iter`. `$item` is what the iterator gives.
macro_rules! extend {
    ($type:ty, $item:ty $(, $storage:ident)?) => {
        /// Inserts the items of an iterator, as `insert_iter` does.
        ///
        /// # Panics
        /// If `insert_iter` returns an error, for example at a key past the capacity of a filter
        /// that refuses: this trait cannot return one.
        impl<K: Key $(, $storage: PlainStorage)?> Extend<$item> for $type {
            #[track_caller]
            fn extend<I: IntoIterator<Item = $item>>(&mut self, items: I) {
                $crate::kinds::extend::or_panic(self.insert_iter(items));
            }
        }
    };
}
pub(crate) use extend;

macro_rules! of_kind {
    // All keys of a map are given when it is built.
    (Map: $module:ident::$type:ident <$storage:ident>) => {};
    (Segment: $module:ident::$type:ident) => {
        extend!(super::$module::$type, (super::$module::Segment, K));
    };
    // Keys are added beside a ribbon, wherever it is.
    (Ribbon: $module:ident::$type:ident <$storage:ident>) => {
        extend!(super::$module::$type<L>, K, L);
    };
    ($kind:ident: $module:ident::$type:ident $(<$storage:ident>)?) => {
        extend!(super::$module::$type, K);
    };
}
each_kind!(each_type of_kind);

#[cfg(feature = "extras")]
extend!(super::excepted::ExceptedBloomFilter, K);
extend!(super::AnyFilter, K);
