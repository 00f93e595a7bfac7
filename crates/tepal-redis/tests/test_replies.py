"""Grammar, replies and texts of BF.*: as the public documentation of RedisBloom's commands has them."""

import pytest
import redis

from engine import raw

INTEGER, BOOL = {True: b":1\r\n", False: b":0\r\n"}, {True: b"#t\r\n", False: b"#f\r\n"}


@pytest.mark.parametrize("command, reply", [
    ("BF.RESERVE k x 100", "ERR bad error rate"),
    ("BF.RESERVE k 0 100", "ERR error rate must be in the range (0.000000, 1.000000)"),
    ("BF.RESERVE k 1 100", "ERR error rate must be in the range (0.000000, 1.000000)"),
    ("BF.RESERVE k nan 100", "ERR bad error rate"),
    ("BF.RESERVE k inf 100", "ERR error rate must be in the range (0.000000, 1.000000)"),
    ("BF.RESERVE k 0.01 x", "ERR bad capacity"),
    ("BF.RESERVE k 0.01 0", "ERR capacity must be in the range [1, 1073741824]"),
    ("BF.RESERVE k 0.01 1073741825", "ERR capacity must be in the range [1, 1073741824]"),
    ("BF.RESERVE k 0.01 100 EXPANSION x", "ERR bad expansion"),
    ("BF.RESERVE k 0.01 100 EXPANSION 32769", "ERR expansion must be in the range [0, 32768]"),
    ("BF.RESERVE k 0.01 100 EXPANSION -1", "ERR expansion must be in the range [0, 32768]"),
    ("BF.RESERVE k 0.01 100 EXPANSION 2 NONSCALING", "Nonscaling filters cannot expand"),
    ("BF.RESERVE k 0.01 100 WINDOW 0", "ERR the window is no number of seconds, expected 1 or more"),
    ("BF.RESERVE k 0.01 100 WINDOW 60 DELETABLE",
     "ERR items of a filter with a window expire: leave DELETABLE out"),
    ("BF.RESERVE k 0.01 100 SECRET 00", "ERR the secret is not 32 hexadecimal digits"),
    ("BF.RESERVE k 0.01", "ERR wrong number of arguments for 'BF.RESERVE' command"),
    ("BF.INSERT k ERROR 2 ITEMS a", "Bad error rate"),
    ("BF.INSERT k ERROR x ITEMS a", "Bad error rate"),
    ("BF.INSERT k EXPANSION x ITEMS a", "Bad expansion"),
    ("BF.INSERT k CAPACITY 0 ITEMS a", "Bad capacity"),
    ("BF.INSERT k SIZE 3 ITEMS a", "Unknown argument received"),
    ("BF.INSERT k NOCREATE ITEMS a", "ERR not found"),
    ("BF.INSERT k CAPACITY 5", "ERR wrong number of arguments for 'BF.INSERT' command"),
    ("BF.INSERT k ITEMS", "ERR wrong number of arguments for 'BF.INSERT' command"),
    ("BF.ADD k", "ERR wrong number of arguments for 'BF.ADD' command"),
    ("BF.MADD k", "ERR wrong number of arguments for 'BF.MADD' command"),
    ("BF.EXISTS k a b", "ERR wrong number of arguments for 'BF.EXISTS' command"),
    ("BF.MEXISTS k", "ERR wrong number of arguments for 'BF.MEXISTS' command"),
    ("BF.INFO k", "ERR not found"),
    ("BF.SCANDUMP k 0", "ERR not found"),
    ("BF.RATE k", "ERR not found"),
    ("BF.UPGRADE k", "ERR not found"),
])
def test_errors(engine, command, reply):
    assert raw(engine, *command.split()) == b"-%s\r\n" % reply.encode()
    assert engine.client.dbsize() == 0


