//! `bloom_value_file` of maps, and `bloom_segments_file` of filters of segments.

use std::path::Path;

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType, UInt32Type};
use tepal::{BloomFilter, RibbonMap, SegmentFilter};

use crate::{error, number, rows, session};

fn ask(function: &str, path: &Path, keys: &str) -> String {
    format!("select {function}('{}', k) from (values {keys}) t(i, k) order by i", path.display())
}

#[tokio::test]
async fn a_map_gives_names_or_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.tepal");
    let context = session(2);
    let names =
        RibbonMap::builder().false_positive_rate(1e-6).build_from([("alice", "AT"), ("bob", "CH")]).unwrap();
    names.save(&path).unwrap();
    let sql = ask("bloom_value_file", &path, "(1, 'bob'), (2, 'carol'), (3, null), (4, 'alice')");
    let batch = rows(&context, &sql).await;
    let found: Vec<_> = batch.column(0).as_string::<i32>().iter().collect();
    assert_eq!(found, [Some("CH"), None, None, Some("AT")]);

    let path = folder.path().join("ports.tepal");
    let ports = RibbonMap::builder().false_positive_rate(1e-6).build_from([(1u64, 22), (2, 443)]).unwrap();
    ports.save(&path).unwrap();
    let batch = rows(&context, &ask("bloom_value_file", &path, "(1, 2), (2, 3), (3, null), (4, 1)")).await;
    assert_eq!(*batch.column(0).data_type(), DataType::UInt32);
    let found: Vec<_> = batch.column(0).as_primitive::<UInt32Type>().iter().collect();
    assert_eq!(found, [Some(443), None, None, Some(22)]);
    let sum = format!("select sum(bloom_value_file('{}', k)) from (values (1), (2)) t(k)", path.display());
    assert_eq!(number(&context, &sum).await, 465);
    // A key alone.
    let one = format!("select bloom_value_file('{}', '1')", path.display());
    assert_eq!(rows(&context, &one).await.column(0).as_primitive::<UInt32Type>().value(0), 22);
}

#[tokio::test]
async fn a_filter_of_segments_gives_lists() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("days.tepal");
    let days = SegmentFilter::builder().false_positive_rate(1e-6).build_from([
        ("mo", "alice"),
        ("tu", "bob"),
        ("we", "alice"),
    ]);
    days.unwrap().save(&path).unwrap();
    let context = session(2);
    let sql = ask("bloom_segments_file", &path, "(1, 'alice'), (2, 'carol'), (3, null), (4, 'bob')");
    let batch = rows(&context, &sql).await;
    let lists = batch.column(0).as_list::<i32>();
    let list =
        |row| lists.value(row).as_string::<i32>().iter().flatten().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((list(0), list(1), list(3)), (vec!["mo".into(), "we".into()], vec![], vec!["tu".to_owned()]));
    assert!(lists.is_null(2) && !lists.is_null(1));
    let values = "(values ('alice'), ('bob'), ('carol')) t(k)";
    let in_we = format!(
        "select count(*) from {values} where array_has(bloom_segments_file('{}', k), 'we')",
        path.display()
    );
    assert_eq!(number(&context, &in_we).await, 1);
    let anywhere = format!(
        "select count(*) from {values} where cardinality(bloom_segments_file('{}', k)) > 0",
        path.display()
    );
    assert_eq!(number(&context, &anywhere).await, 2);
    let has = format!("select count(*) from {values} where bloom_contains_file('{}', k)", path.display());
    assert_eq!(number(&context, &has).await, 2);
}

#[tokio::test]
async fn a_file_of_another_kind_is_an_error_that_names_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen.tepal");
    BloomFilter::builder().build_from(["apple"]).unwrap().save(&path).unwrap();
    let context = session(1);
    let found = error(&context, &ask("bloom_value_file", &path, "(1, 'apple')")).await;
    assert!(
        found.contains("has a Bloom filter, and a map is expected") && found.contains("--map"),
        "{found}"
    );
    let found = error(&context, &ask("bloom_segments_file", &path, "(1, 'apple')")).await;
    assert!(found.contains("has a Bloom filter, and a filter of segments is expected"), "{found}");
    let found = error(&context, "select bloom_value_file(k, k) from (values ('a')) t(k)").await;
    assert!(found.contains("the path is no literal"), "{found}");
    let missing = folder.path().join("none.tepal");
    let found = error(&context, &ask("bloom_value_file", &missing, "(1, 'apple')")).await;
    assert!(found.contains("none.tepal' cannot be opened"), "{found}");
}
