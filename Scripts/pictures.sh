#!/usr/bin/env bash
# Generates the pictures of the README and the articles: the drawings, the plots, and archivetool's output for an example.
#
#   Scripts/pictures.sh [FOLDER WITH results.json]
#
# Plots the results of Scripts/benchmark.sh in the folder, or else those of the run that the documentation describes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pictures="$PWD/.github/pictures"
resources="$PWD/Sources/GlobalData/GlobalData.docc/Resources"
mkdir -p "$pictures"
python3 Scripts/drawings.py "$resources"

swift build --product archivetool
swift build --package-path Examples --product LoginSession
tool="$(swift build --show-bin-path)"
example="$(swift build --package-path Examples --show-bin-path)/LoginSession"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
answer="$PWD/Examples/LoginSession/login.json"
file="$(HOME="$work" CFFIXED_USER_HOME="$work" XDG_DATA_HOME="$work" "$example" "$answer" | sed -n 's/^file: //p')"
cp "$file" "$work/session.archive"
(cd "$work" && PATH="$tool:$PATH" python3 "$OLDPWD/Scripts/terminal_picture.py" "$resources/archivetool" \
  "archivetool list session.archive" "archivetool get session.archive user" "archivetool check session.archive")

# The stores that survive a power cut, and an app without a store; the same script also plots all stores.
# Without a folder, plots the run whose figures the documentation has.
results="${1:+$1/results.json}"
results="${results:-$PWD/Examples/Benchmarks/Results/2026-11-21.json}"
python3 - "$results" "$work/results.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
tables = {table["title"]: table for table in report["tables"]}
report["tables"] = [tables["One write of 200 bytes, by number of entries"], tables["Opening and one read, the file in the system's cache"]]
wanted = ("GlobalData rewriting, powerLoss", "GlobalData appending, powerLoss", "SQLite WAL, FULL", "SQLite DELETE, FULL", "LMDB, sync",
          "JSONEncoder, atomic write", "UserDefaults, synchronize", "NSKeyedArchiver, atomic write")
report["tables"][0]["rows"] = [row for row in report["tables"][0]["rows"] if row["name"] in wanted]
json.dump(report, open(sys.argv[2], "w"))
PYTHON
python3 Examples/Benchmarks/plots.py "$work/results.json" "$work/plots" >/dev/null
for plot in writes:one-write openings:opening; do
  for theme in light dark; do
    [ "$theme" = dark ] && suffix="~dark" || suffix=""
    cp "$work/plots/${plot#*:}"*"-$theme.svg" "$resources/${plot%:*}$suffix.svg"
  done
done
for theme in light dark; do
  cp "$work/plots/one-write"*"-$theme.svg" "$pictures/writes-$theme.svg"
done
