#!/usr/bin/env bash
# Checks a page of `archivetool export --html` in a real browser: that it shows, searches, opens and charts the entries, runs no code
# in values, and loads nothing; that it groups the keys of a collection; and that the page of a large archive is fast. Prints the times,
# and only fails at a generous limit.
#
# usage: html_page.sh ARCHIVETOOL
#
# Exit status: 0 success, or skipped with a message because there is no browser; 1 failure.
set -euo pipefail

tool="$1"
browser="$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)"
if [ -z "$browser" ]; then
  echo "SKIPPED: there is no Chromium to check the page in; on Debian: apt-get install chromium"
  exit 0
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# check NAME: opens the page NAME.html, followed by the checks from standard input, and prints their result.
check() {
  # The checks run in the page itself, after its own script. Their result is an element that is read from outside.
  {
    cat <<'BEGINNING'
<script>
const failures = [], notes = [];
const expect = (holds, what) => { if (!holds) failures.push(what); };
const rows = () => [...document.querySelectorAll('#entries > div > details')];
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
const searching = async (text) => {
  const search = document.querySelector('#search');
  search.value = text;
  search.dispatchEvent(new Event('input'));
  await new Promise((resolve) => setTimeout(resolve, 250));
};
// How long something takes with the page's layout, in seconds.
const timed = (what, action) => {
  const began = performance.now();
  action();
  document.body.offsetHeight;
  const seconds = (performance.now() - began) / 1000;
  notes.push(what + ' ' + seconds.toFixed(2) + ' s');
  expect(seconds < 20, what + ' takes ' + seconds + ' s');
};
document.addEventListener('securitypolicyviolation', () => failures.push('the page tried to load something'));
(async () => {
  try {
BEGINNING
    cat
    cat <<'END'
  } catch (error) {
    failures.push(String(error));
  }
  const verdict = document.createElement('p');
  verdict.id = 'verdict';
  verdict.textContent = (failures.length ? 'FAILED: ' + failures.join('; ') : 'all checks passed')
    + (notes.length ? ' (' + notes.join(', ') + ')' : '');
  document.body.replaceChildren(verdict);
})();
</script>
END
  } >>"$work/$1.html"
  # The browser's own sandbox cannot start in a container, and the page is ours.
  local verdict
  verdict="$("$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
    --virtual-time-budget=60000 --dump-dom "file://$work/$1.html" 2>/dev/null |
    sed -n 's/.*<p id="verdict">\(.*\)<\/p>.*/\1/p')"
  echo "$1: ${verdict:-FAILED: the page did not run to its end}"
  [[ "$verdict" = "all checks passed"* ]]
}

store="$work/page.archive"
"$tool" set "$store" user '{"name": "Ada", "tags": ["first", "second"]}'
"$tool" set "$store" large "\"$(printf 'x%.0s' $(seq 1000))\""
"$tool" set "$store" '</script><img src=x onerror="document.title=1">' '"<script>document.title=1</script><b>bold</b>"'
"$tool" export --html "$store" >"$work/page.html"

check page <<'CHECKS'
  expect(rows().length === 3, 'all entries are shown');
  expect(document.querySelectorAll('#sizes li').length === 3, 'the chart has a bar for each entry');
  expect(document.querySelector('#sizes a').textContent === 'large', 'the largest entry comes first');
  const width = (index) => document.querySelectorAll('.bar')[index].getBoundingClientRect().width;
  expect(width(0) > width(1), 'the largest entry has the longest bar');
  document.querySelector('#expand').click();
  await settled();
  expect(rows().every((row) => row.open), 'the entries open');
  expect(rows()[0].textContent.includes('Ada'), 'an open entry shows its fields');
  document.querySelector('#expand').click();
  await settled();
  expect(rows()[0].textContent.includes('second'), 'and then what is in them');
  expect(rows()[2].textContent.includes('<script>document.title=1<\/script><b>bold</b>'), 'HTML in a value is text');
  document.querySelector('#collapse').click();
  await settled();
  expect(!document.querySelector('details[open]'), 'everything closes');
  await searching('SECOND');
  expect(rows().length === 1 && rows()[0].dataset.key === 'user', 'the search looks into values');
  await searching('title=1<\/SCRIPT><b');
  expect(rows().length === 1 && rows()[0].open === false, 'the search finds what HTML could take for its own');
  for (const word of ['nowhere', 'node', 'u003c', '},']) {
    await searching(word);
    expect(rows().length === 0, 'the search leaves out what does not match: ' + word);
  }
  expect(document.title === 'page.archive', 'nothing that stands in a value runs');
  expect(document.querySelectorAll('img, b, iframe').length === 0, 'nothing that stands in a value is an element');
  expect(performance.getEntriesByType('resource').length === 0, 'nothing is loaded');
CHECKS

for key in $'two\nlines' ' ' plain; do "$tool" set "$work/names.archive" "$key" 1; done
"$tool" export --html "$work/names.archive" >"$work/names.html"

