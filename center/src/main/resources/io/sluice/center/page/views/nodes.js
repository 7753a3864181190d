// The fleet: which process runs which rules, how it decides, and what it refused.
import { computed, h } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { chart, legend } from '/assets/console/chart.js';
import { now, useData } from '/assets/console/data.js';
import { ask } from '/assets/console/dialog.js';
import { micros, number, percent, perSecond, span } from '/assets/console/format.js';
import { can } from '/assets/console/me.js';
import { href, route, setQuery } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { badge, dot, drawer, empty, facts, filter, head, panel, table, timeAgo, timeAt } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { before, columns, sums } from '/assets/views/fleet-series.js';

const t = words({
  en: {
    title: 'Fleet', lead: 'Every process that decides requests: which rules it runs, how it decides, and what it refused.',
    live: 'Live', current: 'Current', behind: 'Behind', refused: 'Refused rules', degraded: 'Degraded', silent: 'Silent',
    liveNote: 'reported within 5 s', currentNote: 'run version {version}', behindNote: 'run an older version', refusedNote: 'keep their last good rules',
    degradedNote: 'decide without the store', silentNote: 'stopped reporting',
    search: 'Search', searchHint: 'name, id, version, text', kind: 'Kind', node: 'Node', application: 'Application', anyKind: 'Any kind',
    problems: 'Needs attention', healthy: 'Working',
    name: 'Name', rules: 'Rules', state: 'State', mode: 'Decides', store: 'Store p50 / p99', heartbeat: 'Heartbeat', audit: 'Audit witness', program: 'Program',
    version: 'v{version}', behindBy: '{count} behind', isCurrent: 'current', other: 'other rules', fromFile: 'rules from a file', noRules: 'no rules yet',
    refusedVersion: 'refused v{version}', silentFor: 'silent for {time}',
    remote: 'in the store', local: 'in process', open: 'lets requests pass', closed: 'refuses requests', noStore: 'no shared store',
    storeLost: 'store lost', breaker: 'Breaker', breaker_closed: 'closed: the store answers', breaker_open: 'open: the store is not asked',
    breaker_half_open: 'half open: the store is tried again', breaker_none: 'none: there is no shared store', breakerOpen: 'breaker open', breakerHalf: 'breaker half open',
    agrees: 'agrees', disagrees: 'disagrees', witnessRefuses: 'refuses', unknown: 'not known yet',
    findings: 'Findings', findingsCount: '{count} findings', finding: '1 finding', trial: 'tries v{version}', trialFact: 'Trial', trialText: 'some of its callers try version {version}',
    noneTitle: 'No node has reported yet', noneText: 'A node that follows this center appears here within a second of its start.',
    noMatch: 'No node matches', noMatchText: 'Clear the search to see all nodes.', clear: 'Clear the search',
    redis: 'Redis of the nodes', redisVersion: 'It has version {version}.', redisUnknown: 'Its version is not known.', redisBehind: 'It has version {version}, released is {released}.',
    noDrift: 'Nobody else wrote to its rules.', drift: 'Something else wrote to {count} hashes of Redis. Nodes do not obey them.', driftTitle: 'Drift in Redis',
    driftOne: 'Something else wrote to a hash of Redis. Nodes do not obey it.', repair: 'Write them again', repairTitle: 'Write the mirror in Redis again?',
    repairText: 'The center writes the released rules over what differs. Rules in force do not change.', repaired: 'The mirror is written again.',
    more: 'and {count} more', centerProblems: 'The center reports a problem',
    id: 'Id', reports: 'Reports by', http: 'HTTP', follows: 'Takes releases', yes: 'yes', no: 'no: its rules come from a file', digest: 'Digest', adjustments: 'Adjustments',
    adjustmentsText: 'revision {revision}', adjustmentsOld: 'revision {revision}, newest is {newest}', started: 'Started', applied: 'Applied', lastHeartbeat: 'Last heartbeat',
    storeFact: 'Store', storeText: '{kind}: p50 {p50}, p99 {p99}; {calls} calls and {errors} errors in 10 s', modeSince: 'Decides so since',
    refusedTitle: 'It refused version {version}', refusedText: 'It keeps deciding by version {version}. It tries again with the next release.',
    traffic: 'Requests in the last hour', latency: 'Time of a decision, in µs', allowedSeries: 'allowed', refusedSeries: 'refused', degradedSeries: 'degraded',
    noTraffic: 'No requests in the last hour', seen: 'Rows witnessed', witnessAt: 'Checkpoint of', witnessKey: 'Trusted key', auditRefusal: 'Why it refuses', decisions: 'Decisions of this node',
    trafficSum: '{rate} allowed, {refused} refused ({share})', overview: 'Overview', witness: 'Witness of the audit log', gone: 'This node is not known',
    goneText: 'It may have been silent for so long that the center forgot it.', summary: 'Nodes by state', policyOpen: 'let requests pass: {count}', policyClosed: 'refuse requests: {count}',
    policyLocal: 'decide in process: {count}', policyRules: 'Rules while degraded', noAnswer: 'no answer', storeErrors: '{count} errors',
  },
  zh: {
    title: '节点', lead: '所有处理请求的进程：运行哪一版规则、如何决策、拒绝了什么。',
    live: '在线', current: '已是最新', behind: '落后', refused: '拒绝规则', degraded: '降级', silent: '失联',
    liveNote: '5 秒内有上报', currentNote: '运行版本 {version}', behindNote: '仍在运行旧版本', refusedNote: '沿用上一版可用规则',
    degradedNote: '不经共享存储决策', silentNote: '已停止上报',
    search: '搜索', searchHint: '名称、标识、版本或文字', kind: '类型', node: '节点', application: '应用', anyKind: '所有类型',
    problems: '需要关注', healthy: '运行正常',
    name: '名称', rules: '规则', state: '状态', mode: '决策方式', store: '存储 p50 / p99', heartbeat: '心跳', audit: '审计见证', program: '程序版本',
    version: 'v{version}', behindBy: '落后 {count} 版', isCurrent: '最新', other: '规则不同', fromFile: '规则来自文件', noRules: '尚无规则',
    refusedVersion: '拒绝了 v{version}', silentFor: '失联 {time}',
    remote: '共享存储', local: '进程内', open: '全部放行', closed: '全部拒绝', noStore: '无共享存储',
    storeLost: '存储不可用', breaker: '熔断器', breaker_closed: '关闭：存储正常应答', breaker_open: '打开：不再访问存储',
    breaker_half_open: '半开：正在重新尝试存储', breaker_none: '无：没有共享存储', breakerOpen: '熔断器已打开', breakerHalf: '熔断器半开',
    agrees: '一致', disagrees: '不一致', witnessRefuses: '拒绝', unknown: '尚不明确',
    findings: '发现的问题', findingsCount: '{count} 个问题', finding: '1 个问题', trial: '试用 v{version}', trialFact: '试用', trialText: '部分调用方正在试用版本 {version}',
    noneTitle: '还没有节点上报', noneText: '跟随本中心的节点启动后一秒内会出现在这里。',
    noMatch: '没有符合条件的节点', noMatchText: '清除搜索条件即可看到全部节点。', clear: '清除搜索',
    redis: '节点的 Redis', redisVersion: '其中是版本 {version}。', redisUnknown: '其版本未知。', redisBehind: '其中是版本 {version}，已发布的是 {released}。',
    noDrift: '没有其他程序改写过规则。', drift: '有其他程序改写了 Redis 中的 {count} 个哈希。节点不会采用它们。', driftTitle: 'Redis 出现偏差',
    driftOne: '有其他程序改写了 Redis 中的一个哈希。节点不会采用它。', repair: '重新写入', repairTitle: '重新写入 Redis 中的镜像？',
    repairText: '中心会用已发布的规则覆盖有差异的内容。生效的规则不变。', repaired: '镜像已重新写入。',
    more: '以及另外 {count} 个', centerProblems: '中心报告了问题',
    id: '标识', reports: '上报方式', http: 'HTTP', follows: '接收发布', yes: '是', no: '否：规则来自文件', digest: '摘要', adjustments: '临时调整',
    adjustmentsText: '修订 {revision}', adjustmentsOld: '修订 {revision}，最新为 {newest}', started: '启动时间', applied: '应用时间', lastHeartbeat: '最近心跳',
    storeFact: '存储', storeText: '{kind}：p50 {p50}，p99 {p99}；10 秒内 {calls} 次调用、{errors} 次错误', modeSince: '此方式开始于',
    refusedTitle: '拒绝了版本 {version}', refusedText: '它继续按版本 {version} 决策，下次发布时会再次尝试。',
    traffic: '最近一小时的请求', latency: '决策耗时（微秒）', allowedSeries: '放行', refusedSeries: '拒绝', degradedSeries: '降级',
    noTraffic: '最近一小时没有请求', seen: '已见证的行数', witnessAt: '检查点时间', witnessKey: '信任的密钥', auditRefusal: '拒绝原因', decisions: '此节点的决策',
    trafficSum: '放行 {rate}，拒绝 {refused}（{share}）', overview: '概览', witness: '审计日志的见证', gone: '没有这个节点',
    goneText: '它可能失联太久，中心已不再保留。', summary: '各状态的节点数', policyOpen: '放行：{count} 条', policyClosed: '拒绝：{count} 条',
    policyLocal: '进程内决策：{count} 条', policyRules: '降级时的规则', noAnswer: '无应答', storeErrors: '{count} 次错误',
  },
});

