#!/usr/bin/env bash
# Selects an Xcode of a runner's image: the newest one, except betas, whose version begins with a number.
#
#   .ci/select_xcode.sh VERSION
set -euo pipefail

# An image has links for versions without their last number, and some of them are broken.
found="$(find /Applications -maxdepth 1 \( -name "Xcode_$1.app" -o -name "Xcode_$1.*.app" \) ! -iname '*beta*' \
  -exec test -d '{}/Contents/Developer' \; -print | sort -V | tail -n 1)"
if [ -z "$found" ]; then
  echo "error: there is no Xcode $1 among these:" >&2
  find /Applications -maxdepth 1 -name 'Xcode*' >&2
  exit 1
fi
sudo xcode-select --switch "$found/Contents/Developer"
xcodebuild -version
