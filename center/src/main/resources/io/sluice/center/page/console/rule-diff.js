// The difference between two texts, line by line: side by side on wide screens, below each other on small ones.
import { h, ref } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { yamlLine } from '/assets/console/rule-yaml.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: { before: 'In force', after: 'Proposed', same: 'There is no difference.', hidden: '{n} unchanged lines', added: 'added', removed: 'removed', label: 'Difference' },
  zh: { before: '生效中', after: '提议', same: '没有差异。', hidden: '{n} 行未变', added: '新增', removed: '删除', label: '差异' },
});

const CONTEXT = 3;
const WORD = /[\p{L}\p{N}_]/u;
/** Texts of more lines are compared as blocks, so that a large one does not stop the page. */
const MOST_CELLS = 4_000_000;

function lines(text) {
  const all = String(text ?? '').split('\n');
  if (all[all.length - 1] === '') {
    all.pop();
  }
  return all;
}

/** Returns pairs of positions of equal lines, in order: a longest common subsequence. */
function common(a, b) {
  if (a.length * b.length > MOST_CELLS) {
    return [];
  }
  const width = b.length + 1;
  const best = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] = a[i] === b[j] ? best[(i + 1) * width + j + 1] + 1
        : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      pairs.push([i++, j++]);
    } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) {
      i++;
    } else {
      j++;
    }
  }
  return pairs;
}

function paired(left, right) {
  const rows = [];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    rows.push({ kind: 'changed', left: left[i] ?? null, right: right[i] ?? null });
  }
  return rows;
}

/**
 * Returns the rows of a difference: {kind: same or changed, left, right}; a side is {n: line number, text} or null.
 */
export function diffRows(before, after) {
  const a = lines(before);
  const b = lines(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) {
    start++;
  }
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) {
    end++;
  }
  const pairs = [
    ...Array.from({ length: start }, (_, i) => [i, i]),
    ...common(a.slice(start, a.length - end), b.slice(start, b.length - end)).map(([i, j]) => [i + start, j + start]),
    ...Array.from({ length: end }, (_, i) => [a.length - end + i, b.length - end + i]),
    [a.length, b.length],
  ];
  const rows = [];
  const side = (all, from, to) => all.slice(from, to).map((text, i) => ({ n: from + i + 1, text }));
  let i = 0;
  let j = 0;
  pairs.forEach(([nextI, nextJ]) => {
    rows.push(...paired(side(a, i, nextI), side(b, j, nextJ)));
    if (nextI < a.length && nextJ < b.length) {
      rows.push({ kind: 'same', left: { n: nextI + 1, text: a[nextI] }, right: { n: nextJ + 1, text: b[nextJ] } });
    }
    i = nextI + 1;
    j = nextJ + 1;
  });
  return rows;
}

/** Returns a line with the part marked in which it differs from the line beside it. */
function marked(line, other) {
  if (other === null) {
    return line || ' ';
  }
  let start = 0;
  const least = Math.min(line.length, other.length);
  while (start < least && line[start] === other[start]) {
    start++;
  }
  let end = 0;
  while (end < least - start && line[line.length - 1 - end] === other[other.length - 1 - end]) {
    end++;
  }
  // Whole words and numbers are easier to read than some of their letters.
  while (start > 0 && WORD.test(line[start - 1])) {
    start--;
  }
  while (end > 0 && WORD.test(line[line.length - end])) {
    end--;
  }
  if (start + end < line.length / 4) {
    // The lines have little in common; marking nearly everything would say nothing.
    return line;
  }
  return [line.slice(0, start), html`<mark>${line.slice(start, line.length - end)}</mark>`, line.slice(line.length - end)];
}

/** Leaves out equal lines that are far from a difference. */
function folded(rows, opened) {
  const near = new Set();
  rows.forEach((row, i) => {
    if (row.kind === 'changed') {
      for (let k = i - CONTEXT; k <= i + CONTEXT; k++) {
        near.add(k);
      }
    }
  });
  const shown = [];
  for (let i = 0; i < rows.length; i++) {
    if (rows[i].kind !== 'same' || near.has(i)) {
      shown.push(rows[i]);
      continue;
    }
    let to = i;
    while (to < rows.length && rows[to].kind === 'same' && !near.has(to)) {
      to++;
    }
    if (to - i < 3 || opened.has(i)) {
      shown.push(...rows.slice(i, to));
    } else {
      shown.push({ kind: 'gap', left: null, right: null, n: to - i, at: i });
    }
    i = to - 1;
  }
  return shown;
}

/**
 * Shows a difference.
 *
 * @param rows from diffRows, or of the same form; a row of the kind gap stands for lines that are not known
 * @param before,after the titles of the two sides
 * @param id of the element
 * @param label what differs, for those who do not see it
 * @param isYaml whether the text is shown in the colours of YAML; else what differs within a line is marked
 */
export function diffTable({ rows, before = t('before'), after = t('after'), id = 'diff', label = t('label'), isYaml = true }) {
  return h(DiffTable, { rows, before, after, id, label, isYaml });
}

const DiffTable = {
  props: ['rows', 'before', 'after', 'id', 'label', 'isYaml'],
  setup(props) {
    const opened = ref(new Set());
    const line = (side, other, sign) => (props.isYaml ? yamlLine(side.text) : sign ? marked(side.text, other?.text ?? null) : side.text);
    const cell = (side, other, sign) => (side === null ? html`<div class="rule-diff-none"></div>` : html`
      <div class=${['rule-diff-cell', sign ? `rule-diff-${sign}` : '']}><span class="rule-diff-number" aria-hidden="true">${side.n}</span><span class="rule-diff-sign"
        aria-label=${sign === 'added' ? t('added') : sign === 'removed' ? t('removed') : null}
        role=${sign ? 'img' : null}>${sign === 'added' ? '+' : sign === 'removed' ? '−' : ' '}</span><code>${line(side, other, sign)}</code></div>`);
    return () => {
      if (!props.rows.some((row) => row.kind === 'changed')) {
        return html`<p class="soft" id=${props.id}>${t('same')}</p>`;
      }
      // A text that is new or gone has one side.
      const isNew = props.rows.every((row) => row.left === null);
      const isGone = props.rows.every((row) => row.right === null);
      return html`
        <div class=${['rule-diff', isNew || isGone ? 'one-sided' : '']} id=${props.id} tabindex="0" role="region" aria-label=${props.label}>
          ${!isNew && !isGone && html`<div class="rule-diff-head"><span>${props.before}</span><span>${props.after}</span></div>`}
          ${folded(props.rows, opened.value).map((row, i) => {
            if (row.kind === 'gap' && row.at === undefined) {
              return html`<div class="rule-diff-gap" key=${`g${i}`} aria-hidden="true">⋯</div>`;
            }
            if (row.kind === 'gap') {
              return html`<div class="rule-diff-gap" key=${`g${i}`}><button type="button" class="quiet small"
                onClick=${() => { opened.value = new Set([...opened.value, row.at]); }}>⋯ ${t('hidden', { n: row.n })}</button></div>`;
            }
            return html`<div class=${['rule-diff-row', row.kind]} key=${i}>
              ${!isNew && cell(row.left, row.right, row.kind === 'changed' ? 'removed' : '')}
              ${!isGone && cell(row.right, row.left, row.kind === 'changed' ? 'added' : '')}</div>`;
          })}
        </div>`;
    };
  },
};
