//! What an error's text tells the caller to do, as data: sentences in which calls are values. So a
//! sentence stands once, and the library, the command and the Python package each name the call.

use core::fmt;

/// Makes [`WayOut`]: each line has a variant, and the library's call for it.
macro_rules! ways_out {
    ($(#[$outer:meta])* pub enum WayOut { $($(#[$inner:meta])* $way:ident = $call:literal,)+ }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum WayOut {
            $($(#[$inner])* $way,)+
        }

        impl WayOut {
            /// All of them.
            pub const ALL: &'static [WayOut] = &[$(WayOut::$way),+];

            /// The library's call.
            const fn call(self) -> &'static str {
                match self { $(WayOut::$way => $call,)+ }
            }
        }
    };
}

ways_out! {
    /// A call, a flag or an argument that a text names as the way out of an error.
    ///
    /// It is complete on purpose, not `#[non_exhaustive]`: a new one does not compile before each
    /// [`Door`] has a word for it. So a release may add some, and only doors match on it.
    pub enum WayOut {
        /// A seed of the filter's own.
        Seed = "`seed_for`",
        /// A secret key to build with.
        Secret = "`secret_key`",
        /// The secret key to open with.
        OpenSecret = "`Open::secret_key`",
        /// The key of the seal to open with.
        OpenSeal = "`Open::seal_key`",
        /// The name to build with.
        Name = "`Labels::name`",
        /// The capacity to build with.
        Capacity = "`capacity`",
        /// The number of keys that a growing filter begins with.
        First = "`first`",
        /// The number of bits to build with.
        BitLen = "`bit_len`",
        /// The factor by which a chain grows.
        Expansion = "`expansion`",
        /// What happens past the capacity.
        OverCapacity = "`over_capacity`",
        /// The names of the values of a map.
        ValueNames = "`names`",
        /// The number of bits of a count.
        CountBits = "`count_bits`",
        /// The length of a window.
        WindowLength = "`window_of_time`, `window_of_keys`",
        /// The keys to build from, in place of a capacity.
        Keys = "`build_from`",
        /// The hash that the caller computes.
        CallerHash = "`caller_hash`",
        /// Calls that take a hash.
        HashCalls = "`contains_hash`, `insert_hash`",
        /// Inserts a key.
        Insert = "`insert`",
        /// Inserts a key into a segment.
        InsertInSegment = "`SegmentFilter::insert`",
        /// Adds a segment.
        AddSegment = "`add_segment`",
        /// Drops a segment.
        DropSegment = "`drop_segment`",
        /// Makes one segment of two.
        MergeSegments = "`merge_segments`",
        /// Makes one table of a growing filter.
        Freeze = "`GrowingFilter::freeze`",
        /// Lays a table out for the keys in it.
        ShrinkToFit = "`shrink_to_fit`",
        /// The factors by which a filter can be folded.
        FoldFactors = "`fold_factors`",
        /// Builds a static filter.
        Static = "`RibbonFilter::builder`",
        /// Builds a map.
        Map = "`RibbonMap::builder`",
        /// Builds a static filter of segments.
        StaticSegments = "`RibbonMap::builder`",
        /// Builds a deletable filter.
        Deletable = "`QuotientFilter::builder`",
        /// Builds a growing filter.
        Growing = "`build_growing`, `build_chain`",
        /// Builds a growing filter from which keys can be removed.
        GrowingDeletable = "`GrowingFilterBuilder::deletable`",
        /// Builds a filter with a window.
        Window = "`ExpiringFilter::builder`",
        /// Builds a filter of segments.
        Segments = "`SegmentFilter::builder`",
        /// Builds a Bloom filter that is exact on a list of non-members.
        ExactOn = "`AnyFilter::divide`",
        /// Builds it with a list of exceptions in place of a divider.
        ExactAsList = "`AnyFilter::except`",
        /// Makes a filter's file.
        MakeFile = "`save`",
        /// Opens a file of any kind.
        OpenAny = "`tepal::open`, `tepal::from_bytes`",
        /// The format of the file to open.
        OpenFormat = "`Open::format`",
        /// Copies a filter from its bytes.
        Copy = "`from_bytes`, `from_embedded`",
        /// Reads the embedded form of a filter.
        FromEmbedded = "`from_embedded`",
        /// Puts the bytes of a file into the program, aligned.
        Aligned = "`tepal::include_aligned!`",
        /// Writes the file of a filter.
        ToBytes = "`Opened::to_bytes`",
        /// Makes a file of another format.
        NewFile = "`Opened::new`",
        /// Saves to a named file.
        SaveTo = "`save`, `save_new`",
        /// Replaces an existing file.
        Replace = "`save`",
        /// Makes a patch.
        MakePatch = "`Patch::between`",
        /// Turns on more features of the library.
        Features = "or more of its features",
    }
}

/// The words of a *door*, a program or package around the library, for what texts name. Only doors
/// implement it. It may get more methods in any release.
///
/// ```
/// use tepal::{BloomFilter, error::{Door, WayOut}};
///
/// struct Flags;
///
/// impl Door for Flags {
///     fn way_out(&self, way: WayOut) -> Option<&'static str> {
///         (way == WayOut::MakeFile).then_some("--make")
///     }
/// }
///
/// let error = BloomFilter::from_bytes(b"").unwrap_err();
/// let text = "not a tepal filter: it is empty; give a filter's file";
/// assert_eq!(error.in_words(&Flags).to_string(), format!("{text} (--make)"));
/// assert_eq!(error.to_string(), format!("{text} (`save`)"));
/// ```
pub trait Door {
    /// The call or flag, as the text has it in parentheses. `None` if the door has none; the text
    /// names none then.
    fn way_out(&self, way: WayOut) -> Option<&'static str>;
}

/// The library as a door: its calls.
pub(crate) struct Calls;

impl Door for Calls {
    fn way_out(&self, way: WayOut) -> Option<&'static str> {
        Some(way.call())
    }
}

