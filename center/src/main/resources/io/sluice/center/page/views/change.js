// One change: what it does, what the checks found, who approved it, and what can be done with it.
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { ask } from '/assets/console/dialog.js';
import { can } from '/assets/console/me.js';
import { go, route } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { badge, dot, empty, facts, head, panel, timeAgo, timeAt } from '/assets/console/ui.js';
import { idOf } from '/assets/console/views.js';
import { words } from '/assets/console/words.js';
import { askEmergencyRelease, askRelease } from '/assets/views/release-dialogs.js';
import { changeState, found, isMe, rolloutState, who } from '/assets/views/release-words.js';
import { isOnTrial, rolloutActions } from '/assets/views/rollout-actions.js';
import { trialPanel, verdictPanel } from '/assets/views/trial.js';
import { sentences, sideBySide, tally } from '/assets/views/version-diff.js';

const t = words({
  en: {
    back: 'Changes', title: 'Change', unknown: 'This change does not exist', unknownText: 'It may touch rules that you do not see.',
    edit: 'Edit', rebase: 'Move to version {n}', withdraw: 'Withdraw', reject: 'Reject', approve: 'Approve', release: 'Release…', emergency: 'Release without approval…',
    what: 'What changes', checks: 'Checks', approvals: 'Approvals', about: 'About', releases: 'Releases of this change',
    author: 'Author', opened: 'Opened', changed: 'Edited', base: 'Made on', version: 'version {n}', state: 'State', released: 'Released as',
    inForce: 'In force', digest: 'Digest',
    good: 'Nothing stands against a release.', waits: 'It waits for approval.', closed: 'It is closed.', tried: 'It is on trial.', done: 'It was released.',
    collision: '{rule} was changed by another release', theirs: 'They did', ours: 'This change does',
    collisionHint: 'Move the change to the version in force, then look at it again.', warning: 'warning', finding: 'finding', conflict: 'conflict', line: 'line {n}',
    trialOn: 'trial', trialOnText: 'Another trial goes on. Promote or end it before you release:', counts: 'Counts', noFindings: 'No collisions, warnings or findings.',
    notNeeded: 'No approval is needed.', needed: '{given} of {needed} given', because: 'Approval is needed because protected rules change:',
    youOpened: 'You opened this change, so somebody else has to approve it.', youApproved: 'You have approved it. Somebody else has to approve it, too.', noRight: 'A person with the role approver can approve it.', holds: 'holds until {at}', void: 'no longer holds',
    approveTitle: 'Approve change {id}', approveText: 'You approve exactly what you see here. An edit or another release ends the approval.', comment: 'Comment (optional)',
    rejectTitle: 'Reject change {id}', rejectText: 'The change is closed and cannot be released.', withdrawTitle: 'Withdraw change {id}',
    rebaseTitle: 'Move change {id} to version {n}', rebaseText: 'The edits are applied to the version in force. Approvals end.',
    approved: 'Change {id} is approved.', rejected: 'Change {id} is rejected.', withdrawn: 'Change {id} is withdrawn.', rebased: 'Change {id} is based on version {n} now.',
    release1: 'Release {id}', at: 'at {at}', emergencySpan: 'some hours',
  },
  zh: {
    back: '变更', title: '变更', unknown: '没有这个变更', unknownText: '它可能涉及您看不到的规则。',
    edit: '编辑', rebase: '移到版本 {n}', withdraw: '撤回', reject: '驳回', approve: '批准', release: '发布…', emergency: '未经审批发布…',
    what: '变更内容', checks: '检查', approvals: '审批', about: '概况', releases: '此变更的发布',
    author: '作者', opened: '创建', changed: '修改', base: '基于', version: '版本 {n}', state: '状态', released: '发布为',
    inForce: '当前生效', digest: '摘要',
    good: '可以发布。', waits: '正在等待审批。', closed: '变更已关闭。', tried: '正在试用。', done: '已经发布。',
    collision: '{rule} 已被另一次发布修改', theirs: '对方的修改', ours: '此变更的修改',
    collisionHint: '请先把变更移到当前版本，再重新审阅。', warning: '警告', finding: '提示', conflict: '冲突', line: '第 {n} 行',
    trialOn: '试用', trialOnText: '另一个试用正在进行，请先推进或结束它：', counts: '计数', noFindings: '没有冲突、警告或提示。',
    notNeeded: '不需要审批。', needed: '已批准 {given}/{needed}', because: '涉及受保护的规则，需要审批：',
    youOpened: '这个变更由您创建，需要其他人审批。', youApproved: '您已批准，还需要其他人批准。', noRight: '具有审批人角色的人员可以批准。', holds: '有效期至 {at}', void: '已失效',
    approveTitle: '批准变更 {id}', approveText: '您批准的正是此处显示的内容。编辑或其他发布会使批准失效。', comment: '备注（可选）',
    rejectTitle: '驳回变更 {id}', rejectText: '变更将被关闭，无法再发布。', withdrawTitle: '撤回变更 {id}',
    rebaseTitle: '将变更 {id} 移到版本 {n}', rebaseText: '修改会应用到当前版本，已有的批准随之失效。',
    approved: '变更 {id} 已批准。', rejected: '变更 {id} 已驳回。', withdrawn: '变更 {id} 已撤回。', rebased: '变更 {id} 现基于版本 {n}。',
    release1: '发布 {id}', at: '定于 {at}', emergencySpan: '数小时',
  },
});

