//! Chains of Bloom filters in the files of their two programs: of fixed size, and growing.

use std::fs;
use std::path::Path;

use tepal::{BloomFilter, Kind, Open, Opened, Result, Scheme, file::Format};

use super::{Numbered, Opener, Operation, Subject};

/// A chain of Bloom filters.
struct Chain {
    name: &'static str,
    scheme: Scheme,
    format: Format,
    start: Start,
}

/// How a chain begins.
enum Start {
    /// One filter, in a file that says that it never grows.
    Fixed,
    /// One filter, in a file whose bytes from `at` on say how it grows.
    Growing { at: usize, bytes: &'static [u8] },
    /// A golden file, emptied.
    Golden(&'static str),
}

pub(super) fn chains() -> Vec<Box<dyn Subject>> {
    let redis = (Scheme::RedisBloom, Format::RedisBloom);
    let valkey = (Scheme::ValkeyBloom, Format::ValkeyBloom);
    // The option 8 (not scaling) is not set, and the next filter has twice the entries.
    let redis_grows = Start::Growing { at: 24, bytes: &[1 + 4, 0, 0, 0, 2, 0, 0, 0] };
    let valkey_grows = Start::Growing { at: 1, bytes: &[2, 0, 0, 0] };
    [
        ("chain-redisbloom-fixed", redis, Start::Fixed),
        ("chain-redisbloom-growing", redis, redis_grows),
        ("chain-redisbloom-dump", redis, Start::Golden("redisbloom/scaled_x2.redis-dump")),
        ("chain-valkey-bloom-fixed", valkey, Start::Fixed),
        ("chain-valkey-bloom-growing", valkey, valkey_grows),
    ]
    .map(|(name, (scheme, format), start)| {
        Box::new(Chain { name, scheme, format, start }) as Box<dyn Subject>
    })
    .into()
}

impl Subject for Chain {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> Kind {
        Kind::Scalable
    }

    fn cannot(&self) -> &'static [Operation] {
        &[Operation::Intersect, Operation::SetOverCapacity, Operation::BeAnother]
    }

    fn format(&self) -> Format {
        self.format
    }

    fn empty(&self, capacity: u64) -> Result<Opened> {
        let first = || {
            let builder = BloomFilter::builder().scheme(self.scheme).capacity(capacity);
            Opened::new(builder.false_positive_rate(0.05).build()?, self.format)
        };
        let options = Open::new().format(self.format);
        match self.start {
            Start::Fixed => first(),
            Start::Growing { at, bytes } => {
                let mut file = first()?.to_bytes()?;
                file[at..at + bytes.len()].copy_from_slice(bytes);
                options.from_bytes(&file)
            }
            Start::Golden(name) => {
                let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden");
                let mut file = options.from_bytes(&fs::read(golden.join(name)).unwrap())?;
                file.clear()?;
                Ok(file)
            }
        }
    }

    fn keys(&self, numbers: &[u64]) -> Numbered {
        Numbered::texts("key ", numbers)
    }

    fn opener(&self) -> Opener {
        Opener { format: Some(self.format), ..Opener::default() }
    }
}
