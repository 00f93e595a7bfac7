//! The memory of an operation depends on the contents of a file, and never on its claims. For a
//! file of b bytes and m new keys the limit is 4 b + 64 m bytes and a mebibyte, in memory and in
//! the written file. The next link of a chain follows the rule of the chain, and is counted apart.

pub(crate) mod each;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tepal::{Kind, Opened, file::Format};

use crate::forge::Forge;
use crate::kinds::{Opener, Subject, all_kinds, numbers, sample, tepal_kinds};
use crate::shared::groups::Group;
use each::{NewKeys, Took, each, each_with};

const MIB: u64 = 1 << 20;
/// Enough keys to be sorted.
const MANY: usize = 5000;
const FEW: usize = 5;
/// Of the forged files one in this number: each field claims a part of the numbers. Without
/// optimisation all of them take minutes.
const ONE_IN: usize = if cfg!(debug_assertions) { 11 } else { 3 };
/// Keys of a file of hundreds of kilobytes.
const LARGE_SET: u64 = 200_000;

/// Numbers that a field may claim: sizes, and rates.
fn claims() -> Vec<u64> {
    let sizes =
        [0, 1, 2, 1 << 20, 1 << 31, 1 << 32, 1 << 40, 1 << 50, 1 << 55, (1 << 56) - 1, 1 << 63, u64::MAX];
    let rates = [1e-300, 1e-15, 0.5, 0.999_999_999].map(f64::to_bits);
    sizes.into_iter().chain(rates).collect()
}

/// Runs every operation on a file of `len` bytes.
///
/// # Panics
/// If an operation takes more than it may, or panics.
fn check(what: &str, file: &Opened, len: u64, members: u64, new: &NewKeys) {
    let mut last = "";
    let mut check = |took: Took| {
        last = took.what;
        let most = 4 * (len + took.others) + 64 * took.keys + MIB + 2 * took.links;
        assert!(took.held <= most, "{what}, {len} bytes: at most {most} were to be held: {took:?}");
        assert!(took.file_len <= most, "{what}, {len} bytes: at most {most} were to be written: {took:?}");
    };
    let done = catch_unwind(AssertUnwindSafe(|| each(file, members, new, &mut check)));
    assert!(done.is_ok(), "{what}: after {last}");
}

/// Reads the file and maps it quickly. Returns the filters that opened.
fn opened(opener: &Opener, file: &[u8], path: &std::path::Path) -> Vec<Opened> {
    let read = opener.read(file).ok();
    fs::write(path, file).unwrap();
    read.into_iter().chain(opener.quick(path)).collect()
}

/// Small files whose fields claim every number.
mod claims_take_no_memory {
    crate::shared::groups::for_each_group!(check_claims);
}

fn check_claims(group: Group) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    let mut opened_kinds = BTreeSet::new();
    // Bloom filters of every scheme and key domain have the same fields, so one of each layout is
    // enough.
    let is_chosen = |subject: &dyn Subject| {
        subject.kind() != Kind::Bloom || ["-xxh3", "-sealed"].iter().any(|end| subject.name().ends_with(end))
    };
    let mut chosen = group.among(tepal_kinds());
    chosen.retain(|subject| is_chosen(&**subject));
    let chosen_kinds: BTreeSet<_> = chosen.iter().map(|subject| subject.kind().name()).collect();
    for subject in chosen {
        let (name, kind) = (subject.name().to_owned(), subject.kind());
        let sample = sample(subject, 2048);
        if sample.file.len() > 16_384 {
            continue;
        }
        let (opener, forge) = (sample.subject.opener(), forge_of(sample.file.clone()));
        let honest = opener.read(&sample.file).unwrap();
        let [few, many] = [FEW, MANY].map(|count| NewKeys::of(&honest, count));
        let len = sample.file.len() as u64;
        check(&name, &honest, len, sample.members, &many);
        let mut files = Vec::new();
        for (width, step) in [(8, 8), (4, 4), (1, 1)] {
            for at in (32..forge.head - 8).step_by(step) {
                let claims = if width == 1 { vec![0, 1, 0x7F, 0xFF] } else { claims() };
                let bytes: BTreeSet<Vec<u8>> =
                    claims.iter().map(|claim| claim.to_le_bytes()[..width].to_vec()).collect();
                files.extend(bytes.into_iter().map(|bytes| vec![(at, bytes)]));
            }
        }
        // Plans that follow from two numbers together.
        for capacity in claims() {
            files.extend(
                claims().into_iter().map(|rate| {
                    vec![(48, capacity.to_le_bytes().to_vec()), (56, rate.to_le_bytes().to_vec())]
                }),
            );
        }
        let mut forged = 0;
        for changes in files.into_iter().step_by(ONE_IN) {
            let changes: Vec<(usize, &[u8])> =
                changes.iter().map(|(at, bytes)| (*at, bytes.as_slice())).collect();
            let file = forge.with(&changes);
            if file == sample.file {
                continue;
            }
            let what = format!("{name}: {changes:02x?}");
            for opened in opened(&opener, &file, &path) {
                forged += 1;
                let new = if forged % 16 == 0 { &many } else { &few };
                check(&what, &opened, len, sample.members, new);
                let mut check = |took: Took| {
                    let most = 8 * len + MIB;
                    assert!(took.held <= most && took.file_len <= most, "{what}: {took:?}");
                };
                each_with(&honest, &opened, len, &mut check);
                each_with(&opened, &honest, len, &mut check);
            }
        }
        assert!(forged > 0, "{name}");
        opened_kinds.insert(kind.name());
    }
    assert_eq!(opened_kinds, chosen_kinds);
}

