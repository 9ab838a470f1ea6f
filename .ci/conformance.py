#!/usr/bin/env python3
"""Runs the reader in Python over the conformance files, and removes one rule after the other.

usage: conformance.py [ARCHIVETOOL STRESSWRITER]

1. Tests/Conformance/make.py writes the committed files, byte for byte.
2. Examples/Python/globaldata.py gives the expected answer for each file.
3. Each case fails if its rule is removed from the reader: for each rule, MUTATIONS has the code to replace in globaldata.py.
4. The hexadecimal files in FileFormat.md are conformance files, and the articles have all rules that the cases name.
5. As a program, the reader refuses to write what no reader accepts, and its exit status reports every other failure.
6. With the two programs: they read the files of Python, and Python reads theirs, value by value, for random stores; and both recover the same
   from each damaged file.

Exit status: 0 success, 1 a failure.
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import types
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
READER = ROOT / "Examples/Python/globaldata.py"
FILES = ROOT / "Tests/Conformance"
FILE_FORMAT = ROOT / "Sources/GlobalData/GlobalData.docc/FileFormat.md"
ARCHIVE_FORMAT = ROOT / "Sources/KeyedArchive/KeyedArchive.docc/ArchiveFormat.md"
SEED = 20_250_101

# (the removed rule, the code in the reader, the code without the rule). Each case has to fail for one of its rule.
MUTATIONS = [
    ("F-1.3", "if end - offset != len(encoded_head(wanted, argument)):", "if False:"),
    ("F-1.4", "while len(data) - offset >= 32:", "while len(data) - offset > 32:"),
    ("F-1.5", "generation != other and (generation - other) & MASK < 1 << 63", "generation > other"),
    ("F-1.5", "change.generation == (generation + 1) & MASK\n        if not", "change.generation == generation + 1\n        if not"),
    ("F-2.1", "ARCHIVE_HEAD, CHANGE_HEAD = 62, 46", "ARCHIVE_HEAD, CHANGE_HEAD = 63, 46"),
    (
        "F-2.3",
        "self.generation = number_at(self.head, 36)",
        "self.generation = number_at(self.head, 36) - (number_at(self.head, 36) >> 63 << 64)",
    ),
    ("F-3.2", "if count not in (1, 3):", "if count != 3:"),
    ("F-3.4", "    data = key.encode()\n    if not data:", "    data = key.encode()\n    return None\n    if not data:"),
    ("F-3.4", "\nKEY_LIMIT = 1 << 16", "\nKEY_LIMIT = (1 << 16) - 1"),
    ("F-3.4", "\nKEY_LIMIT = 1 << 16", "\nKEY_LIMIT = (1 << 16) + 1"),
    ("F-7.2", "REPAIRED_KEY_LIMIT = 1024", "REPAIRED_KEY_LIMIT = 1023"),
    ("F-7.2", "REPAIRED_KEY_LIMIT = 1024", "REPAIRED_KEY_LIMIT = 1025"),
    ("F-3.4", "ZERO_LIMIT = 255", "ZERO_LIMIT = 254"),
    ("F-3.4", "return bytes(data).decode()", 'return bytes(data).decode(errors="surrogateescape")'),
    ("F-3.5", 'return unicodedata.normalize("NFD", key)', "return key"),
    ("F-3.5", 'return unicodedata.normalize("NFD", key)', 'return unicodedata.normalize("NFKD", key)'),
    ("F-3.5", 'return unicodedata.normalize("NFD", key)', "return key.lower()"),
    ("F-3.6", "record.end == record.value_start:", "False:"),
    ("F-3.7", "self.items[same(key)] = (key, value)  #", "self.remove(key)\n        self.items[same(key)] = (key, value)  #"),
    ("F-3.7", "self.items.pop(same(key), None)", "self.items[same(key)] = (key, b'')"),
    ("F-3.7", "self.items[same(key)] = (key, value)  #", "self.items.setdefault(same(key), (key, value))  #"),
    ("F-4.1", 'if value[:2] != b"\\xd8\\x18":', "if True:"),
    (
        "F-4.1",
        "return value[offset:] if argument == len(value) - offset else value",
        "return content_of(value[offset : offset + argument])",
    ),
    ("F-4.1", "if major != BYTES:\n            return value\n", 'if major != BYTES:\n            return b"\\xf6"\n'),
    ("F-5.1", "        self.apply(self.find_changes())", "        pass"),
    ("F-5.8", "while offset < self.written_end:", "while offset < len(self.data):"),
    (
        "F-5.8",
        "if self.archive_end >= self.written_end:",
        "if self.archive_end < len(self.data) and not any(self.data[self.archive_end :]):\n            self.damage.append('zeros')\n        if self.archive_end >= self.written_end:",
    ),
    ("F-6.1", "    if not repairs or len(wrong) > 1:", "    if True:"),
    (
        "F-6.1",
        "    if not repairs or len(wrong) > 1:",
        "    if wrong and not repairs or len(wrong) > 1:\n        return None\n    if not is_right():\n        return bytes(found), False\n    if False:",
    ),
    ("F-6.2", 'return Reading("unreadable", damage=["a file of no bytes"])', 'return Reading("intact")'),
    ("F-6.3", "NEWEST_VERSION < data[15] <= 23:", "False:"),
    ("F-6.3", "NEWEST_VERSION < data[15] <= 23:", "NEWEST_VERSION < data[15]:"),
    ("F-6.3", "if found is None or not 1 <= found[0][15] <= 23:", "if found is None:"),
    ("F-6.4", "if start == MAGIC[: len(start)]:", "if start == MAGIC and False:"),
    ("F-6.5", "if not any(start):", "if False:"),
    ("F-6.6", 'return Reading("foreign")', 'return Reading("unreadable")'),
    (
        "F-7.1",
        "if record is not None and record.is_intact(self.data):\n            self.offset",
        "if record is not None and record.end <= self.end and record.is_intact(self.data):\n            self.offset",
    ),
    ("F-7.7", "None if is_repaired else key", "key"),
    ("F-11.4", "if change.generation is not None:", "if change.checksum is not None:"),
    ("F-7.2", "        if repaired is not None:", "        if False:"),
    ("F-7.2", "xxh64(record.key, seed) ^ record.checksum).bit_count() == 1", "xxh64(record.key, seed) ^ record.checksum).bit_count() < 64"),
    ("F-7.3", "if record is not None and self.is_credible_end(record.end):  # F-7.3", "if False:"),
    (
        "F-7.3",
        '            return Item(LOST, key, b"", record.checksum, record.is_removal)\n        self.is_contiguous',
        '            return Item(LOST, None, b"", record.checksum, record.is_removal)\n        self.is_contiguous',
    ),
    ("F-7.4", "found = self.search(start + 1)", "found = None"),
    ("F-7.4", "return first.is_intact(self.data)", "return True"),
    ("F-7.4", "        while not (offset == self.end or self.is_other_end(offset)):", "        while False:"),
    ("F-7.5", "return not self.is_end_certain and self.is_tail(self.data, offset)", "return False"),
    ("F-7.6", "next((length for length in (1, 2, 3, 5, 9) if is_start(length)), length or 1)", "length or 9"),
    ("F-7.6", "if not (count == found and is_certain)", "if count != found"),
    ("F-7.6", " + END or not is_certain:", " + END:"),
    ("F-7.9", "        return count != found or self.ends_elsewhere", "        return False"),
    ("F-8.1", "end = ARCHIVE_HEAD + min(length, room)", "end = ARCHIVE_HEAD + length"),
    ("F-8.1", "elif region.ends_elsewhere:", "else:"),
    ("F-8.2", "if item.kind == SET and item.key not in self.entries:", "if item.kind == SET:"),
    ("F-8.4", "self.losses.suspect_all()  # F-8.4", "pass"),
    ("F-8.5", "elif stored != computed and not self.damage:", "elif False:"),
    ("F-8.5", "        if self.data[offset] != 0x48:", "        if False:"),
    ("F-8.5", "if len(self.data) - offset < 9:\n            if not self.damage:", "if len(self.data) - offset < 9:\n            if False:"),
    ("F-8.5", "record_checksum(key.encode(), value) if is_repaired else record.checksum", "record.checksum"),
    ("F-8.6", "offset + 9, [computed, stored]", "offset + 9, [computed]"),
    ("F-8.6", "offset + 9, [computed, stored]", "offset + 9, [stored]"),
    (
        "F-8.7",
        "                if item.key is not None:\n                    self.losses",
        "                if item.kind == LOST and item.key is not None:\n                    self.losses",
    ),
    (
        "F-8.7",
        "                if item.key is not None:\n                    self.losses",
        "                if item.key is not None and (not item.is_removal or item.key in self.entries):\n                    self.losses",
    ),
    ("F-9.1", "if found and number_at(found[0], 20) >= 1 + TAIL:", "if found:"),
    ("F-9.2", "if count != 2 * found or", "if False and"),
    ("F-9.2", "if count != 2 * found or", "if count == 2 * found and"),
    (
        "F-9.2",
        "        if is_cut:\n            change.damage",
        "        if is_cut:\n            self.read_steps(change, body, change.end, 0)\n            change.damage",
    ),
    ("F-9.2", "            change.items.append(UNKNOWN)\n        else:", "        else:"),
    ("F-9.3", "if number_at(found[0], 11) > offset:", "if False:"),
    ("F-9.4", "        if not follows:", "        if False:"),
    ("F-9.4", "change.items, change.generation = [], generation", "pass"),
    ("F-9.4", "change.items.insert(0, UNKNOWN)\n            else", "pass\n            else"),
    ("F-9.4", "if checksum is None and not is_counted", "if False"),
    ("F-9.5", '        offset = self.data.find(b"\\x88\\x1b", start, end + 1)', "        return None\n        offset = 0"),
    ("F-9.5", "if found and is_later(number_at(found[0], 2), generation):", "if found:"),
    ("F-9.5", "found = self.change_head(offset, self.seed, repairs=False)", "found = (self.data[offset : offset + CHANGE_HEAD], False)"),
    ("F-10.1", "            if end is not None:  # F-10.1", "            if False:"),
    ("F-10.1", "number_at(head_bytes, 38), False)", "number_at(head_bytes, 38), True)"),
    ("F-10.2", "change.unwritten = self.empty_sector(start, change.end)  # F-10.2", "change.unwritten = None"),
    ("F-10.2", "            if not any(self.data[start:limit]):", "            if bytes(300) in self.data[start:limit]:"),
    ("F-10.2", "sector_end = (start // 512 + 1) * 512", "sector_end = start + 500"),
    ("F-10.3", "if change.unwritten is None and (is_cut or self.written_end <= change.end - len(END)):", "if False:"),
    ("F-10.3", "self.written_end <= change.end - len(END)", "self.written_end < change.end"),
    ("F-10.3", "self.written_end <= change.end - len(END)", "True"),
    ("F-10.4", "change.unwritten = self.empty_sector(start, min(head_end, len(self.data)), is_whole=True)  # F-10.4", "pass"),
    (
        "F-10.4",
        "change.unwritten = self.empty_sector(start, min(head_end, len(self.data)), is_whole=True)  # F-10.4",
        "change.unwritten = start",
    ),
    ("F-10.5", "change.unwritten = self.written_end  # F-10.5", "pass"),
    ("F-10.5", "all(CHANGE_FORM.get(i, byte) == byte for i, byte in enumerate(written))", "True"),
    ("F-10.6", "sum(byte != 0 for byte in self.data[start:end]) > 1:", "True:"),
    ("F-10.6", "sum(byte != 0 for byte in self.data[start:end]) > 1:", "False:"),
    ("F-10.7", "        if likeness < 3:  # F-10.6", "        if True:"),
    ("F-10.7", "if item.kind == LOST and not region.is_contiguous", "if item.kind in (LOST, REFUSED) and not region.is_contiguous"),
    ("F-11.1", "[change.synced for change in changes])  # F-11.1", "[0])"),
    ("F-11.1", "is_damaged = bool(self.damage) or any", "is_damaged = any"),
    ("F-11.1", "[change.synced for change in changes])  # F-11.1", "[change.start for change in changes])"),
    ("F-11.2", "                self.append_point = None\n                return", "                continue"),
    (
        "F-11.3",
        "            for item in change.items:\n                self.apply_item(item)",
        "            for item in [] if change.damage else change.items:\n                self.apply_item(item)",
    ),
    ("F-12.1", "        self.keys.discard(same(key))\n", ""),
    ("F-12.1", "for key in self.order if same(key) in self.keys", "for key in sorted(self.order) if same(key) in self.keys"),
    ("F-12.1", "            found.setdefault(same(key), key)", "            found[same(key)] = key"),
    ("F-12.2", "if same(key) in self.keys or self.is_any_suspect", "if self.is_any_suspect"),
    ("F-12.2", "        self.keys.discard(same(key))\n", ""),
    ("F-12.3", "self.is_any_suspect, self.fresh = True, set()", "pass"),
    ("F-12.4", " or item.is_removal and item.key not in self.entries", ""),
    ("F-13.1", "content = content_of(value)\n        entry", "content = content_of(value)\n        decoded(content)\n        entry"),
    ("F-17.2", '"newer" if version > NEWEST_VERSION else', ""),
    ("V-1.1", "    if end != len(data):\n        raise", "    if False:\n        raise"),
    (
        "V-1.1",
        '    if offset >= len(data):\n        raise FormError("the bytes end early")',
        "    if offset >= len(data):\n        return SIMPLE, 22, 22, offset",
    ),
    ("V-1.2", "    if info == 31 and major in (BYTES, TEXT, ARRAY, MAP, SIMPLE):", "    if False:"),
    ("V-1.2", 'raise Malformed("a break out of place")', "return None"),
    ("V-1.2", "if kind != major or chunk_info == 31:", "if False:"),
    ("V-1.2", 'raise FormError("a head that is reserved")', "return UNSIGNED, 0, 0, offset"),
    ("V-1.2", "    if info == 31 and major in (BYTES, TEXT, ARRAY, MAP, SIMPLE):", "    if info == 31:"),
    ("V-1.2", '            raise Malformed("a key without a value")', "            values.append(None)"),
    ("V-1.2", "kind != major or chunk_info == 31:", "kind != major:"),
    ("V-1.3", "if major == SIMPLE and info == 24 and argument < 32:", "if False:"),
    ("V-1.3", "return {20: False, 21: True, 22: None}.get(argument, Simple(argument))", "return {20: False, 21: True, 22: None}[argument]"),
    ("V-1.4", "text = text_of(payload)\n", 'text = payload.decode(errors="replace")\n'),
    ("V-1.5", 'raise Malformed("more elements than bytes")', "return [], offset, 0"),
    (
        "V-1.5",
        "        if major == TAG and argument == 25:",
        "        if major in (BYTES, TEXT):\n            argument = min(argument, len(self.data) - offset)\n        if major == TAG and argument == 25:",
    ),
    ("V-1.6", "if tag == 55799:  # V-1.6", "if False:"),
    (
        "V-1.6",
        'argument = int.from_bytes(data[offset : offset + size], "big")',
        "argument = int.from_bytes(data[offset : offset + size], \"big\")\n    if size == 8 and argument < 1 << 32 and offset > 1 and len(data) < 40:\n        raise FormError('long')",
    ),
    ("V-2.2", 'struct.unpack(">" + "efd"[info - 25]', 'struct.unpack("<" + "efd"[info - 25]'),
    ("V-2.4", 'raise Malformed("a map has a key twice")', "pass"),
    ("V-2.4", "len({notation(key) for key, _ in pairs})", "len({unicodedata.normalize('NFC', notation(key)) for key, _ in pairs})"),
    (
        "V-2.4",
        "        pairs = Pairs(zip(values[::2], values[1::2]))",
        "        pairs = Pairs(sorted(zip(values[::2], values[1::2]), key=repr))",
    ),
    (
        "V-2.4",
        "        return Tagged(tag, value), end, cost\n\n\ndef is",
        "        if tag == 258:\n            value = value[:1]\n        return Tagged(tag, value), end, cost\n\n\ndef is",
    ),
    ("V-3.1", "return -1 - argument, offset, 0", "return -argument, offset, 0"),
    ("V-3.2", "return number if tag == 2 else -1 - number, end, cost", "return number if tag == 2 else -number, end, cost"),
    ("V-3.2", "if tag in (2, 3) and isinstance(value, bytes):  # V-3.2", "if tag in (2, 3):"),
    ("V-3.2", "if tag in (2, 3) and isinstance(value, bytes):  # V-3.2", "if False:"),
    ("V-3.3", "        return Tagged(tag, value), end, cost\n\n\ndef is", "        return value, end, cost\n\n\ndef is"),
    ("V-3.4", "    if tag == 1 and isinstance(content, float)", "    if False"),
    (
        "V-3.4",
        "        return Tagged(tag, value), end, cost\n\n\ndef is",
        "        return Tagged(1 if tag == 27 else tag, value), end, cost\n\n\ndef is",
    ),
    ("V-4.1", "        return Tagged(tag, value), end, cost\n\n\ndef is", "        return list(value), end, cost\n\n\ndef is"),
    ("V-4.2", "        return Tagged(tag, value), end, cost\n\n\ndef is", "        return value, end, cost\n\n\ndef is"),
    ("V-5.1", "        return Tagged(tag, value), end, cost\n\n\ndef is", "        return value[1], end, cost\n\n\ndef is"),
    ("V-5.2", "            return content[:2]\n", "            pass\n"),
    ("V-5.3", "        return Tagged(tag, value), end, cost\n\n\ndef is", "        return value[1], end, cost\n\n\ndef is"),
    ("V-5.3", "is_integer(content[2]) and content[2] == 1", "is_integer(content[2])"),
    ("V-6.1", "    for limit, length in ((24, 3), (256, 4), (1 << 16, 5), (1 << 32, 7)):", "    for limit, length in ((1 << 32, 1),):"),
    ("V-6.1", "    for limit, length in ((24, 3), (256, 4), (1 << 16, 5), (1 << 32, 7)):", "    for limit, length in ((1 << 32, 3),):"),
    (
        "V-6.1",
        "if self.namespaces and length >= least_length(len(self.namespaces[-1])):",
        "if major == TEXT and self.namespaces and length >= least_length(len(self.namespaces[-1])):",
    ),
    (
        "V-6.1",
        "                chunks.append(self.payload(major, offset, length))",
        "                chunks.append(self.payload(major, offset, length))\n                self.namespaces and self.namespaces[-1].append(chunks[-1])",
    ),
    (
        "V-6.1",
        "            self.namespaces[-1].append(payload)\n        return",
        "            payload in self.namespaces[-1] or self.namespaces[-1].append(payload)\n        return",
    ),
    (
        "V-6.1",
        "    def string_reference(self, offset):",
        "    def string_reference(self, offset):\n        raise Malformed('no references')",
    ),
    ("V-6.2", 'raise Malformed("a reference to a string that is not there")', "return None, end, 0"),
    (
        "V-6.3",
        "            self.namespaces.append([])",
        "            self.namespaces.append(self.namespaces[-1] if self.namespaces else [])",
    ),
    ("V-6.4", "while major == BYTES and info != 31 and argument <= len(value) - offset:", "while False:"),
    ("V-7.1", "            self.shared.append(None)\n", "            number = 0\n            self.shared.insert(0, None)\n"),
    ("V-7.1", "        if tag == 28:  # V-7.1", "        if False:"),
    ("V-7.2", 'raise Malformed("a reference to an instance that is not there")', "return None, end, cost"),
    (
        "V-7.2",
        "            self.shared[number] = value, end - offset, cost\n",
        "            self.shared[number] = value, end - offset, cost\n            if self.namespaces:\n                self.namespaces[-1].clear()\n",
    ),
    ("V-9.1", "DEPTH_LIMIT, ITEM_LIMIT, NAME_LIMIT = 256,", "DEPTH_LIMIT, ITEM_LIMIT, NAME_LIMIT = 255,"),
    ("V-9.1", "DEPTH_LIMIT, ITEM_LIMIT, NAME_LIMIT = 256,", "DEPTH_LIMIT, ITEM_LIMIT, NAME_LIMIT = 300,"),
    (
        "V-9.1",
        "        if major == TAG and argument == 25:\n            return self.string_reference(offset)\n",
        "        if major == TAG and argument == 25:\n            if depth >= DEPTH_LIMIT:\n                raise Malformed('deep')\n            return self.string_reference(offset)\n",
    ),
    ("V-9.2", "REPETITION_LIMIT = ITEM_LIMIT // 8", "REPETITION_LIMIT = 1 << 60"),
]


class TooSlow(Exception):
    """A reader without a rule may not terminate."""


def reader(replaced=None, replacement=None):
    """Returns the reader as a module, with a part of its text replaced."""
    source = READER.read_text(encoding="utf-8")
    if replaced is not None:
        assert source.count(replaced) >= 1, f"the reader has no {replaced!r}"
        source = source.replace(replaced, replacement)
    module = types.ModuleType("globaldata_" + str(abs(hash(replacement))))
    sys.modules[module.__name__] = module  # dataclasses look there
    exec(compile(source, str(READER), "exec"), module.__dict__)
    del sys.modules[module.__name__]
    return module


def cases():
    for path in sorted(FILES.glob("*.json")):
        answer = json.loads(path.read_text(encoding="utf-8"))
        yield path.stem, answer, path.with_suffix(".globaldata").read_bytes()


def gives(module, data, answer):
    """Returns whether a reader gives an answer for a file."""

    def stop(*_):
        raise TooSlow

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 5)
    try:
        found = module.answer(module.open_file(data))
        return all(found[name] == answer[name] for name in found)
    except Exception:  # noqa: BLE001 - a reader that fails gives no answer
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def check_answers(module, all_cases):
    for name, answer, data in all_cases:
        assert gives(module, data, answer), f"{name}: another answer"
    verdicts = [answer["verdict"] for _, answer, _ in all_cases]
    print("answers: " + ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in sorted(set(verdicts))))


def check_mutations(all_cases):
    """Checks that each case fails for a mutation of its rule, and that a case finds each mutation."""
    found = {name: False for name, _, _ in all_cases}
    unnoticed = []
    for rule, replaced, replacement in MUTATIONS:
        module = reader(replaced, replacement)
        failing = [name for name, answer, data in all_cases if answer["rule"] == rule and not gives(module, data, answer)]
        found.update({name: True for name in failing})
        if not failing:
            unnoticed.append(f"{rule}: {replacement!r}")
    useless = [name for name, is_found in found.items() if not is_found]
    assert not unnoticed, "no case of the rule notices\n  " + "\n  ".join(unnoticed)
    assert not useless, "no mutation of its rule fails\n  " + "\n  ".join(useless)
    print(f"mutations: {len(MUTATIONS)}, each noticed by a case of its rule; each case notices one")


def check_articles(module, all_cases):
    article = FILE_FORMAT.read_text(encoding="utf-8")
    rules = set(re.findall(r"\*\*([FV]-\d+\.\d+)\*\*", article + ARCHIVE_FORMAT.read_text(encoding="utf-8")))
    missing = sorted({answer["rule"] for _, answer, _ in all_cases} - rules)
    named = set(re.findall(r"[FV]-\d+\.\d+", READER.read_text(encoding="utf-8")))
    assert not missing, f"rules of cases that no article has: {missing}"
    assert not named - rules, f"rules of globaldata.py that no article has: {sorted(named - rules)}"
    blocks = re.findall(r"The file `([^`]+)`\..*?^```$\n(.*?)^```$", article, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4, "the article does not have four files"
    for name, text in blocks:
        data = (FILES / f"{name}.globaldata").read_bytes()
        shown = b"".join(bytes.fromhex(line.split()[1]) for line in text.splitlines())
        assert shown == data, f"{name} in the article has other bytes"
        assert text.splitlines() == module.explained(data), f"{name} in the article is explained in other words"
    print(f"articles: {len(rules)} rules, {len(blocks)} files")


def check_program(folder):
    """Checks that the reader as a program writes nothing that it could not read, and reports by its exit status what it did not do."""
    (folder / "other").write_text("no archive")
    expected = [
        (("set", "new", "", "1"), 3, "an empty key"),
        (("set", "new", "k" * 65_537, "1"), 3, "a key that is too long"),
        (("set", "new", os.fsdecode(b"\xff"), "1"), 3, "a key that is not UTF-8"),
        (("set", "new", "k", "[" * 257 + "]" * 257), 3, "a value that is nested too deeply"),
        (("set", "new", "k", '"\\ud83d"'), 3, "text that is not Unicode"),
        (("set", "new", "k", "{"), 3, "text that is not JSON"),
        (("remove", "new", "k"), 1, "a key that is not there"),
        (("list", "other"), 1, "a file without entries, because it is none"),
        (("get", "other", "k"), 1, "a key in a file that is none"),
    ]
    for words, status, about in expected:
        outcome = subprocess.run([sys.executable, READER, *words], cwd=folder, capture_output=True, text=True)
        assert outcome.returncode == status and not outcome.stdout, f"{about}: {outcome}"
        assert "Traceback" not in outcome.stderr, f"{about}: {outcome.stderr}"
        assert not (folder / "new").exists(), f"{about}: a file was written"
    print(f"program: {len(expected)} failures with their exit status")


# MARK: Both directions


def random_value(source, depth=0):
    kind = source.randrange(13)
    if kind < 5 and depth < 4:
        elements = [random_value(source, depth + 1) for _ in range(source.randrange(6))]
        if kind < 3:
            return elements
        return {f"field {source.randrange(9)}": element for element in elements}
    return source.choice(
        [
            None,
            True,
            False,
            source.randrange(-(2**70), 2**70),
            source.randrange(100),
            source.random(),
            float(source.randrange(2**60)),
            "".join(source.choice('abc\u00e9\u4eac\U0001f69a\n"\\\x01') for _ in range(source.randrange(30))),
            source.randbytes(source.randrange(50)),
            bytes(source.randrange(700)),
            uuid.UUID(bytes=source.randbytes(16)),
        ]
    )


def random_store(module, source):
    """Returns a file that Python writes, with or without changes."""

    def record(key):
        value = module.encoded(random_value(source), references=source.random() < 0.5)
        return key, module.embedded(value)

    keys = [f"key {number}" for number in range(6)] + ["\u00e9", "e\u0301", "a/b", "\u4eac" * 300]
    chosen = {module.same(key): key for key in source.sample(keys, source.randrange(8))}.values()
    data = module.archive(
        [module.entry_record(*record(key)) for key in chosen], uuid.UUID(bytes=source.randbytes(16)), source.randrange(1, 1 << 40)
    )
    for _ in range(source.choice([0, 0, 1, 3, 9])):
        steps = [record(key) if source.random() < 0.7 else (key, None) for key in source.sample(keys, source.randrange(1, 4))]
        more = module.appended(data, module.open_file(data), steps)
        data = more if more is not None else module.rewritten(module.open_file(data), steps)
    return data + bytes(source.choice([0, 0, 10, 3000]))


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout


def check_tool_reads(module, tool, folder, count):
    """Checks that the tool finds the files of Python intact, with the same values."""
    source, values = random.Random(SEED), 0
    for number in range(count):
        path = folder / f"python-{number}.archive"
        data = random_store(module, source)
        path.write_bytes(data)
        run(tool, "check", path)
        reading = module.open_file(data)
        assert reading.verdict == "intact", reading.damage
        listed = [entry["key"] for entry in json.loads(run(tool, "list", "--json", path))]
        assert listed == list(reading.entries), f"{listed} instead of {list(reading.entries)}"
        for key, value in reading.entries.items():
            wanted = module.notation(module.decoded(module.content_of(value)))
            assert run(tool, "get", "--diagnostic", path, key) == wanted + "\n", f"{key!r} in {path.name}"
            values += 1
    print(f"Python writes, archivetool reads: {count} stores, {values} values")


def check_recovery(module, tool, folder, all_cases):
    """Checks that the tool and Python repair each damaged case to the same entries, and that both results are intact."""
    damaged = [(answer, data) for _, answer, data in all_cases if answer["verdict"] == "damaged"]
    for number, (answer, data) in enumerate(damaged):
        ours, other = folder / f"ours-{number}.archive", folder / f"python-{number}.archive"
        ours.write_bytes(data)
        other.write_bytes(data)
        report = json.loads(run(tool, "repair", "--json", ours))
        assert [report[name] for name in ("kept", "lost", "old")] == [
            [entry["key"] for entry in answer["entries"]],
            answer["lost"],
            answer["outdated"],
        ], f"{answer['about']} {report}"
        aside = pathlib.Path(module.recover(str(other)))
        assert aside.read_bytes() == data, "the damaged file was not set aside"
        run(tool, "check", other)
        readings = [module.open_file(path.read_bytes()) for path in (ours, other)]
        assert readings[0].verdict == readings[1].verdict == "intact" and readings[0].entries == readings[1].entries, answer["about"]
    print(f"archivetool and Python recover: {len(damaged)} damaged files")


def check_python_reads(module, tool, writer, folder, count):
    """Checks that Python finds the files of the tool and of an appending store intact, with the same values."""
    source, values = random.Random(SEED + 1), 0
    for number in range(count):
        path, wanted = folder / f"tool-{number}.archive", {}
        if number % 3 == 0:  # a file that Python has written, with changes of its own
            path.write_bytes(random_store(module, source))
            wanted = {key: None for key in module.open_file(path.read_bytes()).entries}
        for _ in range(6):
            key = f"key {source.randrange(5)}"
            if key in wanted and source.random() < 0.3:
                run(tool, "remove", path, key)
                del wanted[key]
            else:
                value = source.choice([source.randrange(-(2**63), 2**63), "\0" * 600, {"a": [1.5, None, "twice", "twice"]}, True, "\u00e9"])
                run(tool, "set", path, key, json.dumps(value))
                wanted[key] = value
        if not path.exists():
            continue
        reading = module.open_file(path.read_bytes())
        assert reading.verdict == "intact" and set(reading.entries) == set(wanted), reading
        for key, value in reading.entries.items():
            shown = run(tool, "get", "--diagnostic", path, key)
            assert shown == module.notation(module.decoded(module.content_of(value))) + "\n", f"{key!r} in {path.name}"
            values += 1
    path = folder / "appended.archive"
    for durability in ("powerLoss", "ordered", "processCrash"):
        run(writer, "--appending", "--durability", durability, "increment", path, 60)
        reading = module.open_file(path.read_bytes())
        assert reading.verdict == "intact" and list(reading.entries) == ["counter"], reading
        values += 1
    # Python also appends to the file of the store.
    module.commit(str(path), [("more", module.embedded(module.encoded(bytes(1000))))], appends=True)
    run(tool, "check", path)
    run(writer, "--appending", "increment", path, 1)
    reading = module.open_file(path.read_bytes())
    assert reading.verdict == "intact" and list(reading.entries) == ["counter", "more"], reading
    print(f"archivetool and a store that appends write, Python reads: {count + 1} stores, {values} values")


def main(words):
    subprocess.run([sys.executable, str(FILES / "make.py"), "--check"], check=True)
    module, all_cases = reader(), list(cases())
    check_answers(module, all_cases)
    check_mutations(all_cases)
    check_articles(module, all_cases)
    folder = pathlib.Path(os.path.realpath(tempfile.mkdtemp()))
    try:
        check_program(folder)
        if len(words) == 2:
            tool, writer = (pathlib.Path(shutil.which(word) or word).resolve() for word in words)
            check_tool_reads(module, tool, folder, 60)
            check_recovery(module, tool, folder, all_cases)
            check_python_reads(module, tool, writer, folder, 30)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except AssertionError as error:
        sys.exit(f"error: {error}")
