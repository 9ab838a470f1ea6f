#!/usr/bin/env bash
# Builds the fuzzers and runs each of them for some time. Fails if one of them finds something.
#
#   Fuzzing/run.sh [SECONDS] [SEED]
#
# With a seed, each run makes the same inputs in the same order, but fewer on a slower machine. This also fixes the order of
# sets and dictionaries. Without a seed, each run makes different inputs.
# An input that stops a fuzzer is stored in the folder `findings` of the build, which is FUZZ_BUILD or Fuzzing/.build. New inputs
# that reach more code are stored there in `grown`. The committed inputs in Fuzzing/Corpus are only read.
set -euo pipefail

seconds="${1:-600}"
seed="${2:-0}"  # For the fuzzers, 0 means no seed.
folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
build="${FUZZ_BUILD:-$folder/.build}"

# The package above has to be instrumented too, so the flags are here and not in the manifest.
flags=(--package-path "$folder" --scratch-path "$build" -c release
  -Xswiftc -sanitize=fuzzer,address -Xswiftc -parse-as-library -Xswiftc -enable-testing)
# Older GNU linkers reject two `main` functions: the fuzzer's own and the one that the package manager renames.
if [ "$(uname)" = Linux ]; then flags+=(-Xswiftc -use-ld=lld); fi
swift build "${flags[@]}"
bin="$(swift build "${flags[@]}" --show-bin-path)"

# Swift's signal handler would replace the fuzzer's. Leaks are not reported because the runtime never frees type metadata.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
if [ "$seed" -ne 0 ]; then export SWIFT_DETERMINISTIC_HASHING=1; fi
rm -rf "$build/reports"
mkdir -p "$build/findings" "$build/reports"

# The committed inputs alone must reach each branch that the target lists: the progress of new inputs depends on the machine's speed.
for target in FuzzDecoder FuzzScripts FuzzStore; do
  echo "==> $target, the branches that its corpus reaches"
  FUZZ_ALL_BRANCHES=1 "$bin/$target" -runs=0 -verbosity=0 "$folder/Corpus/$target" 2>&1 | grep -a -E '^(reached|error)' || {
    echo "error: add inputs to Corpus/$target that reach the branches named above; long runs store such inputs in $build/grown" >&2
    exit 1
  }
done

# fuzz TARGET...: runs fuzzers one after the other.
fuzz() {
  local target report
  for target in "$@"; do
    mkdir -p "$build/grown/$target"
    report="$build/reports/$target"
    echo "==> $target, $seconds s"
    "$bin/$target" -max_total_time="$seconds" -seed="$seed" -rss_limit_mb=2048 -max_len=4096 -timeout=20 \
      -print_final_stats=1 -print_funcs=0 -verbosity=0 \
      -artifact_prefix="$build/findings/$target-" "$build/grown/$target" "$folder/Corpus/$target" 2>&1 |
      grep -a -v '^GlobalData: ' >"$report" && touch "$report.passed"
  done
}

# A fuzzer uses one core. Each group of fuzzers is a process group, which is ended with this script.
set -m
fuzz FuzzReader FuzzDecoder FuzzDifferential &
first=$!
fuzz FuzzImport FuzzScripts FuzzStore &
second=$!
set +m
trap 'kill -- "-$first" "-$second" 2>/dev/null || true' EXIT
wait
failed=()
for target in FuzzReader FuzzDecoder FuzzDifferential FuzzImport FuzzScripts FuzzStore; do
  echo "==> $target, the result"
  grep -a -e '^stat::' -e '^reached' "$build/reports/$target" || true
  [ -e "$build/reports/$target.passed" ] || failed+=("$target")
done

# Printed last, so that even the end of a truncated log has the failing input and its failure.
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
