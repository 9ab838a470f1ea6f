"""Exchanges a zoo of values with Python's cbor2, in both directions.

usage: cbor2_zoo.py ARCHIVE-ZOO FOLDER

Lets `archive-zoo` write each value of its zoo, loads the files with cbor2, which has its own support for references to
strings and to shared instances, big integers, decimals, dates, UUIDs and sets, and compares with the values below. Then
writes the same values with cbor2 in every form that it has, and by hand in other forms, and lets `archive-zoo` read
them. Finally, values without a Swift type are converted to trees and back.

Leaves the files that `archive-zoo` wrote in FOLDER/ours. Exit status: 0 no difference, 1 (with a traceback) a difference.
"""

import datetime
import decimal
import fractions
import ipaddress
import math
import re
import struct
import subprocess
import sys
import uuid
from collections.abc import Mapping, Set
from pathlib import Path

import cbor2
from cbor2 import CBORSimpleValue, CBORTag, undefined

# The typed arrays of RFC 8746 that a little-endian machine writes: the format of one element, by tag.
NUMBERS = {64: "B", 69: "H", 70: "I", 71: "Q", 72: "b", 77: "h", 78: "i", 79: "q", 85: "f", 86: "d"}
BIG_ENDIAN = {69: 65, 70: 66, 71: 67, 77: 73, 78: 74, 79: 75, 85: 81, 86: 82}


class Numbers:
    """An array of numbers of one width."""

    def __init__(self, tag, elements):
        self.tag, self.elements = tag, list(elements)

    def __eq__(self, other):
        return isinstance(other, Numbers) and (self.tag, self.elements) == (other.tag, other.elements)

    def __repr__(self):
        return f"Numbers({self.tag}, {self.elements})"


def named(name, value, *version):
    return CBORTag(27, [name, value, *version])


def utc(*fields):
    return datetime.datetime(*fields, tzinfo=datetime.timezone.utc)


def car(plate, speed=0, online=False, **more):
    return {"plate": plate, "speed": speed, "isOnline": online, **more}


GARAGE = {
    "owner": "Ada",
    "cars": [car("B 123", 60, True), car("HH 7", note="blue")],
    "slotsByLevel": {"ground": [{"number": 1, "car": car("B 123", 60)}, {"number": 2}], "top": []},
    "branches": [
        {
            "owner": "Grace",
            "cars": [],
            "slotsByLevel": {},
            "branches": [{"owner": "Edsger", "cars": [], "slotsByLevel": {}, "branches": []}],
        }
    ],
}
DOG = named("Dog", {"name": "Rex", "tricks": ["sit", "roll"]})
CAT = named("Cat", {"lives": 9, "super": {"name": "Tom"}})
ANIMAL = {"name": "It"}

INTEGERS = [0, 1, 10, 23, 24, 100, 1000, 1_000_000, 2**63 - 1, -1, -10, -24, -25, -256, -257, -(2**63)]

