"""Payloads of RESTORE: a value's bytes, the RDB version and the checksum, as DUMP writes them."""

CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
UNSIGNED, DOUBLE, STRING = 2, 4, 5


def _table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x95AC9329AC4BC9B5 if crc & 1 else 0)
        table.append(crc)
    return table


_CRC = _table()


def crc64(data):
    crc = 0
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc


def length(n):
    if n < 64:
        return bytes([n])
    if n < 1 << 14:
        return (0x4000 | n).to_bytes(2, "big")
    if n < 1 << 32:
        return b"\x80" + n.to_bytes(4, "big")
    return b"\x81" + n.to_bytes(8, "big")


def unsigned(n):
    return length(UNSIGNED) + length(n)


def double(value):
    import struct

    return length(DOUBLE) + struct.pack("<d", value)


def string(data):
    return length(STRING) + length(len(data)) + data


def sealed(body, version=10):
    """With version and checksum behind it."""
    body += version.to_bytes(2, "little")
    return body + crc64(body).to_bytes(8, "little")


def module(name, encoding, values):
    """The payload of a module's key."""
    number = 0
    for character in name:
        number = number << 6 | CHARACTERS.index(character)
    return sealed(b"\x07" + length(number << 10 | encoding) + b"".join(values) + length(0))


def pairs(data):
    """The pairs of a golden `.bin` of RedisBloom."""
    at = 0
    while at < len(data):
        iterator = int.from_bytes(data[at:at + 8], "little", signed=True)
        size = int.from_bytes(data[at + 8:at + 12], "little")
        yield iterator, data[at + 12:at + 12 + size]
        at += 12 + size


def valkey_values(blob):
    """The values that valkey-bloom saves, from its BF.LOAD blob."""
    import struct

    expansion, rate, tightening, is_random, count = struct.unpack_from("<IddBQ", blob, 1)
    values = [unsigned(count), unsigned(expansion), double(rate), double(tightening), unsigned(is_random)]
    at = 30
    for j in range(count):
        (size,) = struct.unpack_from("<Q", blob, at)
        inner = blob[at + 8:at + 8 + size]
        items, capacity = struct.unpack_from("<qq", blob, at + 8 + size)
        values += [string(inner), unsigned(capacity)] + [unsigned(items)] * (j + 1 == count)
        at += 24 + size
    return values