function held(approval) {
  return approval.given.filter((each) => each.holds).length;
}

/** Whether the person who looks has approved a change, and the approval still holds. */
function haveApproved(approval) {
  return approval.given.some((each) => each.holds && isMe(each.by));
}

function about(change) {
  return panel({ id: 'about', title: t('about') }, facts([
    [t('state'), changeState(change.state)],
    [t('author'), who(change.author)],
    [t('opened'), timeAgo(change.opened_at)],
    [t('changed'), change.changed_at !== change.opened_at && timeAgo(change.changed_at)],
    [t('base'), t('version', { n: change.base })],
    [t('inForce'), change.state === 'open' && change.current !== change.base && t('version', { n: change.current })],
    [t('released'), change.version && t('version', { n: change.version })],
    [t('digest'), html`<code title=${change.digest}>${change.digest.slice(0, 12)}</code>`],
  ].map(([name, value]) => [name, value || null])));
}

function collisions(change) {
  return change.checks.collisions.map((collision) => html`
    <div class="finding bad" key=${`c-${collision.rule}`}>
      <div>${badge(t('conflict'), 'bad')} ${t('collision', { rule: collision.rule })}</div>
      <div class="collision"><div><div class="soft small">${t('theirs')}</div>${sentences(collision.theirs)}</div>
        <div><div class="soft small">${t('ours')}</div>${sentences(collision.ours)}</div></div>
      <p class="soft small">${t('collisionHint')}</p>
    </div>`);
}

function checks(change, other) {
  const { checks: found } = change;
  const isQuiet = found.collisions.length + found.warnings.length + found.findings.length === 0;
  const state = change.state !== 'open' ? html`<span class="soft">${t({ trial: 'tried', released: 'done' }[change.state] ?? 'closed')}</span>`
    : found.releasable ? dot('good', t('good')) : found.collisions.length > 0 ? null : dot('warn', t('waits'));
  return panel({ id: 'checks', title: t('checks') }, html`
    <div class="findings">
      ${state && html`<p id="checks-state">${state}</p>`}
      ${change.state === 'open' && other && html`<div class="finding">${badge(t('trialOn'), 'warn')}
        <span>${t('trialOnText')} <a href=${`/releases/${other.id}`}>${t('version', { n: other.version })}</a></span></div>`}
      ${collisions(change)}
      ${found.warnings.map((warning, i) => html`<div class="finding" key=${`w-${i}`}>${badge(t('warning'), 'warn')} ${warning.message}
        ${warning.line > 0 && html`<span class="soft small">${t('line', { n: warning.line })}</span>`}</div>`)}
      ${found.findings.map((finding, i) => html`<div class="finding" key=${`f-${i}`}>
        ${badge(t(finding.kind === 'conflict' ? 'conflict' : 'finding'), finding.kind === 'conflict' ? 'bad' : 'warn')}
        <a href=${`/rules/${encodeURIComponent(finding.rule)}`}><code>${finding.rule}</code></a> ${finding.sentence}</div>`)}
      ${isQuiet && html`<p class="soft">${t('noFindings')}</p>`}
      ${found.counts.length > 0 && html`<div><div class="soft small">${t('counts')}</div>${sentences(found.counts)}</div>`}
    </div>`);
}

