//! Every type of column that holds keys: the same filter and the same answers as of the texts.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray, Int32Array,
    Int64Array, LargeBinaryArray, LargeStringArray, NullArray, StringArray, StringViewArray, UInt8Array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int8Type, Int32Type};
use tepal::{BloomFilter, KeyDomain};

use crate::{answers, filter, session, table};

const TEXTS: [Option<&str>; 6] =
    [Some("apple"), None, Some(""), Some("a text of more than twelve bytes"), Some("42"), Some("apple")];

fn bytes() -> Vec<Option<&'static [u8]>> {
    TEXTS.iter().map(|text| text.map(str::as_bytes)).collect()
}

/// The filter of the texts.
fn expected() -> Vec<u8> {
    let mut filter = BloomFilter::builder().capacity(100).false_positive_rate(0.001).build().unwrap();
    filter.insert_many(&TEXTS.into_iter().flatten().collect::<Vec<_>>()).unwrap();
    filter.to_bytes().unwrap()
}

/// A filter of the column, and what it says of its rows.
async fn asked(keys: ArrayRef) -> (Vec<u8>, Vec<Option<bool>>) {
    let context = session(1);
    table(&context, "t", vec![keys]);
    let build = "select bloom_build(key, 100, 0.001) from t";
    (
        filter(&context, build).await,
        answers(&context, &format!("select bloom_contains(({build}), key) from t")).await,
    )
}

#[tokio::test]
async fn texts_and_bytes_are_one_key_in_every_type() {
    let wrap = |inner: ArrayRef| inner;
    let dictionary: DictionaryArray<Int8Type> = TEXTS.into_iter().collect();
    let large = cast(
        &(Arc::new(dictionary.clone()) as ArrayRef),
        &DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8View)),
    );
    let columns: Vec<ArrayRef> = vec![
        wrap(Arc::new(StringArray::from(TEXTS.to_vec()))),
        Arc::new(LargeStringArray::from(TEXTS.to_vec())),
        Arc::new(StringViewArray::from(TEXTS.to_vec())),
        Arc::new(BinaryArray::from(bytes())),
        Arc::new(LargeBinaryArray::from(bytes())),
        Arc::new(BinaryViewArray::from(bytes())),
        Arc::new(dictionary),
        large.unwrap(),
    ];
    for column in columns {
        let kind = column.data_type().clone();
        // A slice begins amid its buffers.
        let longer = datafusion::arrow::compute::concat(&[&column.slice(3, 2), &column]).unwrap();
        for keys in [column, longer.slice(2, 6)] {
            let (filter, answers) = asked(keys).await;
            assert!(filter == expected(), "{kind}");
            assert_eq!(answers, TEXTS.map(|text| text.map(|_| true)), "{kind}");
        }
    }
}

#[tokio::test]
async fn byte_strings_of_one_length_are_keys() {
    let keys = FixedSizeBinaryArray::try_from_sparse_iter_with_size(
        [Some(*b"ab"), None, Some(*b"cd")].into_iter(),
        2,
    );
    let (found, answers) = asked(Arc::new(keys.unwrap())).await;
    let mut expected = BloomFilter::builder().capacity(100).false_positive_rate(0.001).build().unwrap();
    expected.insert_many(&["ab", "cd"]).unwrap();
    assert!(found == expected.to_bytes().unwrap());
    assert_eq!(answers, [Some(true), None, Some(true)]);
}

#[tokio::test]
async fn integers_are_their_decimal_texts_in_every_width() {
    let numbers = Int64Array::from(vec![Some(0), Some(1), None, Some(77), Some(127)]);
    let mut expected = BloomFilter::builder().capacity(100).false_positive_rate(0.001).build().unwrap();
    expected.insert_many(&["0", "1", "77", "127"]).unwrap();
    let expected = expected.to_bytes().unwrap();
    use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    for kind in [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64] {
        let (filter, answers) = asked(cast(&numbers, &kind).unwrap()).await;
        assert!(filter == expected, "{kind}");
        assert_eq!(answers, [Some(true), Some(true), None, Some(true), Some(true)], "{kind}");
    }
    for kind in [Int8, Int16, Int32, Int64] {
        let (filter, _) = asked(cast(&Int64Array::from(vec![-128, -1]), &kind).unwrap()).await;
        let mut expected = BloomFilter::builder().capacity(100).false_positive_rate(0.001).build().unwrap();
        expected.insert_many(&["-128", "-1"]).unwrap();
        assert!(filter == expected.to_bytes().unwrap(), "{kind}");
    }
}

#[tokio::test]
async fn a_dictionary_may_be_empty_hold_nulls_or_numbers() {
    let empty = DictionaryArray::<Int32Type>::new(
        Int32Array::from(vec![None, None]),
        Arc::new(StringArray::from(Vec::<&str>::new())),
    );
    assert_eq!(asked(Arc::new(empty)).await.1, [None, None]);
    let values = Arc::new(StringArray::from(vec![None, Some("a")]));
    let with_null = DictionaryArray::<Int32Type>::new(Int32Array::from(vec![Some(1), Some(0), None]), values);
    assert_eq!(asked(Arc::new(with_null)).await.1, [Some(true), None, None]);
    let numbers = DictionaryArray::<Int32Type>::new(
        Int32Array::from(vec![1, 0]),
        Arc::new(UInt8Array::from(vec![7, 9])),
    );
    assert_eq!(asked(Arc::new(numbers)).await.1, [Some(true), Some(true)]);
    assert_eq!(asked(Arc::new(NullArray::new(2))).await.1, [None, None]);
}

#[tokio::test]
async fn a_filter_of_integers_takes_columns_of_integers_and_of_their_texts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ids.tepal");
    let builder =
        BloomFilter::builder().capacity(10).false_positive_rate(1e-9).key_domain(KeyDomain::Integer);
    builder.build_from([-1i64, 42]).unwrap().save(&path).unwrap();
    let context = session(1);
    let values = "(values (1, '-1'), (2, '42'), (3, '042'), (4, 'x'), (5, null)) t(i, k)";
    let sql = |key: &str| {
        format!("select bloom_contains_file('{}', {key}) from {values} order by i", path.display())
    };
    assert_eq!(answers(&context, &sql("k")).await, [Some(true), Some(true), Some(false), Some(false), None]);
    let sql = |key: &str| format!("select bloom_contains_file('{}', {key})", path.display());
    assert_eq!(answers(&context, &sql("42")).await, [Some(true)]);
    assert_eq!(answers(&context, &sql("arrow_cast(42, 'UInt8')")).await, [Some(true)]);
    assert_eq!(answers(&context, &sql("arrow_cast(-1, 'Int8')")).await, [Some(true)]);
    assert_eq!(answers(&context, &sql("43")).await, [Some(false)]);
}