const STATES = ['live', 'current', 'behind', 'refused', 'degraded', 'silent'];

function isDegraded(node) {
  return node.breaker !== 'none' && (node.mode !== 'remote' || node.breaker !== 'closed');
}

function is(node, state) {
  switch (state) {
    case 'live': return node.live;
    case 'current': return node.live && node.current;
    case 'behind': return node.live && node.follows && !node.current;
    case 'refused': return node.refused !== null;
    case 'degraded': return node.live && isDegraded(node);
    case 'silent': return !node.live;
    default: return true;
  }
}

function auditBad(node) {
  return node.audit !== null && (node.audit.refused !== null || node.audit.agrees === false);
}

/** Returns how urgent a node is: the lower, the more. Nodes at 9 work. */
function urgency(node) {
  if (auditBad(node)) {
    return 0;
  }
  const order = ['degraded', 'refused', 'silent', 'behind'];
  const place = order.findIndex((state) => is(node, state));
  return place >= 0 ? place + 1 : node.findings.length > 0 ? 8 : 9;
}

function sought(node, text) {
  return [node.name, node.id, node.program, `v${node.version}`, node.mode, ...node.findings, ...(node.refused?.errors ?? [])]
    .some((each) => String(each).toLowerCase().includes(text));
}

function modeText(node) {
  return node.breaker === 'none' && node.mode === 'local' ? t('local') : t(node.mode);
}

