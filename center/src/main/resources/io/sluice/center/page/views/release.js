// One release on its way to the nodes: who has it, who refuses it, and how a trial goes.
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { ask } from '/assets/console/dialog.js';
import { can } from '/assets/console/me.js';
import { go, route } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { dot, empty, facts, figure, head, panel, table, timeAgo, timeAt } from '/assets/console/ui.js';
import { idOf } from '/assets/console/views.js';
import { words } from '/assets/console/words.js';
import { askRollback } from '/assets/views/release-dialogs.js';
import { ENDED, canEverywhere, rolloutState } from '/assets/views/release-words.js';
import { trialPanel, verdictPanel } from '/assets/views/trial.js';
import { sentences, sideBySide, tally } from '/assets/views/version-diff.js';

const t = words({
  en: {
    back: 'Releases', title: 'Release', version: 'Version {n}', schedule: 'Scheduled release', unknown: 'This release does not exist', unknownText: 'It may touch rules that you do not see.',
    promote: 'Promote to {share}', toAll: 'Promote to all', abort: 'End the trial', cancel: 'Cancel', automaticOn: 'Let the verdict act', automaticOff: 'Only show the verdict',
    rollback: 'Roll back to version {n}', undo: 'Undo: back to version {n}',
    promoteTitle: 'Promote the trial to {share}', promoteText: 'More callers get version {n}.', toAllTitle: 'Release version {n} to all', toAllText: 'Every caller gets it, and the trial ends.',
    abortTitle: 'End the trial of version {n}', abortText: 'The rules before it are released again at once, and the change is open again.',
    cancelTitle: 'Cancel the scheduled release', cancelText: 'The change stays open and can be released later.',
    onTitle: 'Let the verdict act', onText: 'From now on, a verdict promotes the trial or rolls it back by itself.',
    offTitle: 'Only show the verdict', offText: 'From now on, a person promotes or ends the trial.',
    promoted: 'The trial was promoted.', aborted: 'The trial was ended.', cancelled: 'The schedule was cancelled.', set: 'It was set.', opened: 'The change was opened.', rolled: 'Version {n} is being released.',
    progress: 'Nodes', applied: 'applied', waiting: 'waiting', refused: 'refused', noNodes: 'No node follows this center', noNodesText: 'A node that reads its rules from here appears at once:',
    node: 'Node', state: 'State', runs: 'Runs', since: 'Since', says: 'What it says', hiddenNodes: 'The names of nodes are shown to those who see all rules.',
    about: 'About', change: 'Change', changeLink: '#{id} {title}', who: 'Released by', started: 'Started', ended: 'Ended', at: 'Planned for', reason: 'Reason', contentOf: 'Content of', rules: 'Rules', digest: 'Digest',
    successor: 'Ended by', successorLink: 'release {id}', problem: 'It was refused when its time came', what: 'What changed', against: 'against version {n}', caption: 'What each node says about this version',
    next: 'the next step',
  },
  zh: {
    back: '发布', title: '发布', version: '版本 {n}', schedule: '定时发布', unknown: '没有这个发布', unknownText: '它可能涉及您看不到的规则。',
    promote: '推进到 {share}', toAll: '推进到全部', abort: '结束试用', cancel: '取消', automaticOn: '让判定自动执行', automaticOff: '仅显示判定',
    rollback: '回滚到版本 {n}', undo: '撤销：回到版本 {n}',
    promoteTitle: '将试用推进到 {share}', promoteText: '更多调用方将使用版本 {n}。', toAllTitle: '将版本 {n} 发布给全部', toAllText: '全部调用方将使用它，试用随之结束。',
    abortTitle: '结束版本 {n} 的试用', abortText: '之前的规则会立即重新发布，变更恢复为待处理。',
    cancelTitle: '取消定时发布', cancelText: '变更仍保持待处理，以后可以再发布。',
    onTitle: '让判定自动执行', onText: '此后，判定会自动推进或回滚试用。',
    offTitle: '仅显示判定', offText: '此后，由人来推进或结束试用。',
    promoted: '试用已推进。', aborted: '试用已结束。', cancelled: '定时发布已取消。', set: '已设置。', opened: '变更已创建。', rolled: '正在发布版本 {n}。',
    progress: '节点', applied: '已采用', waiting: '等待中', refused: '已拒绝', noNodes: '没有节点跟随此中心', noNodesText: '从这里读取规则的节点会立即显示：',
    node: '节点', state: '状态', runs: '运行版本', since: '时间', says: '节点的说明', hiddenNodes: '只有能看到全部规则的人才能看到节点名称。',
    about: '概况', change: '变更', changeLink: '#{id} {title}', who: '发布人', started: '开始', ended: '结束', at: '计划时间', reason: '原因', contentOf: '内容同', rules: '规则数', digest: '摘要',
    successor: '结束于', successorLink: '发布 {id}', problem: '到时未能通过检查', what: '变化内容', against: '对比版本 {n}', caption: '各节点对此版本的答复',
    next: '下一步',
  },
});

