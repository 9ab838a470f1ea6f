"""Writes archives of NSKeyedArchiver with Python's bpylist2, which shares no code with Apple or this package.

usage: bpylist2_archives.py FOLDER [COUNT]

Writes the archives that the tests use by name, each in binary and some in XML, and COUNT archives of random values, 2 by
default, each with a JSON file that describes its contents. The tests read the committed archives in
Tests/GlobalDataImportingTests/Fixtures/Importing, and those in the folder in the environment variable IMPORT_ARCHIVES.
"""

import dataclasses
import json
import plistlib
import random
import sys
import uuid
from pathlib import Path

from bpylist2 import archiver
from bpylist2.archive_types import DataclassArchiver, NSMutableData, timestamp

UNIX_TO_APPLE = 978_307_200


def archived_class(class_name, /, **fields):
    """A class whose instances are archived under a name, with each argument under the field that this maps it to."""

    class Archived:
        def __init__(self, **values):
            assert values.keys() <= fields.keys(), values
            self.values = values

        @staticmethod
        def encode_archive(instance, archive):
            for argument, value in instance.values.items():
                archive.encode(fields[argument], value)

    archiver.update_class_map({class_name: Archived})
    return Archived


URL = archived_class("NSURL", base="NS.base", relative="NS.relative")
Null = archived_class("NSNull")
MutableString = archived_class("NSMutableString", string="NS.string")
AttributedString = archived_class("NSAttributedString", string="NSString", attributes="NSAttributes")
Value = archived_class(
    "NSValue", special="NS.special", point="NS.pointval", size="NS.sizeval", rect="NS.rectval",
    location="NS.rangeval.location", length="NS.rangeval.length")
TimeZone = archived_class("NSTimeZone", name="NS.name", data="NS.data")
Locale = archived_class("NSLocale", identifier="NS.identifier")
Stranger = archived_class("Stranger", secret="secret")
Node = archived_class("Node", name="_name", next="_next", parent="_parent")
Dog = archived_class("Dog", name="_name", tricks="_tricks")
Animal = archived_class("Animal", name="_name")


@dataclasses.dataclass
class CarInfo(DataclassArchiver):
    _plate: str = ""
    speed: int = 0
    isOnline: bool = False
    _note: str = None


@dataclasses.dataclass
class Garage(DataclassArchiver):
    owner: str = ""
    _cars: list = dataclasses.field(default_factory=list)
    carsByLevel: dict = dataclasses.field(default_factory=dict)
    favourite: object = None
    opened: object = None
    site: object = None


archiver.update_class_map({"CarInfo": CarInfo, "Garage": Garage})


class OrderedSet:
    def __init__(self, *elements):
        self.elements = elements

    @staticmethod
    def encode_archive(instance, archive):
        for index, element in enumerate(instance.elements):
            archive._archive_obj[f"NS.object.{index}"] = archive._archiver.archive(element)


class Bytes:
    """An object whose fields are data inside it, like those of Foundation."""

    def __init__(self, fields):
        self.fields = fields

    @staticmethod
    def encode_archive(instance, archive):
        archive._archive_obj.update(instance.fields)


class UUID(Bytes):
    pass


class DecimalNumber(Bytes):
    pass


class IndexSet(Bytes):
    pass


class IndexPath(Bytes):
    pass


class CountedSet(Bytes):
    pass


archiver.update_class_map(
    {"NSOrderedSet": OrderedSet, "NSUUID": UUID, "NSDecimalNumber": DecimalNumber, "NSIndexSet": IndexSet,
     "NSIndexPath": IndexPath, "NSCountedSet": CountedSet})


def decimal(digits, exponent, negative=False):
    length = (digits.bit_length() + 15) // 16
    return DecimalNumber({
        "NS.compact": True, "NS.exponent": exponent, "NS.length": length, "NS.negative": negative,
        "NS.mantissa": digits.to_bytes(16, "little"), "NS.mantissa.bo": 1})


