"""A map is read as a dict is, by one key and by columns; and keys that are added to a static filter."""

import array
import collections.abc
import json
import pickle
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import tepal

PAIRS = {f"key {i}": i % 100 for i in range(3000)}
COLOURS = ["red", "green", "blue"]
NAMED = {key: COLOURS[value % 3] for key, value in PAIRS.items()}
OTHERS = [f"other {i}" for i in range(20_000)]


@pytest.mark.parametrize("pairs", [PAIRS, NAMED])
def test_it_is_read_as_a_dict_is(pairs):
    made = tepal.RibbonMap(pairs, 0.01)
    assert len(made) == 3000 and all(made[key] == value and key in made for key, value in pairs.items())
    assert all(type(made[key]) is type(value) for key, value in pairs.items())
    assert made.get_many(list(pairs)) == list(pairs.values()) == [made.get(key) for key in pairs]
    found = made.get_many(OTHERS)
    assert found == [made.get(key) for key in OTHERS] and 100 < sum(value is not None for value in found) < 300
    assert made.contains_many(OTHERS) == [value is not None for value in found]
    stranger = OTHERS[found.index(None)]
    with pytest.raises(KeyError) as raised:
        made[stranger]
    assert raised.value.args == (stranger,)
    assert made.get(stranger, "default") == "default" and made.get(stranger) is None and stranger not in made
    # Below the promise where the greatest value is no power of two less one: values above it are no answers.
    assert 0.0074 < made.false_positive_rate < 0.0105 and made.promised_false_positive_rate == 0.01
    for wrong in (1.5, None, True, ["key 1"]):
        for call in (made.__getitem__, made.get, lambda key: made.get_many([key])):
            with pytest.raises(tepal.KeyTypeError):
                call(wrong)


def test_it_cannot_be_walked_through():
    made = tepal.RibbonMap(PAIRS)
    for call in (iter, list, dict, lambda made: [key for key in made], lambda made: [*made]):
        with pytest.raises(TypeError, match="its keys are not in it.*get_many"):
            call(made)
    with pytest.raises(TypeError):
        reversed(made)
    with pytest.raises(TypeError):
        made["key 1"] = 5
    with pytest.raises(TypeError):
        del made["key 1"]
    assert not hasattr(made, "keys") and not isinstance(made, collections.abc.MutableMapping)


def test_every_way_to_build_it_gives_the_same_map():
    keys, values = list(PAIRS), list(PAIRS.values())
    class Mapping(collections.UserDict):
        pass

    made = tepal.RibbonMap(PAIRS)
    for pairs in (list(PAIRS.items()), iter(PAIRS.items()), reversed(PAIRS.items()), [[key, value] for key, value in PAIRS.items()],
                  [*PAIRS.items(), *PAIRS.items()], zip(keys, np.array(values)), Mapping(PAIRS), pd.Series(values, index=keys)):
        assert tepal.RibbonMap(pairs) == made
    assert tepal.RibbonMap(PAIRS, threads=2) == made
    for key_form in (keys, iter(keys), np.array(keys), pa.array(keys), pl.Series(keys), pd.Series(keys)):
        assert tepal.RibbonMap.from_columns(key_form, values) == made
    for form in (iter(values), tuple(values), np.array(values), np.array(values, "u1"), np.array(values, object), array.array("H", values),
                 pa.array(values), pa.chunked_array([values[:7], values[7:]]), pl.Series(values), pd.Series(values)):
        assert tepal.RibbonMap.from_columns(keys, form) == made
    texts = list(NAMED.values())
    named = tepal.RibbonMap(NAMED)
    assert named.names == ["blue", "green", "red"] and made.names == []
    assert tepal.RibbonMap(reversed(NAMED.items())) == named
    for form in (texts, np.array(texts), np.array(texts, "S"), np.array(texts, object), pa.array(texts), pa.array(texts).dictionary_encode(),
                 pl.Series(texts), pd.Series(texts), pd.Series(texts, dtype="category")):
        assert tepal.RibbonMap.from_columns(keys, form) == named


