"""The key rule, held against the vectors that every implementation reads (FORMAT.md, section 1)."""

import json
import pickle

import numpy as np
import pytest
import tepal


@pytest.fixture(scope="module")
def vectors(testdata):
    return json.loads((testdata / "vectors" / "hashes.json").read_text("utf-8"))


def filter_of(key, **options):
    seen = tepal.BloomFilter(1000, 1e-6, **options)
    seen.add(key)
    return seen


def part(vector):
    """A part of a compound key, as Python has it."""
    if isinstance(vector, list):
        return tuple(map(part, vector))
    if isinstance(vector, dict):
        return int(vector["integer"]) if "integer" in vector else bytes.fromhex(vector["hex"])
    return vector


def test_tuples_are_framed_as_everywhere(vectors):
    checked = 0
    for vector in vectors["compounds"]:
        if vector["recipe"] == 0:
            key = part(vector["parts"])
            assert filter_of(key) == filter_of(bytes.fromhex(vector["bytes"])), key
            checked += 1
    assert checked >= 15


def test_domains(vectors):
    checked = 0
    for vector in vectors["domains"]:
        if vector["domain"] not in ("bytes", "int64"):
            continue
        value = vector["value"]
        if vector["given"] == "integer":
            keys = [int(value)]
            if -(2**63) <= int(value) < 2**63:
                keys.append(np.int64(int(value)))
        else:
            keys = [bytes.fromhex(value) if vector["given"] == "hex" else value]
        for key in keys:
            if vector["bytes"] is None:
                with pytest.raises(tepal.KeyValueError):
                    filter_of(key, key_domain=vector["domain"])
                assert key not in filter_of(1, key_domain=vector["domain"])
            elif vector["domain"] == "bytes":
                assert filter_of(key) == filter_of(bytes.fromhex(vector["bytes"]))
            else:
                number = int.from_bytes(bytes.fromhex(vector["bytes"]), "little", signed=True)
                assert filter_of(key, key_domain="int64") == filter_of(number, key_domain="int64")
            checked += 1
    assert checked > 100


def test_seeds(vectors):
    for vector in vectors["seeds"]:
        seed = int(vector["seed"], 16)
        if vector["purpose"] is None:
            assert tepal.BloomFilter(10) == tepal.BloomFilter(10, seed=seed)
        else:
            assert tepal.seed_for(vector["purpose"]) == seed


def test_whole_files(testdata):
    """Files that the reference wrote give the same answers here, and the same bytes."""
    vectors = json.loads((testdata / "vectors" / "files.json").read_text("utf-8"))["files"]
    checked = 0
    for vector in vectors:
        if "file" not in vector or "hashes" in vector or "caller_hash" in vector:
            continue
        data = bytes.fromhex(vector["file"])
        options = {name: bytes.fromhex(vector[name]) for name in ("secret_key", "seal_key") if name in vector}
        seen = tepal.Filter.from_bytes(data, **options)
        for probe in vector["probes"]:
            assert (probe["key"] in seen) is probe["answer"], (vector["name"], probe)
        asked = [probe["key"] for probe in vector["probes"]]
        assert seen.contains_many(asked) == [probe["answer"] for probe in vector["probes"]]
        if "seal_key" not in vector:
            assert seen.to_bytes() == data, vector["name"]
        checked += 1
    assert checked >= 20


def test_files_that_are_refused(testdata):
    vectors = json.loads((testdata / "vectors" / "refused.json").read_text("utf-8"))["refused"]
    for vector in vectors:
        parts = vector["file"] if isinstance(vector["file"], list) else [{"hex": vector["file"]}]
        data = b""
        for item in parts:
            item = {"hex": item} if isinstance(item, str) else item
            data += bytes.fromhex(item["hex"]) * item.get("times", 1)
        options = {name: bytes.fromhex(vector[name]) for name in ("secret_key", "seal_key") if name in vector}
        with pytest.raises((tepal.Error)):
            tepal.Filter.from_bytes(data, **options)
    assert len(vectors) > 150


def test_one_key_in_its_forms():
    seen = filter_of("42")
    for same in (b"42", bytearray(b"42"), 42, np.int8(42), np.uint64(42), np.str_("42"), np.bytes_(b"42")):
        assert same in seen, same
        assert filter_of(same) == seen
    assert ("42",) not in seen and (42,) not in seen
    big = 2**64
    assert filter_of(big) == filter_of(str(big)) and filter_of(-(2**63) - 1) == filter_of(str(-(2**63) - 1))
    assert (1, "a") in filter_of(("1", b"a")) and () in filter_of(())


def test_text_among_integers():
    seen = filter_of(7, key_domain="int64")
    assert "7" in seen and b"7" in seen and "seven" not in seen and (7,) not in seen
    assert seen.contains_many(["7", "seven", 7, 2**70]) == [True, False, True, False]
    for key in ("seven", (7,), 2**70):
        with pytest.raises(tepal.KeyValueError):
            seen.add(key)


def test_deep_tuples_are_refused():
    key = ()
    for _ in range(100_000):
        key = (key,)
    with pytest.raises(tepal.KeyValueError, match="deep"):
        filter_of(key)
    assert pickle.loads(pickle.dumps(filter_of((((1,),),)))) == filter_of((((1,),),))
    while key:  # Python itself would free it by recursion.
        (key,) = key
