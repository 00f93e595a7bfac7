"""Replicas, the append-only file after kill -9, a cluster."""

import random
import threading
import time

import pytest
import redis
from redis.cluster import ClusterNode, RedisCluster

import commands_at_random
import payloads
from commands_at_random import caught_up
from engine import client
from test_foreign import GOLDEN


def replica_of(start, master, **options):
    replica = start(replicaof=["127.0.0.1", str(master.port)], **options)
    caught_up(master, replica)
    return replica


def digest(engine):
    return engine.run("DEBUG", "DIGEST")


def expire_all(engine):
    """A replica counts expired keys until the master deletes them."""
    time.sleep(0.1)
    for key in engine.client.keys():
        engine.client.persist(key)
    return engine


def test_random_commands_give_the_same_replica(start):
    master = start()
    commands_at_random.run(master.client, 1, 5_000)
    replica = replica_of(start, master)
    for seed in range(2, 6):
        commands_at_random.run(master.client, seed, 5_000)
        expire_all(master)
        caught_up(master, replica)
        assert master.client.dbsize() > 3 and digest(master) == digest(replica), seed
    # The stream was accepted whole.
    assert "CRITICAL" not in replica.tail()
    another = replica_of(start, master)
    assert digest(another) == digest(master)


def test_nothing_is_passed_on_if_nothing_changed(start):
    master = start()
    replica = replica_of(start, master)
    for reserve in ["BF.RESERVE k 0.01 100", "BF.RESERVE n 0.01 100 NONSCALING", "CF.RESERVE c 100"]:
        master.run(*reserve.split())
    master.run("BF.MADD", "k", "a", "b")
    master.run("BF.ADD", "n", "a")
    master.run("CF.ADD", "c", "a")
    caught_up(master, replica)
    replica.client.close()
    before = master.client.info("replication")["master_repl_offset"]
    for _ in range(200):
        master.run("BF.ADD", "k", "a")
        master.run("BF.MADD", "k", "a", "b")
        master.run("BF.INSERT", "n", "ITEMS", "a")
        master.run("CF.ADDNX", "c", "a")
        master.run("CF.DEL", "c", "none of them")
        master.run("BF.EXISTS", "k", "a")
    # Only the link's own pings.
    assert master.client.info("replication")["master_repl_offset"] - before < 100


def test_what_is_passed_on_is_what_changed(start):
    master = start()
    replica = replica_of(start, master)
    master.run("BF.RESERVE", "k", "0.01", 3, "NONSCALING")
    with pytest.raises(redis.ResponseError):
        master.run("BF.ADDPACKED", "k", 1, "abcd")
    results = master.run("BF.MADD", "k", "a", "x", "y")
    assert results[0] == 0 and "full" in str(results[1]) and len(results) == 2
    caught_up(master, replica)
    assert digest(master) == digest(replica) and "CRITICAL" not in replica.tail()
    assert replica.run("BF.CARD", "k") == 3


def test_a_full_window_moves_the_clock_of_a_replica(start):
    master = start()
    replica = replica_of(start, master)
    master.run("BF.RESERVE", "k", "0.01", 100, "WINDOW", 100)
    now = int(master.client.time()[0])
    assert "full" in str(master.run("BF.INSERT", "k", "ATTIME", now - 40, "ITEMS", *range(300))[-1])
    before = digest(master)
    assert "full" in str(master.run("BF.INSERT", "k", "ATTIME", now, "ITEMS", "new")[0])
    caught_up(master, replica)
    assert digest(master) == digest(replica) != before and "CRITICAL" not in replica.tail()
    assert all(replica.run("BF.MEXISTS", "k", *range(100)))


def test_limits_of_a_replica_refuse_nothing(start):
    """What the master accepted, the replica takes, whatever its own limits are."""
    master = start()
    replica = start("max-bytes", "100000", replicaof=["127.0.0.1", str(master.port)])
    caught_up(master, replica)
    master.run("BF.RESERVE", "k", "0.01", 2_000_000, "NONSCALING")
    master.run("BF.RESERVE", "g", "0.01", 1000)
    for at in range(0, 200_000, 1000):
        master.run("BF.MADD", "g", *range(at, at + 1000))
    caught_up(master, replica)
    assert digest(master) == digest(replica)


def test_a_filter_stops_growing_at_the_largest_size(start):
    engine = start("max-bytes", "100000")
    engine.run("BF.RESERVE", "g", "0.01", 1000)
    refused = None
    for at in range(0, 200_000, 1000):
        refused = [reply for reply in engine.run("BF.MADD", "g", *range(at, at + 1000)) if reply not in (0, 1)]
        if refused:
            break
    assert "max-bytes" in str(refused[0]) and 100_000 <= engine.run("MEMORY", "USAGE", "g") < 140_000