@pytest.mark.parametrize("protocol, bools", [(2, INTEGER), (3, BOOL)])
def test_answers(engine, protocol, bools):
    def ask(command):
        return raw(engine, *command.split(), protocol=protocol)

    yes, no = bools[True], bools[False]
    assert ask("BF.EXISTS k a") == no and ask("BF.CARD k") == b":0\r\n"
    assert ask("BF.MEXISTS k a b") == b"*2\r\n" + no + no
    assert ask("BF.RESERVE k 0.01 1000") == b"+OK\r\n"
    assert ask("BF.RESERVE k 0.01 1000") == b"-ERR item exists\r\n"
    assert ask("BF.ADD k a") == yes and ask("BF.ADD k a") == no
    assert ask("BF.MADD k a b b") == b"*3\r\n" + no + yes + no
    assert ask("BF.INSERT k ITEMS c a") == b"*2\r\n" + yes + no
    assert ask("BF.INSERT new CAPACITY 5 ERROR 0.1 NOCREATE ITEMS a") == b"-ERR not found\r\n"
    assert ask("BF.INSERT new CAPACITY 5 ERROR 0.1 EXPANSION 4 ITEMS a") == b"*1\r\n" + yes
    assert ask("BF.EXISTS k a") == yes and ask("BF.EXISTS k z") == no
    assert ask("BF.MEXISTS k a z c") == b"*3\r\n" + yes + no + yes
    assert ask("BF.CARD k") == b":3\r\n"
    assert ask("BF.INFO k CAPACITY") == b"*1\r\n:1000\r\n"
    assert ask("BF.INFO k items") == b"*1\r\n:3\r\n"
    assert ask("BF.INFO k wrong") == b"-Invalid information value\r\n"
    assert ask("BF.INFO new EXPANSION") == b"*1\r\n:4\r\n"
    info = ask("BF.INFO k")
    assert info.startswith(b"*10\r\n" if protocol == 2 else b"%5\r\n")
    names = [b"Capacity", b"Size", b"Number of filters", b"Number of items inserted", b"Expansion rate"]
    assert [line[1:] for line in info.split(b"\r\n") if line[:1] == b"+"] == names


def test_a_filter_that_does_not_grow_is_full(engine):
    for reserve in ["NONSCALING", "EXPANSION 0"]:
        engine.client.flushall()
        assert raw(engine, *f"BF.RESERVE k 0.01 3 {reserve}".split()) == b"+OK\r\n"
        assert raw(engine, "BF.MADD", "k", "a", "b") == b"*2\r\n:1\r\n:1\r\n"
        full = b"-ERR non scaling filter is full\r\n"
        assert raw(engine, "BF.MADD", "k", "b", "c", "d", "e") == b"*3\r\n:0\r\n:1\r\n" + full
        assert raw(engine, "BF.ADD", "k", "d") == full
        # What is in it still is answered, and is no error.
        assert raw(engine, "BF.ADD", "k", "a") == b":0\r\n"
        null = b"*1\r\n$-1\r\n"
        assert raw(engine, "BF.INFO", "k", "EXPANSION") == null and raw(engine, "BF.CARD", "k") == b":3\r\n"


def test_high_rates_are_lowered(engine):
    engine.run("BF.RESERVE", "k", "0.9", "1000", "NONSCALING")
    engine.run("BF.MADD", "k", *range(1000))
    assert 0.1 < float(engine.run("BF.RATE", "k")) < 0.27


@pytest.mark.parametrize("command", [
    "BF.ADD k a", "BF.MADD k a", "BF.INSERT k ITEMS a", "BF.EXISTS k a", "BF.MEXISTS k a", "BF.CARD k",
    "BF.INFO k", "BF.RESERVE k 0.01 10", "BF.SCANDUMP k 0", "BF.LOADCHUNK k 2 x", "BF.LOAD k x",
    "BF.MERGE k other", "BF.MERGE other k", "BF.RATE k", "BF.UPGRADE k", "BF.EXISTSPACKED k 1 x",
    "BF.ADDPACKED k 1 x", "CF.RESERVE k 10", "CF.ADD k a", "CF.ADDNX k a", "CF.INSERT k ITEMS a",
    "CF.INSERTNX k ITEMS a", "CF.EXISTS k a", "CF.MEXISTS k a", "CF.DEL k a", "CF.COUNT k a",
    "CF.COMPACT k", "CF.INFO k", "CF.SCANDUMP k 0", "CF.LOADCHUNK k 2 x",
])
def test_wrong_type(engine, command):
    engine.client.set("k", "text")
    wrong = b"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"
    assert raw(engine, *command.split()) == wrong
    assert engine.client.get("k") == b"text"


def test_cuckoo_commands_need_a_filter_with_removal(engine):
    engine.run("BF.ADD", "k", "a")
    for command in ["CF.ADD k b", "CF.INSERT k ITEMS b", "CF.DEL k a"]:
        assert raw(engine, *command.split()).startswith(b"-WRONGTYPE")
    assert engine.run("BF.CARD", "k") == 1


