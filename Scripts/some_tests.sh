#!/usr/bin/env bash
# Runs a command that runs tests, and fails if it runs none: `swift test --filter` succeeds if no name in it exists.
#
#   Scripts/some_tests.sh swift test --filter NAMES [option...]
set -euo pipefail

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
if ! grep -Eq 'Test run with [1-9][0-9]* tests?' "$log"; then
  echo "error: no test has run: $*" >&2
  exit 1
fi
