"""One value is one key, however it comes: every type of Arrow, pandas, polars, DuckDB and numpy beside single keys.

What a column holds is compared with what the same values say one by one. What is not sure is refused, by name, with what to type.
"""

import datetime
import decimal
import ipaddress
import pathlib
import re
import uuid

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import tepal

UUIDS = [uuid.UUID(int=i * 0x0123_4567_89AB_CDEF_0123_4567_89AB_CDEF % 2**128) for i in (0, 1, 3, 7)]
ADDRESSES = [ipaddress.ip_address(address) for address in ("192.0.2.1", "2001:db8::1")]
PATHS = [pathlib.PurePosixPath("a/b.csv"), pathlib.PurePosixPath("c")]
DAY = datetime.date(2026, 11, 28)
TIME = datetime.datetime(2026, 11, 28, 12)


def of(keys, nulls=0):
    seen = tepal.BloomFilter(1000, 1e-6)
    seen.update(keys)
    assert seen.nulls_skipped == nulls
    return seen


def one_by_one(keys):
    seen = tepal.BloomFilter(1000, 1e-6)
    for key in keys:
        seen.add(key)
    return seen


def listed(answers):
    return answers.to_pylist() if hasattr(answers, "to_pylist") else list(answers)


def taken(column, keys):
    """The column has these keys: in a filter, for a lookup, for every other call that takes columns."""
    nulls, members = sum(key is None for key in keys), [key for key in keys if key is not None]
    expected = one_by_one(members)
    assert of(column(), nulls) == expected
    answers = listed(expected.contains_many(column()))
    assert [bool(answer) for answer in answers] == [key is not None for key in keys], answers
    assert not any(listed(tepal.BloomFilter(10).contains_many(column())))
    assert tepal.RibbonFilter(column(), 1e-6) == tepal.RibbonFilter(members, 1e-6)
    segments = tepal.SegmentFilter(100, 1e-6)
    segments.update("all", column())
    assert segments.segments_many(column()) == [() if key is None else ("all",) for key in keys]
    counter, single = tepal.KeyCounter(), tepal.KeyCounter()
    counter.update(column()), single.update(members)
    assert counter.to_bytes() == single.to_bytes()
    shards = memoryview(tepal.shards_of(column(), 7)).cast("I").tolist()
    for shard, key in zip(shards, keys, strict=True):
        assert key is None or [shard] == memoryview(tepal.shards_of([key], 7)).cast("I").tolist()


def refused(column, advice):
    """The column is refused by every call, and nothing is changed."""
    seen = one_by_one(["a"])
    for call in (seen.update, seen.contains_many, tepal.RibbonFilter, tepal.KeyCounter().update):
        with pytest.raises(tepal.KeyTypeError, match=re.escape(advice)):
            call(column())
    assert seen == one_by_one(["a"])


CONNECTIONS = []


def duck(sql, lossless=False):
    connection = duckdb.connect()
    CONNECTIONS.append(connection)
    if lossless:
        connection.execute("set arrow_lossless_conversion = true")
    return connection.sql(sql)


def quoted(values):
    return f"from (values {', '.join(f'({i}, {chr(39)}{value}{chr(39)})' for i, value in enumerate(values))}) t(i, v) order by i"


def polars_object(values):
    return pl.Series("v", values, dtype=pl.Object)


