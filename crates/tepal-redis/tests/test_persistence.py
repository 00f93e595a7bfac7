"""What the server stores and copies: RDB, AOF, COPY, RENAME, UNLINK, expiry, memory."""

import glob
import os
import time

import pytest
import redis

from engine import raw

KINDS = {
    "fixed": "BF.RESERVE fixed 0.01 5000 NONSCALING",
    "growing": "BF.RESERVE growing 0.01 100 EXPANSION 3",
    "deletable": "BF.RESERVE deletable 0.01 100 DELETABLE",
    "counted": "BF.RESERVE counted 0.01 5000 DELETABLE NONSCALING",
    "window": "BF.RESERVE window 0.01 5000 WINDOW 100000",
    "cuckoo": "CF.RESERVE cuckoo 5000 BUCKETSIZE 4",
}
ITEMS = [f"item {i}" for i in range(3000)]


def fill(engine):
    for key, reserve in KINDS.items():
        engine.run(*reserve.split())
        engine.run("BF.MADD", key, *ITEMS)
    engine.run("CF.DEL", "cuckoo", ITEMS[0])
    # One that is not complete, and one of each other program.
    engine.run("BF.RESERVE", "large", "0.01", 100, "NONSCALING")
    head = engine.run("BF.SCANDUMP", "large", 0)[1]
    file = engine.run("BF.SCANDUMP", "large", 1)[1]
    engine.run("BF.LOADCHUNK", "begun", 1, head)
    engine.run("BF.LOADCHUNK", "begun", 101, file[:100])
    engine.run("BF.LOADCHUNK", "begun", 201, file[100:200])
    return file


def digests(engine):
    keys = sorted(engine.client.keys())
    return dict(zip(keys, engine.run("DEBUG", "DIGEST-VALUE", *keys)))


@pytest.mark.parametrize("options", [
    {"save": "3600 1"},
    {"appendonly": "yes"},
    {"appendonly": "yes", "aof_use_rdb_preamble": "no"},
    {"appendonly": "yes", "aof_use_rdb_preamble": "no", "rewrite": "yes"},
    {"appendonly": "yes", "rewrite": "yes"},
])
def test_restarts(start, options):
    options = dict(options)
    rewrite = options.pop("rewrite", None)
    engine = start(**options)
    file = fill(engine)
    if rewrite:
        engine.client.bgrewriteaof()
        while engine.client.info("persistence")["aof_rewrite_in_progress"] or \
                engine.client.info("persistence")["aof_rewrite_scheduled"]:
            time.sleep(0.05)
        assert engine.client.info("persistence")["aof_last_bgrewrite_status"] == "ok"
    if "save" in options:
        engine.client.save()
    before = digests(engine)
    memory = {key: engine.run("MEMORY", "USAGE", key) for key in KINDS}
    engine.restart()
    assert digests(engine) == before
    for key in KINDS:
        assert all(engine.run("BF.MEXISTS", key, *ITEMS[1:]))
        after = engine.run("MEMORY", "USAGE", key)
        assert 0.4 < after / memory[key] < 2.1, (key, after, memory[key])
    assert engine.run("BF.INFO", "growing", "EXPANSION") == [3]
    info = engine.run("CF.INFO", "cuckoo")
    info = dict(zip(info[::2], info[1::2]))
    assert info[b"Number of items deleted"] == 1 and info[b"Bucket size"] == 4
    engine.run("BF.LOADCHUNK", "begun", len(file) + 1, file[200:])
    assert digests(engine)[b"begun"] == before[b"large"]


def test_copies_and_renames(engine):
    fill(engine)
    before = digests(engine)
    for key in [*KINDS, "begun"]:
        assert engine.client.copy(key, "copy") and engine.client.rename("copy", "other")
        assert digests(engine)[b"other"] == before[key.encode()]
        if key != "begun":
            engine.run("BF.ADD", "other", "only in the copy")
            assert digests(engine)[key.encode()] == before[key.encode()]
        engine.client.restore("restored", 0, engine.client.dump(key), replace=True)
        assert digests(engine)[b"restored"] == before[key.encode()]
        engine.client.delete("other", "restored")
    assert digests(engine) == before


