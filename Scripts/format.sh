#!/usr/bin/env bash
# Brings all Swift code into the form that .swift-format describes, and tells what has to be done by hand. Wraps the comments of the
# sources and the articles, where there is Python 3.
#
#   Scripts/format.sh [--check]
#
# With --check nothing is changed: code in another form is an error, as it is in CI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

code=(Package.swift Sources Tests Examples Fuzzing/Package.swift Fuzzing/Sources .ci/darwin_run .ci/darwin_activity)
if command -v python3 >/dev/null; then
  find Sources \( -name '*.swift' -o -name '*.md' \) -exec python3 Scripts/wrap.py ${1:+"$1"} {} +
fi
[ "${1:-}" = --check ] || swift format --in-place --recursive "${code[@]}"
swift format lint --strict --recursive "${code[@]}"
