// Single decisions: a search in the sample of the last 24 hours, and a live tail of refusals.
import { computed, onUnmounted, reactive, ref, shallowRef, watch } from '/assets/vue.js';
import { explain, html } from '/assets/parts.js';
import { copy, forgetReads, get } from '/assets/console/calls.js';
import { now, useData, useEvents } from '/assets/console/data.js';
import { clock, number, perSecond } from '/assets/console/format.js';
import { seesFleet } from '/assets/console/me.js';
import { href, route, setQuery } from '/assets/console/router.js';
import { zone } from '/assets/console/settings.js';
import { stream } from '/assets/console/stream.js';
import { toast } from '/assets/console/toast.js';
import { badge, drawer, empty, facts, filter, head, panel, table, timeAt } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { figuresOf } from '/assets/views/watch-data.js';

const t = words({
  en: {
    title: 'Decisions', lead: 'Single decisions of the last 24 hours. Nodes send every refusal up to a bound, and a share of what they allow.',
    follow: 'Follow live', stop: 'Stop', rule: 'Rule', limit_id: 'Limit', caller: 'Caller', callerHint: '203.0.113.* or a hash', node: 'Node', outcome: 'Outcome',
    request_id: 'Request id', trace_id: 'Trace id', resource: 'Resource', from: 'From', to: 'Before', any: 'Any', more: 'More filters', clear: 'Clear all',
    allowed: 'allowed', rejected: 'refused', denied: 'denied', exempt: 'exempt', time: 'Time', request: 'Request', count: 'Count', noRule: 'no rule',
    found: 'Decisions', older: 'Show older ones', end: 'These are all decisions that were found.', searched: 'Searched back to {time}.', goOn: 'Search further back',
    dropped: '{count} decisions of this time found no room.', loading: 'Searching…',
    live: 'Live', liveRate: '{rate} shown', liveOf: 'of {rate} refused', liveNote: 'Refusals as they arrive, at most 20 a second. This is a sample.', waiting: 'Waiting for the next refusal…',
    liveLost: 'The stream is lost. New refusals appear when it is back.', stopped: 'Stopped at {time}. {count} live rows are kept.', stoppedOne: 'Stopped at {time}. One live row is kept.', drop: 'Remove them', nothingTo: 'Clear "before" to follow live.',
    noneTitle: 'No decision was found', noneText: 'Nothing in the sample of the last 24 hours fits. Remove a filter, or send a request.',
    details: 'Decision', copyJson: 'Copy as JSON', copied: 'Copied', reason: 'Reason', service: 'Service', attributes: 'Attributes', mode: 'Mode',
    degraded: 'Degraded', permits: 'Permits', version: 'Rules', usedOf: '{count} of {limit}', openCaller: 'This caller', openRule: 'This rule',
    sameCaller: 'Decisions of this caller', hash: 'Hash', versionText: 'version {version}', filters: 'Filters', shown: '{count} rows',
  },
  zh: {
    title: '决策', lead: '最近 24 小时的单次决策。节点会上报一定数量内的所有拒绝，以及一部分放行。',
    follow: '实时跟踪', stop: '停止', rule: '规则', limit_id: '限额', caller: '调用方', callerHint: '203.0.113.* 或哈希', node: '节点', outcome: '结果',
    request_id: '请求标识', trace_id: '追踪标识', resource: '资源', from: '开始时间', to: '截止时间', any: '不限', more: '更多条件', clear: '全部清除',
    allowed: '放行', rejected: '拒绝', denied: '禁止', exempt: '豁免', time: '时间', request: '请求', count: '计数', noRule: '无规则',
    found: '决策', older: '显示更早的', end: '以上是找到的全部决策。', searched: '已搜索到 {time}。', goOn: '继续向前搜索',
    dropped: '这段时间有 {count} 个决策因空间不足未保存。', loading: '正在搜索…',
    live: '实时', liveRate: '显示 {rate}', liveOf: '共拒绝 {rate}', liveNote: '拒绝一到达就显示，每秒最多 20 条。这是抽样。', waiting: '正在等待下一次拒绝…',
    liveLost: '事件流已中断，恢复后会显示新的拒绝。', stopped: '已于 {time} 停止，保留 {count} 条实时记录。', stoppedOne: '已于 {time} 停止，保留 1 条实时记录。', drop: '移除', nothingTo: '清除“截止时间”后才能实时跟踪。',
    noneTitle: '没有找到决策', noneText: '最近 24 小时的抽样中没有符合条件的决策。请减少条件，或发送一个请求。',
    details: '决策', copyJson: '复制为 JSON', copied: '已复制', reason: '原因', service: '服务', attributes: '属性', mode: '方式',
    degraded: '降级', permits: '许可数', version: '规则版本', usedOf: '{count} / {limit}', openCaller: '查看调用方', openRule: '查看规则',
    sameCaller: '此调用方的决策', hash: '哈希', versionText: '版本 {version}', filters: '筛选条件', shown: '{count} 条',
  },
});