/** The name of a node and what follows the name of its host, so that long names need no second line. */
function nameParts(node) {
  const name = node.name || node.id;
  const dotAt = /^[a-z]/i.test(name) ? name.indexOf('.') : -1;
  return dotAt > 0 ? [name.slice(0, dotAt), name.slice(dotAt)] : [name, ''];
}

function nameCell(node) {
  const [host, rest] = nameParts(node);
  return html`<div class="lines"><a href=${href('/nodes', { ...route.query, id: node.id })} title=${node.name}>${host}</a>
    <span class="soft small">${[rest, node.kind === 'application' ? t('application') : '', node.program].filter(Boolean).join(' · ')}</span></div>`;
}

function rulesCell(node) {
  if (node.version === 0 && !node.digest) {
    return html`<span class="soft">${t('noRules')}</span>`;
  }
  return html`<div class="lines"><span class="row-line tighter"><span class="strong">${t('version', { version: node.version })}</span>
    ${!node.follows ? badge(t('fromFile')) : node.current ? badge(t('isCurrent'), 'good')
      : node.behind > 0 ? badge(t('behindBy', { count: number(node.behind) }), 'warn') : badge(t('other'), 'warn')}
    </span><span class="row-line tighter">${node.applied_at && html`<span class="soft small">${timeAgo(node.applied_at)}</span>`}
    ${node.trial !== null && node.trial !== undefined && badge(t('trial', { version: node.trial }), 'info')}</span></div>`;
}

