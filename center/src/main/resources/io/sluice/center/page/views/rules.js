// All rules in force: what they limit, in which state they are, and how often they refuse.
import { computed, nextTick, ref, watch } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { language } from '/assets/texts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { ago, exact, moment, number, percent, perSecond } from '/assets/console/format.js';
import { can } from '/assets/console/me.js';
import { go, href, route, setQuery } from '/assets/console/router.js';
import { stateBadge, stateName, STATES, statesOf } from '/assets/console/rule-state.js';
import { ruleShort, scopeWords } from '/assets/console/rule-words.js';
import { bar, empty, filter, head, panel, table } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    title: 'Rules', lead: 'Version {version} · {count} rules in force', leadOne: 'Version {version} · 1 rule in force', add: 'New rule', search: 'Search', searchHint: 'Id, name, path, service, label…',
    state: 'State', any: 'All states', sort: 'Order', byName: 'By id', byRefused: 'Most refused', byAsked: 'Most asked', byHit: 'Last hit',
    rule: 'Rule', limits: 'What it limits', asked: 'Asked', askedHint: 'Requests per second, on average over the last hour', refused: 'Refused',
    lastHit: 'Last hit', none: 'No rule is in force.', noneText: 'Write the first one here, or apply a file.', noMatch: 'No rule matches.', clear: 'Show all rules',
    caption: 'Rules in force', would: 'would refuse {share}', found: '{n} of {all}', keys: '↑ ↓ choose, Enter opens',
  },
  zh: {
    title: '规则', lead: '版本 {version} · {count} 条规则生效', leadOne: '版本 {version} · 1 条规则生效', add: '新建规则', search: '搜索', searchHint: '编号、名称、路径、服务、标签…',
    state: '状态', any: '全部状态', sort: '排序', byName: '按编号', byRefused: '拒绝最多', byAsked: '请求最多', byHit: '最近命中',
    rule: '规则', limits: '限制内容', asked: '请求量', askedHint: '最近一小时平均每秒请求数', refused: '拒绝',
    lastHit: '最近命中', none: '没有生效的规则。', noneText: '在这里编写第一条，或者应用一个文件。', noMatch: '没有匹配的规则。', clear: '显示全部规则',
    caption: '生效的规则', would: '本会拒绝 {share}', found: '{all} 条中的 {n} 条', keys: '↑ ↓ 选择，Enter 打开',
  },
});

const HOUR_SECONDS = 3600;
const NOTHING = { allowed: 0, refused: 0, shadow_refused: 0 };

function searchText(rule) {
  const labels = Object.entries(rule.labels ?? {}).map(([name, value]) => `${name}:${value} ${name}=${value}`).join(' ');
  return [rule.id, rule.name, rule.service, rule.resource, rule.tenant, labels].filter(Boolean).join('\n').toLowerCase();
}

const said = new WeakMap();

/** Returns the words for a rule. They are made once, because all rows are drawn again when figures arrive. */
function wordsOf(rule) {
  const known = said.get(rule);
  if (known?.language === language.value) {
    return known;
  }
  const made = { language: language.value, short: ruleShort(rule), scope: scopeWords(rule) };
  said.set(rule, made);
  return made;
}

