"""Keys of RedisBloom and valkey-bloom: every golden file, restored, asked and dumped again."""

import json
import math
import pathlib

import pytest
import redis

import commands_at_random
import payloads
from engine import raw

GOLDEN = pathlib.Path(__file__).parents[3] / "testdata" / "golden"


def cases(format):
    return json.loads((GOLDEN / format / "index.json").read_text())["cases"]


def key_of(text):
    kind, value = text.split(":", 1)
    return bytes.fromhex(value) if kind == "hex" else value.encode()


def check_answers(engine, key, case):
    results = case.get("insert_result") or "1" * len(case["inserted"])
    inserted = [key_of(item) for item, result in zip(case["inserted"], results) if str(result) != "e"]
    assert inserted and all(engine.run("BF.MEXISTS", key, *inserted))
    probes = [key_of(item) for item in case["absent_probes"]]
    assert engine.run("BF.MEXISTS", key, *probes) == [int(answer) for answer in case["absent_answers"]]


def dumped(engine, key):
    pairs, iterator = [], 0
    while True:
        iterator, data = engine.run("BF.SCANDUMP", key, iterator)
        if iterator == 0:
            return pairs
        pairs.append((iterator, data))


REDISBLOOM = [case["name"] for case in cases("redisbloom")]
VALKEY = [case["name"] for case in cases("valkey-bloom")]


def case_of(format, name):
    return next(case for case in cases(format) if case["name"] == name)


@pytest.mark.parametrize("name", REDISBLOOM)
def test_loadchunk(engine, name):
    case, data = case_of("redisbloom", name), (GOLDEN / "redisbloom" / f"{name}.bin").read_bytes()
    pairs = list(payloads.pairs(data))
    for place, (iterator, chunk) in enumerate(pairs):
        assert engine.run("BF.LOADCHUNK", "k", iterator, chunk) == b"OK"
        if place + 1 < len(pairs):
            # Nobody sees a part of it.
            assert engine.run("BF.EXISTS", "k", key_of(case["inserted"][0])) == 0
            assert b"is not complete" in raw(engine, "BF.ADD", "k", "x")
            assert b"is not complete" in raw(engine, "BF.SCANDUMP", "k", 0)
    assert engine.run("TYPE", "k") == b"MBbloom--"
    check_answers(engine, "k", case)
    assert dumped(engine, "k") == pairs


@pytest.mark.parametrize("name", [n for n in REDISBLOOM if (GOLDEN / "redisbloom" / f"{n}.redis-dump").exists()])
def test_restore(engine, name):
    case = case_of("redisbloom", name)
    dump = (GOLDEN / "redisbloom" / f"{name}.redis-dump").read_bytes()
    engine.client.restore("k", 0, dump)
    check_answers(engine, "k", case)
    assert engine.client.dump("k") == dump
    pairs = list(payloads.pairs((GOLDEN / "redisbloom" / f"{name}.bin").read_bytes()))
    assert dumped(engine, "k") == pairs
    if "info" in case.get("reported", {}):
        words = case["reported"]["info"].split()
        told = dict(zip(words[::2], words[1::2]))
        info = engine.run("BF.INFO", "k")
        info = {name.decode().replace(" ", "_"): value for name, value in zip(info[::2], info[1::2])}
        for field in ["Capacity", "Number_of_filters", "Number_of_items_inserted", "Expansion_rate"]:
            if field in told:
                assert str(info[field]) == told[field], field


@pytest.mark.parametrize("name", VALKEY)
def test_valkey_bloom(engine, name):
    case, blob = case_of("valkey-bloom", name), (GOLDEN / "valkey-bloom" / f"{name}.bin").read_bytes()
    payload = payloads.module("bloomfltr", 1, payloads.valkey_values(blob))
    engine.client.restore("k", 0, payload)
    assert engine.run("TYPE", "k") == b"bloomfltr"
    check_answers(engine, "k", case)
    assert engine.run("BF.LOAD", "l", blob) == b"OK"
    check_answers(engine, "l", case)
    # The server compresses strings that become shorter: both dumps are of the same values.
    assert engine.client.dump("k") == engine.client.dump("l")
    engine.client.restore("m", 0, engine.client.dump("k"))
    digests = engine.run("DEBUG", "DIGEST-VALUE", "k", "l", "m")
    assert len(set(digests)) == 1
    assert b"BUSYKEY" in raw(engine, "BF.LOAD", "k", blob)