ZOO = {f"int{value}": value for value in INTEGERS} | {
    "true": True, "false": False, "nil": None,
    "text-empty": "", "text": "Grüße, 京A 🚚\n\0", "text-long": "x" * 70_000,
    "data-empty": b"", "data": b"\xd8\x1c\x00",
    "uuid": uuid.UUID("00010203-0405-0607-0809-0a0b0c0d0eff"),
    "url": CBORTag(32, "https://a.example/b?c=d#e"),
    "url-relative": named("URL", ["c/d?e", CBORTag(32, "https://a.example/b/")]),
    "decimal": decimal.Decimal("1.25"), "decimal-negative": decimal.Decimal("-12345678901234567890.123456789"),
    "decimal-largest": decimal.Decimal(2**128 - 1), "decimal-small": decimal.Decimal("1e-100"),
    "decimal-nan": named("Decimal", "NaN"),
    "optional-some": 5, "optional-inner-nil": named("Optional", None),
    "optional-inmost-nil": named("Optional", named("Optional", None)),
    "date": utc(2013, 3, 21, 20, 4), "date-fraction": utc(2013, 3, 21, 20, 4, 0, 500_000),
    "date-before-1970": utc(1969, 12, 31), "date-inexact": named("Date", 0.1), "date-distant": named("Date", 1e300),
    "date-range": named("Range<Date>", [utc(1970, 1, 1), utc(1970, 1, 1, 0, 1)]),
    "uint64-largest": named("UInt64", 2**64 - 1), "int128-wide": named("Int128", 2**64),
    "int128-minus-2-64": named("Int128", -(2**64)), "int128-minus-2-64-1": named("Int128", -(2**64) - 1),
    "int128-smallest": named("Int128", -(2**127)), "uint128-largest": named("UInt128", 2**128 - 1),
    "int8": named("Int8", -3),
    "half": 1.5, "single": 100_000.0, "double": 0.1, "minus-zero": -0.0, "infinity": math.inf,
    "minus-infinity": -math.inf, "nan": math.nan, "smallest-double": 5e-324, "largest-double": sys.float_info.max,
    "float": named("Float", struct.unpack("f", struct.pack("f", 0.1))[0]),
    "array-uint8": Numbers(64, [1, 2, 255]), "array-uint16": Numbers(69, [1, 2, 2**16 - 1]),
    "array-uint32": Numbers(70, [1, 2, 2**32 - 1]), "array-uint64": Numbers(71, [1, 2, 2**64 - 1]),
    "array-int8": Numbers(72, [1, -2, -(2**7)]), "array-int16": Numbers(77, [1, -2, -(2**15)]),
    "array-int32": Numbers(78, [1, -2, -(2**31)]), "array-int64": named("[Int64]", Numbers(79, [1, -2, -(2**63)])),
    "array-int": Numbers(79, [1, -2, -(2**63)]), "array-float": Numbers(85, [1, -0.5, math.inf]),
    "array-double": Numbers(86, [1, 0.1, -math.inf]), "array-int-empty": Numbers(79, []),
    "array-int128": named("[Int128]", [1, -(2**127)]), "array-bool": named("[Bool]", [True, False]),
    "array-text": named("[String]", ["a", "", "a"]), "array-text-empty": named("[String]", []),
    "array-optional": named("[Int?]", [1, None, 3]),
    "array-nested": named("[[Int]]", [Numbers(79, [1]), Numbers(79, []), Numbers(79, [2, 3])]),
    "array-decimal": named("[Decimal]", [decimal.Decimal("0.5"), decimal.Decimal("1e2")]),
    "array-repeated": named("[String]", ["repeated", "repeated", "other", "repeated", "other"]),
    "array-many-texts": named("[String]", [f"text number {number % 280}" for number in range(300)]),
    "set-int": named("Set<Int>", {1, 2, 3}), "set-text": named("Set<String>", {"a", "b"}),
    "set-empty": named("Set<String>", set()),
    "dictionary": named("[String:Int]", {"a": 2, "b": 1}), "dictionary-empty": named("[String:Int]", {}),
    "dictionary-int": named("[Int:String]", {-1: "minus one", 1: "one", 1000: "thousand"}),
    "dictionary-enum": named("[Weekday:Bool]", {"monday": True, "sunday": False}),
    "dictionary-uuid": named("[UUID:Int]", {uuid.UUID("01020304-0506-0708-090a-0b0c0d0e0f10"): 1}),
    "dictionary-nested": named("[String:[String:[Int:[Bool]]]]", {"a": {"b": {1: [True]}}}),
    "dictionary-struct-keys": named(
        "[Garage.Slot:String]", {cbor2.frozendict({"number": 1}): "one", cbor2.frozendict({"number": 2}): "two"}),
    "range": named("Range<Int>", [1, 5]), "closed-range": named("ClosedRange<Double>", [-1.5, 2.0]),
    "car": named("CarInfo", car("B 123", 60, True)), "car-with-note": named("CarInfo", car("HH 7", note="blue")),
    "cars": named("[CarInfo]", [car("B 123", 60), car("HH 7", note="blue")]), "garage": named("Garage", GARAGE),
    "nothing": named("Nothing", {}), "versioned": named("Versioned", {"number": 7}, 3),
    "weekday": named("Weekday", "sunday"), "command-plain": named("Command", {"stop": {}}),
    "command-unlabelled": named("Command", {"drive": {"_0": 5}}),
    "command-labelled": named("Command", {"turn": {"degrees": 90.0, "isLeft": True}}),
    "command-nested": named("Command", {"sequence": {"_0": [{"stop": {}}, {"afterwards": {"_0": {"drive": {"_0": 1}}}}]}}),
    "mixed": [1, True, "text", 2.5, b"\1", named("CarInfo", car("B 1")), [1, "two"]],
    "mixed-dictionary": {"car": named("CarInfo", car("B 1")), "count": 2},
    "animal": named("Animal", ANIMAL), "cat": CAT, "animals": named("[Animal]", [DOG, CAT, ANIMAL]),
    "household": named("Household", {"favourite": ANIMAL, "guest": ANIMAL, "animals": [ANIMAL, CAT, CAT]}),
    "household-of-subclasses": named("Household", {"favourite": DOG, "animals": [DOG, CAT]}),
    "instance-twice": named("[Animal]", [ANIMAL, ANIMAL]),
}
# The paths to an instance that is in several positions, through the contents of names.
SHARED = {
    "household": [[["favourite"], ["guest"], ["animals", 0]], [["animals", 1], ["animals", 2]]],
    "household-of-subclasses": [[["favourite"], ["animals", 0]]],
    "instance-twice": [[[0], [1]]],
}
# Values without a Swift type, which stay trees.
FOREIGN = {
    "fraction": fractions.Fraction(2, 5), "regular-expression": re.compile("a+b"), "complex": complex(1, -2.5),
    "address": ipaddress.ip_address("192.0.2.1"), "network": ipaddress.ip_network("2001:db8::/32"),
    "date-only": datetime.date(2024, 2, 29), "undefined": undefined, "simple": CBORSimpleValue(99),
    "simple-small": CBORSimpleValue(3), "unknown-tag": CBORTag(40_000, {"a": [CBORTag(6, b"\0")]}),
    "big-float": CBORTag(5, [-1, 3]), "self-described": CBORTag(55799, [1]), "encoded": CBORTag(24, b"\xf6"),
    "huge": 2**4000 + 1, "minus-huge": -(2**4000), "decimal-huge": decimal.Decimal("1." + "123456789" * 20),
    "keys": {1: "a", -1: "b", 2.5: "c", b"d": "e", True: "f", None: "g", (1, 2): "h"},
    "set-of-all": {1, "a", b"b", None, (1, 2)}, "date-text": CBORTag(0, "2013-03-21T20:04:00Z"),
    "half-typed": CBORTag(84, b"\0\x3c"), "named-by-nothing": CBORTag(27, ["Unknown.Type", {"a": 1}, 7]),
}


