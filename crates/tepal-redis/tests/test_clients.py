"""redis-py's own commands for Bloom and cuckoo filters, and valkey-py's, in RESP2 and RESP3."""

import pytest
import redis
import valkey


@pytest.fixture(params=[(redis.Redis, 2), (redis.Redis, 3), (valkey.Valkey, 2), (valkey.Valkey, 3)],
                ids=["redis-2", "redis-3", "valkey-2", "valkey-3"])
def client(engine, request):
    kind, protocol = request.param
    client = kind(port=engine.port, protocol=protocol, decode_responses=True)
    client.protocol = protocol
    yield client
    client.close()


def field(client, info, attribute, name):
    return info[name] if isinstance(info, dict) else getattr(info, attribute)


def test_bloom(client):
    bf = client.bf()
    assert bf.create("bloom", 0.01, 1000)
    assert bf.create("expanding", 0.01, 1000, expansion=4)
    assert bf.create("fixed", 0.01, 1000, noScale=True)
    with pytest.raises(Exception, match="cannot expand"):
        bf.create("wrong", 0.01, 1000, expansion=2, noScale=True)
    assert bf.add("bloom", "foo") == 1 and bf.add("bloom", "foo") == 0
    assert [int(i) for i in bf.madd("bloom", "foo", "bar", "baz")] == [0, 1, 1]
    assert bf.exists("bloom", "foo") == 1 and bf.exists("bloom", "noexist") == 0
    assert [int(i) for i in bf.mexists("bloom", "foo", "noexist")] == [1, 0]
    assert [int(i) for i in bf.insert("made", ["a", "b"], capacity=500, error=0.001, expansion=3)] == [1, 1]
    with pytest.raises(Exception, match="not found"):
        bf.insert("none", ["a"], noCreate=True)
    assert bf.card("bloom") == 3 and bf.card("none") == 0
    info = bf.info("bloom")
    assert field(client, info, "capacity", "Capacity") == 1000
    assert field(client, info, "insertedNum", "Number of items inserted") == 3
    assert field(client, info, "filterNum", "Number of filters") == 1
    assert field(client, info, "expansionRate", "Expansion rate") == 2
    assert field(client, bf.info("expanding"), "expansionRate", "Expansion rate") == 4
    assert field(client, bf.info("fixed"), "expansionRate", "Expansion rate") is None
    pipe = client.pipeline()
    for i in range(10):
        pipe.bf().add("piped", f"i{i}")
    assert sum(int(i) for i in pipe.execute()) == 10


def test_bloom_dump(client):
    bf, raw_client = client.bf(), type(client)(port=client.connection_pool.connection_kwargs["port"],
                                               protocol=client.protocol)
    bf.create("bloom", 0.0001, 1000)
    added = [f"item {i}" for i in range(300)]
    bf.madd("bloom", *added)
    pairs, iterator = [], 0
    while True:
        iterator, data = raw_client.bf().scandump("bloom", iterator)
        if iterator == 0:
            break
        pairs.append((iterator, data))
    size = client.execute_command("MEMORY USAGE", "bloom")
    client.delete("bloom")
    for iterator, data in pairs:
        raw_client.bf().loadchunk("bloom", iterator, data)
    raw_client.close()
    assert all(bf.mexists("bloom", *added))
    assert abs(client.execute_command("MEMORY USAGE", "bloom") - size) <= size


def test_cuckoo(client):
    cf = client.cf()
    assert cf.create("cuckoo", 1000)
    assert cf.create("buckets", 1000, bucket_size=4, max_iterations=10, expansion=2)
    assert cf.add("cuckoo", "filter") and not cf.addnx("cuckoo", "filter") and cf.addnx("cuckoo", "new") == 1
    assert cf.insert("made", ["foo"]) == [1] and cf.insert("made", ["foo"], capacity=1000) == [1]
    assert cf.insertnx("made", ["bar"]) == [1] and cf.insertnx("made", ["food"], nocreate="1") == [1]
    assert cf.insertnx("made", ["foo", "bar", "baz"]) == [0, 0, 1]
    info = cf.info("made")
    assert field(client, info, "insertedNum", "Number of items inserted") == 5
    assert field(client, info, "deletedNum", "Number of items deleted") == 0
    assert field(client, info, "filterNum", "Number of filters") == 1
    assert field(client, cf.info("buckets"), "bucketSize", "Bucket size") == 4
    assert cf.exists("cuckoo", "filter") and not cf.exists("cuckoo", "noexist")
    assert [int(i) for i in cf.mexists("cuckoo", "filter", "noexist")] == [1, 0]
    assert cf.count("cuckoo", "filter") == 1 and cf.count("cuckoo", "noexist") == 0
    assert cf.delete("cuckoo", "filter") and cf.count("cuckoo", "filter") == 0