const OUTCOMES = ['rejected', 'denied', 'allowed', 'exempt'];
const KINDS = { rejected: 'bad', denied: 'bad', allowed: 'good', exempt: 'info' };
const FILTERS = ['rule', 'limit_id', 'caller', 'node', 'outcome', 'request_id', 'trace_id', 'resource', 'from', 'to'];
const PAGE = 100;
const MOST_LIVE = 1000;
const RATE_MILLIS = 10_000;

function asked() {
  return Object.fromEntries(FILTERS.map((name) => [name, route.query[name]]).filter(([, value]) => value));
}

/** What makes a decision the same in the stream and in an answer. */
function identity(entry) {
  return [entry.timestamp, entry.request_id, entry.limit_id, entry.caller_hash, entry.node, entry.current_count].join('|');
}

function newestFirst(a, b) {
  return b.at - a.at;
}

/** Whether a decision of the stream fits the filters, as the search understands them. */
function fits(entry, filters) {
  const same = (name, field) => !filters[name] || filters[name] === entry[field];
  return same('rule', 'rule_id') && same('limit_id', 'limit_id') && same('node', 'node') && same('outcome', 'decision') && same('request_id', 'request_id')
    && same('trace_id', 'trace_id') && same('resource', 'resource') && (!filters.from || Date.parse(entry.timestamp) >= Date.parse(filters.from))
    && (!filters.caller || [entry.caller, entry.caller_hash, ...Object.values(entry.dimensions ?? {}), ...Object.values(entry.hashes ?? {})].includes(filters.caller));
}

