"""What one command on a large filter costs the server, in seconds of processor time: large.py BYTES

Beside it, what a text of the same size costs: the least for any key."""

import sys

from engine import Engine


def main(size):
    engine = Engine(None, rdbcompression="no", proto_max_bulk_len="2gb",
                    client_query_buffer_limit="4gb")
    try:
        costs = {}

        def run(name, command):
            info = engine.client.info("cpu")
            before = info["used_cpu_user"] + info["used_cpu_sys"]
            reply = command()
            info = engine.client.info("cpu")
            costs[name] = info["used_cpu_user"] + info["used_cpu_sys"] - before
            return reply

        keys = size * 8 // 16
        run("BF.RESERVE", lambda: engine.run("BF.RESERVE", "k", "0.001", keys, "NONSCALING"))
        engine.run("BF.MADD", "k", *range(10_000))
        dump = run("DUMP", lambda: engine.client.dump("k"))
        run("RESTORE", lambda: engine.client.restore("copy", 0, dump))
        run("UNLINK", lambda: engine.client.unlink("copy"))
        iterator, pairs = 0, []
        while True:
            iterator, data = run(f"BF.SCANDUMP {len(pairs)}", lambda: engine.run("BF.SCANDUMP", "k", iterator))
            if iterator == 0:
                break
            pairs.append((iterator, data))
        for number, (iterator, data) in enumerate(pairs):
            run(f"BF.LOADCHUNK {number}", lambda: engine.run("BF.LOADCHUNK", "loaded", iterator, data))
        run("COPY", lambda: engine.client.copy("k", "copied"))
        run("BF.INFO", lambda: engine.run("BF.INFO", "k"))
        size, last = engine.run("MEMORY", "USAGE", "k"), len(pairs) - 1
        engine.client.flushall()
        del dump
        run("text: SETRANGE", lambda: engine.run("SETRANGE", "k", size - 1, "x"))
        dump = run("text: DUMP", lambda: engine.client.dump("k"))
        run("text: RESTORE", lambda: engine.client.restore("copy", 0, dump))
        run("text: COPY", lambda: engine.client.copy("k", "copied"))
        print(f"a filter of {size / 1e6:.0f} MB, {len(pairs)} pairs, and a text of the same size")
        for name in ["BF.RESERVE", "DUMP", "RESTORE", "COPY", "BF.LOADCHUNK 1", f"BF.LOADCHUNK {last}",
                     "BF.SCANDUMP 0", "BF.SCANDUMP 2", "UNLINK", "BF.INFO",
                     "text: SETRANGE", "text: DUMP", "text: RESTORE", "text: COPY"]:
            print(f"  {name}: {costs[name]:.3f} s")
    finally:
        engine.remove()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400_000_000)
