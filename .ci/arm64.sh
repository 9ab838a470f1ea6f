#!/usr/bin/env bash
# Compiles the tests for arm64, the processor of Apple's devices, and runs them in an emulator. All other tests run on x86_64, where floating-point
# numbers become integers in another way, and C's characters have a sign.
#
# usage: arm64.sh [--filter PATTERN]
#
# Takes about an hour. Uses Swift 6.0 for both processors, because Debian has it for both: swift60.sh's installation compiles, and a second one, 3 GB
# in /var/cache/swift-6.0-arm64 or in $SWIFT60_ARM64, has the libraries. Leaves out the suites that start processes, for which the emulator would
# have to be known to the kernel. Needs Debian, and the right to change the root folder; otherwise, skips with a message.
#
# Exit status: 0 success or skipped, 1 failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pattern=.
if [ "${1:-}" = --filter ]; then pattern="$2"; fi
system="${SWIFT60:-/var/cache/swift-6.0}"
libraries="${SWIFT60_ARM64:-/var/cache/swift-6.0-arm64}"
swift=usr/libexec/swift/lib/swift
processes='HostileFileTests|StandardTypeMutationTests|PersistenceTests|LostLockTests|ClosedStandardErrorTests|KillTests|StressWriterTests|TwoProcess'
processes+='|OtherProcessTests|SharedFileTests|SourceRulesTests|DocumentationTests|ArchiveToolTests|xmlIsReadInItsDeclaredEncoding'

# Unpacks the packages without running their scripts, which would need the emulator.
install_libraries() {
  local root="$libraries.new" package
  rm -rf "$root"
  debootstrap --foreign --arch=arm64 --variant=minbase --include=swiftlang,libc6-dev,libstdc++-14-dev trixie "$root" || return 1
  for package in "$root"/var/cache/apt/archives/*.deb; do
    dpkg -x "$package" "$root" && rm "$package" || return 1
  done
  # The compiler looks for the C library's module beside the headers of the processor that it runs on.
  cp "$root/$swift/linux/aarch64/glibc.modulemap" "$root/usr/include/module.modulemap" &&
    cp "$root/$swift/linux/aarch64/SwiftGlibc.h" "$root/usr/include/" && rm -rf "$libraries" && mv "$root" "$libraries"
}

.ci/swift60.sh --install
if [ ! -e "$system/usr/libexec/swift/bin/swift" ] || [ "$(id -u)" -ne 0 ] || ! unshare --mount true 2>/dev/null; then exit 0; fi
if ! { command -v debootstrap && command -v qemu-aarch64-static; } >/dev/null &&
  ! log="$({ apt-get update && apt-get install -y debootstrap qemu-user-static; } 2>&1)"; then
  tail -n 5 <<<"$log"
  echo "SKIPPED: the emulator cannot be installed"
  exit 0
fi
if [ ! -e "$libraries/$swift" ] && ! log="$(install_libraries 2>&1)"; then
  tail -n 5 <<<"$log"
  echo "SKIPPED: the libraries for arm64 cannot be installed"
  exit 0
fi

mkdir -p "$system"/{package,build-arm64,arm64} "$libraries"/{package,build-arm64,dev,proc}
cat >"$system/arm64.json" <<END
{
  "version": 1, "sdk": "/arm64", "toolchain-bin-dir": "/usr/libexec/swift/bin", "target": "aarch64-unknown-linux-gnu",
  "dynamic-library-extension": "so", "extra-cc-flags": ["-fPIC"], "extra-cpp-flags": [],
  "extra-swiftc-flags": [
    "-resource-dir", "/arm64/$swift", "-plugin-path", "/$swift/host/plugins/testing", "-use-ld=lld",
    "-Xcc", "--sysroot=/arm64", "-Xcc", "-I/arm64/usr/include", "-Xcc", "-isystem/arm64/usr/include/aarch64-linux-gnu",
    "-Xclang-linker", "-fuse-ld=lld", "-Xclang-linker", "--sysroot=/arm64"
  ]
}
END
cp "$(command -v qemu-aarch64-static)" "$libraries/qemu"

# in_root ROOT MOUNTS COMMAND...: runs a command that sees a folder as the root, the package at /package, and what the mounts add. Mounts end with the
# process.
in_root() {
  unshare --mount bash -euo pipefail -c '
    root="$1"
    mount --bind "$PWD" "$root/package"
    mount -o remount,bind,ro "$root/package"
    mount --bind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount --bind "$2" "$root$3"
    shift 3
    exec env -i HOME=/root PATH=/usr/libexec/swift/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "$@"
  ' in_root "$@"
}

echo "+ swift build --build-tests, for arm64"
in_root "$system" "$libraries" /arm64 swift build --build-tests --package-path /package --scratch-path /build-arm64 \
  --destination /arm64.json -Xlinker --allow-shlib-undefined >"$libraries/log" 2>&1 || {
  grep -E 'error:' "$libraries/log" || tail -n 5 "$libraries/log"
  echo "FAILED: the tests do not compile for arm64"
  exit 1
}
# Each test after the one before it: the emulator is slow, and a test that does not end in time would say nothing.
in_root "$libraries" "$system/build-arm64" /build-arm64 /qemu -E LD_LIBRARY_PATH="/$swift/linux" \
  /build-arm64/debug/GlobalDataPackageTests.xctest --testing-library swift-testing --no-parallel \
  --filter "$pattern" --skip "$processes" >"$libraries/log" 2>&1 || {
  grep -aE '^✘' "$libraries/log" || tail -n 5 "$libraries/log"
  echo "FAILED: on arm64"
  exit 1
}
if ! grep -aE 'Test run with [1-9]' "$libraries/log"; then
  echo "FAILED: no test ran"
  exit 1
fi
