"""Random commands on a few keys, from a seed."""

import random

RESERVES = [
    "BF.RESERVE {} 0.01 200 NONSCALING", "BF.RESERVE {} 0.01 50", "BF.RESERVE {} 0.05 50 DELETABLE",
    "BF.RESERVE {} 0.01 200 DELETABLE NONSCALING", "BF.RESERVE {} 0.01 500 WINDOW 100", "CF.RESERVE {} 200",
]


def commands(seed):
    """Endless."""
    rng = random.Random(seed)

    def item():
        return f"i{rng.randrange(2000)}"

    def items():
        return [item() for _ in range(rng.randrange(1, 8))]

    while True:
        key = f"k{rng.randrange(12)}"
        kind = rng.randrange(100)
        if kind < 25:
            yield ["BF.ADD", key, item()]
        elif kind < 45:
            yield ["BF.MADD", key, *items()]
        elif kind < 55:
            yield ["BF.INSERT", key, "CAPACITY", str(rng.randrange(1, 300)), "ITEMS", *items()]
        elif kind < 60:
            yield ["CF.ADD", key, item()]
        elif kind < 65:
            yield ["CF.INSERTNX", key, "ITEMS", *items()]
        elif kind < 75:
            yield ["CF.DEL", key, item()]
        elif kind < 82:
            yield ["BF.MEXISTS", key, *items()]
        elif kind < 85:
            yield ["BF.ADDPACKED", key, "4", "".join(f"p{rng.randrange(999):03}" for _ in range(5))]
        elif kind < 93:
            yield rng.choice(RESERVES).format(key).split()
        elif kind < 95:
            yield ["BF.MERGE", key, f"k{rng.randrange(12)}"]
        elif kind < 97:
            yield ["DEL", key]
        elif kind < 98:
            yield ["COPY", key, f"k{rng.randrange(12)}", "REPLACE"]
        elif kind < 99:
            yield ["RENAME", key, f"k{rng.randrange(12)}"]
        else:
            yield ["PEXPIRE", key, str(rng.randrange(1, 2000))]


def run(client, seed, count, batch=500):
    """Runs `count` commands in pipelines; an error of a command is a reply like any other."""
    source = commands(seed)
    done = 0
    while done < count:
        pipe = client.pipeline(transaction=False)
        for _ in range(min(batch, count - done)):
            pipe.execute_command(*next(source))
        pipe.execute(raise_on_error=False)
        done += batch


def caught_up(master, replica):
    """Waits until the replica has everything."""
    import time

    for _ in range(1200):
        info = replica.client.info("replication")
        offset = master.client.info("replication")["master_repl_offset"]
        if info.get("master_link_status") == "up" and info.get("slave_repl_offset") == offset:
            return
        time.sleep(0.05)
    raise RuntimeError("the replica does not catch up: " + replica.tail())