const NODE_KINDS = { applied: 'good', waiting: 'warn', refused: 'bad' };
const ORDER = { refused: 0, waiting: 1, applied: 2 };

/** Lists are cheap, so the names of a version and a change are read from them. */
async function load(id) {
  const rollout = await get(`/api/rollouts/${id}`);
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
    }, { watch: () => `${loaded.data.value?.version?.number} ${loaded.data.value?.before}` });

    async function perform(question, news) {
      const answer = await ask(question);
      if (answer) {
        toast(news);
        loaded.reload();
      }
    }

    const post = (verb, body) => ({ method: 'POST', path: `/api/rollouts/${id}/${verb}`, body });

    const promote = (n, share) => perform({
      title: t('promoteTitle', { share }), text: t('promoteText', { n }), action: t('promote', { share }), call: ({ reason }) => post('promote', { reason }),
    }, t('promoted'));
    const toAll = (n) => perform({
      title: t('toAllTitle', { n }), text: t('toAllText'), action: t('toAll'), call: ({ reason }) => post('promote', { to: 'all', reason }),
    }, t('promoted'));
    const abort = (n) => perform({
      title: t('abortTitle', { n }), text: t('abortText'), action: t('abort'), danger: true, call: ({ reason }) => post('abort', { reason }),
    }, t('aborted'));
    const cancel = () => perform({
      title: t('cancelTitle'), text: t('cancelText'), action: t('cancel'), danger: true, call: ({ reason }) => post('abort', { reason }),
    }, t('cancelled'));
    const setAutomatic = (automatic) => perform({
      title: t(automatic ? 'onTitle' : 'offTitle'), text: t(automatic ? 'onText' : 'offText'), action: t(automatic ? 'automaticOn' : 'automaticOff'),
      call: ({ reason }) => post('verdict', { automatic, reason }),
    }, t('set'));

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
      const { trial, state } = rollout;
      const n = rollout.version;
      if (state === 'scheduled') {
        return can('operate') && html`<button type="button" class="outline-danger" id="cancel" onClick=${cancel}>${t('cancel')}</button>`;
      }
      if (trial && (state === 'trial' || state === 'holding')) {
        const split = trial.scope === 'callers' || trial.scope === 'nodes';
        const next = split ? (trial.watching ? trial.steps[0] : trial.steps[trial.step + 1]) : undefined;
        return html`
          ${can('operate') && html`<button type="button" class="outline-danger" id="abort" onClick=${() => abort(n)}>${t('abort')}</button>`}
          ${can('release') && split && html`<button type="button" class="secondary" id="automatic"
            onClick=${() => setAutomatic(!trial.automatic)}>${t(trial.automatic ? 'automaticOff' : 'automaticOn')}</button>`}
          ${can('release') && html`<button type="button" class=${next ? 'secondary' : 'primary'} id="to-all" onClick=${() => toAll(n)}>${t('toAll')}</button>`}
          ${can('release') && next && html`<button type="button" class="primary" id="promote" onClick=${() => promote(n, `${next} %`)}>${t('promote', { share: `${next} %` })}</button>`}`;
      }
      const current = status?.data.value?.version;
      if (!version || version.trial || !current || !(canEverywhere('operate') || canEverywhere('edit'))) {
        return null;
      }
      if (current !== n) {
        return html`<button type="button" class="secondary" id="roll-back" onClick=${() => rollBack(n, current)}>${t('rollback', { n })}</button>`;
      }
      return before && html`<button type="button" class="outline-danger" id="roll-back" onClick=${() => rollBack(before, current)}>${t('undo', { n: before })}</button>`;
    }

    function nodes(rollout) {
      const all = rollout.applied + rollout.waiting + rollout.refused;
      const rows = [...rollout.nodes].sort((a, b) => ORDER[a.state] - ORDER[b.state] || a.name.localeCompare(b.name));
      return panel({ id: 'nodes', title: t('progress'), tight: true }, all === 0
        ? empty({ title: t('noNodes'), text: t('noNodesText'), command: './sluice node --center http://127.0.0.1:8083 --center-token-file node-token' })
        : html`<div class="figures padded">${['applied', 'waiting', 'refused'].map((state) => figure({
            id: `count-${state}`, label: t(state), value: rollout[state], kind: rollout[state] > 0 ? { applied: 'good', refused: 'bad' }[state] ?? '' : '' }))}</div>
          ${rows.length === 0 ? html`<p class="soft padded">${t('hiddenNodes')}</p>` : table({
            id: 'node-answers', caption: t('caption'), rows, rowKey: (row) => row.id, columns: [
              { name: 'node', label: t('node'), cell: (row) => html`<span class="strong" title=${row.id}>${row.name}</span>` },
              { name: 'state', label: t('state'), cell: (row) => dot(NODE_KINDS[row.state], t(row.state)) },
              { name: 'runs', label: t('runs'), end: true, cell: (row) => row.version || '–' },
              { name: 'since', label: t('since'), end: true, className: 'nowrap', cell: (row) => timeAgo(row.since) },
              { name: 'says', label: t('says'), wide: true, cell: (row) => (row.errors.length === 0 ? html`<span class="soft">–</span>`
                : html`<ul class="plain-list">${row.errors.slice(0, 20).map((error, i) => html`<li key=${i} class="bad-text mono">${error}</li>`)}</ul>`) },
            ] })}`);
    }

    function about({ rollout, version, change }) {
      return panel({ id: 'about', title: t('about') }, facts([
        [t('state'), rolloutState(rollout.state)],
        [t('change'), rollout.change && html`<a href=${`/changes/${rollout.change}`}>${t('changeLink', { id: rollout.change, title: change?.title ?? '' })}</a>`],
        [t('who'), version?.actor],
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
      if (loaded.status.value === 404 && !loaded.data.value) {
        return html`${head({ title: t('title'), back })}${panel({ id: 'unknown' }, empty({ title: t('unknown'), text: t('unknownText') }))}`;
      }
      const data = loaded.data.value;
      if (!data) {
        return head({ title: t('title'), back });
      }
      const { rollout, version, change } = data;
      const isRunning = !ENDED.has(rollout.state);
      const name = version?.title || change?.title || '';
      const changed = diff.data.value?.sentences ? diff.data.value : null;
      return html`
        ${head({
          title: html`${rollout.version > 0 ? t('version', { n: rollout.version }) : t('schedule')}${name && html`<span class="title-part">${name}</span>`} ${rolloutState(rollout.state)}`,
          back, actions: actions(data),
        })}
        <div class="grid">
          ${rollout.problem && html`<div class="span-12">${panel({ id: 'problem', title: t('problem'), kind: 'bad' }, html`<p>${rollout.problem}</p>`)}</div>`}
          <div class="span-8 stack">
            ${rollout.trial && rollout.trial.verdict !== undefined && (rollout.trial.compare.length > 0 || rollout.trial.verdict) && verdictPanel(rollout.trial)}
            ${rollout.state !== 'scheduled' && rollout.version > 0 && nodes(rollout)}
            ${changed && panel({ id: 'diff', title: t('what'), note: `${tally(changed.counts)} · ${t('against', { n: data.before })}` }, html`
              ${changed.sentences.length > 0 && sentences(changed.sentences)}${sideBySide(changed.text)}`)}
          </div>
          <div class="span-4 stack">
            ${rollout.trial && trialPanel(rollout.trial, isRunning)}
            ${about(data)}
          </div>
        </div>`;
    };
  },
};