@pytest.mark.parametrize("protocol", [2, 3])
def test_cuckoo_answers(engine, protocol):
    def ask(command):
        return raw(engine, *command.split(), protocol=protocol)

    yes, no = (b":1\r\n", b":0\r\n") if protocol == 2 else (b"#t\r\n", b"#f\r\n")
    assert ask("CF.EXISTS k a") == no and ask("CF.COUNT k a") == b":0\r\n"
    assert ask("CF.DEL k a") == b"-Not found\r\n" and ask("CF.INFO k") == b"-ERR not found\r\n"
    assert ask("CF.INSERT k NOCREATE ITEMS a") == b"-ERR not found\r\n"
    assert ask("CF.RESERVE k 1000 BUCKETSIZE 4 MAXITERATIONS 30 EXPANSION 3") == b"+OK\r\n"
    assert ask("CF.RESERVE k 1000") == b"-ERR item exists\r\n"
    assert ask("CF.RESERVE x x") == b"-Bad capacity\r\n"
    assert ask("CF.RESERVE x 10 BUCKETSIZE 0") == b"-Couldn't parse BUCKETSIZE\r\n"
    assert ask("CF.ADD k a") == yes and ask("CF.ADD k a") == yes and ask("CF.ADDNX k a") == no
    assert ask("CF.ADDNX k b") == yes
    assert ask("CF.INSERT k ITEMS c c") == b"*2\r\n" + yes + yes
    assert ask("CF.INSERTNX k ITEMS c d") == b"*2\r\n:0\r\n:1\r\n"
    assert ask("CF.MEXISTS k a z") == b"*2\r\n" + yes + no
    assert ask("CF.COUNT k a") == b":2\r\n" and ask("CF.COUNT k z") == b":0\r\n"
    assert ask("CF.DEL k a") == yes and ask("CF.COUNT k a") == b":1\r\n"
    assert ask("CF.DEL k a") == yes and ask("CF.DEL k a") == no and ask("CF.EXISTS k a") == no
    assert ask("CF.COMPACT k") == b"+OK\r\n"
    lines = [line.lstrip(b"+:") for line in ask("CF.INFO k").split(b"\r\n")[1:-1]]
    info = dict(zip(lines[::2], lines[1::2]))
    del info[b"Size"]
    assert info == {
        b"Number of buckets": b"256", b"Number of filters": b"1", b"Number of items inserted": b"4",
        b"Number of items deleted": b"2", b"Bucket size": b"4", b"Expansion rate": b"4",
        b"Max iterations": b"30",
    }


@pytest.mark.parametrize("protocol", [2, 3])
def test_a_full_cuckoo_filter(engine, protocol):
    engine.run("CF.RESERVE", "k", 4)
    items = [f"i{i}" for i in range(4)]
    reply = raw(engine, "CF.INSERT", "k", "ITEMS", *items, protocol=protocol)
    added, full = (b":1\r\n", b":-1\r\n") if protocol == 2 else (b"#t\r\n", b"#f\r\n")
    assert reply == b"*4\r\n" + added * 4
    # Under the key's own secret another item may be a false positive, which a full filter takes.
    others = [f"other {i}" for i in range(100)]
    held = dict(zip(others, engine.run("CF.MEXISTS", "k", *others)))
    others = [other for other in others if not held[other]][:4]
    assert len(others) == 4
    reply = raw(engine, "CF.INSERT", "k", "ITEMS", *others, protocol=protocol)
    assert reply == b"*4\r\n" + full * 4
    other = others[0]
    assert raw(engine, "CF.ADD", "k", other) == b"-Filter is full\r\n"
    assert raw(engine, "CF.INSERTNX", "k", "ITEMS", other, "i0", protocol=protocol) == b"*2\r\n:-1\r\n:0\r\n"


def test_no_item_is_lost(engine):
    items = [f"item {i}" for i in range(50_000)]
    others = [f"other {i}" for i in range(50_000)]
    for reserve in ["", "NONSCALING", "DELETABLE", "DELETABLE NONSCALING", "WINDOW 3600"]:
        engine.client.flushall()
        size = 50_000 if "NONSCALING" in reserve or "WINDOW" in reserve else 500
        engine.run("BF.RESERVE", "k", "0.01", size, *reserve.split())
        new = []
        for start in range(0, len(items), 1000):
            new += engine.run("BF.MADD", "k", *items[start:start + 1000])
        assert 0.985 < sum(new) / len(items) <= 1, reserve
        assert all(engine.run("BF.MEXISTS", "k", *items)), reserve
        wrong = sum(engine.run("BF.MEXISTS", "k", *others)) / len(others)
        assert wrong < 0.0125, (reserve, wrong)
        assert engine.run("BF.EXISTS", "k", items[0]) == 1


