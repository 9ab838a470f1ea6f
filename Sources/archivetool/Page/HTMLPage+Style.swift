extension HTMLPage {
  /// The elements that the script fills.
  static let body = """
    <header>
    <h1></h1>
    <p id="facts"></p>
    <label>Search <input id="search" type="search" placeholder="keys, types, values" autocomplete="off"></label>
    <button id="expand" title="Opens one more level">Expand</button>
    <button id="collapse">Collapse</button>
    </header>
    <main>
    <section id="sizes" aria-label="Sizes by key"><h2>Sizes by key</h2><ol></ol></section>
    <section id="entries" aria-label="Entries"><h2>Entries</h2><p id="count" role="status"></p><div></div></section>
    </main>
    <noscript>This page needs JavaScript, which it brings itself.</noscript>
    """

  static let styleSheet = """
    :root { --paper: #fff; --ink: #1c1c1e; --faint: #66666b; --line: #dcdce0; --bar: #2f6fdb; --type: #7a3ea8; }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #161618; --ink: #ececf0; --faint: #9a9aa2; --line: #36363b; --bar: #5b95f5; --type: #c79bee; }
    }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 64rem; padding: 1rem; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, sans-serif; }
    h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
    h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
    #facts, #count { color: var(--faint); margin: 0 0 .75rem; }
    input, button { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
      border-radius: 6px; padding: .25rem .6rem; }
    input { width: min(22rem, 60vw); }
    button { cursor: pointer; }
    #sizes ol { list-style: none; margin: 0; padding: 0; }
    #sizes li { display: grid; grid-template-columns: minmax(6rem, 14rem) 1fr 9rem; gap: .75rem; align-items: center; }
    #sizes a { color: inherit; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; unicode-bidi: isolate; }
    .bar { height: .7rem; min-width: 2px; background: var(--bar); border-radius: 3px; }
    .size { color: var(--faint); text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    details { border-top: 1px solid var(--line); padding: .3rem 0; }
    details details, .leaf { margin-left: 1.2rem; border: 0; padding: .1rem 0; }
    summary { cursor: pointer; }
    .key { font-weight: 600; overflow-wrap: anywhere; unicode-bidi: isolate; }
    .type { color: var(--type); font-size: .85em; margin: 0 .5rem; unicode-bidi: isolate; }
    .text { font: .9em ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
    [hidden] { display: none; }
    """
}
