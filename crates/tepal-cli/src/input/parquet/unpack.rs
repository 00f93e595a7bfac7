//! Unpacks the pages of a Parquet file, each to the length that its header says and no further.
//!
//! The crate `parquet` would unpack gzip, zstd and brotli pages to any length.

use std::io::Read;

use ::parquet::basic::Compression;
use flate2::read::MultiGzDecoder;

/// Can pages that are packed like this be unpacked? If not, returns the name of the packing.
pub fn check(packed: Compression) -> Result<(), String> {
    use Compression::{GZIP, LZ4_RAW, SNAPPY, UNCOMPRESSED, ZSTD};
    match packed {
        UNCOMPRESSED | SNAPPY | GZIP(_) | ZSTD(_) | LZ4_RAW => Ok(()),
        other => Err(other.to_string().split('(').next().unwrap_or_default().to_owned()),
    }
}

/// The most bytes that one packed byte stands for: copies of 64 bytes in 3, lengths in steps of
/// 255, matches of 258 bytes in 2 bits, and blocks of 128 KiB in 4 bytes.
fn most_of_a_byte(packed: Compression) -> usize {
    match packed {
        Compression::SNAPPY => 22,
        Compression::LZ4_RAW => 256,
        Compression::GZIP(_) => 1032,
        _ => 1 << 15,
    }
}

/// Unpacks a page of `len` bytes; `None` if it is damaged. `len` has been compared with a limit.
pub fn page(packed: Compression, bytes: &[u8], len: usize) -> Option<Vec<u8>> {
    // Parquet's writers pack no bytes as no bytes.
    if len == 0 || packed == Compression::UNCOMPRESSED {
        return (bytes.len() == len || len == 0).then(|| bytes[..len].to_vec());
    }
    // A small page that says it is large is damaged, and gets no memory.
    if len / most_of_a_byte(packed) > bytes.len() {
        return None;
    }
    let page = match packed {
        Compression::SNAPPY => {
            let is_exact = snap::raw::decompress_len(bytes).is_ok_and(|found| found == len);
            is_exact.then(|| snap::raw::Decoder::new().decompress_vec(bytes).ok())?
        }
        Compression::LZ4_RAW => lz4_flex::block::decompress(bytes, len).ok(),
        Compression::GZIP(_) => {
            let mut page = Vec::new();
            // One byte more, so that a longer page is found out.
            let read = MultiGzDecoder::new(bytes).take(len as u64 + 1).read_to_end(&mut page);
            read.is_ok().then_some(page)
        }
        Compression::ZSTD(_) => {
            let mut page = vec![0; len];
            let written = zstd_safe::decompress(page.as_mut_slice(), bytes);
            (written == Ok(len)).then_some(page)
        }
        _ => None,
    };
    page.filter(|page| page.len() == len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn packed(kind: Compression, page: &[u8]) -> Vec<u8> {
        match kind {
            Compression::SNAPPY => snap::raw::Encoder::new().compress_vec(page).unwrap(),
            Compression::LZ4_RAW => lz4_flex::block::compress(page),
            Compression::GZIP(_) => {
                let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                gzip.write_all(page).unwrap();
                gzip.finish().unwrap()
            }
            Compression::ZSTD(_) => {
                let mut packed = vec![0; zstd_safe::compress_bound(page.len())];
                let len = zstd_safe::compress(packed.as_mut_slice(), page, 3).unwrap();
                packed[..len].to_vec()
            }
            _ => page.to_vec(),
        }
    }

    #[test]
    fn pages_have_the_length_that_their_header_says() {
        let pages = [vec![7u8; 200_000], (0..3000u32).flat_map(u32::to_le_bytes).collect(), vec![1]];
        let kinds = [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(Default::default()),
            Compression::ZSTD(Default::default()),
            Compression::LZ4_RAW,
        ];
        for (kind, plain) in kinds.into_iter().flat_map(|kind| pages.iter().map(move |page| (kind, page))) {
            let bytes = packed(kind, plain);
            assert_eq!(page(kind, &bytes, plain.len()).as_ref(), Some(plain), "{kind:?}");
            for len in [1, plain.len() - 1, plain.len() + 1, 1 << 26] {
                if len != plain.len() && len > 0 {
                    assert_eq!(page(kind, &bytes, len), None, "{kind:?}: {} as {len}", plain.len());
                }
            }
            for cut in [0, bytes.len() / 2, bytes.len() - 1] {
                assert_eq!(page(kind, &bytes[..cut], plain.len()), None, "{kind:?} cut at {cut}");
            }
        }
        assert_eq!(page(Compression::SNAPPY, b"", 0), Some(Vec::new()));
    }
}