def test_rows_with_a_null_are_left_out():
    made = tepal.RibbonMap.from_columns(pa.array(["a", None, "b", "c"]), pa.array([1, 2, None, 3]))
    assert len(made) == 2 and made.get_many(["a", "b", "c", ""]) == [1, None, 3, None]
    made = tepal.RibbonMap.from_columns(pa.array([1, None, 3]), ["x", "y", "z"], 1e-6, key_domain="int64")
    assert len(made) == 2 and made.get_many([1, 2, 3]) == ["x", None, "z"]
    assert made.names == ["x", "y", "z"]


def test_answers_have_the_form_of_the_question():
    numbers = tepal.RibbonMap({1: 5, 2: 2**32 - 1, 3: 0}, 1e-9, key_domain="int64")
    named = tepal.RibbonMap({1: "x", 2: "y", 3: "z"}, 1e-9, key_domain="int64")
    for made, answers in ((numbers, [5, None, 0, 2**32 - 1]), (named, ["x", None, "z", "y"])):
        keys = [1, 7, 3, 2]
        for form in (keys, tuple(keys), iter(keys), array.array("q", keys), memoryview(array.array("q", keys))):
            assert made.get_many(form) == answers
        found = made.get_many(np.array(keys))
        assert found.tolist() == answers
        if made is numbers:
            assert isinstance(found, np.ma.MaskedArray) and found.dtype == np.uint32 and found.mask.tolist() == [False, True, False, False]
        else:
            assert found.dtype == object
        assert made.get_many(np.array(keys, object)).tolist() == answers
        found = made.get_many(pd.Series(keys, index=list("abcd")))
        assert list(found.index) == list("abcd") and found.isna().tolist() == [False, True, False, False]
        assert [None if value is pd.NA else value for value in found] == answers
        assert str(found.dtype) == ("UInt32" if made is numbers else "object")
        found = made.get_many(pl.Series("ids", keys))
        assert found.name == "ids" and found.to_list() == answers and found.dtype == (pl.UInt32 if made is numbers else pl.String)
        nulls = [1, None, 7, 3, 2]
        answers = answers[:1] + [None] + answers[1:]
        found = made.get_many(pa.array(nulls))
        assert found.to_pylist() == answers and found.type == (pa.uint32() if made is numbers else pa.dictionary(pa.uint32(), pa.string()))
        found.validate(full=True)
        chunked = made.get_many(pa.chunked_array([nulls[:2], nulls[2:]]))
        assert isinstance(chunked, pa.ChunkedArray) and chunked.to_pylist() == answers
        assert made.get_many(pl.Series(nulls)).to_list() == answers
        asked = made.get_many(duckdb.sql("select unnest([1, null, 7, 3, 2]) as id"))
        assert asked.to_pylist() == answers
        assert made.get_many([]) == [] and len(made.get_many(np.array([], int))) == 0 and len(made.get_many(pa.array([], pa.int64()))) == 0
        assert len(made.get_many(pl.Series([], dtype=pl.Int64))) == 0 and len(made.get_many(pd.Series([], dtype=int))) == 0
        assert made.get_many([1, "no number", "3"]) == [answers[0], None, answers[3]]
    # A null is no empty key.
    empty = tepal.RibbonMap({"": 1})
    assert empty.get_many(pa.array(["", None])).to_pylist() == [1, None]


def test_many_keys_by_columns():
    count = 300_000
    keys, values = np.arange(count), np.arange(count) * 7 % 1000
    made = tepal.RibbonMap.from_columns(keys, values, 1 / 256, key_domain="int64", threads=2)
    assert (made.get_many(keys) == values).all() and made.value_bits == 10
    others = made.get_many(np.arange(count, 2 * count))
    assert abs(others.count() - count / 256) < 200
    assert made.size_in_bytes * 8 / count < 18.4
    assert made.get_many(pa.array(keys)).equals(pa.array(values, pa.uint32()))
    assert made.get_many(keys.tolist()) == values.tolist()


