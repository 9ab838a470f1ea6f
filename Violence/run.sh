#!/usr/bin/env bash
# Builds stress-writer and the library that makes calls fail, and runs violence.py with them.
#
#   Violence/run.sh [--long]
#
# Takes about two minutes. With --long, takes longer, and also runs the random walks of the tests with 1,000 seeds. Needs Linux,
# a C compiler and Python 3.
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
package="$(dirname "$folder")"
if [ "$(uname)" != Linux ]; then
  echo "skipped: preloading and mount namespaces need Linux"
  exit 0
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
compiler="$(command -v cc || command -v clang)"
"$compiler" -O1 -Wall -Wextra -Werror -shared -fPIC -o "$work/faults.so" "$folder/faults.c" -ldl -lpthread
swift build --package-path "$package" --product stress-writer
bin="$(swift build --package-path "$package" --show-bin-path)"
PYTHONDONTWRITEBYTECODE=1 python3 "$folder/violence.py" "$@" "$bin/stress-writer" "$work/faults.so"
if [ "${1:-}" = --long ]; then
  RANDOM_WALKS=1000 "$package/Scripts/some_tests.sh" swift test --package-path "$package" --filter 'RandomRestoringTests|RandomCallsTests|RandomPowerCutTests|InterruptedCallTests'
fi
