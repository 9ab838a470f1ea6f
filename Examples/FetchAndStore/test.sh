#!/usr/bin/env bash
# Fetches correct and faulty answers from a real web server on this machine, and shows the stored cars without it.
#
#   Examples/FetchAndStore/test.sh [options of `swift build`]
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

swift build --package-path "$here/.." --product FetchAndStore "$@"
fetch_and_store="$(swift build --package-path "$here/.." --show-bin-path "$@")/FetchAndStore"

. "$here/../checking.sh"

server=""
stop_server() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$server" ] || wait "$server" 2>/dev/null || true
  server=""
}
trap 'stop_server; rm -rf "$work"' EXIT
# Connections to this machine must not use a proxy.
export no_proxy="127.0.0.1" NO_PROXY="127.0.0.1"

mkfifo "$work/port"
python3 "$here/server.py" >"$work/port" &
server=$!
read -r port <"$work/port"
url="http://127.0.0.1:$port"

# run STATUS ARGUMENT...: runs the example and checks its exit status.
run() {
  local expected="$1"
  shift
  attempt "$expected" "$fetch_and_store" "$@"
}

# has TEXT PART: checks that a line of the text contains the part.
has() {
  grep -qF -- "$2" <<<"$1" || fail "nowhere: $2"
}

shows_the_cars() {
  has "$out" "3 cars are stored."
  has "$out" "40211  HH-GD 4021  72.5   driving  yes     2026-03-02T08:41:17Z  Anna"
  has "$out" "40212  HH-GD 4022  0.0    towed    no      -                     Bob, Cem"
  has "$out" "Online and faster than 60: HH-GD 4021"
}

echo "Before the first download"
run 0
has "$out" "0 cars are stored."
run 1 "http://127.0.0.1:1/cars"
has "$out" "0 cars are stored."
run 2 --unknown
run 2 "ftp://127.0.0.1/cars"
has "$err" "usage: FetchAndStore"

echo "Success, with some unreadable values"
run 0 "$url/cars"
[ -z "$err" ] || fail "unexpected output on standard error"
has "$out" "Fetched 3 cars of "
has "$out" "body.data[0].car_id: converted number 40211 to \"40211\""
has "$out" "body.data[0].position.speed: converted text \"72.5\" to 72.5"
has "$out" "body.data[0].drivers: wrapped a single value in a collection"
has "$out" "body.data[1].position.speed: invalid value (Expected Double, but found text \"fast\"), used 0.0"
has "$out" "body.data[1].status: kept unknown case \"towed\""
has "$out" "body.data[1].colour: unknown key"
has "$out" "body.data[2].plate: null, used \"\""
has "$out" "body.data[3]: left out: "
has "$out" "code: unknown key"
shows_the_cars
run 0 "$url/compressed"
has "$out" "Fetched 3 cars of "

echo "Faulty answers do not change the stored cars"
run 1 "$url/nowhere"
has "$err" "the server answered with status 404"
shows_the_cars
run 1 "$url/broken"
has "$err" "the answer cannot be read: malformedJSON: "
has "$err" "line 1, column "
shows_the_cars
run 1 "$url/twice"
has "$err" "duplicateKey: The key \"car_id\" appears twice. At body.data[0].car_id."
shows_the_cars
run 1 "$url/slow" --timeout 1
has "$err" "too slow"
shows_the_cars
run 1 "$url/away"
has "$err" "error: $url/away: "
# The connection was lost, which is not an answer in another form.
if grep -qE "cannot be read|status" <<<"$err"; then fail "a lost connection was reported as an answer"; fi
shows_the_cars

echo "A long answer shows progress"
run 0 "$url/long" --progress
has "$err" "(100 %)"
[ "$(tr '\r' '\n' <<<"$err" | grep -c 'bytes (')" -gt 2 ] || fail "no progress was shown during the download"
has "$out" "20003 cars are stored."

echo "Offline"
stop_server
run 0
has "$out" "20003 cars are stored."
has "$out" "40211"
run 1 "$url/cars"
has "$err" "error: $url/cars: "
has "$out" "20003 cars are stored."

conclude FetchAndStore
