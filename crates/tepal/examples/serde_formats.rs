//! A filter as a field of a type that serde writes.
//!
//! ```sh
//! cargo run --release -p tepal --features serde --example serde_formats
//! ```

use serde::{Deserialize, Serialize};
use tepal::{AnyFilter, BloomFilter};

#[derive(Serialize, Deserialize)]
struct Segment {
    name: String,
    keys: BloomFilter,
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let keys = BloomFilter::builder().build_from(["apple", "banana"])?;
    let segment = Segment { name: "2026-11".into(), keys };

    let json = serde_json::to_string(&segment)?; // the filter is Base64 here, and bytes in binary formats
    let again: Segment = serde_json::from_str(&json)?;
    assert!(again.keys.contains("banana") && again.name == "2026-11");

    // The field contains the filter's file, so damage is refused.
    let damaged = json.replacen("AAA", "AAB", 1);
    println!("{}", serde_json::from_str::<Segment>(&damaged).map(|segment| segment.name).unwrap_err());

    // A field for any kind of filter; the types of the kinds (`RibbonFilter`) can be fields too.
    let any: AnyFilter = again.keys.into();
    let any: AnyFilter = serde_json::from_str(&serde_json::to_string(&any)?)?;
    assert!(any.contains("apple"));
    Ok(())
}