fn forge_of(file: Vec<u8>) -> Forge {
    #[cfg(feature = "seal")]
    return Forge::new(file, crate::kinds::SEAL);
    #[cfg(not(feature = "seal"))]
    Forge::new(file, &[])
}

/// Files that hold few keys and were planned for many: no number in them is forged.
#[cfg(feature = "table")]
#[test]
fn large_plans_in_small_files_take_no_memory() {
    use tepal::{AnyFilter, ExpiringFilter, GrowingFilter, QuotientFilter, SegmentFilter};

    let many = 1 << 22;
    let keys: Vec<u32> = (0..30).collect();
    let mut quotient = QuotientFilter::builder().capacity(many).build().unwrap();
    quotient.insert_many(&keys).unwrap();
    quotient.shrink_to_fit().unwrap();
    let growing = |is_deletable| {
        let mut growing = GrowingFilter::builder().first(many).deletable(is_deletable).build().unwrap();
        growing.insert_many(&keys).unwrap();
        growing.shrink_to_fit().unwrap();
        growing
    };
    let mut segment = SegmentFilter::builder().capacity(many).build().unwrap();
    let only = segment.add_segment("only").unwrap();
    segment.insert_many(only, &keys).unwrap();
    segment.shrink_to_fit().unwrap();
    let filters: [(&str, AnyFilter); 4] = [
        ("quotient", quotient.into()),
        ("growing", growing(false).into()),
        ("growing, deletable", growing(true).into()),
        ("segment", segment.into()),
    ];
    for (name, filter) in filters {
        let file = Opened::new(filter, Format::Tepal).unwrap().to_bytes().unwrap();
        assert!(file.len() < 2048, "{name}: {}", file.len());
        let opened = tepal::from_bytes(&file).unwrap();
        for count in [1, FEW, MANY] {
            check(name, &opened, file.len() as u64, 30, &NewKeys::of(&opened, count));
        }
    }
    // An expiring table keeps its planned size: its union with a small one is not larger than both.
    let expiring = |capacity| {
        let builder = ExpiringFilter::builder().window_of_time(60).false_positive_rate(0.01);
        builder.capacity(capacity).build().unwrap()
    };
    let large = expiring(many);
    assert!(large.size_in_bytes() > 4 * MIB);
    let mut cleared = large.clone();
    cleared.union_with(&large).unwrap();
    assert_eq!(cleared.size_in_bytes(), large.size_in_bytes());
}

/// Valid files of hundreds of kilobytes: the memory of an operation is proportional to them.
#[test]
fn operations_on_larger_files() {
    let mut seen = BTreeSet::new();
    let mut first_of_each =
        |subject: &dyn Subject| seen.insert((subject.kind().name(), subject.format().name()));
    let subjects: Vec<_> = all_kinds().into_iter().filter(|subject| first_of_each(&**subject)).collect();
    for subject in subjects.into_iter().filter(|subject| subject.format() == Format::Tepal) {
        let name = subject.name().to_owned();
        let file = subject.filled(2 * LARGE_SET, &numbers(0..LARGE_SET)).unwrap();
        let honest = subject.opener().read(&subject.opener().file(&file)).unwrap();
        let new = NewKeys::of(&honest, MANY);
        check(&name, &honest, honest.file_len().unwrap(), LARGE_SET, &new);
    }
}

/// Small files of other programs, unchanged.
#[test]
fn operations_on_files_of_other_programs() {
    for subject in all_kinds().into_iter().filter(|subject| subject.format() != Format::Tepal) {
        let capacity = subject.usual_capacity();
        let file = subject.filled(capacity, &numbers(0..capacity / 2)).unwrap();
        let len = file.file_len().unwrap();
        let new = NewKeys::of(&file, if len > MIB { FEW } else { MANY });
        check(subject.name(), &file, len, capacity, &new);
    }
}
