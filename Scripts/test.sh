#!/usr/bin/env bash
# Runs the package's tests, and then each example as its users would.
#
#   Scripts/test.sh [options of `swift build`]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

swift test "$@"
for test in Examples/*/test.sh; do
  "$test" "$@"
done