export default {
  setup() {
    const rules = useData(() => get('/api/rules'), { on: ['releases'], every: 60_000 });
    const sums = useData(async () => ({ ...await get('/api/series', { rule: '*', group: 'rule' }), at: Date.now() }), { every: 15_000 });
    const above = useData(async () => {
      const [switches, overrides, trials] = await Promise.all([
        get('/api/switch', { limit: 200 }), get('/api/overrides', { limit: 200 }), get('/api/changes', { state: 'trial' }),
      ]);
      return { switches, overrides, trials };
    }, { on: ['releases'], every: 30_000 });

    const chosen = ref(null);
    const texts = computed(() => new Map((rules.data.value?.rules ?? []).map((rule) => [rule.id, searchText(rule)])));
    const traffic = computed(() => new Map((sums.data.value?.rules ?? []).map((sum) => [sum.rule, sum])));
    const states = computed(() => {
      const of = statesOf(above.data.value ?? {});
      return new Map((rules.data.value?.rules ?? []).map((rule) => [rule.id, of(rule)]));
    });
    const counts = computed(() => {
      const found = new Map();
      states.value.forEach((all) => all.forEach((state) => found.set(state, (found.get(state) ?? 0) + 1)));
      return found;
    });
    const sumOf = (rule) => traffic.value.get(rule.id) ?? NOTHING;
    const hits = (rule) => sumOf(rule).allowed + sumOf(rule).refused;
    const lastAt = (rule) => sumOf(rule).last_at ?? '';

    const shown = computed(() => {
      const wanted = (route.query.q ?? '').trim().toLowerCase().split(/\s+/).filter(Boolean);
      const state = route.query.state ?? '';
      const list = (rules.data.value?.rules ?? []).filter((rule) => {
        const text = texts.value.get(rule.id);
        return wanted.every((word) => text.includes(word)) && (!state || states.value.get(rule.id).includes(state));
      });
      const order = {
        refused: (a, b) => sumOf(b).refused - sumOf(a).refused || hits(b) - hits(a),
        asked: (a, b) => hits(b) - hits(a),
        hit: (a, b) => (lastAt(a) < lastAt(b) ? 1 : lastAt(a) > lastAt(b) ? -1 : 0),
      }[route.query.sort];
      return order ? list.sort(order) : list.sort((a, b) => (a.id < b.id ? -1 : 1));
    });
    watch(() => [route.query.q, route.query.state, route.query.sort], () => { chosen.value = null; });

    const address = (rule) => `/rules/${encodeURIComponent(rule.id)}`;
    function keys(event) {
      const down = event.key === 'ArrowDown';
      if (event.target.closest('select, button') || event.altKey || event.ctrlKey || event.metaKey) {
        return;
      }
      if (down || event.key === 'ArrowUp') {
        event.preventDefault();
        const at = shown.value.findIndex((rule) => rule.id === chosen.value);
        const next = Math.max(0, Math.min(shown.value.length - 1, at + (down ? 1 : -1)));
        chosen.value = shown.value[next]?.id ?? null;
        nextTick(() => document.querySelector('#rules tr.chosen')?.scrollIntoView({ block: 'nearest' }));
      } else if (event.key === 'Enter' && chosen.value && !event.target.closest('a')) {
        event.preventDefault();
        go(address({ id: chosen.value }));
      }
    }

    const refusedCell = (rule) => {
      const sum = sumOf(rule);
      const all = hits(rule);
      if (all === 0) {
        return '–';
      }
      const share = sum.refused / all;
      return html`<div class="share-cell">${percent(share)}${bar(share, 'refused')}
        ${sum.shadow_refused > 0 && html`<span class="soft small">${t('would', { share: percent(Math.min(1, sum.shadow_refused / all)) })}</span>`}</div>`;
    };
    // As of the figures, and not of each second: that would draw all rows each second.
    const hitCell = (rule) => (lastAt(rule)
      ? html`<time datetime=${lastAt(rule)} title=${`${moment(lastAt(rule), { seconds: true })} · ${exact(lastAt(rule))}`}>${ago(lastAt(rule), sums.data.value.at)}</time>`
      : html`<span class="soft">${hits(rule) > 0 ? '< 1 h' : '–'}</span>`);
    const columns = () => [
      { name: 'rule', label: t('rule'), className: 'rules-id', cell: (rule) => html`<a href=${address(rule)} class="mono">${rule.id}</a>
        ${rule.name && html`<div class="soft small">${rule.name}</div>`}` },
      { name: 'state', label: t('state'), className: 'rules-states', cell: (rule) => html`<span class="rule-badges">${(states.value.get(rule.id) ?? []).map(stateBadge)}</span>` },
      { name: 'limits', label: t('limits'), wide: true, className: 'rules-limits', cell: (rule) => html`<div>${wordsOf(rule).short}</div><div class="soft small scope-line">${wordsOf(rule).scope}</div>` },
      { name: 'asked', label: t('asked'), end: true, cell: (rule) => html`<span title=${t('askedHint')} class="nowrap">${hits(rule) > 0 ? perSecond(hits(rule) / HOUR_SECONDS) : '–'}</span>` },
      { name: 'refused', label: t('refused'), end: true, className: 'share-column', cell: refusedCell },
      { name: 'hit', label: t('lastHit'), end: true, className: 'nowrap', cell: hitCell },
    ];

    const list = () => {
      const all = rules.data.value;
      if (all === null) {
        return null;
      }
      if (all.rules.length === 0) {
        return panel({ id: 'none' }, empty({ title: t('none'), text: t('noneText'), command: './sluice apply rules.yaml',
          action: can('edit') && html`<a class="button primary" href="/editor">${t('add')}</a>` }));
      }
      return html`
        <div class="filters">
          ${filter({ id: 'q', label: t('search'), value: route.query.q, placeholder: t('searchHint'), width: 'wide', onInput: (q) => setQuery({ q }) })}
          ${filter({ id: 'state', label: t('state'), value: route.query.state ?? '', onInput: (state) => setQuery({ state }),
            options: [{ value: '', label: t('any') }, ...STATES.filter((state) => counts.value.has(state) || state === route.query.state)
              .map((state) => ({ value: state, label: `${stateName(state)} (${number(counts.value.get(state) ?? 0)})` }))] })}
          ${filter({ id: 'sort', label: t('sort'), value: route.query.sort ?? '', onInput: (sort) => setQuery({ sort }),
            options: [['', 'byName'], ['refused', 'byRefused'], ['asked', 'byAsked'], ['hit', 'byHit']].map(([value, name]) => ({ value, label: t(name) })) })}
          <span class="soft small filter-note" role="status">${t('found', { n: number(shown.value.length), all: number(all.rules.length) })}<span class="wide-only"> · ${t('keys')}</span></span>
        </div>
        ${panel({ id: 'list', tight: true }, shown.value.length > 0
          ? table({ id: 'rules', caption: t('caption'), columns: columns(), rows: shown.value, rowKey: (rule) => rule.id, chosen: chosen.value, onRow: (rule) => go(address(rule)) })
          : empty({ title: t('noMatch'), action: html`<a href="/rules">${t('clear')}</a>` }))}`;
    };

    return () => {
      const all = rules.data.value;
      return html`<div class="rules-view" onKeydown=${keys}>
        ${head({ title: t('title'),
          lead: all && t(all.rules.length === 1 ? 'leadOne' : 'lead', { version: all.version, count: number(all.rules.length) }),
          actions: can('edit') && html`<a class="button primary" id="new-rule" href=${href('/editor')}>${t('add')}</a>` })}
        ${list()}</div>`;
    };
  },
};
