"""Makes files of the format with correct checksums for any numbers in their heads, and damages them."""

import pathlib
import sys
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "Examples/Python"))
sys.dont_write_bytecode = True

import globaldata as g  # noqa: E402

IDENTITY = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")
OTHER_IDENTITY = uuid.UUID("ffeeddcc-bbaa-9988-7766-554433221100")


def entry(key, value):
    """Returns the record of an entry. A value other than bytes is encoded."""
    return g.entry_record(key, value if isinstance(value, bytes) else g.embedded(g.encoded(value)))


def removal(key):
    return g.removal_record(key)


class Store:
    """A file whose checksums are correct for any numbers in its heads."""

    def __init__(self, *records, generation=1, version=1, identity=IDENTITY, count=None, length=None, map_head=None):
        self.generation = generation
        map_head = map_head or g.encoded_head(g.MAP, len(records) if count is None else count)
        true_length = len(map_head) + sum(len(record) for record, _ in records)
        start = g.MAGIC + bytes([version]) + b"\xd8\x25\x50" + identity.bytes + b"\x1b" + g.big_endian(generation)
        start += b"\x1b" + g.big_endian(true_length if length is None else length)
        start += b"\x48" + g.big_endian(g.xxh64(start)) + map_head
        self.seed = self.checksum = g.xxh64(start + b"".join(g.big_endian(checksum) for _, checksum in records))
        self.offsets = []  # of the records, and then of the checksum
        self.data = bytearray(start)
        for record, _ in records:
            self.offsets.append(len(self.data))
            self.data += record
        self.offsets.append(len(self.data))
        self.data += b"\x48" + g.big_endian(self.seed)
        self.changes = []  # the offset of each

    def append(self, *records, generation=None, synced=None, length=None, count=None, previous=None, steps_head=None):
        self.generation = (self.generation + 1) & g.MASK if generation is None else generation
        steps_head = steps_head or g.encoded_head(g.ARRAY, 2 * len(records) if count is None else count)
        rest = len(steps_head) + sum(len(record) for record, _ in records) + g.TAIL
        start = len(self.data)
        head = b"\x88\x1b" + g.big_endian(self.generation)
        head += b"\x1b" + g.big_endian(start if synced is None else synced)
        head += b"\x1b" + g.big_endian(rest if length is None else length)
        head += b"\x48" + g.big_endian(self.checksum if previous is None else previous)
        head_checksum = g.xxh64(head, self.seed)
        self.checksum = g.xxh64(steps_head + b"".join(g.big_endian(c) for _, c in records), head_checksum)
        self.changes.append(start)
        self.data += head + b"\x48" + g.big_endian(head_checksum) + steps_head
        for record, _ in records:
            self.data += record
        self.data += b"\x48" + g.big_endian(self.checksum) + g.END
        return self

    def room(self, count=100):
        self.data += bytes(count)
        return self

    def flip(self, offset, *masks):
        """Flips bits of the bytes from an offset on."""
        for index, mask in enumerate(masks or (1,)):
            self.data[offset + index] ^= mask
        return self

    def zero(self, start, end):
        self.data[start:end] = bytes(end - start)
        return self

    def cut(self, end):
        del self.data[end:]
        return self

    def remove(self, start, count):
        del self.data[start : start + count]
        return self

    def insert(self, offset, data):
        self.data[offset:offset] = data
        return self

    def find(self, data, start=0):
        offset = self.data.index(data, start)
        return offset
