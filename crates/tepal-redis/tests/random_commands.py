"""Random commands on a master and its replica, which must be equal: random_commands.py COUNT"""

import sys
import time

import commands_at_random
from engine import Engine


def main(count):
    engines = [Engine(None)]
    try:
        master = engines[0]
        engines.append(Engine(None, replicaof=["127.0.0.1", str(master.port)]))
        replica = engines[1]
        began, piece = time.monotonic(), max(1, count // 10)
        for seed in range(10):
            commands_at_random.run(master.client, seed, piece)
            for key in master.client.keys():
                master.client.persist(key)
            commands_at_random.caught_up(master, replica)
            digests = [engine.run("DEBUG", "DIGEST") for engine in engines]
            assert digests[0] == digests[1], (seed, digests)
            assert "CRITICAL" not in replica.tail()
        print(f"{10 * piece} random commands: master and replica have the digest {digests[0].decode()}, "
              f"{time.monotonic() - began:.0f} s")
    finally:
        for engine in engines:
            engine.remove()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
