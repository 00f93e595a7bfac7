"""A filter of a server as a file of its pairs of SCANDUMP, and back. Needs redis-py.

    pairs.py dump KEY FILE [--port PORT]
    pairs.py load KEY FILE [--port PORT]

The file of a RedisBloom filter is what `tepal --from redisbloom` reads and `--to redisbloom` writes:
for each pair the iterator (8 bytes) and the length (4 bytes), least significant byte first, then the
data."""

import argparse
import struct

import redis


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("direction", choices=["dump", "load"])
    parser.add_argument("key")
    parser.add_argument("file")
    parser.add_argument("--port", type=int, default=6379)
    args = parser.parse_args()
    server = redis.Redis(port=args.port)
    if args.direction == "dump":
        with open(args.file, "xb") as file:
            iterator = 0
            while True:
                iterator, data = server.execute_command("BF.SCANDUMP", args.key, iterator)
                if iterator == 0:
                    break
                file.write(struct.pack("<qI", iterator, len(data)) + data)
    else:
        with open(args.file, "rb") as file:
            while head := file.read(12):
                iterator, length = struct.unpack("<qI", head)
                server.execute_command("BF.LOADCHUNK", args.key, iterator, file.read(length))


if __name__ == "__main__":
    main()