def garage():
    shared = CarInfo("B 123", 60, True, None)
    return Garage(
        owner="Ada", _cars=[shared, CarInfo("HH 7", 0, False, "blue"), shared], carsByLevel={"ground": [shared], "top": []},
        favourite=shared, opened=timestamp(UNIX_TO_APPLE + 86_400.5), site=URL(base=None, relative="https://garage.example/a"))


def foundation():
    return {
        "text": "plain", "text-wide": "Grüße, 京A 🚚", "text-empty": "", "text-mutable": MutableString(string="changed"),
        "text-attributed": AttributedString(string="bold", attributes={}),
        "int": 7, "int-negative": -7, "int-large": 2**63 - 1, "int-unsigned": 2**64 - 1, "int-smallest": -(2**63),
        "true": True, "false": False, "real": 2.5, "real-inexact": 0.1,
        "data": b"\x00\x01\xff", "data-mutable": NSMutableData(b"\x02\x03"),
        "date": timestamp(UNIX_TO_APPLE + 1_000_000.25), "null": Null(),
        "uuid": UUID({"NS.uuidbytes": uuid.UUID("00010203-0405-0607-0809-0a0b0c0d0eff").bytes}),
        "url": URL(base=None, relative="https://a.example/b?c=d#e"),
        "url-relative": URL(base=URL(base=None, relative="https://a.example/b/"), relative="c/d?e"),
        "decimal": decimal(1234567890123456789012345678, -9, True), "decimal-zero": decimal(0, 0),
        "array": [1, "two", [3.5]], "array-empty": [], "set": {1, 2, 3}, "set-mixed": {1, "two"},
        "ordered-set": OrderedSet("b", "a"), "dictionary": {"a": 1, "b": {"c": "d"}},
        "dictionary-integers": {1: "one", -2: "minus two"},
        "point": Value(special=1, point="{1, 2.5}"), "size": Value(special=2, size="{3, 4}"),
        "rect": Value(special=3, rect="{{1, 2}, {3, 4.5}}"),
        "range": Value(special=4, location=3, length=4), "time-zone": TimeZone(name="Europe/Berlin", data=None),
        "locale": Locale(identifier="de_DE"),
        "index-set": IndexSet({"NSRangeCount": 2, "NSRangeData": bytes([1, 3, 0x80 | 44, 2, 5])}),
        "index-path": IndexPath({"NSIndexPathLength": 3, "NSIndexPathData": bytes([4, 0x80 | 44, 2, 0])}),
        "index-path-short": IndexPath({"NSIndexPathLength": 1, "NSIndexPathValue": 52}),
    }


def chain():
    """A root dictionary with objects of a subclass, whose superclasses the archive names."""
    root = plistlib.loads(archiver.archive({"dog": Dog(name="Rex", tricks=["sit"]), "animal": Animal(name="It")}))
    for entry in root["$objects"]:
        if isinstance(entry, dict) and entry.get("$classname") == "Dog":
            entry["$classes"] = ["Dog", "Animal", "NSObject"]
    return root


def several():
    """An archive of several named objects, and numbers, which are stored directly."""
    root = plistlib.loads(archiver.archive(["unused", CarInfo("B 1", 5)]))
    car = next(
        index for index, entry in enumerate(root["$objects"]) if isinstance(entry, dict) and "speed" in entry)
    root["$top"] = {"car": plistlib.UID(car), "visits": 3, "ratio": 0.5, "isNew": True, "none": plistlib.UID(0), "$$odd": 1}
    return root


def cyclic():
    parent, child = Node(name="parent"), Node(name="child")
    parent.values["next"] = child
    child.values["parent"] = parent
    child.values["next"] = None
    parent.values["parent"] = None
    ring = Node(name="ring", parent=None)
    ring.values["next"] = ring
    return {"family": parent, "ring": ring, "number": 1}


