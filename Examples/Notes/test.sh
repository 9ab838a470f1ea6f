#!/usr/bin/env bash
# Stores notes in a folder from several processes, damages files, and watches the changes of another process.
#
#   Examples/Notes/test.sh [options of `swift build`]
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

swift build --package-path "$here/.." --product Notes "$@"
notes="$(swift build --package-path "$here/.." --show-bin-path "$@")/Notes"

"$here/../../Scripts/some_tests.sh" swift test --package-path "$here/.." --filter NotesTests "$@"

. "$here/../checking.sh"
folder="$work/my notes"

watcher=""
stop_watcher() {
  [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
  [ -z "$watcher" ] || wait "$watcher" 2>/dev/null || true
  watcher=""
}
trap 'stop_watcher; rm -rf "$work"' EXIT

# run STATUS ARGUMENT...: runs the app with the folder, and checks its exit status.
run() {
  local expected="$1"
  shift
  attempt "$expected" "$notes" --folder "$folder" "$@"
}

# prints LINE...: checks that standard output is exactly these lines.
prints() {
  [ "$out" = "$(printf '%s\n' "$@")" ] || fail "the output is not: $*"
}

# complains PART: checks that standard error contains this text.
complains() {
  grep -qF -- "$1" <<<"$err" || fail "standard error does not say: $1"
}

echo "An empty notebook"
run 0 list
prints "0 notes"
[ ! -e "$folder" ] || fail "listing created a folder"
run 0 restore
prints "0 notes"

echo "Adding, listing, searching"
run 0 add "Buy oats" --tag shop
prints "added  1  Buy oats  #shop"
run 0 add "Call Ada" --tag friends --tag today
prints "added  2  Call Ada  #friends  #today"
echo $'Crème brûlée\nfour eggs, sugar' >"$work/recipe"
run 0 add - <"$work/recipe"
prints "added  3  Crème brûlée"
run 0 list
prints "3  Crème brûlée" "2  Call Ada  #friends  #today" "1  Buy oats  #shop" "3 notes"
run 0 list --tag shop
prints "1  Buy oats  #shop" "1 note"
run 0 search creme EGGS
prints "3  Crème brûlée" "1 note"
run 0 search today
prints "2  Call Ada  #friends  #today" "1 note"
run 0 search nothing
prints "0 notes"
run 0 show 3
grep -Fxq "four eggs, sugar" <<<"$out" || fail "the text is not shown"

echo "Changing"
run 0 pin 1
run 0 edit 2 "Call Ada at nine"
run 0 list
prints "1 *  Buy oats  #shop" "2  Call Ada at nine  #friends  #today" "3  Crème brûlée" "3 notes"
run 0 unpin 1
run 0 list
prints "2  Call Ada at nine  #friends  #today" "3  Crème brûlée" "1  Buy oats  #shop" "3 notes"

echo "Removing all or none, and restoring"
run 1 remove 1 99 2
complains "There is no note 99."
run 0 remove 1 2
run 0 list
prints "3  Crème brûlée" "1 note"
run 0 restore
prints "1  Buy oats  #shop" "2  Call Ada at nine  #friends  #today" "2 notes"
run 0 restore
prints "0 notes"

echo "Two processes at the same time"
for writer in a b; do
  (for number in 1 2 3 4 5 6 7 8 9 10; do "$notes" --folder "$folder" add "$writer $number"; done) >"$work/$writer" &
  eval "writer_$writer=$!"
done
wait "$writer_a" "$writer_b"
[ "$(awk '{ print $2 }' "$work/a" "$work/b" | sort -u | wc -l)" -eq 20 ] || fail "a number was used twice"
run 0 list
grep -Fxq "23 notes" <<<"$out" || fail "notes got lost"

echo "Watching another process"
mkfifo "$work/watched"
"$notes" --folder "$folder" watch >"$work/watched" &
watcher=$!
exec 3<"$work/watched"
# sees LINE: checks the watcher's next line.
sees() {
  local line=""
  read -r -t 60 line <&3 || true
  [ "$line" = "$1" ] || fail "the watcher printed \"$line\" instead of \"$1\""
}
sees "watching 23 notes"
run 0 add "Water the plants" --tag home
sees "added    24  Water the plants  #home"
run 0 pin 24
sees "changed  24 *  Water the plants  #home"
run 0 remove 24
sees "removed  24 *  Water the plants  #home"
stop_watcher
exec 3<&-

echo "Errors"
run 1 show 99
complains "There is no note 99."
run 1 edit 99 "text"
run 1 pin 99
run 1 add "   "
complains "A note needs a text."
run 2
complains "usage: Notes"
run 2 ad "text"
complains "unknown command ad"
run 2 add two words
run 2 show one
run 2 add "text" --tag
run 2 list --colour
run 0 --help
printf '%s\n' "${out%%$'\n'*}" | grep -qF "usage: Notes" || fail "no help"

echo "A file that cannot be read is not an empty notebook"
mv "$folder/Notes.archive" "$work/kept"
mkdir "$folder/Notes.archive"
run 1 list
complains "error: notAFile"
run 1 add "text"
run 1 watch
rmdir "$folder/Notes.archive"
mv "$work/kept" "$folder/Notes.archive"
run 0 list
grep -Fxq "23 notes" <<<"$out" || fail "notes got lost"

echo "Without a folder, the notes are in the system's folder for the program's data"
attempt 0 "$notes" add "Buy milk"
attempt 0 "$notes" list
prints "1  Buy milk" "1 note"
find "$work/data" "$work/home" -name Notes.archive | grep -q . || fail "the file is not in the data folder"

conclude Notes
