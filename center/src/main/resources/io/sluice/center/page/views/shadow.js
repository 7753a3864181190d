// What is only observed: rules in shadow, candidates beside limits in force, and switches that let rules refuse nothing for a while.
import { computed, h } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { chart, legend } from '/assets/console/chart.js';
import { now, useData } from '/assets/console/data.js';
import { ask } from '/assets/console/dialog.js';
import { number, percent, perSecond, span } from '/assets/console/format.js';
import { can } from '/assets/console/me.js';
import { keyWords, limitWords } from '/assets/console/rule-words.js';
import { go, href, route, setQuery } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { badge, bar, choice, empty, figure, head, panel, table, timeAgo, timeAt } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { before, columns } from '/assets/views/fleet-series.js';
import { endSwitch, switchToShadow } from '/assets/views/watch-actions.js';

const t = words({
  en: {
    title: 'Candidates and shadow', lead: 'Limits that are counted but refuse nobody. See what they would refuse, then make them live.',
    period: 'Time', hour: 'Last hour', day: 'Last day', observed: 'Observed rules', rule: 'Rule', would: 'Would refuse', refusedNow: 'Refused now',
    shadow: 'shadow', candidate: 'candidate', switched: 'switched', off: 'off', protected: 'protected',
    refusedNowHour: 'Refused now', wouldHour: 'Would refuse', compared: 'Change', seriesWould: 'would be refused', seriesRefused: 'refused now',
    moreRefusals: '{count} more', fewerRefusals: '{count} fewer', same: 'the same', ofRequests: '{share} of its requests', counted: 'of {count} requests',
    makeLive: 'Make it live', makeLiveTitle: 'Make {rule} live?', shadowText: 'This opens a change that takes {rule} out of shadow. It keeps its counts. Nothing is refused until the change is released.',
    candidateText: 'This opens a change that puts the candidate limits of {rule} in force. Their counts start anew. Nothing changes until the change is released.',
    bothText: 'This opens a change that takes {rule} out of shadow and puts its candidate limits in force. Nothing changes until the change is released.',
    openChange: 'Open a change', changeTitle: 'Title', defaultTitle: 'Make {rule} live', how: 'The candidate limits',
    byId: 'replace limits with the same id', all: 'replace all limits', add: 'are added to the limits', opened: 'Change {id} is open.',
    inForce: 'In force', candidates: 'Candidates', shadowLimits: 'Limits in shadow', noChart: 'No requests in this time',
    noneTitle: 'Nothing is in shadow', noneText: 'Add shadow: true to a rule, or a candidate beside its limits, to see what a limit would refuse before it refuses anybody.',
    switches: 'Emergency switches', switchesNote: 'rules that refuse nothing for a while', allRules: 'all rules', until: 'Ends', reason: 'Reason', by: 'By', applied: 'Nodes', end: 'End now',
    noSwitch: 'No switch is on', noSwitchText: 'If rules refuse what they must not, let one of them, or all, refuse nothing for at most 24 hours.',
    switchOn: 'Switch to shadow',
    left: '{time} left', trialTitle: 'Change {id} is on trial as candidates', trialText: 'Its new limits count beside the old ones. Promote it to make them live.', openTrial: 'Open the change',
    limit: '{key}: {limit}', openRule: 'Open the rule', decisions: 'Decisions', denies: 'denies',
  },
  zh: {
    title: '候选与影子', lead: '只计数、不拒绝的限额。先看它们会拒绝什么，再让它们生效。',
    period: '时间', hour: '最近一小时', day: '最近一天', observed: '观察中的规则', rule: '规则', would: '将会拒绝', refusedNow: '目前拒绝',
    shadow: '影子', candidate: '候选', switched: '已切换', off: '停用', protected: '受保护',
    refusedNowHour: '目前拒绝', wouldHour: '将会拒绝', compared: '变化', seriesWould: '将被拒绝', seriesRefused: '目前拒绝',
    moreRefusals: '多 {count}', fewerRefusals: '少 {count}', same: '相同', ofRequests: '占其请求的 {share}', counted: '共 {count} 个请求',
    makeLive: '使其生效', makeLiveTitle: '使 {rule} 生效？', shadowText: '将新建一个变更，让 {rule} 退出影子模式，计数保留。变更发布之前不会拒绝任何请求。',
    candidateText: '将新建一个变更，使 {rule} 的候选限额生效，其计数重新开始。变更发布之前一切不变。',
    bothText: '将新建一个变更，让 {rule} 退出影子模式，并使其候选限额生效。变更发布之前一切不变。',
    openChange: '新建变更', changeTitle: '标题', defaultTitle: '使 {rule} 生效', how: '候选限额',
    byId: '替换标识相同的限额', all: '替换全部限额', add: '加入现有限额', opened: '变更 {id} 已新建。',
    inForce: '生效中', candidates: '候选', shadowLimits: '影子限额', noChart: '这段时间没有请求',
    noneTitle: '没有处于影子模式的规则', noneText: '给规则加上 shadow: true，或在限额旁加上 candidate，就能在真正拒绝之前看到它会拒绝什么。',
    switches: '紧急开关', switchesNote: '暂时不拒绝任何请求的规则', allRules: '所有规则', until: '结束', reason: '原因', by: '操作人', applied: '节点', end: '立即结束',
    noSwitch: '没有打开的开关', noSwitchText: '如果规则拒绝了不该拒绝的请求，可以让其中一条或全部规则暂时不拒绝，最长 24 小时。',
    switchOn: '切换到影子',
    left: '还剩 {time}', trialTitle: '变更 {id} 正作为候选试用', trialText: '新限额与旧限额并行计数。推广该变更即可使其生效。', openTrial: '打开变更',
    limit: '{key}：{limit}', openRule: '打开规则', decisions: '决策', denies: '禁止',
  },
});

