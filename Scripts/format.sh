#!/usr/bin/env bash
# Formats all Swift code with .swift-format, and lists what needs to be fixed by hand. Wraps comments and articles if Python 3 is installed.
#
#   Scripts/format.sh [--check]
#
# With --check, changes nothing, and fails if code is not formatted, as in CI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

code=(Package.swift Sources Tests Examples Fuzzing/Package.swift Fuzzing/Sources .ci/darwin_run .ci/darwin_activity .ci/darwin_watch)
if command -v python3 >/dev/null; then
  find Sources \( -name '*.swift' -o -name '*.md' \) -exec python3 Scripts/wrap.py ${1:+"$1"} {} +
fi
[ "${1:-}" = --check ] || swift format --in-place --recursive "${code[@]}"
swift format lint --strict --recursive "${code[@]}"
