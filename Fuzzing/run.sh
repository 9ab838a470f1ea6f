#!/usr/bin/env bash
# Builds the fuzzers and runs each of them for a time; exits with an error when one of them finds something.
#
#   Fuzzing/run.sh [SECONDS] [SEED]
#
# With a seed, each run makes the same inputs in the same order, only not as many on a slower machine; without one, each
# run makes others. For that, sets and dictionaries have to be in the same order in each run, too.
# What makes a fuzzer stop is left in the folder `findings` beside the build, which is FUZZ_BUILD or Fuzzing/.build.
# New inputs that reach further are kept there too, in `grown`; the committed ones in Fuzzing/Corpus are only read.
set -euo pipefail

seconds="${1:-600}"
seed="${2:-0}"  # To the fuzzers, 0 is none.
folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
build="${FUZZ_BUILD:-$folder/.build}"

# The package above has to be instrumented too, so the flags stand here and not in the manifest.
flags=(--package-path "$folder" --scratch-path "$build" -c release
  -Xswiftc -sanitize=fuzzer,address -Xswiftc -parse-as-library -Xswiftc -enable-testing)
# The older GNU linkers fail on two functions `main`: the fuzzer's own and the one that the package manager renames.
if [ "$(uname)" = Linux ]; then flags+=(-Xswiftc -use-ld=lld); fi
swift build "${flags[@]}"
bin="$(swift build "${flags[@]}" --show-bin-path)"

# Swift's own signal handler would take the place of the fuzzer's. Leaks: the runtime keeps what it makes for types.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
if [ "$seed" -ne 0 ]; then export SWIFT_DETERMINISTIC_HASHING=1; fi
mkdir -p "$build/findings" "$build/reports"

# The committed inputs alone have to reach each branch that the target lists: how far new inputs come depends on the machine's speed.
echo "==> FuzzStore, the branches that its corpus reaches"
FUZZ_ALL_BRANCHES=1 "$bin/FuzzStore" -runs=0 -verbosity=0 "$folder/Corpus/FuzzStore" 2>&1 | grep -a -E '^(reached|error)' || {
  echo "error: add inputs to Corpus/FuzzStore that reach the branches named above; long runs keep such ones in $build/grown" >&2
  exit 1
}

failed=()
for target in FuzzReader FuzzDecoder FuzzDifferential FuzzImport FuzzStore; do
  mkdir -p "$build/grown/$target"
  echo "==> $target, $seconds s"
  report="$build/reports/$target"
  "$bin/$target" -max_total_time="$seconds" -seed="$seed" -rss_limit_mb=2048 -max_len=4096 -timeout=20 \
    -print_final_stats=1 -print_funcs=0 -verbosity=0 \
    -artifact_prefix="$build/findings/$target-" "$build/grown/$target" "$folder/Corpus/$target" 2>&1 |
    grep -a -v '^GlobalData: ' >"$report" || failed+=("$target")
  grep -a -e '^stat::' -e '^reached' "$report" || true
done

# Last of all, so that a log of which only the end is kept has the input that failed, and what failed with it.
for target in ${failed[@]+"${failed[@]}"}; do
  echo "==> $target found something:"
  grep -a -v -e '^INFO:' -e '^stat::' -e '# Uses:' -e '^######' "$build/reports/$target" | cut -c 1-2000 | sed -n 1,60p || true
  for finding in "$build/findings/$target"-*; do
    if [ -f "$finding" ]; then echo "$finding, in base64:" && base64 <"$finding"; fi
  done
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "error: ${failed[*]} found something; see $build/findings" >&2
  exit 1
fi
