// One release on its way to the nodes: who has it, who refuses it, and how a trial goes.
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { can, canEverywhere } from '/assets/console/me.js';
import { go, route } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { dot, empty, facts, figure, head, panel, table, timeAgo, timeAt } from '/assets/console/ui.js';
import { idOf } from '/assets/console/views.js';
import { words } from '/assets/console/words.js';
import { askRollback } from '/assets/views/release-dialogs.js';
import { ENDED, found, rolloutState, who } from '/assets/views/release-words.js';
import { rolloutActions } from '/assets/views/rollout-actions.js';
import { trialPanel, verdictPanel } from '/assets/views/trial.js';
import { sentences, sideBySide, tally } from '/assets/views/version-diff.js';

const t = words({
  en: {
    back: 'Releases', title: 'Release', version: 'Version {n}', schedule: 'Scheduled release', unknown: 'This release does not exist', unknownText: 'It may touch rules that you do not see.',
    rollback: 'Roll back to version {n}', undo: 'Undo: back to version {n}',
    opened: 'The change was opened.', rolled: 'Version {n} is being released.',
    progress: 'Nodes', applied: 'applied', waiting: 'waiting', refused: 'refused', noNodes: 'No node follows this center', noNodesText: 'A node that reads its rules from here appears at once:',
    node: 'Node', state: 'State', runs: 'Runs', since: 'Since', says: 'What it says', hiddenNodes: 'The names of nodes are shown to those who see all rules.',
    about: 'About', change: 'Change', changeLink: '#{id} {title}', who: 'Released by', started: 'Started', ended: 'Ended', at: 'Planned for', reason: 'Reason', contentOf: 'Content of', rules: 'Rules', digest: 'Digest',
    successor: 'Ended by', successorLink: 'release {id}', problem: 'It was refused when its time came', what: 'What changed', against: 'against version {n}', caption: 'What each node says about this version',
  },
  zh: {
    back: '发布', title: '发布', version: '版本 {n}', schedule: '定时发布', unknown: '没有这个发布', unknownText: '它可能涉及您看不到的规则。',
    rollback: '回滚到版本 {n}', undo: '撤销：回到版本 {n}',
    opened: '变更已创建。', rolled: '正在发布版本 {n}。',
    progress: '节点', applied: '已采用', waiting: '等待中', refused: '已拒绝', noNodes: '没有节点跟随此中心', noNodesText: '从这里读取规则的节点会立即显示：',
    node: '节点', state: '状态', runs: '运行版本', since: '时间', says: '节点的说明', hiddenNodes: '只有能看到全部规则的人才能看到节点名称。',
    about: '概况', change: '变更', changeLink: '#{id} {title}', who: '发布人', started: '开始', ended: '结束', at: '计划时间', reason: '原因', contentOf: '内容同', rules: '规则数', digest: '摘要',
    successor: '结束于', successorLink: '发布 {id}', problem: '到时未能通过检查', what: '变化内容', against: '对比版本 {n}', caption: '各节点对此版本的答复',
  },
});

const NODE_KINDS = { applied: 'good', waiting: 'warn', refused: 'bad' };
const ORDER = { refused: 0, waiting: 1, applied: 2 };

/** Lists are cheap, so the names of a version and a change are read from them. */
async function load(id) {
  const rollout = await found(get(`/api/rollouts/${id}`));
  if (!rollout) {
    return { rollout };
  }
  const [versions, changes] = await Promise.all([
    rollout.version > 0 ? get('/api/versions', { below: rollout.version + 1, limit: 10 }) : [],
    rollout.change ? get('/api/changes', { below: rollout.change + 1, limit: 1 }) : [],
  ]);
  return {
    rollout,
    version: versions.find((version) => version.number === rollout.version) ?? null,
    change: changes.find((change) => change.id === rollout.change) ?? null,
    before: rollout.trial?.replaces ?? versions.find((version) => version.number < rollout.version && !version.trial)?.number ?? null,
  };
}

