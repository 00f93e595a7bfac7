"""Answers belong to the rows of the question, whatever index, name, order or slice it has: for every kind and every call that
answers with a column."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import tepal
from tepal.spark import Shards
from test_kinds import MAKERS

MEMBERS = ["apple", "banana", "cherry"]
# Members and others in no order, with repeats.
KEYS = ["x1", "cherry", "apple", "x2", "banana", "cherry", "x3", "apple"]
EXPECTED = [key in MEMBERS for key in KEYS]
PLACE = {key: place for place, key in enumerate(MEMBERS)}
VALUES = [PLACE.get(key) for key in KEYS]
KINDS = {name: make(MEMBERS) for name, make in MAKERS.items()} | {"RibbonMap": tepal.RibbonMap(PLACE, 1e-9)}
NAMED = tepal.RibbonMap(dict(zip(MEMBERS, ["red", "green", "blue"])), 1e-9, names=["red", "green", "blue"])
NAMES = [None if value is None else NAMED.names[value] for value in VALUES]
every_kind = pytest.mark.parametrize("kind", KINDS)

INDEXES = {
    "strings": pd.Index(KEYS),
    "objects": pd.Index(KEYS, dtype=object),
    "named": pd.Index(KEYS, name="fruit"),
    "arrow": pd.Index(KEYS, dtype=pd.ArrowDtype(pa.string())),
    "categories": pd.CategoricalIndex(KEYS),
    "sliced": pd.Index(["x9", *KEYS, "apple"])[1:-1],
    "backwards": pd.Index(KEYS[::-1])[::-1],
}
# Indexes of a Series or DataFrame, which say nothing of the keys in it.
OF_ROWS = {
    "permuted": pd.Index([5, 2, 7, 0, 1, 6, 3, 4]),
    "duplicate": pd.Index([1, 1, 0, 0, 2, 2, 1, 0]),
    "named": pd.Index(list("hgfedcba"), name="letters"),
    "multi": pd.MultiIndex.from_product([[3, 1], ["b", "a"], [0, 1]], names=["n", "l", None]),
    "sliced": pd.RangeIndex(100)[90:10:-10],
    "words": pd.Index(["columns", "name", "index", "dtype", "values", "keys", "items", "iloc"]),
}


def missing(found):
    return [None if pd.isna(value) or value is np.ma.masked else value for value in found]


@every_kind
@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_an_index_of_keys(kind, index):
    filter = KINDS[kind]
    answers = filter.contains_many(index)
    assert type(answers) is type(index.isin(MEMBERS)) is np.ndarray and answers.dtype == bool
    assert answers.tolist() == index.isin(MEMBERS).tolist() == EXPECTED
    frame = pd.DataFrame({"row": range(len(KEYS))}, index=index)
    for rows in (frame.loc[answers], frame[answers], frame.iloc[answers]):
        assert rows["row"].tolist() == [row for row, is_in in enumerate(EXPECTED) if is_in]
    frame["is in"] = answers
    assert frame["is in"].tolist() == EXPECTED and frame.loc[~answers].index.isin(MEMBERS).sum() == 0


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_values_of_an_index(index):
    for filter, expected in ((KINDS["RibbonMap"], VALUES), (NAMED, NAMES)):
        values = filter.get_many(index)
        assert not isinstance(values, (pd.Series, pd.Index)) and len(values) == len(index)
        assert str(values.dtype) == ("object" if filter is NAMED else "UInt32") and missing(values) == expected
        frame = pd.DataFrame({"key": list(index)}, index=index)
        frame["value"] = values
        assert missing(frame["value"]) == expected
        assert all(filter.get(key) == value for key, value in zip(frame["key"], missing(frame["value"])))


@every_kind
def test_an_index_of_integers(kind):
    filter = MAKERS[kind](range(3, 6), key_domain="int64") if kind in MAKERS else tepal.RibbonMap({i: i for i in range(3, 6)}, 1e-9, key_domain="int64")
    whole = pd.DataFrame({"id": np.arange(8)}, index=np.arange(8)[::-1])
    for index in (whole.index, pd.RangeIndex(7, -1, -1), whole.index[2:], whole.index.astype("uint8"), whole.index.astype("Int64"), pd.Index([], dtype=int)):
        answers = filter.contains_many(index)
        assert type(answers) is np.ndarray and answers.tolist() == [3 <= key < 6 for key in index]
    assert whole.loc[filter.contains_many(whole.index)].index.tolist() == [5, 4, 3]
    if kind == "RibbonMap":
        assert missing(filter.get_many(whole.index)) == [key if 3 <= key < 6 else None for key in whole.index]


@every_kind
def test_rows_of_a_multi_index_are_tuples(kind):
    rows = [("x", 1), ("a", 2), ("a", 1), ("b", 2)]
    for members, multi in (
        ([("a", 1), ("b", 2)], pd.MultiIndex.from_tuples(rows, names=["l", None])),
        ([("a", "1"), ("b", "2")], pd.MultiIndex.from_tuples([(l, str(n)) for l, n in rows])),
        ([(97, 1), (98, 2)], pd.MultiIndex.from_tuples([(ord(l), n) for l, n in rows])),
        ([("a",), ("b",)], pd.MultiIndex.from_arrays([[l for l, _ in rows]])),
    ):
        filter = MAKERS[kind](members) if kind in MAKERS else tepal.RibbonMap({key: 7 for key in members}, 1e-9)
        for index in (multi, multi[::-1], multi[1:3], multi[:0]):
            expected = [key in members for key in index.tolist()]
            assert type(filter.contains_many(index)) is np.ndarray
            assert filter.contains_many(index).tolist() == index.isin(members).tolist() == expected
            # The same tuples as objects.
            series = pd.Series(index.tolist(), index=range(len(index))[::-1], dtype=object)
            assert filter.contains_many(series).tolist() == expected
            if kind == "RibbonMap":
                assert missing(filter.get_many(index)) == [7 if is_in else None for is_in in expected]
    with pytest.raises(tepal.KeyTypeError, match="float is no key"):
        filter.contains_many(pd.MultiIndex.from_tuples([("a", 1.5)]))
    with pytest.raises(tepal.KeyTypeError, match="many keys go to"):
        filter.contains_many(pd.Series([["a"], ["b"]]))


@every_kind
def test_an_index_with_nulls(kind):
    filter = KINDS[kind]
    for index in (pd.Index(["apple", None, "x"], dtype=object), pd.Index(["apple", None, "x"], dtype="string"), pd.CategoricalIndex(["apple", None, "x"])):
        answers = filter.contains_many(index)
        assert type(answers) is np.ndarray and answers.dtype == bool and answers.tolist() == [True, False, False]
    if kind == "RibbonMap":
        assert missing(filter.get_many(index)) == [0, None, None]


@every_kind
def test_arrays_of_pandas_have_no_index_either(kind):
    for array in (pd.array(KEYS), pd.Categorical(KEYS), pd.array(KEYS, dtype="string")):
        answers = KINDS[kind].contains_many(array)
        assert type(answers) is type(pd.array(KEYS).isin(MEMBERS)) is np.ndarray and answers.tolist() == EXPECTED
        if kind == "RibbonMap":
            assert missing(KINDS[kind].get_many(array)) == VALUES


@every_kind
@pytest.mark.parametrize("index", OF_ROWS.values(), ids=OF_ROWS)
def test_series_and_columns_of_a_frame(kind, index):
    filter = KINDS[kind]
    for dtype in (None, object, "category", "string", pd.ArrowDtype(pa.string())):
        frame = pd.DataFrame({"key": pd.Series(KEYS, index=index, dtype=dtype), "row": range(len(KEYS))})
        for question in (frame["key"], frame[["key"]], pd.Series(KEYS, index=index, dtype=dtype, name="key")):
            answers = filter.contains_many(question)
            assert isinstance(answers, pd.Series) and answers.name == "key" and answers.index.equals(index) and answers.index.names == index.names
            assert answers.dtype == bool and answers.tolist() == EXPECTED
        frame["is in"] = answers
        assert frame["is in"].tolist() == EXPECTED
        assert frame[answers]["row"].tolist() == frame.loc[answers, "row"].tolist() == [row for row, is_in in enumerate(EXPECTED) if is_in]
        part = frame["key"].iloc[5:1:-2]
        assert filter.contains_many(part).tolist() == EXPECTED[5:1:-2] and filter.contains_many(part).index.equals(part.index)
        if kind == "RibbonMap":
            for made, expected in ((filter, VALUES), (NAMED, NAMES)):
                values = made.get_many(frame["key"])
                assert values.index.equals(index) and values.name == "key" and missing(values) == expected
                frame["value"] = values
                assert missing(frame["value"]) == expected
    nulls = pd.Series([None, *KEYS[1:]], index=index, dtype=object)
    answers = filter.contains_many(nulls)
    assert answers.index.equals(index) and answers.dtype == bool and answers.tolist() == [False, *EXPECTED[1:]]


@every_kind
def test_polars_and_arrow_keep_the_order_of_rows(kind):
    filter, order = KINDS[kind], [5, 2, 7, 0, 1, 6, 3, 4, 4, 5]
    expected = [EXPECTED[row] for row in order]
    frame = pl.DataFrame({"fruit": KEYS})
    for question in (frame["fruit"][order], frame[order], pl.Series("fruit", ["x", *KEYS])[1:][order], frame["fruit"].cast(pl.Categorical)[order]):
        answers = filter.contains_many(question)
        assert isinstance(answers, pl.Series) and answers.to_list() == expected
        assert answers.name == (question.name if isinstance(question, pl.Series) else "")
    assert frame[order].filter(filter.contains_many(frame["fruit"][order]))["fruit"].is_in(MEMBERS).all()
    whole = pa.array(["x", *KEYS])
    questions = [whole[1:].take(pa.array(order)), pa.chunked_array([whole[1:4], whole[4:4], whole[4:]]).take(pa.array(order)),
                 pa.table({"fruit": whole[1:]}).take(pa.array(order)), whole[1:].dictionary_encode().take(pa.array(order))]
    for question in questions:
        assert filter.contains_many(question).to_pylist() == expected
    assert filter.contains_many(np.array(KEYS)[order]).tolist() == filter.contains_many(np.array(KEYS, object)[order]).tolist() == expected
    if kind == "RibbonMap":
        values = [VALUES[row] for row in order]
        assert filter.get_many(frame["fruit"][order]).to_list() == values and filter.get_many(frame["fruit"][order]).name == "fruit"
        assert all(filter.get_many(question).to_pylist() == values for question in questions)
        assert filter.get_many(np.array(KEYS)[order]).tolist() == values


def test_what_pandas_has_that_is_no_column_of_keys():
    seen = KINDS["BloomFilter"]
    for wrong in (pd.period_range("2026", periods=2, freq="D"), pd.Series(pd.period_range("2026", periods=2, freq="D")), pd.interval_range(0, 2),
                  pd.Series(pd.interval_range(0, 2)), pd.cut([1, 2, 3], 2), pd.CategoricalIndex(pd.period_range("2026", periods=2, freq="D")),
                  pd.DatetimeIndex(["2026-11-24"]), pd.to_timedelta(["1s"]), pd.Index([1.5]), pd.Index([True]), pd.Timestamp("2026-11-24"),
                  pd.Series(["a"]).groupby([1]), pd.DataFrame({"a": [1], "b": [2]}), pd.DataFrame()):
        for call in (seen.contains_many, seen.copy().update, NAMED.get_many, tepal.RibbonFilter, lambda keys: tepal.SegmentFilter(10).update("s", keys)):
            with pytest.raises(tepal.KeyTypeError):
                call(wrong)


def test_objects_that_arrow_has_no_type_for_are_keys_one_by_one():
    keys = ["apple", 2**70, ("a", "b"), -3]
    seen = MAKERS["BloomFilter"](keys)
    for question in (keys, keys[:2], keys[1:2], keys[2:3], [2**70, -1]):
        expected = [key in keys for key in question]
        assert seen.contains_many(pd.Series(question, dtype=object)).tolist() == expected
        assert seen.contains_many(pd.Index(question, dtype=object, tupleize_cols=False)).tolist() == expected
    with pytest.raises(tepal.KeyValueError, match="surrogate"):
        seen.contains_many(pd.Series(["\ud800"], dtype=object))


def test_shards_answer_whatever_can_be_read_once():
    shards = Shards([tepal.BloomFilter(1000) for _ in range(4)], "bytes")
    for key, shard in zip(MEMBERS, memoryview(tepal.shards_of(MEMBERS, 4)).cast("I")):
        shards.filters[shard].add(key)
    assert shards.contains_many(KEYS) == shards.contains_many(tuple(KEYS)) == EXPECTED
    questions = [iter(KEYS), (key for key in KEYS), np.array(KEYS), pa.array(KEYS), pa.chunked_array([KEYS[:3], KEYS[3:]]), pd.Index(KEYS),
                 pd.Series(KEYS, index=OF_ROWS["permuted"]), pl.Series(KEYS)]
    for question in questions:
        assert shards.contains_many(question).to_pylist() == EXPECTED
    with pytest.raises(tepal.KeyTypeError, match="one key"):
        shards.contains_many("apple")
