//! The hash schemes, one in each file: from the bytes of a key to a 64-bit hash, or directly to
//! positions (FORMAT.md, sections 1.3 and 1.4).
//!
//! A scheme with a hash implements [`Hash64`]; a scheme without one implements [`Positions`], which
//! includes the size rules of its program ([`mod@sizing`]). Both traits are in [`rule`];
//! [`parameters`] has the parameters that a caller gives. One line in `schemes!` adds a scheme to
//! [`Hasher`]; a member of [`Scheme`] without that line does not compile.

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

/// The list of schemes, each with its module and type.
macro_rules! schemes {
    (hash { $($hash:ident = $hash_type:path,)+ } positions { $($own:ident = $own_type:path,)+ }) => {
        /// A scheme with a 64-bit hash, and its parameters.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub(crate) enum HashScheme {
            $($hash($hash_type),)+
        }

        /// A scheme without a 64-bit hash, and its parameters.
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

            /// The hash of the bytes of a key.
            pub(crate) fn hash(&self, bytes: &[u8]) -> Result<u64> {
                match self { $(HashScheme::$hash(rule) => rule.hash(bytes),)+ }
            }

            /// The hash of key `number` in the file's self-test.
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

            /// Calls `visit` with each of the `k` positions of a key in `m` bits, in order, until
            /// `visit` returns `false`. Returns `true` if it never returned `false`. A position may
            /// repeat.
            #[cfg_attr(not(feature = "foreign"), allow(unused_variables, reason = "there is no such scheme then"))]
            pub(crate) fn all(&self, key: &[u8], k: u32, m: u64, visit: impl FnMut(u64) -> bool) -> bool {
                match *self {
                    $(#[cfg(feature = "foreign")]
                    OwnScheme::$own(ref rule) => rule.positions(key, k, m).all(visit),)+
                }
            }
        }

        /// Refuses a scheme that is not compiled into this build.
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
                known: concat!($(stringify!($hash), ", ",)+ "and others with the feature foreign"),
            }
        }

        /// The parameter that the scheme has.
        pub(crate) fn parameter(scheme: Scheme) -> Parameter {
            match scheme {
                $(Scheme::$hash => <$hash_type as Hash64>::PARAMETER,)+
                $(#[cfg(feature = "foreign")] Scheme::$own => <$own_type as Positions>::PARAMETER,)+
                #[cfg(not(feature = "foreign"))]
                $(Scheme::$own)|+ => Parameter::None,
            }
        }

        /// The size rules of a scheme without a 64-bit hash; `None` for a scheme with one.
        pub(crate) fn sizing(scheme: Scheme) -> Option<&'static Sizing> {
            match scheme {
                $(Scheme::$hash)|+ => None,
                $(#[cfg(feature = "foreign")] Scheme::$own => Some(&<$own_type as Positions>::SIZING),)+
                #[cfg(not(feature = "foreign"))]
                $(Scheme::$own)|+ => None,
            }
        }

        impl Hasher {
            /// Makes the scheme with these parameters.
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

/// A scheme with its parameters: the hash function of one filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hasher {
    /// Gives a 64-bit hash.
    Hash(HashScheme),
    /// Gives positions of bits.
    Own(InBox),
}

/// Boxed, because some of these schemes have many parameters and every filter has space for a
/// hasher.
#[cfg(feature = "foreign")]
type InBox = Box<OwnScheme>;
/// This build has no scheme of this sort.
#[cfg(not(feature = "foreign"))]
type InBox = OwnScheme;

impl Hasher {
    pub(crate) fn scheme(&self) -> Scheme {
        match self {
            Hasher::Hash(hash) => hash.scheme(),
            Hasher::Own(own) => own.scheme(),
        }
    }

    /// [`Error::KeyRequired`](crate::Error::KeyRequired) for a keyed filter that was opened without
    /// its key.
    pub(crate) fn check_key(&self) -> Result<()> {
        match self {
            Hasher::Hash(hash @ HashScheme::SipHash13(_)) => hash.hash(b"").map(drop),
            _ => Ok(()),
        }
    }

    /// The value that the header stores at offset 64: the seed, a check value of the secret that
    /// does not reveal it, or the parameters of the scheme.
    pub(crate) fn parameters(&self) -> u64 {
        match self {
            Hasher::Hash(hash) => hash.parameters(),
            Hasher::Own(own) => own.parameters(),
        }
    }

    /// The record of the scheme in the file: its tag and its text.
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
