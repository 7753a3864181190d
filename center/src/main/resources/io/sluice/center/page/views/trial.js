// A trial: its steps, and the verdict with the comparison of both sides.
import { html } from '/assets/parts.js';
import { micros } from '/assets/console/format.js';
import { dot, facts, panel, timeAgo } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { measureName, scopeText, verdictBadge } from '/assets/views/release-words.js';

const t = words({
  en: {
    trial: 'Trial', steps: 'Steps of the trial', watch: 'watch', all: 'all', who: 'Tries it', since: 'Since', every: 'Interval',
    beside: 'In force beside it', version: 'version {n}', automatic: 'Verdict', acts: 'acts by itself', shown: 'shown only; a person decides', compares: 'Compares',
    verdict: 'Verdict', none: 'There is no verdict yet', noneText: 'The first one comes after an interval of {every}, as soon as there is enough data.',
    noVerdict: 'Such a trial has no verdict: a person decides.', look: 'look {n}', onTrial: 'On trial', control: 'Control', worse: 'Difference',
    between: '{low} to {high}', allowed: 'allowed: {tolerance}', points: '{n} points', nothing: 'not enough data',
    legend: 'The band is where the difference lies. Left of zero the trial is better; a band beyond the dashed line is too much.',
    barText: '{measure}: the trial is worse by {low} to {high}, allowed are {tolerance}',
  },
  zh: {
    trial: '试用', steps: '试用步骤', watch: '观察', all: '全部', who: '试用范围', since: '开始时间', every: '判定间隔',
    beside: '同时生效', version: '版本 {n}', automatic: '判定', acts: '自动执行', shown: '仅显示，由人决定', compares: '比较指标',
    verdict: '判定', none: '尚无判定', noneText: '数据足够后，每隔 {every} 作出判定。',
    noVerdict: '这种试用没有判定，由人决定。', look: '第 {n} 次查看', onTrial: '试用', control: '对照', worse: '差异',
    between: '{low} 至 {high}', allowed: '容许 {tolerance}', points: '{n} 个百分点', nothing: '数据不足',
    legend: '色带表示差异所在的范围。零的左侧表示试用更好；色带越过虚线表示变差过多。',
    barText: '{measure}：试用变差 {low} 至 {high}，容许 {tolerance}',
  },
});

function isTime(measure) {
  return measure === 'latency';
}

/** A value of a measure: a share in percent, or a time. */
function value(measure, number) {
  if (number === null) {
    return '–';
  }
  return isTime(measure) ? micros(number) : `${(number * 100).toFixed(2)} %`;
}

/** A difference, with its sign. */
function difference(measure, number) {
  if (number === null) {
    return '–';
  }
  const sign = number < 0 ? '−' : '+';
  return isTime(measure) ? `${sign}${micros(Math.abs(number))}` : `${sign}${(Math.abs(number) * 100).toFixed(2)}`;
}

/** The interval in which the difference lies, with zero and the tolerance. */
function intervalBar({ measure, low, high, tolerance, verdict }) {
  if (low === null || high === null || tolerance === null) {
    return html`<span class="soft small">${t('nothing')}</span>`;
  }
  const least = Math.min(low, -tolerance, 0);
  const most = Math.max(high, tolerance * 1.5, 0);
  const room = (most - least) * 0.06 || 1;
  const place = (number) => ((number - least + room) * 200) / (most - least + 2 * room);
  const text = t('barText', { measure: measureName(measure), low: difference(measure, low), high: difference(measure, high), tolerance: difference(measure, tolerance) });
  return html`<svg class=${`interval ${verdict}`} viewBox="0 0 200 22" preserveAspectRatio="none" role="img" aria-label=${text}>
    <title>${text}</title>
    <line class="interval-axis" x1="0" x2="200" y1="11" y2="11" />
    <rect class="interval-band" x=${place(low)} width=${Math.max(2, place(high) - place(low))} y="6" height="10" rx="2" />
    <line class="interval-zero" x1=${place(0)} x2=${place(0)} y1="1" y2="21" />
    <line class="interval-most" x1=${place(tolerance)} x2=${place(tolerance)} y1="1" y2="21" /></svg>`;
}

