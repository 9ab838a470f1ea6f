"""Checks real output against the CDDL in the documentation, with zcbor as an independent validator.

usage: cddl_check.py VALUES STORES ARCHIVEFORMAT.md FILEFORMAT.md

VALUES and STORES are folders of values' files and of stores' files. The grammars are those in the articles.
Exit status: 0 all files match them and damaged ones do not, 1 (with a traceback) otherwise.

zcbor checks Python objects, not bytes. It uses cbor2 for reading, which converts known tags to its own objects, whose
contents are then hidden; the few lines below read an item and keep every tag. (pycddl, the other validator for Python,
mistakes any tag for a type of the prelude if a choice has both, and overflows the stack on recursive rules.)
"""

import contextlib
import io
import itertools
import re
import struct
import sys
from pathlib import Path

import zcbor.zcbor.zcbor as zcbor
from cbor2 import CBORTag, undefined

PRELUDE = Path(zcbor.__file__).with_name("prelude.cddl").read_text(encoding="utf-8")


class Map(dict):
    """A map that can be a key of another map."""

    def __hash__(self):
        return hash(tuple(self.items()))


def item(data, offset=0):
    """Returns the item at an offset, in the forms that writers produce, and its end."""
    major, info = data[offset] >> 5, data[offset] & 31
    offset += 1
    if major == 2 and info == 31:
        chunks = []
        while data[offset] != 0xFF:
            chunk, offset = item(data, offset)
            chunks.append(chunk)
        return b"".join(chunks), offset + 1
    raw, argument = b"", info
    if info >= 24:
        raw = data[offset : offset + (1 << (info - 24))]
        argument = int.from_bytes(raw, "big")
        offset += len(raw)
    if major == 0:
        return argument, offset
    if major == 1:
        return -1 - argument, offset
    if major in (2, 3):
        content = data[offset : offset + argument]
        return content if major == 2 else content.decode(), offset + argument
    if major == 4:
        elements = []
        for _ in range(argument):
            element, offset = item(data, offset)
            elements.append(element)
        return elements, offset
    if major == 5:
        pairs = Map()
        for _ in range(argument):
            key, offset = item(data, offset)
            pairs[hashable(key)], offset = item(data, offset)
        return pairs, offset
    if major == 6:
        content, offset = item(data, offset)
        return CBORTag(argument, content), offset
    simple = {20: False, 21: True, 22: None, 23: undefined}
    if info in simple:
        return simple[info], offset
    return struct.unpack({25: ">e", 26: ">f", 27: ">d"}[info], raw)[0], offset


def hashable(key):
    if isinstance(key, list):
        return tuple(map(hashable, key))
    return CBORTag(key.tag, hashable(key.value)) if isinstance(key, CBORTag) else key


