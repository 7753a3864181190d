// One rule: what it does, what it did in the last hour or day, whom it refused, and how it came to be.
import { computed } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { changeWords } from '/assets/console/change-words.js';
import { chart, legend } from '/assets/console/chart.js';
import { useData } from '/assets/console/data.js';
import { atLeast, number, percent, perSecond } from '/assets/console/format.js';
import { can } from '/assets/console/me.js';
import { go, href, route, setQuery } from '/assets/console/router.js';
import { limitName, removeRule } from '/assets/console/rule-acts.js';
import { stateBadge, statesOf } from '/assets/console/rule-state.js';
import { limitWords, ruleLines } from '/assets/console/rule-words.js';
import { yaml } from '/assets/console/rule-yaml.js';
import { badge, bar, choice, empty, figure, head, panel, table, timeAgo, timeAt } from '/assets/console/ui.js';
import { idOf } from '/assets/console/views.js';
import { words } from '/assets/console/words.js';
import { endOverride, endSwitch, override, switchToShadow } from '/assets/views/watch-actions.js';

const t = words({
  en: {
    rules: 'Rules', edit: 'Edit', shadow: 'Switch to shadow', override: 'Override a caller', remove: 'Remove…', inWords: 'In words', asYaml: 'As YAML', traffic: 'Traffic',
    hour: '1 hour', day: '24 hours', time: 'Time', asked: 'asked', refused: 'refused', would: 'would be refused', askedLabel: 'Asked', refusedLabel: 'Refused', shareLabel: 'Share refused', wouldLabel: 'Would be refused',
    chart: 'Requests per second that the rule decided', callers: 'Most refused callers', callersNote: 'last hour · {n} callers', callersNoteDay: 'last 24 hours · {n} callers', caller: 'Caller', limit: 'Limit', count: 'Refused', lift: 'Override',
    noCallers: 'It refused nobody.', unknownCallers: 'The refused callers are not known.', noCallersText: 'Callers of a minute appear when the minute is over.', above: 'On top of it', aboveNote: 'overrides and switches end by themselves', kind: 'Kind', numbers: 'Numbers',
    until: 'Until', by: 'By', reason: 'Reason', end: 'End', endHint: 'End now', kindOverride: 'override', kindSwitch: 'shadow switch', allRules: 'all rules', applied: '{n} of {all} nodes', history: 'History', version: 'Version', what: 'What changed', when: 'When', change: 'change {id}', older: 'Older versions were not looked at.', trial: 'trial', historyOf: 'What happened to the rule',
    missing: 'No rule {id} is in force.', missingText: 'It may have been removed; its history is below.', missingNew: 'It may be on trial, or never have been released.', openChange: 'A change of this rule is open: ', onTrial: 'A change of this rule is on trial: ',
    noTraffic: 'It decided nothing in this time.', lines: 'What it does' },
  zh: {
    rules: '规则', edit: '编辑', shadow: '切到影子', override: '设置例外', remove: '删除…', inWords: '文字说明', asYaml: 'YAML', traffic: '流量',
    hour: '1 小时', day: '24 小时', time: '时间', asked: '请求', refused: '拒绝', would: '本会拒绝', askedLabel: '请求', refusedLabel: '拒绝', shareLabel: '拒绝比例', wouldLabel: '本会拒绝',
    chart: '该规则每秒判定的请求数', callers: '被拒绝最多的调用方', callersNote: '最近一小时 · {n} 个调用方', callersNoteDay: '最近 24 小时 · {n} 个调用方', caller: '调用方', limit: '限额', count: '拒绝', lift: '设置例外',
    noCallers: '没有拒绝任何人。', unknownCallers: '被拒绝的调用方未知。', noCallersText: '每分钟的调用方在该分钟结束后出现。', above: '叠加在其上', aboveNote: '例外和切换会自动结束', kind: '类型', numbers: '数值',
    until: '截止', by: '操作人', reason: '原因', end: '结束', endHint: '立即结束', kindOverride: '例外', kindSwitch: '影子切换', allRules: '所有规则', applied: '{all} 个节点中的 {n} 个', history: '历史', version: '版本', what: '变更内容', when: '时间', change: '变更 {id}', older: '未查看更早的版本。', trial: '试用', historyOf: '该规则的历史',
    missing: '没有生效的规则 {id}。', missingText: '它可能已被删除；历史见下方。', missingNew: '它可能正在试用，或从未发布。', openChange: '该规则有未完成的变更：', onTrial: '该规则有正在试用的变更：',
    noTraffic: '这段时间内没有判定任何请求。', lines: '规则的作用' },
});

