#!/usr/bin/env python3
"""Opens, verifies, recovers, prints and writes the files of GlobalData. Needs only the standard library of Python 3.10 or later.

    globaldata.py list FILE              prints keys and the lengths of values
    globaldata.py get FILE KEY           prints a value in CBOR diagnostic notation
    globaldata.py check FILE             prints the damage, the lost keys and the outdated keys
    globaldata.py explain FILE           prints the bytes of a file with their meaning
    globaldata.py answer FILE            prints all of this as JSON, in the form of Tests/Conformance
    globaldata.py set FILE KEY JSON      stores a value; creates the file; --append writes a change
    globaldata.py remove FILE KEY        removes a value; --append writes a change
    globaldata.py recover FILE           moves a damaged file aside, and keeps its readable entries

Exit status: 0 success; 1 a damaged file, or no such key; 2 wrong usage; 3 failure.

A comment `F-…` names a rule in FileFormat.md, and `V-…` a rule in ArchiveFormat.md. The functions are in the order in which a reader
uses them: checksums, heads, records, changes, history, values. The writer comes last.
"""

import fcntl
import json
import os
import secrets
import struct
import sys
import unicodedata
import uuid
from dataclasses import dataclass, field
from typing import NamedTuple

# MARK: Checksums

MASK = (1 << 64) - 1
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def xxh64(data, seed=0):
    """Returns XXH64 as a number. F-1.4"""

    def rotated(number, count):
        return (number << count | number >> (64 - count)) & MASK

    def mixed(lane, word):
        return rotated((lane + word * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK

    data, offset = bytes(data), 0
    if len(data) >= 32:
        lanes = [seed + PRIMES[0] + PRIMES[1] & MASK, seed + PRIMES[1] & MASK, seed, seed - PRIMES[0] & MASK]
        while len(data) - offset >= 32:
            words = struct.unpack_from("<4Q", data, offset)
            lanes = [mixed(lane, word) for lane, word in zip(lanes, words)]
            offset += 32
        result = sum(rotated(lane, count) for lane, count in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            result = (result ^ mixed(0, lane)) * PRIMES[0] + PRIMES[3] & MASK
    else:
        result = seed + PRIMES[4] & MASK
    result = result + len(data) & MASK
    while len(data) - offset >= 8:
        (word,) = struct.unpack_from("<Q", data, offset)
        result = rotated(result ^ mixed(0, word), 27) * PRIMES[0] + PRIMES[3] & MASK
        offset += 8
    if len(data) - offset >= 4:
        (word,) = struct.unpack_from("<I", data, offset)
        result = rotated(result ^ word * PRIMES[0] & MASK, 23) * PRIMES[1] + PRIMES[2] & MASK
        offset += 4
    for byte in data[offset:]:
        result = rotated(result ^ byte * PRIMES[4] & MASK, 11) * PRIMES[0] & MASK
    result = (result ^ result >> 33) * PRIMES[1] & MASK
    result = (result ^ result >> 29) * PRIMES[2] & MASK
    return result ^ result >> 32


def big_endian(number):
    """Returns the eight bytes of a number. F-1.2"""
    return number.to_bytes(8, "big")


def number_at(data, offset):
    return int.from_bytes(data[offset : offset + 8], "big")


# MARK: Heads of items

UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG, SIMPLE = range(8)


class FormError(Exception):
    """The bytes do not have the expected form."""


def head(data, offset):
    """Returns the major type, the low five bits, the argument and the end of the head at an offset. RFC 8949, section 3."""
    if offset >= len(data):
        raise FormError("the bytes end early")
    major, info = data[offset] >> 5, data[offset] & 31
    offset += 1
    if info < 24:
        return major, info, info, offset
    if info == 31 and major in (BYTES, TEXT, ARRAY, MAP, SIMPLE):
        return major, info, 0, offset
    if info > 27:
        raise FormError("a head that is reserved")
    size = 1 << (info - 24)
    if len(data) - offset < size:
        raise FormError("the bytes end early")
    argument = int.from_bytes(data[offset : offset + size], "big")
    if major == SIMPLE and info == 24 and argument < 32:
        raise FormError("a simple value below 32 with two bytes")  # V-1.3
    return major, info, argument, offset + size


def short_head(data, offset, wanted):
    """Returns the argument and the end of a head of the wanted major type, which must be definite and as short as possible. F-1.3"""
    major, info, argument, end = head(data, offset)
    if major != wanted or info == 31:
        raise FormError("an item of another kind")
    if end - offset != len(encoded_head(wanted, argument)):
        raise FormError("a head that is longer than needed")
    return argument, end


def encoded_head(major, argument):
    for info, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if argument < 24:
            return bytes([major << 5 | argument])
        if argument < 1 << 8 * size:
            return bytes([major << 5 | info]) + argument.to_bytes(size, "big")
    raise ValueError(argument)


# MARK: The two heads of a fixed length

MAGIC = b"\xd9\xd9\xf7\x88\x6aGlobalData"
NEWEST_VERSION = 1
ARCHIVE_HEAD, CHANGE_HEAD = 62, 46
# The fixed bytes of each head, by their offsets. All other bytes may have any value.
ARCHIVE_FORM = dict(enumerate(MAGIC)) | {16: 0xD8, 17: 0x25, 18: 0x50, 35: 0x1B, 44: 0x1B, 53: 0x48}
CHANGE_FORM = {0: 0x88, 1: 0x1B, 10: 0x1B, 19: 0x1B, 28: 0x48, 37: 0x48}
END = b"\x63end"
TAIL = 13  # the checksum of a change and its end


def fixed_head(data, offset, length, form, seed, repairs=True):
    """Returns the bytes of a head, and whether one changed bit was repaired in it; None if there is no head. F-6.1"""
    found = bytearray(data[offset : offset + length])
    if len(found) < length:
        return None

    def is_right():
        return xxh64(found[: length - 9], seed) == number_at(found, length - 8)

    wrong = [index for index, byte in form.items() if found[index] != byte]
    if not wrong and is_right():
        return bytes(found), False
    if not repairs or len(wrong) > 1:
        return None
    for index in wrong or [index for index in range(length) if index not in form]:
        for bit in range(8):
            found[index] ^= 1 << bit
            if form.get(index, found[index]) == found[index] and is_right():
                return bytes(found), True
            found[index] ^= 1 << bit
    return None


def is_later(generation, other):
    """Returns whether a generation is later than another one; 0 follows the greatest. F-1.5"""
    return generation != other and (generation - other) & MASK < 1 << 63


# MARK: Records

KEY_LIMIT = 1 << 16
REPAIRED_KEY_LIMIT = 1024
ZERO_LIMIT = 255
FRAME = REPAIRED_KEY_LIMIT + 28  # the longest key that can be repaired, with the longest heads of a record


@dataclass(frozen=True)
class Record:
    """An entry or a removal, as it is stored in the file."""

    start: int
    key: bytes
    value_start: int
    end: int
    checksum: int
    is_removal: bool

    def value(self, data):
        return data[self.value_start : self.end]

    def is_intact(self, data):
        return record_checksum(self.key, self.value(data)) == self.checksum


def record_checksum(key, value):
    """Returns the checksum of an entry, or that of a removal if `value` is empty. F-3.3"""
    return xxh64(key, xxh64(value))


def read_record(data, start, frame=None):
    """Reads a record without comparing its checksum. `frame` replaces its bytes before the value. F-3.1, F-3.2"""
    frame = data[start : start + KEY_LIMIT + 28] if frame is None else frame
    length, key_start = short_head(frame, 0, TEXT)
    if length > min(len(frame) - key_start, KEY_LIMIT):
        raise FormError("a key that does not end")
    key_end = key_start + length
    count, offset = short_head(frame, key_end, ARRAY)
    if count not in (1, 3):
        raise FormError("an array of another length than 1 or 3")
    length, offset = short_head(frame, offset, UNSIGNED) if count == 3 else (0, offset)
    size, offset = short_head(frame, offset, BYTES)
    if size != 8 or len(frame) - offset < 8:
        raise FormError("a checksum that does not have eight bytes")
    value_start = start + offset + 8
    if length > len(data) - value_start:
        raise FormError("a value that does not end")
    return Record(start, bytes(frame[key_start:key_end]), value_start, value_start + length, number_at(frame, offset), count == 1)


def record_form(data, start, frame=None):
    """Returns the bytes at an offset as a record; None if they do not have its form."""
    try:
        return read_record(data, start, frame)
    except FormError:
        return None


def key_of_form(data, start):
    """Returns the key at an offset if an array follows it, even if the rest does not have the form of a record. F-7.2"""
    try:
        length, offset = short_head(data[start : start + FRAME], 0, TEXT)
        end = start + offset + length
        if length <= REPAIRED_KEY_LIMIT and end < len(data) and data[end] >> 5 == ARRAY:
            return text_of(data[start + offset : end])
    except FormError:
        pass
    return None


def text_of(data):
    try:
        return bytes(data).decode()
    except UnicodeDecodeError:
        return None


def key_fault(key):
    """Returns what is wrong with a key, or None. F-3.4"""
    data = key.encode()
    if not data:
        return "a key that is empty"
    if len(data) > KEY_LIMIT:
        return "a key that is too long"
    if bytes(ZERO_LIMIT) in data:
        return "a key with a long run of zeros"
    return None


def same(key):
    """Returns a form of a key that is equal for equal keys. F-3.5"""
    return unicodedata.normalize("NFD", key)


class Budget:
    """The remaining recovery work, in bytes to hash or offsets to try. F-7.8"""

    def __init__(self, size):
        self.rest = 8 * size + (1 << 20)

    def spend(self, count):
        self.rest -= count

    def spend_if_enough(self, count):
        if self.rest < count:
            return False
        self.rest -= count
        return True


def is_archive_tail(data, offset):
    """Returns whether the bytes at an offset have the form of the checksum of the whole. F-7.5"""
    return len(data) - offset >= 9 and data[offset] == 0x48 and data[offset + 9 : offset + 10] in (b"", b"\0", b"\x88")


def is_change_tail(data, offset):
    """Returns whether the bytes at an offset have the form of a change's checksum and end. F-7.5"""
    return data[offset : offset + 1] == b"\x48" and data[offset + 9 : offset + TAIL] == END


class Item(NamedTuple):
    """The result of reading a record: SET, REMOVED or LOST. The key of a lost one is None if it is unknown."""

    kind: str
    key: str | None
    value: bytes = b""
    checksum: int | None = None
    is_removal: bool = False


SET, REMOVED, LOST, REFUSED = "set", "removed", "lost", "refused"


class Region:
    """The records from an offset to the end that a head states, including damaged ones. F-7"""

    def __init__(self, data, start, end, is_tail, damage, budget):
        self.data, self.offset, self.end = data, start, end
        self.is_tail, self.damage, self.budget = is_tail, damage, budget
        self.is_end_certain = is_tail(data, end)
        self.is_contiguous = True
        self.any_lost = False
        self.dead_ends = set()

    @property
    def ends_elsewhere(self):
        return self.offset != self.end

    def skip_head(self, length):
        """Moves past the head of the map or array; `length` is None if the head is damaged. F-7.6"""
        start = self.offset

        def is_start(length):
            if start + length == self.end:
                return True
            record = record_form(self.data, start + length)
            return record is not None and record.end <= self.end and record.is_intact(self.data)

        if length is not None and is_start(length):
            self.offset += length
            return True
        self.offset += next((length for length in (1, 2, 3, 5, 9) if is_start(length)), length or 1)
        return False

    def items(self):
        while (item := self.next()) is not None:
            yield item

    def next(self):
        """Reads the next record or damage. Returns None at the end. F-7.1"""
        if self.offset == self.end or (not self.is_contiguous and self.is_other_end(self.offset)):
            return None
        if self.offset >= min(self.end, len(self.data)):
            self.offset = min(self.end, len(self.data))
            return None
        start = self.offset
        record = record_form(self.data, start)
        if record is not None and record.is_intact(self.data):
            self.offset = record.end
            return self.checked(record, text_of(record.key))
        self.budget.spend(record.end - record.start if record else 0)
        return self.damaged(record)

    def checked(self, record, key, is_repaired=False):
        """Returns the item of a record whose checksum matches; it is REFUSED if the record breaks a rule. F-7.7"""
        fault = "a key that is not UTF-8" if key is None else key_fault(key)
        if fault is None and not record.is_removal and record.end == record.value_start:
            fault = "an entry without a value"
        value = record.value(self.data)
        # The changed bit may be in the checksum.
        checksum = record_checksum(key.encode(), value) if is_repaired else record.checksum
        if fault is not None:
            self.damage.append(f"{fault} at {record.start}")
            return Item(REFUSED, None if is_repaired else key, b"", checksum, record.is_removal)
        return Item(REMOVED if record.is_removal else SET, key, value, checksum, record.is_removal)

    def damaged(self, record):
        """Repairs or skips a damaged record. F-7.2 to F-7.4"""
        start = self.offset
        key = key_of_form(self.data, start) if record is None else text_of(record.key)
        repaired = self.repaired(record, start)
        if repaired is not None:
            record, key = repaired
            self.damage.append(f"one changed bit in the record {key!r} at {start}")
            self.offset = record.end
            return self.checked(record, key, is_repaired=True)
        self.any_lost = True
        self.damage.append(f"a damaged record {key!r} at {start}")
        if record is not None and self.is_credible_end(record.end):  # F-7.3
            self.offset = record.end
            return Item(LOST, key, b"", record.checksum, record.is_removal)
        self.is_contiguous = False  # F-7.4
        found = self.search(start + 1)
        self.offset = min(self.end, len(self.data)) if found is None else found
        return Item(LOST, key)

    def is_other_end(self, offset):
        return not self.is_end_certain and self.is_tail(self.data, offset)

    def is_credible_end(self, offset):
        return offset == self.end or self.is_other_end(offset) or record_form(self.data, offset) is not None

    def repaired(self, record, start):
        """Returns a record after one changed bit is repaired, and its key; None if no single bit explains the damage. F-7.2"""
        if record is not None and self.is_credible_end(record.end):
            key = self.repaired_key(record)
            if key is not None:
                return record, key
        frame = bytearray(self.data[start : start + FRAME])
        for offset in self.head_offsets(frame):
            for bit in range(8):
                frame[offset] ^= 1 << bit
                changed = record_form(self.data, start, bytes(frame))
                frame[offset] ^= 1 << bit
                self.budget.spend(1)
                if changed is None or len(changed.key) > REPAIRED_KEY_LIMIT or not self.is_credible_end(changed.end):
                    continue
                if not self.budget.spend_if_enough(changed.end - changed.value_start):
                    continue
                if changed.is_intact(self.data):
                    key = text_of(changed.key)
                    return None if key is None else (changed, key)
        return None

    def repaired_key(self, record):
        if len(record.key) > REPAIRED_KEY_LIMIT:
            return None
        if not self.budget.spend_if_enough(record.end - record.value_start + 8 * len(record.key)):
            return None
        seed = xxh64(record.value(self.data))
        if (xxh64(record.key, seed) ^ record.checksum).bit_count() == 1:  # the changed bit is in the checksum
            return text_of(record.key)
        key = bytearray(record.key)
        for offset in range(len(key)):
            for bit in range(8):
                key[offset] ^= 1 << bit
                if xxh64(key, seed) == record.checksum:
                    return text_of(key)
                key[offset] ^= 1 << bit
        return None

    @staticmethod
    def head_offsets(frame):
        """Returns the offsets of a record's heads: that of the key, and those between the key and the checksum."""
        offsets = list(range(min(3, len(frame))))
        try:
            length, offset = short_head(frame, 0, TEXT)
        except FormError:
            return offsets
        if length >= len(frame) - offset:
            return offsets
        return offsets + list(range(offset + length, min(offset + length + 11, len(frame))))

    def search(self, start):
        """Returns the next offset from which records lead to the end; None if there is none. F-7.4"""
        end = min(self.end, len(self.data))
        for offset in range(start, end):
            if self.budget.rest <= 0:
                return None
            if self.data[offset] >> 5 == TEXT and self.leads_to_end(offset):
                return offset
        return None

    def leads_to_end(self, start):
        first = record_form(self.data, start)
        if first is None or start in self.dead_ends:
            return False
        visited, offset = [start], first.end
        while not (offset == self.end or self.is_other_end(offset)):
            self.budget.spend(1)
            record = record_form(self.data, offset)
            if self.budget.rest <= 0 or offset in self.dead_ends or record is None:
                self.dead_ends.update(visited)
                return False
            visited.append(offset)
            offset = record.end
        self.budget.spend(first.end - first.start)
        return first.is_intact(self.data)

    def misses(self, found, count, is_certain, is_whole=True):
        """Returns whether a record is missing without a trace, after `found` of `count` records were read. F-7.9"""
        if not (self.any_lost or self.ends_elsewhere or not is_whole):
            return False
        if count is None or not is_certain and count > self.end // 12:
            return True
        return count != found or self.ends_elsewhere


def encoded_record_heads(record):
    """Returns the bytes between the key of a record and its value."""
    length = b"" if record.is_removal else encoded_head(UNSIGNED, record.end - record.value_start)
    return encoded_head(ARRAY, 1 if record.is_removal else 3) + length + b"\x48" + big_endian(record.checksum)


# MARK: Opening


@dataclass
class Reading:
    """The verdict on a file, and its readable content."""

    verdict: str  # intact, damaged, newer, unreadable or foreign
    version: int | None = None
    identity: uuid.UUID | None = None
    generation: int | None = None
    entries: dict = field(default_factory=dict)  # keys in order, with the values as they are stored in the file
    damage: list = field(default_factory=list)
    lost: list = field(default_factory=list)
    outdated: list = field(default_factory=list)
    # The offset of the next change, the checksum of the item before it, and the seed; None if the file has to be rewritten.
    append_point: tuple | None = None


class Entries:
    """The live entries by key, in order. F-3.5, F-3.7"""

    def __init__(self):
        self.items = {}

    def __contains__(self, key):
        return same(key) in self.items

    def set(self, key, value):
        self.items[same(key)] = (key, value)  # an existing key keeps its position

    def remove(self, key):
        self.items.pop(same(key), None)

    def keys(self):
        return [key for key, _ in self.items.values()]


class Losses:
    """The keys of lost and outdated entries, in the order of the file. F-12"""

    def __init__(self):
        self.keys, self.order = set(), []
        self.is_any_suspect, self.fresh = False, set()

    def lose(self, key):
        if same(key) not in self.keys:
            self.keys.add(same(key))
            self.order.append(key)
        self.fresh.discard(same(key))

    def suspect_all(self):
        self.is_any_suspect, self.fresh = True, set()

    def make_good(self, key):
        self.keys.discard(same(key))
        self.fresh.add(same(key))

    def lost(self, entries):
        found = {}
        for key in [key for key in self.order if same(key) in self.keys and key not in entries]:
            found.setdefault(same(key), key)
        return list(found.values())

    def outdated(self, entries):
        return [key for key in entries.keys() if same(key) in self.keys or self.is_any_suspect and same(key) not in self.fresh]


def open_file(data):
    """Reads a whole file. F-6 to F-13"""
    found = fixed_head(data, 0, ARCHIVE_HEAD, ARCHIVE_FORM, 0)
    if found is None or not 1 <= found[0][15] <= 23:
        return without_head(data)
    return Opening(bytes(data), *found).read()


def without_head(data):
    """Returns the verdict on a file whose head cannot be read. F-6.2"""
    if not data:
        return Reading("unreadable", damage=["a file of no bytes"])
    if data[: len(MAGIC)] == MAGIC and len(data) > 15 and NEWEST_VERSION < data[15] <= 23:
        return Reading("newer", version=data[15])
    start = data[: len(MAGIC)]
    if start == MAGIC[: len(start)]:
        return Reading("unreadable", damage=["the head of the archive"])
    if not any(start):
        return Reading("unreadable", damage=["zeros where the archive should begin"])
    return Reading("foreign")


@dataclass
class Change:
    """A change, or unreadable bytes in its place."""

    start: int
    end: int
    generation: int | None = None
    synced: int = 0
    checksum: int | None = None
    items: list = field(default_factory=list)
    damage: list = field(default_factory=list)
    unwritten: int | None = None  # the offset of the first byte that was not written before a power cut


UNKNOWN = Item(LOST, None)  # a step with an unknown key, which may be any key


class Opening:
    """Reads a file whose archive has a readable head, in one pass."""

    def __init__(self, data, head_bytes, is_repaired):
        self.data, self.head = data, head_bytes
        self.budget = Budget(len(data))
        self.entries, self.losses = Entries(), Losses()
        self.damage = ["one changed bit in the head of the archive"] if is_repaired else []
        # The offset after the last byte that is not zero.
        self.written_end = len(data.rstrip(b"\0"))

    def read(self):
        self.generation = number_at(self.head, 36)
        self.read_entries()
        self.read_changes()
        version = self.head[15]
        verdict = "newer" if version > NEWEST_VERSION else "damaged" if self.damage else "intact"  # F-13
        return Reading(
            verdict,
            version,
            uuid.UUID(bytes=self.head[19:35]),
            self.generation,
            dict(self.entries.items.values()),
            self.damage,
            self.losses.lost(self.entries),
            self.losses.outdated(self.entries),
            None if self.damage else self.append_point,
        )

    # MARK: The archive

    def read_entries(self):
        """Reads the entries and the checksum of the whole. F-8"""
        data, length = self.data, number_at(self.head, 45)
        room = len(data) - ARCHIVE_HEAD
        end = ARCHIVE_HEAD + min(length, room)
        count, head_length = self.count(MAP, ARCHIVE_HEAD, end, self.damage)
        region = Region(data, ARCHIVE_HEAD, end, is_archive_tail, self.damage, self.budget)
        is_certain = region.skip_head(head_length)
        checksums, found, any_lost = [], 0, False
        for item in region.items():
            found += 1
            if item.checksum is not None:
                checksums.append(item.checksum)
            if item.kind == SET and item.key not in self.entries:
                self.entries.set(item.key, item.value)
            elif item.kind == SET:
                self.damage.append(f"the key {item.key!r} occurs twice")  # F-8.2
            else:
                any_lost = True
                if item.kind == REMOVED:
                    self.damage.append(f"a removal of {item.key!r} in the archive")
                if item.key is not None:
                    self.losses.lose(item.key)
        if not any_lost and not region.ends_elsewhere and length <= room:
            if not (count == found and is_certain) and not self.damage:
                self.damage.append("the head of the entries gives another number or place")  # F-7.6, F-8.3
            count = found
        elif region.ends_elsewhere:
            self.losses.suspect_all()  # F-8.4
        map_head = encoded_head(MAP, found if count is None else count)
        computed = xxh64(self.head + map_head + b"".join(map(big_endian, checksums)))
        self.read_whole_checksum(region.offset, computed)

    def read_whole_checksum(self, offset, computed):
        """F-8.5, F-8.6"""
        if len(self.data) - offset < 9:
            if not self.damage:
                self.damage.append("the file ends in the archive")
            self.archive_end, self.seeds = len(self.data), [computed]
            return
        stored = number_at(self.data, offset + 1)
        if self.data[offset] != 0x48:
            self.damage.append("no checksum of the whole")
        elif stored != computed and not self.damage:
            self.damage.append("the checksum of the whole")
        self.archive_end, self.seeds = offset + 9, [computed, stored]

    def count(self, major, offset, end, damage):
        """Returns the argument and the length of the head before records; None for both if the head is damaged."""
        try:
            count, head_end = short_head(self.data[: max(offset, end)], offset, major)
            return count, head_end - offset
        except FormError as error:
            damage.append(f"{error} at {offset}")
            return None, None

    # MARK: Changes

    def read_changes(self):
        """F-9, F-11"""
        self.append_point = (self.archive_end, self.seeds[0], self.seeds[0])
        if self.archive_end >= self.written_end:
            return
        self.seed = next((seed for seed in self.seeds if self.change_head(self.archive_end, seed)), self.seeds[0])
        self.apply(self.find_changes())

    def change_head(self, offset, seed, repairs=True):
        return fixed_head(self.data, offset, CHANGE_HEAD, CHANGE_FORM, seed, repairs)

    def find_changes(self):
        changes, offset, generation, checksum = [], self.archive_end, self.generation, self.seed
        while offset < self.written_end:
            found = self.change_head(offset, self.seed)
            if found and number_at(found[0], 20) >= 1 + TAIL:  # F-9.1
                change = self.read_change(offset, *found)
                self.check_order(change, number_at(found[0], 29), generation, checksum, changes)
                if number_at(found[0], 11) > offset:  # F-9.3
                    change.damage.append(f"a change that claims more on stable storage than before it at {offset}")
            else:
                end = self.next_head(offset + 1, len(self.data), generation)  # F-9.5
                change = self.unreadable_change(offset, self.written_end if end is None else end)
            generation = generation if change.generation is None else change.generation
            checksum, offset = change.checksum, change.end
            changes.append(change)
        return changes

    def check_order(self, change, previous, generation, checksum, changes):
        """F-9.4"""
        if checksum is None:
            follows = is_later(change.generation, generation)
        else:
            follows = previous == checksum and change.generation == (generation + 1) & MASK
        if not follows:
            change.damage.append(f"a change that does not follow the one before it at {change.start}")
            if is_later(change.generation, generation):
                change.items.insert(0, UNKNOWN)
            else:
                change.items, change.generation = [], generation
        is_counted = not changes or changes[-1].generation is None and bool(changes[-1].items)
        if checksum is None and not is_counted and change.generation != (generation + 1) & MASK:
            change.items.insert(0, UNKNOWN)

    def read_change(self, start, head_bytes, is_repaired):
        """Reads a change with a head. F-9.2, F-10.1 to F-10.3"""
        body, length, generation = start + CHANGE_HEAD, number_at(head_bytes, 20), number_at(head_bytes, 2)
        is_cut = length > len(self.data) - body
        change = Change(start, len(self.data) if is_cut else body + length, generation)
        if is_cut:
            change.damage.append(f"the file ends in the change at {start}")
            change.items.append(UNKNOWN)
        else:
            self.read_steps(change, body, change.end - TAIL, number_at(head_bytes, 38))
        if change.damage:
            end = self.next_head(body, change.end, generation)
            if end is not None:  # F-10.1
                change = Change(start, end, generation)
                self.read_steps(change, body, min(max(body + 1, end - TAIL), end), number_at(head_bytes, 38), False)
                change.damage.append(f"the change at {start} ends early")
            else:
                change.unwritten = self.empty_sector(start, change.end)  # F-10.2
                if change.unwritten is None and (is_cut or self.written_end <= change.end - len(END)):
                    change.unwritten = self.written_end  # F-10.3
        change.synced = number_at(head_bytes, 11)
        if is_repaired:
            change.damage.insert(0, f"one changed bit in the head of the change at {start}")
        return change

    def read_steps(self, change, start, end, head_checksum, is_whole=True):
        """Reads the steps of a change, and compares its checksum. F-9.2"""
        count, head_length = self.count(ARRAY, start, end, change.damage)
        region = Region(self.data, start, end, is_change_tail, change.damage, self.budget)
        is_certain = region.skip_head(head_length)
        hashed = self.data[start : region.offset]
        for found, item in enumerate(region.items(), 1):
            change.items.append(item)
            hashed += b"" if item.checksum is None else big_endian(item.checksum)
        found = len(change.items)
        if region.misses(found, None if count is None else count // 2, is_certain, is_whole):
            change.items.append(UNKNOWN)
        if change.damage:
            return
        checksum = xxh64(hashed, head_checksum)
        if count != 2 * found or self.data[end : end + TAIL] != b"\x48" + big_endian(checksum) + END or not is_certain:
            change.damage.append(f"the change at {change.start} is not what its checksum says")
        else:
            change.checksum = checksum

    def unreadable_change(self, start, end):
        """Reads the bytes of a change whose head cannot be read. F-10.4 to F-10.7"""
        change = Change(start, end)
        head_end = start + CHANGE_HEAD
        change.unwritten = self.empty_sector(start, min(head_end, len(self.data)), is_whole=True)  # F-10.4
        written = self.data[start : max(start, self.written_end)]
        if len(written) < CHANGE_HEAD and all(CHANGE_FORM.get(i, byte) == byte for i, byte in enumerate(written)):
            change.unwritten = self.written_end  # F-10.5
        likeness = sum(self.data[start + i : start + i + 1] == bytes([byte]) for i, byte in CHANGE_FORM.items())
        change.damage.append(f"something else instead of a change at {start}")
        if likeness < 3:  # F-10.6
            if sum(byte != 0 for byte in self.data[start:end]) > 1:
                change.items = [UNKNOWN]
            return change
        steps_end = max(start + 1, end - TAIL)  # F-10.7
        region = Region(self.data, min(head_end, steps_end), steps_end, is_change_tail, change.damage, self.budget)
        region.skip_head(None)
        change.items = [UNKNOWN]
        for item in region.items():
            change.items.append(item)
            if item.kind == LOST and not region.is_contiguous:
                change.items.append(UNKNOWN)
        if region.ends_elsewhere:
            change.items.append(UNKNOWN)
        return change

    def next_head(self, start, end, generation):
        """Returns the first offset of a head with a correct checksum and a later generation; None if there is none."""
        offset = self.data.find(b"\x88\x1b", start, end + 1)
        while offset >= 0 and offset < end:
            found = self.change_head(offset, self.seed, repairs=False)
            if found and is_later(number_at(found[0], 2), generation):
                return offset
            offset = self.data.find(b"\x88\x1b", offset + 1, end + 1)
        return None

    def empty_sector(self, start, end, is_whole=False):
        """Returns the first offset from which a sector contains only zeros, up to `end` or, if `is_whole`, to its own end. F-10.2"""
        while start < end:
            sector_end = (start // 512 + 1) * 512
            limit = min(sector_end, len(self.data) if is_whole else end)
            if not any(self.data[start:limit]):
                return start
            start = limit
        return None

    # MARK: The history

    def apply(self, changes):
        """Applies the changes that count. F-11"""
        is_damaged = bool(self.damage) or any(change.damage and change.unwritten is None for change in changes)
        synced = max([self.archive_end] + [change.synced for change in changes])  # F-11.1
        for change in changes:
            if change.unwritten is not None and not is_damaged and change.unwritten >= synced:  # F-11.2
                self.append_point = None
                return
            self.damage += change.damage
            for item in change.items:
                self.apply_item(item)
            if change.generation is not None:
                self.generation = change.generation
            self.append_point = (change.end, change.checksum, self.seed)

    def apply_item(self, item):
        """F-11.3, F-12"""
        if item.kind == SET:
            self.entries.set(item.key, item.value)
            self.losses.make_good(item.key)
        elif item.kind == REMOVED:
            self.entries.remove(item.key)
            self.losses.make_good(item.key)
        elif item.key is None or item.is_removal and item.key not in self.entries:
            self.losses.suspect_all()
        else:
            self.losses.lose(item.key)


# MARK: Values


def content_of(value):
    """Returns the content of a value, without tag 24 and without chunks. F-4.1"""
    if value[:2] != b"\xd8\x18":
        return value
    try:
        major, info, argument, offset = head(value, 2)
        if major != BYTES:
            return value
        if info != 31:
            return value[offset:] if argument == len(value) - offset else value
        content = b""
        major, info, argument, offset = head(value, offset)
        while major == BYTES and info != 31 and argument <= len(value) - offset:
            content += value[offset : offset + argument]
            major, info, argument, offset = head(value, offset + argument)
        return content if (major, info) == (SIMPLE, 31) and offset == len(value) else value
    except FormError:
        return value


class Malformed(Exception):
    """A value that every reader must reject, although its checksum is correct."""


DEPTH_LIMIT, ITEM_LIMIT, NAME_LIMIT = 256, 10_000_000, 255  # V-9.1
REPETITION_LIMIT = ITEM_LIMIT // 8  # V-9.2


@dataclass(frozen=True)
class Tagged:
    """A value with a tag. `decoded` omits tags that only number values, and tag 55799."""

    tag: int
    value: object


@dataclass(frozen=True)
class Simple:
    """A simple value other than false, true and null; 23 is undefined."""

    number: int


class Pairs(list):
    """The keys and values of a map, in order."""


def decoded(data):
    """Returns a value as a tree with all references resolved. Raises `Malformed`."""
    try:
        decoder = Decoder(bytes(data))
        value, end, _ = decoder.item(0, 0)
    except FormError as error:
        raise Malformed(str(error)) from None
    if end != len(data):
        raise Malformed("bytes after the value")  # V-1.1
    return value


class Decoder:
    """Reads an item with its content.

    Each function that reads an item returns it, its end, and the number of bytes that its references read again.
    """

    def __init__(self, data):
        self.data = data
        self.items = 0
        self.namespaces = []  # of tag 256, innermost last: strings by number
        self.shared = []  # the contents of tag 28 by number: value, length and cost; None while being read

    def item(self, offset, depth):
        self.items += 1
        if self.items > ITEM_LIMIT:
            raise Malformed("too many items")
        major, info, argument, offset = head(self.data, offset)
        if major == TAG and argument == 25:
            return self.string_reference(offset)
        if major in (ARRAY, MAP, TAG) and depth >= DEPTH_LIMIT:
            raise Malformed("nested too deeply")  # V-9.1
        if major == UNSIGNED:
            return argument, offset, 0
        if major == NEGATIVE:
            return -1 - argument, offset, 0
        if major in (BYTES, TEXT):
            return *self.string(major, info, argument, offset), 0
        if major == ARRAY:
            return self.elements(offset, info, argument, depth)
        if major == MAP:
            return self.map(offset, info, argument, depth)
        if major == SIMPLE:
            return self.simple(info, argument), offset, 0
        return self.tagged(argument, offset, depth)

    # MARK: Strings

    def string(self, major, info, length, offset):
        """Reads a string with its chunks, and numbers it if a reference to it is shorter. V-1.2, V-6.1"""
        if info == 31:
            chunks = []
            while self.data[offset : offset + 1] != b"\xff":
                kind, chunk_info, length, offset = head(self.data, offset)
                if kind != major or chunk_info == 31:
                    raise Malformed("a chunk of another kind")
                chunks.append(self.payload(major, offset, length))
                offset += length
            return ("" if major == TEXT else b"").join(chunks), offset + 1
        payload = self.payload(major, offset, length)
        if self.namespaces and length >= least_length(len(self.namespaces[-1])):
            self.namespaces[-1].append(payload)
        return payload, offset + length

    def payload(self, major, offset, length):
        if length > len(self.data) - offset:
            raise Malformed("a string that does not end")
        payload = self.data[offset : offset + length]
        if major == BYTES:
            return payload
        text = text_of(payload)
        if text is None:
            raise Malformed("text that is not UTF-8")  # V-1.4
        return text

    def string_reference(self, offset):
        """V-6.2"""
        major, _, number, end = head(self.data, offset)
        if major != UNSIGNED or not self.namespaces or number >= len(self.namespaces[-1]):
            raise Malformed("a reference to a string that is not there")
        string = self.namespaces[-1][number]
        return string, end, len(string) if isinstance(string, bytes) else 0

    # MARK: Containers

    def elements(self, offset, info, count, depth):
        if info != 31 and count > len(self.data) - offset:
            raise Malformed("more elements than bytes")  # V-1.5
        values, cost = [], 0
        while len(values) < count if info != 31 else self.data[offset : offset + 1] != b"\xff":
            value, offset, added = self.item(offset, depth + 1)
            values.append(value)
            cost += added
        if cost > REPETITION_LIMIT:
            raise Malformed("references repeat too much")  # V-9.2
        return values, offset + (info == 31), cost

    def map(self, offset, info, count, depth):
        values, end, cost = self.elements(offset, info, 2 * count, depth)
        if len(values) % 2:
            raise Malformed("a key without a value")
        pairs = Pairs(zip(values[::2], values[1::2]))
        if len({notation(key) for key, _ in pairs}) != len(pairs):
            raise Malformed("a map has a key twice")  # V-2.4
        return pairs, end, cost

    def simple(self, info, argument):
        if info == 31:
            raise Malformed("a break out of place")  # V-1.2
        if info in (25, 26, 27):
            return struct.unpack(">" + "efd"[info - 25], argument.to_bytes(1 << (info - 24), "big"))[0]
        return {20: False, 21: True, 22: None}.get(argument, Simple(argument))

    # MARK: Tags

    def tagged(self, tag, offset, depth):
        if tag == 28:  # V-7.1
            number = len(self.shared)
            self.shared.append(None)
            value, end, cost = self.item(offset, depth + 1)
            self.shared[number] = value, end - offset, cost
            return value, end, cost
        if tag == 256:  # V-6.3
            self.namespaces.append([])
            value, end, cost = self.item(offset, depth + 1)
            self.namespaces.pop()
            return value, end, cost
        value, end, cost = self.item(offset, depth + 1)
        if tag == 29:  # V-7.2
            if not is_integer(value) or not 0 <= value < len(self.shared) or self.shared[value] is None:
                raise Malformed("a reference to an instance that is not there")
            value, length, repeated = self.shared[value]
            return value, end, length + repeated
        if tag == 55799:  # V-1.6
            return value, end, cost
        if tag in (2, 3) and isinstance(value, bytes):  # V-3.2
            number = int.from_bytes(value, "big")
            return number if tag == 2 else -1 - number, end, cost
        return Tagged(tag, value), end, cost


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def least_length(number):
    """Returns the length of the shortest string that gets the next number. V-6.1"""
    for limit, length in ((24, 3), (256, 4), (1 << 16, 5), (1 << 32, 7)):
        if number < limit:
            return length
    return 11


# MARK: Notation

sys.setrecursionlimit(20_000)  # references can nest a value more deeply than its bytes


def notation(value):
    """Returns a value in CBOR diagnostic notation, RFC 8949, section 8, with the rules in Tests/Conformance/README.md."""
    if value is None or isinstance(value, bool):
        return {None: "null", False: "false", True: "true"}[value]
    if isinstance(value, int):
        return integer_notation(value)
    if isinstance(value, float):
        return float_notation(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bytes):
        return f"h'{value.hex()}'"
    if isinstance(value, Pairs):
        return "{" + ", ".join(f"{notation(key)}: {notation(element)}" for key, element in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(notation, value)) + "]"
    if isinstance(value, Simple):
        return "undefined" if value.number == 23 else f"simple({value.number})"
    return f"{value.tag}({notation(plain_content(value))})"


def plain_content(tagged):
    """Returns the content of a tag for the notation: whole seconds of a date as an integer (V-3.4), a name without version 1 (V-5.2)."""
    tag, content = tagged.tag, tagged.value
    if tag == 1 and isinstance(content, float) and content.is_integer() and -62_135_596_800 <= content <= 253_402_300_799:
        return int(content)
    if tag == 27 and isinstance(content, list) and len(content) == 3 and is_integer(content[2]) and content[2] == 1:
        if isinstance(content[0], str) and 0 < len(content[0].encode()) <= NAME_LIMIT:
            return content[:2]
    return content


def integer_notation(number):
    magnitude = number if number >= 0 else -1 - number
    if magnitude.bit_length() <= 8 * 1024:
        return str(number)
    return f"{2 if number >= 0 else 3}(h'{magnitude.to_bytes((magnitude.bit_length() + 7) // 8, 'big').hex()}')"


def float_notation(number):
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    text = repr(number)
    if 2**53 < abs(number) < 1e16:  # Python writes these without an exponent
        digits = text.lstrip("-")[:-2]
        fraction = digits[1:].rstrip("0")
        text = ("-" if number < 0 else "") + digits[0] + ("." + fraction if fraction else "") + f"e+{len(digits) - 1}"
    return text


def quoted(text):
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(c, f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


# MARK: Writing values


def encoded(value, references=False):
    """Returns the bytes of a value: None, bool, int, float, str, bytes, list, dict, UUID, set, Tagged, Simple or Pairs. V-2, V-3"""
    if references:
        numbers = {}
        content = encoded_item(value, numbers)
        # Without references, tag 256 has no effect.
        return b"\xd9\x01\x00" + content if b"\xd8\x19" in content else encoded_item(value, None)
    return encoded_item(value, None)


def encoded_item(value, numbers):
    """`numbers` contains the numbers of the strings already written; it is None if strings are not numbered."""
    if value is None or isinstance(value, bool):
        return {None: b"\xf6", False: b"\xf4", True: b"\xf5"}[value]
    if isinstance(value, int):
        return encoded_integer(value, numbers)
    if isinstance(value, float):
        return encoded_float(value)
    if isinstance(value, (str, bytes)):
        return encoded_string(value, numbers)
    if isinstance(value, uuid.UUID):
        return b"\xd8\x25" + encoded_string(value.bytes, numbers)
    if isinstance(value, Simple):
        return encoded_head(SIMPLE, value.number)
    if isinstance(value, Tagged):
        return encoded_head(TAG, value.tag) + encoded_item(value.value, numbers)
    if isinstance(value, (set, frozenset)):
        return encoded_item(Tagged(258, sorted(value, key=lambda element: encoded(element))), numbers)
    if isinstance(value, (dict, Pairs)):
        pairs = value if isinstance(value, Pairs) else value.items()
        return encoded_head(MAP, len(value)) + b"".join(
            encoded_item(key, numbers) + encoded_item(element, numbers) for key, element in pairs
        )
    return encoded_head(ARRAY, len(value)) + b"".join(encoded_item(element, numbers) for element in value)


def encoded_integer(number, numbers):
    major, magnitude = (UNSIGNED, number) if number >= 0 else (NEGATIVE, -1 - number)
    if magnitude < 1 << 64:
        return encoded_head(major, magnitude)
    size = (magnitude.bit_length() + 7) // 8
    return bytes([0xC2 + major]) + encoded_string(magnitude.to_bytes(size, "big"), numbers)  # V-3.2


def encoded_float(number):
    """Uses the shortest width that represents the number exactly. V-2.2"""
    if number != number:
        return b"\xf9\x7e\x00"
    for info, width in ((25, "e"), (26, "f"), (27, "d")):
        try:
            payload = struct.pack(">" + width, number)
        except OverflowError:
            continue
        if struct.unpack(">" + width, payload)[0] == number:
            return bytes([SIMPLE << 5 | info]) + payload


def encoded_string(string, numbers):
    payload = string.encode() if isinstance(string, str) else string
    if numbers is not None:
        if string in numbers:
            return b"\xd8\x19" + encoded_head(UNSIGNED, numbers[string])  # V-6.2
        if len(payload) >= least_length(len(numbers)):
            numbers[string] = len(numbers)
    return encoded_head(TEXT if isinstance(string, str) else BYTES, len(payload)) + payload


# MARK: Writing files


def embedded(value, shares_instances=False):
    """Returns the bytes of a value as they are stored in a file. F-4.2"""
    if bytes(ZERO_LIMIT) in value:
        chunks = (value[start : start + 255] for start in range(0, len(value), 255))
        return b"\xd8\x18\x5f" + b"".join(encoded_head(BYTES, len(chunk)) + chunk for chunk in chunks) + b"\xff"
    if shares_instances or value[:2] == b"\xd8\x18":
        return b"\xd8\x18" + encoded_head(BYTES, len(value)) + value
    return value


def entry_record(key, value):
    """Returns the bytes of an entry, and its checksum. F-3.1"""
    key = key.encode() if isinstance(key, str) else key
    checksum = record_checksum(key, value)
    heads = encoded_head(ARRAY, 3) + encoded_head(UNSIGNED, len(value)) + b"\x48" + big_endian(checksum)
    return encoded_head(TEXT, len(key)) + key + heads + value, checksum


def removal_record(key):
    """Returns the bytes of a removal, and its checksum. F-3.2"""
    key = key.encode() if isinstance(key, str) else key
    checksum = record_checksum(key, b"")
    return encoded_head(TEXT, len(key)) + key + b"\x81\x48" + big_endian(checksum), checksum


def archive(records, identity, generation, version=NEWEST_VERSION):
    """Returns the bytes of an archive. `records` are those of `entry_record`. F-2"""
    map_head = encoded_head(MAP, len(records))
    length = len(map_head) + sum(len(record) for record, _ in records)
    start = MAGIC + bytes([version]) + b"\xd8\x25\x50" + identity.bytes
    start += b"\x1b" + big_endian(generation) + b"\x1b" + big_endian(length)
    start += b"\x48" + big_endian(xxh64(start)) + map_head
    whole = xxh64(start + b"".join(big_endian(checksum) for _, checksum in records))
    return start + b"".join(record for record, _ in records) + b"\x48" + big_endian(whole)


def change(records, generation, synced, previous, seed):
    """Returns the bytes of a change, and its checksum. `seed` is the checksum of the archive. F-5"""
    steps_head = encoded_head(ARRAY, 2 * len(records))
    length = len(steps_head) + sum(len(record) for record, _ in records) + TAIL
    start = b"\x88" + b"".join(b"\x1b" + big_endian(number) for number in (generation, synced, length))
    start += b"\x48" + big_endian(previous)
    head_checksum = xxh64(start, seed)
    checksum = xxh64(steps_head + b"".join(big_endian(checksum) for _, checksum in records), head_checksum)
    steps = steps_head + b"".join(record for record, _ in records)
    return start + b"\x48" + big_endian(head_checksum) + steps + b"\x48" + big_endian(checksum) + END, checksum


def rewritten(reading, steps):
    """Returns a file with the entries of a reading after some steps. A step is a key with a value, or with None to remove it. F-14.2"""
    entries = Entries()
    entries.items = {same(key): (key, value) for key, value in reading.entries.items()}
    for key, value in steps:
        entries.remove(key) if value is None else entries.set(key, value)
    records = [entry_record(key, value) for key, value in entries.items.values()]
    return archive(records, reading.identity, (reading.generation + 1) & MASK)


def appended(data, reading, steps):
    """Returns an intact file with one more change; None if the file has to be rewritten. F-14.3"""
    if reading.append_point is None:
        return None
    offset, previous, seed = reading.append_point
    records = [removal_record(key) if value is None else entry_record(key, value) for key, value in steps]
    added, _ = change(records, (reading.generation + 1) & MASK, offset, previous, seed)
    live = sum(len(entry_record(key, value)[0]) for key, value in reading.entries.items())
    live += sum(len(record) for (record, _), (_, value) in zip(records, steps) if value is not None)
    if offset + len(added) > 2 * live + (64 << 10):  # F-14.4
        return None
    return data[:offset] + added + data[offset + len(added) :]


class Lock:
    """The writers' lock: `flock` on a file beside the store's. F-14.1"""

    def __init__(self, path):
        folder, name = os.path.split(os.path.realpath(path))
        self.path = os.path.join(folder, f".as-{xxh64(name.encode()):016x}.lock")

    def __enter__(self):
        while True:
            self.file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(self.file, fcntl.LOCK_EX)
            try:
                if os.path.samestat(os.fstat(self.file), os.lstat(self.path)):
                    return self
            except FileNotFoundError:
                pass  # another writer removed the file, so its lock has no effect
            os.close(self.file)

    def __exit__(self, *_):
        fcntl.flock(self.file, fcntl.LOCK_UN)
        os.close(self.file)


def replace(path, data):
    """Replaces a file, so that a power cut leaves either the old file or the new one. F-14.2"""
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f".as-{secrets.token_hex(8)}.tmp")
    file = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.path.exists(path):
            os.fchmod(file, os.stat(path).st_mode & 0o777)
        write_all(file, data, 0)
        os.fsync(file)
        os.rename(temporary, path)
        sync_folder(folder)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    finally:
        os.close(file)


def sync_folder(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(file, data, offset):
    while data:
        count = os.pwrite(file, data, offset)
        data, offset = data[count:], offset + count


def commit(path, steps, appends=False):
    """Changes a file in one commit, or creates it. Returns False if it would only remove keys that are not there. F-14"""
    for key, _ in steps:
        fault = key_fault(key)
        if fault is not None:
            raise FormError(f"{fault} is not written")
    path = os.path.realpath(path)
    with Lock(path):
        if not os.path.exists(path):
            reading, data = Reading("intact", 1, uuid.uuid4(), 0), b""
        else:
            with open(path, "rb") as file:
                data = file.read()
            reading = open_file(data)
        if reading.verdict != "intact":
            sys.exit(f"{path} is {reading.verdict}; it is not written")  # F-13.2
        known = {same(key) for key in reading.entries}
        if all(value is None and same(key) not in known for key, value in steps):
            return False
        added = appended(data, reading, steps) if appends and data else None
        if added is None:
            replace(path, rewritten(reading, steps))
            return True
        offset, _, _ = reading.append_point
        with open(path, "r+b") as file:
            os.fsync(file.fileno())  # The change states that these bytes are on stable storage. F-5.3, F-14.3
            write_all(file.fileno(), added[offset:], offset)
            os.fsync(file.fileno())
        sync_folder(os.path.dirname(path))
        return True


def recover(path):
    """Moves a damaged file aside, and writes its readable entries to a new file. Returns the new path of the damaged file. F-16.4"""
    path = os.path.realpath(path)
    with Lock(path):
        with open(path, "rb") as file:
            reading = open_file(file.read())
        if reading.verdict != "damaged":
            sys.exit(f"{path} is {reading.verdict}; there is nothing to recover")
        folder, name = os.path.split(path)
        start = name.encode()[:220].decode(errors="ignore")  # F-16.2
        aside = os.path.join(folder, f"{start}.damaged-{xxh64(name.encode()):016x}"[:-8] + secrets.token_hex(4))
        os.link(path, aside)
        sync_folder(folder)  # The damaged file must have its new name before another file takes the old name.
        replace(path, rewritten(reading, []))
    return aside


# MARK: Explaining


def explained(data):
    """Returns lines with the bytes of a file, their offsets and their meaning, up to the first bytes without the expected form."""
    lines, offset = [], 0

    def line(length, meaning):
        nonlocal offset
        part = data[offset : offset + length]
        for start in range(0, len(part), 16):
            text = part[start : start + 16].hex()
            lines.append(f"{offset + start:5}  {text:32}  {meaning if start == 0 else ''}".rstrip())
        offset += len(part)

    def records(count, is_change):
        for _ in range(count):
            record = record_form(data, offset)
            if record is None:
                return False
            key = text_of(record.key)
            line(record.value_start - offset - len(encoded_record_heads(record)), f"key: {key}")
            wrong = "" if record.is_intact(data) else "; the bytes have another one"
            if record.is_removal:
                line(1, "array of 1: the key was removed")
                line(9, f"checksum of the removal{wrong}")
                continue
            heads = len(encoded_record_heads(record))
            line(1, "array of 3: the key was set" if is_change else "array of 3")
            line(heads - 10, f"length of the value: {record.end - record.value_start}")
            line(9, f"checksum of the entry{wrong}")
            line(record.end - record.value_start, f"value: {shown_value(record.value(data))}")
        return True

    line(3, "tag 55799: CBOR describes itself")
    line(1, "array of 8")
    line(11, "name: GlobalData")
    line(1, f"version {data[15]}")
    line(19, "identity: tag 37, a UUID")
    line(9, f"generation {number_at(data, 36)}")
    line(9, f"length of the entries: {number_at(data, 45)}")
    line(9, "checksum of the head")
    count, end = short_head(data, 62, MAP)
    line(end - 62, f"map of {count} entries")
    records(count, False)
    line(9, "checksum of the whole")
    while data[offset : offset + 1] == b"\x88" and len(data) - offset >= CHANGE_HEAD:
        start, length = offset, number_at(data, offset + 20)
        line(1, "a change: array of 8")
        line(9, f"generation {number_at(data, start + 2)}")
        line(9, f"bytes on stable storage: {number_at(data, start + 11)}")
        line(9, f"length of the rest: {length}")
        line(9, "checksum of the archive or change before")
        line(9, "checksum of the head")
        if start + CHANGE_HEAD >= len(data):
            break
        count, end = short_head(data, offset, ARRAY)
        line(end - offset, f"array of {count}: {count // 2} steps" if count != 2 else "array of 2: one step")
        if not records(count // 2, True) or data[offset : offset + 1] != b"\x48":
            break
        line(9, "checksum of the change")
        line(4, "text: end")
    rest = data[offset:]
    if rest and not any(rest):
        lines.append(f"{offset:5}  {'00':32}  and so on: {len(rest)} zeros, room for changes")
    else:
        line(len(rest), "what was written of the rest")
    return lines


def shown_value(value):
    try:
        return notation(decoded(content_of(value)))
    except Malformed as error:
        return f"malformed: {error}"


# MARK: Commands


def answer(reading):
    """Returns the expected answer for a file, in the form of Tests/Conformance/README.md."""
    entries = []
    for key, value in reading.entries.items():
        content = content_of(value)
        entry = {"key": key, "bytes": content.hex()}
        try:
            entry["notation"] = notation(decoded(content))
        except Malformed:
            entry["error"] = True
        entries.append(entry)
    return {
        "verdict": reading.verdict,
        "version": reading.version,
        "identity": reading.identity and str(reading.identity),
        "generation": None if reading.generation is None else str(reading.generation),
        "entries": entries,
        "lost": reading.lost,
        "outdated": reading.outdated,
    }


def main(words):
    appends = "--append" in words
    words = [word for word in words if word != "--append"]
    if not words or words[0] not in COMMANDS or len(words) != 2 + COMMANDS[words[0]]:
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    command, path, *operands = words
    if command == "set":
        value = encoded(json.loads(operands[1]), references=True)
        decoded(value)  # A writer has the limits of a reader. V-9
        commit(path, [(operands[0], embedded(value))], appends)
        return 0
    if command == "remove":
        return 0 if commit(path, [(operands[0], None)], appends) else 1
    if command == "recover":
        print(recover(path))
        return 0
    with open(path, "rb") as file:
        data = file.read()
    reading = open_file(data)
    if command in ("list", "get", "explain") and reading.identity is None:
        print(f"globaldata.py: {path} is {reading.verdict}", file=sys.stderr)
        return 1
    if command == "list":
        for key, value in reading.entries.items():
            print(f"{len(content_of(value)):8}  {key}")
    elif command == "get":
        found = [value for key, value in reading.entries.items() if same(key) == same(operands[0])]
        if not found:
            return 1
        print(notation(decoded(content_of(found[0]))))
    elif command == "explain":
        print("\n".join(explained(data)))
    elif command == "answer":
        print(json.dumps(answer(reading), ensure_ascii=False, indent=2))
    else:
        print(f"{reading.verdict}: {len(reading.entries)} entries, {len(data)} bytes")
        for title, texts in ("damage", reading.damage), ("lost", reading.lost), ("outdated", reading.outdated):
            for text in texts:
                print(f"{title}: {text}")
        return 0 if reading.verdict == "intact" else 1
    return 0


# The number of operands after the file.
COMMANDS = {"list": 0, "get": 1, "check": 0, "explain": 0, "answer": 0, "set": 2, "remove": 1, "recover": 0}

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, FormError, Malformed, ValueError, RecursionError) as error:
        print(f"globaldata.py: {error}", file=sys.stderr)
        sys.exit(3)
