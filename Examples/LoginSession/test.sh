#!/usr/bin/env bash
# Runs the whole life of a session in an empty data folder. Each run is a separate process.
#
#   Examples/LoginSession/test.sh [options of `swift build`]
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
sample="$here/login.json"

swift build --package-path "$here/.." --product LoginSession "$@"
login_session="$(swift build --package-path "$here/.." --show-bin-path "$@")/LoginSession"

. "$here/../checking.sh"

# run STATUS ARGUMENT...: runs the example, and checks its exit status and that standard error has output only after an error.
run() {
  local expected="$1"
  shift
  attempt "$expected" "$login_session" "$@"
  if [ "$expected" -eq 0 ]; then
    [ -z "$err" ] || fail "unexpected output on standard error"
  else
    [ -n "$err" ] || fail "an error without a message on standard error"
  fi
}

# prints TEXT LINE: checks that a line of the text begins like this, apart from leading spaces.
prints() {
  awk -v want="$2" '{ sub(/^ +/, "") } index($0, want) == 1 { found = 1 } END { exit !found }' <<<"$1" ||
    fail "no line begins with: $2"
}

# Prints a path in Foundation's form, which omits the /private of the temporary folder on macOS.
without_private() {
  echo "${1#/private}"
}

says_nothing_is_stored() {
  prints "$out" "Nobody is logged in: found no session."
  prints "${out/at \/private\//at /}" "There is no file at $(without_private "$work")/"
  local left
  left="$(find "$work/data" "$work/home" -type f ! -name '*.lock')"
  [ -z "$left" ] || fail "files remain: $left"
}

finds_the_session() {
  prints "$out" "Found a session."
  prints "$out" "file: $file"
  prints "$out" "cars: Array<"
  prints "$out" "[0]: CarInfo = 40211 Delivery van 1, plate HH-GD 4021, driving, online"
  prints "$out" "[3]: CarInfo = 40390 Spare trailer 🚚, plate none, expired, offline"
  prints "$out" "isLoggedIn: Bool = true"
  prints "$out" "mixed: Array<"
  prints "$out" "[1]: String = \"the first car,"
  prints "$out" "[2]: Int = 4"
  prints "$out" "[3]: Date = 20"
  prints "$out" "user: User = Anna Petersen, dispatcher at Nordlicht Logistics, may track 25 cars"
  prints "$out" "User: Anna Petersen, dispatcher"
  prints "$out" "[CarInfo]: 4 cars, 3 online"
  prints "$out" "Bool: true"
}

echo "Before the login"
run 0
says_nothing_is_stored

echo "Invalid answers"
run 1 "$work/missing.json"
prints "$err" "error: cannot read $work/missing.json"
echo '{"code": 0, "message": "OK", "body": {"user"' >"$work/broken.json"
run 1 "$work/broken.json"
prints "$err" "error: $work/broken.json is not a login answer: "
sed 's/"plate": "HH-GD 4022"/"plate": ["HH-GD 4022"]/' "$sample" >"$work/mistyped.json"
run 1 "$work/mistyped.json"
prints "$err" "error: $work/mistyped.json is not a login answer: body.data[1].plate: "
grep -v '"userID"' "$sample" >"$work/incomplete.json"
run 1 "$work/incomplete.json"
prints "$err" "error: $work/incomplete.json is not a login answer: body.user.userID is missing"
echo '{"code": 17, "message": "wrong password"}' >"$work/refused.json"
run 1 "$work/refused.json"
prints "$err" "error: the server refused the login: wrong password (code 17)"
run 2 --unknown
prints "$err" "usage: LoginSession"
run 2 "$sample" "$sample"
run 0
says_nothing_is_stored

echo "Login"
run 0 "$sample"
prints "$out" "Nobody is logged in"
prints "$out" "Logged in from $sample."
file="$(sed -n 's/^file: //p' "$work/out")"
[ -s "$file" ] || fail "the store's file does not exist: $file"
[[ "$(without_private "$file")" == "$(without_private "$work")"/* ]] || fail "the store's file is not in the data folder: $file"

echo "Relaunch"
run 0
finds_the_session
run 0 "$sample"
finds_the_session
run 0 "$work/missing.json" # read only when nobody is logged in
finds_the_session

echo "A store that cannot be read is an error, not a logout"
mv "$file" "$work/kept"
mkdir "$file"
run 1
run 1 "$sample"
rmdir "$file"
mv "$work/kept" "$file"
run 0
finds_the_session

echo "Logout"
run 0 --logout
prints "$out" "Logged out."
says_nothing_is_stored
run 0
says_nothing_is_stored
run 0 --logout
says_nothing_is_stored

echo "Login after the logout"
run 0 "$sample"
run 0
finds_the_session
run 0 --logout "$sample"
says_nothing_is_stored

conclude LoginSession
