// Versions and rollouts, newest first: what is in force, what comes, and the way back.
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { ask } from '/assets/console/dialog.js';
import { can, canEverywhere } from '/assets/console/me.js';
import { go, href, route } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { badge, bar, empty, head, panel, table, timeAgo, timeAt } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { askRollback } from '/assets/views/release-dialogs.js';
import { rolloutState, scopeText, who } from '/assets/views/release-words.js';
import { cancelSchedule } from '/assets/views/rollout-actions.js';

const t = words({
  en: {
    title: 'Releases', lead: 'Each release is a numbered version that never changes. To go back, an old content is released again.',
    version: 'Version', what: 'What', who: 'Who', when: 'When', state: 'State', nodes: 'Nodes', inForce: 'in force', change: 'change {id}',
    back: 'Roll back to this', backTo: 'Roll back to version {n}', contentOf: 'content of version {n}', neverAll: 'never released to all',
    hidden: 'a release of other rules', caption: 'Released versions and rollouts, newest first', refusedNodes: '{n} refused', applied: '{applied} of {all}',
    planned: 'Schedules', plannedNote: 'Everything is checked again when the time comes.', cancel: 'Cancel',
    at: 'Time', show: 'Show',
    older: 'Older releases', newest: 'Newest releases', none: 'Nothing was released yet', noneText: 'The first release makes version 1:',
    drift: 'Redis differs from what was released', driftText: 'Something else wrote to these hashes. Nodes do not obey them; the snapshot counts.',
    repair: 'Write them again', repairText: 'The center writes the rules in force to the hashes of Redis again.', repaired: 'The mirror in Redis was written again.',
    redisBehind: 'Redis has version {redis}; version {version} is in force.',
    rolled: 'Version {n} is being released.', opened: 'The change was opened.',
  },
  zh: {
    title: '发布', lead: '每次发布都是一个编号版本，不再改变。要回退，就把旧内容重新发布。',
    version: '版本', what: '内容', who: '操作人', when: '时间', state: '状态', nodes: '节点', inForce: '当前生效', change: '变更 {id}',
    back: '回滚到此版本', backTo: '回滚到版本 {n}', contentOf: '内容同版本 {n}', neverAll: '从未面向全部发布',
    hidden: '其他规则的发布', caption: '已发布的版本与发布过程，最新的在前', refusedNodes: '{n} 个拒绝', applied: '{applied}/{all}',
    planned: '定时发布', plannedNote: '到时会重新进行全部检查。', cancel: '取消',
    at: '时间', show: '查看',
    older: '更早的发布', newest: '最新的发布', none: '尚未发布任何版本', noneText: '第一次发布生成版本 1：',
    drift: 'Redis 与已发布的内容不一致', driftText: '其他程序写入了这些哈希。节点以快照为准，不会采用它们。',
    repair: '重新写入', repairText: '中心会把当前规则重新写入 Redis 的哈希。', repaired: '已重新写入 Redis 镜像。',
    redisBehind: 'Redis 为版本 {redis}，当前生效的是版本 {version}。',
    rolled: '正在发布版本 {n}。', opened: '变更已创建。',
  },
});

const PAGE = 50;

/** Returns versions joined with their rollouts, schedules that wait, and rollouts that never became a version. */
async function load(below) {
  const versions = await get('/api/versions', { below, limit: PAGE });
  const first = versions[0];
  const rollouts = await get('/api/rollouts', { below: below && first ? first.rollout + 1 : '', limit: 2 * PAGE });
  const byId = new Map(rollouts.map((rollout) => [rollout.id, rollout]));
  const rows = versions.map((version) => ({ key: `v${version.number}`, order: version.rollout, version, rollout: byId.get(version.rollout) ?? null }));
  const oldest = versions.length === PAGE ? versions.at(-1).rollout : 0;
  rollouts.filter((rollout) => rollout.version === 0 && rollout.state !== 'scheduled' && rollout.id > oldest)
    .forEach((rollout) => rows.push({ key: `r${rollout.id}`, order: rollout.id, version: null, rollout }));
  rows.sort((a, b) => b.order - a.order);
  const planned = rollouts.filter((rollout) => rollout.state === 'scheduled');
  const titles = new Map((await Promise.all(planned.slice(0, 20).map((rollout) => get('/api/changes', { below: rollout.change + 1, limit: 1 }))))
    .flat().map((change) => [change.id, change.title]));
  return { rows, planned, titles, next: versions.length === PAGE ? versions.at(-1).number : null };
}

/** How many nodes have a version, with a bar. */
function nodesOf(rollout) {
  const all = rollout.applied + rollout.waiting + rollout.refused;
  if (all === 0) {
    return html`<span class="soft absent">–</span>`;
  }
  return html`<span class="progress"><span class="progress-text">${t('applied', { applied: rollout.applied, all })}
    ${rollout.refused > 0 && badge(t('refusedNodes', { n: rollout.refused }), 'bad')}</span>
    ${bar(rollout.applied / all, rollout.refused > 0 ? 'bad' : '')}</span>`;
}

