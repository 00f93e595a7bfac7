//! `bloom_contains_file`, `bloom_read_file`, `bloom_info`: files that are there, change, or are
//! none.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, Int64Array, RecordBatch, StructArray};
use datafusion::arrow::datatypes::{Float64Type, UInt64Type};
use tepal::{BloomFilter, KeyDomain, Layout, Opened, Scheme, file::Format};

use crate::{answers, error, filter, number, numbers, rows, session, table};

fn save(path: &Path, keys: &[&str]) {
    BloomFilter::builder().false_positive_rate(1e-6).build_from(keys).unwrap().save(path).unwrap();
}

#[tokio::test]
async fn a_file_is_asked_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    save(&path, &["apple", "banana"]);
    let context = session(3);
    let values = "(values (1, 'apple'), (2, 'cherry'), (3, null)) t(i, k)";
    let sql = format!("select bloom_contains_file('{}', k) from {values} order by i", path.display());
    assert_eq!(answers(&context, &sql).await, [Some(true), Some(false), None]);
    let read = format!("select bloom_read_file('{}')", path.display());
    assert!(filter(&context, &read).await == fs::read(&path).unwrap());
    let asked =
        format!("select bloom_contains(bloom_read_file('{}'), k) from {values} order by i", path.display());
    assert_eq!(answers(&context, &asked).await, [Some(true), Some(false), None]);
    let url = format!("select bloom_contains_file('file://{}', 'apple')", path.display());
    assert_eq!(answers(&context, &url).await, [Some(true)]);
    assert_eq!(
        answers(&context, "select bloom_contains_file(null, k) from (values ('a'), ('b')) t(k)").await,
        [None, None]
    );
    assert!(rows(&context, "select bloom_read_file(null)").await.column(0).is_null(0));
}

#[tokio::test]
async fn a_path_may_differ_from_row_to_row() {
    let folder = tempfile::tempdir().unwrap();
    for (name, key) in [("mo", "apple"), ("tu", "banana")] {
        save(&folder.path().join(name), &[key]);
    }
    let sql = format!(
        "select bloom_contains_file('{}/' || day, k) from (values (1, 'mo', 'apple'), (2, 'mo', 'banana'), \
         (3, 'tu', 'banana'), (4, 'mo', 'apple'), (5, cast(null as varchar), 'apple')) t(i, day, k) order by i",
        folder.path().display()
    );
    assert_eq!(answers(&session(1), &sql).await, [Some(true), Some(false), Some(true), Some(true), None]);
    let sql = format!(
        "select bloom_read_file('{}/' || day) from (values ('mo'), ('tu'), (null)) t(day)",
        folder.path().display()
    );
    assert_eq!(rows(&session(1), &sql).await.column(0).null_count(), 1);
}

#[tokio::test]
async fn a_file_that_was_replaced_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let context = session(1);
    let sql = format!("select bloom_contains_file('{}', k) from (values ('apple')) t(k)", path.display());
    for round in 0..5 {
        save(&path, &[if round % 2 == 0 { "apple" } else { "banana" }]);
        assert_eq!(answers(&context, &sql).await, [Some(round % 2 == 0)], "round {round}");
    }
    fs::remove_file(&path).unwrap();
    assert!(error(&context, &sql).await.contains("cannot be opened"));
}

#[tokio::test]
async fn no_file_and_no_filter_are_errors_that_name_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let context = session(1);
    let at = |name: &str| folder.path().join(name).display().to_string();
    let ask = |path: &str| format!("select bloom_contains_file('{path}', k) from (values ('apple')) t(k)");
    let found = error(&context, &ask(&at("missing.tepal"))).await;
    assert!(found.contains("missing.tepal' cannot be opened: No such file"), "{found}");
    fs::write(at("list.txt"), "apple\nbanana\n").unwrap();
    let found = error(&context, &ask(&at("list.txt"))).await;
    assert!(found.contains("list.txt': ") && found.contains("not a tepal filter"), "{found}");
    for url in ["s3://bucket/seen.tepal", "https://example.org/seen.tepal", "file://other/seen.tepal"] {
        let found = error(&context, &ask(url)).await;
        assert!(found.contains("is no file of this machine") && found.contains("copy it"), "{found}");
    }
    let found = error(&context, &ask(&folder.path().display().to_string())).await;
    assert!(found.contains(&folder.path().display().to_string()), "{found}");
    // A text that is the beginning of a path is a path, and bytes are no path.
    let found = error(&context, "select bloom_read_file(x'00')").await;
    assert!(found.contains("the path of a filter's file, and bytes are given"), "{found}");
}

#[tokio::test]
async fn a_damaged_file_gives_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    save(&path, &["apple", "banana"]);
    let whole = fs::read(&path).unwrap();
    let context = session(1);
    let ask = format!("select bloom_contains_file('{}', k) from (values ('apple')) t(k)", path.display());
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&path, &damaged).unwrap();
        error(&context, &ask).await;
        let hex: String = damaged.iter().map(|byte| format!("{byte:02x}")).collect();
        error(&context, &format!("select bloom_contains(x'{hex}', 'apple')")).await;
    }
    // Cut short, and with a size of exabytes.
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(error(&context, &ask).await.contains("seen.tepal"));
    for at in (8..64).step_by(8) {
        let mut forged = whole.clone();
        forged[at..at + 8].copy_from_slice(&(1u64 << 60).to_le_bytes());
        fs::write(&path, &forged).unwrap();
        error(&context, &ask).await;
    }
    fs::write(&path, &whole).unwrap();
    assert_eq!(answers(&context, &ask).await, [Some(true)]);
}

