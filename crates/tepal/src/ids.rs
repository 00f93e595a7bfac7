//! The closed sets that a file names by number: plain enums, each with its frozen ids and its
//! names.
//!
//! A new member is one line here, a new kind one line in `list.rs`. Whatever has to know of it then
//! does not compile until it does: its rule in [`key::schemes`](crate::key), its limits in
//! [`bits`](crate::bits), its type in [`kinds`](crate::kinds), its file in
//! [`format`](crate::format). The errors about a number or a name that no member has are in
//! [`error`](crate::error).

use core::fmt;

/// Makes an enum whose members have a number and a name. `$what` is its name in an error about a
/// number, `$the` in one about a name.
macro_rules! ids {
    (
        $(#[$outer:meta])*
        $type:ident: $number:ty, $what:literal, $the:literal {
            $($(#[$inner:meta])* $member:ident = $id:literal $name:literal,)+
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$inner])* $member,)+
        }

        impl $type {
            /// Every member that this build knows.
            pub const ALL: &'static [$type] = &[$($type::$member),+];

            /// The number that stands for it in a file.
            pub const fn id(self) -> $number {
                match self { $($type::$member => $id,)+ }
            }

            /// Its name, in texts and on the command line.
            pub const fn name(self) -> &'static str {
                match self { $($type::$member => $name,)+ }
            }

            /// The member with this number.
            pub(crate) const fn with_id(id: $number) -> Option<Self> {
                match id {
                    $($id => Some($type::$member),)+
                    _ => None,
                }
            }

            /// The member with this name.
            pub(crate) fn with_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some($type::$member),)+
                    _ => None,
                }
            }

            /// What it is called in an error about a number.
            pub(crate) const WHAT: &'static str = $what;
            /// What it is called in an error about a name.
            pub(crate) const THE: &'static str = $the;
            /// Every number, with its name.
            pub(crate) const NUMBERS: &'static str = concat!($($id, " (", $name, ") "),+).trim_ascii_end();
            /// Every name.
            pub(crate) const NAMES: &'static str = concat!($($name, " "),+).trim_ascii_end();
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

