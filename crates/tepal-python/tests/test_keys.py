"""The key rule, held against the vectors that every implementation reads (FORMAT.md, section 1)."""

import collections
import dataclasses
import ipaddress
import json
import os
import pathlib
import pickle
import typing

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


def record(vector):
    """A compound key as an object of a dataclass, with its parts as the fields."""
    if not isinstance(vector, list):
        return part(vector)
    names = [f"field_{i}" for i in range(len(vector))]
    return dataclasses.make_dataclass("Record", names)(*map(record, vector))


def test_dataclasses_are_the_tuples_of_their_fields(vectors):
    checked = 0
    for vector in vectors["compounds"]:
        if vector["recipe"] == 0:
            assert filter_of(record(vector["parts"])) == filter_of(bytes.fromhex(vector["bytes"])), vector
            checked += 1
    assert checked >= 15


@dataclasses.dataclass(frozen=True, slots=True)
class Visit:
    user: int
    page: str
    seen_at: float = dataclasses.field(default=0.0, compare=False)
    kinds: typing.ClassVar[list] = []


@dataclasses.dataclass(frozen=True)
class Click(Visit):
    button: tuple = ("left",)


class Point(typing.NamedTuple):
    x: int
    y: int


def test_fields_of_dataclasses():
    """Those that `==` compares, in their order, inherited ones first; also inside other keys and in lists."""
    visits = [Visit(user, "/home", seen_at=1.5) for user in range(10)]
    seen = tepal.BloomFilter(1000, 1e-9)
    seen.update(visits[:5])
    assert seen.contains_many(visits) == [True] * 5 + [False] * 5
    assert (4, "/home") in seen and Visit(4, "/home", seen_at=2.5) in seen and ("/home", 4) not in seen
    assert filter_of(Click(7, "/home")) == filter_of((7, "/home", ("left",)))
    assert filter_of((visits[3], Point(1, 2))) == filter_of(((3, "/home"), (1, 2)))
    assert filter_of(collections.namedtuple("One", "only")(7)) == filter_of((7,))
    with pytest.raises(tepal.KeyTypeError, match="float is no key"):
        filter_of(dataclasses.make_dataclass("Reading", ["celsius"])(20.5))
    with pytest.raises(tepal.KeyTypeError, match="type is no key"):
        filter_of(Visit)
    with pytest.raises(tepal.KeyValueError):
        filter_of(visits[0], key_domain="int64")
    unset = object.__new__(Visit)
    with pytest.raises(AttributeError):
        filter_of(unset)


def test_a_dataclass_in_itself_is_refused():
    node = dataclasses.make_dataclass("Node", ["next"])(None)
    node.next = node
    with pytest.raises(tepal.KeyValueError, match="deep"):
        filter_of(node)


def test_addresses(vectors):
    addresses = [ipaddress.ip_address(bytes.fromhex(vector["hex"])) for vector in vectors["addresses"]]
    texts = [vector["text"] for vector in vectors["addresses"]]
    for address, text in zip(addresses, texts, strict=True):
        assert filter_of(address) == filter_of(text), text
    seen = tepal.BloomFilter(1000, 1e-9)
    seen.update(addresses)
    assert all(seen.contains_many(texts)) and all(seen.contains_many(addresses))
    assert {type(address).__name__ for address in addresses} == {"IPv4Address", "IPv6Address"}
    assert filter_of((addresses[0], 7)) == filter_of((texts[0], 7))

    class Host(ipaddress.IPv4Address):
        pass

    assert filter_of(Host("192.0.2.1")) == filter_of("192.0.2.1")


def test_addresses_that_are_refused():
    for interface in ("192.0.2.1/24", "2001:db8::1/64"):
        with pytest.raises(tepal.KeyTypeError, match="interface.ip"):
            filter_of(ipaddress.ip_interface(interface))
        with pytest.raises(tepal.KeyTypeError, match="Network is no key"):
            filter_of(ipaddress.ip_network(interface, strict=False))
    with pytest.raises(tepal.KeyValueError, match="scope"):
        filter_of(ipaddress.ip_address("fe80::1%eth0"))
    with pytest.raises(tepal.KeyTypeError, match="number 1 of the keys|IPv4Interface") as error:
        tepal.BloomFilter(10).update([7, ipaddress.ip_interface("192.0.2.1/24")])
    assert "number 1" in error.value.__notes__[0]


def test_paths(vectors):
    names = [bytes.fromhex(vector["hex"]) for vector in vectors["paths"]]
    paths = [pathlib.PurePosixPath(os.fsdecode(name)) for name in names]
    for path, name in zip(paths, names, strict=True):
        assert filter_of(path) == filter_of(name), name
    seen = tepal.BloomFilter(1000, 1e-9)
    seen.update(paths)
    assert all(seen.contains_many(names))
    assert pathlib.Path("a", "b.csv") in seen and pathlib.Path("b.csv") not in seen
    with pytest.raises(tepal.KeyValueError, match="surrogate"):
        filter_of(pathlib.PurePosixPath("\ud800"))
    assert filter_of(pathlib.PureWindowsPath("C:/a/b")) == filter_of("C:\\a\\b")


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


def test_how_deep_a_tuple_may_be():
    """32 inside one another are a key, and 33 are none."""
    key = "a"
    for _ in range(32):
        key = (key,)
    assert key in filter_of(key) and tepal.BloomFilter(10).contains_many([key]) == [False]
    for call in (filter_of, lambda key: tepal.BloomFilter(10).update([key]), lambda key: key in tepal.BloomFilter(10)):
        with pytest.raises(tepal.KeyValueError, match="more than 32 deep"):
            call((key,))