class Grammar:
    """The grammar of an article, with the rule for a whole item."""

    def __init__(self, article, rule):
        text = Path(article).read_text(encoding="utf-8")
        cddl = re.search(r"^## CDDL$.*?^```$(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
        self.rule = zcbor.DataTranslator.from_cddl(PRELUDE + cddl, 1_000_000).my_types[rule]

    def refusal(self, data):
        """Returns why an item is refused, or None."""
        value, end = item(data)
        assert end == len(data), "there are bytes after the item"
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                self.rule.validate_obj(value)
        except zcbor.CddlValidationError as error:
            return str(error)
        finally:
            self.rule.errors.clear()


def mend_zcbor():
    """Flaws of zcbor 0.9: a tagged rule accepts an item without a tag, and is endless if a rule contains itself; messages
    print a rule with all rules in it, which is also endless; a map as a key is unknown."""
    decode, expected = zcbor.DataTranslator._decode_obj, zcbor.DataTranslator._expected_type

    def decode_tagged(self, iterator):
        if self.key is None and self.tags:
            iterator, ahead = itertools.tee(iterator)
            if not isinstance(next(ahead, None), CBORTag):
                raise zcbor.CddlValidationError(f"There is no tag {self.tags}.")
        return decode(self, iterator)

    def expected_with_maps(self):
        types = expected(self)
        return (*types, Map) if dict in types else types

    zcbor.DataTranslator._decode_obj = decode_tagged
    zcbor.DataTranslator._expected_type = expected_with_maps
    zcbor.DataTranslator.__str__ = zcbor.DataTranslator.__repr__ = lambda self: str(self.type)


# Well-formed items that are not valid values, each with one flaw.
DAMAGED = {
    "a UUID of 15 bytes": "d825 4f" + "00" * 15, "a UUID that is an integer": "d825 01",
    "a name that is an integer": "d81b 82 01 02", "a name alone": "d81b 81 63 616263",
    "version 1": "d81b 83 63 616263 01 01", "a version that is text": "d81b 83 63 616263 01 61 61",
    "four parts": "d81b 84 63 616263 01 02 03", "a date that is text": "c1 61 61", "a date text that is none": "c0 01",
    "an unknown tag": "c6 00", "a decimal of one part": "c4 81 01", "a decimal of three": "c4 83 01 02 03",
    "a significand that is text": "c4 82 01 61 61", "a set that is an integer": "d90102 01",
    "a typed array of no bytes": "d840 01", "an unused number format": "d841 40", "a URL that is an integer": "d820 01",
    "a string reference that is text": "d819 61 61", "an instance reference that is text": "d81d 61 61",
    "a big integer that is an integer": "c2 01", "a namespace in a value": "81 d90100 00",
}
# The same inside a valid item.
AROUND = ["", "81", "82 00", "a1 61 61", "d81b 82 63 616263", "d90100 81", "d81c", "d90102 81"]


def check_values(grammar, folder):
    files = sorted(Path(folder).glob("*.cbor"))
    assert len(files) > 100, "there are hardly any values"
    for path in files:
        refusal = grammar.refusal(path.read_bytes())
        assert refusal is None, f"{path.name}: {refusal}"
    for around in AROUND:
        assert grammar.refusal(bytes.fromhex(around + "00")) is None, around
        for what, damaged in DAMAGED.items():
            assert grammar.refusal(bytes.fromhex(around + damaged)), f"{what} is accepted after {around}"
    print(f"{len(files)} values keep to the grammar, {len(DAMAGED) * len(AROUND)} damaged ones do not")


def check_stores(grammar, change_grammar, folder):
    files = sorted(Path(folder).glob("*.archive"))
    assert files, "there is no store"
    damages = changes = 0
    for path in files:
        data = path.read_bytes()
        _, end = item(data)
        data, rest = data[:end], data[end:].rstrip(b"\0")
        while rest:
            _, end = item(rest)
            change, rest = rest[:end], rest[end:]
            refusal = change_grammar.refusal(change)
            assert refusal is None, f"a change of {path.name}: {refusal}"
            for old, new in ((b"\x63end", b"\x63End"), (b"\x63end", b"\x43end")):
                assert change_grammar.refusal(change.replace(old, new, 1)), f"{path.name}: {new!r} is accepted"
                damages += 1
            changes += 1
        refusal = grammar.refusal(data)
        assert refusal is None, f"{path.name}: {refusal}"
        # The name, the version, the lengths of the identity and of the last checksum, and the outer tag.
        start = data.index(b"\x6aGlobalData")
        for old, new in (
            (b"\x6aGlobalData", b"\x6aGlobalDatb"), (b"\x6aGlobalData\x01", b"\x6aGlobalData\x02"),
            (b"\xd9\xd9\xf7", b"\xd9\xd9\xf8"), (data[start + 11 : start + 15], b"\x01\xd8\x26\x50"),
            (data[-9:], b"\x47" + data[-7:]), (data[-9:], b"\x68abcdefgh"),
        ):
            assert old in data and grammar.refusal(data.replace(old, new, 1)), f"{path.name}: {new!r} is accepted"
            damages += 1
    assert changes > 10, "hardly anything was appended"
    print(f"{len(files)} stores with {changes} changes keep to the grammar, {damages} damaged ones do not")


def main():
    values, stores, archive_format, file_format = sys.argv[1:5]
    mend_zcbor()
    check_values(Grammar(archive_format, "value"), values)
    check_stores(Grammar(file_format, "archive"), Grammar(file_format, "change"), stores)


main()
