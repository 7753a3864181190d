// All changes: those that wait first, and what waits for the person who looks.
import { ref, watch } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { can } from '/assets/console/me.js';
import { go, href, route } from '/assets/console/router.js';
import { badge, empty, head, panel, table, tabs, timeAgo } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { waiting } from '/assets/views/notices.js';
import { changeState, ruleLinks, who } from '/assets/views/release-words.js';

const t = words({
  en: {
    title: 'Changes', lead: 'A change is a proposal to edit rules. Nothing is in force before it is released.', fresh: 'New rule',
    all: 'All', open: 'Open', trial: 'On trial', released: 'Released', rejected: 'Rejected', withdrawn: 'Withdrawn', states: 'State',
    change: 'Change', rules: 'Rules', author: 'Author', changed: 'Changed', state: 'State', approval: 'Approval', version: 'Version',
    caption: 'Changes, open ones first', missing: '{given} of {needed} given', given: 'approved', notNeeded: 'not needed', collides: 'collides',
    older: 'Older changes', newest: 'Newest changes',
    none: 'No changes', noneText: 'A change appears here when somebody edits a rule, or applies a document:', noneState: 'No change has this state.',
  },
  zh: {
    title: '变更', lead: '变更是修改规则的提案，发布之前不会生效。', fresh: '新建规则',
    all: '全部', open: '待处理', trial: '试用中', released: '已发布', rejected: '已驳回', withdrawn: '已撤回', states: '状态',
    change: '变更', rules: '规则', author: '作者', changed: '修改时间', state: '状态', approval: '审批', version: '版本',
    caption: '变更，待处理的在前', missing: '已批准 {given}/{needed}', given: '已批准', notNeeded: '不需要', collides: '有冲突',
    older: '更早的变更', newest: '最新的变更',
    none: '没有变更', noneText: '有人编辑规则或应用规则文档后，变更会显示在这里：', noneState: '没有处于此状态的变更。',
  },
});

const STATES = ['open', 'trial', 'released', 'rejected', 'withdrawn'];
const PAGE = 50;
/** Approvals are read change by change, so only those of the first ones are shown here. */
const WITH_APPROVAL = 12;

/** Returns the changes to show, and the number below which there are more. */
async function load({ state, below }) {
  const isFirst = !STATES.includes(state) && !below;
  const [page, open, trial] = await Promise.all([
    get('/api/changes', { state: STATES.includes(state) ? state : '', below, limit: PAGE }),
    isFirst ? get('/api/changes', { state: 'open', limit: 200 }) : [],
    isFirst ? get('/api/changes', { state: 'trial', limit: 20 }) : [],
  ]);
  const first = [...trial, ...open];
  const known = new Set(first.map((change) => change.id));
  return { rows: [...first, ...page.filter((change) => !known.has(change.id))], next: page.length < PAGE ? null : page.at(-1).id };
}

export default {
  setup() {
    const changes = useData(() => load(route.query), { every: 30_000, on: ['releases'], watch: () => `${route.query.state} ${route.query.below}` });
    const notices = useData(() => get('/api/notices'), { every: 30_000, on: ['releases'] });
    const approvals = ref({});
    let turn = 0;
    watch(changes.data, async (list) => {
      const own = ++turn;
      for (const change of (list?.rows ?? []).filter((each) => each.state === 'open').slice(0, WITH_APPROVAL)) {
        try {
          const answer = await get(`/api/changes/${change.id}`);
          if (own !== turn) {
            return;
          }
          approvals.value = { ...approvals.value, [change.id]: answer };
        } catch {
          // The list stands without it; the change itself says what is wrong.
        }
      }
    });

    const approval = (change) => {
      const detail = approvals.value[change.id];
      if (change.state !== 'open' || !detail) {
        return html`<span class="soft absent">–</span>`;
      }
      if (detail.checks.collisions.length > 0) {
        return badge(t('collides'), 'bad');
      }
      if (!detail.approval.required) {
        return html`<span class="soft">${t('notNeeded')}</span>`;
      }
      const given = detail.approval.given.filter((each) => each.holds).length;
      return given >= detail.approval.needed ? badge(t('given'), 'good') : badge(t('missing', { given, needed: detail.approval.needed }), 'warn');
    };

    const columns = () => [
      { name: 'change', label: t('change'), wide: true, className: 'change-cell', cell: (row) => html`<span class="change-name">
        <a href=${`/changes/${row.id}`} id=${`change-${row.id}`}><span class="soft number">#${row.id}</span> ${row.title}</a>
        ${row.reason && html`<span class="soft small one-line">${row.reason}</span>`}</span>` },
      { name: 'rules', label: t('rules'), cell: (row) => ruleLinks(row.rules) },
      { name: 'author', label: t('author'), className: 'nowrap', cell: (row) => who(row.author) },
      { name: 'state', label: t('state'), cell: (row) => changeState(row.state) },
      { name: 'approval', label: t('approval'), cell: approval },
      { name: 'version', label: t('version'), end: true, cell: (row) => (row.version ?? html`<span class="soft absent">–</span>`) },
      { name: 'changed', label: t('changed'), end: true, className: 'nowrap', cell: (row) => timeAgo(row.changed_at) },
    ];

    const nothing = () => (route.query.state || route.query.below
      ? empty({ title: t('none'), text: t('noneState') })
      : empty({ title: t('none'), text: t('noneText'), command: './sluice apply rules.yaml',
        action: can('edit') && html`<a class="button secondary" href="/editor">${t('fresh')}</a>` }));

    return () => {
      const { rows, next } = changes.data.value ?? {};
      const state = STATES.includes(route.query.state) ? route.query.state : '';
      return html`
        ${head({ title: t('title'), lead: t('lead'), actions: can('edit') && html`<a class="button primary" id="new-rule" href="/editor">${t('fresh')}</a>` })}
        <div class="stack">
          ${waiting(notices.data.value)}
          <div>
            ${tabs(t('states'), [{ label: t('all'), href: '/changes', current: !state },
              ...STATES.map((each) => ({ label: t(each), href: href('/changes', { state: each }), current: state === each }))])}
            ${rows && panel({ id: 'changes', tight: true }, rows.length === 0 ? nothing()
              : table({ id: 'changes-table', caption: t('caption'), columns: columns(), rows, rowKey: (row) => row.id, onRow: (row) => go(`/changes/${row.id}`) }))}
            ${rows && (next || route.query.below) && html`<div class="pages">
              ${route.query.below && html`<a href=${href('/changes', { state })}>${t('newest')}</a>`}
              ${next && html`<a id="older" href=${href('/changes', { state, below: next })}>${t('older')}</a>`}</div>`}
          </div>
        </div>`;
    };
  },
};
