// The difference between two sets of rules: in sentences, and as text side by side.
import { html } from '/assets/parts.js';
import { badge } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: { added: 'added', changed: 'changed', removed: 'removed', before: 'Before', after: 'After', none: 'No rule differs.',
    counts: '{added} added, {changed} changed, {removed} removed', more: 'Not all rules are shown: the difference is very large.',
    sentences: '{n} more sentences' },
  zh: { added: '新增', changed: '修改', removed: '删除', before: '之前', after: '之后', none: '没有规则发生变化。',
    counts: '新增 {added} 条，修改 {changed} 条，删除 {removed} 条', more: '差异过大，未显示全部规则。',
    sentences: '还有 {n} 句' },
});

/** So many rules are opened at once; the others open on a click. */
const OPEN_RULES = 8;
const FIRST_SENTENCES = 12;
const WORD = /[\p{L}\p{N}_]/u;
const KINDS = { added: 'good', changed: 'info', removed: 'bad' };

/**
 * Reads a text in the form of diff -u.
 *
 * @returns {{rule: string, kind: string, rows: Array<{left: ?string, right: ?string, same: boolean, gap: boolean}>}[]}
 */
function readDiff(text) {
  const rules = [];
  let rule = null;
  let taken = [];
  let given = [];
  const settle = () => {
    for (let i = 0; i < Math.max(taken.length, given.length); i++) {
      rule.rows.push({ left: taken[i] ?? null, right: given[i] ?? null, same: false, gap: false });
    }
    taken = [];
    given = [];
  };
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (line.startsWith('--- ') && lines[i + 1]?.startsWith('+++ ')) {
      if (rule) {
        settle();
      }
      const from = line.slice(4);
      const to = lines[i + 1].slice(4);
      rule = { rule: to === '/dev/null' ? from : to, kind: from === '/dev/null' ? 'added' : to === '/dev/null' ? 'removed' : 'changed', rows: [] };
      rules.push(rule);
      i++;
    } else if (!rule) {
      continue;
    } else if (line.startsWith('@@')) {
      settle();
      if (rule.rows.length > 0) {
        rule.rows.push({ left: null, right: null, same: true, gap: true });
      }
    } else if (line.startsWith('-')) {
      taken.push(line.slice(1));
    } else if (line.startsWith('+')) {
      given.push(line.slice(1));
    } else if (line.startsWith(' ')) {
      settle();
      rule.rows.push({ left: line.slice(1), right: line.slice(1), same: true, gap: false });
    }
  }
  if (rule) {
    settle();
  }
  return rules;
}

/** Returns a line with the part marked in which it differs from the line beside it. */
function marked(line, other) {
  if (line === null) {
    return '';
  }
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

function side(row, name) {
  const text = row[name];
  const other = row[name === 'left' ? 'right' : 'left'];
  const kind = row.same ? '' : text === null ? 'vd-void' : name === 'left' ? 'vd-gone' : 'vd-new';
  const sign = row.same || text === null ? ' ' : name === 'left' ? '−' : '+';
  return html`<span class=${`vd-sign ${kind} vd-${name}`}>${sign}</span>
    <code class=${`vd-line ${kind} vd-${name}`}>${row.same ? text : marked(text, other)}</code>`;
}

function rows(rule) {
  return html`
    <div class=${`version-diff ${rule.kind}`} role="group" aria-label=${rule.rule}>
      ${rule.kind === 'changed' && html`<div class="vd-side soft small">${t('before')}</div><div class="vd-side soft small">${t('after')}</div>`}
      ${rule.rows.map((row, i) => row.gap
        ? html`<div class="vd-gap" key=${i} aria-hidden="true">⋯</div>`
        : html`<div class=${`vd-row ${row.same ? 'vd-same' : ''}`} key=${i}>${rule.kind !== 'added' && side(row, 'left')}${rule.kind !== 'removed' && side(row, 'right')}</div>`)}
    </div>`;
}

/** How many rules differ, as a short text. */
export function tally(counts) {
  return t('counts', counts);
}

/** The differences as a list of sentences: the rule, then what differs. */
export function sentences(all) {
  const line = (sentence, i) => {
    const at = sentence.indexOf(': ');
    return html`<li key=${i}>${at > 0 ? [html`<code>${sentence.slice(0, at)}</code>`, ' ', sentence.slice(at + 2)] : sentence}</li>`;
  };
  return html`<ul class="diff-sentences">${all.slice(0, FIRST_SENTENCES).map(line)}</ul>
    ${all.length > FIRST_SENTENCES && html`<details class="more"><summary>${t('sentences', { n: all.length - FIRST_SENTENCES })}</summary>
      <ul class="diff-sentences">${all.slice(FIRST_SENTENCES).map(line)}</ul></details>`}`;
}

/** The text of a difference, side by side. Small screens show one side below the other. */
export function sideBySide(text) {
  const rules = readDiff(text ?? '');
  if (rules.length === 0) {
    return html`<p class="soft">${t('none')}</p>`;
  }
  return html`
    <div class="version-diffs">
      ${rules.map((rule, i) => html`
        <details key=${rule.rule} open=${i < OPEN_RULES} class="vd-rule">
          <summary><code class="strong">${rule.rule}</code> ${badge(t(rule.kind), KINDS[rule.kind])}</summary>
          ${rows(rule)}
        </details>`)}
      ${/^… and more rules$/m.test(text) && html`<p class="soft">${t('more')}</p>`}
    </div>`;
}
