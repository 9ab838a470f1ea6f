#!/usr/bin/env bash
# Compiles the package and its tests with Swift 6.0, the oldest supported version, and checks that programs of the current version need
# nothing that the libraries of 6.0 lack: iOS 18.0 ends such an app before it starts.
#
# usage: swift60.sh --install
#        swift60.sh [--tests] [PROGRAM...]
#
# --install  only installs Swift 6.0
# --tests    also runs the tests, and compiles the programs of Examples/Sizes for release
# PROGRAM    a program built with this machine's Swift
#
# Debian 13 has Swift 6.0. The script installs it into a separate folder that is kept for the next run: about 2 GB in /var/cache/swift-6.0, or in
# $SWIFT60. This takes two minutes. Needs Linux and the right to change the root folder; otherwise, skips with a message.
#
# Exit status: 0 success or skipped, 1 failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

system="${SWIFT60:-/var/cache/swift-6.0}"
tests=false
if [ "${1:-}" = --tests ]; then
  tests=true
  shift
fi

# Symbols that only the current libraries have, and that no system with those of 6.0 requests.
expected=(
  # On Apple's systems, AttributedString is Codable. This package's code for it is only compiled elsewhere.
  '$s20FoundationEssentials16AttributedStringV4RunsV9_distance4from2toSiAE5IndexV_AJtF'
  # Declared as new in 6.2, so Apple's linker allows its absence: SerialExecutor.isIsolatingCurrentContext().
  '$sScf25isIsolatingCurrentContextSbSgyFTq' '$sScfsE25isIsolatingCurrentContextSbSgyF'
)

install() {
  rm -rf "$system.new"
  mkdir -p "$system.new"
  { command -v debootstrap || { apt-get update && apt-get install -y debootstrap; }; } &&
    debootstrap --variant=minbase --include=ca-certificates trixie "$system.new" &&
    chroot "$system.new" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      swiftlang git libc6-dev libstdc++-14-dev &&
    chroot "$system.new" apt-get clean &&
    rm -rf "$system" &&
    mv "$system.new" "$system"
}

if [ "$(uname)" != Linux ] || [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null || ! unshare --mount true 2>/dev/null; then
  echo "SKIPPED: Swift 6.0 is installed only on Debian, as root"
  exit 0
fi
# Not usr/bin/swift, a link that leads out of the folder.
if [ ! -e "$system/usr/libexec/swift/bin/swift" ] && ! log="$(install 2>&1)"; then
  tail -n 5 <<<"$log"
  echo "SKIPPED: Swift 6.0 cannot be installed"
  exit 0
fi
if [ "${1:-}" = --install ]; then exit 0; fi

# swift60 ARGUMENT...: runs Swift 6.0, and prints its output if it fails.
#
# The other system sees the package at a separate path, read-only. Mounts end with the process. The library for observation refers to a
# function that Debian's package does not have, and that no code here calls.
swift60() {
  echo "+ swift $*"
  unshare --mount bash -euo pipefail -c '
    system="$1"
    shift
    mkdir -p "$system/package" "$system/build"
    mount --bind "$PWD" "$system/package"
    mount -o remount,bind,ro "$system/package"
    mount --bind /dev "$system/dev"
    mount -t proc proc "$system/proc"
    chroot "$system" env -i HOME=/root PATH=/usr/bin:/bin LONG_TESTS="${LONG_TESTS:-}" \
      swift "$@" -Xlinker --allow-shlib-undefined
  ' swift60 "$system" "$@" >"$system/log" 2>&1 || {
    grep -Ev '^\[[0-9]+/[0-9]+\]|^. (Test|Suite) .* (started|passed)' "$system/log"
    echo "FAILED: with Swift 6.0"
    exit 1
  }
  grep -E '^Build complete|Test run with' "$system/log"
  if grep -E '^/package/.*(warning|error):' "$system/log" | sort -u; then
    echo "FAILED: Swift 6.0 prints warnings or errors"
    exit 1
  fi
}

# With the tests, because 6.0 infers fewer types than later compilers.
swift60 build --build-tests --package-path /package --scratch-path /build
if $tests; then
  # Foundation of 6.0 does not know windows-1252 on Linux.
  swift60 test --package-path /package --scratch-path /build --skip xmlIsReadInItsDeclaredEncoding
  swift60 build -c release --package-path /package/Examples/Sizes --scratch-path /build/sizes
fi

# symbols FOLDER...: prints the symbols that the dynamic libraries in folders define.
symbols() {
  find "$@" -maxdepth 1 -name '*.so' -exec nm -D --defined-only {} + | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' | sort -u
}

resources="$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')"
newer="$(comm -23 <(symbols "$resources/linux") <(symbols "$system/usr/libexec/swift/lib/swift/linux") |
  grep -Fxv -f <(printf '%s\n' "${expected[@]}"))"
[ -n "$newer" ] || { echo "FAILED: the libraries of both versions seem to be the same"; exit 1; }
for program in "$@"; do
  [ -f "$program" ] || { echo "FAILED: there is no program $program"; exit 1; }
  needed="$(comm -12 <(nm -D --undefined-only "$program" | awk '{ sub(/@.*/, "", $2); print $2 }' | sort -u) <(echo "$newer"))"
  if [ -n "$needed" ]; then
    echo "FAILED: $(basename "$program") needs symbols that Swift 6.0 does not have:"
    swift demangle $needed
    exit 1
  fi
  echo "$(basename "$program") needs only symbols that Swift 6.0 has"
done
