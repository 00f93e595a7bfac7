//! Files of other programs: lookups, changes, writing them again, and converting them to a tepal
//! file and back.
//!
//! ```sh
//! cargo run --release -p tepal --features foreign --example foreign_files
//! ```

use tepal::{BloomFilter, Open, Opened, Scheme, file::Format};

pub(crate) fn main() -> tepal::Result<()> {
    // For Guava's `BloomFilter.readFrom`: the bits by its rule, in its file.
    let mut filter = BloomFilter::builder().scheme(Scheme::GuavaMitz64).capacity(1000).build()?;
    filter.insert_iter(["apple", "banana"])?;
    let guava = Opened::new(filter, Format::Guava)?.to_bytes()?;

    // The format of a file without a mark must be named; RedisBloom's files and others have a mark.
    let mut file = Open::new().format(Format::Guava).from_bytes(&guava)?;
    assert!(file.contains("apple") && !file.contains("cherry"));
    file.insert("cherry")?;

    // The same bits in a checked tepal file, and back: nobody has to build it again.
    let ours = file.convert_to(Format::Tepal)?;
    let again = tepal::from_bytes(&ours.to_bytes()?)?.convert_to(Format::Guava)?;
    assert!(again.contains("cherry"));
    println!("{} bytes for Guava", again.to_bytes()?.len());
    Ok(())
}