export default {
  setup() {
    const id = idOf(route.path);
    const loaded = useData(() => load(id), { every: 5000, on: ['releases', 'nodes'] });
    const status = can('see_fleet') ? useData(() => get('/api/status'), { every: 15_000, on: ['releases'] }) : null;
    // The difference never changes, so it is read once.
    let known = null;
    const diff = useData(async () => {
      const { version, before } = loaded.data.value ?? {};
      if (version && before && known?.to !== version.number) {
        known = await get(`/api/versions/${before}/diff`, { to: version.number });
      }
      return known ?? {};
    }, { watch: () => `${loaded.data.value?.version?.number} ${loaded.data.value?.before}`, keep: true, fixed: true });

    function reload() {
      loaded.reload();
      status?.reload();
    }

    async function rollBack(to, inForce) {
      const answer = await askRollback(to, inForce);
      if (answer?.edits) {
        toast(t('opened'));
        go(`/changes/${answer.id}`);
      } else if (answer?.id) {
        toast(t('rolled', { n: answer.version }));
        go(`/releases/${answer.id}`);
      }
    }

    function actions({ rollout, version, before }) {
      const n = rollout.version;
      if (!ENDED.has(rollout.state) && rollout.state !== 'releasing') {
        return rolloutActions(rollout, reload);
      }
      const current = status?.data.value?.version;
      if (!version || version.trial || !current || !(canEverywhere('operate') || canEverywhere('edit'))) {
        return null;
      }
      if (current > n) {
        return html`<button type="button" class="secondary" id="roll-back" onClick=${() => rollBack(n, current)}>${t('rollback', { n })}</button>`;
      }
      return before && current === n && html`<button type="button" class="outline-danger" id="roll-back" onClick=${() => rollBack(before, current)}>${t('undo', { n: before })}</button>`;
    }

    function nodes(rollout) {
      const all = rollout.applied + rollout.waiting + rollout.refused;
      const rows = [...rollout.nodes].sort((a, b) => ORDER[a.state] - ORDER[b.state] || a.name.localeCompare(b.name));
      return panel({ id: 'nodes', title: t('progress'), tight: true }, all === 0
        ? empty({ title: t('noNodes'), text: t('noNodesText'), command: `./sluice node --center ${location.origin} --center-token-file node-token` })
        : html`<div class="figures padded">${['applied', 'waiting', 'refused'].map((state) => figure({
            id: `count-${state}`, label: t(state), value: rollout[state], kind: rollout[state] > 0 ? { applied: 'good', refused: 'bad' }[state] ?? '' : '' }))}</div>
          ${rows.length === 0 ? html`<p class="soft padded">${t('hiddenNodes')}</p>` : table({
            id: 'node-answers', caption: t('caption'), rows, rowKey: (row) => row.id, columns: [
              { name: 'node', label: t('node'), cell: (row) => html`<span class="strong" title=${row.id}>${row.name}</span>` },
              { name: 'state', label: t('state'), cell: (row) => dot(NODE_KINDS[row.state], t(row.state)) },
              { name: 'runs', label: t('runs'), end: true, cell: (row) => row.version || '–' },
              { name: 'since', label: t('since'), end: true, className: 'nowrap', cell: (row) => timeAgo(row.since) },
              { name: 'says', label: t('says'), wide: true, cell: (row) => (row.errors.length === 0 ? html`<span class="soft absent">–</span>`
                : html`<ul class="bare-list">${row.errors.slice(0, 20).map((error, i) => html`<li key=${i} class="bad-text mono">${error}</li>`)}</ul>`) },
            ] })}`);
    }

    function about({ rollout, version, change }) {
      return panel({ id: 'about', title: t('about') }, facts([
        [t('state'), rolloutState(rollout.state)],
        [t('change'), rollout.change && html`<a href=${`/changes/${rollout.change}`}>${t('changeLink', { id: rollout.change, title: change?.title ?? '' })}</a>`],
        [t('who'), version?.actor && who(version.actor)],
        [t('reason'), version?.reason || change?.reason],
        [t('at'), rollout.at && timeAt(rollout.at)],
        [t('started'), rollout.state !== 'scheduled' && html`${timeAt(rollout.started_at)} <span class="soft">· ${timeAgo(rollout.started_at)}</span>`],
        [t('ended'), rollout.ended_at && timeAt(rollout.ended_at)],
        [t('contentOf'), version?.content_of && t('version', { n: version.content_of })],
        [t('successor'), rollout.successor && html`<a href=${`/releases/${rollout.successor}`}>${t('successorLink', { id: rollout.successor })}</a>`],
        [t('rules'), version?.rules],
        [t('digest'), rollout.digest && html`<code title=${rollout.digest}>${rollout.digest.slice(0, 12)}</code>`],
      ].map(([name, value]) => [name, value || null])));
    }

    return () => {
      const back = { href: '/releases', label: t('back') };
      if (loaded.data.value && !loaded.data.value.rollout) {
        return html`${head({ title: t('title'), back })}${panel({ id: 'unknown' }, empty({ title: t('unknown'), text: t('unknownText') }))}`;
      }
      const data = loaded.data.value;
      if (!data) {
        return head({ title: t('title'), back });
      }
      const { rollout, version, change } = data;
      const name = version?.title || change?.title || '';
      const changed = diff.data.value?.sentences ? diff.data.value : null;
      return html`
        ${head({
          title: html`${rollout.version > 0 ? t('version', { n: rollout.version }) : t('schedule')}${name && html`<span class="title-part">${name}</span>`} ${rolloutState(rollout.state)}`,
          back, actions: actions(data),
        })}
        <div class="grid">
          ${rollout.problem && html`<div class="span-12">${panel({ id: 'schedule-problem', title: t('problem'), kind: 'bad' }, html`<p>${rollout.problem}</p>`)}</div>`}
          <div class="span-8 stack">
            ${rollout.trial && rollout.trial.verdict !== undefined && (rollout.trial.compare.length > 0 || rollout.trial.verdict) && verdictPanel(rollout.trial)}
            ${rollout.state !== 'scheduled' && rollout.version > 0 && nodes(rollout)}
            ${changed && panel({ id: 'diff', title: t('what'), note: `${tally(changed.counts)} · ${t('against', { n: data.before })}` }, html`
              ${changed.sentences.length > 0 && sentences(changed.sentences)}${sideBySide(changed.text)}`)}
          </div>
          <div class="span-4 stack">
            ${rollout.trial && trialPanel(rollout)}
            ${about(data)}
          </div>
        </div>`;
    };
  },
};
