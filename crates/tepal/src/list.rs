//! The list of kinds: one line for each kind. Nothing else in the library names all kinds.
//!
//! `each_kind!(then)` passes the lines to the macro `then` of a room. `ids` makes `Kind` from them,
//! `kinds::any` makes `AnyFilter`, `format` makes the file calls of every kind, and `lib.rs` makes
//! the exports. The list is the lowest room, since `error` and `facts` name `Kind`. So the paths in
//! it are tokens, relative to `crate::kinds`.
//!
//! A line has: documentation, the feature that the kind needs (if any), the variant, the number in
//! files, the name in files, the name for people, and the type with the storage that `AnyFilter`
//! holds it in (if the type has that parameter). A line with `+` is a further form of a kind: a
//! variant of `AnyFilter` under that kind's number.

macro_rules! each_kind {
    ($then:ident $($with:ident)?) => {
        $then! {
            $($with)?
            /// A Bloom filter, of any scheme and layout: [`BloomFilter`](crate::BloomFilter).
            Bloom = 1 "bloom" "Bloom filter": bloom::BloomFilter<Owned>;
            /// A chain of Bloom filters that grows, as in RedisBloom and valkey-bloom:
            /// `ScalableBloomFilter`. Only a chain that grows by tepal's own rule has a tepal file.
            #[feature = "foreign" or "extras"]
            Scalable = 2 "scalable" "chain of Bloom filters": chain::ScalableBloomFilter;
            /// A table of fingerprints, from which keys can be removed: `QuotientFilter`.
            #[feature = "table"]
            Quotient = 3 "quotient" "deletable filter": table::QuotientFilter;
            /// A chain of tables that grows under one promise: `GrowingFilter`.
            #[feature = "table"]
            Growing = 4 "growing" "growing filter": table::GrowingFilter;
            /// A table of fingerprints in which each key expires a window after its insert:
            /// `ExpiringFilter`.
            #[feature = "table"]
            Expiring = 5 "expiring" "filter with a window": table::ExpiringFilter;
            /// A table of fingerprints that tells which segments may hold a key: `SegmentFilter`.
            #[feature = "table"]
            Segment = 6 "segment" "filter of segments": table::SegmentFilter;
            /// The smallest filter of a set that does not change: `RibbonFilter`.
            #[feature = "static"]
            Ribbon = 7 "ribbon" "static filter": ribbon::RibbonFilter<Owned>;
            /// The smallest map from keys to small numbers that does not change: `RibbonMap`. As a
            /// filter, its members are its keys.
            #[feature = "static"]
            Map = 8 "map" "map": ribbon::RibbonMap<Owned>;

            + /// A Bloom filter that says no for some keys all the same. Its kind is that of a Bloom filter.
            #[feature = "extras"]
            Excepted of Bloom: excepted::ExceptedBloomFilter;
        }
    };
}

/// `each_kind!(each_type then)` passes each line's variant, type and storage to the macro `then`,
/// under the feature that it needs.
macro_rules! each_type {
    (
        $then:ident
        $(
            $(#[doc = $doc:literal])* $(#[feature = $feature:literal $(or $other:literal)?])?
            $kind:ident = $id:literal $name:literal $common:literal: $module:ident::$type:ident $(<$storage:ident>)?;
        )+
        $(
            + $(#[doc = $form_doc:literal])* $(#[feature = $form_feature:literal])?
            $form:ident of $of:ident: $form_module:ident::$form_type:ident;
        )*
    ) => {
        $(
            $(#[cfg(any(feature = $feature $(, feature = $other)?))])?
            $then!($kind: $module::$type $(<$storage>)?);
        )+
    };
}
