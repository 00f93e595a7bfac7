//! The schemes, one file each: from the bytes of a key to a 64-bit hash, or straight to positions
//! (FORMAT.md, sections 1.3 and 1.4).
//!
//! A scheme with a hash implements [`Hash64`]; one that goes from the key straight to the bits
//! implements [`Positions`], both in [`rule`], with how its program sizes a filter
//! ([`mod@sizing`]). What a caller says of it is in [`parameters`]. One line in `schemes!` joins it
//! to [`Hasher`]; a scheme of [`Scheme`] that has none there does not compile.

#[cfg(feature = "foreign")]
mod bits_and_blooms;
#[cfg(feature = "foreign")]
mod bkdr7;
mod caller_hash;
#[cfg(feature = "foreign")]
mod dcso;
#[cfg(feature = "foreign")]
mod fnv_crc;
#[cfg(feature = "foreign")]
mod guava_mitz32;
#[cfg(feature = "foreign")]
mod guava_mitz64;
mod in_file;
#[cfg(feature = "foreign")]
mod logarithm;
#[cfg(feature = "foreign")]
mod md5_presets;
#[cfg(feature = "foreign")]
mod md5_split;
#[cfg(feature = "foreign")]
mod murmur;
mod parameters;
#[cfg(feature = "foreign")]
mod redisbloom;
mod rule;
#[cfg(feature = "foreign")]
mod sha384;
mod siphash13;
pub(crate) mod sizing;
#[cfg(feature = "foreign")]
mod spark_v1;
#[cfg(feature = "foreign")]
mod spark_v2;
#[cfg(feature = "foreign")]
mod valkey_bloom;
pub(crate) mod xxh3;
mod xxh64;

#[cfg(feature = "foreign")]
use alloc::boxed::Box;
use alloc::string::String;

pub use caller_hash::finish_hash;
#[cfg(feature = "foreign")]
pub use parameters::Md5Split;
pub use parameters::SecretKey;
pub(crate) use parameters::{Parameter, Parameters};
#[cfg(feature = "foreign")]
pub(crate) use redisbloom::{REDISBLOOM_LN_2, redisbloom_bits_per_key};
pub(crate) use rule::Hash64;
#[cfg(feature = "foreign")]
pub(crate) use rule::Positions;
#[cfg(feature = "foreign")]
pub(crate) use valkey_bloom::VALKEY_FIXED_SEED;
pub use xxh3::DEFAULT_SEED;

#[cfg(not(feature = "foreign"))]
use crate::error::Error;
use crate::error::Result;
use crate::ids::Scheme;
use sizing::Sizing;