/** A time of the address as a field for date and time shows it, in the zone that was chosen. */
function fieldTime(time) {
  if (!time || Number.isNaN(Date.parse(time))) {
    return '';
  }
  const date = new Date(time);
  const shifted = zone.value === 'utc' ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

function timeOf(text) {
  return text ? new Date(zone.value === 'utc' ? `${text}Z` : text).toISOString() : '';
}

function millis(entry) {
  return String(new Date(entry.timestamp).getMilliseconds()).padStart(3, '0');
}

/** Whether the caller of an entry can be opened. */
function callerLink(entry, label) {
  return entry.caller_hash ? html`<a href=${`/callers/${encodeURIComponent(entry.caller_hash)}`}>${label}</a>` : label;
}

function outcome(entry) {
  return badge(KINDS[entry.decision] ? t(entry.decision) : entry.decision, KINDS[entry.decision] ?? 'plain');
}

function countCell(entry) {
  return entry.threshold > 0 ? html`<span class="nowrap">${number(entry.current_count)} <span class="soft">/ ${number(entry.threshold)}</span></span>` : html`<span class="soft">–</span>`;
}

function details(entry, nodeName, rollout, onClose) {
  const text = JSON.stringify(entry, null, 2);
  const act = async () => {
    if (await copy(text)) {
      toast(t('copied'));
    }
  };
  const code = (value) => (value ? html`<code>${value}</code>` : null);
  const attributes = Object.entries(entry.dimensions ?? {});
  return drawer({ id: 'decision', title: t('details'), onClose }, html`<div class="stack details">
    <div class="row-line">${outcome(entry)}<span class="strong">${entry.method} ${entry.resource}</span><span class="grow"></span>
      <button type="button" class="secondary small" id="copy-json" onClick=${act}>${t('copyJson')}</button></div>
    ${facts([
      [t('time'), html`${timeAt(entry.timestamp, { seconds: true })}<span class="soft">.${millis(entry)}</span>`],
      [t('reason'), entry.reason],
      [t('rule'), entry.rule_id ? html`<a href=${`/rules/${encodeURIComponent(entry.rule_id)}`}>${entry.rule_id}</a>` : t('noRule')],
      [t('limit_id'), code(entry.limit_id)],
      [t('count'), entry.threshold > 0 ? t('usedOf', { count: number(entry.current_count), limit: number(entry.threshold) }) : null],
      [t('permits'), entry.permits > 0 ? number(entry.permits) : null],
      [t('caller'), entry.caller ? html`${callerLink(entry, html`<code>${entry.caller}</code>`)}` : null],
      [t('hash'), code(entry.caller_hash)],
      [t('service'), entry.service],
      [t('node'), entry.node ? html`<a href=${href('/nodes', { id: entry.node })}>${nodeName(entry.node)}</a>` : null],
      [t('mode'), entry.mode],
      [t('degraded'), entry.degraded ? html`<span class="bad-text">${entry.degraded}</span>` : null],
      [t('version'), entry.rule_version ? html`${rollout ? html`<a id="decision-release" href=${`/releases/${rollout}`}>${t('versionText', { version: entry.rule_version })}</a>`
        : t('versionText', { version: entry.rule_version })}` : null],
      [t('request_id'), entry.request_id ? html`<a href=${href('/decisions', { request_id: entry.request_id })}><code>${entry.request_id}</code></a>` : null],
      [t('trace_id'), entry.trace_id ? html`<a href=${href('/decisions', { trace_id: entry.trace_id })}><code>${entry.trace_id}</code></a>` : null],
    ])}
    ${attributes.length > 0 && html`<div><h3>${t('attributes')}</h3>${facts(attributes.map(([name, value]) => [name,
      html`<span class="lines"><code>${value}</code>${entry.hashes?.[name] ? html`<span class="soft small mono">${entry.hashes[name]}</span>` : null}</span>`]))}</div>`}
    ${(entry.caller_hash || entry.rule_id) && html`<div class="row-line">
      ${entry.caller_hash && html`<a class="button secondary" href=${`/callers/${encodeURIComponent(entry.caller_hash)}`}>${t('openCaller')}</a>
        <a class="button secondary" href=${href('/decisions', { caller: entry.caller_hash })}>${t('sameCaller')}</a>`}
      ${entry.rule_id && html`<a class="button secondary" href=${`/rules/${encodeURIComponent(entry.rule_id)}`}>${t('openRule')}</a>`}</div>`}
    <pre class="text-block" tabindex="0" id="decision-json">${text}</pre>
  </div>`);
}

export default {
  setup() {
    const searched = computed(() => JSON.stringify(asked()));
    const { data, loading, reload } = useData(() => get('/api/decisions', { ...asked(), limit: PAGE }), { watch: () => searched.value });
    const nodes = seesFleet() ? useData(() => get('/api/nodes'), { every: 60_000 }).data : shallowRef([]);
    const names = computed(() => new Map((nodes.value ?? []).map((node) => [node.id, node.name || node.id])));
    const nodeName = (id) => names.value.get(id) ?? id;

    // Older pages of the same search.
    const pages = shallowRef([]);
    const paging = ref(false);
    const pageError = ref(null);
    watch(data, () => { pages.value = []; });
    const last = computed(() => pages.value[pages.value.length - 1] ?? data.value);
    async function older() {
      if (paging.value || !last.value?.next) {
        return;
      }
      paging.value = true;
      pageError.value = null;
      const began = data.value;
      try {
        const page = await get('/api/decisions', { ...asked(), limit: PAGE, before: last.value.next });
        if (data.value === began) {
          pages.value = [...pages.value, page];
        }
      } catch (failure) {
        pageError.value = explain(failure);
      } finally {
        paging.value = false;
      }
    }

    // The live tail. Events wait half a second, so that the table is drawn at most twice a second.
    const live = computed(() => route.query.live === '1' && !route.query.to);
    const tail = shallowRef([]);
    const stoppedAt = ref(null);
    const arrivals = shallowRef([]);
    const refusedRate = ref(null);
    let pending = [];
    let timer = 0;
    let counter = 0;
    function flush() {
      timer = 0;
      const fresh = pending;
      pending = [];
      // Nodes report once a second, each on its own, so decisions arrive out of order.
      tail.value = [...fresh, ...tail.value].sort(newestFirst).slice(0, MOST_LIVE);
      const since = Date.now() - RATE_MILLIS;
      arrivals.value = [...arrivals.value.filter((at) => at > since), ...fresh.map(() => Date.now())];
    }
    useEvents('decisions', (entry) => {
      if (live.value && fits(entry, asked())) {
        pending.push({ entry, at: Date.parse(entry.timestamp), key: `live-${++counter}` });
        timer = timer || setTimeout(flush, 500);
      }
    });
    useEvents('counts', (counts) => {
      const figures = route.query.rule ? figuresOf(counts, route.query.rule) : counts.fleet;
      refusedRate.value = figures?.refused ?? null;
    });
    onUnmounted(() => clearTimeout(timer));
    function forgetTail() {
      pending = [];
      tail.value = [];
      arrivals.value = [];
      stoppedAt.value = null;
    }
    watch(searched, forgetTail);
    watch(searched, forgetReads);
    // The tail has a hole where the stream was lost; the search may know what is missing.
    watch(() => stream.gaps, () => {
      refusedRate.value = null;
      if (live.value) {
        reload();
      }
    });
    watch(live, (on) => {
      if (on) {
        stoppedAt.value = null;
      } else {
        clearTimeout(timer);
        flush();
        stoppedAt.value = Date.now();
      }
    });
    const rate = computed(() => arrivals.value.filter((at) => at > now.value - RATE_MILLIS).length / (RATE_MILLIS / 1000));

    const rows = computed(() => {
      const known = new Set(tail.value.map((row) => identity(row.entry)));
      const found = [data.value, ...pages.value].flatMap((page) => page?.entries ?? []).filter((entry) => !known.has(identity(entry)));
      return [...tail.value, ...found.map((entry, i) => ({ entry, at: Date.parse(entry.timestamp), key: `${identity(entry)}|${i}` }))].sort(newestFirst);
    });
    const open = shallowRef(null);

    // A release is known by its rollout, a decision names the version.
    const rollouts = shallowRef(new Map());
    watch(open, async (entry) => {
      const number = entry?.rule_version;
      if (!number || rollouts.value.has(number)) {
        return;
      }
      try {
        const [version] = await get('/api/versions', { below: number + 1, limit: 1 }, 'version of a decision');
        if (version?.number === number && version.rollout) {
          rollouts.value = new Map(rollouts.value).set(number, version.rollout);
        }
      } catch {
        // The version stands there without a link.
      }
    });

    // What is typed is searched when the person pauses.
    const typed = reactive({});
    let pause = 0;
    const commit = () => {
      clearTimeout(pause);
      const changes = { ...typed };
      Object.keys(typed).forEach((name) => delete typed[name]);
      if (Object.keys(changes).length > 0) {
        setQuery(changes);
      }
    };
    const type = (name) => (value) => {
      typed[name] = value.trim();
      clearTimeout(pause);
      pause = setTimeout(commit, 400);
    };
    onUnmounted(() => clearTimeout(pause));
    const text = (name, options = {}) => filter({ id: `filter-${name}`, label: t(name), value: typed[name] ?? route.query[name] ?? '', onInput: type(name), ...options });
    const pick = (name, options) => filter({ id: `filter-${name}`, label: t(name), value: route.query[name] ?? '', options, onInput: (value) => setQuery({ [name]: value }) });
    const time = (name) => filter({ id: `filter-${name}`, label: t(name), value: fieldTime(route.query[name]), type: 'datetime-local', onInput: (value) => setQuery({ [name]: timeOf(value) }) });
    const rare = ['limit_id', 'node', 'request_id', 'trace_id', 'from', 'to'];
    const moreOpen = ref(rare.some((name) => route.query[name]));

    const nodeOptions = () => {
      const options = [...names.value].map(([value, label]) => ({ value, label })).sort((a, b) => a.label.localeCompare(b.label, 'en', { numeric: true }));
      const own = route.query.node;
      return [{ value: '', label: t('any') }, ...(own && !names.value.has(own) ? [{ value: own, label: own }] : []), ...options];
    };

    const filters = () => html`
      <form class="filters" id="filters" role="search" aria-label=${t('filters')} onSubmit=${(event) => { event.preventDefault(); commit(); }}>
        ${text('rule')}${text('caller', { placeholder: t('callerHint') })}${text('resource', { placeholder: '/api/login' })}
        ${pick('outcome', [{ value: '', label: t('any') }, ...OUTCOMES.map((value) => ({ value, label: t(value) }))])}
        <button type="button" class="quiet" id="more-filters" aria-expanded=${String(moreOpen.value)} onClick=${() => { moreOpen.value = !moreOpen.value; }}>${t('more')}</button>
        ${Object.keys(asked()).length > 0 && html`<a class="button quiet" id="clear-filters" href=${href('/decisions', { live: route.query.live })}>${t('clear')}</a>`}
        ${moreOpen.value && html`<div class="filters second">
          ${text('limit_id', { placeholder: 'login.0' })}${seesFleet() ? pick('node', nodeOptions()) : null}
          ${text('request_id')}${text('trace_id')}${time('from')}${time('to')}</div>`}
      </form>`;

    const liveLine = () => {
      if (live.value) {
        const lost = stream.state === 'lost';
        return html`<div class=${['live-line', lost ? 'bad' : '']} id="live-state"><span class=${['dot', lost ? 'bad' : 'good', lost ? '' : 'pulse']} aria-hidden="true"></span>
          <strong>${t('live')}</strong>${lost ? html`<span role="status">${t('liveLost')}</span>` : html`
            <span class="tabular">${t('liveRate', { rate: perSecond(rate.value) })}${refusedRate.value !== null ? ` ${t('liveOf', { rate: perSecond(refusedRate.value) })}` : ''}</span>
            <span class="soft" role="status">${tail.value.length === 0 ? t('waiting') : t('liveNote')}</span>`}</div>`;
      }
      if (tail.value.length > 0 && stoppedAt.value !== null) {
        return html`<div class="live-line" id="live-state" role="status"><span class="dot" aria-hidden="true"></span>
          <span>${tail.value.length === 1 ? t('stoppedOne', { time: clock(stoppedAt.value) }) : t('stopped', { time: clock(stoppedAt.value), count: number(tail.value.length) })}</span>
          <button type="button" class="quiet small" id="drop-live" onClick=${forgetTail}>${t('drop')}</button></div>`;
      }
      return null;
    };

    const foot = () => {
      const page = last.value;
      if (!page) {
        return null;
      }
      return html`<div class="table-foot">
        ${page.next ? html`<button type="button" class="secondary" id="older" aria-disabled=${String(paging.value)} onClick=${older}>
          ${paging.value ? t('loading') : page.entries.length === 0 ? t('goOn') : t('older')}</button>` : rows.value.length > 0 ? html`<span class="soft small">${t('end')}</span>` : null}
        ${page.next && page.searched_until && html`<span class="soft small">${t('searched', { time: clock(page.searched_until) })}</span>`}
        ${data.value?.dropped > 0 && html`<span class="warn-text small">${t('dropped', { count: number(data.value.dropped) })}</span>`}
        <span class="bad-text" role="alert">${pageError.value?.()}</span></div>`;
    };

    const columns = () => [
      { name: 'time', label: t('time'), className: 'nowrap', cell: ({ entry }) => html`<time datetime=${entry.timestamp} title=${entry.timestamp}>${clock(entry.timestamp)}<span class="soft">.${millis(entry)}</span></time>` },
      { name: 'outcome', label: t('outcome'), cell: ({ entry }) => outcome(entry) },
      { name: 'rule', label: t('rule'), cell: ({ entry }) => (entry.rule_id ? html`<span><a href=${`/rules/${encodeURIComponent(entry.rule_id)}`}>${entry.rule_id}</a>${
        entry.limit_id?.startsWith(`${entry.rule_id}.`) ? html`<span class="soft">${entry.limit_id.slice(entry.rule_id.length)}</span>` : null}</span>` : html`<span class="soft">${t('noRule')}</span>`) },
      { name: 'caller', label: t('caller'), cell: ({ entry }) => (entry.caller ? callerLink(entry, html`<code>${entry.caller}</code>`) : html`<span class="soft">–</span>`) },
      { name: 'request', label: t('request'), wide: true, cell: ({ entry }) => html`<button type="button" class="as-link" onClick=${() => { open.value = entry; }}>
        <span class="soft">${entry.method}</span> ${entry.resource}</button>` },
      { name: 'count', label: t('count'), end: true, cell: ({ entry }) => countCell(entry) },
      ...(seesFleet() ? [{ name: 'node', label: t('node'), cell: ({ entry }) => (entry.node ? html`<a class="plain" href=${href('/nodes', { id: entry.node })}>${nodeName(entry.node)}</a>` : '–') }] : []),
    ];

    const actions = () => (live.value
      ? html`<button type="button" class="secondary" id="stop" onClick=${() => setQuery({ live: '' })}>${t('stop')}</button>`
      : html`<button type="button" class="primary" id="follow" aria-disabled=${String(Boolean(route.query.to))} title=${route.query.to ? t('nothingTo') : null}
          onClick=${() => { if (!route.query.to) { setQuery({ live: '1' }); } }}>${t('follow')}</button>`);

    return () => html`
      ${head({ title: t('title'), lead: t('lead'), actions: actions() })}
      ${filters()}
      ${panel({ id: 'decisions', title: t('found'), note: rows.value.length > 0 ? t('shown', { count: number(rows.value.length) }) : '', tight: true, actions: liveLine() },
        html`${rows.value.length > 0
          ? table({ id: 'decision-rows', caption: t('found'), rows: rows.value, rowKey: (row) => row.key, columns: columns(), onRow: (row) => { open.value = row.entry; } })
          : data.value && !loading.value ? empty({ title: t('noneTitle'), text: t('noneText'),
            command: data.value.next ? '' : `curl -i http://127.0.0.1:8082/v1/check -d '{"attributes": {"path": "/api/login", "method": "POST", "ip": "203.0.113.7"}}'` })
            : html`<p class="soft inset">${t('loading')}</p>`}
          ${foot()}`)}
      ${open.value && details(open.value, nodeName, rollouts.value.get(open.value.rule_version), () => { open.value = null; })}`;
  },
};