export default {
  setup() {
    const loaded = useData(() => load(route.query.below), { every: 15_000, on: ['releases'], watch: () => route.query.below });
    const status = can('see_fleet') ? useData(() => get('/api/status'), { every: 15_000, on: ['releases'] }) : null;

    /** The version in force: the newest that is not or was not only on trial. */
    const inForce = (rows) => status?.data.value?.version ?? rows.find((row) => row.version && !row.version.trial)?.version.number;

    async function rollBack(number, current) {
      const answer = await askRollback(number, current);
      if (answer?.edits) {
        toast(t('opened'));
        go(`/changes/${answer.id}`);
      } else if (answer?.id) {
        toast(t('rolled', { n: answer.version }));
        go(`/releases/${answer.id}`);
      }
    }

    async function repair() {
      const answer = await ask({
        title: t('repair'), text: t('repairText'), action: t('repair'),
        call: ({ reason }) => ({ method: 'POST', path: '/api/mirror/repair', body: { reason } }),
      });
      if (answer) {
        toast(t('repaired'));
        status.reload();
      }
    }

    const columns = (current) => [
      { name: 'version', label: t('version'), className: 'nowrap', cell: (row) => (row.version
        ? html`<span class="version-name"><a class="strong" id=${`version-${row.version.number}`} href=${`/releases/${row.version.rollout}`}>${row.version.number}</a>
          ${row.version.number === current && badge(t('inForce'), 'good')}</span>` : html`<a href=${`/releases/${row.rollout.id}`}>${t('show')}</a>`) },
      { name: 'what', label: t('what'), wide: true, className: 'change-cell', cell: what },
      { name: 'who', label: t('who'), cell: (row) => who(row.version?.actor) },
      { name: 'when', label: t('when'), className: 'nowrap', cell: (row) => html`<span class="two-lines">${timeAgo(row.version?.released_at ?? row.rollout.started_at)}
        <span class="soft small">${timeAt(row.version?.released_at ?? row.rollout.started_at)}</span></span>` },
      { name: 'state', label: t('state'), cell: (row) => (row.rollout ? rolloutState(row.rollout.state) : html`<span class="soft absent">–</span>`) },
      { name: 'nodes', label: t('nodes'), cell: (row) => (row.rollout ? nodesOf(row.rollout) : html`<span class="soft absent">–</span>`) },
      { name: 'back', label: '', end: true, className: 'nowrap', cell: (row) => (row.version && row.version.number !== current && !row.version.trial && current
        && (canEverywhere('operate') || canEverywhere('edit'))
        ? html`<button type="button" class="small secondary" id=${`back-${row.version.number}`} aria-label=${t('backTo', { n: row.version.number })}
          onClick=${() => rollBack(row.version.number, current)}>${t('back')}</button>` : null) },
    ];

    function what(row) {
      const { version, rollout } = row;
      const change = version?.change ?? rollout?.change;
      return html`<span class="change-name">
        <span>${version ? version.title || html`<span class="soft">${version.content_of ? t('contentOf', { n: version.content_of }) : t('hidden')}</span>`
          : html`<span class="bad-text">${rollout.problem ?? ''}</span>`}</span>
        <span class="soft small">${[
          change && html`<a href=${`/changes/${change}`} key="change">${t('change', { id: change })}</a>`,
          version?.title && version.content_of && t('contentOf', { n: version.content_of }),
          rollout?.trial && (rollout.state === 'trial' || rollout.state === 'holding') ? scopeText(rollout.trial) : version?.trial && t('neverAll'),
          version?.reason,
        ].filter(Boolean).flatMap((each, i) => (i === 0 ? [each] : [' · ', each]))}</span></span>`;
    }

    function drift() {
      const redis = status?.data.value?.redis;
      if (!redis || redis.drift.length === 0) {
        return null;
      }
      return panel({ id: 'drift', title: t('drift'), kind: 'warn',
        actions: can('manage_center') && html`<button type="button" class="secondary" id="repair" onClick=${repair}>${t('repair')}</button>` }, html`
        <p class="soft">${t('driftText')}</p><ul class="bare-list">${redis.drift.slice(0, 20).map((each) => html`<li key=${each}><code>${each}</code></li>`)}</ul>`);
    }

    const planned = (list, titles) => panel({ id: 'planned', title: t('planned'), note: t('plannedNote'), tight: true }, table({
      caption: t('planned'), rows: list, rowKey: (row) => row.id, columns: [
        { name: 'change', label: t('what'), cell: (row) => html`<a href=${`/releases/${row.id}`}><span class="soft number">#${row.change}</span> ${titles.get(row.change) ?? ''}</a>` },
        { name: 'at', label: t('at'), cell: (row) => timeAt(row.at) },
        { name: 'to', label: t('state'), cell: (row) => html`${rolloutState(row.state)} ${row.trial && html`<span class="soft small">${scopeText(row.trial)}</span>`}` },
        { name: 'cancel', label: '', end: true, cell: (row) => (can('operate')
          ? html`<button type="button" class="small outline-danger" id=${`cancel-${row.id}`} onClick=${() => cancelSchedule(row, loaded.reload)}>${t('cancel')}</button>` : null) },
      ] }));

    return () => {
      const data = loaded.data.value;
      const current = data ? inForce(data.rows) : null;
      const redis = status?.data.value?.redis;
      return html`
        ${head({ title: t('title'), lead: t('lead') })}
        <div class="stack">
          ${redis && redis.version > 0 && current && redis.version !== current && html`<p class="message error">${t('redisBehind', { redis: redis.version, version: current })}</p>`}
          ${drift()}
          ${data?.planned.length > 0 && planned(data.planned, data.titles)}
          ${data && panel({ id: 'releases', tight: true }, data.rows.length === 0
            ? empty({ title: t('none'), text: t('noneText'), command: './sluice apply rules.yaml' })
            : table({ id: 'releases-table', caption: t('caption'), rows: data.rows, rowKey: (row) => row.key, columns: columns(current),
              onRow: (row) => go(`/releases/${row.version?.rollout ?? row.rollout.id}`) }))}
          ${data && (data.next || route.query.below) && html`<div class="pages">
            ${route.query.below && html`<a href="/releases">${t('newest')}</a>`}
            ${data.next && html`<a id="older" href=${href('/releases', { below: data.next })}>${t('older')}</a>`}</div>`}
        </div>`;
    };
  },
};
