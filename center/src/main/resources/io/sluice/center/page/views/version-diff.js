// The difference between two sets of rules: in sentences, and as text side by side.
import { html } from '/assets/parts.js';
import { changeWords } from '/assets/console/change-words.js';
import { diffTable } from '/assets/console/rule-diff.js';
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
const KINDS = { added: 'good', changed: 'info', removed: 'bad' };

/**
 * Reads a text in the form of diff -u.
 *
 * @returns {{rule: string, kind: string, rows: Array}[]} with rows as diffTable takes them
 */
function readDiff(text) {
  const rules = [];
  let rule = null;
  let taken = [];
  let given = [];
  let [left, right] = [1, 1];
  const settle = () => {
    for (let i = 0; i < Math.max(taken.length, given.length); i++) {
      rule.rows.push({ kind: 'changed', left: taken[i] ?? null, right: given[i] ?? null });
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
      const found = /^@@ -(\d+)\S* \+(\d+)/.exec(line);
      [left, right] = found ? [Number(found[1]), Number(found[2])] : [1, 1];
      if (rule.rows.length > 0) {
        rule.rows.push({ kind: 'gap', left: null, right: null });
      }
    } else if (line.startsWith('-')) {
      taken.push({ n: left++, text: line.slice(1) });
    } else if (line.startsWith('+')) {
      given.push({ n: right++, text: line.slice(1) });
    } else if (line.startsWith(' ')) {
      settle();
      rule.rows.push({ kind: 'same', left: { n: left++, text: line.slice(1) }, right: { n: right++, text: line.slice(1) } });
    }
  }
  if (rule) {
    settle();
  }
  return rules;
}

/** How many rules differ, as a short text. */
export function tally(counts) {
  return t('counts', counts);
}

/** The differences as a list of sentences: the rule, then what differs. */
export function sentences(all) {
  const line = (sentence, i) => {
    const at = sentence.indexOf(': ');
    return html`<li key=${i}>${at > 0 ? [html`<code>${sentence.slice(0, at)}</code>`, ' ', changeWords(sentence.slice(at + 2))] : changeWords(sentence)}</li>`;
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
          ${diffTable({ rows: rule.rows, before: t('before'), after: t('after'), id: `difference-of-${rule.rule}`, label: rule.rule, isYaml: false })}
        </details>`)}
      ${/^… and more rules$/m.test(text) && html`<p class="soft">${t('more')}</p>`}
    </div>`;
}
