#!/usr/bin/env bash
# Measures the store and the coders beside their peers, and draws what was measured.
#
#   Scripts/benchmark.sh [FOLDER]
#
# Some minutes on a machine that does nothing else. The folder, by default .build/benchmark, gets results.json and the plots, light and dark.
# SQLite and LMDB take part where their headers are installed: libsqlite3-dev and liblmdb-dev on Debian and Ubuntu.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

output="${1:-.build/benchmark}"
mkdir -p "$output"
swift run --package-path Examples/Benchmarks -c release Benchmarks --json "$output/results.json"
python3 Examples/Benchmarks/plots.py "$output/results.json" "$output"