def test_without_pyarrow():
    """Polars and what is Arrow have their answers without it."""
    program = """
import sys
sys.modules["pyarrow"] = None
import polars as pl, tepal
for pairs, answers in (({"a": 5, "b": 7}, [5, None, 7, None]), ({"a": "x", "b": "y"}, ["x", None, "y", None])):
    made = tepal.RibbonMap(pairs, 1e-6)
    series = pl.Series("k", ["a", "c", "b", None])
    class Column:
        def __arrow_c_stream__(self, requested_schema=None):
            return series.__arrow_c_stream__(requested_schema)
    found = made.get_many(series)
    assert found.to_list() == answers and found.name == "k", found
    assert found.dtype == (pl.UInt32 if answers[0] == 5 else pl.String)
    assert made.get_many(Column()) == answers
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_sizes():
    assert tepal.RibbonMap(PAIRS).value_bits == 7 and tepal.RibbonMap(PAIRS, value_bits=32).value_bits == 32
    known = tepal.RibbonMap(PAIRS, known_keys_only=True)
    assert known.get_many(list(PAIRS)) == list(PAIRS.values())
    # Other keys get a value that some key has, or none where the bits say a greater one.
    found = [value for value in known.get_many(OTHERS) if value is not None]
    assert len(found) > len(OTHERS) / 2 and max(found) <= max(PAIRS.values())
    assert known.promised_false_positive_rate == 1 and known.size_in_bytes < tepal.RibbonMap(PAIRS).size_in_bytes
    none = tepal.RibbonMap({})
    assert len(none) == 0 and none and none.get("a") is None and none.get_many(["a"]) == [None]
    ordered = tepal.RibbonMap(NAMED, names=COLOURS)
    assert ordered.names == COLOURS and ordered.get_many(list(NAMED)) == list(NAMED.values())
    assert ordered == tepal.RibbonMap({key: value % 3 for key, value in PAIRS.items()}, names=iter(COLOURS))
    assert [segment["name"] for segment in ordered.info()["segments"]] == COLOURS and ordered.info()["value_bits"] == 2


def test_files_and_copies(tmp_path):
    for pairs in (PAIRS, NAMED):
        made = tepal.RibbonMap(pairs, name="common", seed=7)
        path = tmp_path / "map.tepal"
        made.save(path)
        for again in (tepal.open(path), tepal.RibbonMap.open(path), tepal.RibbonMap.from_file(path), made.copy(),
                      tepal.RibbonMap.from_bytes(made.to_bytes()), pickle.loads(pickle.dumps(made))):
            assert type(again) is tepal.RibbonMap and again == made and again.name == "common"
            assert again.get_many(list(pairs)) == list(pairs.values()) and again.names == made.names
        with pytest.raises(tepal.FormatError, match=r"open it with tepal.RibbonMap.open"):
            tepal.BloomFilter.open(path)
        assert "'common': 3,000 keys" in repr(made) and "RibbonMap" in made._repr_html_() and isinstance(made, tepal.Filter)
        assert "<svg" not in made._repr_html_() and "filled" not in repr(made)
    keyed = tepal.RibbonMap(PAIRS, secret_key=bytes(16))
    assert tepal.RibbonMap.from_bytes(keyed.to_bytes(), secret_key=bytes(16))["key 7"] == 7
    with pytest.raises(tepal.SecretError):
        pickle.dumps(keyed)
    made.close()
    for call in (lambda: made["key 1"], lambda: made.get("key 1"), lambda: made.get_many(["a"]), lambda: made.get_many(np.array(["a"])),
                 lambda: len(made), lambda: made.names, lambda: made.value_bits):
        with pytest.raises(tepal.ClosedError):
            call()


@pytest.mark.parametrize("pairs, options", [(PAIRS, []), (NAMED, ["--known-keys"])])
def test_the_command_makes_the_same_map(command, tmp_path, pairs, options):
    (tmp_path / "rows.csv").write_text("key,value\n" + "".join(f"{key},{value}\n" for key, value in pairs.items()))
    subprocess.run([command, "build", "rows.csv", "-f", "key", "--map", "value", "-o", "map.tepal", "-q", *options], cwd=tmp_path, check=True)
    with tepal.open(tmp_path / "map.tepal") as theirs:
        assert theirs == tepal.RibbonMap(pairs, known_keys_only=bool(options))
    tepal.RibbonMap(pairs).save(tmp_path / "ours.tepal")
    asked = [command, "get", "ours.tepal", "-e", "key 7"]
    found = subprocess.run(asked, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert found.stdout.split()[-1] == str(pairs["key 7"])


WRONG = [
    (lambda: tepal.RibbonMap(5), "int holds no pairs"),
    (lambda: tepal.RibbonMap(["ab", "cd"]), "str is no pair"),
    (lambda: tepal.RibbonMap([("a", 1, 2)]), "a tuple of 3 is no pair"),
    (lambda: tepal.RibbonMap([("a", 1), 7]), "from_columns"),
    (lambda: tepal.RibbonMap({"a": 1.5}), "float is no value"),
    (lambda: tepal.RibbonMap({"a": True}), "bool is no value"),
    (lambda: tepal.RibbonMap({"a": np.True_}), "is no value"),
    (lambda: tepal.RibbonMap({"a": None}), "leave the key out"),
    (lambda: tepal.RibbonMap({"a": b"x"}), "bytes is no value"),
    (lambda: tepal.RibbonMap({"a": -1}), "a value is -1; it must be from 0 to 2**32 - 1"),
    (lambda: tepal.RibbonMap({"a": 2**32}), "a value is 4294967296"),
    (lambda: tepal.RibbonMap({"a": 10**5000}), "2**32 - 1"),
    (lambda: tepal.RibbonMap({"a": "\ud800"}), "surrogate"),
    (lambda: tepal.RibbonMap({"a": "x", "b": 1}), "some values are numbers, and some are texts"),
    (lambda: tepal.RibbonMap({"a": ""}), "name of a value"),
    (lambda: tepal.RibbonMap({"a": "x" * 1025}), "1024"),
    (lambda: tepal.RibbonMap({"a": "z"}, names=["x", "y"]), 'the value "z" is none of `names`'),
    (lambda: tepal.RibbonMap({"a": 2}, names=["x", "y"]), "the last that has a name"),
    (lambda: tepal.RibbonMap({"a": 0}, names="xy"), "must be a list of texts"),
    (lambda: tepal.RibbonMap({"a": 0}, names=[1]), "int is no name of a value"),
    (lambda: tepal.RibbonMap({"a": 0}, names=[]), "leave it out"),
    (lambda: tepal.RibbonMap({"a": 0}, names=7), "holds no names"),
    (lambda: tepal.RibbonMap({"a": 0}, names=["x", "x"]), "name"),
    (lambda: tepal.RibbonMap({"a": 0}, names=map(str, range(2**40))), "65536"),
    (lambda: tepal.RibbonMap((i, str(i)) for i in range(70_000)), "65,536 names at most"),
    (lambda: tepal.RibbonMap([("a", 1), ("a", 2)]), "the value 1 and with 2"),
    (lambda: tepal.RibbonMap([("a", "x"), ("a", "y")]), 'the value "x" and with "y"'),
    (lambda: tepal.RibbonMap({"a": 5}, value_bits=2), "takes 3"),
    (lambda: tepal.RibbonMap({"a": 5}, value_bits=33), "from 1 to 32"),
    (lambda: tepal.RibbonMap({"a": 5}, value_bits="3"), "value_bits is a str"),
    (lambda: tepal.RibbonMap({"a": 5}, 0.1, known_keys_only=True), "leave one of them out"),
    (lambda: tepal.RibbonMap({"a": 5}, 0), "greater than 0"),
    (lambda: tepal.RibbonMap({"a": 5}, 1e-12), "2^-32"),
    (lambda: tepal.RibbonMap({"a": 5}, threads=0), "from 1 to 1024"),
    (lambda: tepal.RibbonMap({"a": 5}, key_domain="int64"), "integer keys"),
    (lambda: tepal.RibbonMap({1.5: 5}), "float is no key"),
    (lambda: tepal.RibbonMap.from_columns(["a", "b"], [1]), "number of keys is 2, that of values 1"),
    (lambda: tepal.RibbonMap.from_columns("ab", [1, 2]), "is one key"),
    (lambda: tepal.RibbonMap.from_columns(["a"], np.array([-1])), "a value is -1"),
    (lambda: tepal.RibbonMap.from_columns(["a"], np.array([b"\xff"])), "no UTF-8"),
    (lambda: tepal.RibbonMap.from_columns(["a"], np.array([1.5])), "cannot be read"),
    (lambda: tepal.RibbonMap.from_columns(np.array(["a"]), [1], key_domain="int64"), "integer keys"),
]


@pytest.mark.parametrize("call, advice", WRONG)
def test_what_cannot_be_is_refused_in_words(call, advice):
    with pytest.raises(tepal.Error) as raised:
        call()
    text = str(raised.value)
    assert advice in text and "::" not in text and "--" not in text, text
    assert isinstance(raised.value, (ValueError, TypeError))


def test_the_number_of_what_is_wrong_is_a_note():
    for call, note in [
        (lambda: tepal.RibbonMap([("a", 1), ("b", 1.5)]), "it is number 1 of the pairs, from 0"),
        (lambda: tepal.RibbonMap.from_columns(["a", 1.5], [1, 2]), "it is number 1 of the keys, from 0"),
        (lambda: tepal.RibbonMap.from_columns(["a", "b"], [1, None]), "it is number 1 of the values, from 0"),
        (lambda: tepal.RibbonMap.from_columns(["a"], np.array([1.5])), "it is about the values, not about the keys"),
    ]:
        with pytest.raises(tepal.Error) as raised:
            call()
        assert note in raised.value.__notes__


def test_kept_maps(testdata):
    """Each key has its value in each kept map; of one whose keys another program has hashed nothing can be said."""
    checked = 0
    for path in sorted((testdata / "kept" / "v1" / "map").glob("*.tepal")):
        kept = json.loads(path.with_suffix(".json").read_text("utf-8"))
        options = {name: bytes.fromhex(kept[name]) for name in ("secret_key", "seal_key") if kept.get(name)}
        with tepal.open(path, **options) as made:
            assert type(made) is tepal.RibbonMap and len(made) == kept["members"] and made.names == [name for name, _ in kept["names"]]
            if kept.get("caller_hash"):
                for call in (lambda: made["a"], lambda: made.get("a"), lambda: made.get_many(["a"]), lambda: made.get_many(np.array(["a"]))):
                    with pytest.raises(tepal.NotPossibleError):
                        call()
                continue
            # Those of the members, and of as many others, most of which have none.
            values = [None if value == "-" else int(value) for value in kept["values"].split()]
            assert None not in values[: kept["members"]] and None in values
            keys = [kept["key_prefix"] + str(i) for i in range(len(values))]
            named = [made.names[value] if made.names and value is not None else value for value in values]
            assert made.get_many(keys) == named == made.get_many(np.array(keys)).tolist()
            checked += 1
    assert checked > 4


def test_keys_that_come_later_to_a_static_filter():
    filter = tepal.RibbonFilter(["a", "b"], 1e-6)
    before = filter.copy()
    assert filter.add("c") is True and filter.add("c") is False and filter.add("a") is False
    assert len(filter) == 3 and filter.added_keys == 1 and filter != before
    filter.update(["d", "a"], pa.array(["e", None]), np.array(["f"]), iter(["g"]))
    assert filter.nulls_skipped == 1
    assert len(filter) == 7 and filter.added_keys == 5 and all(filter.contains_many(list("abcdefg")))
    for other in (filter, before):
        before.update(other)
        assert before == filter
    again = pickle.loads(pickle.dumps(filter))
    assert again == filter and again.added_keys == 5 and again.info()["added_keys"] == 5
    with pytest.raises(tepal.KeyTypeError) as raised:
        filter.update(["h"], ["i", 1.5])
    assert raised.value.__notes__ == ["it is number 1 of the keys, from 0"]
    assert "h" in filter and "i" not in filter
    with pytest.raises(tepal.NotPossibleError):
        filter.update(tepal.RibbonFilter(["x"]))
    numbers = tepal.RibbonFilter([], key_domain="int64")
    numbers.update(np.arange(100_000))
    assert numbers.added_keys == 100_000 and numbers.contains_many(np.arange(100_000)).all()
    with pytest.raises(tepal.KeyValueError):
        numbers.add("x")
    filter.close()
    for call in (lambda: filter.add("a"), lambda: filter.update(["a"]), lambda: filter.added_keys):
        with pytest.raises(tepal.ClosedError):
            call()


def test_nulls_of_every_piece_have_no_value():
    """Columns are read in pieces of 8,192 rows; with known keys only, every other key has some value."""
    made = tepal.RibbonMap({f"key {i}": i % 7 for i in range(20_000)}, known_keys_only=True)
    keys = [f"key {i}" for i in range(20_000)]
    for null in (0, 8_191, 8_192, 8_200, 16_384, 19_999):
        rows = [*keys[:null], None, *keys[null + 1 :]]
        expected = [None if key is None else i % 7 for i, key in enumerate(rows)]
        assert made.get_many(pa.array(rows)).to_pylist() == expected, null
        assert made.get_many(pl.Series(rows)).to_list() == expected, null