@pytest.mark.parametrize("name", VALKEY)
def test_what_valkey_bloom_passes_to_its_replicas(start, name):
    """A create with SEED and TIGHTENING, then the items: the same filter to the last bit."""
    engine = start()
    replica = start(replicaof=["127.0.0.1", str(engine.port)])
    case, blob = case_of("valkey-bloom", name), (GOLDEN / "valkey-bloom" / f"{name}.bin").read_bytes()
    params = case["params"]
    expansion = ["NONSCALING"] if params["expansion"] == "0" else ["EXPANSION", params["expansion"]]
    create = ["BF.INSERT", "k", "CAPACITY", params["capacity"], "ERROR", params["fp_rate"], "TIGHTENING",
              params["tightening_ratio"], "SEED", bytes.fromhex(params["seed_hex"]), *expansion, "ITEMS"]
    for item in case["inserted"]:
        engine.run(*create, key_of(item))
    assert engine.run("TYPE", "k") == b"bloomfltr"
    engine.run("BF.LOAD", "l", blob)
    assert len(set(engine.run("DEBUG", "DIGEST-VALUE", "k", "l"))) == 1
    commands_at_random.caught_up(engine, replica)
    assert replica.run("DEBUG", "DIGEST") == engine.run("DEBUG", "DIGEST")
    assert b"32 bytes" in raw(engine, "BF.INSERT", "n", "SEED", "x", "ITEMS", "a")
    assert b"not 0.5" in raw(engine, "BF.INSERT", "n", "TIGHTENING", "0.4", "ITEMS", "a")


def test_the_dump_of_valkey_bloom_is_the_same(start):
    engine = start(rdbcompression="no")
    for name in VALKEY:
        blob = (GOLDEN / "valkey-bloom" / f"{name}.bin").read_bytes()
        payload = payloads.module("bloomfltr", 1, payloads.valkey_values(blob))
        engine.client.restore(name, 0, payload)
        assert engine.client.dump(name) == payload


def test_legacy_filters_grow_as_there(engine):
    """A filter that came by LOADCHUNK takes items by its own rule."""
    data = (GOLDEN / "redisbloom" / "scaled_x2.bin").read_bytes()
    for iterator, chunk in payloads.pairs(data):
        engine.run("BF.LOADCHUNK", "k", iterator, chunk)
    before = engine.run("BF.INFO", "k", "FILTERS")[0]
    items = [f"more {i}" for i in range(5000)]
    engine.run("BF.MADD", "k", *items)
    assert engine.run("BF.INFO", "k", "FILTERS")[0] > before
    assert all(engine.run("BF.MEXISTS", "k", *items))
    assert engine.run("TYPE", "k") == b"MBbloom--"


def test_a_filter_of_one_secret_is_dumped_in_pieces(engine):
    for reserve, command in [
        ("BF.RESERVE k 0.01 200000 NONSCALING", "BF"), ("BF.RESERVE k 0.01 1000", "BF"),
        ("BF.RESERVE k 0.01 1000 DELETABLE", "BF"), ("BF.RESERVE k 0.01 1000 WINDOW 60", "BF"),
        ("CF.RESERVE k 1000", "CF"),
    ]:
        for items in [range(1000), []]:
            engine.client.flushall()
            engine.run(*reserve.split())
            if items:
                engine.run("BF.MADD", "k", *items)
            pairs, iterator = [], 0
            while True:
                iterator, data = engine.run(f"{command}.SCANDUMP", "k", iterator)
                if iterator == 0:
                    break
                pairs.append((iterator, data))
            for iterator, data in pairs:
                engine.run(f"{command}.LOADCHUNK", "copy", iterator, data)
            a, b = engine.run("DEBUG", "DIGEST-VALUE", "k", "copy")
            assert a == b, reserve
            if items:
                assert all(engine.run("BF.MEXISTS", "copy", *items))


