//! Files of other programs: asked, changed, written again, and turned into ours and back.
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

    // A file without a mark of its own has to be named; RedisBloom's and others are known by
    // theirs.
    let mut file = Open::new().format(Format::Guava).from_bytes(&guava)?;
    assert!(file.contains("apple") && !file.contains("cherry"));
    file.insert("cherry")?;

    // The same bits in a checked file of ours, and back: nobody has to build it again.
    let ours = file.convert_to(Format::Tepal)?;
    let again = tepal::from_bytes(&ours.to_bytes()?)?.convert_to(Format::Guava)?;
    assert!(again.contains("cherry"));
    println!("{} bytes for Guava", again.to_bytes()?.len());
    Ok(())
}