check names <<'CHECKS'
  for (const [index, key] of ['two\nlines', ' ', 'plain'].entries()) {
    document.querySelectorAll('#sizes a')[index].click();
    expect(rows().length === 1 && rows()[0].dataset.key === key, 'a bar leads to the row of ' + JSON.stringify(key));
  }
CHECKS

for key in $'Caf\xc3\xa9/1' $'Cafe\xcc\x81/2'; do "$tool" set "$work/spellings.archive" "$key" 1; done
"$tool" export --html "$work/spellings.archive" >"$work/spellings.html"

check spellings <<'CHECKS'
  expect(rows().length === 1 && rows()[0].textContent.includes('2 elements'), 'two spellings of a name are one collection');
  rows()[0].open = true;
  await settled();
  const names = [...rows()[0].querySelectorAll(':scope > details .key')].map((name) => name.textContent);
  expect(names.sort().join() === '1,2', 'and its elements have their identifiers as their names');
  document.querySelector('#sizes a').click();
  expect(rows()[0].textContent.includes('2 elements'), 'its bar leads to both');
CHECKS

"$tool" remove "$store" user
"$tool" remove "$store" large
"$tool" remove "$store" '</script><img src=x onerror="document.title=1">'
"$tool" export --html "$store" >"$work/empty.html"

check empty <<'CHECKS'
  expect(document.querySelector('#facts').textContent.startsWith('0 entries'), 'an empty archive has a page');
  expect(rows().length === 0 && !document.querySelector('.bar'), 'which shows none');
CHECKS

# values COUNT VALUE: prints JSON with a collection of that many values and two others. Each value contains its number.
values() {
  awk -v count="$1" -v value="$2" 'BEGIN {
    print "{"
    for (number = 0; number < count; number += 1) printf "\"Episode/%d\": {\"number\": %d, \"title\": \"%s\"},\n", number, number, value
    print "\"a~1b~0/1\": 1, \"a~1b~0/2\": \"last\", \"single/one\": 2}"
  }'
}

values 5000 'An episode' >"$work/episodes.json"
"$tool" import "$work/episodes.archive" "$work/episodes.json" >/dev/null
"$tool" export --html "$work/episodes.archive" >"$work/episodes.html"

check episodes <<'CHECKS'
  const collection = (name) => rows().find((row) => row.dataset.collection === name);
  expect(rows().length === 3, 'the keys of one collection are one row');
  expect(document.querySelectorAll('#sizes li').length === 3, 'and one bar');
  expect(document.querySelector('#sizes a').textContent === 'Episode', 'the largest collection has the first bar');
  expect(document.querySelector('#facts').textContent.startsWith('5,003 entries'), 'entries are counted one by one');
  expect(rows()[0].textContent.includes('5,000 elements'), 'a collection says how many it has');
  expect(collection('a/b~') && rows()[2].dataset.key === 'single/one', 'names are without escapes, and one key is no collection');
  expect(!rows()[0].querySelector('details'), 'rows are made when they are opened');
  timed('opening a collection', () => { rows()[0].open = true; });
  await settled();
  expect(rows()[0].querySelectorAll(':scope > details').length === 200, 'a collection opens with its first elements');
  rows()[0].querySelector('.more').click();
  expect(rows()[0].querySelectorAll(':scope > details').length === 400, 'and shows more of them');
  const element = rows()[0].querySelector('[data-key="Episode/7"]');
  expect(element.querySelector('.key').textContent === '7', 'an element has its identifier as its name');
  element.open = true;
  await settled();
  expect(element.textContent.includes('An episode'), 'an element opens');
  await searching('episode/499');
  expect(rows().length === 1 && rows()[0].textContent.includes('11 elements'), 'the search finds a part of a collection');
  expect(document.querySelector('#count').textContent === '11 of 5,003', 'and counts it');
  await searching('LAST');
  expect(rows().length === 1 && rows()[0] === collection('a/b~'), 'a part of one element is still of its collection');
  document.querySelector('#sizes a').click();
  expect(rows().length === 1 && rows()[0] === collection('Episode'), 'a bar leads to its row');
CHECKS

values 40000 "$(printf 'A line of a text. %.0s' $(seq 55))" >"$work/large.json"
"$tool" import "$work/large.archive" "$work/large.json" >/dev/null
"$tool" export --html "$work/large.archive" >"$work/large.html"

check large <<'CHECKS'
  notes.push((archive.byteCount / 1e6).toFixed(0) + ' MB, shown after ' + (performance.now() / 1000).toFixed(2) + ' s');
  expect(performance.now() < 20000, 'the page takes ' + performance.now() + ' ms');
  timed('a collection', () => { rows()[0].open = true; });
  for (const text of ['no such text', 'A line', 'f']) {
    document.querySelector('#search').value = text;
    timed('the search for "' + text + '"', showEntries);
  }
  expect(document.querySelector('#count').textContent === '40,000 of 40,003', 'the search looks into all values');
CHECKS
