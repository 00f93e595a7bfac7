//! The embedded form of a ribbon (FORMAT.md, section 4.8.1): its words, and a trailer of 18 to 30
//! bytes that describes it, up to 50 with a second ribbon.

use alloc::vec::Vec;
use core::ops::RangeBounds;

use super::{EmbeddedForm, EmbeddedKeys, SAID, bytes_of_lines, check_of_keys, read_form, sealed_form};
use crate::bits;
use crate::bits::ribbon::shape::{LAYERS, RibbonFields, RibbonShape};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::format::view::place_in;
use crate::ids::Kind;
use crate::key::KeyHasher;
use crate::key::schemes::sizing::check_has_hash;
use crate::kinds::ribbon::{Ribbon, RibbonFilter, RibbonMap, checked_greatest, checked_value_bits};
use crate::kinds::storage::{InBytes, Owned, PlainStorage, StableBytes};

/// Appends a number, seven bits a byte, the lowest first.
fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number; refuses it if it has more bytes than needed.
fn number(fields: &mut Fields<'_>) -> Result<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = fields.u8()?;
        let seven = u64::from(byte & 0x7F);
        if seven << shift >> shift != seven || byte == 0 && shift > 0 {
            break;
        }
        number |= seven << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(Error::damaged("a number of the embedded ribbon is longer than it has to be"))
}

/// Checks that a number is below 2^32.
fn small_number(number: u64, name: &'static str) -> Result<u32> {
    u32::try_from(number).map_err(|_| Error::parameter(name, number, "below 2^32"))
}

/// Stands in the place of a layer's number, before the numbers of a second ribbon.
const SECOND: u8 = 0;

/// Appends the layers of a ribbon.
fn put_layers(fields: &RibbonFields, out: &mut Vec<u8>) {
    for (&words, &seed) in fields.words.iter().zip(&fields.seeds).take_while(|layer| *layer.0 > 0) {
        put_number(2 * u64::from(words) + u64::from(seed > 0), out);
        if seed > 0 {
            out.push(seed);
        }
    }
}

/// Reads the words and seeds of the layers, up to the end or to the numbers of a second ribbon.
/// Also returns whether there is a second ribbon.
fn read_layers(numbers: &mut Fields<'_>) -> Result<([u32; LAYERS], [u8; LAYERS], bool)> {
    let (mut words, mut seeds, mut depth) = ([0; LAYERS], [0; LAYERS], 0);
    while !numbers.rest().is_empty() {
        let layer = number(numbers)?;
        if layer == u64::from(SECOND) {
            return Ok((words, seeds, true));
        }
        if depth == LAYERS || layer < 2 {
            return Err(Error::damaged("a layer of no words, or a ninth one, in the embedded ribbon"));
        }
        words[depth] = small_number(layer / 2, "the number of words of a layer of a ribbon")?;
        if layer % 2 == 1 {
            seeds[depth] = numbers.u8()?;
            if seeds[depth] == 0 {
                return Err(Error::damaged("a seed of the embedded ribbon is 0 and stands there"));
            }
        }
        depth += 1;
    }
    Ok((words, seeds, false))
}

/// Reads the numbers of the second ribbon, and adds it to the first one.
fn with_second(first: Ribbon<()>, numbers: &mut Fields<'_>) -> Result<Ribbon<()>> {
    let most = small_number(number(numbers)?, "the number of keys in 65536 that the second ribbon is for")?;
    let picked = number(numbers)?;
    let last = small_number(number(numbers)?, "the number of last slots of the second ribbon")?;
    let last_seed = numbers.u8()?;
    let (words, seeds, has_third) = read_layers(numbers)?;
    if has_third {
        return Err(Error::damaged(
            "an embedded ribbon has a third one behind its second one, and there are two at most",
        ));
    }
    let (Ok(most), Ok(last)) = (u16::try_from(most), u16::try_from(last)) else {
        return Err(Error::damaged(format_args!(
            "an embedded second ribbon for {most} of 65536 keys, with {last} last slots; expected at most 65535 each"
        )));
    };
    let fields = RibbonFields { columns: 1, deep: 1, split: 0, words, seeds, last, last_seed, value_bits: 0 };
    fields.check()?;
    first.with_second(&Ribbon::new(RibbonShape::new(fields)?, picked)?, most)
}

