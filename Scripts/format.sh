#!/usr/bin/env bash
# Brings all Swift code into the form that .swift-format describes, and tells what has to be mended by hand.
#
#   Scripts/format.sh [--check]
#
# With --check nothing is changed: code in another form is an error, as it is in CI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

code=(Package.swift Sources Tests Examples Fuzzing/Package.swift Fuzzing/Sources .ci/darwin_run .ci/darwin_activity)
[ "${1:-}" = --check ] || swift format --in-place --recursive "${code[@]}"
swift format lint --strict --recursive "${code[@]}"
