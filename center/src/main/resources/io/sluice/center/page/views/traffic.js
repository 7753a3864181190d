// Traffic over any time: of the fleet, a rule or a node, with the sums of rules and the callers that were refused.
import { computed, ref } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { chart, legend } from '/assets/console/chart.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { atLeast, compact, micros, moment, number, percent, perSecond } from '/assets/console/format.js';
import { seesFleet } from '/assets/console/me.js';
import { href, route, setQuery } from '/assets/console/router.js';
import { bar, choice, empty, figure, filter, head, panel, table, timeAgo } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { OWN_RULES, STEPS, getNewest, iso, marksOf, millisOf, seriesOf, sumsOf } from '/assets/views/watch-data.js';

const t = words({
  en: {
    title: 'Traffic', lead: 'What was allowed and refused: every second of the last hour, every minute of two days, every hour of a year.',
    span: 'Time span', h1: '1 h', h6: '6 h', d1: '1 d', d7: '7 d', d30: '30 d', y1: '1 y', earlier: 'Earlier', later: 'Later', zoomIn: 'Zoom in', zoomOut: 'Zoom out', dragHint: 'Drag in the chart to zoom in.',
    rule: 'Rule', node: 'Node', allNodes: 'All nodes', fleet: 'All rules and nodes', yours: 'Sum of your {count} rules that refuse most', yourAll: 'Sum of your rules', clear: 'Clear {name}', tenant: 'Tenant', caller: 'Caller', openRule: 'Open the rule',
    show: 'Lines', showAll: 'All', showRefused: 'Refusals only', requests: 'Requests', allowed: 'allowed', refused: 'refused', shadow: 'would refuse', degraded: 'without the store',
    all: 'Requests', refusedSum: 'Refused', shadowSum: 'Shadow would refuse', degradedSum: 'Without the store', peak: 'Highest second', peakNote: 'refused in one second', rate: '{rate} on average',
    timing: 'Time of a decision', timingUnit: 'milliseconds', chartLabel: 'Requests per second', timingLabel: 'Time of decisions in milliseconds', incomplete: 'Some figures of this time are missing.',
    step: 'each point: {step}', second: 'a second', minute: 'a minute', hour: 'an hour', day: 'a day',
    rules: 'Rules', rulesNote: '{count} rules with traffic, all nodes', find: 'Find a rule', allowedCol: 'Allowed', refusedCol: 'Refused', shareCol: 'Share refused', shadowCol: 'Shadow', peakCol: 'Peak refused', peakTitle: 'Highest second: {refused} refused, {allowed} allowed', lastCol: 'Last hit', noRule: 'no rule matched',
    callers: 'Refused most', by: 'Callers by', byCaller: 'Limit', byIp: 'Address', byUser: 'User', byTenant: 'Tenant', limit: 'Limit', count: 'Refused', tooLong: 'Callers are known for 7 days. Choose a shorter time.', nobody: 'Nobody was refused in this time.', allRules: 'all rules',
    about: 'About this {what}', aboutNone: 'It was not refused in this time, or it is not among the 1,000 that were refused most.', openCaller: 'Open the caller', callerCount: 'Callers: {callers} · refusals: {refused}',
    nothing: 'No traffic in this time', nothingText: 'Choose another time, or start a node with sample traffic:', noSuchRule: 'Nothing matches.',
  },
  zh: {
    title: '流量', lead: '放行与拒绝的数量：最近一小时精确到秒，两天内精确到分钟，一年内精确到小时。',
    span: '时间范围', h1: '1 小时', h6: '6 小时', d1: '1 天', d7: '7 天', d30: '30 天', y1: '1 年', earlier: '更早', later: '更晚', zoomIn: '放大', zoomOut: '缩小', dragHint: '在图表中拖动即可放大。',
    rule: '规则', node: '节点', allNodes: '全部节点', fleet: '全部规则和节点', yours: '您的规则中拒绝最多的 {count} 条之和', yourAll: '您的规则之和', clear: '清除{name}', tenant: '租户', caller: '调用方', openRule: '打开规则',
    show: '曲线', showAll: '全部', showRefused: '仅拒绝', requests: '请求', allowed: '放行', refused: '拒绝', shadow: '影子拒绝', degraded: '未用存储',
    all: '请求总数', refusedSum: '拒绝', shadowSum: '影子规则会拒绝', degradedSum: '未用共享存储', peak: '最高一秒', peakNote: '一秒内拒绝', rate: '平均 {rate}',
    timing: '决策耗时', timingUnit: '毫秒', chartLabel: '每秒请求数', timingLabel: '决策耗时（毫秒）', incomplete: '这段时间的部分数据缺失。',
    step: '每点 {step}', second: '一秒', minute: '一分钟', hour: '一小时', day: '一天',
    rules: '规则', rulesNote: '{count} 条有流量的规则，全部节点', find: '查找规则', allowedCol: '放行', refusedCol: '拒绝', shareCol: '拒绝占比', shadowCol: '影子', peakCol: '拒绝峰值', peakTitle: '最高一秒：拒绝 {refused}，放行 {allowed}', lastCol: '最近命中', noRule: '未匹配规则',
    callers: '被拒绝最多', by: '调用方按', byCaller: '限额', byIp: '地址', byUser: '用户', byTenant: '租户', limit: '限额', count: '拒绝次数', tooLong: '调用方数据保留 7 天，请选择更短的时间。', nobody: '这段时间没有调用方被拒绝。', allRules: '全部规则',
    about: '关于该{what}', aboutNone: '这段时间它没有被拒绝，或不在拒绝最多的 1,000 个之内。', openCaller: '打开调用方', callerCount: '{callers} 个调用方 · {refused} 次拒绝',
    nothing: '这段时间没有流量', nothingText: '请选择其他时间，或启动带示例流量的节点：', noSuchRule: '没有匹配项。',
  },
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SPANS = [['1h', 'h1'], ['6h', 'h6'], ['1d', 'd1'], ['7d', 'd7'], ['30d', 'd30'], ['1y', 'y1']];
const SHORTEST = MINUTE;
const LONGEST_CALLERS = 7 * DAY;
const LATE = 5000;
const MOST_POINTS = 3600;

/** Returns the finest step that is kept for a time and makes a readable chart. */
function stepOf(from, to) {
  const age = Date.now() - from;
  const length = to - from;
  if (length <= 20 * MINUTE && age < 55 * MINUTE) {
    return 'second';
  }
  if (length <= DAY + HOUR && age < 47 * HOUR) {
    return 'minute';
  }
  return length <= 60 * DAY ? 'hour' : 'day';
}

/** Returns the time that the address asks for. A time that is not understood is the last hour. */
function timeOf(query) {
  const now = Date.now();
  const from = Date.parse(query.from ?? '');
  const to = Date.parse(query.to ?? '');
  if (!Number.isNaN(from)) {
    const end = Number.isNaN(to) || to <= from ? now : to;
    return { from: Math.min(from, end - SHORTEST), to: end, isFixed: !Number.isNaN(to) };
  }
  const length = Math.max(SHORTEST, Math.min(366 * DAY, millisOf(query.last) || HOUR));
  return { from: now - length, to: now, isFixed: false };
}

/** Returns a way to load that does not ask again for a time that is long over. */
function steady(load) {
  let known = null;
  return async () => {
    const { to, isFixed } = timeOf(route.query);
    const address = JSON.stringify(route.query);
    if (known?.address === address) {
      return known.answer;
    }
    const answer = await load();
    known = isFixed && to < Date.now() - 2 * HOUR ? { address, answer } : null;
    return answer;
  };
}

function sum(points, name) {
  return points.reduce((total, point) => total + point[name], 0);
}

export default {
  setup() {
    const query = computed(() => route.query);
    const rule = computed(() => query.value.rule ?? '');
    const node = computed(() => (seesFleet() ? query.value.node ?? '' : ''));
    const subject = computed(() => query.value.caller ?? query.value.tenant ?? '');
    const by = computed(() => (['ip', 'user', 'tenant'].includes(query.value.by) ? query.value.by : 'caller'));
    const time = () => JSON.stringify([query.value.from, query.value.to, query.value.last]);
    const find = ref('');

    const sums = useData(steady(async () => {
      const { from, to } = timeOf(query.value);
      return sumsOf('traffic sums', Math.floor(from / MINUTE) * MINUTE, Math.ceil(to / MINUTE) * MINUTE);
    }), { every: 20_000, watch: time });

    const series = useData(steady(async () => {
      const { from, to } = timeOf(query.value);
      const step = stepOf(from, to);
      const width = STEPS[step];
      const start = Math.max(Math.floor(from / width), Math.ceil(to / width) - MOST_POINTS) * width;
      const end = Math.ceil(to / width) * width;
      const own = seesFleet() || rule.value ? [] : (await sumsOf('traffic own', start, Math.ceil(to / MINUTE) * MINUTE, OWN_RULES + 1)).rules.map((each) => each.rule);
      const answer = await seriesOf('traffic', { rule: rule.value, node: rule.value ? '' : node.value, own, from: iso(start), to: iso(end), step });
      return { ...answer, start, end, width, own, read: Date.now() };
    }), { every: 20_000, watch: () => `${time()} ${rule.value} ${node.value}` });

    const nodes = seesFleet() ? useData(() => get('/api/nodes'), { every: 60_000 }) : null;
    const versions = useData(() => get('/api/versions', { limit: 100 }), { on: ['releases'], every: 60_000 });

    const callers = useData(steady(async () => {
      const { from, to, isFixed } = timeOf(query.value);
      if (to - from > LONGEST_CALLERS + MINUTE || Date.now() - from > LONGEST_CALLERS + HOUR) {
        return { entries: [], isTooLong: true };
      }
      const limit = subject.value ? 1000 : 12;
      const way = subject.value && query.value.tenant ? 'tenant' : by.value;
      const times = isFixed || query.value.from ? { from: iso(from), to: iso(to) } : { last: `${Math.max(1, Math.round((to - from) / MINUTE))}m` };
      return getNewest('traffic callers', '/api/top', { by: way, rule: rule.value, ...times, limit });
    }), { every: 30_000, watch: () => `${time()} ${rule.value} ${by.value} ${subject.value}` });

    const drawn = computed(() => {
      const data = series.data.value;
      if (!data) {
        return null;
      }
      const { start, end, width } = data;
      const points = new Map(data.points.map((point) => [Date.parse(point.at), point]));
      const times = [];
      for (let at = start; at < end; at += width) {
        // A step that has only just begun says nothing yet.
        if (at + Math.min(width, 10 * MINUTE) <= data.read - LATE) {
          times.push(at);
        }
      }
      const rate = (name) => times.map((at) => (points.get(at)?.[name] ?? 0) / (Math.max(1000, Math.min(width, data.read - LATE - at)) / 1000));
      const latency = (name) => times.map((at) => (points.get(at)?.[name] === undefined ? null : points.get(at)[name] / 1000));
      return {
        times, points: data.points, complete: data.complete, own: data.own, step: data.step,
        allowed: rate('allowed'), refused: rate('refused'), shadow: rate('shadow_refused'), degraded: rate('degraded'),
        timing: data.points.some((point) => point.p99_us !== undefined) ? [latency('p50_us'), latency('p95_us'), latency('p99_us')] : null,
        seconds: Math.max(1, (Math.min(end, data.read) - start) / 1000),
      };
    });

    const zoom = (from, to) => {
      const [low, high] = to - from < SHORTEST ? [(from + to) / 2 - SHORTEST / 2, (from + to) / 2 + SHORTEST / 2] : [from, to];
      setQuery({ from: iso(Math.floor(low / 1000) * 1000), to: iso(Math.ceil(high / 1000) * 1000), last: '' }, { step: true });
    };

    function move(factor) {
      const { from, to } = timeOf(query.value);
      const by = (to - from) * factor;
      if (to + by >= Date.now()) {
        setQuery({ from: '', to: '', last: spanText(to - from) }, { step: true });
      } else {
        zoom(from + by, to + by);
      }
    }

    /** Shows a third of the time: the newest one if the view goes on with time, else the middle one. */
    function narrow() {
      const { from, to, isFixed } = timeOf(query.value);
      const length = Math.max(SHORTEST, (to - from) / 3);
      if (isFixed) {
        zoom((from + to - length) / 2, (from + to + length) / 2);
      } else {
        setQuery({ from: '', to: '', last: spanText(length) }, { step: true });
      }
    }

    function widen() {
      const { from, to } = timeOf(query.value);
      const half = Math.min(366 * DAY, (to - from) * 3) / 2;
      const middle = (from + to) / 2;
      if (middle + half >= Date.now()) {
        setQuery({ from: '', to: '', last: spanText(2 * half) }, { step: true });
      } else {
        zoom(middle - half, middle + half);
      }
    }

    const chip = (name, value, key) => html`<span class="chip" key=${key} id=${`chip-${key}`}>${name}: <span class="clip chip-text" title=${value}>${value}</span>
      <button type="button" class="quiet" aria-label=${t('clear', { name })} title=${t('clear', { name })} onClick=${() => setQuery({ [key]: '' }, { step: true })}>×</button></span>`;

    function bars() {
      const { from, to, isFixed } = timeOf(query.value);
      const last = query.value.from ? '' : query.value.last ?? '1h';
      return html`<div class="filters traffic-filters">
        ${choice({ id: 'span', label: t('span'), value: last, options: SPANS.map(([value, label]) => ({ value, label: t(label) })),
          onChange: (value) => setQuery({ last: value === '1h' ? '' : value, from: '', to: '' }, { step: true }) })}
        <div class="row-line">
          <button type="button" class="secondary" id="earlier" aria-label=${t('earlier')} title=${t('earlier')} onClick=${() => move(-1)}>←</button>
          <button type="button" class="secondary" id="later" aria-label=${t('later')} title=${t('later')} aria-disabled=${String(!isFixed)} disabled=${!isFixed} onClick=${() => move(1)}>→</button>
          <button type="button" class="secondary" id="zoom-in" aria-disabled=${String(to - from <= SHORTEST)} disabled=${to - from <= SHORTEST} onClick=${narrow}>${t('zoomIn')}</button>
          <button type="button" class="secondary" id="zoom-out" onClick=${widen}>${t('zoomOut')}</button>
          <span class="soft nowrap" id="time">${moment(from)} – ${moment(to)}</span></div>
        <span class="grow"></span>
        ${nodes && !rule.value && filter({ id: 'node', label: t('node'), value: node.value, onInput: (value) => setQuery({ node: value }, { step: true }),
          options: [{ value: '', label: t('allNodes') }, ...(nodes.data.value ?? []).map((each) => ({ value: each.id, label: each.name })),
            ...(node.value && !(nodes.data.value ?? []).some((each) => each.id === node.value) ? [{ value: node.value, label: node.value }] : [])] })}
      </div>
      ${(rule.value || query.value.caller || query.value.tenant) && html`<div class="row-line chips">
        ${rule.value && chip(t('rule'), rule.value, 'rule')}
        ${rule.value && html`<a href=${`/rules/${encodeURIComponent(rule.value)}`}>${t('openRule')}</a>`}
        ${query.value.caller && chip(t('caller'), nameOf(query.value.caller), 'caller')}
        ${query.value.tenant && chip(t('tenant'), nameOf(query.value.tenant), 'tenant')}</div>`}`;
    }

    function nameOf(hash) {
      return callers.data.value?.entries.find((each) => each.hash === hash)?.caller ?? `#${hash.slice(0, 8)}`;
    }

    function aboutSubject() {
      const what = query.value.caller ? t('caller') : t('tenant');
      const rows = (callers.data.value?.entries ?? []).filter((each) => each.hash === subject.value);
      return panel({ id: 'about', title: t('about', { what }), actions: html`<a class="button secondary" href=${`/callers/${encodeURIComponent(subject.value)}`}>${t('openCaller')}</a>` },
        rows.length === 0 ? html`<p class="soft">${!callers.data.value ? '…' : callers.data.value.isTooLong ? t('tooLong') : t('aboutNone')}</p>`
          : html`<div class="figures">${rows.map((each) => figure({ id: `about-${each.rule}-${each.limit}`, label: each.limit ?? each.rule ?? t('allRules'), value: atLeast(each.refused, each.error), kind: 'refused', note: html`<code>${each.caller}</code>` }))}</div>`);
    }

    function overTime() {
      const data = drawn.value;
      if (!data) {
        return panel({ id: 'over-time', title: t('requests') }, html`<div class="chart-place"></div>`);
      }
      const onlyRefused = query.value.show === 'refused';
      const lines = [
        ...(onlyRefused ? [] : [{ label: t('allowed'), values: data.allowed, color: 'allowed', fill: 'allowed-soft', format: perSecond }]),
        { label: t('refused'), values: data.refused, color: 'refused', fill: 'refused-soft', format: perSecond },
        ...(data.shadow.some((value) => value > 0) ? [{ label: t('shadow'), values: data.shadow, color: 'shadowed', format: perSecond }] : []),
        ...(data.degraded.some((value) => value > 0) && !onlyRefused ? [{ label: t('degraded'), values: data.degraded, color: 'warn', dash: true, format: perSecond }] : []),
      ];
      const [allowed, refused, shadow, degraded] = ['allowed', 'refused', 'shadow_refused', 'degraded'].map((name) => sum(data.points, name));
      const peak = data.points.reduce((most, point) => Math.max(most, point.peak_refused), 0);
      const scope = rule.value || (node.value ? node.value : seesFleet() ? t('fleet') : data.own.length > OWN_RULES ? t('yours', { count: OWN_RULES }) : t('yourAll'));
      return panel({ id: 'over-time', title: scope, note: t('step', { step: t(data.step) }), actions: choice({ id: 'show', label: t('show'), value: onlyRefused ? 'refused' : 'all',
        options: [{ value: 'all', label: t('showAll') }, { value: 'refused', label: t('showRefused') }], onChange: (value) => setQuery({ show: value === 'all' ? '' : value }) }) },
      data.points.length === 0 ? empty({ title: t('nothing'), text: t('nothingText'), command: './sluice start --demo' }) : html`
        <div class="figures traffic-figures">
          ${figure({ id: 'sum-all', label: t('all'), value: compact(allowed + refused), note: t('rate', { rate: perSecond((allowed + refused) / data.seconds) }) })}
          ${figure({ id: 'sum-refused', label: t('refusedSum'), value: compact(refused), kind: 'refused', note: percent(allowed + refused > 0 ? refused / (allowed + refused) : 0) })}
          ${figure({ id: 'peak', label: t('peak'), value: number(peak), note: t('peakNote') })}
          ${shadow > 0 && figure({ id: 'sum-shadow', label: t('shadowSum'), value: compact(shadow), note: percent(shadow / Math.max(1, allowed + refused)) })}
          ${degraded > 0 && figure({ id: 'sum-degraded', label: t('degradedSum'), value: compact(degraded), note: percent(degraded / Math.max(1, allowed + refused)) })}
        </div>
        ${chart({ times: data.times, series: lines, height: 240, label: t('chartLabel'), onSelect: zoom, marks: marksOf(versions.data.value ?? [], data.times.length * STEPS[data.step]) })}
        <div class="row-line">${legend(lines)}<span class="grow"></span><span class="soft small">${data.complete ? t('dragHint') : t('incomplete')}</span></div>`);
    }

    function timings() {
      const data = drawn.value;
      const lines = [['p99', 'bad', 2], ['p95', 'warn', 1], ['p50', 'info', 0]].map(([label, color, i]) => ({ label, color, values: data.timing[i], format: (value) => micros(value * 1000) }));
      return panel({ id: 'timing', title: t('timing'), note: t('timingUnit'), actions: legend(lines) },
        chart({ times: data.times, series: lines, height: 120, label: t('timingLabel'), onSelect: zoom }));
    }

    const found = computed(() => {
      const text = find.value.trim().toLowerCase();
      const rows = sums.data.value?.rules ?? [];
      return text ? rows.filter((each) => each.rule.toLowerCase().includes(text)) : rows;
    });

    function rules() {
      const rows = found.value;
      const hasLast = rows.some((each) => each.last_at);
      return panel({ id: 'rules', title: t('rules'), tight: true, note: sums.data.value ? t('rulesNote', { count: number(sums.data.value.rules.length) }) : '',
        actions: html`<input type="search" class="find" id="find" aria-label=${t('find')} placeholder=${t('find')} value=${find.value} onInput=${(event) => { find.value = event.target.value; }} />` },
      rows.length === 0 && sums.data.value ? html`<p class="soft pad">${find.value ? t('noSuchRule') : t('nothing')}</p>` : table({
        id: 'rule-table', caption: t('rules'), rows, rowKey: (row) => row.rule, chosen: rule.value || null, onRow: (row) => row.rule && setQuery({ rule: row.rule }, { step: true }), columns: [
          { name: 'rule', label: t('rule'), cell: (row) => (row.rule ? html`<a href=${href('/traffic', { ...route.query, rule: row.rule })}>${row.rule}</a>` : html`<span class="soft">${t('noRule')}</span>`) },
          { name: 'allowed', label: t('allowedCol'), end: true, cell: (row) => number(row.allowed) },
          { name: 'refused', label: t('refusedCol'), end: true, cell: (row) => number(row.refused) },
          { name: 'share', label: t('shareCol'), end: true, className: 'share-cell', cell: (row) => {
            const share = row.allowed + row.refused > 0 ? row.refused / (row.allowed + row.refused) : 0;
            return html`<span class="share"><span class="share-bar">${bar(share, 'refused')}</span><span>${percent(share)}</span></span>`;
          } },
          { name: 'shadow', label: t('shadowCol'), end: true, className: 'not-small', cell: (row) => (row.shadow_refused > 0 ? number(row.shadow_refused) : html`<span class="soft">–</span>`) },
          { name: 'peak', label: t('peakCol'), end: true, className: 'not-small', cell: (row) => html`<span title=${t('peakTitle', { refused: number(row.peak_refused), allowed: number(row.peak_allowed) })}>${number(row.peak_refused)}/s</span>` },
          ...(hasLast ? [{ name: 'last', label: t('lastCol'), end: true, cell: (row) => timeAgo(row.last_at) }] : []),
        ] }));
    }

    function refusedCallers() {
      const data = callers.data.value;
      const rows = (data?.entries ?? []).slice(0, 12);
      return panel({ id: 'callers', title: t('callers'), tight: true, actions: choice({ id: 'by', label: t('by'), value: by.value,
        options: [['caller', 'byCaller'], ['ip', 'byIp'], ['user', 'byUser'], ['tenant', 'byTenant']].map(([value, label]) => ({ value, label: t(label) })), onChange: (value) => setQuery({ by: value === 'caller' ? '' : value }) }) },
      data && rows.length === 0 ? html`<p class="soft pad">${data.isTooLong ? t('tooLong') : t('nobody')}</p>` : html`
        ${table({ id: 'caller-table', caption: t('callers'), rows, rowKey: (row) => `${row.hash} ${row.rule} ${row.limit}`, chosen: null, columns: [
          { name: 'caller', label: t('caller'), cell: (row) => html`<span><a class="mono" href=${`/callers/${encodeURIComponent(row.hash)}`}>${row.caller}</a> <span class="soft small">${row.attributes}</span></span>` },
          { name: 'limit', label: t('limit'), cell: (row) => html`${row.limit ?? row.rule ?? t('allRules')}` },
          { name: 'count', label: t('count'), end: true, cell: (row) => atLeast(row.refused, row.error) },
        ] })}
        ${data && html`<p class="soft small pad">${t('callerCount', { callers: number(data.callers), refused: number(data.refused) })}</p>`}`);
    }

    return () => html`
      <div class="traffic">
        ${head({ title: t('title'), lead: t('lead') })}
        ${bars()}
        <div class="grid">
          ${subject.value && html`<div class="span-12" key="about">${aboutSubject()}</div>`}
          <div class="span-12" key="over-time">${overTime()}</div>
          ${drawn.value?.timing && html`<div class="span-12" key="timing">${timings()}</div>`}
          <div class="span-8" key="rules">${rules()}</div>
          <div class="span-4" key="callers">${refusedCallers()}</div>
        </div>
      </div>`;
  },
};

/** Writes a span as the address has it. */
function spanText(millis) {
  const known = SPANS.find(([text]) => Math.abs(millisOf(text) - millis) < MINUTE);
  return known ? known[0] : millis >= 2 * DAY ? `${Math.round(millis / DAY)}d` : millis >= 2 * HOUR ? `${Math.round(millis / HOUR)}h` : `${Math.max(1, Math.round(millis / MINUTE))}m`;
}