/// Makes `Kind` of the list: every kind, built in or not, since a file may name any.
macro_rules! kind_ids {
    ($(
        $(#[doc = $doc:literal])* $(#[feature = $feature:literal $(or $other:literal)?])?
        $kind:ident = $id:literal $name:literal: $module:ident::$type:ident $(<$storage:ident>)?;
    )+ $(
        + $(#[doc = $form_doc:literal])* $(#[feature = $form_feature:literal])?
        $form:ident of $of:ident: $form_module:ident::$form_type:ident;
    )*) => {
        ids! {
            /// What a filter is. A kind with a tepal file of its own has its number in the file's
            /// header.
            Kind: u16, "filter kind", "the kind" {
                $(
                    $(#[doc = $doc])*
                    $(#[doc = concat!("With the feature `", $feature, "`", $(" or `", $other, "`",)? ".")])?
                    $kind = $id $name,
                )+
            }
        }

        impl Kind {
            /// Every number with its name, and the feature that it needs.
            pub(crate) const WITH_FEATURES: &'static str = concat!(
                $($id, " (", $name, $(" with `", $feature, "`", $(" or `", $other, "`",)?)? ") "),+
            ).trim_ascii_end();
        }
    };
}
each_kind!(kind_ids);

ids! {
    /// Which bits a hash sets. Frozen numbers, only ever added to.
    Layout: u8, "layout", "the layout" {
        /// All bits in one cache line: one memory access a key. The fastest down to a rate of 0.1
        /// %; 4 % more memory than scattered bits at 1 %, 9 % more at 0.1 %.
        Line = 1 "line",
        /// Half of the bits in each of two lines: within 1 to 2 % of the memory of scattered bits
        /// down to 0.1 %. A batch fetches the second line only for keys that pass the first.
        Double = 2 "double",
        /// The 256-bit block of Apache Parquet's Bloom filter, 8 bits a key: the least work a key,
        /// 10 % more memory than scattered bits at 1 %, 17 % more at 0.1 %.
        SplitBlock = 3 "split-block",
        /// The classic filter: k independent positions, each in a line of its own. The least
        /// memory, the most memory accesses.
        Scattered = 4 "scattered",
    }
}

ids! {
    /// How the bytes of a key become a 64-bit hash, or go straight to bits. Frozen numbers, only
    /// ever added to.
    Scheme: u8, "hash scheme", "the hash scheme" {
        /// XXH3-64 with a 64-bit seed that the file keeps: fast, the default. Someone who knows the
        /// seed can choose keys that collide; where keys come from strangers, use
        /// [`Scheme::SipHash13`].
        Xxh3 = 1 "xxh3",
        /// SipHash-1-3 with a secret 16-byte key that is never in the file: nobody without the key
        /// can choose keys that collide. About four times the cost of XXH3 on short keys.
        SipHash13 = 2 "siphash13",
        /// XXH64 with seed 0, as Apache Parquet's Bloom filters use it.
        Xxh64 = 3 "xxh64",
        /// A hash that the caller computes, under the name that the caller gives it
        /// ([`caller_hash`](crate::builders::BloomFilterBuilder::caller_hash)). Such a filter takes
        /// hashes and no keys.
        CallerHash = 4 "caller-hash",
        /// First article: MD5 with a counting byte; presets of 10 %, 1 % and 0.1 %.
        Md5Presets = 16 "md5-presets",
        /// Second article: the halves of one MD5 digest, h1 + i·h2. In an array of few hundred bits
        /// its positions run in short cycles, and it errs far more often than its formula says.
        Md5Split = 17 "md5-split",
        /// Third article: seven multiplicative hashes over UTF-16 units, always 2^25 bits. Weak:
        /// collisions can be written down by hand.
        Bkdr7 = 18 "bkdr7",
        /// Fourth article: FNV-1a and CRC-32, three positions.
        FnvCrc = 19 "fnv-crc",
        /// Fifth article: twelve words of one SHA-384 digest, 2^28 bits.
        Sha384 = 20 "sha384",
        /// Guava's older strategy. Its positions are 31 bits, so it cannot keep its promise from
        /// some 100 million keys on.
        GuavaMitz32 = 21 "guava-mitz32",
        /// Guava's present strategy.
        GuavaMitz64 = 22 "guava-mitz64",
        /// Apache Spark up to 4.0. Its positions are 31 bits, as Guava's older strategy's.
        SparkV1 = 23 "spark-v1",
        /// Apache Spark from 4.1 on.
        SparkV2 = 24 "spark-v2",
        /// The Go library bits-and-blooms.
        BitsAndBlooms = 25 "bits-and-blooms",
        /// DCSO's bloom and flor.
        Dcso = 26 "dcso",
        /// RedisBloom, with its 64-bit hashes.
        RedisBloom = 27 "redisbloom",
        /// valkey-bloom, under its 32-byte seed.
        ValkeyBloom = 28 "valkey-bloom",
    }
}

ids! {
    /// What the keys of a filter are. The filter's domain decides which bytes are hashed, never the
    /// type the caller holds the key in.
    ///
    /// [`Bytes`](KeyDomain::Bytes) and [`Integer`](KeyDomain::Integer) are for tepal's own filters;
    /// the others are encodings that other programs hash and their files do not record, with the
    /// feature `foreign`.
    #[derive(Default)]
    KeyDomain: u8, "key domain", "the key domain" {
        /// Bytes, the default. Text is its UTF-8; an integer is its shortest decimal text, so that
        /// `42`, `"42"` and the line `42` are one key. Where all keys are numbers, `Integer` is
        /// several times as fast.
        #[default]
        Bytes = 1 "bytes",
        /// 64-bit integers, hashed as 8 little-endian bytes; `i64` and `u64` share their bits (-1
        /// and 2^64-1 are one key). Text is accepted only as the shortest decimal form of such an
        /// integer.
        Integer = 2 "int64",
        /// 32-bit integers, hashed as 4 little-endian bytes: Guava's `integerFunnel`, Parquet's
        /// INT32.
        Integer32 = 3 "int32",
        /// Text, hashed as its UTF-16 units, little-endian: Guava's `unencodedCharsFunnel`.
        Utf16 = 4 "utf16",
        /// Numbers, hashed as the 4 bytes of an IEEE 754 binary32: Parquet's FLOAT. Given as
        /// decimal text.
        Float32 = 5 "float32",
        /// Numbers, hashed as the 8 bytes of an IEEE 754 binary64: Parquet's DOUBLE. Given as
        /// decimal text.
        Float64 = 6 "float64",
        /// Bytes, given as hexadecimal digits: for keys that are no text, such as UUIDs, digests
        /// and Parquet's DECIMAL. Either case; a hyphen may stand between two bytes.
        Hex = 7 "hex",
    }
}

ids! {
    /// What happens when more keys come than the filter was planned for. Judged by the set bits
    /// once as many keys as the capacity were given: keys that come twice use nothing up.
    #[derive(Default)]
    OverCapacity: u8, "over-capacity policy", "the over-capacity policy" {
        /// Inserting a new key is an error, as soon as the keys of the capacity were given and one
        /// more might take the rate past 1.03 times the promise; so the promise is kept. The
        /// default.
        ///
        /// One refusal comes before the capacity: of keys that were chosen by the filter's own hash
        /// ([`Error::KeysClustered`](crate::Error::KeysClustered)).
        #[default]
        Refuse = 1 "refuse",
        /// The key goes in, and `is_over_capacity` answers `true` from then on.
        Warn = 2 "warn",
        /// The key goes in, and nobody is told; the rate rises.
        Ignore = 3 "ignore",
    }
}

ids! {
    /// A file format. The numbers stand in no file.
    Format: u8, "file format", "the format" {
        /// tepal's own (`FORMAT.md`).
        Tepal = 1 "tepal",
        /// Google Guava's `BloomFilter.writeTo`, both strategies.
        Guava = 2 "guava",
        /// Apache Spark's sketch, V1 and V2.
        Spark = 3 "spark",
        /// Apache Parquet's split-block filter, with or without its Thrift header.
        ParquetSbbf = 4 "parquet-sbbf",
        /// The Go library bits-and-blooms v3, binary or JSON.
        BitsAndBlooms = 5 "bits-and-blooms",
        /// DCSO's bloom and flor.
        Dcso = 6 "dcso",
        /// RedisBloom: the pairs of `BF.SCANDUMP`, or a `DUMP` payload.
        RedisBloom = 7 "redisbloom",
        /// valkey-bloom's `BF.LOAD` blob.
        ValkeyBloom = 8 "valkey-bloom",
    }
}

/// What a kind may be asked to do, and refuse ([`Error::NotPossible`](crate::Error::NotPossible)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// To take a key.
    Insert,
    /// To forget all keys.
    Clear,
    /// To remove a key.
    Remove,
    /// To be told the time.
    Advance,
    /// To take on all keys of another filter.
    Unite,
    /// To keep what another filter has too.
    Intersect,
    /// To become a smaller filter of its kind.
    Fold,
    /// To become a static filter.
    BecomeStatic,
    /// To do something else past its capacity.
    SetOverCapacity,
    /// To keep texts about the set.
    SetLabels,
    /// To say no for known keys.
    Except,
    /// To have segments.
    HaveSegments,
    /// To be a value of another type: one Bloom filter, or the kind that a file was opened as.
    BeAnother,
    /// To be in a tepal file.
    BeInFile,
    /// To be embedded in a store of the caller's.
    BeEmbedded,
}

impl Operation {
    /// What the kind cannot do, as an error says it.
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Insert => "take this key",
            Operation::Clear => "be cleared",
            Operation::Remove => "remove a key",
            Operation::Advance => "be told the time",
            Operation::Unite => "be united",
            Operation::Intersect => "be intersected",
            Operation::Fold => "be folded",
            Operation::BecomeStatic => "become a static filter",
            Operation::SetOverCapacity => "change what happens past its capacity",
            Operation::SetLabels => "have labels",
            Operation::Except => "take exceptions",
            Operation::HaveSegments => "have segments",
            Operation::BeAnother => "be a filter of another type",
            Operation::BeInFile => "be in a tepal file",
            Operation::BeEmbedded => "be embedded",
        }
    }

    /// What to do instead, where the kind has nothing better to say.
    pub(crate) const fn instead(self) -> &'static str {
        match self {
            Operation::Remove => "build a `QuotientFilter` of its keys (`tepal build --deletable`)",
            Operation::Advance => "build an `ExpiringFilter` of its keys (`tepal build --window`)",
            Operation::Except => "build one Bloom filter of its keys",
            Operation::HaveSegments => "build a `SegmentFilter` of its keys (`tepal build --by`)",
            Operation::BeAnother => {
                "use it as an `AnyFilter`, which `tepal::open` and `tepal::from_bytes` give"
            }
            Operation::BecomeStatic => {
                "it holds bits that keys have in common, and of no key enough to make another filter of it; build one of the list (`RibbonFilter::builder`, `tepal build --static`)"
            }
            _ => "build one filter from its keys",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;

    /// Each member has a number and a name of its own, and is found by both. They stand in the
    /// order of their numbers, by which they are compared.
    macro_rules! goes_both_ways {
        ($($type:ident),+) => {$(
            assert!($type::ALL.windows(2).all(|pair| pair[0].id() < pair[1].id()), "{}", $type::WHAT);
            let names: BTreeSet<_> = $type::ALL.iter().map(|member| member.name()).collect();
            assert_eq!(names.len(), $type::ALL.len());
            for &member in $type::ALL {
                assert_eq!($type::with_name(member.name()), Some(member));
                assert_eq!($type::with_id(member.id()), Some(member));
            }
            assert_eq!(($type::with_name("nothing"), $type::with_id(0)), (None, None));
        )+};
    }

    #[test]
    fn numbers_and_names_go_both_ways() {
        goes_both_ways!(Kind, Layout, Scheme, KeyDomain, OverCapacity, Format);
    }
}