function stepList({ trial, state }) {
  if (trial.scope !== 'callers' && trial.scope !== 'nodes') {
    return null;
  }
  const isRunning = state === 'trial' || state === 'holding';
  const isForAll = state === 'releasing' || state === 'done' || state === 'superseded';
  const steps = trial.steps.map((share, i) => ({
    name: `${share} %`, state: isForAll || (i < trial.step && !trial.watching) ? 'past' : i === trial.step && isRunning && !trial.watching ? 'current' : '',
  }));
  if (trial.watching) {
    steps.unshift({ name: t('watch'), state: isRunning ? 'current' : '' });
  }
  steps.push({ name: t('all'), state: isForAll ? 'past' : '' });
  return html`<ol class="steps" aria-label=${t('steps')}>${steps.map((step, i) => html`
    <li key=${i} class=${step.state} aria-current=${step.state === 'current' ? 'step' : null}>${step.name}</li>`)}</ol>`;
}

/** What is tried, by whom, and how far it is. */
export function trialPanel(rollout) {
  const { trial } = rollout;
  return panel({ id: 'trial', title: t('trial') }, html`
    <div class="stack">
      ${stepList(rollout)}
      ${facts([
        [t('who'), trial.watching ? t('watch') : scopeText(trial)],
        [t('since'), trial.step_at && timeAgo(trial.step_at)],
        [t('beside'), trial.replaces && t('version', { n: trial.replaces })],
        [t('automatic'), (trial.scope === 'callers' || trial.scope === 'nodes') && dot(trial.automatic ? 'info' : 'plain', t(trial.automatic ? 'acts' : 'shown'))],
        [t('every'), trial.compare.length > 0 && trial.every],
        [t('compares'), trial.compare.map(measureName).join(' · ')],
      ].map(([name, fact]) => [name, fact || null]))}
    </div>`);
}

/** The last verdict. */
export function verdictPanel(trial) {
  const { verdict } = trial;
  if (!verdict) {
    return panel({ id: 'verdict', title: t('verdict') }, html`<div class="nothing"><strong>${t('none')}</strong>
      <p class="soft">${trial.compare.length > 0 ? t('noneText', { every: trial.every }) : t('noVerdict')}</p></div>`);
  }
  return panel({ id: 'verdict', title: t('verdict'), actions: html`<span class="soft small">${t('look', { n: verdict.look })} · ${timeAgo(verdict.at)}</span>` }, html`
    <div class="stack">
      <p class="verdict-why">${verdictBadge(verdict.verdict)} <span>${verdict.why}</span></p>
      ${verdict.comparisons.map((comparison) => html`
        <div class="comparison" key=${comparison.measure}>
          <div class="comparison-head"><span class="strong">${measureName(comparison.measure)}</span> ${verdictBadge(comparison.verdict)}</div>
          <div class="comparison-values">
            <div><span class="soft small">${t('onTrial')}</span><span class="comparison-value">${value(comparison.measure, comparison.trial)}</span></div>
            <div><span class="soft small">${t('control')}</span><span class="comparison-value">${value(comparison.measure, comparison.control)}</span></div>
            <div class="comparison-bar">${intervalBar(comparison)}
              ${comparison.low !== null && comparison.high !== null && html`<span class="soft small">${t('worse')} ${isTime(comparison.measure)
                ? t('between', { low: difference(comparison.measure, comparison.low), high: difference(comparison.measure, comparison.high) })
                : t('points', { n: t('between', { low: difference(comparison.measure, comparison.low), high: difference(comparison.measure, comparison.high) }) })}
                ${comparison.tolerance !== null && html` · ${t('allowed', { tolerance: difference(comparison.measure, comparison.tolerance) })}`}</span>`}</div>
          </div>
          ${!verdict.why.includes(comparison.why) && html`<div class="soft small">${comparison.why}</div>`}
        </div>`)}
      ${verdict.comparisons.length > 0 && html`<p class="hint">${t('legend')}</p>`}
    </div>`);
}