/// What to do: a text, and the calls that it names. `Display` has the library's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice(pub(crate) &'static [Piece]);

/// A part of an [`Advice`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(&'static str),
    Way(WayOut),
}

/// An [`Advice`]: texts as literals and calls as variants of [`WayOut`], in the order of the
/// sentence. A call stands in parentheses and may be missing, so the texts read well without it.
macro_rules! advice {
    (@ $text:literal) => { $crate::error::Piece::Text($text) };
    (@ $way:ident) => { $crate::error::Piece::Way($crate::error::WayOut::$way) };
    ($($piece:tt),* $(,)?) => { $crate::error::Advice(&[$($crate::error::advice!(@ $piece)),*]) };
}
pub(crate) use advice;

impl Advice {
    /// No advice.
    pub(crate) const NONE: Advice = Advice(&[]);

    /// The calls that it names.
    #[cfg(test)]
    pub(super) fn ways(&self) -> impl Iterator<Item = WayOut> + use<> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Way(way) => Some(*way),
            Piece::Text(_) => None,
        })
    }
}

/// What can be told in the words of a door.
pub(crate) trait Told {
    fn tell(&self, f: &mut fmt::Formatter<'_>, door: &dyn Door) -> fmt::Result;
}

impl Told for Advice {
    fn tell(&self, f: &mut fmt::Formatter<'_>, door: &dyn Door) -> fmt::Result {
        self.0.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Way(way) => match door.way_out(*way) {
                Some(call) => [" (", call, ")"].into_iter().try_for_each(|part| f.write_str(part)),
                None => Ok(()),
            },
        })
    }
}

/// Something told in the words of a door.
pub(crate) struct InWords<'a, T>(pub(crate) &'a T, pub(crate) &'a dyn Door);

impl<T: Told> fmt::Display for InWords<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.tell(f, self.1)
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tell(f, &Calls)
    }
}