const SPANS = { '1h': 3_600_000, '1d': 86_400_000 };

/** A limit in words: each user: 10 per second (up to 20 at once). */
function limitText(limit) {
  return t('limit', { key: keyWords(limit.by), limit: limitWords(limit) });
}

function limitLines(limits) {
  return html`<ul class="limit-lines">${limits.map((limit, i) => html`<li key=${i}>${limit.id ? html`<code>${limit.id}</code> ` : null}${limitText(limit)}</li>`)}</ul>`;
}

/** Returns the limits of a rule once its candidates are in force. */
function liveLimits(rule, how) {
  const limits = rule.limits ?? [];
  const candidates = rule.candidate ?? [];
  if (how === 'add') {
    return [...limits, ...candidates];
  }
  if (how === 'all') {
    return candidates;
  }
  const ids = new Set(limits.map((limit) => limit.id).filter(Boolean));
  const replaced = limits.map((limit) => candidates.find((candidate) => candidate.id && candidate.id === limit.id) ?? limit);
  return [...replaced, ...candidates.filter((candidate) => !ids.has(candidate.id))];
}

/** Returns the rule without shadow, and with its candidates in force. */
function madeLive(rule, how) {
  const { shadow, candidate, ...rest } = rule;
  return candidate?.length > 0 ? { ...rest, limits: liveLimits(rule, how) } : rest;
}

async function makeLive(rule, base) {
  const candidates = rule.candidate ?? [];
  const ids = new Set((rule.limits ?? []).map((limit) => limit.id).filter(Boolean));
  const named = candidates.some((candidate) => candidate.id && ids.has(candidate.id));
  const text = candidates.length === 0 ? 'shadowText' : rule.shadow ? 'bothText' : 'candidateText';
  const fields = [{ name: 'title', label: t('changeTitle'), value: t('defaultTitle', { rule: rule.id }) }];
  if (candidates.length > 0) {
    fields.push({ name: 'how', label: t('how'), type: 'select', value: named ? 'byId' : 'all',
      options: [...(named ? ['byId'] : []), 'all', 'add'].map((value) => ({ value, label: t(value) })) });
  }
  const change = await ask({ title: t('makeLiveTitle', { rule: rule.id }), text: t(text, { rule: rule.id }), action: t('openChange'), fields,
    call: ({ title, reason, how }) => ({ method: 'POST', path: '/api/changes', body: { title, reason, base, edits: [{ put: madeLive(rule, how) }] } }) });
  if (change) {
    toast(t('opened', { id: change.id }));
    go(`/changes/${change.id}`);
  }
}

