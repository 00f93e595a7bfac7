//! The memory of lines: huge pages for large arrays, which save one step of address translation for
//! a random line; and the conversion between a line and its bytes.

#![allow(unsafe_code)]

use super::Line;

// SAFETY: a line is eight words and nothing else, and zeros are a valid value.
unsafe impl bytemuck::Zeroable for Line {}
// SAFETY: as above. Every value of the words is a valid line. `repr(C)` leaves no padding: the
// alignment divides the size, which is the size of the words.
unsafe impl bytemuck::Pod for Line {}
const _: () = assert!(size_of::<Line>() == size_of::<[u64; 8]>());

/// Arrays of at least this many bytes use huge pages. For smaller arrays the translation cache
/// holds all small pages.
const HUGE_FROM: usize = 4 << 20;

/// Asks the system to put the array on huge pages. The system may refuse; then nothing changes.
///
/// Call it before the array is first written, on its spare capacity: existing pages stay small for
/// a while.
pub(crate) fn ask_for_huge<T>(lines: &mut [T]) {
    if size_of_val(lines) >= HUGE_FROM {
        advise_huge(lines);
    }
}

/// The system's page size in bytes.
#[cfg(all(feature = "std", target_os = "linux"))]
fn page_size() -> usize {
    // SAFETY: the call takes no pointer and changes nothing.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    // Linux never fails here.
    usize::try_from(size).unwrap_or(4096)
}

#[cfg(all(feature = "std", target_os = "linux"))]
fn advise_huge<T>(lines: &mut [T]) {
    let page = page_size();
    let start = lines.as_mut_ptr().cast::<u8>();
    // Only whole pages inside the array: other data may share its first and last page.
    let before = start.align_offset(page);
    let len = whole_pages(size_of_val(lines), before, page);
    let start = start.wrapping_add(before).cast();
    // SAFETY: the pages lie within `lines`. This advice changes only how the system maps them, not
    // their bytes.
    let _refused = unsafe { libc::madvise(start, len, libc::MADV_HUGEPAGE) };
}

/// Returns the memory of lines that are no longer read to the system; their content is lost. Does
/// nothing if the system does not support it.
#[cfg(all(feature = "table", feature = "std", target_os = "linux"))]
pub(crate) fn give_back(lines: &mut [Line]) {
    let page = page_size();
    let start = lines.as_mut_ptr().cast::<u8>();
    let before = start.align_offset(page);
    if before >= size_of_val(lines) {
        return;
    }
    let len = whole_pages(size_of_val(lines), before, page);
    let start = start.wrapping_add(before).cast();
    // SAFETY: the pages lie within `lines`, which nobody else holds. When they are read again they
    // are zeros or unchanged; both are valid lines.
    let _refused = unsafe { libc::madvise(start, len, libc::MADV_DONTNEED) };
}

/// On other systems the memory is returned with the array.
#[cfg(all(feature = "table", not(all(feature = "std", target_os = "linux"))))]
pub(crate) fn give_back(_: &mut [Line]) {}

/// The bytes of an array in whole pages, if the first whole page begins after `before` bytes.
#[cfg(all(feature = "std", target_os = "linux"))]
fn whole_pages(bytes: usize, before: usize, page: usize) -> usize {
    (bytes - before) / page * page
}

/// Other systems use huge pages without being asked, or not at all.
#[cfg(not(all(feature = "std", target_os = "linux")))]
fn advise_huge<T>(_: &mut [T]) {}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn a_line_is_its_words() {
        let lines: Vec<Line> =
            (0..4).map(|i| Line(core::array::from_fn(|w| (i << 60) + w as u64 * 0x0123_4567))).collect();
        let words: Vec<u64> = lines.iter().flat_map(|line| line.0).collect();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(bytemuck::cast_slice::<_, u64>(&lines), words);
        assert_eq!(bytemuck::cast_slice::<_, u8>(&lines), bytes);
        let mut copy = alloc::vec![<Line as bytemuck::Zeroable>::zeroed(); lines.len()];
        assert!(copy.iter().all(|line| line.0 == [0; 8]));
        bytemuck::cast_slice_mut(&mut copy).copy_from_slice(&bytes);
        assert_eq!(copy, lines);
    }

    #[test]
    fn advice_changes_no_bit() {
        for bytes in [0, 64, HUGE_FROM - 64, HUGE_FROM, HUGE_FROM + 64, 3 * HUGE_FROM + 4096] {
            let lines: Vec<Line> = (0..bytes as u64 / 64).map(|i| Line([i ^ 0xABCD; 8])).collect();
            let mut advised = lines.clone();
            ask_for_huge(&mut advised);
            assert!(advised == lines);
        }
    }

    #[cfg(feature = "table")]
    #[test]
    fn what_is_given_back_takes_nothing_of_its_neighbours() {
        for count in [0, 1, 63, 64, 65, 500, 4096] {
            let mut lines: Vec<Line> = (0..count + 200).map(|i| Line([i | 1; 8])).collect();
            give_back(&mut lines[100..100 + count as usize]);
            let is_kept = |i: u64| lines[i as usize] == Line([i | 1; 8]);
            assert!((0..100).chain(100 + count..count + 200).all(is_kept), "{count}");
            assert!(lines.iter().enumerate().all(|(i, line)| is_kept(i as u64) || *line == Line([0; 8])));
        }
    }

    #[cfg(all(feature = "std", target_os = "linux"))]
    #[test]
    fn pages_are_whole() {
        let page = 4096;
        for (bytes, before, whole) in [
            (0, 0, 0),
            (page - 1, 0, 0),
            (page, 0, page),
            (2 * page - 1, 0, page),
            (2 * page, 0, 2 * page),
            (2 * page, 64, page),
            (2 * page + 64, 64, 2 * page),
            (HUGE_FROM, page - 64, HUGE_FROM - page),
        ] {
            assert_eq!(whole_pages(bytes, before, page), whole, "{bytes} {before}");
        }
    }
}
