#!/usr/bin/env bash
# Makes a release of what is committed: checks all of it, dates the changelog's section, commits, and tags. Nothing is pushed.
# The documentation becomes a static site in .build/documentation, one folder for each module.
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

# The list of the public API is compared by .ci/run. From the second release on, what breaks programs is told here, and refused for a
# patch: its callers must compile as they are.
previous="$(git tag --list '[0-9]*.[0-9]*.[0-9]*' --sort=-version:refname | head -n 1)"
if [ -n "$previous" ]; then
  lower="$(printf '%s\n%s\n' "$previous" "$version" | sort -V | head -n 1)"
  [ "$lower" = "$previous" ] || fail "$version is not above $previous"
  if ! swift package diagnose-api-breaking-changes "$previous" && [ "${version%.*}" = "${previous%.*}" ]; then
    fail "$version is a patch of $previous, and breaks its API"
  fi
  # What a release has written is read for ever: its golden and conformance files stay as they are.
  changed="$(git diff --name-only --diff-filter=DM "$previous" -- 'Tests/*/Fixtures' 'Tests/*/GoldenArchives' 'Tests/Conformance/*.globaldata')"
  [ -z "$changed" ] || fail "files of released formats were changed: $changed"
fi
grep -q "from: \"$version\"" README.md || fail "README.md installs another version than $version"

.ci/run
rm -rf .build/documentation
Scripts/documentation.sh

awk -v heading="## [$version] - $(date +%F)" '
  { print }
  $0 == "## [Unreleased]" { print ""; print heading }
' CHANGELOG.md >CHANGELOG.new
mv CHANGELOG.new CHANGELOG.md
git commit --quiet --message "Release $version" CHANGELOG.md
git tag --annotate "$version" --message "$version"
echo "Release $version is committed and tagged. To publish it: git push origin main $version"
