#!/usr/bin/env bash
# Reads and writes one archive file with three releases of an app in turn, and checks what older releases report about a newer file.
#
#   Examples/Evolution/test.sh [options of `swift build`]
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

for version in 1 2 3; do
  swift build --package-path "$here/.." --product "EvolutionVersion$version" "$@"
done
bin="$(swift build --package-path "$here/.." --show-bin-path "$@")"

. "$here/../checking.sh"
file="$work/readers.archive"

# run STATUS VERSION ARGUMENT...: runs a release with the file and the arguments, and checks its exit status.
run() {
  local expected="$1" version="$2"
  shift 2
  attempt "$expected" "$bin/EvolutionVersion$version" "$file" "$@"
}

# prints LINE: checks that standard output has exactly this line.
prints() {
  grep -Fxq -- "$1" <<<"$out" || fail "no line is: $1"
}

# prints_part TEXT: checks that a line of standard output contains this text.
prints_part() {
  grep -Fq -- "$1" <<<"$out" || fail "no line has: $1"
}

checksum() {
  cksum <"$file"
}

echo "The first release writes"
run 0 1 write
prints "owner: Ada, 36, of London, who reads Emma and Persuasion"
written_by_1="$(checksum)"
cp "$file" "$work/from-1"

echo "The second release reads what the first one wrote"
run 0 2
prints "owner: Ada, 36, of London, a member, who reads Emma and Persuasion"
prints "readers: [Ada, 36, of London, a member, who reads Emma and Persuasion, Bo, 7, of Malmö, a member, who reads ]"
prints "visits: 1"
[ "$(checksum)" = "$written_by_1" ] || fail "reading changed the file"
run 0 2 write
prints "visits: 2"

echo "The first release cannot read what the second one renamed, but reads the rest"
run 0 1
prints_part 'owner: unreadable: typeMismatch: the value under the key "owner" could not be decoded'
prints_part "stored: Reader; expected: Person"
prints_part "readers: [Ada, 36, of London, who reads Emma and Persuasion, "
prints "visits: 2"

echo "The third release reads what both wrote"
run 0 3
prints "owner: Ada (Countess), 36, of London, a member, who reads Emma and Persuasion"
prints "readers: [Ada, 36, of London, a member, who reads Emma and Persuasion, Bo, 7, of Malmö, a member, who reads ]"
run 0 3 migrate
prints "looked at owner, 1 of 3"
prints "migrated: owner, readers"
prints "unchanged: 1"
prints "owner: Ada (Countess), 36, of London, a member, who reads Emma and Persuasion"
written_by_3="$(checksum)"
run 0 3 migrate
prints "migrated: "
prints "unchanged: 3"
[ "$(checksum)" = "$written_by_3" ] || fail "a second migration changed the file"

echo "An older release reports what is newer, and does not change the file"
run 0 2
prints_part 'owner: unreadable: newerVersion: the value under the key "owner", version 2 of Reader, could not be decoded'
prints_part "newest known version: 1"
prints_part "Update the app"
prints "visits: 2"
run 1 2 write
grep -Fq "error: newerVersion" <<<"$err" || fail "the write was not refused"
[ "$(checksum)" = "$written_by_3" ] || fail "an older release changed the file"
run 0 3
prints "owner: Ada (Countess), 36, of London, a member, who reads Emma and Persuasion"

echo "From the first release to the third directly"
cp "$work/from-1" "$file"
run 0 3 migrate
prints "owner: Ada, 36, of London, a member, who reads Emma and Persuasion"
prints "migrated: owner, readers"

conclude Evolution