def test_a_dump_of_several_pieces(engine):
    engine.run("BF.RESERVE", "k", "0.01", 30_000_000, "NONSCALING")
    engine.run("BF.MADD", "k", *range(1000))
    memory = engine.run("MEMORY", "USAGE", "k")
    pairs, iterator = [], 0
    while True:
        iterator, data = engine.run("BF.SCANDUMP", "k", iterator)
        if iterator == 0:
            break
        pairs.append((iterator, data))
    assert len(pairs) == 4 and engine.run("MEMORY", "USAGE", "k") == memory, "the server keeps no file"
    for key, changed in [("copy", False), ("mixed", True)]:
        for iterator, data in pairs[:-1]:
            engine.run("BF.LOADCHUNK", key, iterator, data)
        if changed:
            # The last piece is one of another filter now.
            engine.run("BF.MADD", "k", *range(1000, 2000))
            pairs[-1] = engine.run("BF.SCANDUMP", "k", pairs[-2][0])
            assert b"have the checksum" in raw(engine, "BF.LOADCHUNK", key, *pairs[-1])
            assert engine.run("BF.MEXISTS", key, *range(1000)) == [0] * 1000
        else:
            engine.run("BF.LOADCHUNK", key, *pairs[-1])
            assert all(engine.run("BF.MEXISTS", key, *range(1000)))


def test_pieces_that_do_not_fit(engine):
    pairs = list(payloads.pairs((GOLDEN / "redisbloom" / "scaled_x2.bin").read_bytes()))
    (_, header), (iterator, first), *rest = pairs
    assert b"the first pair" in raw(engine, "BF.LOADCHUNK", "k", iterator, first)
    assert b"numeric" in raw(engine, "BF.LOADCHUNK", "k", "x", header)
    assert b"numeric" in raw(engine, "BF.LOADCHUNK", "k", 0, header)
    for wrong in [header[:-1], header + b"\0", b"", b"x" * len(header), b"tepalRDS" + header]:
        assert b"received bad data" in raw(engine, "BF.LOADCHUNK", "k", 1, wrong)
    assert engine.client.dbsize() == 0
    engine.run("BF.LOADCHUNK", "k", 1, header)
    before = engine.run("DEBUG", "DIGEST-VALUE", "k")
    for place, data in [(iterator + 1, first), (iterator, first[1:]), (1 << 62, first), rest[0], (2, b"")]:
        assert b"received bad data" in raw(engine, "BF.LOADCHUNK", "k", place, data)
        assert engine.run("DEBUG", "DIGEST-VALUE", "k") == before
    for place, data in pairs[1:]:
        engine.run("BF.LOADCHUNK", "k", place, data)
    assert b"is complete" in raw(engine, "BF.LOADCHUNK", "k", pairs[-1][0] + 1, b"x")


def test_a_damaged_file_changes_nothing(engine):
    """The last piece completes a file with a wrong checksum: it is refused, and the right one taken."""
    engine.run("BF.RESERVE", "k", "0.01", 1000, "NONSCALING")
    (one, head), (two, file) = dumped(engine, "k")
    engine.run("BF.LOADCHUNK", "copy", one, head)
    wrong = file[:-9] + bytes([file[-9] ^ 1]) + file[-8:]
    assert b"received bad data" in raw(engine, "BF.LOADCHUNK", "copy", two, wrong)
    assert engine.run("BF.LOADCHUNK", "copy", two, file) == b"OK"
    assert len(set(engine.run("DEBUG", "DIGEST-VALUE", "k", "copy"))) == 1


