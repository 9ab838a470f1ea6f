"""Compares the public declarations with the committed list, so that no change goes unnoticed.

usage: public_api.py LIST GRAPH... [--record]

A GRAPH is a symbol graph of the compiler (*.symbols.json), of modules as on Linux. Names that begin with an underscore are not public API, and
are left out. The line of a type also has its superclass and its protocols. With --record, updates the list: read its diff, because a removed or
changed line breaks programs.
Exit status: 0 no difference, 1 a difference.
"""

import difflib
import json
import sys
from pathlib import Path


def module(path):
    """Returns the module that a graph's file describes, including extensions of other modules' types."""
    return Path(path).name.split("@")[0].removesuffix(".symbols.json")


# Protocols that the compiler adds by itself.
IMPLIED = {"BitwiseCopyable", "Copyable", "Escapable", "SendableMetatype"}


def supertypes(graphs):
    """Returns the names of the superclass and the protocols of each type, by its identifier."""
    names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for graph in graphs for symbol in graph["symbols"]}
    found = {}
    for relationship in (relationship for graph in graphs for relationship in graph["relationships"]):
        if relationship["kind"] in ("conformsTo", "inheritsFrom"):
            name = names.get(relationship["target"]) or relationship["targetFallback"].partition(".")[2]
            found.setdefault(relationship["source"], set()).add(name)
    return found


def declarations(paths):
    found = {}
    graphs = {path: json.loads(Path(path).read_text(encoding="utf-8")) for path in paths}
    above = supertypes(graphs.values())
    for path, graph in graphs.items():
        for symbol in graph["symbols"]:
            identifier = symbol["identifier"]["precise"]
            if symbol["accessLevel"] not in ("public", "open") or "::SYNTHESIZED::" in identifier:
                continue
            if any(name.startswith("_") for name in symbol["pathComponents"]):
                continue
            text = " ".join("".join(part["spelling"] for part in symbol.get("declarationFragments", [])).split())
            more = ", ".join(sorted(above.get(identifier, set()) - IMPLIED))
            found[identifier] = f"{module(path)} {'.'.join(symbol['pathComponents'])}: {text}{more and '; is ' + more}"
    return sorted(set(found.values()))


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--record"]
    committed, lines = Path(arguments[0]), declarations(arguments[1:])
    if not lines:
        print("error: the graphs have no public symbols: wrong arguments?")
        return 1
    if "--record" in sys.argv:
        committed.write_text("\n".join(lines) + "\n", encoding="utf-8")
    before = committed.read_text(encoding="utf-8").splitlines()
    changes = [line for line in difflib.unified_diff(before, lines, lineterm="", n=0) if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    for line in changes:
        print(line)
    print(f"{len(lines)} public declarations, {len(changes)} lines differ from {committed.name}")
    if changes:
        print(f"error: the public API differs from {committed.name}; if you intend this, run Scripts/documentation.sh --record-api, and read the diff")
    return 1 if changes else 0


sys.exit(main())
