#!/usr/bin/env bash
# Runs the package's tests, then each example as a user would.
#
#   Scripts/test.sh [--all] [options of `swift build`]
#
# With --all, also runs the long forms of steps that .ci/run shortens: tests with all their cases, hostile tests under AddressSanitizer, kills and
# full disks, other file systems, every 32-bit error in turn, ten minutes of new inputs for each fuzzer, the tests with Swift 6.0 and on arm64, and
# planted errors in the code for Apple's systems that need a build. This takes about three hours, and needs Linux. Commit first: the last step
# changes source files and restores them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

all=false
if [ "${1:-}" = --all ]; then
  all=true
  shift
fi

if $all; then export LONG_TESTS=1; fi
swift test "$@"
for test in Examples/*/test.sh; do
  "$test" "$@"
done
# The suites that read hostile bytes, under AddressSanitizer. Their memory is not limited here, because the sanitizer keeps freed memory. Uses
# a separate build, which is removed.
test_under_address_sanitizer() {
  local work
  work="$(mktemp -d)"
  env ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no Scripts/some_tests.sh swift test --sanitize=address \
    --filter 'Amplification|DamageTests|DeepStack|DepthTests|DictionaryKey|MalformedInput|HostileFile|HostileImport' \
    --scratch-path "$work/build"
  rm -rf "$work"
}

if $all; then
  test_under_address_sanitizer
  python3 .ci/byte_layer.py --mutations
  python3 .ci/apple_branches.py --mutations
  Violence/run.sh --long
  Violence/filesystems.sh
  Fuzzing/run.sh
  .ci/swift60.sh --tests
  .ci/arm64.sh
  # This is the last step, because its build of the tests contains the errors.
  python3 .ci/apple_mutations.py --rebuilding
fi