function modeCell(node) {
  const bad = isDegraded(node);
  return html`<div class="lines"><span>${bad ? dot('bad', modeText(node)) : modeText(node)}</span>
    ${bad ? html`<span class="bad-text small">${node.breaker === 'half_open' ? t('breakerHalf') : node.breaker === 'open' ? t('breakerOpen') : t('storeLost')}${node.mode_since
      ? html` · ${timeAgo(node.mode_since)}` : null}</span>`
      : node.breaker === 'none' ? html`<span class="soft small">${t('noStore')}</span>` : null}</div>`;
}

function stateCell(node) {
  const signs = [];
  if (!node.live) {
    signs.push(badge(t('silentFor', { time: span(now.value - new Date(node.last_heartbeat).getTime()) }), 'bad'));
  } else if (!isDegraded(node) && !node.refused && !auditBad(node)) {
    signs.push(dot('good', t('live')));
  }
  if (node.live && isDegraded(node)) {
    signs.push(badge(t('degraded'), 'bad'));
  }
  if (node.refused) {
    signs.push(badge(t('refusedVersion', { version: node.refused.version }), 'bad'));
  }
  if (node.findings.length > 0) {
    signs.push(badge(node.findings.length === 1 ? t('finding') : t('findingsCount', { count: node.findings.length }), 'warn', node.findings.join('\n')));
  }
  return html`<div class="lines"><span class="row-line tighter">${signs}</span>
    ${node.refused && html`<span class="small clamp" title=${node.refused.errors.join('\n')}>${node.refused.errors[0]}</span>`}
    ${!node.refused && node.findings.length > 0 && html`<span class="small soft clamp">${node.findings[0]}</span>`}</div>`;
}

function auditCell(node) {
  if (!node.audit) {
    return html`<span class="soft">–</span>`;
  }
  if (node.audit.refused !== null) {
    return badge(t('witnessRefuses'), 'bad', node.audit.refused);
  }
  return node.audit.agrees === false ? badge(t('disagrees'), 'bad') : node.audit.agrees ? dot('good', t('agrees')) : html`<span class="soft">${t('unknown')}</span>`;
}

function storeCell(node) {
  const store = node.store;
  if (!store || store.kind === 'memory') {
    return html`<span class="soft">–</span>`;
  }
  return html`<div class="lines"><span class="nowrap">${store.p99_us !== null && store.p99_us !== undefined
    ? html`${micros(store.p50_us)} <span class="soft">/</span> ${micros(store.p99_us)}` : store.errors > 0 ? html`<span class="bad-text">${t('noAnswer')}</span>` : '–'}</span>
    ${store.errors > 0 && html`<span class="bad-text small">${t('storeErrors', { count: number(store.errors) })}</span>`}</div>`;
}

function nodeTable(id, rows, caption) {
  return table({
    id, caption, rows, rowKey: (node) => node.id, chosen: route.query.id,
    onRow: (node) => setQuery({ id: node.id }, { step: true }),
    columns: [
      { name: 'name', label: t('name'), className: 'node-name', cell: nameCell },
      { name: 'state', label: t('state'), className: 'node-state', wide: true, cell: stateCell },
      { name: 'rules', label: t('rules'), className: 'node-rules', cell: rulesCell },
      { name: 'mode', label: t('mode'), className: 'node-mode', cell: modeCell },
      { name: 'store', label: t('store'), end: true, className: 'node-store', cell: storeCell },
      { name: 'audit', label: t('audit'), className: 'node-audit', cell: auditCell },
      { name: 'heartbeat', label: t('heartbeat'), end: true, className: 'node-heartbeat', cell: (node) => timeAgo(node.last_heartbeat) },
    ],
  });
}