def test_announced_sizes_are_checked_first(start):
    header = bytearray(next(payloads.pairs((GOLDEN / "redisbloom" / "single.bin").read_bytes()))[1])
    size = 8 << 30
    header[20:28], header[28:36] = size.to_bytes(8, "little"), (size * 8).to_bytes(8, "little")
    for args, options, reason in [
        ((), {}, b"expected at most 1073741824"),
        (("max-bytes", str(1 << 40)), {"maxmemory": "100mb"}, b"maxmemory is 104857600"),
    ]:
        engine = start(*args, **options)
        before = engine.client.info("memory")["used_memory"]
        assert reason in raw(engine, "BF.LOADCHUNK", "k", 1, bytes(header))
        assert reason in raw(engine, "BF.RESERVE", "k", "0.0001", 1 << 30, "NONSCALING")
        assert engine.client.info("memory")["used_memory"] - before < 1 << 20 and engine.client.dbsize() == 0


def restore_a_full_filter(engine, key):
    """Of 1.2 MB, and it says to grow a thousand times. Restoring knows no `max-bytes`."""
    items, error = 1_000_000, 0.01
    bits = math.ceil(items * 9.585058377367446 / 64) * 64
    values = [payloads.unsigned(n) for n in [items, 1, 5, 1000]]
    values += [payloads.unsigned(items), payloads.double(error), payloads.unsigned(7),
               payloads.double(9.585058377367446), payloads.unsigned(bits), payloads.unsigned(0),
               payloads.string(bytes(bits // 8)), payloads.unsigned(items)]
    engine.client.restore(key, 0, payloads.module("MBbloom--", 4, values))
    return items


def test_a_loaded_chain_does_not_grow_past_the_largest_size(engine):
    items = restore_a_full_filter(engine, "k")
    before = engine.client.info("memory")["used_memory"]
    assert b"max-bytes" in raw(engine, "BF.ADD", "k", "a")
    assert engine.client.info("memory")["used_memory"] - before < 100_000
    assert engine.run("BF.INFO", "k", "ITEMS") == [items]


def test_a_union_is_not_above_the_largest_size(start):
    small, large = start("max-bytes", str(1_100_000)), start()
    for engine in small, large:
        restore_a_full_filter(engine, "k")
    assert b"max-bytes" in raw(small, "BF.MERGE", "new", "k")
    assert small.client.exists("new") == 0
    assert large.run("BF.MERGE", "new", "k") == b"OK"


@pytest.mark.parametrize("name", ["single", "scaled_x2"])
def test_an_item_that_comes_twice_in_a_command_is_new_once(engine, name):
    """A filter of another program takes a batch item by item."""
    for iterator, chunk in payloads.pairs((GOLDEN / "redisbloom" / f"{name}.bin").read_bytes()):
        assert engine.run("BF.LOADCHUNK", "k", iterator, chunk) == b"OK"
    (items,) = engine.run("BF.INFO", "k", "ITEMS")
    new = (b"new %d" % i for i in range(1000))
    first, second = [item for item in new if engine.run("BF.EXISTS", "k", item) == 0][:2]
    assert engine.run("BF.MADD", "k", first, second, first) == [1, 1, 0]
    assert engine.run("BF.INFO", "k", "ITEMS") == [items + 2]


def test_own_types(start):
    engine = start("types", "own")
    dump = (GOLDEN / "redisbloom" / "single.redis-dump").read_bytes()
    with pytest.raises(redis.ResponseError):
        engine.client.restore("k", 0, dump)
    # By LOADCHUNK a filter comes under the module's own type, and keeps its bits.
    pairs = list(payloads.pairs((GOLDEN / "redisbloom" / "single.bin").read_bytes()))
    for iterator, data in pairs:
        engine.run("BF.LOADCHUNK", "k", iterator, data)
    assert engine.run("TYPE", "k") == b"tepal-set"
    check_answers(engine, "k", case_of("redisbloom", "single"))
    engine.client.restore("copy", 0, engine.client.dump("k"))
    assert dumped(engine, "copy") == pairs


def test_cuckoo_filters_of_redisbloom_are_refused_by_name(engine):
    with pytest.raises(redis.ResponseError):
        engine.client.restore("k", 0, payloads.module("MBbloomCF", 4, [payloads.unsigned(1)]))
    assert "MBbloomCF is refused: cuckoo filters of RedisBloom are not read" in engine.tail()
    assert b"cuckoo filters of RedisBloom are not read" in raw(engine, "CF.LOADCHUNK", "k", 1, b"x" * 40)
