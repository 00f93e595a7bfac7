"""Sets past one message: several files, of which each key is in one."""

import json
import os
import random

import pyarrow
import pytest
import tepal
import tepal.spark
from pyspark.errors import PythonException
from pyspark.sql import functions as F

N = 100_000


@pytest.fixture(scope="module")
def keys(spark):
    return spark.range(0, N, 1, 5).select(F.col("id"), F.concat(F.lit("k"), "id").alias("t"))


def test_past_the_line_there_are_several_and_the_rate_is_kept(spark, keys, tmp_path, monkeypatch):
    # Small: the line is lowered.
    monkeypatch.setattr(tepal.spark._build, "LIMIT", 40_000)
    folder = tmp_path / "shards"
    for column, ours in (("id", range(N, 3 * N)), ("t", [f"k{i}" for i in range(N, 3 * N)])):
        made = tepal.spark.build_shards(keys, column, folder / column, false_positive_rate=0.01)
        assert len(made) == 4 and all(part.size_in_bytes <= 40_000 for part in made.filters)
        assert made.size_in_bytes <= 1.1 * tepal.BloomFilter(N, key_domain=made.key_domain).size_in_bytes
        members = keys.select(column).toArrow().column(0)
        assert made.contains_many(members).to_pylist() == [True] * N
        strangers = list(ours)
        wrong = sum(made.contains_many(pyarrow.array(strangers)).to_pylist())
        assert 0.005 < wrong / len(strangers) < 0.0115, "a shard by the filter's own hash would lose the rate"
        # No shard has more than its share, by far.
        assert max(part.keys_inserted for part in made.filters) < 1.05 * N / len(made)
        # Asked by Spark, as one filter.
        other = spark.range(N - 1000, N + 1000).select("id", F.concat(F.lit("k"), "id").alias("t"))
        assert 1000 <= tepal.spark.semi_join(other, folder / column, column).count() <= 1050
        assert 950 <= tepal.spark.anti_join(other, str(folder / column), column).count() <= 1000
        assert 1000 <= other.where(tepal.spark.contains(made, column)).count() <= 1050


def test_answers_are_in_the_order_of_the_question(keys, tmp_path):
    made = tepal.spark.build_shards(keys, "t", tmp_path / "s", N, 1e-6, shards=7)
    asked = [f"k{i}" for i in range(0, 2 * N, 97)]
    random.Random(7).shuffle(asked)
    expected = [int(key[1:]) < N for key in asked]
    assert made.contains_many(asked) == expected
    assert made.contains_many(pyarrow.array(asked)).to_pylist() == expected
    assert made.contains_many(pyarrow.chunked_array([asked[:10], asked[10:]])).to_pylist() == expected
    nulls = [None if i % 3 == 0 else key for i, key in enumerate(asked)]
    said = made.contains_many(pyarrow.array(nulls)).to_pylist()
    assert said == [None if key is None else here for key, here in zip(nulls, expected)]
    assert made.contains_many(pyarrow.array([], pyarrow.string())).to_pylist() == [] == made.contains_many([])
    assert "k5" in made and "x5" not in made


def test_the_rule_is_the_one_that_is_written(tmp_path):
    """Without the package's own code: a filter's seed and hash give the same number (xxhash is not at hand, so by the library)."""
    seed = tepal.seed_for("shard")
    assert seed == tepal.seed_for("shard") != tepal.seed_for("shard 1")
    numbers = memoryview(tepal.shards_of([f"k{i}" for i in range(10_000)], 5)).cast("I").tolist()
    assert min(numbers) == 0 and max(numbers) == 4
    assert all(1800 < numbers.count(shard) < 2200 for shard in range(5))
    # Half as many shards: each is two neighbours, since the hash is divided from the top.
    tens = memoryview(tepal.shards_of([f"k{i}" for i in range(10_000)], 10)).cast("I").tolist()
    assert [number // 2 for number in tens] == numbers


def test_no_keys_and_more_shards_than_keys(spark, tmp_path):
    few = spark.createDataFrame([("a",), (None,), ("b",)], "k string")
    made = tepal.spark.build_shards(few, "k", tmp_path / "few", shards=20)
    assert len(made) == 20 and made.contains_many(["a", "b", "c"]) == [True, True, False]
    none = tepal.spark.build_shards(few.limit(0), "k", tmp_path / "none")
    assert len(none) == 1 and "a" not in none


def test_a_task_that_is_repeated_writes_the_same(spark, keys, tmp_path):
    once = tmp_path / "died"

    def die_once(batches):
        for batch in batches:
            if not os.path.exists(once):
                open(once, "x").close()
                os._exit(9)
            yield batch

    died = keys.select("id").mapInArrow(die_once, "id bigint")
    one = tepal.spark.build_shards(died, "id", tmp_path / "one", N, shards=3)
    two = tepal.spark.build_shards(keys, "id", tmp_path / "two", N, shards=3)
    assert once.exists()
    assert [part.to_bytes() for part in one.filters] == [part.to_bytes() for part in two.filters]


def test_folders_that_are_none(spark, keys, tmp_path):
    made = tepal.spark.build_shards(keys, "id", tmp_path / "s", N, shards=2)
    with pytest.raises(tepal.FileError, match="has shards already"):
        tepal.spark.build_shards(keys, "id", tmp_path / "s", N)
    with pytest.raises(tepal.FileError, match="is no folder of build_shards"):
        tepal.spark.Shards.open(tmp_path)
    joined = tepal.spark.semi_join(keys, tmp_path / "s", "id")
    made.close()
    os.remove(tmp_path / "s" / "shard-00001-of-00002.tepal")
    with pytest.raises(tepal.FileMissingError):
        tepal.spark.Shards.open(tmp_path / "s")
    os.remove(tmp_path / "s" / "shards.json")
    with pytest.raises(PythonException, match="shards.json|on the executor"):
        joined.count()
    for text in ("", "[]", "{}", json.dumps({"tepal shards": 2}), json.dumps({"tepal shards": 1, "shards": -1})):
        (tmp_path / "s" / "shards.json").write_text(text)
        with pytest.raises(tepal.FormatError):
            tepal.spark.Shards.open(tmp_path / "s")
    with pytest.raises(tepal.ParameterError, match="number of shards is 0"):
        tepal.spark.build_shards(keys, "id", tmp_path / "t", N, shards=0)
