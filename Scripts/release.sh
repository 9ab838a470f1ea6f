#!/usr/bin/env bash
# Releases the committed state: checks all of it, dates the section of the changelog, commits, and tags. Does not push.
# Builds the documentation as a static site in .build/documentation, one folder for each module.
#
#   Scripts/release.sh [--dry-run] VERSION
#
# With --dry-run, runs all checks and changes nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "error: $*" >&2
  exit 1
}

is_dry_run=false
if [ "${1:-}" = --dry-run ]; then
  is_dry_run=true
  shift
fi
version="${1:-}"
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "usage: Scripts/release.sh [--dry-run] VERSION, such as 0.1.0"
[ -z "$(git status --porcelain)" ] || fail "commit or discard all changes first"
[ "$(git branch --show-current)" = main ] || fail "switch to the branch main first"
! git rev-parse --quiet --verify "refs/tags/$version" >/dev/null || fail "the release $version exists already"
section="$(awk '/^## / { inside = ($0 == "## [Unreleased]"); next } inside && NF' CHANGELOG.md)"
[ -n "$section" ] || fail "CHANGELOG.md has no entries under [Unreleased]"

# .ci/run compares the list of the public API. From the second release on, this lists API-breaking changes, and refuses them in a patch:
# callers must compile unchanged.
previous="$(git tag --list '[0-9]*.[0-9]*.[0-9]*' --sort=-version:refname | head -n 1)"
if [ -n "$previous" ]; then
  lower="$(printf '%s\n%s\n' "$previous" "$version" | sort -V | head -n 1)"
  [ "$lower" = "$previous" ] || fail "$version is not higher than $previous"
  if ! swift package diagnose-api-breaking-changes "$previous" && [ "${version%.*}" = "${previous%.*}" ]; then
    fail "$version is a patch of $previous, but breaks its API"
  fi
  # Files of a release stay readable, so their golden and conformance files must not change. A renamed file counts as deleted.
  changed="$(git diff --name-only --no-renames --diff-filter=DM "$previous" -- \
    ':(glob)Tests/**/Fixtures/**' ':(glob)Tests/**/GoldenArchives/**' ':(glob)Tests/Conformance/*.globaldata')"
  [ -z "$changed" ] || fail "restore these files of released formats: $changed"
fi
grep -q "^\.package(url: .*from: \"$version\")" README.md || fail "README.md does not install $version"
# As one line each, because the sentence may be wrapped.
unreleased="$(grep -lziE 'not?[[:space:]]+(release|released|tagged)[[:space:]]+yet|not[[:space:]]+yet[[:space:]]+released' README.md llms.txt Sources/*/*.docc/*.md | tr '\n' ' ')" || true
[ -z "$unreleased" ] || fail "these say that there is no release yet: $unreleased"

.ci/run
rm -rf .build/documentation
Scripts/documentation.sh

if $is_dry_run; then
  echo "Release $version passes all checks. Nothing was changed"
  exit
fi
awk -v heading="## [$version] - $(date +%F)" '
  { print }
  $0 == "## [Unreleased]" { print ""; print heading }
' CHANGELOG.md >CHANGELOG.new
mv CHANGELOG.new CHANGELOG.md
git commit --quiet --message "Release $version" CHANGELOG.md
git tag --annotate "$version" --message "$version"
echo "Release $version is committed and tagged. To publish it: git push origin main $version"
