# The functions that the tests of the examples share. Each test.sh sources this file.

# A separate folder with a separate home for a test, which is removed when the test ends.
work="$(mktemp -d)"
work="$(cd "$work" && pwd -P)"
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME="$work/data"
export HOME="$work/home" CFFIXED_USER_HOME="$work/home" # the latter is for Apple's systems
mkdir -p "$XDG_DATA_HOME" "$HOME"

failures=0
out=""
err=""

fail() {
  echo "FAILED: $*"
  printf '%s\n%s\n' "$out" "$err" | sed 's/^/    /'
  failures=$((failures + 1))
}

# attempt STATUS PROGRAM ARGUMENT...: runs a program, checks its exit status, and keeps its output in $out and $err.
attempt() {
  local expected="$1" program="$2" status=0
  shift 2
  echo "-- $(basename "$program") $*"
  "$program" "$@" >"$work/out" 2>"$work/err" || status=$?
  out="$(cat "$work/out")"
  err="$(cat "$work/err")"
  [ "$status" -eq "$expected" ] || fail "exit status $status, expected $expected"
}

# conclude NAME: prints the result of a test, and ends it.
conclude() {
  if [ "$failures" -gt 0 ]; then
    echo "$1: $failures checks failed"
    exit 1
  fi
  echo "$1: all checks passed"
}