async function repair(reload) {
  const done = await ask({ title: t('repairTitle'), text: t('repairText'), action: t('repair'),
    call: ({ reason }) => ({ method: 'POST', path: '/api/mirror/repair', body: { reason } }) });
  if (done) {
    toast(t('repaired'));
    reload();
  }
}

/** What the center says about Redis and itself. Nothing if there is no Redis and no problem. */
function redisLine(status, reload) {
  if (!status) {
    return null;
  }
  const drift = status.redis?.drift ?? [];
  return html`
    ${status.problems.length > 0 && html`<div class="notice warn" id="center-problems" role="status"><strong>${t('centerProblems')}</strong>
      ${status.problems.map((problem) => html`<div key=${problem}>${problem}</div>`)}</div>`}
    ${drift.length > 0 && html`<div class="notice bad" id="drift" role="status"><div class="panel-head"><strong>${t('driftTitle')}</strong><span class="grow"></span>
      ${can('manage_center') && html`<button type="button" class="secondary small" id="repair" onClick=${() => repair(reload)}>${t('repair')}</button>`}</div>
      <div>${drift.length === 1 ? t('driftOne') : t('drift', { count: number(drift.length) })}</div>
      <div class="row-line tighter">${drift.slice(0, 8).map((name) => html`<code key=${name}>${name}</code>`)}${drift.length > 8 ? html`<span>${t('more', { count: number(drift.length - 8) })}</span>` : null}</div></div>`}`;
}

function redisText(status) {
  const redis = status?.redis;
  if (!redis) {
    return '';
  }
  const version = redis.version === 0 ? t('redisUnknown') : redis.version === status.version
    ? t('redisVersion', { version: redis.version }) : t('redisBehind', { version: redis.version, released: status.version });
  return `${t('redis')}: ${version}${redis.drift.length === 0 ? ` ${t('noDrift')}` : ''}`;
}

function trafficSeries(series) {
  const { times, rate } = columns(series);
  return { times, lines: [
    { label: t('allowedSeries'), values: rate('allowed'), color: 'allowed', fill: 'allowed-soft', format: perSecond },
    { label: t('refusedSeries'), values: rate('refused'), color: 'refused', format: perSecond },
    { label: t('degradedSeries'), values: rate('degraded'), color: 'bad', dash: true, format: perSecond },
  ] };
}

function latencySeries(series) {
  const { times, column } = columns(series);
  const line = (name, color, dash) => ({ label: name, values: column(`${name}_us`, null), color, dash, format: micros });
  return { times, lines: [line('p50', 'accent'), line('p95', 'info', true), line('p99', 'warn')] };
}

const POLICIES = { open: 'policyOpen', closed: 'policyClosed', local: 'policyLocal' };

/** What its rules do while the store is away: how many of each kind. */
function policyText(node) {
  return Object.entries(node.on_failure ?? {}).filter(([name, count]) => POLICIES[name] && count > 0)
    .map(([name, count]) => t(POLICIES[name], { count: number(count) })).join(', ') || null;
}

