"""What a command costs the server: processor time of redis-server for each call, in microseconds.

bench.py KEYS, started by `.ci/redis bench`. The rounds of all commands are interleaved; a figure is
the median of the rounds. `TEPAL.REPLY` parses the same arguments, opens the key and replies as many
integers, and does nothing else: the least that MEXISTS can cost."""

import random
import socket
import statistics
import sys

from engine import Engine

ROUNDS = 9


def encoded(*parts):
    parts = [part if isinstance(part, bytes) else str(part).encode() for part in parts]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)


class Link:
    def __init__(self, engine):
        self.engine, self.socket = engine, socket.create_connection(("127.0.0.1", engine.port))

    def cpu(self):
        info = self.engine.client.info("cpu")
        return info["used_cpu_user"] + info["used_cpu_sys"]

    def cost(self, batches):
        """Sends pipelines of requests; returns the server's seconds for all of them."""
        before = self.cpu()
        for batch, end in batches:
            self.socket.sendall(batch)
            received = b""
            while not received.endswith(end):
                received = received[-64:] + self.socket.recv(1 << 20)
        return self.cpu() - before


def pipelines(requests, depth, mark=b"end"):
    for start in range(0, len(requests), depth):
        batch = b"".join(requests[start:start + depth]) + encoded("ECHO", mark)
        yield batch, b"$%d\r\n%s\r\n" % (len(mark), mark)


def fill(engine, key, keys):
    for start in range(0, keys, 100_000):
        blob = b"".join(b"%012d" % i for i in range(start, min(start + 100_000, keys)))
        engine.run("BF.ADDPACKED", key, 12, blob)


def measured(link, named, calls, depth):
    """Microseconds of each command for one call. What is a function gives each round its own
    requests."""
    rounds = {name: [] for name in named}
    for number in range(ROUNDS):
        for name, requests in named.items():
            requests = requests(number) if callable(requests) else requests
            rounds[name].append(link.cost(pipelines(requests, depth)) / calls * 1e6)
    return {name: statistics.median(times) for name, times in rounds.items()}


def many(engine, link, keys):
    rng = random.Random(1)
    print(f"\n{keys} keys at 1 %, requests of 100 items, half of them members; microseconds a request")
    for reserve in ["NONSCALING", "growing", "DELETABLE NONSCALING"]:
        engine.client.flushall()
        calls = 2000
        room = keys + ROUNDS * calls * 100
        engine.run("BF.RESERVE", "k", "0.01", room, *([] if reserve == "growing" else reserve.split()))
        fill(engine, "k", keys)
        lists = [[b"%012d" % rng.randrange(2 * keys) for _ in range(100)] for _ in range(calls)]
        named = {name: [encoded(name, "k", *items) for items in lists] for name in ["TEPAL.REPLY", "BF.MEXISTS"]}
        named["BF.EXISTSPACKED"] = [encoded("BF.EXISTSPACKED", "k", 12, b"".join(items)) for items in lists]
        if "DELETABLE" not in reserve:
            # There each add is one more copy.
            known = [[b"%012d" % rng.randrange(keys) for _ in range(100)] for _ in range(calls)]
            named["BF.MADD of members"] = [encoded("BF.MADD", "k", *items) for items in known]
        def new(number):
            start = 10**11 + number * calls * 100
            return [encoded("BF.MADD", "k", *[b"%012d" % i for i in range(at, at + 100)])
                    for at in range(start, start + calls * 100, 100)]

        named["BF.MADD of new items"] = new
        costs = measured(link, named, calls, 10)
        base = costs["TEPAL.REPLY"]
        shown = ", ".join(f"{name} {cost:.1f} ({cost / base:.2f})" for name, cost in costs.items())
        print(f"  {reserve}: {shown}", flush=True)


def single(engine, link, keys):
    engine.client.flushall()
    engine.run("BF.RESERVE", "k", "0.01", keys, "NONSCALING")
    fill(engine, "k", keys)
    rng = random.Random(2)
    calls = 100_000
    items = [b"%012d" % rng.randrange(2 * keys) for _ in range(calls)]
    pipe = engine.client.pipeline(transaction=False)
    for i in range(1000):
        pipe.set(b"%012d" % i, "value")
    pipe.execute()
    named = {
        "GET": [encoded("GET", b"%012d" % rng.randrange(1000)) for _ in range(calls)],
        "BF.EXISTS": [encoded("BF.EXISTS", "k", item) for item in items],
        "BF.ADD of members": [encoded("BF.ADD", "k", b"%012d" % rng.randrange(keys)) for _ in range(calls)],
    }
    costs = measured(link, named, calls, 64)
    print("\none item, pipelines of 64; microseconds a call")
    print("  " + ", ".join(f"{name} {cost:.2f}" for name, cost in costs.items()))
    print(f"  BF.EXISTS - GET: {costs['BF.EXISTS'] - costs['GET']:.2f}", flush=True)


def growth(engine, first):
    engine.client.flushall()
    engine.run("BF.RESERVE", "k", "0.01", first)
    bits, worst, held = [], 0.0, 0
    step = first // 4
    others = [b"other %d" % i for i in range(100_000)]
    for start in range(0, 16 * first, step):
        blob = b"".join(b"%012d" % i for i in range(start, start + step))
        for at in range(0, len(blob), 1_200_000):
            engine.run("BF.ADDPACKED", "k", 12, blob[at:at + 1_200_000])
        held += step
        if held < first:
            continue
        bits.append(8 * engine.run("MEMORY", "USAGE", "k") / held)
        wrong = 0
        for at in range(0, len(others), 1000):
            wrong += sum(engine.run("BF.MEXISTS", "k", *others[at:at + 1000]))
        worst = max(worst, wrong / len(others))
    filters = engine.run("BF.INFO", "k", "FILTERS")[0]
    print(f"\nfrom {first} keys to 16 times as many at 1 %: {statistics.mean(bits):.1f} bits a key "
          f"(mean over the phases of filling; {min(bits):.1f} to {max(bits):.1f}), at most {worst:.2%} false "
          f"positives, {filters} table a lookup", flush=True)


def main(keys):
    engine = Engine(None, "max-bytes", str(8 << 30))
    try:
        link = Link(engine)
        many(engine, link, keys)
        single(engine, link, keys)
        growth(engine, min(keys // 16, 250_000))
    finally:
        engine.remove()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000_000)