/// The bytes of the trailer before the checksum.
fn said<L>(form: EmbeddedForm, ribbon: &Ribbon<L>, check: u64) -> Vec<u8> {
    let fields = ribbon.shape.fields();
    let mut out = Vec::new();
    if form.kind == Kind::Map {
        put_number(fields.value_bits.into(), &mut out);
        put_number(ribbon.greatest.into(), &mut out);
    }
    put_number(ribbon.keys, &mut out);
    put_number(fields.split.into(), &mut out);
    put_layers(fields, &mut out);
    if let Some(thin) = &ribbon.thin {
        let own = thin.shape.fields();
        out.push(SECOND);
        put_number(thin.most.into(), &mut out);
        put_number(thin.keys, &mut out);
        put_number(own.last.into(), &mut out);
        out.push(own.last_seed);
        put_layers(own, &mut out);
    }
    let columns = fields.columns | if fields.deep > fields.columns { 0x80 } else { 0 };
    let [l0, l1] = fields.last.to_le_bytes();
    let [c0, c1, ..] = check.to_le_bytes();
    // With two ribbons of eight layers and numbers of the greatest length there are 128.
    let len = out.len() as u8;
    out.extend([form.version, len, columns, fields.last_seed, l0, l1, c0, c1]);
    out
}

/// Parses these bytes.
fn read_said(form: EmbeddedForm, said: &[u8]) -> Result<Ribbon<()>> {
    let (numbers, rest) = said.split_at(said.len() - SAID);
    let (columns, last_seed) = (rest[2] & 0x7F, rest[3]);
    let mut numbers = Fields::at(numbers, 0);
    let (value_bits, greatest) = match form.kind {
        Kind::Map => (checked_value_bits(number(&mut numbers)?)?, number(&mut numbers)?),
        _ => (0, 0),
    };
    let keys = number(&mut numbers)?;
    let split = small_number(number(&mut numbers)?, "the number of words with one column more")?;
    let (words, seeds, has_second) = read_layers(&mut numbers)?;
    if has_second && form.kind == Kind::Map {
        return Err(Error::damaged("the embedded map has a second ribbon, which no map has"));
    }
    let fields = RibbonFields {
        columns,
        deep: columns + (rest[2] >> 7),
        split,
        words,
        seeds,
        last: u16::from_le_bytes([rest[4], rest[5]]),
        last_seed,
        value_bits,
    };
    fields.check()?;
    let ribbon = Ribbon::new(RibbonShape::new(fields)?, keys)?;
    match form.kind {
        Kind::Map => Ok(ribbon.with_greatest(checked_greatest(greatest, value_bits, keys)?)),
        _ if has_second => with_second(ribbon, &mut numbers),
        _ => Ok(ribbon),
    }
}

/// The ribbon in the embedded form, and the length of its words in bytes, after all checks.
fn read(form: EmbeddedForm, bytes: &[u8], hasher: &EmbeddedKeys<'_>) -> Result<(Ribbon<()>, usize)> {
    check_has_hash("the scheme of the key hasher", hasher.0.scheme())?;
    let (body, said) = read_form(form, bytes, hasher)?;
    let ribbon = read_said(form, said)?;
    if ribbon.num_lines().checked_mul(bits::LINE_BYTES) != Some(body.len() as u64) {
        let words = ribbon.num_words();
        return Err(Error::damaged(format_args!("{words} words do not take {} bytes", body.len())));
    }
    Ok((ribbon, body.len()))
}

fn write<L: PlainStorage>(form: EmbeddedForm, ribbon: &Ribbon<L>, hasher: &KeyHasher) -> Result<Vec<u8>> {
    let check = check_of_keys(hasher);
    let body = bytes_of_lines(ribbon.as_lines(), len(form, ribbon))?;
    Ok(sealed_form(body, &said(form, ribbon, check), check))
}

fn len<L: PlainStorage>(form: EmbeddedForm, ribbon: &Ribbon<L>) -> u64 {
    size_of_val(ribbon.as_lines()) as u64 + said(form, ribbon, 0).len() as u64 + 8
}

