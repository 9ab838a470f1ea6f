extension HTMLPage {
  /// Reads values and builds parts of the tree when they are opened, a limited number each time, so that a large
  /// archive opens fast.
  static let script = #"""
    'use strict';
    // Each line is one entry, with its value last. Values are parsed when they are needed.
    const lines = document.getElementById('archive').textContent.trim().split('\n');
    const archive = JSON.parse(lines[0] + ']}');
    archive.entries = lines.slice(1, -1).map((line) => {
      // These quotes are not part of a string, where they would have backslashes.
      const end = line.indexOf(',"node":');
      return { ...JSON.parse(line.slice(0, end) + '}'), line, start: end + ',"node":'.length };
    });
    const step = 200;
    const find = (selector) => document.querySelector(selector);

    // Everything gets into the page through this function, as text.
    function element(name, className, text) {
      const made = document.createElement(name);
      if (className) made.className = className;
      if (text !== undefined) made.textContent = text;
      return made;
    }

    function counted(count, singular, plural) {
      return count.toLocaleString('en') + ' ' + (count === 1 ? singular : plural);
    }

    const bytes = (count) => counted(count, 'byte', 'bytes');
    const elements = (count) => counted(count, 'element', 'elements');

    function nodeOf(entry) {
      return JSON.parse(entry.line.slice(entry.start, entry.line.lastIndexOf('}')));
    }

    // The keys of a collection are grouped: those with the same name before the first slash, if there are two
    // or more. Its name can have several Unicode spellings. In a name, a slash is written ~1 and a tilde ~0.
    function grouped(entries) {
      const rows = new Map();
      for (const entry of entries) {
        const slash = entry.key.indexOf('/');
        // No key is empty.
        const group = slash < 0 ? entry.key : entry.key.slice(0, slash + 1);
        const name = group.normalize();
        const row = rows.get(name) || { name, group, size: 0, members: [] };
        row.members.push(entry);
        row.size += entry.size;
        rows.set(name, row);
      }
      return [...rows.values()];
    }

    const collections = new Set(grouped(archive.entries).filter((row) => row.members.length > 1).map((row) => row.name));

    function nameOf(row) {
      if (!collections.has(row.name)) return row.members[0].key;
      return row.group.slice(0, -1).replaceAll('~1', '/').replaceAll('~0', '~');
    }

    // Appends the result of `make` for each item, and a button for the remaining items.
    function appendInSteps(parent, items, make, start = 0) {
      for (const item of items.slice(start, start + step)) parent.append(make(item));
      const rest = items.length - start - step;
      if (rest <= 0) return;
      const button = element('button', 'more', 'Show more (' + rest.toLocaleString('en') + ')');
      button.onclick = () => { button.remove(); appendInSteps(parent, items, make, start + step); };
      parent.append(button);
    }

    function unitEscapes(text) {
      return text.split('').map((unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0')).join('');
    }

    // A name unchanged if it is visible and unambiguous, otherwise in quotes with escapes.
    const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
    function visible(name) {
      if (!/^$|^[ "\p{M}]| $|  /u.test(name) && !unseen.test(name)) return name;
      return JSON.stringify(name).replace(new RegExp(unseen.source, 'gu'), unitEscapes).replace(/^"\p{M}/u, (start) =>
        '"' + unitEscapes(start.slice(1)));
    }

    function branch(name, type, size, fill) {
      const details = element('details');
      const summary = element('summary');
      summary.append(element('span', 'key', visible(name)), element('span', 'type', type), element('span', 'size', size));
      details.append(summary);
      details.ontoggle = () => {
        if (!details.open || details.dataset.filled) return;
        details.dataset.filled = 'yes';
        fill(details);
      };
      return details;
    }

    function tree(name, node) {
      if (node.p) return branch(name, node.t, elements(node.p.length), (parent) => appendParts(parent, node));
      const leaf = element('div', 'leaf');
      leaf.append(element('span', 'key', visible(name)), element('span', 'type', node.t), element('span', 'text', node.s));
      return leaf;
    }

    function appendParts(parent, node) {
      appendInSteps(parent, node.p, ([name, part]) => tree(name, part));
    }

    function entryRow(entry, name) {
      const details = branch(name, entry.type, bytes(entry.size), (parent) => {
        const node = nodeOf(entry);
        if (node.p) return appendParts(parent, node);
        const leaf = element('div', 'leaf');
        leaf.append(element('span', 'text', node.s));
        parent.append(leaf);
      });
      details.dataset.key = entry.key;
      return details;
    }

    function row(row) {
      if (!collections.has(row.name)) return entryRow(row.members[0], row.members[0].key);
      const details = branch(nameOf(row), elements(row.members.length), bytes(row.size), (parent) =>
        appendInSteps(parent, row.members, (entry) => entryRow(entry, entry.key.slice(entry.key.indexOf('/') + 1))));
      details.dataset.collection = nameOf(row);
      return details;
    }

    // Whether the words of a value match: its names, types and texts.
    function hasWord(entry, pattern) {
      const open = [nodeOf(entry)];
      while (open.length) {
        const node = open.pop();
        if (pattern.test(node.t) || node.s !== undefined && pattern.test(node.s)) return true;
        for (const [name, part] of node.p || []) {
          if (pattern.test(name)) return true;
          open.push(part);
        }
      }
      return false;
    }

    // Returns the entries with a text in their keys, types or values. Searches each line for the escaped text first,
    // and parses only values that contain it.
    function found(wanted) {
      const literal = (text) => new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
      // The page's escapes beyond those of JSON, as in the writer.
      const escaped = JSON.stringify(wanted).slice(1, -1).replace(/[<>&\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) =>
        /[\u200c\u200d\u{e0020}-\u{e007f}]/u.test(letter) ? letter : unitEscapes(letter));
      const [inKey, inText, inLine] = [literal(wanted.normalize()), literal(wanted), literal(escaped)];
      return archive.entries.filter((entry) => inKey.test(entry.key.normalize()) || inText.test(entry.type)
        || inLine.test(entry.line) && hasWord(entry, inText));
    }

    function showEntries(wanted = find('#search').value.trim()) {
      const entries = wanted ? found(wanted) : archive.entries;
      const list = find('#entries div');
      list.replaceChildren();
      appendInSteps(list, grouped(entries), row);
      find('#count').textContent = entries.length.toLocaleString('en') + ' of '
        + archive.entries.length.toLocaleString('en');
    }

    function showSizes() {
      const rows = grouped(archive.entries);
      const largest = rows.slice().sort((a, b) => b.size - a.size).slice(0, 20);
      const scale = Math.max(1, ...largest.map((row) => row.size));
      const total = rows.reduce((sum, row) => sum + row.size, 0);
      const list = find('#sizes ol');
      for (const row of largest) {
        const item = element('li');
        const link = element('a', '', visible(nameOf(row)));
        link.href = '#entries';
        link.title = visible(nameOf(row));
        // The field itself would leave out the line breaks of a key, and the search its spaces.
        link.onclick = () => { find('#search').value = row.group; showEntries(row.group); };
        const bar = element('div', 'bar');
        bar.style.width = 100 * row.size / scale + '%';
        item.append(link, bar, element('span', 'size', bytes(row.size)));
        list.append(item);
      }
      const others = rows.length - largest.length;
      if (others > 0) {
        const rest = total - largest.reduce((sum, row) => sum + row.size, 0);
        list.append(element('li', 'size', others.toLocaleString('en') + ' more, ' + bytes(rest)));
      }
    }

    find('h1').textContent = archive.name;
    find('#facts').textContent = counted(archive.entries.length, 'entry', 'entries') + ', ' + bytes(archive.byteCount);
    let waiting;
    find('#search').oninput = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => showEntries(), 150);
    };
    find('#expand').onclick = () => { for (const item of document.querySelectorAll('details')) item.open = true; };
    find('#collapse').onclick = () => { for (const item of document.querySelectorAll('details')) item.open = false; };
    showSizes();
    showEntries();
    """#
}