OF_UUIDS = {
    "a list": lambda: UUIDS,
    "their texts": lambda: [str(key) for key in UUIDS],
    "numpy, objects": lambda: np.array(UUIDS, dtype=object),
    "pandas, objects": lambda: pd.Series(UUIDS),
    "pandas, an index": lambda: pd.Index(UUIDS),
    "pandas, a category": lambda: pd.Series(UUIDS, dtype="category"),
    "pandas, of Arrow": lambda: pd.Series(pd.arrays.ArrowExtensionArray(pa.array(UUIDS, pa.uuid()))),
    "a frame of pandas": lambda: pd.DataFrame({"v": UUIDS}),
    "polars, objects": lambda: polars_object(UUIDS),
    "a frame of polars": lambda: pl.DataFrame([polars_object(UUIDS)]),
    "pyarrow": lambda: pa.array(UUIDS, pa.uuid()),
    "pyarrow, inferred": lambda: pa.array(UUIDS),
    "pyarrow, a slice": lambda: pa.array([*UUIDS, *UUIDS], pa.uuid())[4:],
    "pyarrow, chunks": lambda: pa.chunked_array([pa.array(UUIDS[:1], pa.uuid()), pa.array(UUIDS[1:], pa.uuid())]),
    "a table of pyarrow": lambda: pa.table({"v": pa.array(UUIDS, pa.uuid())}),
    "DuckDB": lambda: duck(f"select v::uuid v {quoted(UUIDS)}"),
    "DuckDB, lossless": lambda: duck(f"select v::uuid v {quoted(UUIDS)}", lossless=True),
    "a table of DuckDB": lambda: duck(f"select v::uuid v {quoted(UUIDS)}", lossless=True).to_arrow_table(),
}


@pytest.mark.parametrize("form", OF_UUIDS)
def test_uuids(form):
    taken(OF_UUIDS[form], UUIDS)


def test_a_uuid_is_its_text():
    key = uuid.UUID("550E8400-E29B-41D4-A716-446655440000")
    assert one_by_one([key]) == one_by_one(["550e8400-e29b-41d4-a716-446655440000"])
    assert one_by_one([(key, 7)]) == one_by_one([(str(key), 7)])
    with_nulls = pa.array([UUIDS[0], None, UUIDS[1]], pa.uuid())
    taken(lambda: with_nulls, [UUIDS[0], None, UUIDS[1]])
    taken(lambda: pd.Series([UUIDS[0], None, UUIDS[1]]), [UUIDS[0], None, UUIDS[1]])
    taken(lambda: polars_object([UUIDS[0], None]), [UUIDS[0], None])
    by_dictionary = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0]), pa.array(UUIDS[:2], pa.uuid()))
    taken(lambda: by_dictionary, [UUIDS[0], UUIDS[1], None, UUIDS[0]])
    many = [uuid.UUID(int=i) for i in range(20_000)]
    assert of_many(pa.array(many, pa.uuid())) == of_many([str(key) for key in many]) == of_many(many)
    # Nobody can tell what sixteen bytes without a name are.
    taken(lambda: pa.array([key.bytes for key in UUIDS], pa.binary(16)), [key.bytes for key in UUIDS])
    assert UUIDS[1] not in of(pa.array([UUIDS[1].bytes], pa.binary(16)))


def of_many(keys):
    seen = tepal.BloomFilter(20_000)
    seen.update(keys)
    return seen


def test_a_uuid_in_a_filter_of_another_program(tmp_path):
    tepal.BloomFilter(100, scheme="guava-mitz64").save(tmp_path / "file", format="guava")
    unsure, sure = tepal.open(tmp_path / "file", format="guava"), tepal.open(tmp_path / "file", format="guava", key_domain="hex")
    assert unsure.format == "guava"
    column, key = pa.array(UUIDS, pa.uuid()), UUIDS[1]
    calls = [
        lambda: unsure.add(key), lambda: key in unsure, lambda: unsure.update([key]), lambda: unsure.update(column),
        lambda: unsure.contains_many([key]), lambda: unsure.contains_many(column), lambda: unsure.update(pd.Series(UUIDS)),
        lambda: unsure.contains_many(polars_object(UUIDS)), lambda: unsure.union([key]), lambda: unsure.contains_many(pa.table({"v": column})),
    ]
    for call in calls:
        with pytest.raises(tepal.KeyValueError, match=re.escape("str(u) or u.bytes")):
            call()
    assert unsure.keys_inserted in (0, None) and unsure.false_positive_rate == 0
    # Either choice works, and the stated domain decides by itself.
    unsure.update(key.bytes for key in UUIDS)
    sure.update(column)
    assert unsure.to_bytes() == sure.to_bytes() and all(key in sure for key in UUIDS) and all(sure.contains_many(UUIDS))
    texts = tepal.open(tmp_path / "file", format="guava")
    texts.update(str(key) for key in UUIDS)
    assert str(key) in texts and texts.to_bytes() != sure.to_bytes()
    # Our own filter with the scheme of another program is ours.
    assert tepal.BloomFilter(100, scheme="guava-mitz64").add(key)


