"""Lists the public symbols that have no documentation comment.

usage: undocumented.py SOURCES GRAPH...

SOURCES is the folder of the sources, GRAPH a symbol graph of the compiler (*.symbols.json). Leaves out symbols that the compiler synthesizes, which
have no location in the sources, and those that fulfil a protocol's requirement, which the protocol documents.
Exit status: 0 all symbols are documented, 1 some are not.
"""

import json
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse


def place(symbol, sources):
    """Returns the file and line of a symbol that is declared below the folder of the sources, or None."""
    location = symbol.get("location")
    if location is None:
        return None
    path = Path(unquote(urlparse(location["uri"]).path)).resolve()
    if sources not in path.parents:
        return None
    return f"{path.relative_to(sources.parent)}:{location['position']['line'] + 1}"


def main():
    sources = Path(sys.argv[1]).resolve()
    symbols = {}
    fulfilling = set()
    for name in sys.argv[2:]:
        graph = json.loads(Path(name).read_text(encoding="utf-8"))
        for symbol in graph["symbols"]:
            symbols[symbol["identifier"]["precise"]] = symbol
        for relationship in graph["relationships"]:
            if "sourceOrigin" in relationship:
                fulfilling.add(relationship["source"])

    declared = 0
    missing = []
    for identifier, symbol in symbols.items():
        if symbol["accessLevel"] not in ("public", "open") or "::SYNTHESIZED::" in identifier:
            continue
        where = place(symbol, sources)
        if where is None or symbol["kind"]["identifier"] == "swift.extension":
            continue
        declared += 1
        if "docComment" not in symbol and identifier not in fulfilling:
            missing.append(f"{where}: {'.'.join(symbol['pathComponents'])} has no documentation comment")

    for line in sorted(missing):
        print(line)
    print(f"{declared} public symbols, {len(missing)} without documentation")
    if declared == 0:
        print("no symbol was declared below the folder: wrong arguments?")
    return 1 if missing or declared == 0 else 0


sys.exit(main())