/** One observed rule: what it would refuse over time, compared with what is refused. */
const Observed = {
  props: ['item', 'period', 'base', 'canOpen'],
  setup(props) {
    const { data: series } = useData(() => get('/api/series', { rule: props.item.rule.id, from: before(SPANS[props.period]), step: 'minute' }),
      { every: 30_000, watch: () => props.period });
    return () => {
      const { rule, sum, kinds } = props.item;
      const shown = series.value && series.value.points.length > 0 ? columns(series.value) : null;
      const lines = shown ? [
        { label: t('seriesWould'), values: shown.rate('shadow_refused'), color: 'shadowed', format: perSecond },
        { label: t('seriesRefused'), values: shown.rate('refused'), color: 'refused', fill: 'refused-soft', format: perSecond },
      ] : [];
      const difference = sum.shadow_refused - sum.refused;
      const total = sum.allowed + sum.refused;
      const candidates = rule.candidate ?? [];
      return panel({ id: 'observed', title: rule.id, note: rule.name ?? '', actions: html`${kinds.map((kind) => kindBadge(kind))}
          ${props.canOpen && html`<button type="button" class="primary" id="make-live" onClick=${() => makeLive(rule, props.base)}>${t('makeLive')}</button>`}` },
        html`<div class="stack"><div class="figures">
          ${figure({ id: 'figure-would', label: t('wouldHour'), value: number(sum.shadow_refused), kind: 'shadowed',
            note: total > 0 ? t('ofRequests', { share: percent(Math.min(1, sum.shadow_refused / total)) }) : null })}
          ${figure({ id: 'figure-refused', label: t('refusedNowHour'), value: number(sum.refused), kind: 'refused',
            note: total > 0 ? t('ofRequests', { share: percent(sum.refused / total) }) : null })}
          ${figure({ id: 'figure-change', label: t('compared'), value: difference === 0 ? t('same') : t(difference > 0 ? 'moreRefusals' : 'fewerRefusals', { count: number(Math.abs(difference)) }),
            note: total > 0 ? t('counted', { count: number(total) }) : null })}</div>
          ${shown ? html`<div>${chart({ times: shown.times, series: lines, height: 190, label: `${rule.id}: ${t('seriesWould')}` })}${legend(lines)}</div>`
            : html`<p class="soft">${series.value ? t('noChart') : '…'}</p>`}
          <div class="two">
            <div><h3>${rule.shadow ? t('shadowLimits') : t('inForce')}</h3>${rule.action && !(rule.limits?.length > 0) ? t('denies') : limitLines(rule.limits ?? [])}</div>
            ${candidates.length > 0 && html`<div><h3>${t('candidates')}</h3>${limitLines(candidates)}</div>`}
          </div>
          <div class="row-line"><a href=${`/rules/${encodeURIComponent(rule.id)}`}>${t('openRule')}</a><a href=${href('/decisions', { rule: rule.id })}>${t('decisions')}</a></div></div>`);
    };
  },
};

function kindBadge(kind) {
  return badge(t(kind), { shadow: 'info', candidate: 'info', switched: 'warn', protected: 'plain' }[kind] ?? 'plain');
}

const NOTHING = { allowed: 0, refused: 0, shadow_refused: 0, degraded: 0 };