@pytest.mark.parametrize("keys", [ADDRESSES, PATHS, [*ADDRESSES, "a", 7, ("b", 1)], [b"x", "y"]], ids=["addresses", "paths", "mixed", "bytes"])
def test_objects_go_by_the_rules_of_a_list(keys):
    columns = [
        lambda: polars_object(keys), lambda: pl.DataFrame([polars_object(keys)]), lambda: pd.Series(keys, dtype=object),
        lambda: pd.Series(keys, dtype="category") if all(isinstance(key, type(keys[0])) for key in keys) else keys,
        lambda: pd.DataFrame({"v": pd.Series(keys, dtype=object)}),
    ]
    for column in columns:
        taken(column, keys)
    array = np.empty(len(keys), dtype=object)
    array[:] = keys
    taken(lambda: array, keys)
    # Polars makes such columns by itself.
    if keys is ADDRESSES:
        taken(lambda: pl.Series(keys), keys)


def test_objects_that_are_no_keys():
    for values in ([1.5], [True, None], [decimal.Decimal(1)], [DAY], [object()]):
        refused(lambda: polars_object(values), "is no key")
        refused(lambda: pd.Series(values, dtype=object), "is no key")
    answers = one_by_one(["1"]).contains_many(polars_object(["1", None]))
    assert isinstance(answers, pl.Series) and answers.to_list() == [True, None] and answers.name == "v"


class OfTests(pa.ExtensionType):
    """An extension type that nobody knows."""

    def __init__(self, storage, name):
        super().__init__(storage, name)

    def __arrow_ext_serialize__(self):
        return b"how it is meant\n"

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls(storage, "org.example.money")


def extended(storage, name):
    return pa.ExtensionArray.from_storage(OfTests(storage.type, name), storage)


def test_extension_types():
    text = pa.array(["a", None, "b"])
    for kind in (pa.json_(), pa.json_(pa.large_string()), pa.json_(pa.string_view())):
        taken(lambda: pa.ExtensionArray.from_storage(kind, text.cast(kind.storage_type)), ["a", None, "b"])
    refused(lambda: pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8())), "arrow.bool8, which is true and false")
    unknown = [pa.array([1]), text, pa.array([b"a"]), pa.array([UUIDS[0].bytes], pa.binary(16)), text.dictionary_encode(), pa.array([{"a": 1}])]
    for storage in unknown:
        # Its name, and what it says of itself, in a line.
        refused(lambda: extended(storage, "org.example.money"), "org.example.money how it is meant\\n")
        refused(lambda: pa.table({"v": extended(storage, "org.example.money")}), "cast it to string, binary or int64")
        taken_or_struct(storage)
    # A name that is known, over something else.
    refused(lambda: extended(pa.array([1]), "arrow.json"), "the extension type arrow.json")
    refused(lambda: extended(pa.array([b"a"]), "arrow.uuid"), "the extension type arrow.uuid")
    refused(lambda: pa.ExtensionArray.from_storage(pa.opaque(pa.binary(), "bit", "DuckDB"), pa.array([b"a"])), '"type_name":"bit"')
    tensor = pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.int8(), [1]), pa.array([[1]], pa.list_(pa.int8(), 1)))
    refused(lambda: tensor, "arrow.fixed_shape_tensor")


def taken_or_struct(storage):
    """The neighbour of what is refused: the same without the name."""
    if pa.types.is_struct(storage.type):
        refused(lambda: storage, "structs")
    else:
        taken(lambda: storage, storage.to_pylist())


