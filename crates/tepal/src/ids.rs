//! The closed sets of values that a file names by number: plain enums with frozen ids and names.
//!
//! A new member is one line here; a new kind is one line in `list.rs`. The compiler then names
//! everything that is missing: the rule in [`key::schemes`](crate::key), the limits in
//! [`bits`](crate::bits), the type in [`kinds`](crate::kinds), the file in
//! [`format`](crate::format). The errors for unknown numbers and names are in
//! [`error`](crate::error).

use core::fmt;

/// A list without the comma and the space before its first member.
const fn after_comma(list: &'static str) -> &'static str {
    match core::str::from_utf8(list.as_bytes().split_at(2).1) {
        Ok(list) => list,
        Err(_) => list,
    }
}

/// Makes an enum whose members have a number and a name. `$what` is its name in an error about a
/// number, `$the` in an error about a name.
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

            /// The number of the member in a file.
            pub const fn id(self) -> $number {
                match self { $($type::$member => $id,)+ }
            }

            /// The name of the member, in texts and on the command line.
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

            /// The name of the set in an error about a number.
            pub(crate) const WHAT: &'static str = $what;
            /// The name of the set in an error about a name.
            pub(crate) const THE: &'static str = $the;
            /// All numbers with their names.
            pub(crate) const NUMBERS: &'static str = after_comma(concat!($(", ", $id, " (", $name, ")"),+));
            /// All names.
            pub(crate) const NAMES: &'static str = after_comma(concat!($(", ", $name),+));
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

/// Makes `Kind` from the list: every kind, also those not compiled in, since a file may name any.
macro_rules! kind_ids {
    ($(
        $(#[doc = $doc:literal])* $(#[feature = $feature:literal $(or $other:literal)?])?
        $kind:ident = $id:literal $name:literal $common:literal: $module:ident::$type:ident $(<$storage:ident>)?;
    )+ $(
        + $(#[doc = $form_doc:literal])* $(#[feature = $form_feature:literal])?
        $form:ident of $of:ident: $form_module:ident::$form_type:ident;
    )*) => {
        ids! {
            /// The kind of a filter. A kind with a tepal file of its own has its number in the
            /// file's header.
            Kind: u16, "filter kind", "the kind" {
                $(
                    $(#[doc = $doc])*
                    $(#[doc = concat!("With the feature `", $feature, "`", $(" or `", $other, "`",)? ".")])?
                    $kind = $id $name,
                )+
            }
        }

        impl Kind {
            /// What people call the kind, such as "deletable filter". Texts for people use it;
            /// [`name`](Self::name) is the name in files and in JSON.
            pub const fn common_name(self) -> &'static str {
                match self { $(Kind::$kind => $common,)+ }
            }

            /// The numbers and names of all kinds; if this build leaves out some, with the feature
            /// that each needs.
            pub(crate) const KNOWN: &'static str = match cfg!(all($($(any(feature = $feature $(, feature = $other)?),)?)+)) {
                true => Self::NUMBERS,
                false => after_comma(concat!(
                    $(", ", $id, " (", $name, $(" with the feature ", $feature, $(" or ", $other,)?)? ")"),+
                )),
            };
        }
    };
}
each_kind!(kind_ids);

ids! {
    /// Which bits a hash sets. The numbers are frozen: new ones are added, none is changed.
    Layout: u8, "layout", "the layout" {
        /// All bits in one cache line: one memory access for each key. The fastest layout down to a
        /// rate of 0.1 %. 4 % more memory than scattered bits at 1 %, 9 % more at 0.1 %.
        Line = 1 "line",
        /// Half of the bits in each of two lines. 1 to 2 % more memory than scattered bits down to
        /// 0.1 %. A batch fetches the second line only for keys that pass the first.
        Double = 2 "double",
        /// The 256-bit block of Apache Parquet's Bloom filter, 8 bits a key. The least computation
        /// for each key. 10 % more memory than scattered bits at 1 %, 17 % more at 0.1 %.
        SplitBlock = 3 "split-block",
        /// The classic filter: k independent positions, each in its own line. The least memory and
        /// the most memory accesses.
        Scattered = 4 "scattered",
    }
}

ids! {
    /// How the bytes of a key become a 64-bit hash, or positions of bits. The numbers are frozen:
    /// new ones are added, none is changed.
    Scheme: u8, "hash scheme", "the hash scheme" {
        /// XXH3-64 with a 64-bit seed that the file records: fast, the default. A person who knows
        /// the seed can choose keys that collide; use [`Scheme::SipHash13`] for keys from
        /// strangers.
        Xxh3 = 1 "xxh3",
        /// SipHash-1-3 with a secret 16-byte key that is never in the file. Nobody without the key
        /// can choose keys that collide. About four times the cost of XXH3 on short keys.
        SipHash13 = 2 "siphash13",
        /// XXH64 with seed 0, as Apache Parquet's Bloom filters use it.
        Xxh64 = 3 "xxh64",
        /// A hash that the caller computes and names
        /// ([`caller_hash`](crate::builders::BloomFilterBuilder::caller_hash)). The filter takes
        /// hashes instead of keys.
        CallerHash = 4 "caller-hash",
        /// First article: MD5 with a counting byte; presets of 10 %, 1 % and 0.1 %.
        Md5Presets = 16 "md5-presets",
        /// Second article: the halves of one MD5 digest, h1 + i·h2. In an array of a few hundred
        /// bits the positions run in short cycles, and the filter errs far more often than its
        /// formula says.
        Md5Split = 17 "md5-split",
        /// Third article: seven multiplicative hashes over UTF-16 units, always 2^25 bits. Weak:
        /// collisions can be written down by hand.
        Bkdr7 = 18 "bkdr7",
        /// Fourth article: FNV-1a and CRC-32, three positions.
        FnvCrc = 19 "fnv-crc",
        /// Fifth article: twelve words of one SHA-384 digest, 2^28 bits.
        Sha384 = 20 "sha384",
        /// Guava's older strategy. Its positions have 31 bits, so it cannot keep its promise above
        /// some 100 million keys.
        GuavaMitz32 = 21 "guava-mitz32",
        /// Guava's current strategy.
        GuavaMitz64 = 22 "guava-mitz64",
        /// Apache Spark up to 4.0. Its positions have 31 bits, as in Guava's older strategy.
        SparkV1 = 23 "spark-v1",
        /// Apache Spark from 4.1 on.
        SparkV2 = 24 "spark-v2",
        /// The Go library bits-and-blooms.
        BitsAndBlooms = 25 "bits-and-blooms",
        /// DCSO's bloom and flor.
        Dcso = 26 "dcso",
        /// RedisBloom, with its 64-bit hashes.
        RedisBloom = 27 "redisbloom",
        /// valkey-bloom, with its 32-byte seed.
        ValkeyBloom = 28 "valkey-bloom",
    }
}

ids! {
    /// The type of a filter's keys. It decides which bytes are hashed, whatever type the caller
    /// holds a key in.
    ///
    /// [`Bytes`](KeyDomain::Bytes) and [`Integer`](KeyDomain::Integer) are for tepal's own filters.
    /// The others need the feature `foreign`: they are encodings that other programs hash and do
    /// not record in their files.
    #[derive(Default)]
    KeyDomain: u8, "key domain", "the key domain" {
        /// Bytes, the default. Text is hashed as its UTF-8, an integer as its shortest decimal
        /// text: `42`, `"42"` and the line `42` are the same key. If all keys are numbers,
        /// `Integer` is several times as fast.
        #[default]
        Bytes = 1 "bytes",
        /// 64-bit integers, hashed as 8 little-endian bytes. `i64` and `u64` share their bits: -1
        /// and 2^64-1 are the same key. Text is accepted only as the shortest decimal form of an
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
        /// Bytes, given as hexadecimal digits: for keys that are not text, for example UUIDs,
        /// digests and Parquet's DECIMAL. Upper or lower case; a hyphen may separate two bytes.
        Hex = 7 "hex",
    }
}

ids! {
    /// What happens past the capacity. From that many given keys on, the set bits decide, so a key
    /// that was inserted twice counts once.
    #[derive(Default)]
    OverCapacity: u8, "over-capacity policy", "the over-capacity policy" {
        /// Inserting a new key is an error once the capacity is used up and one more key might
        /// raise the rate above 1.03 times the promise. So the promise is kept. The default.
        ///
        /// One refusal comes before the capacity: of keys that were chosen by the filter's own hash
        /// ([`Error::KeysClustered`](crate::Error::KeysClustered)).
        #[default]
        Refuse = 1 "refuse",
        /// The key is inserted, and programs for people warn once. `is_over_capacity` returns
        /// `true` from then on, as under every policy.
        Warn = 2 "warn",
        /// The key is inserted without a warning; the rate rises.
        Ignore = 3 "ignore",
    }
}

ids! {
    /// A file format. No file contains these numbers.
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

/// An operation that a kind may refuse ([`Error::NotPossible`](crate::Error::NotPossible)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// To insert a key.
    Insert,
    /// To remove all keys.
    Clear,
    /// To remove a key.
    Remove,
    /// To set the current time.
    Advance,
    /// To become the union with another filter.
    Unite,
    /// To become the intersection with another filter.
    Intersect,
    /// To become a smaller filter of its kind.
    Fold,
    /// To become a static filter.
    BecomeStatic,
    /// To change the policy past the capacity.
    SetOverCapacity,
    /// To keep labels about the set.
    SetLabels,
    /// To answer `false` for known keys.
    Except,
    /// To have segments.
    HaveSegments,
    /// To become a value of another type: one Bloom filter, or the kind that a file was opened as.
    BeAnother,
    /// To be saved in a tepal file.
    BeInFile,
    /// To be embedded in a store of the caller.
    BeEmbedded,
}

impl Operation {
    /// The operation in the words of an error.
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

    /// Every member has its own number and name and is found by both. The members stand in the
    /// order of their numbers, which is also the order of comparison.
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