def test_memory_is_counted_and_comes_back(engine):
    before = engine.client.info("memory")["used_memory"]
    engine.run("BF.RESERVE", "k", "0.01", 20_000_000, "NONSCALING")
    usage = engine.run("MEMORY", "USAGE", "k")
    grown = engine.client.info("memory")["used_memory"] - before
    assert 20_000_000 < usage < 30_000_000 and abs(grown - usage) < usage * 0.02
    engine.client.delete("k")
    assert engine.client.info("memory")["used_memory"] - before < 200_000
    engine.run("BF.RESERVE", "g", "0.01", 100)
    small = engine.run("MEMORY", "USAGE", "g")
    for start in range(0, 300_000, 1000):
        engine.run("BF.MADD", "g", *range(start, start + 1000))
    usage = engine.run("MEMORY", "USAGE", "g")
    grown = engine.client.info("memory")["used_memory"] - before
    assert small < 5000 and 300_000 < usage and abs(grown - usage) < usage * 0.05 + 100_000


def test_a_large_key_is_freed_beside(start):
    engine = start()
    engine.run("BF.RESERVE", "k", "0.001", 500_000_000, "NONSCALING")
    engine.run("BF.MADD", "k", *range(10_000))
    assert engine.run("MEMORY", "USAGE", "k") > 850_000_000
    began = time.monotonic()
    assert engine.client.unlink("k") == 1
    assert time.monotonic() - began < 0.05
    for _ in range(100):
        if engine.client.info("memory")["used_memory"] < 50_000_000:
            break
        time.sleep(0.05)
    assert engine.client.info("memory")["used_memory"] < 50_000_000


def test_expiry(engine):
    engine.run("BF.ADD", "k", "a")
    engine.client.pexpire("k", 100)
    assert engine.run("BF.EXISTS", "k", "a") == 1
    time.sleep(0.2)
    assert engine.run("BF.EXISTS", "k", "a") == 0 and engine.client.exists("k") == 0
    assert engine.run("BF.ADD", "k", "a") == 1


def test_transactions_scripts_and_watching(engine):
    pipe = engine.client.pipeline(transaction=True)
    pipe.execute_command("BF.ADD", "k", "a")
    pipe.execute_command("BF.EXISTS", "k", "a")
    pipe.execute_command("BF.RESERVE", "k", "0.01", 10)
    results = pipe.execute(raise_on_error=False)
    assert results[:2] == [1, 1] and "item exists" in str(results[2])
    script = "redis.call('BF.MADD', KEYS[1], 'x', 'y') return redis.call('BF.MEXISTS', KEYS[1], 'x', 'z')"
    assert engine.client.eval(script, 1, "k") == [1, 0]
    # A repeated add does not disturb a transaction that watches the key; a new item does.
    for item, runs in [("a", True), ("new", False)]:
        with engine.client.pipeline() as pipe:
            pipe.watch("k")
            engine.run("BF.ADD", "k", item)
            pipe.multi()
            pipe.set("done", 1)
            try:
                pipe.execute()
                assert runs, item
            except Exception as error:
                assert not runs and "Watched" in str(error), error


def test_access_lists(engine):
    client = engine.client
    client.execute_command("ACL", "SETUSER", "reader", "on", ">pw", "~seen:*", "+@read", "-@write", "+bf.exists")
    engine.run("BF.ADD", "seen:a", "x")
    link = type(client)(port=engine.port, username="reader", password="pw")
    assert link.execute_command("BF.EXISTS", "seen:a", "x") == 1
    for command in [("BF.ADD", "seen:a", "y"), ("BF.EXISTS", "other", "x"), ("BF.MERGE", "seen:a", "other")]:
        with pytest.raises(Exception, match="(?i)no perm"):
            link.execute_command(*command)
    link.close()
    client.execute_command("ACL", "DELUSER", "reader")