def test_structs_are_no_columns_and_tables_are():
    rows = [{"v": "a"}, {"v": "b"}]
    structs = pa.array(rows)
    for column in (
        lambda: structs, lambda: pa.chunked_array([structs]), lambda: pl.Series(rows), lambda: pa.table({"s": structs}),
        lambda: pd.Series(pd.arrays.ArrowExtensionArray(structs)), lambda: duck("select {'v': 'a'} s"),
        lambda: pl.DataFrame({"s": rows}), lambda: pl.DataFrame({"s": rows})["s"], lambda: pa.array([{}, {}]),
        lambda: pa.array([{"a": 1, "b": 2}]), lambda: pa.array([None], pa.struct([("v", pa.string())])),
    ):
        refused(column, "no column of keys")
    table = pa.table({"v": ["a", "b"]})
    for column in (
        lambda: table, lambda: table.to_batches()[0], lambda: table.to_reader(), lambda: pl.DataFrame({"v": ["a", "b"]}),
        lambda: pd.DataFrame({"v": ["a", "b"]}), lambda: duck("select * from (values ('a'), ('b')) t(v)"),
        lambda: pa.RecordBatch.from_struct_array(structs), lambda: structs.field("v"), lambda: table["v"],
    ):
        taken(column, ["a", "b"])


# Every type of pyarrow: its id, a column, and the keys or what the error says.
CAST, ELSE = "cast them to int64 or string", "cast it to int64 or string"
OF_PYARROW = [
    ("Type_NA", lambda: pa.nulls(2), [None, None]),
    ("Type_BOOL", lambda: pa.array([True]), "true is not 1"),
    *[(f"Type_{name.upper()}", lambda name=name: pa.array([1, None, 7], getattr(pa, name)()), [1, None, 7]) for name in
      ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")],
    ("Type_HALF_FLOAT", lambda: pa.array([np.float16(1)], pa.float16()), CAST),
    ("Type_FLOAT", lambda: pa.array([1], pa.float32()), CAST),
    ("Type_DOUBLE", lambda: pa.array([1.0]), CAST),
    *[(f"Type_DECIMAL{bits}", lambda bits=bits: pa.array([decimal.Decimal(1)], getattr(pa, f"decimal{bits}")(5)), CAST) for bits in (32, 64, 128, 256)],
    ("Type_DATE32", lambda: pa.array([DAY]), CAST),
    ("Type_DATE64", lambda: pa.array([DAY], pa.date64()), CAST),
    ("Type_TIMESTAMP", lambda: pa.array([TIME]), CAST),
    ("Type_TIME32", lambda: pa.array([1], pa.time32("s")), CAST),
    ("Type_TIME64", lambda: pa.array([1], pa.time64("us")), CAST),
    ("Type_DURATION", lambda: pa.array([1], pa.duration("s")), CAST),
    ("Type_INTERVAL_MONTH_DAY_NANO", lambda: pa.array([(1, 2, 3)], pa.month_day_nano_interval()), CAST),
    *[(f"Type_{name.upper()}", lambda name=name: pa.array(["a", None, "x" * 20], getattr(pa, name)()), ["a", None, "x" * 20]) for name in
      ("string", "large_string", "string_view")],
    *[(f"Type_{name.upper()}", lambda name=name: pa.array([b"a", None, b"x" * 20], getattr(pa, name)()), [b"a", None, b"x" * 20]) for name in
      ("binary", "large_binary", "binary_view")],
    ("Type_FIXED_SIZE_BINARY", lambda: pa.array([b"abc", None], pa.binary(3)), [b"abc", None]),
    ("Type_DICTIONARY", lambda: pa.array(["a", None]).dictionary_encode(), ["a", None]),
    ("Type_LIST", lambda: pa.array([[1]]), "a column of strings"),
    ("Type_LARGE_LIST", lambda: pa.array([[1]], pa.large_list(pa.int8())), "a column of strings"),
    ("Type_LIST_VIEW", lambda: pa.array([[1]], pa.list_view(pa.int8())), "a column of strings"),
    ("Type_LARGE_LIST_VIEW", lambda: pa.array([[1]], pa.large_list_view(pa.int8())), "a column of strings"),
    ("Type_FIXED_SIZE_LIST", lambda: pa.array([[1]], pa.list_(pa.int8(), 1)), "a column of strings"),
    ("Type_MAP", lambda: pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())), "a column of strings"),
    ("Type_STRUCT", lambda: pa.array([{"a": 1}]), "structs (a)"),
    ("Type_SPARSE_UNION", lambda: pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])]), "a column of strings"),
    ("Type_DENSE_UNION", lambda: pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])]), "a column of strings"),
    ("Type_RUN_END_ENCODED", lambda: pa.RunEndEncodedArray.from_arrays([2], ["a"]), "cast them to the type of the values"),
    ("Type_EXTENSION", lambda: pa.array(UUIDS), UUIDS),
]


