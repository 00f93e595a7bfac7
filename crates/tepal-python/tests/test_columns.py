"""Columns: the same bits and answers as one key at a time, whatever the form."""

import array
import random

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import tepal

INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


def one_by_one(keys, **options):
    seen = tepal.BloomFilter(30_000, **options)
    for key in keys:
        seen.add(key)
    return seen


def by_column(column, nulls=0, **options):
    seen = tepal.BloomFilter(30_000, **options)
    assert seen.update(column) is None and seen.nulls_skipped == nulls
    return seen


@pytest.mark.parametrize("domain", ["bytes", "int64"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_numpy_integers(dtype, domain):
    rng = np.random.default_rng(7)
    info = np.iinfo(dtype)
    whole = rng.integers(info.min, info.max, 20_000, dtype=dtype, endpoint=True)
    whole[:2] = info.min, info.max
    views = [whole, whole[::-1], whole[::3], whole[5:17], whole[:0], np.broadcast_to(whole[:1], 9)]
    views += [whole.astype(whole.dtype.newbyteorder()), np.frombuffer(b"x" + whole.tobytes(), np.uint8)[1:].view(dtype)]
    read_only = whole.copy()
    read_only.flags.writeable = False
    for view in [*views, read_only]:
        expected = one_by_one(view.tolist(), key_domain=domain)
        assert by_column(view, key_domain=domain) == expected
        half = one_by_one(view[: len(view) // 2].tolist(), key_domain=domain)
        answers = half.contains_many(view)
        assert isinstance(answers, np.ndarray) and answers.dtype == bool
        assert answers.tolist() == [key in half for key in view.tolist()]


def test_numpy_texts():
    texts = ["", "a", "Blüte", "日本語", "x" * 50, "mid\0dle", "🌸"]
    for dtype in ("U60", ">U60"):
        column = np.array(texts, dtype=dtype)
        assert by_column(column) == one_by_one(texts)
        assert by_column(column[::-2]) == one_by_one(texts[::-2])
        assert one_by_one(texts[:3]).contains_many(column).tolist() == [True] * 3 + [False] * 4
    data = [b"", b"a", b"mid\0dle", bytes(range(1, 256))]
    assert by_column(np.array(data, dtype="S300")) == one_by_one(data)
    wide = np.array(["w" * 100_000, "v"])
    assert by_column(wide) == one_by_one(["w" * 100_000, "v"])
    assert by_column(np.array(["a", 7, b"x", ("p", 1)], dtype=object)) == one_by_one(["a", 7, b"x", ("p", 1)])
    answers = one_by_one(["a"]).contains_many(np.array(["a", "b"], dtype=object))
    assert isinstance(answers, np.ndarray) and answers.tolist() == [True, False]
    with pytest.raises(tepal.KeyValueError, match="row 0"):
        by_column(np.array([0x110000], np.uint32).view("U1"))


def test_other_buffers():
    assert by_column(array.array("q", [1, -2, 3])) == one_by_one([1, -2, 3])
    assert by_column(memoryview(b"\x01\x02")) == one_by_one([1, 2])
    assert one_by_one([1]).contains_many(array.array("B", [1, 2])) == [True, False]


def arrow_types():
    texts = ["", "a", "twelve bytes", "thirteen byte", "Blüte", "日本語", "x" * 200]
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()):
        keys = texts if "string" in str(kind) else [text.encode() for text in texts]
        yield kind, keys
    yield pa.binary(3), [b"abc", b"\0\0\0", b"xyz"]
    for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64()):
        yield kind, [0, 1, -1, 100, -100]
    for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        yield kind, [0, 1, 100, 255]
    yield pa.dictionary(pa.int8(), pa.string()), texts
    yield pa.dictionary(pa.uint32(), pa.large_string()), texts
    yield pa.dictionary(pa.int32(), pa.int64()), [1, 2, -3]


@pytest.mark.parametrize("kind, keys", list(arrow_types()), ids=str)
def test_arrow(kind, keys):
    rng = random.Random(7)
    rows = [rng.choice(keys) for _ in range(20_000)]
    with_nulls = [row if rng.random() < 0.8 else None for row in rows]
    for values in (rows, with_nulls):
        whole = pa.array(values, kind)
        for column in (whole, whole[3:], whole[9_001:9_002], whole[:0], whole[5:8_205]):
            members = [value for value in column.to_pylist() if value is not None]
            seen = by_column(column, nulls=column.null_count)
            assert seen == one_by_one(members)
            some = one_by_one(keys[::2])
            expected = [None if key is None else key in some for key in column.to_pylist()]
            answers = some.contains_many(column)
            assert isinstance(answers, pa.BooleanArray) and answers.to_pylist() == expected
            answers.validate(full=True)
            assert answers.null_count == column.null_count
        chunked = pa.chunked_array([whole[:5], whole[5:5], whole[5:8_001], whole[8_001:]])
        seen = by_column(chunked, nulls=chunked.null_count)
        assert seen == one_by_one([value for value in values if value is not None])
        answers = one_by_one(keys[::2]).contains_many(chunked)
        assert isinstance(answers, pa.ChunkedArray) and len(answers) == len(chunked)


def test_arrow_tables_of_one_column():
    table = pa.table({"key": ["a", None, "b"]})
    for column in (table, table.slice(1), table.to_batches()[0], table.to_batches()[0].slice(1), pa.RecordBatchReader.from_batches(table.schema, table.to_batches())):
        assert by_column(column, nulls=1) <= one_by_one(["a", "b"])
    assert by_column(pa.nulls(5), nulls=5) == one_by_one([])
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0]), pa.array(["a", None]))
    assert by_column(dictionary, nulls=2) == one_by_one(["a"])
    assert one_by_one(["a"]).contains_many(dictionary).to_pylist() == [True, None, None, True]