def named():
    yield "garage", plistlib.loads(archiver.archive(garage()))
    yield "root-dictionary", plistlib.loads(archiver.archive({"garage": garage(), "car": CarInfo("B 9", 1), "volume": 0.75}))
    yield "foundation", plistlib.loads(archiver.archive(foundation()))
    yield "superclass", chain()
    yield "several", several()
    yield "cyclic", plistlib.loads(archiver.archive(cyclic()))
    yield "stranger", plistlib.loads(archiver.archive(
        {"stranger": Stranger(secret="x"), "known": 1, "counted": CountedSet({"NS.object0": 3, "NS.count0": 5, "NS.count": 1})}))


def random_value(source, depth, keep):
    """A value and its JSON description. The objects stay alive, because bpylist2 distinguishes them by their addresses."""
    kinds = ["int", "real", "text", "bool", "data", "date", "null"] + ["array", "dictionary"] * (2 if depth else 0)
    kind = source.choice(kinds)
    if kind == "int":
        number = source.choice([source.randint(-3, 300), source.randint(-(2**63), 2**64 - 1)])
        value, meaning = number, {"int": str(number)}
    elif kind == "real":
        value = source.choice([source.uniform(-1e6, 1e6), float(source.randint(-9, 9)), 1e300])
        meaning = {"real": value.hex()}
    elif kind == "text":
        letters = source.choice(["abc ", "aéß京🚚\n<&>]]>\"'"])
        value = "".join(source.choice(letters) for _ in range(source.randint(0, 40)))
        meaning = {"text": value}
    elif kind == "bool":
        value = source.random() < 0.5
        meaning = {"bool": value}
    elif kind == "data":
        value = source.randbytes(source.randint(0, 40))
        meaning = {"data": value.hex()}
    elif kind == "date":
        # A whole number of quarters, which arithmetic keeps exact.
        seconds = source.randint(-(2**40), 2**40) / 4
        value, meaning = timestamp(UNIX_TO_APPLE + seconds), {"date": seconds.hex()}
    elif kind == "null":
        value, meaning = None, {"null": True}
    elif kind == "array":
        parts = [random_value(source, depth - 1, keep) for _ in range(source.randint(0, 8))]
        value, meaning = [part[0] for part in parts], {"array": [part[1] for part in parts]}
    else:
        names = [f"k{source.randint(0, 99)}" for _ in range(source.randint(0, 8))]
        parts = {name: random_value(source, depth - 1, keep) for name in names}
        value = {name: part[0] for name, part in parts.items()}
        meaning = {"dictionary": {name: part[1] for name, part in parts.items()}}
    keep.append(value)
    return value, meaning


def xml(value):
    """A property list as XML, in which a reference is a dictionary."""

    def plain(value):
        if isinstance(value, plistlib.UID):
            return {"CF$UID": value.data}
        if isinstance(value, dict):
            return {key: plain(content) for key, content in value.items()}
        return [plain(element) for element in value] if isinstance(value, list) else value

    return plistlib.dumps(plain(value), fmt=plistlib.FMT_XML)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, archive in named():
        (folder / f"{name}.plist").write_bytes(plistlib.dumps(archive, fmt=plistlib.FMT_BINARY))
        (folder / f"{name}.xml.plist").write_bytes(xml(archive))
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    for number in range(count):
        source, keep = random.Random(number), []
        values = {f"entry{index}": random_value(source, 3, keep) for index in range(8)}
        archive = archiver.archive({key: value for key, (value, _) in values.items()})
        if number % 2:
            archive = xml(plistlib.loads(archive))
        (folder / f"random-{number}.plist").write_bytes(archive)
        (folder / f"random-{number}.json").write_text(
            json.dumps({key: meaning for key, (_, meaning) in values.items()}, separators=(",", ":"), sort_keys=True))
    print(f"{len(list(folder.glob('*.plist')))} archives written by bpylist2")


main()
