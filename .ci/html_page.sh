#!/usr/bin/env bash
# Checks in a real browser what a page of `archivetool export --html` does: that it shows, searches, opens and charts the
# entries, runs nothing of what stands in values, and loads nothing.
#
# usage: html_page.sh ARCHIVETOOL
#
# Exit status: 0 all is well, or there is no browser, which it says; 1 not.
set -euo pipefail

tool="$1"
browser="$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)"
if [ -z "$browser" ]; then
  echo "SKIPPED: there is no Chromium to check the page in; on Debian: apt-get install chromium"
  exit 0
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
store="$work/page.archive"

"$tool" set "$store" user '{"name": "Ada", "tags": ["first", "second"]}'
"$tool" set "$store" large "\"$(printf 'x%.0s' $(seq 1000))\""
"$tool" set "$store" '</script><img src=x onerror="document.title=1">' '"<script>document.title=1</script><b>bold</b>"'
"$tool" export --html "$store" >"$work/page.html"

# The checks run in the page itself, behind its own script; their outcome is an element that is read from the outside.
cat >>"$work/page.html" <<'CHECKS'
<script>
const failures = [];
const expect = (holds, what) => { if (!holds) failures.push(what); };
const rows = () => [...document.querySelectorAll('#entries > div > details')];
const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
document.addEventListener('securitypolicyviolation', () => failures.push('the page tried to load something'));
(async () => {
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
  const search = document.querySelector('#search');
  search.value = 'SECOND';
  search.dispatchEvent(new Event('input'));
  expect(rows().length === 1 && rows()[0].dataset.key === 'user', 'the search looks into values');
  search.value = 'nowhere';
  search.dispatchEvent(new Event('input'));
  expect(rows().length === 0, 'the search leaves out what does not match');
  expect(document.title === 'page.archive', 'nothing that stands in a value runs');
  expect(document.querySelectorAll('img, b, iframe').length === 0, 'nothing that stands in a value is an element');
  expect(performance.getEntriesByType('resource').length === 0, 'nothing is loaded');
  const verdict = document.createElement('p');
  verdict.id = 'verdict';
  verdict.textContent = failures.length ? 'FAILED: ' + failures.join('; ') : 'all checks passed';
  document.body.append(verdict);
})();
</script>
CHECKS

# In a container the browser's own sandbox cannot start; the page is ours, and a file.
verdict="$("$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
  --virtual-time-budget=5000 --dump-dom "file://$work/page.html" 2>/dev/null |
  sed -n 's/.*<p id="verdict">\(.*\)<\/p>.*/\1/p')"
echo "${verdict:-FAILED: the page did not run to its end}"
[ "$verdict" = "all checks passed" ]