const MINUTE = 60_000;

function who(actor) {
  return String(actor ?? '').replace(/^user:/, '');
}

async function orNull(work, ...statuses) {
  try {
    return await work;
  } catch (failure) {
    if (statuses.includes(failure.status)) {
      return null;
    }
    throw failure;
  }
}

function numbersText(numbers) {
  return Object.entries(numbers).map(([name, value]) => `${name} ${value}`).join(', ');
}

export default {
  setup() {
    const id = idOf(route.path);
    const path = `/api/rules/${encodeURIComponent(id)}`;
    const isDay = () => route.query.span === '1d';

    const found = useData(async () => ({ reply: await orNull(get(path), 404) }), { on: ['releases'] });
    const history = useData(() => orNull(get(`${path}/history`), 404), { on: ['releases'] });
    const series = useData(async () => {
      const span = isDay() ? 1440 * MINUTE : 60 * MINUTE;
      // The minute that goes on would look like a fall.
      const to = Math.floor(Date.now() / MINUTE) * MINUTE;
      const answer = await orNull(get('/api/series', { rule: id, step: 'minute', from: new Date(to - span).toISOString(), to: new Date(to).toISOString() }), 403, 404);
      return { from: to - span, to, points: answer?.points ?? [] };
    }, { every: 20_000, watch: () => route.query.span });
    const callers = useData(() => orNull(get('/api/top', { rule: id, last: isDay() ? '1d' : '1h', limit: 8 }), 403, 404), { every: 30_000, watch: () => route.query.span });
    const above = useData(async () => {
      const [switches, overrides, open, trials] = await Promise.all([
        get('/api/switch', { limit: 200 }), get('/api/overrides', { limit: 200 }), get('/api/changes', { state: 'open' }), get('/api/changes', { state: 'trial' }),
      ]);
      const own = (change) => change.rules.includes(id);
      return { switches: switches.filter((each) => each.rule === id || each.rule === '*'), overrides: overrides.filter((each) => each.rule === id),
        open: open.filter(own), trials: trials.filter(own) };
    }, { on: ['releases'], every: 20_000 });

    const rule = computed(() => found.data.value?.reply?.rule ?? null);
    const text = computed(() => found.data.value?.reply?.text ?? (rule.value ? JSON.stringify(rule.value, null, 2) : ''));
    const states = computed(() => (rule.value ? statesOf(above.data.value ?? {})(rule.value) : []));
    const isCounting = computed(() => rule.value && rule.value.action !== 'exempt' && rule.value.enabled !== false);

    const figures = computed(() => {
      const data = series.data.value;
      if (data === null) {
        return null;
      }
      const step = isDay() && data.to - data.from > 120 * MINUTE ? 10 * MINUTE : MINUTE;
      const length = Math.round((data.to - data.from) / step);
      const columns = { asked: new Array(length).fill(0), refused: new Array(length).fill(0), would: new Array(length).fill(0) };
      const sum = { asked: 0, refused: 0, would: 0 };
      data.points.forEach((point) => {
        const i = Math.floor((Date.parse(point.at) - data.from) / step);
        if (i >= 0 && i < length) {
          const values = { asked: point.allowed + point.refused, refused: point.refused, would: point.shadow_refused };
          Object.entries(values).forEach(([name, value]) => {
            columns[name][i] += value / (step / 1000);
            sum[name] += value;
          });
        }
      });
      return { times: Array.from({ length }, (_, i) => data.from + i * step), columns, sum, seconds: (data.to - data.from) / 1000 };
    });
    const marks = computed(() => (history.data.value?.steps ?? []).map((step) => ({ at: Date.parse(step.version.released_at), label: `v${step.version.number}` })));

    const after = async (work) => {
      if (await work) {
        above.reload();
      }
    };
    const overrideLimit = (index, entry = {}) => override({ rule: id, limit: limitName(rule.value, index), hash: entry.hash, caller: entry.caller });
    const remove = async () => {
      const change = await removeRule(rule.value, found.data.value.reply.version);
      if (change) {
        go(`/changes/${change.id}`);
      }
    };

    const actions = () => {
      const own = rule.value;
      const canSwitch = can('operate') && own.enabled !== false && own.action !== 'exempt' && !own.shadow && !states.value.includes('switched');
      return html`
        ${can('operate') && own.limits?.length === 1 && html`<button type="button" class="secondary" id="override" onClick=${() => after(overrideLimit(0))}>${t('override')}</button>`}
        ${canSwitch && html`<button type="button" class="outline-danger" id="switch" onClick=${() => after(switchToShadow(id, false, { isProtected: own.protected === true }))}>${t('shadow')}</button>`}
        ${can('edit') && html`<button type="button" class="quiet" id="remove" onClick=${remove}>${t('remove')}</button>
          <a class="button primary" id="edit" href=${href('/editor', { rule: id })}>${t('edit')}</a>`}`;
    };

    const wordsPanel = () => panel({ id: 'words', title: t('inWords') }, html`
      <div class="rule-badges rule-tags">${states.value.map(stateBadge)}${Object.entries(rule.value.labels ?? {}).map(([name, value]) => html`
        <a class="tag plain" key=${name} href=${href('/rules', { q: `${name}=${value}` })}>${name}: ${value}</a>`)}</div>
      <ul class="rule-lines" aria-label=${t('lines')}>${ruleLines(rule.value).map((line, i) => html`<li key=${i} class=${`line-${line.kind}`}>${line.text}</li>`)}</ul>
      ${can('operate') && rule.value.limits?.length > 1 && html`<ul class="rule-limits-list" id="limits">${rule.value.limits.map((limit, i) => html`
        <li key=${i}><span class="mono small">${limitName(rule.value, i)}</span><span class="soft small grow">${limitWords(limit)}</span>
          <button type="button" class="quiet small" id=${i === 0 ? 'override' : `override-${i}`} aria-label=${`${t('override')}: ${limitName(rule.value, i)}`}
            onClick=${() => after(overrideLimit(i))}>${t('override')}</button></li>`)}</ul>`}
      ${(above.data.value?.open ?? []).map((change) => html`<p class="small" key=${change.id}>${t('openChange')}<a href=${`/changes/${change.id}`}>${change.title}</a></p>`)}
      ${(above.data.value?.trials ?? []).map((change) => html`<p class="small" key=${change.id}>${t('onTrial')}<a href=${`/changes/${change.id}`}>${change.title}</a></p>`)}`);

    const trafficPanel = () => {
      const data = figures.value;
      const spans = choice({ id: 'span', label: t('time'), value: isDay() ? '1d' : '1h',
        options: [{ value: '1h', label: t('hour') }, { value: '1d', label: t('day') }], onChange: (span) => setQuery({ span: span === '1h' ? '' : span }) });
      if (data === null) {
        return panel({ id: 'traffic', title: t('traffic'), actions: spans }, null);
      }
      const { sum, columns } = data;
      const lines = [
        { label: t('asked'), values: columns.asked, color: 'allowed', fill: 'allowed-soft', format: perSecond },
        { label: t('refused'), values: columns.refused, color: 'refused', fill: 'refused-soft', format: perSecond },
        ...(sum.would > 0 ? [{ label: t('would'), values: columns.would, color: 'shadowed', format: perSecond }] : []),
      ];
      return panel({ id: 'traffic', title: t('traffic'), actions: html`${legend(lines)}${spans}` }, html`
        <div class="figures">
          ${figure({ id: 'asked', label: t('askedLabel'), value: perSecond(sum.asked / data.seconds), note: number(sum.asked) })}
          ${figure({ id: 'refused', label: t('refusedLabel'), value: perSecond(sum.refused / data.seconds), note: number(sum.refused), kind: sum.refused > 0 ? 'refused' : '' })}
          ${figure({ id: 'share', label: t('shareLabel'), value: sum.asked > 0 ? percent(sum.refused / sum.asked) : '–' })}
          ${sum.would > 0 && figure({ id: 'would', label: t('wouldLabel'), value: perSecond(sum.would / data.seconds), note: number(sum.would) })}
        </div>
        ${sum.asked + sum.would > 0 ? chart({ times: data.times, series: lines, marks: marks.value, height: 190, label: t('chart') })
          : html`<p class="soft">${t('noTraffic')}</p>`}`);
    };

    const indexOf = (name) => rule.value.limits?.findIndex((limit, i) => limitName(rule.value, i) === name) ?? -1;
    const callersPanel = () => {
      const data = callers.data.value;
      const most = data?.entries[0]?.refused ?? 1;
      return panel({ id: 'callers', title: t('callers'), note: data && data.callers > 0 ? t(isDay() ? 'callersNoteDay' : 'callersNote', { n: number(data.callers) }) : '', tight: true },
        data && data.entries.length > 0 ? table({ id: 'top', caption: t('callers'), rows: data.entries, rowKey: (entry) => `${entry.limit}/${entry.hash}`, columns: [
          { name: 'caller', label: t('caller'), cell: (entry) => html`<a class="mono" href=${`/callers/${entry.hash}`}>${entry.caller}</a>` },
          { name: 'limit', label: t('limit'), cell: (entry) => html`<span class="mono small">${entry.limit ?? '–'}</span>` },
          { name: 'bar', label: '', className: 'bar-column', cell: (entry) => bar(entry.refused / most, 'refused') },
          { name: 'count', label: t('count'), end: true, cell: (entry) => atLeast(entry.refused, entry.error) },
          ...(can('operate') ? [{ name: 'lift', label: '', end: true, cell: (entry) => (entry.limit !== null && indexOf(entry.limit) >= 0
            ? html`<button type="button" class="quiet small" aria-label=${`${t('lift')}: ${entry.caller}`} onClick=${() => after(overrideLimit(indexOf(entry.limit), entry))}>${t('lift')}</button>` : null) }] : []),
        ] }) : data && empty({ title: t(figures.value?.sum.refused > 0 ? 'unknownCallers' : 'noCallers'), text: t('noCallersText') }));
    };

    const abovePanel = () => {
      const data = above.data.value;
      const rows = data === null ? [] : [
        ...data.switches.map((item) => ({ ...item, kind: 'kindSwitch' })), ...data.overrides.map((item) => ({ ...item, kind: 'kindOverride' })),
      ].filter((item, i, all) => item.active || all.filter((each) => !each.active).indexOf(item) < 5).sort((a, b) => Number(b.active) - Number(a.active) || b.id - a.id);
      return rows.length > 0 && panel({ id: 'above', title: t('above'), note: t('aboveNote'), tight: true }, table({ id: 'above-table', caption: t('above'), rows, rowKey: (item) => item.kind + item.id, columns: [
        { name: 'kind', label: t('kind'), cell: (item) => badge(t(item.kind), item.active ? 'warn' : 'plain') },
        { name: 'caller', label: t('caller'), cell: (item) => (item.kind === 'kindSwitch' ? (item.rule === '*' ? t('allRules') : '–') : html`<div>
          ${item.attribute === 'hash' ? html`<a class="mono" href=${`/callers/${item.caller}`}>#${item.caller.slice(0, 8)}</a>` : html`<span class="mono">${item.attribute} ${item.caller}…</span>`}
          <div class="soft small mono">${item.limit}</div></div>`) },
        { name: 'numbers', label: t('numbers'), cell: (item) => (item.numbers ? html`<span class="mono">${numbersText(item.numbers)}</span>` : '–') },
        { name: 'reason', label: t('reason'), wide: true, cell: (item) => html`<div>${item.reason}</div><div class="soft small">${who(item.actor)} · ${timeAgo(item.created_at)}</div>` },
        { name: 'until', label: t('until'), end: true, cell: (item) => html`<div><div class="nowrap">${item.active ? timeAt(item.until) : html`<span class="soft">${timeAt(item.ended_at ?? item.until)}</span>`}</div>
          ${item.active && html`<div class="soft small">${t('applied', { n: item.applied, all: item.nodes })}</div>`}</div>` },
        { name: 'end', label: '', end: true, cell: (item) => item.active && can('operate') && (item.rule !== '*') && html`
          <button type="button" class="outline-danger small" id=${`end-${item.kind}-${item.id}`} title=${t('endHint')} onClick=${() => after(item.kind === 'kindSwitch' ? endSwitch(item) : endOverride(item))}>${t('end')}</button>` },
      ] }));
    };

    const historyPanel = () => {
      const data = history.data.value;
      return data && panel({ id: 'history', title: t('history'), tight: true }, html`${table({ id: 'steps', caption: t('historyOf'), rows: data.steps, rowKey: (step) => step.version.number, columns: [
        { name: 'version', label: t('version'), cell: (step) => html`<div>${step.version.rollout ? html`<a href=${`/releases/${step.version.rollout}`}>v${step.version.number}</a>` : `v${step.version.number}`}${step.version.trial && html` ${badge(t('trial'), 'warn')}`}</div>` },
        { name: 'what', label: t('what'), wide: true, cell: (step) => html`${step.sentences.map((line, i) => html`<div key=${i}>${changeWords(line.startsWith(`${id}: `) ? line.slice(id.length + 2) : line)}</div>`)}` },
        { name: 'reason', label: t('reason'), wide: true, cell: (step) => html`<div>${step.version.title}</div><div class="soft small">${step.version.reason}</div>` },
        { name: 'by', label: t('by'), cell: (step) => who(step.version.actor) },
        { name: 'when', label: t('when'), end: true, className: 'nowrap', cell: (step) => html`<div>${timeAgo(step.version.released_at)}
          ${step.version.change !== null && html`<div class="small"><a href=${`/changes/${step.version.change}`}>${t('change', { id: step.version.change })}</a></div>`}</div>` },
      ] })}${!data.complete && html`<p class="soft small panel-note">${t('older')}</p>`}`);
    };

    return () => {
      const back = { href: '/rules', label: t('rules') };
      if (found.data.value === null) {
        return head({ title: id, back });
      }
      if (rule.value === null) {
        const isKnown = (history.data.value?.steps ?? []).length > 0;
        return html`${head({ title: id, back })}<div class="stack">
          ${panel({ id: 'missing' }, empty({ title: t('missing', { id }), text: t(isKnown ? 'missingText' : 'missingNew') }))}
          ${isKnown && historyPanel()}</div>`;
      }
      return html`
        ${head({ title: id, lead: rule.value.name ?? '', back, actions: actions() })}
        <div class="grid rule-view">
          <div class="span-5">${wordsPanel()}</div>
          <div class="span-7">${isCounting.value ? trafficPanel() : yamlPanel()}</div>
          ${isCounting.value && html`<div class="span-5">${yamlPanel()}</div><div class="span-7">${callersPanel()}</div>`}
          <div class="span-12 stack">${abovePanel()}${historyPanel()}</div>
        </div>`;
    };

    function yamlPanel() {
      return panel({ id: 'yaml', title: t('asYaml') }, yaml(text.value, { id: 'rule-text', label: t('asYaml') }));
    }
  },
};
