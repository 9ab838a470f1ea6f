#!/usr/bin/env bash
# Runs the package's tests, and then each example as its users would.
#
#   Scripts/test.sh [--all] [options of `swift build`]
#
# With --all, also the long forms of what .ci/run does in short: kills and full disks, every error of 32 bits in turn, ten minutes of
# new inputs for each fuzzer, and errors in the code for Apple's systems that need a build. That takes more than an hour, and on Linux
# only. Commit first: the last of these changes source files and restores them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

all=false
if [ "${1:-}" = --all ]; then
  all=true
  shift
fi

swift test "$@"
for test in Examples/*/test.sh; do
  "$test" "$@"
done
if $all; then
  python3 .ci/byte_layer.py --all-mutations
  Violence/run.sh --long
  Fuzzing/run.sh
  # Last: the tests that it builds have the errors in them.
  python3 .ci/apple_mutations.py --rebuilding
fi
