extension HTMLPage {
  /// Builds parts of the tree when they are opened, a limited number each time, so that a large archive opens fast.
  static let script = #"""
    'use strict';
    const archive = JSON.parse(document.getElementById('archive').textContent);
    const step = 200;
    const find = (selector) => document.querySelector(selector);

    // The only way in which anything gets into the page: as text.
    function element(name, className, text) {
      const made = document.createElement(name);
      if (className) made.className = className;
      if (text !== undefined) made.textContent = text;
      return made;
    }

    function bytes(count) {
      return count.toLocaleString('en') + (count === 1 ? ' byte' : ' bytes');
    }

    // Appends what `make` gives for each item, and a button for the rest.
    function appendInSteps(parent, items, make, start = 0) {
      for (const item of items.slice(start, start + step)) parent.append(make(item));
      const rest = items.length - start - step;
      if (rest <= 0) return;
      const button = element('button', 'more', 'Show more (' + rest.toLocaleString('en') + ')');
      button.onclick = () => { button.remove(); appendInSteps(parent, items, make, start + step); };
      parent.append(button);
    }

    // A name as it is where it can be seen and told from others, else in quotes with escapes.
    const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
    function visible(name) {
      if (!/^$|^[ "\p{M}]| $|  /u.test(name) && !unseen.test(name)) return name;
      const escaped = (text) => text.split('').map((unit) =>
        '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0')).join('');
      return JSON.stringify(name).replace(new RegExp(unseen.source, 'gu'), escaped).replace(/^"\p{M}/u, (start) =>
        '"' + escaped(start.slice(1)));
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
      if (node.p) {
        const size = node.p.length.toLocaleString('en') + (node.p.length === 1 ? ' element' : ' elements');
        return branch(name, node.t, size, (parent) => appendParts(parent, node));
      }
      const leaf = element('div', 'leaf');
      leaf.append(element('span', 'key', visible(name)), element('span', 'type', node.t), element('span', 'text', node.s));
      return leaf;
    }

    function appendParts(parent, node) {
      appendInSteps(parent, node.p, ([name, part]) => tree(name, part));
    }

    function row(entry) {
      const details = branch(entry.key, entry.type, bytes(entry.size), (parent) => {
        if (entry.node.p) return appendParts(parent, entry.node);
        const leaf = element('div', 'leaf');
        leaf.append(element('span', 'text', entry.node.s));
        parent.append(leaf);
      });
      details.dataset.key = entry.key;
      return details;
    }

    // Everything of an entry in which the search looks, made once.
    const searched = new Map();
    function textOf(entry) {
      if (!searched.has(entry)) {
        const words = [entry.key, entry.type];
        const open = [entry.node];
        while (open.length) {
          const node = open.pop();
          words.push(node.t);
          if (node.s !== undefined) words.push(node.s);
          for (const [name, part] of node.p || []) { words.push(name); open.push(part); }
        }
        searched.set(entry, words.join('\n').toLowerCase());
      }
      return searched.get(entry);
    }

    function showEntries() {
      const wanted = find('#search').value.trim().toLowerCase();
      const found = archive.entries.filter((entry) => !wanted || textOf(entry).includes(wanted));
      const list = find('#entries div');
      list.replaceChildren();
      appendInSteps(list, found, row);
      find('#count').textContent = found.length.toLocaleString('en') + ' of '
        + archive.entries.length.toLocaleString('en');
    }

    function showSizes() {
      const largest = archive.entries.slice().sort((a, b) => b.size - a.size).slice(0, 20);
      const scale = Math.max(1, ...largest.map((entry) => entry.size));
      const total = archive.entries.reduce((sum, entry) => sum + entry.size, 0);
      const list = find('#sizes ol');
      for (const entry of largest) {
        const item = element('li');
        const link = element('a', '', visible(entry.key));
        link.href = '#entries';
        link.title = visible(entry.key);
        link.onclick = () => { find('#search').value = entry.key; showEntries(); };
        const bar = element('div', 'bar');
        bar.style.width = 100 * entry.size / scale + '%';
        item.append(link, bar, element('span', 'size', bytes(entry.size)));
        list.append(item);
      }
      const others = archive.entries.length - largest.length;
      if (others > 0) {
        const rest = total - largest.reduce((sum, entry) => sum + entry.size, 0);
        list.append(element('li', 'size', others.toLocaleString('en') + ' more, ' + bytes(rest)));
      }
    }

    find('h1').textContent = archive.name;
    find('#facts').textContent = archive.entries.length.toLocaleString('en')
      + (archive.entries.length === 1 ? ' entry, ' : ' entries, ') + bytes(archive.byteCount);
    find('#search').oninput = showEntries;
    find('#expand').onclick = () => { for (const item of document.querySelectorAll('details')) item.open = true; };
    find('#collapse').onclick = () => { for (const item of document.querySelectorAll('details')) item.open = false; };
    showSizes();
    showEntries();
    """#
}
