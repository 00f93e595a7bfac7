//! Another program's file is never in memory twice: at the peak there is one copy of its bits, and
//! the file is let go of piece by piece.

use std::io::Write;

use tepal::{BloomFilter, Layout, Opened, facts::Form, file::Format};

use crate::{alone, peak, tepal};

/// Bytes of a filter, and what the program may take besides.
const BYTES: u64 = 96 << 20;
const MORE: u64 = 24 << 20;

#[test]
fn opening_takes_one_copy() {
    alone("foreign::opening_takes_one_copy", || {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        for (format, form) in [
            (Format::Guava, None),
            (Format::Spark, None),
            (Format::BitsAndBlooms, None),
            (Format::Dcso, None),
            (Format::ParquetSbbf, None),
            (Format::RedisBloom, None),
            (Format::RedisBloom, Some(Form::Dump)),
            (Format::ValkeyBloom, None),
        ] {
            let builder = BloomFilter::builder().scheme(format.schemes()[0]).capacity(80_000_000);
            let builder = builder.layout(format.layout().unwrap_or(Layout::Scattered));
            let mut filter = builder.bit_len(8 * BYTES).build().unwrap();
            filter.insert("570108428378").unwrap();
            let mut file = Opened::new(filter, format).unwrap();
            if let Some(form) = form {
                file = file.in_form(form).unwrap();
            }
            let mut out = std::fs::File::create(&path).unwrap();
            file.write_to(&mut out).unwrap();
            out.flush().unwrap();
            drop((file, out));
            let asked = tepal()
                .args(["has", "-q", "--from", format.name(), "-e", "570108428378"])
                .arg(&path)
                .status();
            assert!(asked.unwrap().success(), "{format}");
            let peak = peak();
            assert!(peak <= BYTES + MORE, "{format} {form:?}: {peak} bytes for {BYTES}");
            // That it is measured at all.
            assert!(peak >= BYTES, "{format} {form:?}: {peak}");
        }
    });
}
