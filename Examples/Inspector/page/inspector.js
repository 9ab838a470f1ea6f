'use strict';

// The page of the inspector. A WebAssembly program in the page reads archives, and this script shows its answers.
// Content of an archive only enters the page as text.

const find = (selector) => document.querySelector(selector);
// Rows are created when they are opened, this many at a time.
const step = 200;
const mostBars = 20;

// The open archive: the program with a file, and its answer.
let archive;
let summary;
let rows = [];
let order = { by: 'position', isDescending: false };
let matches = null;
let outdated = new Set();

// MARK: The program

// Compiled once. Each file has its own program and memory, which are released with it.
const compiled = (async () => {
  const packed = Uint8Array.from(atob(find('#program').textContent.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
})();

class Archive {
  static async start() {
    const made = new Archive();
    const wasi = {
      // The layout of tables of keys is random, so that no file can be crafted to slow them down.
      random_get: (start, count) => {
        crypto.getRandomValues(new Uint8Array(made.program.memory.buffer, start, count));
        return 0;
      },
    };
    made.program = (await WebAssembly.instantiate(await compiled, { wasi_snapshot_preview1: wasi })).exports;
    return made;
  }

  // Copies bytes into the program, and calls a function with them.
  give(name, bytes) {
    const start = this.program.inspector_allocate(bytes.length);
    new Uint8Array(this.program.memory.buffer, start, bytes.length).set(bytes);
    return this.call(name, start, bytes.length);
  }

  call(name, ...parameters) {
    const length = this.program[name](...parameters);
    const bytes = new Uint8Array(this.program.memory.buffer, this.program.inspector_answer() >>> 0, length);
    const { answer, error } = JSON.parse(new TextDecoder().decode(bytes));
    if (error !== undefined) throw new Error(error);
    return answer;
  }
}

// MARK: Elements

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function button(text, action) {
  const made = element('button', '', text);
  made.type = 'button';
  made.onclick = action;
  return made;
}

const number = (value) => value.toLocaleString('en');
const counted = (count, singular, plural) => number(count) + ' ' + (count === 1 ? singular : plural);
const bytes = (count) => counted(count, 'byte', 'bytes');

// A name, or a quoted form with escapes if parts of the name are invisible or ambiguous.
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;
function visible(name) {
  if (!/^$|^[ "\p{M}]| $|  /u.test(name) && !unseen.test(name)) return name;
  const escaped = (text) => text.split('').map((unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0')).join('');
  return JSON.stringify(name).replace(new RegExp(unseen.source, 'gu'), escaped).replace(/^"\p{M}/u, (start) =>
    '"' + escaped(start.slice(1)));
}

// Appends the result of `make` for some items, and a button for the rest.
function appendInSteps(parent, items, make, start = 0) {
  parent.append(...items.slice(start, start + step).map(make));
  const rest = items.length - start - step;
  if (rest <= 0) return;
  const more = button('Show more (' + number(rest) + ')', () => {
    more.remove();
    appendInSteps(parent, items, make, start + step);
  });
  parent.append(more);
}

// Runs an action, and appends the error if it fails.
function attempt(parent, action) {
  try {
    action();
  } catch (error) {
    parent.append(element('p', 'error', explain(error)));
  }
}

function explain(error) {
  // The program only traps if it runs out of memory, whatever the file contains.
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) return 'There is not enough memory for this.';
  return visible(error.message);
}

// MARK: Opening

async function open(file) {
  find('main').hidden = true;
  find('#status').className = '';
  find('#status').textContent = 'Reading ' + visible(file.name) + ' …';
  archive = summary = undefined;
  try {
    const content = new Uint8Array(await file.arrayBuffer());
    // Let the browser show the line above.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const started = await Archive.start();
    const answer = started.give('inspector_open', content);
    archive = started;
    show(file.name, answer);
    find('#status').textContent = '';
  } catch (error) {
    find('#status').className = 'error';
    find('#status').textContent = 'This file cannot be shown. ' + explain(error);
  }
}

function show(name, answer) {
  summary = answer;
  document.title = name;
  find('h1').textContent = visible(name);
  matches = null;
  order = { by: 'position', isDescending: false };
  find('#search').value = '';
  outdated = new Set(summary.outdated);
  rows = grouped((summary.entries || []).map(([key, type, size], position) => ({ key, type, size, position })));
  showFacts();
  showFindings();
  showSizes();
  showEntries();
  find('main').hidden = false;
}

// MARK: The file

const verdicts = {
  intact: 'Intact: every checksum is right.',
  damaged: 'Damaged: what is intact is shown below.',
  newer: 'Newer: the file has a later version of the format. What has the known form is shown.',
  unreadable: 'Unreadable: the beginning of the file is damaged, and nothing could be read.',
  foreign: 'Foreign: this is no archive of GlobalData.',
};

function showFacts() {
  const dead = summary.byteCount - summary.liveBytes;
  const facts = [
    ['Verdict', verdicts[summary.verdict], summary.verdict],
    ['Identity', summary.identity],
    ['Version', summary.version],
    ['Generation', summary.generation],
    ['Changes after the archive', summary.changes],
    ['Entries', summary.entries && number(summary.entries.length)],
    ['Size', bytes(summary.byteCount)],
    ['Live', summary.liveBytes !== undefined ? bytes(summary.liveBytes) : undefined],
    ['Dead', dead > 0 ? bytes(dead) + ': older values, changes and room for more' : dead === 0 ? bytes(0) : undefined],
  ];
  find('#facts').replaceChildren(...facts.filter(([, value]) => value !== undefined).flatMap(([name, value, className]) =>
    [element('dt', '', name), element('dd', className, value)]));
}

function showFindings() {
  const lists = [
    ['Damage', summary.damage || [], summary.damageCount],
    ['Lost keys', summary.lost || [], summary.lostCount],
    ['Outdated keys', summary.outdated || []],
  ];
  find('#findings').replaceChildren(...lists.filter(([, items, count]) => items.length || count).map(([title, items, count]) => {
    const details = element('details');
    details.open = true;
    const rest = Math.max(0, (count || 0) - items.length);
    details.append(element('summary', 'error', title + ': ' + number(items.length + rest)));
    const list = element('ul');
    appendInSteps(list, items, (item) => element('li', 'text', visible(item)));
    if (rest > 0) {
      list.append(element('li', 'note', title === 'Damage' ? number(rest) + ' more' : number(rest) + ' whose keys cannot be read'));
    }
    details.append(list);
    return details;
  }));
}

// MARK: Collections

// The keys of one collection form one row: two or more keys with the same name before the first slash. The name
// can have several Unicode spellings. In it, a slash is written `~1` and a tilde `~0`.
function grouped(entries) {
  const collections = new Map();
  const rows = [];
  for (const entry of entries) {
    const slash = entry.key.indexOf('/');
    const prefix = slash < 0 ? null : entry.key.slice(0, slash).normalize();
    let row = prefix === null ? undefined : collections.get(prefix);
    if (row) {
      row.members.push(entry);
      row.size += entry.size;
      continue;
    }
    row = { position: entry.position, members: [entry], size: entry.size };
    if (prefix !== null) {
      row.name = prefix.replaceAll('~1', '/').replaceAll('~0', '~');
      collections.set(prefix, row);
    }
    rows.push(row);
  }
  for (const row of rows) describe(row);
  return rows;
}

function describe(row) {
  const [first] = row.members;
  row.isCollection = row.members.length > 1;
  row.key = row.isCollection ? row.name : first.key;
  const types = new Set(row.members.map((member) => member.type));
  row.type = types.size === 1 ? first.type : counted(types.size, 'type', 'types');
}

// MARK: Sizes

function showSizes() {
  const largest = rows.slice().sort((left, right) => right.size - left.size).slice(0, mostBars);
  const scale = Math.max(1, ...largest.map((row) => row.size));
  const total = rows.reduce((sum, row) => sum + row.size, 0);
  const bars = largest.map((row) => {
    const item = element('li');
    const name = button(title(row), () => {
      // The field itself would leave out the line breaks of a key, and the search its spaces.
      const wanted = row.isCollection ? row.members[0].key.slice(0, row.members[0].key.indexOf('/') + 1) : row.key;
      find('#search').value = wanted;
      search(wanted);
      find('#search').focus();
    });
    name.title = title(row);
    const bar = element('div', 'bar');
    bar.style.width = 100 * row.size / scale + '%';
    item.append(name, bar, element('span', 'size', bytes(row.size)));
    return item;
  });
  const others = rows.length - largest.length;
  if (others > 0) {
    const rest = total - largest.reduce((sum, row) => sum + row.size, 0);
    bars.push(element('li', 'note', number(others) + ' more, ' + bytes(rest)));
  }
  find('#sizes').replaceChildren(...bars);
}

function title(row) {
  return visible(row.key) + (row.isCollection ? ' (' + number(row.members.length) + ')' : '');
}

// MARK: Entries

const compare = {
  position: (left, right) => left.position - right.position,
  size: (left, right) => left.size - right.size || left.position - right.position,
  key: (left, right) => left.key < right.key ? -1 : left.key > right.key ? 1 : 0,
  type: (left, right) => left.type < right.type ? -1 : left.type > right.type ? 1 : left.position - right.position,
};

function sorted(items) {
  const result = items.slice().sort(compare[order.by]);
  return order.isDescending ? result.reverse() : result;
}

// The rows that match the search, with their matching members.
function found() {
  if (!matches) return rows;
  return rows.flatMap((row) => {
    const members = row.members.filter((member) => matches.has(member.position));
    if (members.length === row.members.length) return [row];
    return members.length ? [{ ...row, members, size: members.reduce((sum, member) => sum + member.size, 0) }] : [];
  });
}

function showEntries() {
  for (const column of document.querySelectorAll('#entries th')) {
    const isOrder = column.firstChild.dataset.order === order.by;
    column.removeAttribute('aria-sort');
    if (isOrder) column.setAttribute('aria-sort', order.isDescending ? 'descending' : 'ascending');
  }
  for (const body of document.querySelectorAll('#entries tbody')) body.remove();
  find('#more').replaceChildren();
  const shown = sorted(found());
  appendRows(shown, 0);
  const count = shown.reduce((sum, row) => sum + row.members.length, 0);
  const all = summary.entries ? summary.entries.length : 0;
  find('#count').textContent = matches ? number(count) + ' of ' + number(all) : '';
}

function appendRows(shown, start) {
  find('#entries').append(...shown.slice(start, start + step).map((row) =>
    row.isCollection ? collectionBody(row) : entryBody(row.members[0])));
  const rest = shown.length - start - step;
  find('#more').replaceChildren(...(rest > 0
    ? [button('Show more (' + number(rest) + ')', () => appendRows(shown, start + step))] : []));
}

function tableRow(className, position, key, type, size, toggle) {
  const made = element('tr', className);
  const name = element('td', 'key');
  const opener = button(key, () => {
    const isOpen = opener.getAttribute('aria-expanded') === 'true';
    opener.setAttribute('aria-expanded', String(!isOpen));
    toggle(!isOpen, made);
  });
  opener.setAttribute('aria-expanded', 'false');
  name.append(opener);
  made.append(element('td', 'position', position), name, element('td', 'type', type), element('td', 'size', size));
  return made;
}

function collectionBody(row) {
  const body = element('tbody');
  const label = counted(row.members.length, 'element', 'elements') + ', ' + row.type;
  const head = tableRow('collection', number(row.position + 1), visible(row.key), label, number(row.size), (isOpen) => {
    while (head.nextSibling) head.nextSibling.remove();
    if (isOpen) appendMembers(body, sorted(row.members), 0);
  });
  head.dataset.collection = row.key;
  body.append(head);
  return body;
}

function appendMembers(body, members, start) {
  body.append(...members.slice(start, start + step).map((member) => entryRow(member, 'member')));
  const rest = members.length - start - step;
  if (rest <= 0) return;
  const more = wideRow('value');
  more.firstChild.append(button('Show more (' + number(rest) + ')', () => {
    more.remove();
    appendMembers(body, members, start + step);
  }));
  body.append(more);
}

function entryBody(entry) {
  const body = element('tbody');
  body.append(entryRow(entry, 'entry'));
  return body;
}

function entryRow(entry, className) {
  const label = className === 'member' ? entry.key.slice(entry.key.indexOf('/') + 1) : entry.key;
  const made = tableRow(className, number(entry.position + 1), visible(label), visible(entry.type), number(entry.size), (isOpen, row) => {
    if (!isOpen) return row.nextSibling.remove();
    const value = wideRow('value');
    row.after(value);
    attempt(value.firstChild, () => showValue(value.firstChild, entry));
  });
  made.dataset.key = entry.key;
  if (outdated.has(entry.key)) made.querySelector('.type').append(element('span', 'error', ' perhaps outdated'));
  return made;
}

function wideRow(className) {
  const row = element('tr', className);
  const cell = element('td');
  cell.colSpan = 4;
  row.append(cell);
  return row;
}

// MARK: Values

function showValue(parent, entry) {
  const whole = element('pre');
  whole.hidden = true;
  const toggle = (label, name) => button(label, () => {
    const isShown = !whole.hidden && whole.dataset.shows === name;
    whole.hidden = isShown;
    if (isShown) return;
    whole.dataset.shows = name;
    whole.textContent = '';
    attempt(whole, () => { whole.textContent = archive.call(name, entry.position); });
  });
  const tools = element('p', 'tools');
  tools.append(toggle('Diagnostic notation', 'inspector_notation'), ' ', toggle('Bytes', 'inspector_bytes'));
  parent.append(tools, whole);
  const node = archive.call('inspector_value', entry.position);
  if (node.count !== undefined) {
    const head = element('div');
    head.append(...labels(node), element('span', 'note', size(node)));
    parent.append(head);
    appendParts(parent, entry.position, node, 0);
  } else {
    parent.append(leaf(entry.position, node));
  }
}

const size = (node) => counted(node.count, 'element', 'elements');

function labels(node) {
  const labels = [];
  if (node.name !== undefined) labels.push(element('span', 'name', visible(node.name)));
  if (node.key !== undefined) labels.push(element('span', 'name text', node.key));
  if (node.position !== undefined) labels.push(element('span', 'name', number(node.position)));
  if (node.type === undefined) return labels;
  const notes = (node.version ? ' version ' + node.version : '')
    + (node.instance !== undefined ? ' shared instance ' + node.instance : '');
  labels.push(element('span', 'type', visible(node.type) + notes));
  return labels;
}

function tree(entry, node) {
  if (node.count === undefined) return leaf(entry, node);
  const details = element('details');
  const line = element('summary');
  line.append(...labels(node), element('span', 'note', size(node)));
  details.append(line);
  details.ontoggle = () => {
    if (!details.open || details.dataset.filled) return;
    details.dataset.filled = 'yes';
    appendParts(details, entry, node, 0);
  };
  return details;
}

function appendParts(parent, entry, node, start) {
  attempt(parent, () => {
    const parts = archive.call('inspector_parts', entry, node.place, start);
    parent.append(...parts.map((part) => tree(entry, part)));
    const end = start + parts.length;
    if (end >= node.count || parts.length === 0) return;
    const more = button('Show more (' + number(node.count - end) + ')', () => {
      more.remove();
      appendParts(parent, entry, node, end);
    });
    parent.append(more);
  });
}

function leaf(entry, node) {
  const made = element('div', 'leaf');
  made.append(...labels(node));
  if (node.error !== undefined) {
    made.append(' ', element('span', 'error', visible(node.error)));
    return made;
  }
  const text = element('span', 'text', node.text);
  made.append(text);
  if (node.place !== undefined) {
    const more = button('Show all ' + bytes(node.byteCount), () => {
      more.remove();
      attempt(made, () => { text.textContent = archive.call('inspector_text', entry, node.place); });
    });
    made.append(' … ', more);
  }
  return made;
}

// MARK: Search

// This script searches keys and types, and the program searches values.
function search(wanted = find('#search').value.trim()) {
  matches = null;
  if (wanted) {
    const lowercase = wanted.normalize().toLowerCase();
    matches = new Set(archive.give('inspector_search', new TextEncoder().encode(wanted)));
    summary.entries.forEach(([key, type], position) => {
      if (key.normalize().toLowerCase().includes(lowercase) || type.toLowerCase().includes(lowercase)) matches.add(position);
    });
  }
  showEntries();
}

let waiting;
find('#search').oninput = () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => search(), 150);
};

for (const column of document.querySelectorAll('#entries th button')) {
  column.onclick = () => {
    order = { by: column.dataset.order, isDescending: order.by === column.dataset.order && !order.isDescending };
    showEntries();
  };
}

// MARK: Files

find('#file').onchange = (event) => {
  const [file] = event.target.files;
  if (file) open(file);
};

addEventListener('dragover', (event) => {
  event.preventDefault();
  document.body.classList.add('dropping');
});
addEventListener('dragleave', (event) => {
  if (!event.relatedTarget) document.body.classList.remove('dropping');
});
addEventListener('drop', (event) => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  const [file] = event.dataTransfer.files;
  if (file) open(file);
});
