//! `bloom_build`, `bloom_count` and `bloom_merge`: the same bytes, however the rows are divided.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringArray};
use tepal::BloomFilter;
use tepal::build::Gather;
use tepal::file::Format;

use crate::{answers, error, filter, number, numbers, rows, session, table};

const KEYS: i64 = 100_000;

/// What the library makes of the same keys, in one place.
fn expected(keys: &[i64], capacity: u64, rate: f64) -> Vec<u8> {
    let mut filter = BloomFilter::builder().capacity(capacity).false_positive_rate(rate).build().unwrap();
    filter.insert_many(keys).unwrap();
    filter.to_bytes().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn any_number_of_partitions_makes_the_bytes_of_one_machine() {
    let keys: Vec<i64> = (0..KEYS).collect();
    let expected = expected(&keys, 120_000, 0.001);
    for (tables, parts) in [(1, 1), (1, 4), (3, 2), (8, 8)] {
        let context = session(parts);
        table(&context, "t", numbers(KEYS, tables));
        let found = filter(&context, "select bloom_build(key, 120000, 0.001) from t").await;
        assert!(found == expected, "{tables} partitions of the table, {parts} of the query");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counted_filter_is_what_the_command_builds_of_a_list() {
    for count in [1, 1000, KEYS] {
        let keys: Vec<i64> = (0..count).chain(0..count / 3).collect();
        let gather = Gather::new(BloomFilter::builder().false_positive_rate(0.01), Format::Tepal).unwrap();
        gather.insert_many(&keys).unwrap();
        let expected = gather.finish().unwrap().file.to_bytes().unwrap();
        for parts in [1, 5] {
            let context = session(parts as usize);
            let part = |i| {
                Arc::new(keys.iter().skip(i).step_by(parts as usize).copied().collect::<Int64Array>())
                    as ArrayRef
            };
            table(&context, "t", (0..parts as usize).map(part).collect());
            let found =
                filter(&context, "select bloom_build(key, (select bloom_count(key) from t), 0.01) from t")
                    .await;
            assert!(found == expected, "{count} keys in {parts} parts");
        }
    }
}

#[tokio::test]
async fn a_count_is_exact_or_close_and_merges() {
    for partitions in [1, 6] {
        let context = session(partitions as usize);
        table(&context, "few", numbers(60_000, partitions));
        assert_eq!(number(&context, "select bloom_count(key) from few").await, 60_000);
        table(&context, "many", numbers(1_000_000, partitions));
        let many = number(&context, "select bloom_count(key) from many").await;
        assert!((1_000_000..1_004_000).contains(&many), "{many}");
        assert_eq!(number(&context, "select bloom_count(key) from few where key < 0").await, 1);
    }
}

#[tokio::test]
async fn every_key_that_was_given_is_found() {
    let context = session(3);
    table(&context, "t", numbers(50_000, 3));
    table(&context, "asked", numbers(100_000, 2));
    let sql =
        "select count(*) from asked where bloom_contains((select bloom_build(key, 50000, 0.01) from t), key)";
    let found = number(&context, &format!("{sql} and key < 50000")).await;
    assert_eq!(found, 50_000);
    let wrong = number(&context, &format!("{sql} and key >= 50000")).await;
    assert!((200..800).contains(&wrong), "{wrong} of 50,000 at 1 %");
}

#[tokio::test]
async fn too_many_keys_are_one_error_for_any_number_of_partitions() {
    let mut errors = Vec::new();
    for partitions in [1, 4] {
        let context = session(partitions as usize);
        table(&context, "t", numbers(20_000, partitions));
        errors.push(error(&context, "select bloom_build(key, 1000, 0.01) from t").await);
    }
    assert!(
        errors[0].contains(
            "20000 keys came, and the second argument makes room for 1000; give a greater one, such as"
        ),
        "{}",
        errors[0]
    );
    assert_eq!(errors[0], errors[1]);
    // Repeats use up no room.
    let context = session(4);
    let repeats = Arc::new(Int64Array::from_iter_values((0..20_000).map(|n| n % 1000))) as ArrayRef;
    table(&context, "t", vec![repeats]);
    filter(&context, "select bloom_build(key, 1000, 0.01) from t").await;
}

#[tokio::test]
async fn a_table_without_rows_makes_an_empty_filter() {
    for partitions in [1, 4] {
        let context = session(partitions);
        table(&context, "t", numbers(10, 2));
        let empty = expected(&[], 500, 0.01);
        assert!(filter(&context, "select bloom_build(key, 500, 0.01) from t where key < 0").await == empty);
        let counted = "select bloom_build(key, (select bloom_count(key) from t where key < 0), 0.01) from t where key < 0";
        assert!(filter(&context, counted).await == expected(&[], 1, 0.01));
        let sql = "select not bloom_contains((select bloom_build(key, 500, 0.01) from t where key < 0), key) from t";
        assert_eq!(answers(&context, sql).await, [Some(true); 10]);
    }
}

#[tokio::test]
async fn a_filter_for_each_group_and_one_of_all() {
    let context = session(4);
    table(&context, "t", numbers(9000, 3));
    let days = "select key % 3 as day, bloom_build(key, 9000, 0.01) as filter from t group by key % 3";
    // Each row asks the filter of its own group, and of another one.
    let sql = format!(
        "select bool_and(bloom_contains(days.filter, t.key)), count(*) from t join ({days}) days on t.key % 3 = days.day"
    );
    let batch = rows(&context, &sql).await;
    assert!(batch.column(0).as_boolean().value(0), "{batch:?}");
    let others = format!(
        "select count(*) from t join ({days}) days on (t.key + 1) % 3 = days.day where bloom_contains(days.filter, t.key)"
    );
    assert!(number(&context, &others).await < 200);
    let merged = filter(&context, &format!("select bloom_merge(filter) from ({days})")).await;
    assert!(merged == expected(&(0..9000).collect::<Vec<_>>(), 9000, 0.01));
    assert!(rows(&context, "select bloom_merge(null)").await.column(0).is_null(0));
}

#[tokio::test]
async fn filters_of_two_shapes_or_hashes_do_not_merge() {
    let context = session(2);
    table(&context, "t", numbers(100, 2));
    let two = "select bloom_merge(filter) from (select bloom_build(key, 100, 0.01) as filter from t \
               union all select bloom_build(key, 5000, 0.01) from t)";
    assert!(error(&context, two).await.contains("bloom_merge: "), "{}", error(&context, two).await);
    assert!(
        error(&context, "select bloom_merge(arrow_cast('no filter', 'Binary'))")
            .await
            .contains("not a tepal filter")
    );
    // More keys than the capacity of one.
    let full = "select bloom_merge(filter) from (select bloom_build(key, 100, 0.01) as filter from t \
                union all select bloom_build(key + 5000, 100, 0.01) from t \
                union all select bloom_build(key + 9000, 100, 0.01) from t)";
    assert!(
        error(&context, full).await.contains("has room for, 100; build them with a greater"),
        "{}",
        error(&context, full).await
    );
}

#[tokio::test]
async fn a_window_has_the_filter_of_the_rows_so_far() {
    let context = session(2);
    table(&context, "t", numbers(5, 1));
    for function in ["bloom_build(key, 10, 0.000001)", "bloom_merge(one)"] {
        let ones = "(select key, bloom_build(key, 10, 0.000001) as one from t group by key)";
        let rows = format!("(select key, {function} over (order by key) as filter from {ones})");
        for (asked, expected) in [("key", true), ("0", true), ("key + 1", false)] {
            let sql = format!("select bloom_contains(filter, {asked}) from {rows} order by key");
            assert_eq!(answers(&context, &sql).await, [Some(expected); 5], "{function}, {asked}");
        }
    }
}

#[tokio::test]
async fn nulls_are_no_keys() {
    let context = session(2);
    let keys = Arc::new(StringArray::from(vec![Some("a"), None, Some("b"), None])) as ArrayRef;
    table(&context, "t", vec![Arc::clone(&keys), keys]);
    let mut expected = BloomFilter::builder().capacity(10).false_positive_rate(0.01).build().unwrap();
    expected.insert_many(&["a", "b", "a", "b"]).unwrap();
    assert!(
        filter(&context, "select bloom_build(key, 10, 0.01) from t").await == expected.to_bytes().unwrap()
    );
    assert_eq!(number(&context, "select bloom_count(key) from t").await, 2);
    let sql = "select bloom_contains((select bloom_build(key, 10, 0.01) from t), key) from t order by key nulls first limit 5";
    assert_eq!(answers(&context, sql).await, [None, None, None, None, Some(true)]);
    assert_eq!(answers(&context, "select bloom_contains(null, 'a')").await, [None]);
}

#[tokio::test]
async fn the_size_comes_from_any_integer_that_is_one_for_all_rows() {
    let context = session(3);
    table(&context, "t", numbers(300, 3));
    let expected = expected(&(0..300).collect::<Vec<_>>(), 300, 0.01);
    for n in ["300", "(select count(*) from t)", "arrow_cast(300, 'UInt64')", "(select max(key) + 1 from t)"]
    {
        assert!(
            filter(&context, &format!("select bloom_build(key, {n}, 0.01) from t")).await == expected,
            "{n}"
        );
    }
    for (n, part) in [
        ("0", "the second argument is 0"),
        ("-5", "the second argument is -5"),
        ("key", "differs between rows"),
        ("cast(null as bigint)", "is NULL"),
        ("1000000000000000", "more than this machine or a file can hold"),
        ("9223372036854775807", "out of reach"),
    ] {
        let found = error(&context, &format!("select bloom_build(key, {n}, 0.01) from t")).await;
        assert!(found.contains(part), "{n}: {found}");
    }
    for rate in ["0", "1", "5.0", "-0.1", "1e-40"] {
        let found = error(&context, &format!("select bloom_build(key, 300, {rate}) from t")).await;
        assert!(found.contains("rate"), "{rate}: {found}");
    }
}
