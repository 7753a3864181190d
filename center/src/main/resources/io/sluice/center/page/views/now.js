// The first screen: who is refused, why, since which change, and how to undo it.
import { computed, h, ref, watch } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { changeWords } from '/assets/console/change-words.js';
import { chart, legend } from '/assets/console/chart.js';
import { now, useData } from '/assets/console/data.js';
import { atLeast, clock, micros, number, percent, perSecond, span } from '/assets/console/format.js';
import { can, canEverywhere, seesFleet } from '/assets/console/me.js';
import { href, route, setQuery } from '/assets/console/router.js';
import { badge, bar, choice, dot, drawer, empty, figure, head, panel, table, timeAgo } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { language } from '/assets/texts.js';
import { CallerDetails } from '/assets/views/caller.js';
import { endSwitch, endTrial, rollBack, switchToShadow } from '/assets/views/watch-actions.js';
import { OWN_RULES, figuresOf, getNewest, iso, marksOf, ratesOn, seriesOf, sumsOf, useSeconds } from '/assets/views/watch-data.js';

const t = words({
  en: {
    title: 'Now', span: 'Time span', m5: '5 min', m15: '15 min', h1: '1 h', h6: '6 h', d1: '1 d', emergency: 'Emergency switch', onlyRule: 'Only rule {rule}', allRules: 'Show all rules', openRule: 'Open the rule',
    refusals: 'Refusals', refusedNow: 'Refused now', ofAll: '{share} of {rate}', hourAgo: 'An hour ago', dayAgo: 'A day ago', roseAfter: 'Rose after', same: 'the same', noneThen: 'none then', chartLabel: 'Refused requests per second over time',
    refused: 'refused', hourAgoLine: 'an hour ago', dayAgoLine: 'a day ago', incomplete: 'Some figures of this time are missing.', sumOf: 'Sum of your {count} rules that refuse most', sumOfAll: 'Sum of your rules',
    topRules: 'Rules that refuse most', against: 'against an hour ago', againstDay: 'against a day ago', fresh: 'new', noRule: 'no rule', noRefusals: 'No rule refused anything.',
    healthy: 'The limiter is healthy.', health: 'Health of the limiter', unwell: 'The limiter is not healthy.', nodesLive: '{live} of {all} nodes live', oneVersion: 'all run v{version}', noNodes: 'No node reports to this center.',
    store: 'Store', decisions: 'Decisions', latency: 'p50 {p50} · p99 {p99}', noAlerts: 'no alerts',
    lineDegraded: 'decides without the shared store', linesDegraded: 'decide without the shared store', mostlyWell: 'The limiter works, and something needs attention.',
    since: 'since {span}', open: 'requests pass unchecked (fail open)', closed: 'all requests are refused (fail closed)', local: 'each node counts on its own (local)',
    policies: 'rules: {list}', comma: ', ', policyOpen: '{n} fail open', policyLocal: '{n} count locally', policyClosed: '{n} fail closed', lineBreaker: 'The breaker before the store is open at',
    lineRefused: 'refused', more: '{count} more',
    critical: 'critical', warning: 'warning', info: 'info', problem: 'problem',
    callers: 'Refused most', caller: 'Caller', limit: 'Limit', count: 'Refused', moreCallers: 'More', noCallers: 'Nobody was refused.', noCallersText: 'Callers of the current minute appear when it is over.', callerCount: 'callers: {callers} · refusals: {refused}', callerTitle: 'Caller {caller}', denied: 'deny',
    changes: 'Last changes', allReleases: 'All releases', shadow: 'shadow', trial: 'trial', endTrial: 'End the trial', rollBack: 'Roll back to v{to}', moreSentences: '{count} more differences', noReleases: 'Nothing was released yet.', noOwnReleases: 'None of the last releases changed your rules.',
    releaseCommand: './sluice apply rules.yaml', shadowAll: 'All rules refuse nothing', shadowRule: '{rule} refuses nothing', untilWord: 'until', end: 'End', initial: 'First version',
    nothing: 'No traffic yet', nothingText: 'Nodes tell their counts each second. Send some requests through a node, or start one with sample traffic:',
  },
  zh: {
    title: '现在', span: '时间范围', m5: '5 分钟', m15: '15 分钟', h1: '1 小时', h6: '6 小时', d1: '1 天', emergency: '紧急开关', onlyRule: '仅规则 {rule}', allRules: '显示全部规则', openRule: '打开规则',
    refusals: '拒绝', refusedNow: '当前拒绝', ofAll: '占 {rate} 的 {share}', hourAgo: '一小时前', dayAgo: '一天前', roseAfter: '上升始于', same: '持平', noneThen: '当时没有', chartLabel: '每秒被拒绝请求数的变化',
    refused: '拒绝', hourAgoLine: '一小时前', dayAgoLine: '一天前', incomplete: '这段时间的部分数据缺失。', sumOf: '您的规则中拒绝最多的 {count} 条之和', sumOfAll: '您的规则之和',
    topRules: '拒绝最多的规则', against: '与一小时前相比', againstDay: '与一天前相比', fresh: '新增', noRule: '无规则', noRefusals: '没有规则拒绝请求。',
    healthy: '限流器运行正常。', health: '限流器健康状况', unwell: '限流器异常。', nodesLive: '{all} 个节点中 {live} 个在线', oneVersion: '全部运行 v{version}', noNodes: '没有节点向此中心上报。',
    store: '存储', decisions: '决策', latency: 'p50 {p50} · p99 {p99}', noAlerts: '没有告警',
    lineDegraded: '未使用共享存储', linesDegraded: '未使用共享存储', mostlyWell: '限流器可用，但有事项需要关注。',
    since: '已持续 {span}', open: '请求不经检查直接放行（失败放行）', closed: '拒绝全部请求（失败关闭）', local: '各节点单独计数（本地）',
    policies: '规则：{list}', comma: '，', policyOpen: '{n} 条全部放行', policyLocal: '{n} 条在本地计数', policyClosed: '{n} 条全部拒绝', lineBreaker: '存储前的熔断器已断开：',
    lineRefused: '拒绝了', more: '另有 {count} 项',
    critical: '严重', warning: '警告', info: '提示', problem: '问题',
    callers: '被拒绝最多', caller: '调用方', limit: '限额', count: '拒绝次数', moreCallers: '更多', noCallers: '没有调用方被拒绝。', noCallersText: '当前这一分钟的调用方会在该分钟结束后出现。', callerCount: '{callers} 个调用方 · {refused} 次拒绝', callerTitle: '调用方 {caller}', denied: '禁止',
    changes: '最近的变更', allReleases: '全部发布', shadow: '影子', trial: '试运行', endTrial: '结束试运行', rollBack: '回滚到 v{to}', moreSentences: '另有 {count} 处差异', noReleases: '尚未发布任何版本。', noOwnReleases: '最近的发布没有改动您的规则。',
    releaseCommand: './sluice apply rules.yaml', shadowAll: '全部规则暂不拒绝', shadowRule: '{rule} 暂不拒绝', untilWord: '至', end: '结束', initial: '首个版本',
    nothing: '还没有流量', nothingText: '节点每秒上报计数。请通过节点发送一些请求，或启动带示例流量的节点：',
  },
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What a chart of a span looks like: how long a cell of its grid is, and which step of the API it needs. */
const PLANS = {
  '5m': { span: 5 * MINUTE, cell: 5000, step: 'second', label: 'm5', hour: true },
  '15m': { span: 15 * MINUTE, cell: 15_000, step: 'second', label: 'm15', hour: true },
  '1h': { span: HOUR, cell: MINUTE, step: 'minute', label: 'h1', hour: true },
  '6h': { span: 6 * HOUR, cell: 2 * MINUTE, step: 'minute', label: 'h6', hour: true },
  '1d': { span: DAY, cell: 10 * MINUTE, step: 'minute', label: 'd1', hour: false },
};
const SHOWN = 3;
const LOOKED_AT = 8;
/** How many rules are read. The others hardly refuse anything. */
const MOST_RULES = 500;
const RECENT = 5 * MINUTE;
const LATE = 6000;
/** How much time before and after a release is compared. */
const JUMP = 10 * MINUTE;

function refusedOf(point) {
  return point.refused;
}

function allOf(point) {
  return point.allowed + point.refused;
}

function meanOf(values) {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Says how a rate changed: +120 %, −30 %. */
function changeText(value, before) {
  if (before === 0) {
    return value === 0 ? t('same') : t('fresh');
  }
  const change = value / before - 1;
  if (Math.abs(change) < 0.05) {
    return t('same');
  }
  if (change >= 9) {
    return `× ${Math.round(value / before)}`;
  }
  return `${change > 0 ? '+' : '−'}${Math.round(Math.abs(change) * 100)} %`;
}

function changeKind(value, before) {
  return before === 0 ? (value > 0 ? 'up' : '') : value / before > 1.05 ? 'up' : value / before < 0.95 ? 'down' : '';
}

const low = ref(matchMedia('(max-height: 820px)').matches);
matchMedia('(max-height: 820px)').addEventListener('change', (event) => { low.value = event.matches; });

export default {
  setup() {
    // A center that has just begun shows its first minutes large, until somebody chooses another span.
    const usual = ref('1h');
    const chosen = computed(() => (route.query.last in PLANS ? route.query.last : usual.value));
    const plan = computed(() => PLANS[chosen.value]);
    const rule = computed(() => route.query.rule ?? '');
    const scope = () => `${chosen.value} ${rule.value}`;
    const fleet = seesFleet();

    // 1. Refusals over time, and by rule.
    const sums = useData(async () => {
      const to = Math.floor(Date.now() / MINUTE) * MINUTE + MINUTE;
      const back = plan.value.span > HOUR ? DAY : HOUR;
      const from = to - plan.value.span - (plan.value.span > 6 * MINUTE ? MINUTE : 0);
      const [current, earlier] = await Promise.all([sumsOf('sums', from, to, MOST_RULES), sumsOf('sums before', from - back, to - back, MOST_RULES)]);
      return { current: current.rules, before: new Map(earlier.rules.map((each) => [each.rule, each])), seconds: (Math.min(Date.now(), to) - from) / 1000, secondsBefore: (to - from) / 1000, back };
    }, { every: 15_000, watch: () => chosen.value });

    const figures = useData(async () => {
      const { span: length, cell, step, hour } = plan.value;
      const to = Math.floor(Date.now() / MINUTE) * MINUTE + MINUTE;
      const from = to - length - MINUTE;
      const own = fleet || rule.value ? [] : (await sumsOf('own', to - HOUR, to, OWN_RULES + 1)).rules.map((each) => each.rule);
      // Cells of the past are over, so they are read as a whole.
      const read = (name, shift, steps) => seriesOf(name, { rule: rule.value, own, from: iso(from - shift), to: iso(to - shift + (shift > 0 ? cell : 0)), step: steps });
      const [current, hourAgo, dayAgo] = await Promise.all([read('now', 0, step), hour ? read('hour', HOUR, 'minute') : null, read('day', DAY, 'minute')]);
      const first = current.points.length > 0 ? Date.parse(current.points[0].at) : Date.now();
      if (chosen.value === '1h' && !route.query.last && first > Date.now() - 4 * MINUTE && hourAgo.points.length + dayAgo.points.length === 0) {
        usual.value = '5m';
      }
      return { current, hourAgo, dayAgo, at: Date.now(), scope: scope(), own };
    }, { every: 30_000, watch: scope });

    /** The rules whose history is added up for somebody who does not see the fleet. Live figures are about the same ones. */
    const summed = () => (figures.data.value?.own ?? []).slice(0, OWN_RULES);
    const seconds = useSeconds((event) => {
      if (rule.value) {
        return figuresOf(event, rule.value);
      }
      return event.fleet ?? summed().map((each) => figuresOf(event, each)).filter(Boolean).reduce((sum, each) => ({ allowed: sum.allowed + each.allowed, refused: sum.refused + each.refused }), { allowed: 0, refused: 0 });
    });
    watch(rule, seconds.forget);
    watch(() => summed().join(' '), seconds.forget);

    const drawn = computed(() => {
      const data = figures.data.value;
      if (!data || data.scope !== scope()) {
        return null;
      }
      const { span: length, cell, hour } = plan.value;
      void seconds.beat.value;
      const end = Math.floor(Date.now() / cell) * cell;
      const times = [];
      for (let time = end - length; time <= end; time += cell) {
        times.push(time);
      }
      const refused = ratesOn(data.current, refusedOf, times, cell);
      const all = ratesOn(data.current, allOf, times, cell);
      // Cells that were not over when the figures were read come from the stream.
      times.forEach((time, i) => {
        if (time + cell > data.at - LATE) {
          const heard = seconds.mean(Math.floor(time / 1000), Math.floor((time + cell) / 1000));
          refused[i] = heard ? heard.refused : null;
          all[i] = heard ? heard.allowed + heard.refused : null;
        }
      });
      const known = refused.findLastIndex((value) => value !== null);
      const recent = Math.max(1, Math.round(Math.min(RECENT, length) / cell));
      const past = (series, shift) => (series ? ratesOn(series, refusedOf, times, cell, shift) : null);
      const hourAgo = hour ? past(data.hourAgo, HOUR) : null;
      const dayAgo = past(data.dayAgo, DAY);
      const moment = seconds.moment();
      return {
        times, refused, hourAgo, dayAgo,
        rate: moment ? moment.refused : refused[known] ?? 0,
        all: moment ? moment.allowed + moment.refused : all[known] ?? 0,
        // What was a single cell then is too noisy to compare with.
        hourThen: hourAgo ? meanOf(hourAgo.slice(-recent)) : null,
        dayThen: meanOf(dayAgo.slice(-recent)),
        complete: data.current.complete,
        own: data.own,
      };
    });

    /** The release after which refusals rose most within the chart, if they are still high. */
    const culprit = computed(() => {
      const data = drawn.value;
      const versions = changes.data.value?.versions ?? [];
      if (!data) {
        return null;
      }
      const { cell } = plan.value;
      const near = Math.max(3, Math.round(JUMP / cell));
      let found = null;
      versions.forEach((version) => {
        const at = Date.parse(version.released_at);
        const i = data.times.findIndex((time) => time + cell > at);
        if (i < 2) {
          return;
        }
        const earlier = meanOf(data.refused.slice(Math.max(0, i - near), i).filter((value) => value !== null));
        const later = meanOf(data.refused.slice(i + 1, i + 1 + near).filter((value) => value !== null));
        const factor = later / Math.max(earlier, 0.05);
        if (later - earlier >= 0.5 && factor >= 1.5 && data.rate >= 1.3 * earlier && (!found || factor > found.factor)) {
          found = { version, factor };
        }
      });
      return found;
    });

    const isQuiet = computed(() => {
      const data = figures.data.value;
      return data && sums.data.value && sums.data.value.current.length === 0 && [data.current, data.hourAgo, data.dayAgo].every((series) => !series || series.points.length === 0)
        && !(seconds.beat.value > 0 && (seconds.moment()?.allowed ?? 0) > 0);
    });

    // 2. Health.
    const health = fleet ? useData(async () => {
      const [status, nodes, alerts] = await Promise.all([get('/api/status'), get('/api/nodes'), get('/api/alerts')]);
      const latest = await getNewest('latency', '/api/series', { step: 'minute', from: iso(Math.floor(Date.now() / MINUTE) * MINUTE - 5 * MINUTE) });
      return { status, nodes, alerts: alerts.filter((alert) => alert.state === 'firing' && !alert.silenced), timing: latest.points.filter((point) => point.p99_us !== undefined).at(-1) };
    }, { every: 10_000, on: ['nodes', 'alerts', 'releases'] }) : null;

    // 3. Callers.
    const top = useData(() => get('/api/top', { rule: rule.value, last: chosen.value, limit: 10 }), { every: 20_000, watch: scope });

    // 4. Changes.
    const changes = useData(async () => {
      const [versions, switches, history] = await Promise.all([get('/api/versions', { limit: 20 }), get('/api/switch', { limit: 20 }),
        rule.value ? get(`/api/rules/${encodeURIComponent(rule.value)}/history`).catch(() => null) : null]);
      const active = switches.filter((each) => each.active && (!rule.value || each.rule === '*' || each.rule === rule.value));
      if (history && history.steps.length > 0) {
        return { versions, switches: active, shown: history.steps.slice(0, SHOWN).map((step) => ({ ...step.version, sentences: step.sentences })) };
      }
      // Somebody of a tenant sees what releases changed of the tenant's rules, and nothing of the others.
      const some = versions.slice(0, fleet ? SHOWN : LOOKED_AT);
      const diffs = await Promise.all(some.map((version) => (version.number > 1
        ? get(`/api/versions/${before(versions, version)}/diff`, { to: version.number }).catch(() => null) : null)));
      const shown = some.map((version, i) => ({ ...version, sentences: diffs[i]?.sentences ?? [] })).filter((version) => fleet || version.title || version.sentences.length > 0);
      return { versions, switches: active, shown: shown.slice(0, SHOWN) };
    }, { every: 60_000, on: ['releases'], watch: () => rule.value });

    const after = async (done) => {
      if (await done) {
        changes.reload();
      }
    };

    const chooseRule = (id) => setQuery({ rule: id === rule.value ? '' : id, caller: '' }, { step: true });

    function actions() {
      return html`
        ${rule.value && html`<span class="chip" id="only-rule">${t('onlyRule', { rule: rule.value })}
          <button type="button" class="quiet" aria-label=${t('allRules')} title=${t('allRules')} onClick=${() => chooseRule('')}>×</button></span>
          <a class="button secondary" href=${`/rules/${encodeURIComponent(rule.value)}`}>${t('openRule')}</a>`}
        ${choice({ id: 'span', label: t('span'), value: chosen.value, options: Object.entries(PLANS).map(([value, each]) => ({ value, label: t(each.label) })),
          onChange: (value) => setQuery({ last: value === usual.value ? '' : value }) })}
        ${(canEverywhere('operate') || (can('operate') && rule.value)) && html`<button type="button" class="outline-danger" id="emergency"
          onClick=${() => after(switchToShadow(rule.value, canEverywhere('operate')))}>${t('emergency')}</button>`}`;
    }

    function comparison(id, label, value, then) {
      return then === null ? null : figure({ id, label, value: perSecond(then), note: html`<span class=${`change ${changeKind(value, then)}`}>${then === 0 && value === 0 ? t('same') : then === 0 ? t('noneThen') : changeText(value, then)}</span>` });
    }

    function refusals() {
      const data = drawn.value;
      const series = [{ label: t('refused'), values: data?.refused ?? [], color: 'refused', fill: 'refused-soft', format: perSecond }];
      if (data?.hourAgo?.some((value) => value > 0)) {
        series.push({ label: t('hourAgoLine'), values: data.hourAgo, color: 'past', dash: true, format: perSecond });
      }
      if (data?.dayAgo?.some((value) => value > 0)) {
        series.push({ label: t('dayAgoLine'), values: data.dayAgo, color: 'info', dash: true, format: perSecond });
      }
      const marks = marksOf(changes.data.value?.versions ?? [], plan.value.span);
      return panel({ id: 'refusals' }, html`
        <div class="now-figures">
          <div class="figures">
            ${figure({ id: 'refused-now', label: t('refusedNow'), kind: 'refused', value: data ? perSecond(data.rate) : '–',
              note: data ? t('ofAll', { share: percent(data.all > 0 ? data.rate / data.all : 0), rate: perSecond(data.all) }) : '' })}
            ${data && comparison('hour-ago', t('hourAgo'), data.rate, data.hourThen)}
            ${data && comparison('day-ago', t('dayAgo'), data.rate, data.dayThen)}
            ${culprit.value && figure({ id: 'culprit', label: t('roseAfter'), value: html`<a href=${`/releases/${culprit.value.version.rollout}`}>v${culprit.value.version.number}</a>`,
              note: html`<span class="change up">× ${culprit.value.factor.toFixed(culprit.value.factor < 10 ? 1 : 0)}</span> ${timeAgo(culprit.value.version.released_at)}` })}
          </div>
          <div class="now-legend">${legend(series)}
            ${data && !data.complete && html`<span class="soft small">${t('incomplete')}</span>`}
            ${data && data.own.length > 0 && html`<span class="soft small">${data.own.length > OWN_RULES ? t('sumOf', { count: OWN_RULES }) : t('sumOfAll')}</span>`}</div>
        </div>
        ${data ? chart({ times: data.times, series, marks, height: low.value ? 132 : 176, label: t('chartLabel') }) : html`<div class="chart-place"></div>`}`);
    }

    function topRules() {
      const data = sums.data.value;
      const rows = (data?.current ?? []).filter((each) => each.refused > 0);
      const all = rows.reduce((sum, each) => sum + each.refused, 0);
      const shown = rows.slice(0, low.value ? 5 : 6);
      const own = rule.value && rows.find((each) => each.rule === rule.value);
      if (own && !shown.includes(own)) {
        shown.splice(-1, 1, own);
      }
      return panel({ id: 'top-rules', title: t('topRules'), tight: true, note: data ? t(data.back === DAY ? 'againstDay' : 'against') : '' },
        data && rows.length === 0 ? html`<p class="soft pad">${t('noRefusals')}</p>`
          : html`<ol class="rule-list">${shown.map((each) => {
            // The newest minute is not over, so counts of the two spans cannot be compared, but rates can.
            const rate = each.refused / data.seconds;
            const earlier = (data.before.get(each.rule)?.refused ?? 0) / data.secondsBefore;
            return html`<li key=${each.rule}><button type="button" class="rule-row" aria-pressed=${String(each.rule === rule.value)} data-rule=${each.rule} onClick=${() => chooseRule(each.rule)}>
              <span class="rule-name">${each.rule || t('noRule')}</span>
              <span class="end">${perSecond(rate)}</span>
              <span class="end soft">${percent(all > 0 ? each.refused / all : 0)}</span>
              <span class=${`end change ${changeKind(rate, earlier)}`}>${changeText(rate, earlier)}</span>
              <span class="rule-bar">${bar(all > 0 ? each.refused / all : 0, 'refused')}</span></button></li>`;
          })}</ol>`);
    }

    function healthLines({ status, nodes, alerts }) {
      const lines = [];
      const name = (node) => html`<a key=${node.id} href=${href('/nodes', { id: node.id })}>${node.name}</a>`;
      const names = (list) => html`${list.slice(0, 2).map((node, i) => [i > 0 ? ', ' : '', name(node)])}${list.length > 2 && html`<a href="/nodes"> +${list.length - 2}</a>`}`;
      const live = nodes.filter((node) => node.live);
      const degraded = live.filter((node) => node.breaker !== 'none' && node.mode !== 'remote');
      ['closed', 'open', 'local'].forEach((mode) => {
        const some = degraded.filter((node) => node.mode === mode);
        if (some.length > 0) {
          const since = some.map((node) => node.mode_since).filter(Boolean).sort()[0] ?? alerts.filter((alert) => alert.kind === 'degraded').map((alert) => alert.since).sort()[0];
          lines.push({ kind: 'bad', key: mode, text: html`${names(some)} ${t(some.length === 1 ? 'lineDegraded' : 'linesDegraded')}${since && html` <strong class="nowrap">${t('since', { span: span(now.value - Date.parse(since)) })}</strong>`}: ${consequence(mode, some)}` });
        }
      });
      const broken = live.filter((node) => node.breaker === 'open' || node.breaker === 'half_open').filter((node) => !degraded.includes(node));
      if (broken.length > 0) {
        lines.push({ kind: 'warn', key: 'breaker', text: html`${t('lineBreaker')} ${names(broken)}` });
      }
      const refused = live.filter((node) => node.refused);
      if (refused.length > 0) {
        lines.push({ kind: 'bad', key: 'refused', text: html`${names(refused)} ${t('lineRefused')} <a href="/releases">v${refused[0].refused.version}</a>: <span class="soft" title=${refused[0].refused.errors?.[0]}>${refused[0].refused.errors?.[0] ?? ''}</span>` });
      }
      const covered = new Set([...(degraded.length + broken.length > 0 ? ['degraded', 'breaker_open'] : []), ...(refused.length > 0 ? ['release_not_acknowledged'] : [])]);
      alerts.filter((alert) => !covered.has(alert.kind)).sort((a, b) => rank(a) - rank(b)).forEach((alert) => lines.push({
        kind: alert.severity === 'critical' ? 'bad' : alert.severity === 'warning' ? 'warn' : 'info', key: `alert-${alert.id}`, tag: t(alert.severity),
        text: html`<a href=${linkOf(alert)}>${language.value === 'zh' ? alert.summary_zh ?? alert.summary : alert.summary}</a> <span class="soft nowrap">${timeAgo(alert.since)}</span>` }));
      status.problems.forEach((problem) => lines.push({ kind: 'warn', key: problem, tag: t('problem'), text: problem }));
      return { lines, live, degraded };
    }

    /** What happens to requests while nodes do without their store: by the policies of their rules, if they tell them. */
    function consequence(mode, nodes) {
      const known = nodes.map((node) => node.on_failure).find(Boolean);
      const list = known ? [['closed', 'policyClosed'], ['open', 'policyOpen'], ['local', 'policyLocal']].filter(([key]) => known[key] > 0).map(([key, text]) => t(text, { n: known[key] })) : [];
      return list.length > 0 ? t('policies', { list: list.join(t('comma')) }) : t(mode);
    }

    function timings({ nodes, timing }) {
      const stores = nodes.filter((node) => node.live && node.store?.kind === 'redis' && node.store.p99_us !== null && node.store.p99_us !== undefined).map((node) => node.store);
      const parts = [];
      if (stores.length > 0) {
        const halves = stores.map((each) => each.p50_us).sort((a, b) => a - b);
        parts.push(html`<span key="store">${t('store')} <b>${t('latency', { p50: micros(halves[Math.floor(halves.length / 2)]), p99: micros(Math.max(...stores.map((each) => each.p99_us))) })}</b></span>`);
      }
      if (timing) {
        parts.push(html`<span key="decisions">${t('decisions')} <b>${t('latency', { p50: micros(timing.p50_us), p99: micros(timing.p99_us) })}</b></span>`);
      }
      return parts;
    }

    function healthPanel() {
      const data = health.data.value;
      if (!data) {
        return html`<section class="health" id="health" aria-label=${t('health')}>…</section>`;
      }
      const { lines, live } = healthLines(data);
      const worst = lines.some((line) => line.kind === 'bad') ? 'bad' : lines.some((line) => line.kind === 'warn') ? 'warn' : data.nodes.length === 0 ? 'info' : 'good';
      const shown = lines.slice(0, low.value ? 2 : 3);
      const facts = html`<span class="health-facts">
        ${data.nodes.length > 0 && html`<a href="/nodes">${t('nodesLive', { live: number(live.length), all: number(data.nodes.length) })}</a>`}
        ${live.length > 0 && live.every((node) => node.current) && html`<span>${t('oneVersion', { version: data.status.version })}</span>`}
        ${timings(data)}
        ${lines.length === 0 && html`<span>${t('noAlerts')}</span>`}
        ${lines.length > shown.length && html`<a id="more-health" href="/alerts">${t('more', { count: lines.length - shown.length })}</a>`}</span>`;
      return html`<section class=${`health ${worst}`} id="health" aria-label=${t('health')}>
        <div class="health-head">${dot(worst, html`<strong>${t(worst === 'good' ? 'healthy' : worst === 'info' ? (data.nodes.length === 0 ? 'noNodes' : 'healthy') : worst === 'bad' ? 'unwell' : 'mostlyWell')}</strong>`)}${facts}</div>
        ${shown.length > 0 && html`<ul class="health-lines">${shown.map((line) => html`<li key=${line.key}>${badge(line.tag ?? t(line.kind === 'bad' ? 'critical' : 'warning'), line.kind)}<span>${line.text}</span></li>`)}</ul>`}
      </section>`;
    }

    function callers() {
      const data = top.data.value;
      const rows = (data?.entries ?? []).slice(0, low.value ? 6 : 8);
      const most = Math.max(1, ...rows.map((each) => each.refused));
      const open = (row) => setQuery({ caller: row.hash });
      return panel({
        id: 'callers', title: t('callers'), tight: true, note: data && data.callers > 0 ? t('callerCount', { callers: number(data.callers), refused: number(data.refused) }) : '',
        actions: html`<a class="small" href=${href('/traffic', { rule: rule.value, last: chosen.value })}>${t('moreCallers')}</a>`,
      }, data && rows.length === 0 ? empty({ title: t('noCallers'), text: t('noCallersText') }) : table({
        id: 'caller-table', caption: t('callers'), rows, rowKey: (row) => `${row.hash} ${row.rule} ${row.limit}`, onRow: open, chosen: null,
        columns: [
          { name: 'caller', label: t('caller'), cell: (row) => html`<span><a href=${href('/', { ...route.query, caller: row.hash })} class="mono" data-hash=${row.hash}
            onClick=${(event) => { event.preventDefault(); open(row); }}>${row.caller}</a> <span class="soft small">${row.attributes}</span></span>` },
          { name: 'limit', label: t('limit'), cell: (row) => html`<span class="row-line tight-line"><span class="clip">${row.limit ?? row.rule ?? ''}</span>${!row.limit && row.rule && badge(t('denied'))}</span>` },
          { name: 'bar', label: '', className: 'bar-cell', cell: (row) => bar(row.refused / most, 'refused') },
          { name: 'count', label: t('count'), end: true, cell: (row) => atLeast(row.refused, row.error) },
        ],
      }));
    }

    /** The way back from a release: ends a trial that goes on, or releases the version before it again. */
    function wayBack(version, versions) {
      if (version.trial) {
        return version.number === versions[0].number && canEverywhere('operate') ? html`<button type="button" class="outline-danger small" id="end-trial"
          onClick=${() => after(endTrial(version.rollout))}>${t('endTrial')}</button>` : null;
      }
      const to = before(versions, version);
      const inForce = versions.find((each) => !each.trial)?.number;
      return version.number === inForce && to > 0 && canEverywhere('operate') ? html`<button type="button" class="outline-danger small" id="roll-back"
        onClick=${() => after(rollBack(inForce, to))}>${t('rollBack', { to })}</button>` : null;
    }

    function release(version, versions) {
      const most = low.value ? 1 : 2;
      const { sentences } = version;
      return html`<li key=${version.number} class="release" data-version=${version.number}>
        <div class="release-head"><a class="strong" href=${`/releases/${version.rollout}`}>v${version.number}</a>
          <span class="release-title" title=${version.title}>${version.title || (version.number === 1 ? t('initial') : '')}</span>
          ${version.trial && badge(t('trial'), 'info')}
          <span class="grow"></span>${wayBack(version, versions)}</div>
        <ul class="sentences">${sentences.slice(0, most).map((sentence) => html`<li key=${sentence} title=${changeWords(sentence)}>${changeWords(sentence)}</li>`)}
          ${sentences.length > most && html`<li><a href=${`/releases/${version.rollout}`}>${t('moreSentences', { count: sentences.length - most })}</a></li>`}</ul>
        <div class="soft small release-who" title=${version.reason}>${timeAgo(version.released_at)}${version.actor && ` · ${version.actor.replace(/^user:/, '')}`}${version.reason && ` · ${version.reason}`}</div></li>`;
    }

    function lastChanges() {
      const data = changes.data.value;
      return panel({ id: 'changes', title: t('changes'), tight: true, actions: html`<a class="small" href="/releases">${t('allReleases')}</a>` },
        data && data.shown.length === 0 && data.switches.length === 0 ? (fleet ? empty({ title: t('noReleases'), command: t('releaseCommand') }) : html`<p class="soft pad">${t('noOwnReleases')}</p>`) : html`
          ${(data?.switches ?? []).slice(0, 2).map((each) => html`<div class="switch-line" key=${each.id} role="status">${badge(t('shadow'), 'warn')}
            <span class="clip" title=${each.reason}><strong>${each.rule === '*' ? t('shadowAll') : t('shadowRule', { rule: each.rule })}</strong> ${t('untilWord')} <time datetime=${each.until}>${clock(each.until, { seconds: false })}</time> · ${each.actor.replace(/^user:/, '')} · ${each.reason}</span><span class="grow"></span>
            ${(each.rule === '*' ? canEverywhere('operate') : can('operate')) && html`<button type="button" class="secondary small" onClick=${() => after(endSwitch(each))}>${t('end')}</button>`}</div>`)}
          <ul class="releases">${(data?.shown ?? []).slice(0, low.value || data?.switches.length > 1 ? 2 : SHOWN).map((version) => release(version, data.versions))}</ul>`);
    }

    const close = () => setQuery({ caller: '' });

    return () => {
      const hash = route.query.caller;
      const entry = hash ? top.data.value?.entries.find((each) => each.hash === hash) : null;
      return html`
        <div class="now">
          ${head({ title: t('title'), actions: actions() })}
          <div class="grid">
            ${isQuiet.value ? html`<div class="span-12" key="quiet">${panel({ id: 'no-traffic' }, empty({ title: t('nothing'), text: t('nothingText'), command: './sluice start --demo' }))}</div>`
              : html`<div class="span-8" key="refusals">${refusals()}</div><div class="span-4" key="rules">${topRules()}</div>`}
            ${health && html`<div class="span-12" key="health">${healthPanel()}</div>`}
            ${!isQuiet.value && html`<div class="span-7" key="callers">${callers()}</div>`}
            <div class=${isQuiet.value ? 'span-12' : 'span-5'} key="changes">${lastChanges()}</div>
          </div>
          ${hash && drawer({ id: 'caller', title: t('callerTitle', { caller: entry?.caller ?? `#${hash.slice(0, 8)}` }), onClose: close },
            h(CallerDetails, { hash, entry, slim: true, key: hash }))}
        </div>`;
    };
  },
};

/** Returns the number of the version before another one, without those that were only tried. */
function before(versions, version) {
  return versions.find((each) => each.number < version.number && !each.trial)?.number ?? version.number - 1;
}

function rank(alert) {
  return ['critical', 'warning', 'info'].indexOf(alert.severity);
}

/** Returns the path of an alert's link; the console of another address may have made it. */
function linkOf(alert) {
  try {
    const url = new URL(alert.link, location.href);
    return url.pathname + url.search;
  } catch {
    return '/alerts';
  }
}
