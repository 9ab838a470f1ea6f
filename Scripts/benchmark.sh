#!/usr/bin/env bash
# Measures the store and the coders against other libraries, and plots the results.
#
#   Scripts/benchmark.sh [FOLDER]
#
# Takes a few minutes; use an idle machine. Writes results.json and the plots, light and dark, to the folder, by default .build/benchmark.
# Includes SQLite and LMDB if their headers are installed: libsqlite3-dev and liblmdb-dev on Debian and Ubuntu.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

output="${1:-.build/benchmark}"
mkdir -p "$output"
swift run --package-path Examples/Benchmarks -c release Benchmarks --json "$output/results.json"
python3 Examples/Benchmarks/plots.py "$output/results.json" "$output"