def test_secrets_differ(engine):
    """Two keys with the same items do not give the same false positives."""
    wrong = []
    for key in "ab":
        engine.run("BF.RESERVE", key, "0.1", 10_000, "NONSCALING")
        engine.run("BF.MADD", key, *range(10_000))
        wrong.append({i for i, yes in enumerate(engine.run("BF.MEXISTS", key, *range(10_000, 20_000))) if yes})
    assert wrong[0] != wrong[1] and len(wrong[0] & wrong[1]) < len(wrong[0]) / 2


def test_windows(engine):
    engine.run("BF.RESERVE", "k", "0.01", 100, "WINDOW", 60)
    now = int(engine.client.time()[0])
    assert engine.run("BF.INSERT", "k", "ATTIME", now - 1000, "ITEMS", "old") == [1]
    assert engine.run("BF.EXISTS", "k", "old") == 0
    assert engine.run("BF.ADD", "k", "young") == 1 and engine.run("BF.EXISTS", "k", "young") == 1
    assert engine.run("BF.EXISTS", "k", "old") == 0


def test_a_time_in_the_future_is_not_stored(engine):
    now = int(engine.client.time()[0])
    wrong = (now + 3600, now * 1000, 2**63 - 1)
    for time in wrong:
        with pytest.raises(redis.ResponseError, match="ahead of the server's clock"):
            engine.run("BF.INSERT", "k", "WINDOW", 600, "ATTIME", time, "ITEMS", "a")
    assert engine.run("EXISTS", "k") == 0
    # A generation ahead is a clock that is a little fast.
    assert engine.run("BF.INSERT", "k", "WINDOW", 600, "ATTIME", now + 90, "ITEMS", "a") == [1]
    for time in wrong:
        with pytest.raises(redis.ResponseError, match="ahead of the server's clock"):
            engine.run("BF.INSERT", "k", "ATTIME", time, "ITEMS", "b")
    assert engine.run("BF.MEXISTS", "k", "a", "b") == [1, 0] and engine.run("BF.ADD", "k", "b") == 1
    # Filters without a window have no time.
    assert engine.run("BF.INSERT", "other", "ATTIME", now * 1000, "ITEMS", "a") == [1]


def test_packed(engine):
    items = [b"%08d" % i for i in range(100)]
    bits = engine.run("BF.ADDPACKED", "k", 8, b"".join(items))
    assert len(bits) == 13 and sum(bin(byte).count("1") for byte in bits) >= 98
    assert engine.run("BF.EXISTSPACKED", "k", 8, b"".join(items[:9])) == b"\xff\x01"
    assert engine.run("BF.EXISTSPACKED", "none", 8, b"".join(items[:9])) == b"\0\0"
    lengths = b"".join(len(item).to_bytes(4, "little") + item for item in [b"", b"00000003", b"none of them"])
    assert engine.run("BF.EXISTSPACKED", "k", "lp", lengths)[0] & 0b010 == 0b010
    assert all(engine.run("BF.MEXISTS", "k", *items))
    many = b"x" * ((1 << 20) + 1)
    assert b"more than 1048576 items" in raw(engine, "BF.EXISTSPACKED", "k", 1, many)
    for width, blob, reason in [
        (0, b"x", "width"), (3, b"abcd", "multiple"), ("LP", b"\1\0\0", "length is cut"),
        ("LP", b"\2\0\0\0x", "item is cut"), ("LP", b"\xff\xff\xff\xffx", "item is cut"),
    ]:
        assert reason.encode() in raw(engine, "BF.ADDPACKED", "k", width, blob)


def test_merge(engine):
    secret = "SECRET", "00112233445566778899aabbccddeeff"
    for kind in [("NONSCALING",), (), ("NONSCALING", "DELETABLE")]:
        engine.client.flushall()
        for key in "abc":
            engine.run("BF.RESERVE", key, "0.01", 1000, *kind, *secret)
            engine.run("BF.MADD", key, *[f"{key}{i}" for i in range(100)])
        assert engine.run("BF.MERGE", "new", "a", "b") == b"OK"
        assert engine.run("BF.MERGE", "c", "a", "b") == b"OK"
        for i in range(100):
            assert engine.run("BF.MEXISTS", "new", f"a{i}", f"b{i}") == [1, 1]
            assert engine.run("BF.MEXISTS", "c", f"a{i}", f"b{i}", f"c{i}") == [1, 1, 1]
        engine.run("BF.RESERVE", "other", "0.01", 1000, *kind)
        before = engine.run("DEBUG", "DIGEST-VALUE", "a")
        assert raw(engine, "BF.MERGE", "a", "b", "other").startswith(b"-ERR")
        assert engine.run("DEBUG", "DIGEST-VALUE", "a") == before
        assert raw(engine, "BF.MERGE", "a", "none") == b"-ERR not found\r\n"


