#!/usr/bin/env bash
# Builds the fuzzers and runs each of them for a time; exits with an error when one of them finds something.
#
#   Fuzzing/run.sh [SECONDS] [SEED]
#
# With a seed, each run makes the same inputs in the same order; without one, each run makes others.
# What makes a fuzzer stop is left in the folder `findings` beside the build, which is FUZZ_BUILD or Fuzzing/.build.
# New inputs that reach further are kept there too, in `grown`; the committed ones in Fuzzing/Corpus are only read.
set -euo pipefail

seconds="${1:-600}"
seed="${2:-0}"  # To the fuzzers, 0 is none.
folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
build="${FUZZ_BUILD:-$folder/.build}"

# The package above has to be instrumented too, so the flags stand here and not in the manifest.
flags=(--package-path "$folder" --scratch-path "$build" -c release
  -Xswiftc -sanitize=fuzzer,address -Xswiftc -parse-as-library)
# The older GNU linkers fail on two functions `main`: the fuzzer's own and the one that the package manager renames.
if [ "$(uname)" = Linux ]; then flags+=(-Xswiftc -use-ld=lld); fi
swift build "${flags[@]}"
bin="$(swift build "${flags[@]}" --show-bin-path)"

# Swift's own signal handler would take the place of the fuzzer's. Leaks: the runtime keeps what it makes for types.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
mkdir -p "$build/findings"
failed=()
for target in FuzzReader FuzzDecoder FuzzDifferential FuzzImport; do
  mkdir -p "$build/grown/$target"
  echo "==> $target, $seconds s"
  "$bin/$target" -max_total_time="$seconds" -seed="$seed" -rss_limit_mb=2048 -max_len=4096 -timeout=20 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$build/findings/$target-" "$build/grown/$target" "$folder/Corpus/$target" || failed+=("$target")
done

if [ ${#failed[@]} -gt 0 ]; then
  echo "error: ${failed[*]} found something; see $build/findings" >&2
  exit 1
fi