#[tokio::test]
async fn many_files_are_asked_in_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let context = session(4);
    for number in 0..100 {
        save(&folder.path().join(number.to_string()), &[&number.to_string()]);
    }
    table(&context, "t", numbers(100, 4));
    let sql = format!(
        "select count(*) from t where bloom_contains_file('{}/' || key, key)",
        folder.path().display()
    );
    for _ in 0..2 {
        assert_eq!(number(&context, &sql).await, 100);
    }
}

#[tokio::test]
async fn other_programs_filters_are_asked_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    let builder = BloomFilter::builder().scheme(Scheme::GuavaMitz64).capacity(100).false_positive_rate(1e-6);
    let guava = Opened::new(builder.build_from(["apple"]).unwrap(), Format::Tepal).unwrap();
    guava.save(&path).unwrap();
    let ask = |path: &Path| {
        format!(
            "select bloom_contains_file('{}', k) from (values (1, 'apple'), (2, 'x')) t(i, k) order by i",
            path.display()
        )
    };
    assert_eq!(answers(&session(1), &ask(&path)).await, [Some(true), Some(false)]);
    // Guava's own file has no mark by which it is known.
    let own = folder.path().join("seen.guava");
    guava.convert_to(Format::Guava).unwrap().save(&own).unwrap();
    let found = error(&session(1), &ask(&own)).await;
    assert!(found.contains("could be guava; name its format (`tepal convert --from`)"), "{found}");
    // A filter of the caller's own hashes cannot hash a key.
    let own = folder.path().join("own.tepal");
    BloomFilter::builder().caller_hash("mine").capacity(10).build().unwrap().save(&own).unwrap();
    let ask = format!("select bloom_contains_file('{}', 'apple')", own.display());
    assert!(error(&session(1), &ask).await.contains("mine"));
}

#[tokio::test]
async fn a_filter_of_parquets_floats_takes_columns_of_that_width_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prices.tepal");
    let builder = BloomFilter::builder().layout(Layout::SplitBlock).num_hashes(8).scheme(Scheme::Xxh64);
    let prices = builder.key_domain(KeyDomain::Float64).capacity(10).build_from(["1.5", "-0.25", "0.1"]);
    prices.unwrap().save(&path).unwrap();
    let context = session(1);
    let values = "(values (1, 1.5), (2, -0.25), (3, 0.1), (4, 2.5), (5, null)) t(i, k)";
    let ask = |key: &str| {
        format!("select bloom_contains_file('{}', {key}) from {values} order by i", path.display())
    };
    let expected = [Some(true), Some(true), Some(true), Some(false), None];
    assert_eq!(answers(&context, &ask("cast(k as double)")).await, expected);
    assert!(error(&context, &ask("cast(k as real)")).await.contains("floating-point"));
    save(&path, &["1.5"]);
    assert!(error(&context, &ask("cast(k as double)")).await.contains("floating-point"));
}

#[tokio::test]
async fn info_tells_what_the_library_tells() {
    let context = session(2);
    table(&context, "t", numbers(1000, 2));
    let build = "select bloom_build(key, 2000, 0.01) as filter from t";
    let facts = tepal::from_bytes(&filter(&context, build).await).unwrap().facts().unwrap();
    let batch: RecordBatch = rows(&context, &format!("select bloom_info(filter) from ({build})")).await;
    let info: &StructArray = batch.column(0).as_struct();
    let text = |name| info.column_by_name(name).unwrap().as_string::<i32>().value(0).to_owned();
    let number = |name| info.column_by_name(name).unwrap().as_primitive::<UInt64Type>().value(0);
    let rate = |name| info.column_by_name(name).unwrap().as_primitive::<Float64Type>().value(0);
    assert_eq!(
        (text("kind"), text("format"), text("layout")),
        ("bloom".into(), "tepal".into(), "line".into())
    );
    assert_eq!((text("scheme"), text("key_domain")), ("xxh3".into(), "bytes".into()));
    assert_eq!((number("capacity"), number("keys_inserted")), (2000, 1000));
    assert_eq!(rate("promised_false_positive_rate"), 0.01);
    assert_eq!(rate("false_positive_rate"), facts.false_positive_rate);
    assert_eq!(rate("estimated_len"), facts.estimated_len);
    assert_eq!(
        (number("size_in_bytes"), number("file_len")),
        (facts.size_in_bytes, facts.file.unwrap().file_len)
    );
    assert!(!info.column_by_name("over_capacity").unwrap().as_boolean().value(0));
    assert!(info.column_by_name("warnings").unwrap().is_null(0));
    // A field of it, for many rows, and NULL.
    let sql = format!("select info.f['capacity'] from (select bloom_info(filter) as f from ({build})) info");
    assert_eq!(rows(&context, &sql).await.column(0).as_primitive::<UInt64Type>().value(0), 2000);
    let all = "select bloom_info(filter) from (select bloom_build(key, 10, 0.01) as filter from t where key < 10 group by key)";
    assert_eq!(rows(&context, all).await.num_rows(), 10);
    assert!(rows(&context, "select bloom_info(null)").await.column(0).is_null(0));
}

#[tokio::test]
async fn a_filter_goes_through_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let context = session(2);
    table(&context, "t", vec![Arc::new(Int64Array::from(vec![7, 8]))]);
    let path = folder.path().join("filters.parquet").display().to_string();
    let copy = format!(
        "copy (select bloom_build(key, 100, 0.000001) as filter from t) to '{path}' stored as parquet"
    );
    rows(&context, &copy).await;
    rows(&context, &format!("create external table filters stored as parquet location '{path}'")).await;
    let sql = "select bloom_contains((select filter from filters), k) from (values (1, 7), (2, 9)) t(i, k) order by i";
    assert_eq!(answers(&context, sql).await, [Some(true), Some(false)]);
}
