// The search over everything: views, rules, nodes, changes and callers. The key / opens it.
import { computed, nextTick, ref } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { call } from '/assets/api.js';
import { can } from '/assets/console/me.js';
import { go, href } from '/assets/console/router.js';
import { t as names, views } from '/assets/console/views.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: { label: 'Search', hint: 'Rules, nodes, changes, views, a request id…', view: 'View', rule: 'Rule', node: 'Node', change: 'Change',
    decision: 'Decisions with this request id', caller: 'Caller with this hash', none: 'Nothing has this name.' },
  zh: { label: '搜索', hint: '规则、节点、变更、页面、请求编号…', view: '页面', rule: '规则', node: '节点', change: '变更',
    decision: '具有此请求编号的决策', caller: '具有此哈希的调用方', none: '没有这个名称。' },
});

const MOST = 12;
const opened = ref(false);
const text = ref('');
const chosen = ref(0);
const place = ref(null);
const things = ref([]);
let opener = null;

/** Opens the search. What can be found is read anew. */
export async function openSearch() {
  opener = document.activeElement;
  opened.value = true;
  text.value = '';
  chosen.value = 0;
  nextTick(() => {
    place.value?.showModal();
    place.value?.querySelector('input')?.focus();
  });
  const quiet = (work) => work.catch(() => null);
  const [rules, nodes, changes] = await Promise.all([
    can('read') ? quiet(call('GET', '/api/rules')) : null,
    can('see_fleet') ? quiet(call('GET', '/api/nodes')) : null,
    can('read') ? quiet(call('GET', '/api/changes?limit=100')) : null,
  ]);
  things.value = [
    ...(rules?.rules ?? []).map((rule) => ({ kind: 'rule', name: rule.id, more: rule.name ?? '', href: `/rules/${encodeURIComponent(rule.id)}` })),
    ...(nodes ?? []).map((node) => ({ kind: 'node', name: node.name, more: node.id, href: href('/nodes', { id: node.id }) })),
    ...(changes?.changes ?? changes ?? []).map((change) => ({ kind: 'change', name: change.title, more: `#${change.id}`, href: `/changes/${change.id}` })),
  ];
}

function close() {
  place.value?.close();
  opened.value = false;
  if (opener?.isConnected) {
    opener.focus();
  }
}

const found = computed(() => {
  const wanted = text.value.trim().toLowerCase();
  const pages = views.filter((view) => view.group && (view.right === null || can(view.right)))
    .map((view) => ({ kind: 'view', name: names(view.name), more: `g ${view.key}`, href: view.path }));
  const score = (thing) => {
    const name = thing.name.toLowerCase();
    return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : thing.more.toLowerCase().includes(wanted) ? 2 : 3;
  };
  const hits = [...pages, ...things.value].map((thing) => ({ ...thing, score: score(thing) })).filter((thing) => thing.score < 3)
    .sort((a, b) => a.score - b.score).slice(0, MOST);
  if (/^[\w-]{43}$/.test(text.value.trim())) {
    hits.push({ kind: 'caller', name: text.value.trim(), more: '', href: `/callers/${text.value.trim()}` });
  } else if (wanted.length >= 8) {
    hits.push({ kind: 'decision', name: text.value.trim(), more: '', href: href('/decisions', { request_id: text.value.trim() }) });
  }
  return hits;
});

function follow(thing) {
  close();
  go(thing.href);
}

function keys(event) {
  const last = found.value.length - 1;
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    chosen.value = Math.max(0, Math.min(last, chosen.value + (event.key === 'ArrowDown' ? 1 : -1)));
  } else if (event.key === 'Enter' && found.value[chosen.value]) {
    event.preventDefault();
    follow(found.value[chosen.value]);
  }
}

export const searchPlace = {
  setup() {
    return () => (opened.value
      ? html`
        <dialog ref=${place} class="dialog search" aria-label=${t('label')} onCancel=${(event) => { event.preventDefault(); close(); }}
          onClick=${(event) => { if (event.target === place.value) { close(); } }}>
          <input id="search" type="text" role="combobox" aria-expanded="true" aria-controls="search-results" aria-label=${t('label')}
            aria-activedescendant=${found.value.length > 0 ? `search-${chosen.value}` : null} placeholder=${t('hint')} autocomplete="off"
            spellcheck="false" value=${text.value} onKeydown=${keys}
            onInput=${(event) => { text.value = event.target.value; chosen.value = 0; }} />
          <ul id="search-results" role="listbox" aria-label=${t('label')}>${found.value.map((thing, i) => html`
            <li key=${thing.kind + thing.href} id=${`search-${i}`} role="option" aria-selected=${String(i === chosen.value)}
              onClick=${() => follow(thing)} onMousemove=${() => { chosen.value = i; }}>
              <span class="tag plain">${t(thing.kind)}</span><span class="grow">${thing.name}</span><span class="soft small">${thing.more}</span></li>`)}
          </ul>
          ${text.value && found.value.length === 0 && html`<p class="soft" role="status">${t('none')}</p>`}
        </dialog>`
      : null);
  },
};
