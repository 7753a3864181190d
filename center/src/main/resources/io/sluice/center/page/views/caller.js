// One caller: how its limits stand, what it was refused, recent decisions, and other numbers for a while. A drawer shows the same.
import { h, ref, watch } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { atLeast, clock, moment, number, span } from '/assets/console/format.js';
import { can, seesFleet } from '/assets/console/me.js';
import { href, route } from '/assets/console/router.js';
import { badge, bar, empty, head, table } from '/assets/console/ui.js';
import { idOf } from '/assets/console/views.js';
import { words } from '/assets/console/words.js';
import { endOverride, override, reveal } from '/assets/views/watch-actions.js';

const t = words({
  en: {
    title: 'Caller {caller}', lead: 'How its limits stand now, what was refused, and what was decided last.', back: 'Traffic',
    standing: 'Limits that match', refusals: 'Refused in the last hour', overrides: 'Overrides in force', decisions: 'Recent decisions', allDecisions: 'All decisions',
    limit: 'Limit', used: 'Used', state: 'State', wouldAllow: 'allows', wouldRefuse: 'refuses', shadow: 'shadow', again: 'again in {span}', overridden: 'override',
    count: 'Refused', act: 'Action', setOverride: 'Override', until: 'until {time}', end: 'End', reveal: 'Reveal', revealed: 'Who it is', hidden: 'Nodes tell nobody: {names}',
    forget: 'Hide', time: 'Time', outcome: 'Decision', rule: 'Rule', resource: 'Path', counted: 'Count', node: 'Node',
    allowed: 'allowed', rejected: 'refused', denied: 'denied', exempt: 'exempt', noRule: 'no rule', allRules: 'All rules',
    loading: 'A node that knows this caller is being asked …', unanswered: 'No node that knows this caller answered, so its counts now are unknown.',
    noLimits: 'No limit matches the last refused request of this caller.', noRefusals: 'It was not refused in the last hour.', noDecisions: 'No decision about it was sampled in the last 24 hours.',
    unknown: 'Nothing is known of this caller', unknownText: 'Nodes remember callers that they refused within a day. Check the hash, or look at who is refused most.',
    hash: 'Hash', page: 'Open as a page', busy: 'Too many questions wait for nodes. Try again in a few seconds.',
  },
  zh: {
    title: '调用方 {caller}', lead: '限额现状、被拒绝的次数和最近的决策。', back: '流量',
    standing: '匹配的限额', refusals: '最近一小时被拒绝', overrides: '生效中的临时数值', decisions: '最近的决策', allDecisions: '全部决策',
    limit: '限额', used: '已用', state: '状态', wouldAllow: '放行', wouldRefuse: '拒绝', shadow: '影子', again: '{span}后可再试', overridden: '临时数值',
    count: '拒绝次数', act: '操作', setOverride: '临时数值', until: '至 {time}', end: '结束', reveal: '查看身份', revealed: '真实身份', hidden: '节点不会透露：{names}',
    forget: '隐藏', time: '时间', outcome: '决策', rule: '规则', resource: '路径', counted: '计数', node: '节点',
    allowed: '放行', rejected: '拒绝', denied: '禁止', exempt: '豁免', noRule: '无规则', allRules: '全部规则',
    loading: '正在询问认识该调用方的节点……', unanswered: '没有认识该调用方的节点回答，因此无法得知它现在的计数。',
    noLimits: '该调用方最近一次被拒绝的请求没有匹配任何限额。', noRefusals: '最近一小时没有被拒绝。', noDecisions: '最近 24 小时没有采样到关于它的决策。',
    unknown: '没有关于该调用方的信息', unknownText: '节点会记住一天内被拒绝的调用方。请检查哈希，或查看谁被拒绝最多。',
    hash: '哈希', page: '在页面中打开', busy: '等待节点回答的问题过多，请几秒后再试。',
  },
});

const OUTCOMES = { allowed: 'good', rejected: 'bad', denied: 'bad', exempt: 'info' };

/** Reads what is known of a caller. An unknown one is an answer, too. */
async function load(hash) {
  try {
    return await get(`/api/callers/${encodeURIComponent(hash)}`);
  } catch (failure) {
    if (failure.status === 404 || failure.status === 400) {
      return { unknown: true, limits: [], refusals: [], overrides: [] };
    }
    if (failure.status === 429) {
      return { busy: true, answered: false, limits: [], refusals: [], overrides: [] };
    }
    throw failure;
  }
}

/** Returns the hash by which an override of a limit names the caller, if it is known. */
function hashFor(limit, data) {
  return limit.hash ?? (data.refusals.some((each) => each.rule === limit.rule && each.limit === limit.id) ? data.hash : undefined);
}

