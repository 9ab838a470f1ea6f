#!/usr/bin/env python3
"""Checks the inspector (Examples/Inspector) in a real browser.

    inspector.py ARCHIVETOOL [CONFORMANCE]

Builds the page, opens it in headless Chromium, and gives it files like a user. For each file in Tests/Conformance, or another folder, the page
must give the expected answer. Also checks what is shown, opened, searched and charted; that nothing in an archive is executed; that
nothing is loaded or sent; and that large archives are fast. Prints their times, and only checks a generous limit.

Exit status: 0 success, or skipped with a message because there is no browser or no suitable toolchain; 1 failure.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_BUILT = 77
# In seconds. An idle machine takes a small part of it.
GREATEST_TIME = 20
WITNESS = "document.title = 'it ran'"

failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}")


def main():
    if len(sys.argv) not in [2, 3]:
        sys.exit(__doc__)
    tool = pathlib.Path(sys.argv[1]).resolve()
    conformance = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else ROOT / "Tests/Conformance").resolve()
    browser = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if not browser:
        return print("SKIPPED: there is no Chromium to check the page in; on Debian: apt-get install chromium")
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        page = work / "inspector.html"
        build = subprocess.run([ROOT / "Examples/Inspector/build.py", page])
        if build.returncode == NOT_BUILT:
            return print("SKIPPED: this toolchain cannot build the page")
        if build.returncode != 0:
            sys.exit(1)
        with Browser(browser, work / "profile") as tab:
            tab.open(page)
            check_conformance(tab, conformance)
            check_page(tab, tool, work)
            check_hostile_texts(tab, tool, work)
            check_bars(tab, tool, work)
            check_hostile_bytes(tab, tool, work)
            check_speed(tab, tool, work)
            expect(tab.requests == [page.as_uri()], f"nothing but the page is loaded: {tab.requests}")
            check_policy(tab)
    if failures:
        sys.exit(f"{len(failures)} checks failed")
    print("all checks passed")


# MARK: Checks

def check_conformance(tab, folder):
    answers = sorted(folder.glob("*.json"))
    expect(answers, f"there are conformance files in {folder}")
    for path in answers:
        answer = json.loads(path.read_text())
        tab.give(path.with_suffix(".globaldata"))
        found = tab.evaluate("""(() => {
          const reading = (name, position) => { try { return archive.call(name, position); } catch { return null; } };
          return { ...summary, title: find('h1').textContent, facts: find('#facts').textContent,
            rows: document.querySelectorAll('#entries tbody').length, notes: document.querySelectorAll('#entries .error').length,
            entries: (summary.entries || []).map(([key], position) => ({ key, bytes: reading('inspector_bytes', position),
              notation: reading('inspector_notation', position), isShown: reading('inspector_value', position) !== null })) };
        })()""")
        wanted = {**answer, "entries": [
            {"key": entry["key"], "bytes": entry["bytes"], "notation": entry.get("notation")} for entry in answer["entries"]]}
        given = {
            "verdict": found["verdict"], "version": found.get("version"), "identity": (found.get("identity") or "").lower() or None,
            "generation": found.get("generation"), "lost": found.get("lost", []), "outdated": found.get("outdated", []),
            "entries": [{name: entry[name] for name in ["key", "bytes", "notation"]} for entry in found["entries"]],
        }
        # For a newer version's file with an unreadable head, the number is the one that it claims.
        if found["verdict"] == "newer" and wanted["version"] is None:
            given["version"] = None
        for name, value in given.items():
            expect(value == wanted[name], f"{path.stem}: {name} is {value!r}, not {wanted[name]!r}"[:600])
        expect(found["title"] == path.with_suffix(".globaldata").name, f"{path.stem}: the page shows the file's name")
        expect(found["verdict"] in found["facts"].lower(), f"{path.stem}: the page shows the verdict")
        expect(bool(found["rows"]) == bool(wanted["entries"]), f"{path.stem}: the page shows the entries")
        expect(found["notes"] == len(set(wanted["outdated"])), f"{path.stem}: the page marks what may be outdated")
        for entry in found["entries"]:
            expect(entry["isShown"] or entry["notation"] is None, f"{path.stem}: the page shows the value of {entry['key']}")
    print(f"{len(answers)} conformance files were read")


def check_page(tab, tool, work):
    store = work / "page.archive"
    values = {
        "user": {"name": "Ada", "tags": ["first", "second"], "born": 1815}, "large": "x" * 5000, "numbers": list(range(500)),
        **{f"Car/{number}": {"plate": f"B {number}"} for number in range(450)}, "a~b/1": 1, "a~1b~0/1": 1, "a~1b~0/2": 2,
    }
    make(tool, store, values)
    tab.give(store)
    ask = tab.evaluate

    tab.run("""
      globalThis.rows_ = () => [...document.querySelectorAll('#entries tbody > tr:first-child')];
      globalThis.row = (key) => [...document.querySelectorAll('#entries tr')].find((row) =>
        row.dataset.key === key || row.dataset.collection === key);
      globalThis.press = (key) => row(key).querySelector('button').click();
      globalThis.type = async (text) => {
        find('#search').value = text;
        find('#search').dispatchEvent(new Event('input'));
        await new Promise((resolve) => setTimeout(resolve, 250));
      };
    """)
    facts = ask("find('#facts').textContent")
    expect("Intact" in facts and "Generation" in facts and "Live" in facts and "Dead" in facts, f"the facts are shown: {facts}")
    expect(ask("rows_().length") == 6, "the keys of one collection are one row, and a single one is an entry")
    expect(ask("row('Car').textContent.includes('450 elements')"), "the row of a collection says how many there are")
    expect(ask("Boolean(row('a/b~'))"), "the name of a collection is shown without its escapes")
    expect(ask("document.querySelectorAll('#sizes li').length") == 6, "a collection is one bar")
    expect(ask("document.querySelector('#sizes button').textContent") == "Car (450)", "the largest row has the first bar")
    width = "[...document.querySelectorAll('.bar')].map((bar) => bar.getBoundingClientRect().width)"
    expect(ask(f"{width}.every((value, at, all) => at === 0 || value <= all[at - 1]) && {width}[0] > {width}[1]"),
           "bars are as long as the sizes")
    expect(ask("document.querySelectorAll('tr.member').length") == 0, "rows are made when they are opened")
    tab.run("press('Car')")
    expect(ask("document.querySelectorAll('tr.member').length") == 200, "a collection opens with its first elements")
    tab.run("[...document.querySelectorAll('tr.value button')].find((made) => made.textContent.startsWith('Show more')).click()")
    expect(ask("document.querySelectorAll('tr.member').length") == 400, "and shows more of them")
    tab.run("press('Car/0')")
    expect(ask("row('Car/0').nextSibling.textContent.includes('B 0')"), "an element opens")
    tab.run("press('Car')")
    expect(ask("document.querySelectorAll('tr.member').length") == 0, "a collection closes")
    tab.run("press('user')")
    expect(ask("row('user').nextSibling.textContent.includes('Ada')"), "an entry opens")
    expect(not ask("row('user').nextSibling.textContent.includes('second')"), "what is in its fields is made when they are opened")
    tab.run("row('user').nextSibling.querySelector('details').open = true")
    tab.settle()
    expect(ask("row('user').nextSibling.textContent.includes('second')"), "its fields open")
    tab.run("row('user').nextSibling.querySelector('button').click()")
    expect(ask("row('user').nextSibling.querySelector('pre').textContent")
           == '{"name": "Ada", "tags": ["first", "second"], "born": 1815}', "the notation is shown")
    tab.run("press('large')")
    expect(ask("row('large').nextSibling.querySelector('.text').textContent.length") == 2000, "a long text begins short")
    tab.run("[...row('large').nextSibling.querySelectorAll('button')].find((made) => made.textContent.startsWith('Show all')).click()")
    expect(ask("row('large').nextSibling.querySelector('.text').textContent.length") == 5000, "and is shown as a whole")
    tab.run("press('numbers')")
    expect(ask("row('numbers').nextSibling.querySelectorAll('.leaf').length") == 200, "an array shows its first elements")
    tab.run("press('user')")
    expect(ask("!row('user').nextSibling"), "an entry closes")
    tab.run("type('SECOND')")
    expect(ask("rows_().map((row) => row.dataset.key).join()") == "user", "the search looks into values")
    tab.run("type('car/44')")
    expect(ask("row('Car').textContent.includes('11 elements')"), "the search shows the found part of a collection")
    tab.run("type('nowhere')")
    expect(ask("rows_().length") == 0 and ask("find('#count').textContent") == "0 of 456", "the search leaves out what does not match")
    tab.run("type('')")
    tab.run("document.querySelector('[data-order=size]').click(); document.querySelector('[data-order=size]').click()")
    expect(ask("rows_()[0].dataset.collection") == "Car", "the table is sorted")
    expect(ask("document.querySelector('[data-order=size]').parentElement.getAttribute('aria-sort')") == "descending",
           "the order is shown")
    expect(ask("[...document.querySelectorAll('input')].every((input) => input.labels.length === 1)"), "each input has a label")
    expect(ask("[...document.querySelectorAll('td > button')].every((made) => made.hasAttribute('aria-expanded'))"),
           "each row shows whether it is open")
    tab.run(f"""
      globalThis.transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob({json.dumps(base64_of(store))}), (letter) => letter.charCodeAt(0))], 'dropped'));
      find('main').hidden = true;
      dispatchEvent(new DragEvent('drop', {{ dataTransfer: transfer, cancelable: true }}));
    """)
    while ask("find('main').hidden && !find('#status').className"):
        tab.settle()
    expect(ask("find('h1').textContent") == "dropped" and ask("summary.verdict") == "intact", "a file can be dropped")


def check_hostile_texts(tab, tool, work):
    texts = [f"</script><img src=x onerror=\"{WITNESS}\">", f"<script>{WITNESS}</script><b>bold</b>", "\u202egnp.exe\u2028\u0007",
             "__proto__", "constructor/a", "constructor/b"]
    store = work / "<b>hostile.archive"
    make(tool, store, {text: {text: text} for text in texts})
    tab.give(store)
    for text in texts:
        collection = text.split("/")[0]
        tab.run(f"{{ const name = {json.dumps(text)}; if (!row(name)) press({json.dumps(collection)}); press(name); }}")
        shown = tab.evaluate(f"row({json.dumps(text)}).nextSibling.textContent")
        expect(text in shown, f"{text!r} is shown as text: {shown!r}")
    tab.settle()
    expect(tab.evaluate("document.title") == store.name, "nothing that stands in an archive runs")
    expect(tab.evaluate("document.querySelectorAll('img, b, iframe').length") == 0, "nothing that stands in an archive is an element")
    expect(not tab.evaluate("find('#entries tr[data-key^=\"\\u202e\"] button').textContent.includes('\\u202e')"),
           "a key shows what cannot be seen in it")


def check_bars(tab, tool, work):
    store, keys = work / "names.archive", ["two\nlines", " ", "plain"]
    make(tool, store, {key: 1 for key in keys})
    tab.give(store)
    for index, key in enumerate(keys):
        tab.run(f"document.querySelectorAll('#sizes button')[{index}].click()")
        shown = tab.evaluate("[...document.querySelectorAll('#entries tbody tr')].map((row) => row.dataset.key)")
        expect(shown == [key], f"a bar leads to the row of {key!r}: {shown!r}")


def check_hostile_bytes(tab, tool, work):
    """Checks that each file with one changed byte gets an answer. The conformance files have hostile values with right checksums."""
    store = work / "bits.archive"
    make(tool, store, {"a": {"b": [1, "two", 3.5]}, "c/1": "x" * 100, "c/2": -1, "d": [True]})
    answer = tab.evaluate(f"""(async () => {{
      const whole = Uint8Array.from(atob({json.dumps(base64_of(store))}), (letter) => letter.charCodeAt(0));
      const verdicts = {{}};
      let failed = '';
      for (let offset = 0; offset < whole.length; offset += 1) {{
        for (const changed of [whole.slice(0, offset), whole.map((byte, at) => at === offset ? byte ^ (1 << offset % 8) : byte),
          whole.map((byte, at) => at === offset ? 0xff : byte), whole.map((byte, at) => at >= offset ? 0 : byte)]) {{
          try {{
            const opened = await Archive.start();
            const opening = opened.give('inspector_open', changed);
            verdicts[opening.verdict] = (verdicts[opening.verdict] || 0) + 1;
            (opening.entries || []).forEach((entry, position) => opened.call('inspector_notation', position));
          }} catch (error) {{ failed = offset + ': ' + error; }}
        }}
      }}
      return {{ failed, verdicts }};
    }})()""")
    expect(not answer["failed"], f"each damaged file gets an answer: {answer['failed']}")
    expect(answer["verdicts"].get("damaged", 0) > 100, f"damage is reported: {answer['verdicts']}")


def check_speed(tab, tool, work):
    episodes = {f"Episode/{number}": {"title": f"Episode {number}", "minutes": number % 90, "isNew": number % 3 == 0}
                for number in range(5000)}
    make(tool, work / "episodes.archive", episodes)
    text = "A line of some length, as a text of a podcast has it. " * 18
    make(tool, work / "large.archive", {f"Show/{number}": {"notes": [text] * 2 if number % 2 else text + str(number), "number": number}
                                        for number in range(42_000)})
    for name in ["episodes", "large"]:
        store = work / f"{name}.archive"
        began = time.monotonic()
        tab.give(store)
        opened = time.monotonic() - began
        collection = "Episode" if name == "episodes" else "Show"
        taken = {"opening": opened}
        for what, script in [("a collection", f"press('{collection}')"), ("an element", f"press('{collection}/7')"),
                             ("a search", "find('#search').value = 'no such text'; search()")]:
            taken[what] = tab.evaluate(f"(() => {{ const began = performance.now(); {script}; document.body.offsetHeight; "
                                       "return (performance.now() - began) / 1000; })()")
        size = store.stat().st_size / 1e6
        print(f"{name}.archive, {size:.1f} MB: " + ", ".join(f"{what} {seconds:.2f} s" for what, seconds in taken.items()))
        expect(tab.evaluate("rows.length") == 1, f"{name}.archive is one collection")
        for what, seconds in taken.items():
            expect(seconds < GREATEST_TIME, f"{what} of {name}.archive takes {seconds:.1f} s")


def check_policy(tab):
    """Checks that the policy works: forbidden actions are tried, and must fail."""
    expect(not tab.violations, f"the page does nothing that its policy forbids: {tab.violations}")
    tried = tab.evaluate("""(async () => {
      let violations = 0;
      addEventListener('securitypolicyviolation', () => { violations += 1; });
      const outcomes = [];
      outcomes.push(await fetch('https://example.org/').then(() => 'fetched', () => 'refused'));
      outcomes.push(await new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve('loaded');
        image.onerror = () => resolve('refused');
        image.src = 'https://example.org/a.png';
      }));
      const script = document.createElement('script');
      script.textContent = 'globalThis.hasRun = true';
      document.body.append(script);
      outcomes.push(globalThis.hasRun ? 'ran' : 'refused');
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { outcomes, violations };
    })()""")
    expect(tried["outcomes"] == ["refused"] * 3 and tried["violations"] >= 3, f"the policy holds: {tried}")


# MARK: Archives

def make(tool, store, values):
    source = store.with_suffix(".json")
    source.write_text(json.dumps(values))
    made = subprocess.run([tool, "import", store, source], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode != 0:
        sys.exit(f"cannot make {store.name}: {made.stdout}")


def base64_of(path):
    return base64.b64encode(path.read_bytes()).decode()


# MARK: The browser

class Browser:
    """Chromium, controlled through two pipes. Source: the Chrome DevTools Protocol, and `--remote-debugging-pipe`."""

    def __init__(self, program, profile):
        command_read, command_write = os.pipe()
        answer_read, answer_write = os.pipe()
        # The browser reads from descriptor 3 and writes to 4. Its own sandbox cannot start in a container, and the page is ours.
        redirecting = f'exec "$0" "$@" 3<&{command_read} 4>&{answer_write}'
        self.process = subprocess.Popen(
            ["bash", "-c", redirecting, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"],
            pass_fds=[command_read, answer_write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command_read)
        os.close(answer_write)
        self.commands = command_write
        self.answers = os.fdopen(answer_read, "rb", buffering=0)
        self.rest = b""
        self.count = 0
        self.session = None
        self.requests = []
        self.violations = []
        self.loaded = False

    def __enter__(self):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "DOM", "Log"]:
            self.send(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        os.close(self.commands)

    def open(self, page):
        self.send("Page.navigate", url=page.as_uri())
        while not self.loaded:
            self.take()

    def send(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        while True:
            answer = self.take()
            if answer.get("id") == self.count:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]

    def take(self):
        while b"\0" not in self.rest:
            data = self.answers.read(1 << 16)
            if not data:
                sys.exit("FAILED: the browser ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        parameters = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith("blob:"):
                self.requests.append(url)
        elif message.get("method") == "Page.loadEventFired":
            self.loaded = True
        elif message.get("method") in ["Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"]:
            self.violations.append(json.dumps(parameters)[:400])
        return message

    def evaluate(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            failures.append(expression)
            print(f"FAILED: {expression[:200]}: {json.dumps(result['exceptionDetails'])[:600]}")
            sys.exit(1)
        return result["result"].get("value")

    def run(self, script):
        self.evaluate(script)

    def settle(self):
        self.evaluate("new Promise((resolve) => setTimeout(resolve, 50))")

    def give(self, path):
        """Gives the page a file, like a user who chooses it, and waits until it is shown."""
        document = self.send("DOM.getDocument", depth=0)["root"]["nodeId"]
        field = self.send("DOM.querySelector", nodeId=document, selector="#file")["nodeId"]
        self.evaluate("find('main').hidden = true; find('#status').textContent = ''; undefined")
        self.send("DOM.setFileInputFiles", nodeId=field, files=[str(path)])
        status = self.evaluate("""(async () => {
          while (find('main').hidden && !find('#status').className) await new Promise((resolve) => setTimeout(resolve, 1));
          return find('#status').textContent;
        })()""")
        expect(not status, f"{path.name}: {status}")


main()