function approvals(change, onEmergency) {
  const { approval } = change;
  const isOpen = change.state === 'open';
  const missing = approval.required && held(approval) < approval.needed;
  return panel({
    id: 'approvals', title: t('approvals'), kind: isOpen && missing ? 'warn' : '',
    actions: approval.required && badge(t('needed', { given: held(approval), needed: approval.needed }), missing ? 'warn' : 'good'),
  }, html`
    <div class="findings">
      ${!approval.required && approval.given.length === 0 && html`<p class="soft">${t('notNeeded')}</p>`}
      ${approval.required && html`<div><p class="soft">${t('because')}</p>${sentences(approval.why.flatMap((each) => each.split('; ')))}</div>`}
      ${approval.given.map((given) => html`
        <div class="approval" key=${`${given.by}-${given.at}`}>
          <div>${dot(given.holds ? 'good' : 'bad', html`<span class="strong">${who(given.by)}</span>`)} <span class="soft small">${timeAgo(given.at)}</span></div>
          ${given.comment && html`<div>${given.comment}</div>`}
          <div class="soft small">${given.holds ? html`${t('holds', { at: '' })}${timeAt(given.expires_at)}` : given.void_because ?? t('void')}</div>
        </div>`)}
      ${isOpen && missing && (isMe(change.author)
        ? html`<p class="hint" id="you-opened">${t('youOpened')}</p>`
        : haveApproved(approval) ? html`<p class="hint" id="you-approved">${t('youApproved')}</p>`
        : !can('approve') && html`<p class="hint">${t('noRight')}</p>`)}
      ${isOpen && missing && change.checks.collisions.length === 0 && can('release')
        && html`<div><button type="button" class="outline-danger small" id="emergency" onClick=${onEmergency}>${t('emergency')}</button></div>`}
    </div>`);
}

function releases(rollouts) {
  return panel({ id: 'rollouts', title: t('releases') }, html`<ul class="bare-list">${rollouts.map((rollout) => html`
    <li key=${rollout.id} class="row-line"><a href=${`/releases/${rollout.id}`}>${t('release1', { id: rollout.id })}</a> ${rolloutState(rollout.state)}
      <span class="soft small">${rollout.state === 'scheduled' ? html`${t('at', { at: '' })}${timeAt(rollout.at)}` : timeAgo(rollout.started_at)}</span>
      ${rollout.problem && html`<span class="bad-text small">${rollout.problem}</span>`}</li>`)}</ul>`);
}