/** Everything about one node. */
const NodeDetails = {
  props: ['node', 'status'],
  setup(props) {
    const { data: series } = useData(() => get('/api/series', { node: props.node.id, step: 'minute', from: before(3_600_000) }), { every: 30_000 });
    return () => {
      const { node, status } = props;
      const traffic = series.value && series.value.points.length > 0 ? trafficSeries(series.value) : null;
      const latency = traffic && series.value.points.some((point) => point.p50_us !== undefined) ? latencySeries(series.value) : null;
      const total = traffic ? sums(series.value) : null;
      const newest = status?.adjustments?.revision;
      return html`<div class="stack details">
        <div class="row-line">${node.live ? badge(t('live'), 'good') : badge(t('silent'), 'bad')}
          ${node.live && isDegraded(node) ? badge(t('degraded'), 'bad') : null}
          ${node.refused ? badge(t('refusedVersion', { version: node.refused.version }), 'bad') : null}
          ${node.trial !== null && node.trial !== undefined ? badge(t('trial', { version: node.trial }), 'info') : null}
          <span class="grow"></span><a id="node-decisions" href=${href('/decisions', { node: node.id })}>${t('decisions')}</a></div>
        ${node.refused && html`<div class="notice bad" id="refusal"><strong>${t('refusedTitle', { version: node.refused.version })}</strong>
          <p class="soft">${t('refusedText', { version: node.version })}</p>
          ${node.refused.errors.map((error, i) => html`<pre class="text-block" tabindex="0" key=${i}>${error}</pre>`)}</div>`}
        ${node.findings.length > 0 && html`<div class="notice warn" id="findings"><strong>${t('findings')}</strong>
          <ul>${node.findings.map((finding, i) => html`<li key=${i}>${finding}</li>`)}</ul></div>`}
        ${facts([
          [t('rules'), node.version > 0 || node.digest ? html`${rulesCell(node)}` : t('noRules')],
          [t('applied'), node.applied_at ? timeAt(node.applied_at, { seconds: true }) : null],
          [t('trialFact'), node.trial !== null && node.trial !== undefined ? t('trialText', { version: node.trial }) : null],
          [t('adjustments'), newest === undefined || newest === node.adjustments ? t('adjustmentsText', { revision: node.adjustments })
            : t('adjustmentsOld', { revision: node.adjustments, newest })],
          [t('mode'), modeText(node)],
          [t('modeSince'), node.mode_since ? html`${timeAt(node.mode_since, { seconds: true })} <span class="soft">(${timeAgo(node.mode_since)})</span>` : null],
          [t('policyRules'), policyText(node)],
          [t('breaker'), t(`breaker_${node.breaker}`)],
          [t('storeFact'), node.store && node.store.kind !== 'memory' ? t('storeText', { kind: 'Redis', p50: node.store.p50_us ? micros(node.store.p50_us) : '–',
            p99: node.store.p99_us ? micros(node.store.p99_us) : '–', calls: number(node.store.calls), errors: number(node.store.errors) }) : null],
          [t('lastHeartbeat'), html`${timeAt(node.last_heartbeat, { seconds: true })} <span class="soft">(${timeAgo(node.last_heartbeat)})</span>`],
          [t('started'), timeAt(node.started_at, { seconds: true })],
        ])}
        <div><h3>${t('traffic')}</h3>
          ${traffic ? html`<div class="stack"><p class="soft small">${t('trafficSum', { rate: number(total.allowed), refused: number(total.refused),
              share: percent(total.refused / Math.max(1, total.allowed + total.refused)) })}</p>
            ${chart({ times: traffic.times, series: traffic.lines, height: 150, label: t('traffic') })}${legend(traffic.lines)}</div>`
            : html`<p class="soft">${series.value ? t('noTraffic') : '…'}</p>`}</div>
        ${latency && html`<div><h3>${t('latency')}</h3>${chart({ times: latency.times, series: latency.lines, height: 130, label: t('latency') })}${legend(latency.lines)}</div>`}
        ${node.audit && html`<div id="witness"><h3>${t('witness')}</h3>${facts([
          [t('state'), auditCell(node)],
          [t('auditRefusal'), node.audit.refused],
          [t('seen'), number(node.audit.size)],
          [t('witnessAt'), timeAt(node.audit.at, { seconds: true })],
          [t('witnessKey'), html`<code>${node.audit.key}</code>`],
        ])}</div>`}
        <div><h3>${t('overview')}</h3>${facts([
          [t('id'), html`<code>${node.id}</code>`],
          [t('kind'), t(node.kind)],
          [t('program'), node.program],
          [t('reports'), node.by === 'http' ? t('http') : 'Redis'],
          [t('follows'), node.follows ? t('yes') : t('no')],
          [t('digest'), node.digest ? html`<code class="digest">${node.digest}</code>` : null],
        ])}</div>
      </div>`;
    };
  },
};