@pytest.mark.parametrize("command, reply", [
    (["BF.MERGE", "a", "b"],
     "the filters differ in hash seed: a secret here, a secret in the other; only filters of one shape and one "
     "hash can be combined, rebuild one of them from its keys"),
    (["BF.LOAD", "new", "no filter"],
     "valkey-bloom object 110 is not known to this build, which knows version 1; use a newer tepal"),
    (["BF.LOADCHUNK", "new", 1, "no filter"],
     "received bad data: damaged: it ends at byte 9, within a piece that begins at byte 8 and has the length 4; "
     "restore the file from a good copy, or build it again"),
    (["BF.RESERVE", "new", "1e-30", 100, "NONSCALING"],
     "a false-positive rate of 1e-30 is out of reach: at a capacity of 100 a 64-bit hash alone errs at 5.4e-18; "
     "split the keys over several filters, each with its own seed"),
    (["CF.INSERT", "c", "ITEMS", *["a"] * 65],
     "a key is in 64 times, and cannot be in more often; insert each key once, or count in more bits"),
])
def test_errors_of_the_library(engine, command, reply):
    """They name commands and options, and no call of Rust: fuzz.py looks at many more."""
    for key in "ab":
        engine.run("BF.RESERVE", key, "0.01", 100, "NONSCALING")
    assert raw(engine, *command).splitlines()[-1] == b"-ERR " + reply.encode()


def test_items_that_are_the_same(engine):
    """In one command, and over the batches in which items are added."""
    items = [f"i{i % 150}" for i in range(300)]
    new = [1] * 150 + [0] * 150
    for reserve in ["", "NONSCALING", "DELETABLE", "DELETABLE NONSCALING", "WINDOW 60"]:
        engine.client.flushall()
        engine.run("BF.RESERVE", "k", "0.000001", 1000, *reserve.split())
        assert engine.run("BF.MADD", "k", "a", "a", "b") == [1, 0, 1], reserve
        assert engine.run("BF.MADD", "k", *items) == new, reserve
        counts = "DELETABLE" in reserve or "WINDOW" in reserve
        assert engine.run("BF.CARD", "k") == (303 if counts else 152), reserve
    engine.run("CF.RESERVE", "c", 1000)
    assert engine.run("CF.INSERTNX", "c", "ITEMS", "a", "a", "b", "a") == [1, 0, 1, 0]
    assert engine.run("CF.COUNT", "c", "a") == 1


def test_a_filter_is_full_within_a_batch(engine):
    engine.run("BF.RESERVE", "k", "0.01", 100, "NONSCALING")
    items = [f"i{i}" for i in range(150)]
    replies = engine.run("BF.MADD", "k", *items)
    new = replies[:-1]
    assert sum(new) == 100 == engine.run("BF.CARD", "k") and "full" in str(replies[-1])
    assert all(engine.run("BF.MEXISTS", "k", *items[:len(new)]))
    engine.run("BF.RESERVE", "d", "0.01", 100, "NONSCALING", "DELETABLE")
    replies = engine.run("BF.MADD", "d", *items)
    assert 100 <= len(replies) - 1 == engine.run("BF.CARD", "d") and "full" in str(replies[-1])
    # A full filter still takes one more copy of an item that it holds.
    replies = engine.run("CF.INSERT", "d", "ITEMS", "another", "i0", "yet another", "i1")
    assert replies == [-1, 1, -1, 1] and engine.run("CF.COUNT", "d", "i1") == 2


def test_valkey_texts(start):
    engine = start("compat", "valkey")
    for command, reply in [
        ("BF.RESERVE k 0 100", "ERR (0 < error rate range < 1)"),
        ("BF.RESERVE k 0.01 0", "ERR (capacity should be larger than 0)"),
        ("BF.INSERT k ERROR 2 ITEMS a", "ERR bad error rate"),
        ("BF.INSERT k SIZE 3 ITEMS a", "ERR unknown argument received"),
    ]:
        assert raw(engine, *command.split()) == b"-%s\r\n" % reply.encode()
    engine.run("BF.ADD", "k", "a")
    info = engine.run("BF.INFO", "k")
    assert dict(zip(info[::2], info[1::2]))[b"Tightening ratio"] is None and len(info) == 14
    assert engine.run("BF.INFO", "k", "ITEMS") == 1
    assert raw(engine, "BF.INFO", "k", "wrong") == b"-ERR invalid information value\r\n"
