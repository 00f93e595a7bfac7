//! What a server's own file holds of RedisBloom's and valkey-bloom's keys goes both ways, and so do
//! the pairs one by one.

use tepal::{
    BloomFilter, Error, Open, Opened, Scheme,
    file::{Format, Pairs, PutValues, Values},
};

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Unsigned(u64),
    Double(f64),
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Stored(Vec<Value>);

impl PutValues for Stored {
    fn unsigned(&mut self, value: u64) {
        self.0.push(Value::Unsigned(value));
    }

    fn double(&mut self, value: f64) {
        self.0.push(Value::Double(value));
    }

    fn string(&mut self, value: &[u8]) {
        self.0.push(Value::Bytes(value.to_vec()));
    }
}

impl Stored {
    fn next(&mut self) -> Option<Value> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }
}

impl Values for Stored {
    fn unsigned(&mut self) -> Option<u64> {
        match self.next()? {
            Value::Unsigned(value) => Some(value),
            _ => None,
        }
    }

    fn double(&mut self) -> Option<f64> {
        match self.next()? {
            Value::Double(value) => Some(value),
            _ => None,
        }
    }

    fn string(&mut self) -> Option<Vec<u8>> {
        match self.next()? {
            Value::Bytes(value) => Some(value),
            _ => None,
        }
    }
}

/// A chain of three filters.
fn chain(scheme: Scheme, format: Format) -> Opened {
    let builder = BloomFilter::builder().scheme(scheme).capacity(100).expansion(2);
    let mut file = Opened::new(builder.build_chain().unwrap(), format).unwrap();
    for key in 0..500u32 {
        file.insert(&key).unwrap();
    }
    file
}

const BOTH: [(Scheme, Format); 2] =
    [(Scheme::RedisBloom, Format::RedisBloom), (Scheme::ValkeyBloom, Format::ValkeyBloom)];

#[test]
fn values_go_both_ways() {
    for (scheme, format) in BOTH {
        let file = chain(scheme, format);
        let mut stored = Stored::default();
        file.put_values(&mut stored).unwrap();
        let mut values = stored.clone();
        let read = Open::new().format(format).from_values(&mut values).unwrap();
        assert!(values.0.is_empty());
        assert!((0..500u32).all(|key| read.contains(&key)));
        let mut again = Stored::default();
        read.put_values(&mut again).unwrap();
        assert_eq!(again, stored);
        assert_eq!(read.keys_inserted(), file.keys_inserted());
    }
}

/// Each value that is missing, of another kind or one less is an error or another filter, never a
/// panic.
#[test]
fn wrong_values() {
    for (scheme, format) in BOTH {
        let mut stored = Stored::default();
        chain(scheme, format).put_values(&mut stored).unwrap();
        let read = |values: Vec<Value>| Open::new().format(format).from_values(&mut Stored(values));
        for at in 0..stored.0.len() {
            assert!(read(stored.0[..at].to_vec()).is_err(), "{format}: {at}");
            for wrong in [Value::Unsigned(u64::MAX), Value::Double(f64::NAN), Value::Bytes(vec![7; 3])] {
                let mut values = stored.0.clone();
                values[at] = wrong;
                assert!(read(values).is_err(), "{format}: {at}");
            }
        }
    }
}

#[test]
fn pairs_arrive_one_by_one() {
    let file = chain(Scheme::RedisBloom, Format::RedisBloom);
    let (mut iterator, header) = file.pair(0).unwrap().unwrap();
    assert_eq!(iterator, 1);
    let mut pairs = Pairs::new(&header).unwrap();
    let mut data = Vec::new();
    while let Some((next, piece)) = file.pair(iterator).unwrap() {
        assert!(!pairs.is_complete());
        let error = pairs.finish().unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
        for (wrong, bytes) in [(next + 1, &piece[..]), (next - 1, &piece), (1, &[]), (next, &piece[1..])] {
            assert!(pairs.push(wrong, bytes).is_err());
        }
        assert_eq!(pairs.arrived() + 1, iterator);
        pairs.push(next, &piece).unwrap();
        assert_eq!((pairs.pop(), pairs.arrived() + 1), (piece.len(), iterator));
        pairs.push(next, &piece).unwrap();
        data.extend_from_slice(&piece);
        iterator = next;
    }
    assert!(pairs.is_complete() && pairs.announced() == data.len() as u64);
    assert!(pairs.push(iterator + 1, &[0]).is_err());
    let read = pairs.finish().unwrap();
    assert_eq!(read.to_bytes().unwrap(), file.to_bytes().unwrap());
    // The bytes of the file are the pairs.
    let mut bytes = Vec::new();
    for (iterator, data) in pairs.iter() {
        bytes.extend(iterator.to_le_bytes());
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend_from_slice(data);
    }
    assert_eq!(bytes, file.to_bytes().unwrap());
}

/// A header is checked before any bits arrive: 73 bytes must not claim a lookup of seconds, or a
/// size that does not agree with itself.
#[test]
fn headers_that_no_server_writes() {
    let file = chain(Scheme::RedisBloom, Format::RedisBloom);
    let (_, header) = file.pair(0).unwrap().unwrap();
    for len in 0..header.len() {
        assert!(Pairs::new(&header[..len]).is_err(), "{len}");
    }
    for (at, value) in [(0, 7u64), (20, u64::MAX / 8), (28, 8), (36, u64::MAX), (44, 0), (68, 0)] {
        let mut wrong = header.clone();
        wrong[at..at + 8].copy_from_slice(&value.to_le_bytes());
        assert!(Pairs::new(&wrong).is_err(), "{at}: {value}");
    }
    // 400 filters of 64 bits with 100 hashes each.
    let mut link = Vec::new();
    link.extend(
        [8u64, 64, 0, 0.01f64.to_bits(), (99.5 / std::f64::consts::LN_2).to_bits()]
            .map(u64::to_le_bytes)
            .concat(),
    );
    link.extend(100u32.to_le_bytes());
    link.extend(1u64.to_le_bytes());
    link.push(0);
    let mut many =
        [&0u64.to_le_bytes()[..], &400u32.to_le_bytes(), &5u32.to_le_bytes(), &2u32.to_le_bytes()].concat();
    many.extend(link.repeat(400));
    let error = Pairs::new(&many).unwrap_err();
    assert!(error.to_string().contains("would read 40000 bits, expected at most 16384"), "{error}");
}

#[test]
fn only_modules_have_values() {
    let file = Opened::new(BloomFilter::builder().build_from(["a"]).unwrap(), Format::Tepal).unwrap();
    assert!(matches!(file.put_values(&mut Stored::default()), Err(Error::Unsupported { .. })));
    assert!(matches!(file.pair(0), Err(Error::Unsupported { .. })));
    assert!(chain(Scheme::ValkeyBloom, Format::ValkeyBloom).pair(0).is_err());
    for format in [Format::Tepal, Format::Guava] {
        let read = Open::new().format(format).from_values(&mut Stored::default());
        assert!(matches!(read, Err(Error::Unsupported { .. })));
    }
}