/** What is known of one caller. `entry` is what a list already knows of it; `slim` leaves columns out. */
export const CallerDetails = {
  props: ['hash', 'entry', 'slim'],
  emits: ['named'],
  setup(props, { emit }) {
    const caller = useData(() => load(props.hash), { every: 30_000, watch: () => props.hash });
    const decisions = useData(() => get('/api/decisions', { caller: props.hash, limit: props.slim ? 8 : 25 }), { every: 15_000, watch: () => props.hash });
    const known = ref(null);
    watch(() => props.hash, () => { known.value = null; });
    watch(caller.data, (data) => data?.caller && emit('named', data.caller));

    const name = () => caller.data.value?.caller ?? props.entry?.caller ?? `#${props.hash.slice(0, 8)}`;

    async function setOverride(rule, limit, hash) {
      if (await override({ rule, limit, hash, caller: name() })) {
        caller.reload();
      }
    }

    async function end(one) {
      if (await endOverride(one)) {
        caller.reload();
      }
    }

    async function show() {
      known.value = await reveal(props.hash, name());
    }

    function state(limit) {
      const word = limit.would_allow ? badge(t('wouldAllow'), 'good') : badge(t('wouldRefuse'), limit.shadow ? 'warn' : 'bad');
      return html`<span class="row-line tight-line">${word}${limit.shadow && badge(t('shadow'))}${limit.override && badge(t('overridden'), 'info')}
        ${!limit.would_allow && limit.retry_after_ms > 0 && html`<span class="soft small nowrap">${t('again', { span: span(limit.retry_after_ms) })}</span>`}</span>`;
    }

    function button(rule, limit, hash) {
      return can('operate') && rule && limit && hash
        ? html`<button type="button" class="secondary small" data-limit=${limit} onClick=${() => setOverride(rule, limit, hash)}>${t('setOverride')}</button>` : null;
    }

    function limits(data) {
      if (!caller.data.value) {
        return html`<p class="soft pad">${t('loading')}</p>`;
      }
      if (data.busy) {
        return html`<p class="soft pad">${t('busy')}</p>`;
      }
      if (!data.answered) {
        return html`<p class="soft pad">${t('unanswered')}</p>`;
      }
      if (data.limits.length === 0) {
        return html`<p class="soft pad">${t('noLimits')}</p>`;
      }
      return table({ id: 'caller-limits', caption: t('standing'), rows: data.limits, rowKey: (limit) => `${limit.id}${limit.shadow}`, columns: [
        { name: 'limit', label: t('limit'), cell: (limit) => html`<div class="cell-lines"><a href=${`/rules/${encodeURIComponent(limit.rule)}`}>${limit.id}</a>
          <span class="soft small">${limitText(limit)}</span></div>` },
        { name: 'used', label: t('used'), end: true, className: 'used', cell: (limit) => html`<div class="used-cell"><span class="nowrap">${number(limit.used)} / ${number(limit.limit)}</span>
          ${bar(limit.limit > 0 ? limit.used / limit.limit : 1, limit.would_allow ? '' : 'refused')}</div>` },
        { name: 'state', label: t('state'), cell: state },
        ...(can('operate') ? [{ name: 'act', label: t('act'), end: true, cell: (limit) => button(limit.rule, limit.id, hashFor(limit, data)) }] : []),
      ] });
    }

    function refusals(data) {
      return data.refusals.length === 0 ? html`<p class="soft pad">${t('noRefusals')}</p>`
        : table({ id: 'caller-refusals', caption: t('refusals'), rows: data.refusals, rowKey: (each) => `${each.rule} ${each.limit}`, columns: [
          { name: 'limit', label: t('limit'), cell: (each) => (each.rule ? html`<a href=${`/rules/${encodeURIComponent(each.rule)}`}>${each.limit ?? each.rule}</a>` : html`${t('allRules')} <span class="soft small">${each.attributes}</span>`) },
          { name: 'count', label: t('count'), end: true, cell: (each) => atLeast(each.refused, each.error) },
          // Without an answer of a node the limits are unknown, so the override is offered here.
          ...(can('operate') && !data.answered ? [{ name: 'act', label: t('act'), end: true, cell: (each) => button(each.rule, each.limit, data.hash) }] : []),
        ] });
    }

    function overrides(data) {
      return html`<ul class="caller-overrides" id="caller-overrides">${data.overrides.map((each) => html`<li key=${each.id}>
        <span><strong>${each.limit}</strong> <code>${numbersText(each.numbers)}</code> <span class="soft">${t('until', { time: moment(each.until) })} · ${each.reason}</span></span>
        ${can('operate') && html`<button type="button" class="secondary small" onClick=${() => end(each)}>${t('end')}</button>`}</li>`)}</ul>`;
    }

    function recent() {
      const rows = decisions.data.value?.entries ?? [];
      if (decisions.data.value && rows.length === 0) {
        return html`<p class="soft pad">${t('noDecisions')}</p>`;
      }
      return table({ id: 'caller-decisions', caption: t('decisions'), rows, rowKey: (row) => `${row.request_id}${row.timestamp}${row.limit_id}`, columns: [
        { name: 'time', label: t('time'), cell: (row) => html`<time class="nowrap" datetime=${row.timestamp} title=${row.timestamp}>${clock(row.timestamp)}</time>` },
        { name: 'outcome', label: t('outcome'), cell: (row) => badge(Object.hasOwn(OUTCOMES, row.decision) ? t(row.decision) : row.decision, OUTCOMES[row.decision] ?? 'plain') },
        { name: 'rule', label: t('rule'), className: props.slim ? 'clip' : '', cell: (row) => html`<div class="cell-lines"><span>${row.limit_id || row.rule_id || t('noRule')}</span>
          ${props.slim && html`<span class="soft small" title=${`${row.method} ${row.resource}`}>${row.method} ${row.resource}</span>`}</div>` },
        ...(props.slim ? [] : [{ name: 'resource', label: t('resource'), className: 'clip', cell: (row) => html`<span title=${`${row.method} ${row.resource}`}>${row.method} ${row.resource}</span>` }]),
        { name: 'counted', label: t('counted'), end: true, className: 'nowrap', cell: (row) => (row.threshold > 0 ? `${number(row.current_count)} / ${number(row.threshold)}` : '–') },
        ...(props.slim || !seesFleet() ? [] : [{ name: 'node', label: t('node'), cell: (row) => row.node ?? '–' }]),
      ] });
    }

    function identity() {
      return html`<div class="revealed" id="revealed" role="status"><div class="panel-head"><h3>${t('revealed')}</h3><span class="grow"></span>
          <button type="button" class="quiet small" onClick=${() => { known.value = null; }}>${t('forget')}</button></div>
        <dl class="pairs">${Object.entries(known.value.attributes ?? {}).map(([key, value]) => html`<div key=${key}><dt>${key}</dt><dd><code>${value}</code></dd></div>`)}</dl>
        ${known.value.hidden?.length > 0 && html`<p class="soft small">${t('hidden', { names: known.value.hidden.join(', ') })}</p>`}</div>`;
    }

    const part = (id, title, content, actions = null) => html`<div role="group" class=${props.slim ? 'part' : 'panel tight part'} aria-labelledby=${`${id}-title`}>
      <div class="panel-head"><h3 id=${`${id}-title`}>${title}</h3><span class="grow"></span>${actions}</div>${content}</div>`;

    return () => {
      const data = caller.data.value ?? { limits: [], refusals: [], overrides: [] };
      if (data.unknown && (decisions.data.value?.entries ?? []).length === 0) {
        return empty({ title: t('unknown'), text: t('unknownText'), action: html`<a class="button secondary" href="/traffic">${t('back')}</a>` });
      }
      return html`<div class=${props.slim ? 'caller slim' : 'caller'}>
        <div class="caller-head row-line">
          <span class="soft small">${t('hash')}</span><code class="hash" title=${props.hash}>${props.hash}</code><span class="grow"></span>
          ${can('reveal') && !data.unknown && html`<button type="button" class="secondary small" id="reveal" onClick=${show}>${t('reveal')}</button>`}
          ${props.slim && html`<a class="small" href=${`/callers/${encodeURIComponent(props.hash)}`}>${t('page')}</a>`}
        </div>
        ${known.value && identity()}
        ${part('standing', t('standing'), limits(data))}
        ${data.overrides.length > 0 && part('overrides', t('overrides'), overrides(data))}
        ${caller.data.value && part('refusals', t('refusals'), refusals(data))}
        ${part('recent', t('decisions'), recent(), html`<a class="small" href=${href('/decisions', { caller: props.hash })}>${t('allDecisions')}</a>`)}
      </div>`;
    };
  },
};

function limitText(limit) {
  const by = (limit.by ?? []).join(', ');
  const numbers = limit.rate ? `${limit.rate}${limit.limit ? `, ${number(limit.limit)}` : ''}`
    : limit.window_ms > 0 ? `${number(limit.limit)} / ${span(limit.window_ms)}` : number(limit.limit);
  return by ? `${by} · ${numbers}` : numbers;
}

function numbersText(text) {
  try {
    return Object.entries(JSON.parse(text)).map(([name, value]) => `${name} ${value}`).join(', ');
  } catch {
    return text;
  }
}

export default {
  setup() {
    const hash = idOf(route.path);
    const named = ref(`#${hash.slice(0, 8)}`);
    return () => html`
      ${head({ title: t('title', { caller: named.value }), lead: t('lead'), back: { href: '/traffic', label: t('back') } })}
      ${h(CallerDetails, { hash, key: hash, onNamed: (name) => { named.value = name; } })}`;
  },
};