export default {
  setup() {
    const id = Number(idOf(route.path)) || 0;
    const loaded = useData(async () => {
      const [change, rollouts] = await Promise.all([found(get(`/api/changes/${id}`)), get('/api/rollouts', { limit: 100 })]);
      return { change, rollouts: rollouts.filter((rollout) => rollout.change === id), other: rollouts.find((rollout) => rollout.change !== id && isOnTrial(rollout)) };
    }, { every: 15_000, on: ['releases'] });
    const settings = useData(() => get('/api/approval-settings'), { every: 60_000 });

    /** Does something, says so, and shows the change as it is now. */
    async function perform(question, news) {
      const answer = await ask(question);
      if (answer) {
        toast(news);
        loaded.reload();
      }
    }

    async function follow(question) {
      const rollout = await question;
      if (rollout?.id) {
        go(`/releases/${rollout.id}`);
      }
    }

    const post = (change, verb, body) => ({ method: 'POST', path: `/api/changes/${change.id}/${verb}`, body });

    const approve = (change) => perform({
      title: t('approveTitle', { id }), text: t('approveText'), action: t('approve'), reason: false,
      fields: [{ name: 'comment', label: t('comment'), required: false }],
      call: ({ comment }) => post(change, 'approve', { digest: change.digest, ...(comment ? { comment } : {}) }),
    }, t('approved', { id }));
    const reject = (change) => perform({
      title: t('rejectTitle', { id }), text: t('rejectText'), action: t('reject'), danger: true,
      call: ({ reason }) => post(change, 'reject', { reason }),
    }, t('rejected', { id }));
    const withdraw = (change) => perform({
      title: t('withdrawTitle', { id }), text: t('rejectText'), action: t('withdraw'), danger: true,
      call: ({ reason }) => post(change, 'withdraw', { reason }),
    }, t('withdrawn', { id }));
    const rebase = (change) => perform({
      title: t('rebaseTitle', { id, n: change.current }), text: t('rebaseText'), action: t('rebase', { n: change.current }), reason: false,
      call: () => post(change, 'rebase', { revision: change.revision }),
    }, t('rebased', { id, n: change.current }));

    function actions(change, trial) {
      if (change.state !== 'open') {
        return trial && rolloutActions(trial, loaded.reload);
      }
      const isMine = isMe(change.author);
      const missing = change.approval.required && held(change.approval) < change.approval.needed;
      const collides = change.checks.collisions.length > 0;
      return html`
        ${can('edit') && html`<a class="button secondary" id="edit" href=${`/editor?change=${id}`}>${t('edit')}</a>`}
        ${can('edit') && change.base !== change.current
          && html`<button type="button" class=${collides ? 'primary' : 'secondary'} id="rebase" onClick=${() => rebase(change)}>${t('rebase', { n: change.current })}</button>`}
        ${isMine && can('edit') && html`<button type="button" class="outline-danger" id="withdraw" onClick=${() => withdraw(change)}>${t('withdraw')}</button>`}
        ${!isMine && can('approve') && html`<button type="button" class="outline-danger" id="reject" onClick=${() => reject(change)}>${t('reject')}</button>`}
        ${missing && !isMine && can('approve') && !haveApproved(change.approval) && html`<button type="button" class="primary" id="approve" onClick=${() => approve(change)}>${t('approve')}</button>`}
        ${change.checks.releasable && can('release') && html`<button type="button" class="primary" id="release" onClick=${() => follow(askRelease(change))}>${t('release')}</button>`}`;
    }

    return () => {
      const back = { href: '/changes', label: t('back') };
      if (loaded.data.value && !loaded.data.value.change) {
        return html`${head({ title: t('title'), back })}${panel({ id: 'unknown' }, empty({ title: t('unknown'), text: t('unknownText') }))}`;
      }
      if (!loaded.data.value) {
        return head({ title: t('title'), back });
      }
      const { change, rollouts, other } = loaded.data.value;
      const trial = rollouts.find(isOnTrial);
      const collides = change.checks.collisions.length > 0;
      return html`
        ${head({ title: html`<span class="soft">#${change.id}</span> ${change.title} ${changeState(change.state)}`, lead: change.reason, back, actions: actions(change, trial) })}
        <div class="grid">
          <div class="span-8 stack">${panel({ id: 'diff', title: t('what'), note: tally(change.diff.counts) }, html`
            ${change.diff.sentences.length > 0 && sentences(change.diff.sentences)}
            ${sideBySide(change.diff.text)}`)}
            ${trial && verdictPanel(trial.trial)}</div>
          <div class="span-4 stack">
            ${trial && trialPanel(trial)}
            ${collides && checks(change, other)}
            ${approvals(change, () => follow(askEmergencyRelease(change, settings.data.value?.emergency ?? t('emergencySpan'))))}
            ${!collides && checks(change, other)}
            ${about(change)}
            ${rollouts.length > 0 && releases(rollouts)}
          </div>
        </div>`;
    };
  },
};
