"""Keys that are in several places: counted at each, divided among several files."""

import copy
import pickle
import threading

import numpy
import pyarrow
import pytest
import tepal


def of(keys, domain="bytes"):
    counter = tepal.KeyCounter(domain)
    counter.update(keys)
    return counter


def shards(keys, number, domain="bytes"):
    return memoryview(tepal.shards_of(keys, number, domain)).cast("I").tolist()


@pytest.mark.parametrize("n", [0, 1, 1000, 65_536, 65_537, 300_000])
def test_parts_count_as_one(n):
    keys = numpy.arange(n) % max(n // 2, 1)
    whole = of(keys, "int64")
    for parts in (2, 5):
        counter = tepal.KeyCounter("int64")
        for part in numpy.array_split(keys, parts):
            counter |= pickle.loads(pickle.dumps(of(part, "int64")))
        assert (counter.keys, counter.different, counter.capacity) == (n, whole.different, whole.capacity)
        assert counter.is_exact == (n <= 65_536)
    assert abs(whole.different - max(n // 2, min(n, 1))) <= 0.0016 * n
    assert whole.capacity >= max(1, whole.different)


def test_every_form_of_keys_counts_the_same():
    texts = [f"k{i}" for i in range(10_000)]
    counts = [of(keys).to_bytes() for keys in (texts, iter(texts), numpy.array(texts), pyarrow.array(texts))]
    counts.append(of(pyarrow.chunked_array([texts[:7], texts[7:]])).to_bytes())
    assert len(set(counts)) == 1
    nulls = pyarrow.array([None, "a", None, "b"])
    counter = tepal.KeyCounter()
    counter.update(nulls)
    assert counter.nulls_skipped == 2 and (counter.keys, counter.different) == (2, 2)


def test_a_copy_is_its_own_and_threads_lose_nothing():
    counter = of(["a"])
    other = copy.copy(counter)
    other.update(["b"])
    assert (counter.keys, other.keys) == (1, 2)
    counter |= counter
    assert (counter.keys, counter.different) == (2, 1)
    all_keys = tepal.KeyCounter("int64")
    parts = [numpy.arange(i * 10_000, (i + 1) * 10_000) for i in range(8)]
    threads = [threading.Thread(target=all_keys.update, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all_keys.keys == 80_000 and "about" in repr(all_keys)


def test_counters_that_are_none():
    counter = of(["a"])
    with pytest.raises(tepal.IncompatibleError, match="key domain"):
        counter |= tepal.KeyCounter("int64")
    with pytest.raises(TypeError):
        counter |= tepal.BloomFilter(1)
    for data in (b"", b"tepalcn1", counter.to_bytes()[:-1], counter.to_bytes() + b"x"):
        with pytest.raises(tepal.DamagedError):
            tepal.KeyCounter.from_bytes(data)
    with pytest.raises(tepal.ParameterTypeError):
        tepal.KeyCounter.from_bytes(5)
    with pytest.raises(tepal.KeyTypeError):
        counter.update([1.5])
    with pytest.raises(tepal.KeyValueError):
        tepal.KeyCounter("int64").update(["x"])
    with pytest.raises(tepal.ParameterError):
        tepal.KeyCounter("words")


def test_each_form_of_keys_is_in_the_same_shard():
    texts = [f"k{i}" for i in range(10_000)]
    expected = shards(texts, 7)
    assert shards(numpy.array(texts), 7) == shards(pyarrow.array(texts), 7) == expected
    assert all(1250 < expected.count(shard) < 1610 for shard in range(7))
    numbers = list(range(-50, 5000))
    assert shards(numpy.array(numbers), 3, "int64") == shards(pyarrow.array(numbers), 3, "int64") == shards(numbers, 3, "int64")
    # Among bytes a number is its text.
    assert shards(numbers, 3) == shards([str(number) for number in numbers], 3) != shards(numbers, 3, "int64")
    assert shards(pyarrow.array([None, "k0"]), 7)[1] == expected[0]
    assert shards([], 7) == [] and shards(["a", "b"], 1) == [0, 0]
    assert shards(["no number"], 9, "int64")[0] < 9


def test_shards_that_are_none():
    for number in (0, -1, 1 << 32):
        with pytest.raises(tepal.ParameterError, match="number of shards"):
            tepal.shards_of(["a"], number)
    with pytest.raises(tepal.KeyTypeError):
        tepal.shards_of([1.5], 3)
    with pytest.raises(tepal.KeyTypeError):
        tepal.shards_of("one", 3)


def test_a_scheme_of_another_program():
    made = tepal.BloomFilter(1000, scheme="guava-mitz64", key_domain="bytes")
    made.add("a")
    assert made.info()["scheme"] == "guava-mitz64"
    assert "a" in tepal.BloomFilter.from_bytes(made.to_bytes(format="guava"), format="guava", key_domain="bytes")
    with pytest.raises(tepal.ParameterError, match="no scheme|scheme"):
        tepal.BloomFilter(1, scheme="md4")
