//! All fuzz targets in one program, which is built once. `TEPAL_FUZZ_TARGET` names the one to run
//! (`.ci/fuzz` sets it); a name here is also the name of its folder in `corpus`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tepal::file::Format;

/// What a target does with its bytes.
type Target = fn(&[u8]);

/// One line for each: `.ci/fuzz` reads the names here.
const TARGETS: [(&str, Target); 18] = [
    ("open", tepal_fuzz::open),
    ("operations", tepal_fuzz::operations),
    ("build_tepal", tepal_fuzz::build),
    ("patch", tepal_fuzz::patch),
    ("embedded", tepal_fuzz::embedded),
    ("sealed_tepal", tepal_fuzz::sealed),
    ("recognise", tepal_fuzz::recognise),
    ("guava", |data| tepal_fuzz::foreign(Format::Guava, data)),
    ("spark", |data| tepal_fuzz::foreign(Format::Spark, data)),
    ("parquet_sbbf", |data| tepal_fuzz::foreign(Format::ParquetSbbf, data)),
    ("parquet_file", tepal_fuzz::parquet_file),
    ("bits_and_blooms", |data| tepal_fuzz::foreign(Format::BitsAndBlooms, data)),
    ("dcso", |data| tepal_fuzz::foreign(Format::Dcso, data)),
    ("redisbloom", |data| tepal_fuzz::foreign(Format::RedisBloom, data)),
    ("valkey_bloom", |data| tepal_fuzz::foreign(Format::ValkeyBloom, data)),
    ("cli_numbers", tepal_fuzz_cli::numbers),
    ("cli_keys", tepal_fuzz_cli::keys),
    ("cli_secret", tepal_fuzz_cli::secret),
];

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("TEPAL_FUZZ_TARGET").unwrap_or_default();
    let Some((_, target)) = TARGETS.iter().find(|(known, _)| *known == name) else {
        let names = TARGETS.map(|(known, _)| known).join(", ");
        eprintln!("TEPAL_FUZZ_TARGET={name}: expected one of {names}");
        std::process::exit(2);
    };
    *target
});

fuzz_target!(
    init: {
        LazyLock::force(&TARGET);
    },
    |data: &[u8]| TARGET(data)
);