def test_pieces_are_passed_on(start):
    master = start()
    replica = replica_of(start, master)
    pairs = list(payloads.pairs((GOLDEN / "redisbloom" / "scaled_x2.bin").read_bytes()))
    for iterator, data in pairs[:2]:
        master.run("BF.LOADCHUNK", "k", iterator, data)
    # A replica that comes in the middle gets the pieces so far.
    late = replica_of(start, master)
    for iterator, data in pairs[2:]:
        master.run("BF.LOADCHUNK", "k", iterator, data)
    for one in [replica, late]:
        caught_up(master, one)
        assert digest(one) == digest(master) and one.run("TYPE", "k") == b"MBbloom--"


def test_a_promoted_replica_has_every_add(start):
    master = start()
    replica = replica_of(start, master)
    master.run("BF.RESERVE", "k", "0.01", 100)
    items = [f"i{i}" for i in range(20_000)]
    for at in range(0, len(items), 500):
        master.run("BF.MADD", "k", *items[at:at + 500])
        if at == 10_000:
            assert master.client.wait(1, 5000) == 1
    assert master.client.wait(1, 5000) == 1
    master.kill()
    replica.run("REPLICAOF", "NO", "ONE")
    assert all(replica.run("BF.MEXISTS", "k", *items))
    assert replica.run("BF.ADD", "k", "after") == 1


@pytest.mark.parametrize("during", ["AOF", "SAVE", "resync"])
def test_kill_9(start, during):
    """Every add that was acknowledged is there after the server was killed in the middle."""
    options = {"appendonly": "yes", "appendfsync": "always", "aof_use_rdb_preamble": "no"}
    engine = start(**options)
    engine.run("BF.RESERVE", "k", "0.01", 100)
    engine.run("BF.RESERVE", "f", "0.01", 5_000_000, "NONSCALING")
    acknowledged, stop = [], threading.Event()

    def add():
        link = client(engine.port)
        number = 0
        while not stop.is_set():
            items = [f"{number}-{i}" for i in range(20)]
            try:
                link.execute_command("BF.MADD", "k", *items)
                link.execute_command("BF.MADD", "f", *items)
            except redis.RedisError:
                return
            acknowledged.extend(items)
            number += 1

    thread = threading.Thread(target=add)
    thread.start()
    time.sleep(0.5)
    if during == "AOF":
        engine.client.bgrewriteaof()
    elif during == "SAVE":
        engine.client.bgsave()
    else:
        start(replicaof=["127.0.0.1", str(engine.port)])
    time.sleep(random.Random(during).uniform(0.01, 0.1))
    engine.kill()
    stop.set()
    thread.join()
    assert len(acknowledged) > 200
    engine.start()
    for key in "kf":
        for at in range(0, len(acknowledged), 1000):
            assert all(engine.run("BF.MEXISTS", key, *acknowledged[at:at + 1000]))


def test_a_cluster_of_three(start):
    engines = [start(cluster_enabled="yes", cluster_node_timeout="2000") for _ in range(3)]
    third = 16384 // 3 + 1
    for number, engine in enumerate(engines):
        engine.run("CLUSTER", "ADDSLOTSRANGE", number * third, min((number + 1) * third, 16384) - 1)
        engine.run("CLUSTER", "MEET", "127.0.0.1", engines[0].port)
    for _ in range(200):
        if all(b"cluster_state:ok" in engine.run("CLUSTER", "INFO") and
               b"cluster_known_nodes:3" in engine.run("CLUSTER", "INFO") for engine in engines):
            break
        time.sleep(0.1)
    cluster = RedisCluster(startup_nodes=[ClusterNode("127.0.0.1", engines[0].port)])
    for number in range(60):
        assert cluster.execute_command("BF.ADD", f"key{number}", "a") == 1
        assert cluster.execute_command("BF.MEXISTS", f"key{number}", "a", "b") == [1, 0]
    assert all(engine.client.dbsize() > 5 for engine in engines)
    cluster.execute_command("BF.RESERVE", "{x}a", "0.01", 100)
    cluster.execute_command("BF.MERGE", "{x}b", "{x}a")
    owner = next(engine for engine in engines if engine.client.dbsize() and b"key1" in engine.client.keys())
    with pytest.raises(redis.ResponseError, match="hash to the same slot"):
        owner.run("BF.MERGE", "key1", "key2")
    # A slot moves with its keys, by DUMP and RESTORE.
    key, other = "key1", next(engine for engine in engines if engine is not owner)
    slot = owner.run("CLUSTER", "KEYSLOT", key)
    ids = {engine: engine.run("CLUSTER", "MYID") for engine in (owner, other)}
    other.run("CLUSTER", "SETSLOT", slot, "IMPORTING", ids[owner])
    owner.run("CLUSTER", "SETSLOT", slot, "MIGRATING", ids[other])
    assert owner.run("MIGRATE", "127.0.0.1", other.port, "", 0, 5000, "KEYS", key) == b"OK"
    for engine in (other, owner):
        engine.run("CLUSTER", "SETSLOT", slot, "NODE", ids[other])
    assert cluster.execute_command("BF.MEXISTS", key, "a", "b") == [1, 0]
    assert key.encode() in other.client.keys()
    cluster.close()
