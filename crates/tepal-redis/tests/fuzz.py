"""Mutated payloads for each way into the server, with right checksums of the server: fuzz.py COUNT

After each the server must be alive, no call may have taken more than 50 ms, and what was taken must
answer. At the end the memory must be back."""

import json
import random
import re
import struct
import sys
import time

import payloads
from engine import Engine
from test_foreign import GOLDEN

SLOW = 50_000
# A call of Rust, which no client knows.
CALL = re.compile("::|`[a-z_]+`")
SECRET = "00112233445566778899aabbccddeeff"
EXTREMES = [0, 1, 2, 7, 8, 63, 64, 255, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 40, 1 << 61,
            (1 << 63) - 1, 1 << 63, (1 << 64) - 1]


def mutated(rng, data):
    """A few bytes changed, removed or added; or an extreme number somewhere."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 2:
            number = rng.choice(EXTREMES)
            size = rng.choice([1, 2, 4, 8])
            data[at:at + size] = (number % (1 << 8 * size)).to_bytes(size, rng.choice(["little", "big"]))
        elif kind == 3:
            del data[at:at + rng.randrange(1, 20)]
        elif kind == 4:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 20)))
        elif kind == 5:
            start = rng.randrange(len(data) + 1)
            data[at:at] = data[start:start + rng.randrange(1, 200)]
        else:
            data[at:at + 8] = struct.pack("<d", rng.choice([0.0, -1.0, 1e-308, 0.5, 1.0, 1e300, float("nan")]))
    return bytes(data)


def body(payload):
    return payload[:-10]


def seeds(engine):
    """Good payloads of every kind: for RESTORE without their ends, and the pairs of LOADCHUNK."""
    restore, pairs = [], []
    for name in ["cap_error", "default_reserve", "nonscaling", "single", "scaled_x4"]:
        restore.append(body((GOLDEN / "redisbloom" / f"{name}.redis-dump").read_bytes()))
        pairs.append(list(payloads.pairs((GOLDEN / "redisbloom" / f"{name}.bin").read_bytes())))
    blobs = [(GOLDEN / "valkey-bloom" / f"{case['name']}.bin").read_bytes()
             for case in json.loads((GOLDEN / "valkey-bloom" / "index.json").read_text())["cases"]]
    restore += [body(payloads.module("bloomfltr", 1, payloads.valkey_values(blob))) for blob in blobs]
    for reserve in ["BF.RESERVE k 0.01 50 NONSCALING", "BF.RESERVE k 0.01 20", "BF.RESERVE k 0.01 20 DELETABLE",
                    "BF.RESERVE k 0.01 50 WINDOW 60", "CF.RESERVE k 50"]:
        engine.run(*reserve.split(), "SECRET", SECRET)
        engine.run("BF.MADD", "k", *range(40))
        restore.append(body(engine.client.dump("k")))
        own, iterator = [], 0
        while True:
            iterator, data = engine.run("BF.SCANDUMP", "k", iterator)
            if iterator == 0:
                break
            own.append((iterator, data))
        pairs.append(own)
        engine.client.delete("k")
    engine.run("BF.LOADCHUNK", "k", *pairs[0][0])
    restore.append(body(engine.client.dump("k")))
    engine.client.delete("k")
    return restore, pairs, blobs


def attempts(rng, command, restore, pairs, blobs):
    """The commands of one attempt."""
    if command == "RESTORE":
        return [["RESTORE", "k", 0, payloads.sealed(mutated(rng, rng.choice(restore)))]]
    if command == "BF.LOAD":
        return [["BF.LOAD", "k", mutated(rng, rng.choice(blobs))]]
    chosen = list(rng.choice(pairs))
    place = rng.randrange(len(chosen))
    iterator, data = chosen[place]
    chosen[place] = (iterator if rng.randrange(4) else rng.choice(EXTREMES[:-2]), mutated(rng, data))
    return [["BF.LOADCHUNK" if rng.randrange(4) else "CF.LOADCHUNK", "k", *pair] for pair in chosen]


ASKS = [["BF.MEXISTS", "k", *[f"x{i}" for i in range(100)]], ["BF.INSERT", "k", "NOCREATE", "ITEMS", "a", "b", "c"],
        ["CF.DEL", "k", "a"], ["BF.INFO", "k"], ["BF.RATE", "k"], ["BF.SCANDUMP", "k", 0],
        ["MEMORY", "USAGE", "k"], ["DUMP", "k"], ["COPY", "k", "copy"], ["UNLINK", "k", "copy"]]


def slow(client, batch):
    """The attempts of a batch with a call over the limit each time that they are repeated: a busy
    machine makes any call slow once."""
    found = []
    for attempt in batch:
        for _ in range(3):
            client.slowlog_reset()
            for words in [*attempt, *ASKS, ["UNLINK", "k", "copy"]]:
                try:
                    client.execute_command(*words)
                except Exception:
                    pass
            if not client.slowlog_len():
                break
        else:
            found.append((attempt, client.slowlog_get(10)))
    client.slowlog_reset()
    return found


def main(count, seed=1):
    engine = Engine(None, slowlog_log_slower_than=str(SLOW), slowlog_max_len="1000",
                    maxmemory="2gb", maxmemory_policy="noeviction")
    try:
        client = engine.client
        restore, pairs, blobs = seeds(engine)
        memory = client.info("memory")["used_memory"]
        for command in ["RESTORE", "LOADCHUNK", "BF.LOAD"]:
            rng = random.Random(f"{command}{seed}")
            taken = refused = done = repeated = 0
            began = time.monotonic()
            while done < count:
                batch = [attempts(rng, command, restore, pairs, blobs) for _ in range(min(100, count - done))]
                pipe = client.pipeline(transaction=False)
                for attempt in batch:
                    for words in [*attempt, *ASKS]:
                        pipe.execute_command(*words)
                replies = pipe.execute(raise_on_error=False)
                done += len(batch)
                errors = [reply for reply in replies if isinstance(reply, Exception)]
                refused += len(errors)
                calls = [error for error in errors if CALL.search(str(error))]
                assert not calls, calls[0]
                # The last command of an attempt gives the number of keys that it deletes.
                taken += sum(reply == 2 for reply in replies)
                assert engine.is_alive(), engine.tail()
                if client.slowlog_len():
                    repeated += 1
                    again = slow(client, batch)
                    assert not again, again[0]
            print(f"{command}: {count} payloads, {taken} gave a filter, {refused} errors, no call over "
                  f"{SLOW // 1000} ms ({repeated} hundreds repeated), {time.monotonic() - began:.0f} s", flush=True)
        for _ in range(100):
            back = client.info("memory")["used_memory"] - memory
            if back < 5 << 20:
                break
            time.sleep(0.1)
        assert back < 5 << 20, f"{back} bytes of memory are not back"
        assert client.dbsize() == 0
        print(f"memory: {back} bytes more than before")
    finally:
        engine.remove()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