def test_short_of_memory(start):
    engine = start(maxmemory="30mb")
    for command in ["BF.ADD k a", "BF.MADD k a", "BF.INSERT k ITEMS a", "BF.RESERVE k 0.01 100", "CF.ADD k a",
                    "CF.INSERT k ITEMS a", "CF.RESERVE k 100", "BF.LOADCHUNK k 1 x", "BF.LOAD k x",
                    "CF.LOADCHUNK k 1 x", "BF.MERGE k a", "BF.ADDPACKED k 1 x", "CF.ADDNX k a",
                    "CF.INSERTNX k ITEMS a"]:
        engine.client.config_set("maxmemory", "1")
        assert raw(engine, *command.split()).startswith(b"-OOM"), command
        engine.client.config_set("maxmemory", "30mb")
    assert b"maxmemory is" in raw(engine, "BF.RESERVE", "k", "0.01", 100_000_000, "NONSCALING")
    # Filters are evicted as any key.
    engine.client.config_set("maxmemory-policy", "allkeys-lru")
    for i in range(40):
        engine.run("BF.RESERVE", f"k{i}", "0.01", 2_000_000, "NONSCALING")
    assert engine.is_alive() and 1 < engine.client.dbsize() < 40
    assert engine.client.info("stats")["evicted_keys"] > 0


def test_unloading_is_refused(start):
    engine = start(enable_module_command="yes")
    with pytest.raises(Exception, match="(?i)data types"):
        engine.client.module_unload("tepal")


def test_wrong_arguments_of_the_module(start):
    for args in [("types", "mine"), ("max-bytes", "1k"), ("speed",)]:
        with pytest.raises(RuntimeError, match="the server ended"):
            start(*args)


def test_a_clock_in_the_future_that_was_stored_elsewhere_goes_no_further(start):
    """What the append-only file says is taken; other filters do not get its time."""
    engine = start(appendonly="yes", aof_use_rdb_preamble="no")
    engine.run("BF.RESERVE", "k", "0.01", 100, "WINDOW", 600, "SECRET", "01" * 16)
    engine.run("BF.RESERVE", "right", "0.01", 100, "WINDOW", 600, "SECRET", "01" * 16)
    engine.run("BF.ADD", "right", "b")
    engine.stop()
    (aof,) = glob.glob(os.path.join(engine.folder, "**", "*.incr.aof"), recursive=True)
    words = [b"BF.INSERT", b"k", b"ATTIME", b"4000000000", b"NOCREATE", b"ITEMS", b"a"]
    with open(aof, "ab") as file:
        file.write(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
    engine.start()
    assert engine.run("BF.MEXISTS", "k", "a", "x") == [1, 0]
    for command in (["BF.MERGE", "new", "k"], ["BF.MERGE", "right", "k"]):
        with pytest.raises(redis.ResponseError, match="ahead of the server's clock"):
            engine.run(*command)
    pairs, iterator = [], 0
    while True:
        iterator, data = engine.run("BF.SCANDUMP", "k", iterator)
        if iterator == 0:
            break
        pairs.append((iterator, data))
    for pair in pairs[:-1]:
        engine.run("BF.LOADCHUNK", "loaded", *pair)
    with pytest.raises(redis.ResponseError, match="ahead of the server's clock"):
        engine.run("BF.LOADCHUNK", "loaded", *pairs[-1])
    # A right time is told to it as ever, and items go in.
    now = int(engine.client.time()[0])
    assert engine.run("BF.INSERT", "k", "ATTIME", now, "ITEMS", "c") == [1]
    assert engine.run("BF.ADD", "k", "d") == 1
    assert engine.run("BF.MERGE", "copy", "right") == b"OK" and engine.run("BF.EXISTS", "copy", "b") == 1
