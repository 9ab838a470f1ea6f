#!/usr/bin/env bash
# Makes a release of what is committed: checks all of it, dates the changelog's section, commits, and tags. Nothing is pushed.
#
#   Scripts/release.sh VERSION
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "error: $*" >&2
  exit 1
}

version="${1:-}"
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "usage: Scripts/release.sh VERSION, such as 0.1.0"
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed"
[ "$(git branch --show-current)" = main ] || fail "releases are made of the branch main"
! git rev-parse --quiet --verify "refs/tags/$version" >/dev/null || fail "there is a release $version already"
section="$(awk '/^## / { inside = ($0 == "## [Unreleased]"); next } inside && NF' CHANGELOG.md)"
[ -n "$section" ] || fail "CHANGELOG.md says nothing under [Unreleased]"

.ci/run

awk -v heading="## [$version] - $(date +%F)" '
  { print }
  $0 == "## [Unreleased]" { print ""; print heading }
' CHANGELOG.md >CHANGELOG.new
mv CHANGELOG.new CHANGELOG.md
git commit --quiet --message "Release $version" CHANGELOG.md
git tag --annotate "$version" --message "$version"
echo "Release $version is committed and tagged. To publish it: git push origin main $version"
