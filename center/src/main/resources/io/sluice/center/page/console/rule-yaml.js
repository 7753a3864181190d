// Shows YAML with colours. It only needs to be right for rules, and never changes the text.
import { h } from '/assets/vue.js';
import { html } from '/assets/parts.js';

const TOKEN = /(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([A-Za-z_][\w.-]*)(?=\s*:(?:\s|$))|(?<![\w./-])(true|false|null)(?![\w./-])|(?<![\w./-])(\d[\w./:+-]*)|([{}[\],:]|^\s*-(?=\s))/g;
const KINDS = [null, 'comment', 'string', 'key', 'word', 'number', 'mark'];

/** Returns one line of YAML as elements. */
export function yamlLine(text) {
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(TOKEN)) {
    if (found.index > from) {
      parts.push(text.slice(from, found.index));
    }
    const kind = KINDS.find((name, i) => i > 0 && found[i] !== undefined);
    parts.push(h('span', { class: `y-${kind}` }, found[0]));
    from = found.index + found[0].length;
  }
  if (from < text.length) {
    parts.push(text.slice(from));
  }
  return parts;
}

/** Shows a text as YAML. */
export function yaml(text, { id, label }) {
  return html`<pre class="yaml" id=${id} tabindex="0" role="region" aria-label=${label}><code>${text.replace(/\n$/, '').split('\n').map((line, i) => h('span', { class: 'yaml-line', key: i }, [...yamlLine(line), '\n']))}</code></pre>`;
}