def plain(value):
    """Returns the value with only lists, dictionaries and sets; cbor2 returns the frozen forms inside tags."""
    if isinstance(value, CBORTag):
        if value.tag in NUMBERS and isinstance(value.value, bytes):
            kind = NUMBERS[value.tag]
            count = len(value.value) // struct.calcsize("<" + kind)
            return Numbers(value.tag, struct.unpack(f"<{count}{kind}", value.value))
        return CBORTag(value.tag, plain(value.value))
    if isinstance(value, Mapping):
        return {key: plain(content) for key, content in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    return value


def same(left, right):
    """Returns whether two values are the same to the last bit and in their types."""
    if isinstance(left, float) and isinstance(right, float):
        return struct.pack("d", left) == struct.pack("d", right)
    if isinstance(left, CBORTag) and isinstance(right, CBORTag):
        return left.tag == right.tag and same(left.value, right.value)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return set(left) == set(right) and all(same(content, right[key]) for key, content in left.items())
    if isinstance(left, Set) and isinstance(right, Set):
        return left == right
    return type(left) is type(right) and left == right


def check_ours(folder):
    """Loads the files of the other side."""
    files = {path.stem: path.read_bytes() for path in folder.glob("*.cbor")}
    assert sorted(files) == sorted(ZOO), sorted(set(files) ^ set(ZOO))
    forms = set()
    for name, data in files.items():
        loaded = cbor2.loads(data)
        assert same(plain(loaded), ZOO[name]), f"{name}: {plain(loaded)!r}, expected {ZOO[name]!r}"
        for places in SHARED.get(name, []):
            instances = [follow(loaded.value[1], place) for place in places]
            assert all(instance is instances[0] for instance in instances), f"{name}: {places} are not one instance"
        forms |= {mark for mark in (b"\xd9\x01\x00", b"\xd8\x1c", b"\xd8\x1d") if mark in data}
    assert len(forms) == 3, "the zoo refers to no strings or no instances"
    assert not same(cbor2.loads(files["car"]), ZOO["cat"]) and not same(0.0, -0.0) and not same(1, True)
    print(f"{len(files)} values read by cbor2")


def follow(value, path):
    for step in path:
        value = value[step]
    return value


def convert(value, numbers=lambda it: CBORTag(it.tag, struct.pack(f"<{len(it.elements)}{NUMBERS[it.tag]}", *it.elements)),
            name=lambda it: it):
    """Returns the value in the form in which cbor2 writes it, with arrays of numbers and names as two functions create them.

    One object stays one object.
    """
    known = {}

    def made(value):
        if id(value) in known:
            return known[id(value)]
        if isinstance(value, Numbers):
            result = numbers(value)
        elif isinstance(value, CBORTag):
            result = name(value) if value.tag == 27 else value
            if isinstance(result, CBORTag):
                result = CBORTag(result.tag, made(result.value))
            else:
                result = made(result)
        elif isinstance(value, Mapping):
            result = {key: made(content) for key, content in value.items()}
        elif isinstance(value, list):
            result = [made(element) for element in value]
        else:
            return value
        known[id(value)] = result
        return result

    return made(value)


def without_name(item):
    """Leaves out a name that only repeats the type that the reader expects. Classes, versions and second forms need theirs."""
    needed = {"Dog", "Cat", "Versioned", "URL", "Date", "Decimal", "Optional"}
    return item if item.value[0] in needed else item.value[1]


def big_endian(numbers):
    packed = struct.pack(f">{len(numbers.elements)}{NUMBERS[numbers.tag]}", *numbers.elements)
    return CBORTag(BIG_ENDIAN.get(numbers.tag, numbers.tag), packed)


class Writer:
    """Writes items by hand, in forms that cbor2 does not choose."""

    def __init__(self, indefinite=False, long_heads=False, wide_floats=False):
        self.indefinite, self.long_heads, self.wide_floats = indefinite, long_heads, wide_floats

    def head(self, major, argument):
        if not self.long_heads and argument < 24:
            return bytes([major << 5 | argument])
        for info, size in (24, 1), (25, 2), (26, 4), (27, 8):
            if size == 8 or (not self.long_heads and argument < 1 << (8 * size)):
                return bytes([major << 5 | info]) + argument.to_bytes(size, "big")

    def string(self, major, data, cut):
        if not self.indefinite:
            return self.head(major, len(data)) + data
        chunks = [data[:cut], b"", data[cut:]]
        return bytes([major << 5 | 31]) + b"".join(self.head(major, len(chunk)) + chunk for chunk in chunks) + b"\xff"

    def items(self, major, count, contents):
        if self.indefinite:
            return bytes([major << 5 | 31]) + b"".join(contents) + b"\xff"
        return self.head(major, count) + b"".join(contents)

    def tag(self, tag, content):
        return self.head(6, tag) + content

    def write(self, value):
        if value is None or isinstance(value, bool):
            return {None: b"\xf6", True: b"\xf5", False: b"\xf4"}[value]
        if isinstance(value, int):
            if -(2**64) <= value < 2**64:
                return self.head(0, value) if value >= 0 else self.head(1, -1 - value)
            magnitude = value if value >= 0 else -1 - value
            # Two leading zeros, which big integers may have.
            return self.tag(2 if value >= 0 else 3, self.write(b"\0\0" + magnitude.to_bytes(17, "big").lstrip(b"\0")))
        if isinstance(value, float):
            for info, kind in (249, ">e"), (250, ">f"), (251, ">d"):
                try:
                    packed = struct.pack(kind, value)
                except OverflowError:
                    continue
                if info == 251 or not self.wide_floats and same(struct.unpack(kind, packed)[0], value):
                    return bytes([info]) + packed
        if isinstance(value, bytes):
            return self.string(2, value, len(value) // 2)
        if isinstance(value, str):
            # A chunk of text ends between two characters.
            return self.string(3, value.encode(), len(value[: len(value) // 2].encode()))
        if isinstance(value, (list, tuple)):
            return self.items(4, len(value), map(self.write, value))
        if isinstance(value, Mapping):
            return self.items(5, len(value), (self.write(key) + self.write(content) for key, content in value.items()))
        if isinstance(value, Set):
            return self.tag(258, self.write(list(value)))
        if isinstance(value, CBORTag):
            return self.tag(value.tag, self.write(value.value))
        if isinstance(value, uuid.UUID):
            return self.tag(37, self.write(value.bytes))
        if isinstance(value, datetime.datetime):
            return self.tag(1, self.write(value.timestamp()))
        if isinstance(value, decimal.Decimal):
            sign, digits, exponent = value.as_tuple()
            significand = int("".join(map(str, digits))) * (-1 if sign else 1)
            return self.tag(4, self.write([exponent, significand]))
        raise TypeError(f"cannot write {value!r}")


def forms(value):
    """Returns the value in every form, with a name for each."""
    item, bare = convert(value), convert(value, name=without_name)
    yield "plain", cbor2.dumps(item)
    yield "canonical", cbor2.dumps(item, canonical=True)
    yield "strings", cbor2.dumps(item, string_referencing=True)
    yield "sharing", cbor2.dumps(item, value_sharing=True)
    yield "strings-sharing", cbor2.dumps(item, string_referencing=True, value_sharing=True)
    yield "timestamps", cbor2.dumps(item, datetime_as_timestamp=True)
    yield "bare", cbor2.dumps(bare)
    yield "big-endian", cbor2.dumps(convert(value, numbers=big_endian))
    yield "lists", cbor2.dumps(convert(value, numbers=lambda it: it.elements, name=without_name))
    for writer in "indefinite", "long_heads", "wide_floats":
        yield writer, Writer(**{writer: True}).write(item)


def check_theirs(zoo, folder):
    """Writes the same values, and lets the other side read them."""
    count = 0
    for name, value in ZOO.items():
        for form, data in forms(value):
            # Without sharing, an instance in two positions becomes two; and values without a type need their names.
            if name in SHARED and "sharing" not in form:
                continue
            if name.startswith("mixed") and form in ("bare", "lists"):
                continue
            (folder / f"{name}.{form}.cbor").write_bytes(data)
            count += 1
    subprocess.run([zoo, "check", folder], check=True)
    print(f"{count} files of cbor2's read by archive-zoo")


def check_trees(zoo, theirs, foreign, rewritten):
    """Checks that values that are read as trees are written unchanged."""
    for name, value in FOREIGN.items():
        for form, options in ("plain", {}), ("canonical", {"canonical": True}), ("strings", {"string_referencing": True}):
            (foreign / f"{name}.{form}.cbor").write_bytes(cbor2.dumps(value, **options))
    for source in theirs, foreign:
        subprocess.run([zoo, "rewrite", source, rewritten], check=True)
        for path in source.iterdir():
            before, after = (plain(cbor2.loads((folder / path.name).read_bytes())) for folder in (source, rewritten))
            assert same(before, after), f"{path.name}: {before!r} became {after!r}"
    print(f"{len(list(rewritten.iterdir()))} trees rewritten")


def check_refusals(zoo, folder):
    """Checks that values that contain themselves, and damage, are errors and do not stop the program."""
    cycle = []
    cycle.append(cycle)
    for number, data in enumerate([cbor2.dumps(cycle, value_sharing=True), b"\xd8\x1d\x00", b"\x81", b"\x00\x00"]):
        (folder / f"{number}").mkdir()
        (folder / f"{number}" / "refused.cbor").write_bytes(data)
        status = subprocess.run([zoo, "rewrite", folder / f"{number}", folder / f"{number}"], capture_output=True)
        assert status.returncode != 0 and b"refused.cbor: " in status.stdout, status
    # A difference must be found.
    (folder / "other").mkdir()
    (folder / "other" / "car.plain.cbor").write_bytes(cbor2.dumps(car("B 124", 60, True)))
    status = subprocess.run([zoo, "check", folder / "other"], capture_output=True)
    assert status.returncode == 1 and b"car.plain.cbor: read as" in status.stdout, status


def main():
    zoo, folder = sys.argv[1], Path(sys.argv[2])
    folders = {name: folder / name for name in ("ours", "theirs", "foreign", "rewritten", "refused")}
    for path in folders.values():
        path.mkdir(parents=True)
    subprocess.run([zoo, "write", folders["ours"]], check=True)
    check_ours(folders["ours"])
    check_theirs(zoo, folders["theirs"])
    check_trees(zoo, folders["theirs"], folders["foreign"], folders["rewritten"])
    check_refusals(zoo, folders["refused"])


if __name__ == "__main__":
    main()