@pytest.mark.parametrize("column, keys", [row[1:] for row in OF_PYARROW], ids=[row[0] for row in OF_PYARROW])
def test_every_type_of_pyarrow(column, keys):
    refused(column, keys) if isinstance(keys, str) else taken(column, keys)
    whole = lambda: pa.table({"v": column()})
    refused(whole, keys) if isinstance(keys, str) else taken(whole, keys)


def test_no_type_of_pyarrow_is_missing():
    # The two that no array of Python can have.
    listed = {row[0] for row in OF_PYARROW} | {"Type_INTERVAL_MONTHS", "Type_INTERVAL_DAY_TIME"}
    assert {name for name in dir(pa.lib) if name.startswith("Type_")} - listed == set()


OF_POLARS = {
    pl.Boolean: ([True], "true is not 1"),
    **{kind: ([1, None, 7], None) for kind in (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)},
    pl.Int128: ([1], ELSE),
    pl.UInt128: ([1], ELSE),
    pl.Float16: ([1.0], CAST),
    pl.Float32: ([1.0], CAST),
    pl.Float64: ([1.0], CAST),
    pl.Decimal: ([decimal.Decimal(1)], CAST),
    pl.String: (["a", None], None),
    pl.Binary: ([b"a", None], None),
    pl.Categorical: (["a", None], None),
    pl.Enum: (["a", None], None),
    pl.Date: ([DAY], CAST),
    pl.Time: ([datetime.time(1)], CAST),
    pl.Datetime: ([TIME], CAST),
    pl.Duration: ([datetime.timedelta(1)], CAST),
    pl.List: ([[1]], "a column of strings"),
    pl.Array: ([[1]], "a column of strings"),
    pl.Map: ([{"a": 1}], "a column of strings"),
    pl.Struct: ([{"a": 1}], "structs (a)"),
    pl.Null: ([None], None),
    pl.Object: ([ADDRESSES[0], None], None),
}
WHOLE = {pl.Enum: pl.Enum(["a"]), pl.Array: pl.Array(pl.Int8, 1), pl.Decimal: pl.Decimal(5), pl.List: pl.List(pl.Int8), pl.Map: pl.Map(pl.String, pl.Int8), pl.Struct: pl.Struct({"a": pl.Int8})}


@pytest.mark.parametrize("kind", OF_POLARS, ids=str)
def test_every_type_of_polars(kind):
    values, advice = OF_POLARS[kind]
    made = lambda: pl.Series("v", values, dtype=WHOLE.get(kind, kind))
    for column in (made, lambda: made().to_frame()):
        refused(column, advice) if advice else taken(column, values)


def test_no_type_of_polars_is_missing():
    kinds = {getattr(pl, name) for name in dir(pl) if isinstance(getattr(pl, name), type) and issubclass(getattr(pl, name), pl.DataType)}
    # Classes of several types, and those that stand for another program's.
    several = {pl.DataType, pl.Field} | {kind for kind in kinds if kind.__name__ in ("BaseExtension", "Extension", "Unknown", "Field")}
    assert {kind for kind in kinds if not kind.__subclasses__()} - several - set(OF_POLARS) == set()