/// The calls of a kind. `$not_kept` names what the form does not record, `$refused` the filters
/// that have no embedded form; the rest is an example.
macro_rules! embedded {
    ($filter:ident, $builder:literal, $form:expr, $not_kept:literal, $refused:literal, $($example:literal)*) => {
        impl<L: PlainStorage> $filter<L> {
            /// The embedded form: the ribbon in whole lines of 64 bytes, and a trailer. It is for
            /// stores with many of these that keep the common parts elsewhere, for example the
            /// tables of an LSM tree. The trailer has 18 to 30 bytes, up to 50 with a second
            /// ribbon, 144 at most. It describes the ribbon and holds a checksum and a check of
            /// scheme, seed, secret, key domain and recipe, so that a wrong [`KeyHasher`] is
            /// refused.
            ///
            #[doc = $not_kept]
            ///
            $(#[doc = $example])*
            ///
            /// # Errors
            #[doc = $refused]
            /// [`Error::TooLarge`] if memory is short; [`Error::Damaged`] if it was opened
            /// [quick](crate::Open::quick) and its ribbon is damaged.
            pub fn to_embedded(&self) -> Result<Vec<u8>> {
                self.check_embeddable()?;
                self.check_before_copying()?;
                let (ribbon, hasher) = self.embedded();
                write($form, ribbon, hasher)
            }

            /// The length of the [embedded form](Self::to_embedded) in bytes.
            #[must_use]
            pub fn embedded_len(&self) -> u64 {
                len($form, self.embedded().0)
            }
        }

        impl $filter {
            /// Reads the [embedded form](Self::to_embedded) into memory. `keys` is its key hasher,
            /// from
            #[doc = concat!("[`key_hasher`](", $builder, "::key_hasher) of the builder; `None` is the default one. Everything is checked.")]
            ///
            /// The promised rate becomes the actual rate.
            ///
            /// # Errors
            /// [`Error::OtherKeys`] for another scheme, seed, secret, key domain or recipe;
            /// [`Error::NotPossible`] for the embedded form of another kind; [`Error::Damaged`],
            /// [`Error::Parameter`] and [`Error::Unsupported`] for bytes that are not an embedded
            /// form; [`Error::TooLarge`] if memory is short.
            pub fn from_embedded<'k>(bytes: &[u8], keys: impl Into<Option<&'k KeyHasher>>) -> Result<Self> {
                let keys = EmbeddedKeys::of(keys)?;
                let (ribbon, body) = read($form, bytes, &keys)?;
                let mut lines = bits::zeroed(ribbon.num_lines())?;
                bits::fill_from_bytes(&mut lines, &bytes[..body]);
                Self::of_embedded(ribbon, &keys.0, Owned::new(lines))
            }
        }

        impl<B: StableBytes> $filter<InBytes<B>> {
            #[doc = concat!("[`from_embedded`](", stringify!($filter), "::from_embedded) in place, without a copy.")]
            ///
            /// # Errors
            /// As `from_embedded`, and [`Error::NotInPlace`] if the bytes are not aligned to 64, or
            /// the machine is big-endian.
            pub fn view_embedded<'k>(bytes: B, keys: impl Into<Option<&'k KeyHasher>>) -> Result<Self> {
                Self::view_embedded_at(bytes, .., keys)
            }

            /// [`view_embedded`](Self::view_embedded) of a range of larger bytes, for example of a
            /// table file with many of them.
            ///
            /// # Errors
            /// As [`view_embedded`](Self::view_embedded); [`Error::Parameter`] if the range is out
            /// of bounds.
            pub fn view_embedded_at<'k>(
                bytes: B,
                place: impl RangeBounds<usize>,
                keys: impl Into<Option<&'k KeyHasher>>,
            ) -> Result<Self> {
                let keys = EmbeddedKeys::of(keys)?;
                let place = place_in(bytes.bytes(), place)?;
                let (ribbon, body) = read($form, &bytes.bytes()[place.clone()], &keys)?;
                let lines = InBytes::new(bytes, place.start..place.start + body)?;
                Self::of_embedded(ribbon, &keys.0, lines)
            }
        }
    };
}

embedded!(
    RibbonFilter,
    "crate::kinds::ribbon::RibbonFilterBuilder",
    EmbeddedForm::RIBBON,
    "Not recorded: labels, and the promised rate, which becomes the actual rate. A filter of 1,000 keys at 1 % takes 916 bytes; its file takes 1,088.",
    "[`Error::NotPossible`] for a filter to which keys were [added](RibbonFilter::insert), and for one that was made from a table: the error says what to build instead. The file of the filter has no such limits.",
    "```"
    "use tepal::RibbonFilter;"
    "let builder = RibbonFilter::builder().seed(42);              // the store's, written down once"
    "let table = builder.clone().build_from([\"apple\", \"banana\"])?.to_embedded()?;"
    ""
    "let keys = builder.key_hasher()?;"
    "let table = RibbonFilter::from_embedded(&table, &keys)?;"
    "assert!(table.contains_hash(keys.hash(\"apple\")?));           // hashed once for all tables"
    "# Ok::<(), tepal::Error>(())"
    "```"
);
embedded!(
    RibbonMap,
    "crate::kinds::ribbon::RibbonMapBuilder",
    EmbeddedForm::MAP,
    "Not recorded: labels, and the promised rate, which becomes the actual rate.",
    "[`Error::NotPossible`] for a map whose values have names: keep the names once for all maps and build maps of numbers, or write its file.",
    "```"
    "use tepal::RibbonMap;"
    "let builder = RibbonMap::builder().seed(42);                 // the store's, written down once"
    "let blocks = builder.clone().build_from([(\"apple\", 0), (\"banana\", 7)])?.to_embedded()?;"
    ""
    "let keys = builder.key_hasher()?;"
    "let blocks = RibbonMap::from_embedded(&blocks, &keys)?;"
    "assert_eq!(blocks.get_hash(keys.hash(\"banana\")?).unwrap(), 7);  // in which block of the table the key is"
    "# Ok::<(), tepal::Error>(())"
    "```"
);

#[cfg(test)]
mod tests;