def test_polars():
    for keys, kind in ((["a", None, "b" * 30], None), ([1, None, -5], pl.Int32), (["x", "y", None], pl.Categorical)):
        column = pl.Series("name", keys, dtype=kind)
        seen = by_column(column, nulls=1)
        assert seen == one_by_one([key for key in keys if key is not None])
        some = one_by_one([keys[0]])
        answers = some.contains_many(column)
        assert isinstance(answers, pl.Series) and answers.dtype == pl.Boolean and answers.name == "name"
        assert answers.to_list() == [None if key is None else key in some for key in keys]
    frame = pl.DataFrame({"key": ["a", "b"]})
    assert by_column(frame) == one_by_one(["a", "b"])
    assert frame.filter(one_by_one(["a"]).contains_many(frame["key"])).height == 1
    assert one_by_one([1]).contains_many(pl.concat([pl.Series([1, 2]), pl.Series([3])], rechunk=False)).to_list() == [True, False, False]


def test_pandas():
    index = [10, 20, 30]
    for keys, kind in ((["a", None, "b"], None), (["a", None, "b"], "object"), ([1, None, 3], "Int64"), (["a", None, "b"], "category")):
        column = pd.Series(keys, index=index, dtype=kind)
        seen = by_column(column, nulls=1)
        assert seen == one_by_one([key for key in keys if key is not None]), kind
        answers = one_by_one(keys[:1]).contains_many(column)
        assert isinstance(answers, pd.Series) and answers.index.tolist() == index and answers.dtype == bool
        assert answers.tolist() == [True, False, False]
    numbers = pd.Series([1, 2, 3], index=index)
    answers = one_by_one([1]).contains_many(numbers)
    assert answers.dtype == bool and numbers[answers].tolist() == [1] and numbers[~answers].tolist() == [2, 3]
    assert by_column(pd.Index(["a", "b"])) == one_by_one(["a", "b"])
    mixed = pd.Series(["a", 1, ("p", 2)])
    assert by_column(mixed) == one_by_one(["a", 1, ("p", 2)])


def test_duckdb():
    relation = duckdb.sql("select 'key ' || range as key from range(5000)")
    assert by_column(relation) == one_by_one([f"key {i}" for i in range(5000)])
    answers = one_by_one(["key 7"]).contains_many(duckdb.sql("select 'key ' || range as key from range(9)"))
    assert answers.to_pylist() == [i == 7 for i in range(9)]


class OnlyArrow:
    """A column of some other library."""

    def __init__(self, column):
        self.column = column

    def __arrow_c_array__(self, requested_schema=None):
        return self.column.__arrow_c_array__(requested_schema)


def test_answers_for_others_are_arrow_too():
    seen = one_by_one(["a"])
    answers = seen.contains_many(OnlyArrow(pa.array(["a", None, "b"])))
    assert answers.to_pylist() == [True, None, False]


def test_the_column_of_booleans(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    answers = one_by_one(["a"]).contains_many(OnlyArrow(pa.array(["a", None, "b"] * 9)))
    monkeypatch.undo()
    assert type(answers) is tepal.BooleanColumn and len(answers) == 27 and answers.null_count == 9
    assert answers.to_list() == [True, None, False] * 9
    assert pa.array(answers).to_pylist() == pl.Series(answers).to_list() == answers.to_list()


def test_iterables_of_all_sorts():
    keys = ["a", b"b", 3, ("d", 4)]
    expected = one_by_one(keys)
    forms = [keys, tuple(keys), set(keys), frozenset(keys), dict.fromkeys(keys), iter(keys), (key for key in keys)]
    for form in [*forms, dict.fromkeys(keys).keys(), {key: key for key in keys}.values()]:
        assert by_column(form) == expected
    assert expected.contains_many(key for key in [*keys, "e"]) == [True] * 4 + [False]
    assert by_column(range(10_000)) == one_by_one(range(10_000))


def test_an_iterable_that_fails_halfway():
    def keys():
        yield from (str(i) for i in range(5000))
        raise KeyError("gone")

    seen = tepal.BloomFilter(30_000)
    with pytest.raises(KeyError, match="gone"):
        seen.update(keys())
    assert seen.keys_inserted == 5000 and all(seen.contains_many([str(i) for i in range(5000)]))


def test_a_list_that_changes_while_it_is_read():
    class Index:
        def __index__(self):
            keys.clear()
            return 7

    keys = ["a"] * 10 + [Index()] + ["b"] * 100_000
    seen = tepal.BloomFilter(30_000)
    seen.update(keys)
    assert "a" in seen and 7 in seen and "b" not in seen