/// The closed list: each scheme with its module and type.
macro_rules! schemes {
    (hash { $($hash:ident = $hash_type:path,)+ } positions { $($own:ident = $own_type:path,)+ }) => {
        /// A scheme with a 64-bit hash, and its parameters.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) enum HashScheme {
            $($hash($hash_type),)+
        }

        /// A scheme without one, and its parameters.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) enum OwnScheme {
            $(#[cfg(feature = "foreign")] $own($own_type),)+
        }

        impl HashScheme {
            pub(crate) fn scheme(&self) -> Scheme {
                match self { $(HashScheme::$hash(_) => Scheme::$hash,)+ }
            }

            fn parameters(&self) -> u64 {
                match self { $(HashScheme::$hash(rule) => rule.parameters(),)+ }
            }

            fn record(&self) -> Option<String> {
                match self { $(HashScheme::$hash(rule) => rule.record(),)+ }
            }

            /// The hash of key bytes.
            pub(crate) fn hash(&self, bytes: &[u8]) -> Result<u64> {
                match self { $(HashScheme::$hash(rule) => rule.hash(bytes),)+ }
            }

            /// The hash that stands for key `number` of the file's self-test.
            pub(crate) fn self_test_hash(&self, number: u64, key: &[u8]) -> Result<u64> {
                match self { $(HashScheme::$hash(rule) => rule.self_test_hash(number, key),)+ }
            }
        }

        impl OwnScheme {
            pub(crate) fn scheme(&self) -> Scheme {
                match *self { $(#[cfg(feature = "foreign")] OwnScheme::$own(_) => Scheme::$own,)+ }
            }

            fn parameters(&self) -> u64 {
                match *self { $(#[cfg(feature = "foreign")] OwnScheme::$own(ref rule) => rule.parameters(),)+ }
            }

            fn record(&self) -> Option<String> {
                match *self { $(#[cfg(feature = "foreign")] OwnScheme::$own(ref rule) => rule.record(),)+ }
            }

            /// Calls `visit` with each of the `k` positions of a key in `m` bits, in order, while
            /// it answers `true`; says whether it always did. A position may repeat.
            #[cfg_attr(not(feature = "foreign"), allow(unused_variables, reason = "there is no such scheme then"))]
            pub(crate) fn all(&self, key: &[u8], k: u32, m: u64, visit: impl FnMut(u64) -> bool) -> bool {
                match *self {
                    $(#[cfg(feature = "foreign")]
                    OwnScheme::$own(ref rule) => rule.positions(key, k, m).all(visit),)+
                }
            }
        }

        /// Refuses a scheme that this build leaves out.
        pub(crate) fn known(scheme: Scheme) -> Result<()> {
            match scheme {
                $(Scheme::$hash)|+ => Ok(()),
                #[cfg(feature = "foreign")]
                $(Scheme::$own)|+ => Ok(()),
                #[cfg(not(feature = "foreign"))]
                $(Scheme::$own)|+ => Err(unknown(scheme)),
            }
        }

        #[cfg(not(feature = "foreign"))]
        fn unknown(scheme: Scheme) -> Error {
            Error::Unsupported {
                what: "hash scheme",
                found: scheme.id().into(),
                known: concat!($(stringify!($hash), ", ",)+ "and others with its feature `foreign`"),
            }
        }

        /// Which parameter the scheme has.
        pub(crate) fn parameter(scheme: Scheme) -> Parameter {
            match scheme {
                $(Scheme::$hash => <$hash_type as Hash64>::PARAMETER,)+
                $(#[cfg(feature = "foreign")] Scheme::$own => <$own_type as Positions>::PARAMETER,)+
                #[cfg(not(feature = "foreign"))]
                $(Scheme::$own)|+ => Parameter::None,
            }
        }

        /// How a scheme without a 64-bit hash sizes a filter; nothing for one that has a hash.
        pub(crate) fn sizing(scheme: Scheme) -> Option<&'static Sizing> {
            match scheme {
                $(Scheme::$hash)|+ => None,
                $(#[cfg(feature = "foreign")] Scheme::$own => Some(&<$own_type as Positions>::SIZING),)+
                #[cfg(not(feature = "foreign"))]
                $(Scheme::$own)|+ => None,
            }
        }

        impl Hasher {
            /// The scheme with these parameters.
            pub(crate) fn new(scheme: Scheme, given: &Parameters) -> Result<Self> {
                given.check(scheme, parameter(scheme))?;
                match scheme {
                    $(Scheme::$hash => Ok(Hasher::Hash(HashScheme::$hash(Hash64::make(given)?))),)+
                    $(#[cfg(feature = "foreign")]
                    Scheme::$own => Ok(Hasher::Own(Box::new(OwnScheme::$own(Positions::make(given)?)))),)+
                    #[cfg(not(feature = "foreign"))]
                    $(Scheme::$own)|+ => Err(unknown(scheme)),
                }
            }
        }
    };
}

schemes! {
    hash {
        Xxh3 = xxh3::Xxh3,
        SipHash13 = siphash13::SipHash13,
        Xxh64 = xxh64::Xxh64,
        CallerHash = caller_hash::CallerHash,
    }
    positions {
        Md5Presets = md5_presets::Md5Presets,
        Md5Split = Md5Split,
        Bkdr7 = bkdr7::Bkdr7,
        FnvCrc = fnv_crc::FnvCrc,
        Sha384 = sha384::Sha384,
        GuavaMitz32 = guava_mitz32::GuavaMitz32,
        GuavaMitz64 = guava_mitz64::GuavaMitz64,
        SparkV1 = spark_v1::SparkV1,
        SparkV2 = spark_v2::SparkV2,
        BitsAndBlooms = bits_and_blooms::BitsAndBlooms,
        Dcso = dcso::Dcso,
        RedisBloom = redisbloom::RedisBloom,
        ValkeyBloom = valkey_bloom::ValkeyBloom,
    }
}

/// A scheme with its parameters: what one filter does with the bytes of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hasher {
    /// To a 64-bit hash.
    Hash(HashScheme),
    /// Straight to the bits.
    Own(InBox),
}

/// Some of these schemes have more parameters than every filter is to have room for.
#[cfg(feature = "foreign")]
type InBox = Box<OwnScheme>;
/// There is none.
#[cfg(not(feature = "foreign"))]
type InBox = OwnScheme;

impl Hasher {
    pub(crate) fn scheme(&self) -> Scheme {
        match self {
            Hasher::Hash(hash) => hash.scheme(),
            Hasher::Own(own) => own.scheme(),
        }
    }

    /// What the header keeps at offset 64: the seed, a check of the secret that does not reveal it,
    /// or the parameters of the scheme.
    pub(crate) fn parameters(&self) -> u64 {
        match self {
            Hasher::Hash(hash) => hash.parameters(),
            Hasher::Own(own) => own.parameters(),
        }
    }

    /// The record that the file keeps of the scheme: its tag and its text.
    pub(crate) fn record(&self) -> Option<(u16, String)> {
        let text = match self {
            Hasher::Hash(hash) => hash.record(),
            Hasher::Own(own) => own.record(),
        };
        parameter(self.scheme()).record_tag().zip(text)
    }
}

#[cfg(all(test, feature = "foreign"))]
mod tests;