export default {
  setup() {
    const { data: nodes } = useData(() => get('/api/nodes'), { every: 5000, on: ['nodes', 'releases'] });
    const { data: status, reload } = useData(() => get('/api/status'), { every: 15_000, on: ['releases'] });

    const query = computed(() => (route.query.q ?? '').trim().toLowerCase());
    const found = computed(() => (nodes.value ?? [])
      .filter((node) => is(node, route.query.state) && (!route.query.kind || node.kind === route.query.kind) && (!query.value || sought(node, query.value)))
      .map((node) => ({ node, urgency: urgency(node) }))
      .sort((a, b) => a.urgency - b.urgency || a.node.name.localeCompare(b.node.name, 'en', { numeric: true })));
    const problems = computed(() => found.value.filter((each) => each.urgency < 9).map((each) => each.node));
    const healthy = computed(() => found.value.filter((each) => each.urgency === 9).map((each) => each.node));

    const notes = () => ({
      live: t('liveNote'), current: t('currentNote', { version: status.value?.version ?? '' }), behind: t('behindNote'), refused: t('refusedNote'),
      degraded: t('degradedNote'), silent: t('silentNote'),
    });
    const tile = (state) => {
      const count = nodes.value.filter((node) => is(node, state)).length;
      const chosen = route.query.state === state;
      const bad = count > 0 && !['live', 'current', 'behind'].includes(state);
      return html`<a key=${state} class=${['tile', bad ? 'bad' : '', count > 0 && state === 'behind' ? 'warn' : '']} id=${`state-${state}`}
        href=${href('/nodes', { ...route.query, state: chosen ? '' : state, id: '' })} aria-current=${chosen ? 'true' : null}>
        <span class="figure-label">${t(state)}</span><span class="figure-value">${number(count)}</span><span class="figure-note">${notes()[state]}</span></a>`;
    };

    const detail = () => {
      const id = route.query.id;
      if (!id || !nodes.value) {
        return null;
      }
      const node = nodes.value.find((each) => each.id === id);
      const onClose = () => setQuery({ id: '' });
      return node ? drawer({ id: 'node', title: node.name || node.id, onClose }, h(NodeDetails, { node, status: status.value, key: node.id }))
        : drawer({ id: 'node', title: id, onClose }, empty({ title: t('gone'), text: t('goneText') }));
    };

    return () => {
      if (!nodes.value) {
        return html`${head({ title: t('title'), lead: t('lead') })}`;
      }
      if (nodes.value.length === 0) {
        return html`${head({ title: t('title'), lead: t('lead') })}${redisLine(status.value, reload)}
          ${panel({ id: 'nodes' }, empty({ title: t('noneTitle'), text: t('noneText'),
            command: `./sluice node --center ${location.origin} --center-token-file node-token` }))}`;
      }
      return html`
        ${head({ title: t('title'), lead: t('lead') })}
        ${redisLine(status.value, reload)}
        <nav class="tiles" aria-label=${t('summary')}>${STATES.map(tile)}</nav>
        <div class="filters">
          ${filter({ id: 'node-search', label: t('search'), value: route.query.q, placeholder: t('searchHint'), width: 'wide', onInput: (q) => setQuery({ q }) })}
          ${filter({ id: 'node-kind', label: t('kind'), value: route.query.kind ?? '', onInput: (kind) => setQuery({ kind }),
            options: [{ value: '', label: t('anyKind') }, { value: 'node', label: t('node') }, { value: 'application', label: t('application') }] })}
        </div>
        ${found.value.length === 0 && panel({ id: 'nodes' }, empty({ title: t('noMatch'), text: t('noMatchText'),
          action: html`<a class="button secondary" href="/nodes">${t('clear')}</a>` }))}
        <div class="stack">
          ${problems.value.length > 0 && panel({ id: 'problems', title: t('problems'), note: number(problems.value.length), tight: true }, nodeTable('problem-nodes', problems.value, t('problems')))}
          ${healthy.value.length > 0 && panel({ id: 'healthy', title: t('healthy'), note: number(healthy.value.length), tight: true }, nodeTable('healthy-nodes', healthy.value, t('healthy')))}
        </div>
        ${redisText(status.value) && html`<p class="soft small foot" id="redis">${redisText(status.value)}</p>`}
        ${detail()}`;
    };
  },
};
