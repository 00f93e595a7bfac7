//! All gathered keys are in the filter, by every way and for every number of threads.

use std::string::ToString;

use super::store::temporary;
use super::*;
use crate::BloomFilter;

#[test]
fn after_a_lost_key_there_is_no_filter() {
    let gather = Gather::new(BloomFilter::builder(), Format::Tepal).unwrap();
    let full = || io::Error::from(io::ErrorKind::StorageFull);
    let lost = gather.watch::<()>(|| Err(temporary(Path::new("."), "writing", full()))).unwrap_err();
    for again in [gather.insert_many(&["a"]).unwrap_err(), gather.finish().unwrap_err()] {
        assert_eq!(again.to_string(), lost.to_string());
    }
}
