#!/usr/bin/env bash
# Compiles the package with Swift 6.0, the oldest version that it supports, and checks that programs of the present version need
# nothing that the libraries of 6.0 do not have: on iOS 18.0, an app that does is ended by the system before it starts.
#
# usage: swift60.sh [--tests] [PROGRAM...]
#
# --tests    compiles the tests, too, and runs them; and compiles the programs of Examples/Sizes for release
# PROGRAM    a program that this machine's Swift built
#
# Debian 13 has Swift 6.0. It is installed into a folder of its own, which is kept for the next run: some 2 GB in /var/cache/swift-6.0, or
# in $SWIFT60. That takes two minutes. Needs Linux, and the rights to change the root folder; without them, skips with a message.
#
# Exit status: 0 all is well, or skipped; 1 not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

system="${SWIFT60:-/var/cache/swift-6.0}"
tests=false
if [ "${1:-}" = --tests ]; then
  tests=true
  shift
fi

# Symbols that only the present libraries have, and that no system with those of 6.0 looks for.
expected=(
  # Apple's systems have an AttributedString that is Codable; this package's code for it is only compiled elsewhere.
  '$s20FoundationEssentials16AttributedStringV4RunsV9_distance4from2toSiAE5IndexV_AJtF'
  # Declared as new in 6.2, so that Apple's linker lets it be absent: SerialExecutor.isIsolatingCurrentContext().
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

# swift60 ARGUMENT...: runs Swift 6.0, and shows what it says if it fails.
#
# The package is seen by the other system at a place of its own, and is not written to. What is mounted goes with the process.
# The library for observation refers to a function that Debian's package does not have, and that nothing here calls.
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
    echo "FAILED: Swift 6.0 has something to say"
    exit 1
  fi
}

swift60 build --package-path /package --scratch-path /build
if $tests; then
  # Foundation of 6.0 does not know windows-1252 on Linux.
  swift60 test --package-path /package --scratch-path /build --skip xmlIsReadInItsDeclaredEncoding
  swift60 build -c release --package-path /package/Examples/Sizes --scratch-path /build/sizes
fi

# symbols FOLDER...: what the dynamic libraries in folders define.
symbols() {
  find "$@" -maxdepth 1 -name '*.so' -exec nm -D --defined-only {} + | awk 'NF == 3 { sub(/@.*/, "", $3); print $3 }' | sort -u
}

resources="$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath" *: *"\(.*\)".*/\1/p')"
newer="$(comm -23 <(symbols "$resources/linux") <(symbols "$system/usr/libexec/swift/lib/swift/linux") |
  grep -Fxv -f <(printf '%s\n' "${expected[@]}"))"
[ -n "$newer" ] || { echo "FAILED: the libraries of both versions look alike"; exit 1; }
for program in "$@"; do
  needed="$(comm -12 <(nm -D --undefined-only "$program" | awk '{ sub(/@.*/, "", $2); print $2 }' | sort -u) <(echo "$newer"))"
  if [ -n "$needed" ]; then
    echo "FAILED: $(basename "$program") needs what Swift 6.0 does not have:"
    swift demangle $needed
    exit 1
  fi
  echo "$(basename "$program") needs nothing that Swift 6.0 does not have"
done