OF_DUCKDB = [
    ("true", "true is not 1"), ("1::tinyint", [1]), ("1::smallint", [1]), ("1::int", [1]), ("1::bigint", [1]), ("1::utinyint", [1]),
    ("1::usmallint", [1]), ("1::uinteger", [1]), ("1::ubigint", [1]), ("1::hugeint", CAST), ("1::uhugeint", CAST), ("1::varint", "bignum"),
    ("1::float", CAST), ("1::double", CAST), ("1::decimal(5, 1)", CAST), ("'a'", ["a"]), ("'a'::blob", [b"a"]), ("'101'::bit", "bits::varchar"),
    ("'a'::enum('a', 'b')", ["a"]), ("""'{"a": 1}'::json""", ['{"a": 1}']), (f"'{UUIDS[1]}'::uuid", [UUIDS[1]]), ("date '2026-11-28'", CAST),
    ("time '12:00'", CAST), ("timestamp '2026-11-28'", CAST), ("timestamptz '2026-11-28'", CAST), ("interval '1' day", CAST),
    ("[1]", "a column of strings"), ("array_value(1, 2)", "a column of strings"), ("{'a': 1}", "structs (a)"), ("map {'a': 1}", "a column of strings"),
    ("union_value(a := 1)", "a column of strings"), ("null", [None]),
]


@pytest.mark.parametrize("value, keys", OF_DUCKDB, ids=str)
def test_types_of_duckdb(value, keys):
    for lossless in (False, True):
        column = lambda: duck(f"select {value} v", lossless)
        if not isinstance(keys, str):
            taken(column, keys)
            continue
        advice = keys
        if lossless and "hugeint" in value:
            advice = "hugeint"
        with pytest.raises(tepal.KeyTypeError, match=re.escape(advice)):
            of(column())


@pytest.mark.parametrize("code", np.typecodes["All"] + "OSUV")
def test_types_of_numpy(code):
    column = {"S": lambda: np.array([b"a"]), "U": lambda: np.array(["a"]), "O": lambda: np.array([UUIDS[0]]), "V": lambda: np.zeros(1, "V16")}.get(
        code, lambda: np.ones(1, {"M": "M8[s]", "m": "m8[s]"}.get(code, code))
    )
    if code in np.typecodes["AllInteger"] + "SUO":
        taken(column, column().tolist())
    else:
        with pytest.raises(tepal.KeyTypeError):
            of(column())


OF_PANDAS = [
    ("int8", [1, 2]), ("Int64", [1, None]), ("UInt8", [1, None]), ("object", ["a", None]), ("object", [b"a", None]), ("object", [7, None]),
    ("str", ["a", None]), ("string", ["a", None]), ("category", ["a", None]), ("category", [1, 2]), ("object", [("a", 1), None]),
    ("int64[pyarrow]", [1, None]), ("large_string[pyarrow]", ["a", None]), ("binary[pyarrow]", [b"a", None]), ("object", UUIDS), ("object", [None, None]),
]


@pytest.mark.parametrize("dtype, keys", OF_PANDAS, ids=str)
def test_types_of_pandas(dtype, keys):
    for column in (lambda: pd.Series(keys, dtype=dtype), lambda: pd.Series(keys, dtype=dtype).to_frame("v"), lambda: pd.array(keys, dtype=dtype)):
        taken(column, keys)


@pytest.mark.parametrize("dtype", ["float32", "Float64", "bool", "boolean", "datetime64[ns]", "timedelta64[ns]", "complex128", "double[pyarrow]", "bool[pyarrow]", "Period", "Interval", "sparse"])
def test_types_of_pandas_that_hold_no_keys(dtype):
    made = {
        "Period": lambda: pd.Series(pd.period_range("2026", periods=2, freq="D")),
        "Interval": lambda: pd.Series(pd.interval_range(0, 2)),
        "sparse": lambda: pd.Series(pd.arrays.SparseArray([1.5, 0.0])),
    }.get(dtype, lambda: pd.Series([1, 0], dtype=dtype))
    with pytest.raises(tepal.KeyTypeError):
        of(made())