export default {
  setup() {
    const period = computed(() => (route.query.span === '1d' ? '1d' : '1h'));
    const { data: rules } = useData(() => get('/api/rules'), { on: ['releases'], every: 60_000 });
    const { data: figures } = useData(() => get('/api/series', { rule: '*', group: 'rule', from: before(SPANS[period.value]) }), { every: 30_000, watch: () => period.value });
    const { data: switches, reload } = useData(() => get('/api/switch', { limit: 100 }), { every: 15_000 });
    const { data: rollouts } = useData(() => get('/api/rollouts', { limit: 20 }), { on: ['releases'], every: 60_000 });

    const active = computed(() => (switches.value ?? []).filter((item) => item.active));
    const trial = computed(() => (rollouts.value ?? []).find((rollout) => ['trial', 'holding'].includes(rollout.state) && rollout.trial?.scope === 'candidate'));
    const items = computed(() => {
      const sums = new Map((figures.value?.rules ?? []).map((sum) => [sum.rule, sum]));
      const switched = new Set(active.value.map((item) => item.rule));
      return (rules.value?.rules ?? []).map((rule) => ({ rule, sum: sums.get(rule.id) ?? NOTHING, kinds: [
        ...(rule.shadow ? ['shadow'] : []), ...(rule.candidate?.length > 0 ? ['candidate'] : []), ...(switched.has(rule.id) ? ['switched'] : []),
      ] })).filter((item) => item.kinds.length > 0)
        .map((item) => ({ ...item, kinds: [...item.kinds, ...(item.rule.enabled === false ? ['off'] : []), ...(item.rule.protected ? ['protected'] : [])] }))
        .sort((a, b) => b.sum.shadow_refused - a.sum.shadow_refused || a.rule.id.localeCompare(b.rule.id));
    });
    const chosen = computed(() => items.value.find((item) => item.rule.id === route.query.rule) ?? items.value[0] ?? null);
    const most = computed(() => Math.max(1, ...items.value.map((item) => item.sum.shadow_refused)));

    const observed = () => panel({ id: 'observed-rules', title: t('observed'), note: number(items.value.length), tight: true }, table({
      id: 'observed-table', caption: t('observed'), rows: items.value, rowKey: (item) => item.rule.id, chosen: chosen.value?.rule.id,
      onRow: (item) => setQuery({ rule: item.rule.id }),
      columns: [
        { name: 'rule', label: t('rule'), cell: (item) => html`<div class="lines"><a href=${href('/shadow', { ...route.query, rule: item.rule.id })}>${item.rule.id}</a>
          ${item.rule.name && html`<span class="soft small">${item.rule.name}</span>`}<span class="row-line tighter">${item.kinds.map(kindBadge)}</span></div>` },
        { name: 'would', label: t('would'), end: true, cell: (item) => html`<span class="lines"><span>${number(item.sum.shadow_refused)}</span>${bar(item.sum.shadow_refused / most.value, 'shadowed')}</span>` },
        { name: 'refused', label: t('refusedNow'), end: true, cell: (item) => number(item.sum.refused) },
      ],
    }));

    const after = async (done) => {
      if (await done) {
        reload();
      }
    };
    const switchOn = () => {
      const own = chosen.value && !chosen.value.rule.shadow ? chosen.value.rule : null;
      return after(switchToShadow(own?.id ?? '', true, { isFree: true, isProtected: own?.protected === true }));
    };

    const switchPanel = () => panel({ id: 'switches', title: t('switches'), note: t('switchesNote'), tight: active.value.length > 0, kind: active.value.length > 0 ? 'warn' : '',
      actions: can('operate') ? html`<button type="button" class="secondary small" id="switch-on" onClick=${switchOn}>${t('switchOn')}</button>` : null },
      active.value.length === 0
        ? html`<p class="soft flat">${t('noSwitch')}. ${t('noSwitchText')}</p>`
        : table({ id: 'switch-table', caption: t('switches'), rows: active.value, rowKey: (item) => item.id, columns: [
          { name: 'rule', label: t('rule'), cell: (item) => (item.rule === '*' ? html`<strong>${t('allRules')}</strong>` : html`<a href=${`/rules/${encodeURIComponent(item.rule)}`}>${item.rule}</a>`) },
          { name: 'reason', label: t('reason'), wide: true, cell: (item) => item.reason },
          { name: 'by', label: t('by'), cell: (item) => html`<div class="lines"><span>${item.actor.replace(/^user:/, '')}</span><span class="soft small">${timeAgo(item.created_at)}</span></div>` },
          { name: 'applied', label: t('applied'), end: true, cell: (item) => `${number(item.applied)} / ${number(item.nodes)}` },
          { name: 'until', label: t('until'), cell: (item) => html`<div class="lines"><span>${timeAt(item.until)}</span>
            <span class="soft small">${t('left', { time: span(new Date(item.until).getTime() - now.value) })}</span></div>` },
          ...(can('operate') ? [{ name: 'end', label: '', end: true, cell: (item) => html`<button type="button" class="secondary small" id=${`end-switch-${item.id}`}
            onClick=${() => after(endSwitch(item))}>${t('end')}</button>` }] : []),
        ] }));

    return () => html`
      ${head({ title: t('title'), lead: t('lead'), actions: choice({ id: 'period', label: t('period'), value: period.value,
        options: [{ value: '1h', label: t('hour') }, { value: '1d', label: t('day') }], onChange: (value) => setQuery({ span: value === '1h' ? '' : value }) }) })}
      ${trial.value && html`<div class="notice" id="candidate-trial"><div class="panel-head"><strong>${t('trialTitle', { id: trial.value.change })}</strong><span class="grow"></span>
        <a class="button secondary" href=${`/changes/${trial.value.change}`}>${t('openTrial')}</a></div><div>${t('trialText')}</div></div>`}
      ${rules.value && html`<div class="grid">
        ${!figures.value ? html`<p class="span-12 soft">…</p>` : chosen.value
          ? html`<div class="span-5">${observed()}</div>
            <div class="span-7">${h(Observed, { key: chosen.value.rule.id, item: chosen.value, period: period.value, base: rules.value.version,
              canOpen: can('edit') && (chosen.value.rule.shadow || chosen.value.rule.candidate?.length > 0) })}</div>`
          : html`<div class="span-12">${panel({ id: 'observed-rules' }, empty({ title: t('noneTitle'), text: t('noneText'), command: 'shadow: true',
            action: can('edit') ? html`<a class="button secondary" href="/rules">${t('rule')}</a>` : null }))}</div>`}
        <div class="span-12">${switchPanel()}</div>
      </div>`}`;
  },
};
