#!/usr/bin/env bash
# Runs the tests of the store on other file systems than that of the temporary folder.
#
#   Violence/filesystems.sh [NAME...]
#
# Takes one to four minutes for each file system. Needs Linux, root, and loop devices, and installs what it needs with apt-get if possible. A file system
# that cannot be mounted is skipped with a message. Those that run as programs (FUSE) rename files in two steps, and only rename an open file that
# is removed; they skip the suites that need what they do not have: links, permissions, or the exact size of a link.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ "$(uname)" != Linux ] || [ "$(id -u)" != 0 ]; then
  echo "skipped: mounting file systems needs Linux, and root"
  exit 0
fi

work="$(mktemp -d)"
mounted=()
clean_up() {
  local place
  for place in "${mounted[@]}"; do umount -l "$place"; done
  rm -rf "$work"
}
trap clean_up EXIT

need() {
  command -v "$1" >/dev/null || apt-get install --yes "$2" >/dev/null 2>&1
}

make_xfs() { need mkfs.xfs xfsprogs && mkfs.xfs -q "$1.image" && mount -o loop "$1.image" "$1"; }
make_btrfs() { need mkfs.btrfs btrfs-progs && mkfs.btrfs -q "$1.image" 2>/dev/null && mount -o loop "$1.image" "$1"; }
make_tmpfs() { mount -t tmpfs -o size=500M none "$1"; }
make_overlay() {
  mkdir "$1.lower" "$1.upper" "$1.work"
  mount -t overlay -o "lowerdir=$1.lower,upperdir=$1.upper,workdir=$1.work" none "$1"
}
make_ntfs() { need ntfs-3g ntfs-3g && mkfs.ntfs -F -q "$1.image" >/dev/null 2>&1 && ntfs-3g "$1.image" "$1"; }
make_gocryptfs() {
  need gocryptfs gocryptfs && mkdir "$1.encrypted" && echo password >"$1.password" &&
    gocryptfs -init -q -passfile "$1.password" "$1.encrypted" && gocryptfs -q -passfile "$1.password" "$1.encrypted" "$1"
}

# The suites that a file system cannot pass.
links='POSIXSystemCallsTests|LostLockTests'
permissions='LeftoverTests|InterruptedCallTests|ImmediateCommitTests|FileSessionTests|EveryCallFaultTests|CompactionTests|ArchiveFile'
declare -A skipped=([gocryptfs]="$links" [ntfs]="$links|$permissions")

swift build --build-tests
failures=0
for name in ${*:-xfs btrfs tmpfs overlay gocryptfs ntfs}; do
  place="$work/$name"
  mkdir "$place"
  truncate -s 600M "$place.image"
  if ! "make_$name" "$place"; then
    echo "skipped: $name cannot be mounted here"
    continue
  fi
  mounted+=("$place")
  echo "==> $name"
  TMPDIR="$place" Scripts/some_tests.sh swift test --skip-build --filter GlobalDataTests ${skipped[$name]:+--skip "${skipped[$name]}"} ||
    failures=$((failures + 1))
done
exit "$((failures > 0))"
