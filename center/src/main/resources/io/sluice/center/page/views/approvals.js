// Approvals: their settings, proposals for others, and what was done without waiting.
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { ask } from '/assets/console/dialog.js';
import { can, canEverywhere } from '/assets/console/me.js';
import { href, route } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { badge, empty, facts, head, panel, timeAgo, timeAt } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { waiting } from '/assets/views/notices.js';
import { actorName, isMe } from '/assets/views/release-words.js';
import { sentences } from '/assets/views/version-diff.js';

const t = words({
  en: {
    title: 'Approvals', lead: 'Protected rules change only if a second person approves. In an emergency, one person acts and another reviews it.',
    settings: 'Settings', propose: 'Propose others…', proposeTitle: 'Propose other settings', proposeText: 'They are in force when an approver of all rules approves them.', proposeAction: 'Propose',
    approvals: 'Approvals needed', approvalsHint: '1 to 5 different persons; the author does not count.', expires: 'An approval holds for', expiresHint: '5m to 90d, such as 7d',
    emergency: 'An emergency holds for', emergencyHint: '5m to 24h, such as 4h', raise: 'Override without approval', raiseHint: 'How many times its number an override may allow of a protected limit: 1 to 10',
    persons: '{n} persons', person: '1 person', times: 'up to {n} times the limit',
    proposals: 'Proposals', noProposals: 'No proposal waits.', by: 'by {by}', approve: 'Approve', reject: 'Reject', accept: 'Accept',
    youProposed: 'You proposed it, so somebody else has to approve it.', approveTitle: 'Approve proposal {id}', approveText: 'The settings are in force at once.', comment: 'Comment (optional)',
    rejectTitle: 'Reject proposal {id}', rejectText: 'The proposal is closed without effect.', approved: 'The settings are in force, or wait for another person.', rejected: 'The proposal is closed.', proposed: 'The proposal waits for a second person.',
    emergencies: 'Emergencies', noEmergencies: 'Nothing was done without approval', noEmergenciesText: 'If protected rules harm and nobody can approve, a person can act at once. It appears here and ends by itself unless it is accepted.',
    release: 'Release of version {n}', rollback: 'Rollback to version {n}', switch: 'Switch {n} to shadow', override: 'Override {n}',
    waiting: 'waits for review', ended: 'ended', accepted: 'accepted', rejectedState: 'rejected', ends: 'It is undone at {at} unless it is accepted.',
    youDid: 'You did this, so somebody else has to review it.', closed: '{state} by {by}', undone: 'undone by version {n}', change: 'change {id}',
    acceptTitle: 'Accept emergency {id}', acceptText: 'What was done holds for good.', undoTitle: 'Reject emergency {id}', undoText: 'It is undone at once.', acceptedNews: 'The emergency was accepted.', rejectedNews: 'The emergency was undone.',
    older: 'Older emergencies', newest: 'Newest emergencies',
  },
  zh: {
    title: '审批', lead: '受保护的规则须由第二人批准才能修改。紧急情况下，一人可先行处理，由他人事后审阅。',
    settings: '设置', propose: '提议修改…', proposeTitle: '提议新的设置', proposeText: '由拥有全部规则审批权的人批准后生效。', proposeAction: '提议',
    approvals: '所需批准人数', approvalsHint: '1 至 5 名不同人员，作者不计。', expires: '批准有效期', expiresHint: '5m 至 90d，例如 7d',
    emergency: '紧急操作有效期', emergencyHint: '5m 至 24h，例如 4h', raise: '无需审批的放宽', raiseHint: '放宽受保护的限制时，最多可达其数值的几倍：1 至 10',
    persons: '{n} 人', person: '1 人', times: '最多为限制的 {n} 倍',
    proposals: '提议', noProposals: '没有待处理的提议。', by: '来自 {by}', approve: '批准', reject: '驳回', accept: '接受',
    youProposed: '这是您的提议，需要其他人批准。', approveTitle: '批准提议 {id}', approveText: '设置立即生效。', comment: '备注（可选）',
    rejectTitle: '驳回提议 {id}', rejectText: '提议将被关闭，不产生影响。', approved: '设置已生效，或仍待另一人批准。', rejected: '提议已关闭。', proposed: '提议正在等待第二人批准。',
    emergencies: '紧急操作', noEmergencies: '没有未经审批的操作', noEmergenciesText: '如果受保护的规则造成影响而无人能审批，可以先行处理。操作会显示在这里，若未被接受则自动撤销。',
    release: '发布版本 {n}', rollback: '回滚到版本 {n}', switch: '开关 {n}：切到影子模式', override: '放宽 {n}',
    waiting: '等待审阅', ended: '已结束', accepted: '已接受', rejectedState: '已驳回', ends: '若未被接受，将于 {at} 撤销。',
    youDid: '这是您的操作，需要其他人审阅。', closed: '{by} {state}', undone: '由版本 {n} 撤销', change: '变更 {id}',
    acceptTitle: '接受紧急操作 {id}', acceptText: '已做的操作将长期有效。', undoTitle: '驳回紧急操作 {id}', undoText: '操作会立即撤销。', acceptedNews: '紧急操作已接受。', rejectedNews: '紧急操作已撤销。',
    older: '更早的紧急操作', newest: '最新的紧急操作',
  },
});

const STATE_KINDS = { waiting: 'warn', ended: 'plain', accepted: 'good', rejected: 'bad' };
const PAGE = 50;

function persons(n) {
  return n === 1 ? t('person') : t('persons', { n });
}

/** The values of settings. Those that differ from the ones in force show both. */
function values(settings, inForce = null) {
  const both = (name, text) => (inForce && inForce[name] !== settings[name]
    ? html`<span class="soft">${text(inForce[name])} →</span> <span class="strong">${text(settings[name])}</span>` : inForce ? null : text(settings[name]));
  return facts([
    [t('approvals'), both('approvals', persons)],
    [t('expires'), both('expires', (span) => span)],
    [t('emergency'), both('emergency', (span) => span)],
    [t('raise'), both('raise', (n) => t('times', { n }))],
  ]);
}

export default {
  setup() {
    const settings = useData(() => get('/api/approval-settings'), { every: 15_000 });
    const notices = useData(() => get('/api/notices'), { every: 15_000, on: ['releases'] });
    const emergencies = canEverywhere('read')
      ? useData(() => get('/api/emergencies', { below: route.query.below, limit: PAGE }), { every: 15_000, on: ['releases'], watch: () => route.query.below }) : null;

    async function perform(question, news) {
      const answer = await ask(question);
      if (answer) {
        toast(news);
        settings.reload();
        notices.reload();
        emergencies?.reload();
      }
    }

    const propose = (now) => perform({
      title: t('proposeTitle'), text: t('proposeText'), action: t('proposeAction'), fields: [
        { name: 'approvals', label: t('approvals'), hint: t('approvalsHint'), type: 'number', min: 1, value: String(now.approvals) },
        { name: 'expires', label: t('expires'), hint: t('expiresHint'), value: now.expires },
        { name: 'emergency', label: t('emergency'), hint: t('emergencyHint'), value: now.emergency },
        { name: 'raise', label: t('raise'), hint: t('raiseHint'), type: 'number', min: 1, step: 'any', value: String(now.raise) },
      ],
      call: (form) => ({
        method: 'POST', path: '/api/approval-settings',
        body: { approvals: Number(form.approvals), expires: form.expires, emergency: form.emergency, raise: Number(form.raise), reason: form.reason },
      }),
    }, t('proposed'));
    const approve = (id) => perform({
      title: t('approveTitle', { id }), text: t('approveText'), action: t('approve'), reason: false, fields: [{ name: 'comment', label: t('comment'), required: false }],
      call: ({ comment }) => ({ method: 'POST', path: `/api/approval-settings/${id}/approve`, body: comment ? { comment } : {} }),
    }, t('approved'));
    const reject = (id) => perform({
      title: t('rejectTitle', { id }), text: t('rejectText'), action: t('reject'), danger: true,
      call: ({ reason }) => ({ method: 'POST', path: `/api/approval-settings/${id}/reject`, body: { reason } }),
    }, t('rejected'));
    const accept = (id) => perform({
      title: t('acceptTitle', { id }), text: t('acceptText'), action: t('accept'),
      call: ({ reason }) => ({ method: 'POST', path: `/api/emergencies/${id}/accept`, body: { reason } }),
    }, t('acceptedNews'));
    const undo = (id) => perform({
      title: t('undoTitle', { id }), text: t('undoText'), action: t('reject'), danger: true,
      call: ({ reason }) => ({ method: 'POST', path: `/api/emergencies/${id}/reject`, body: { reason } }),
    }, t('rejectedNews'));

    const proposal = (each, inForce) => html`
      <li key=${each.id} class="review">
        <div class="review-text">
          <div class="row-line"><span class="strong">#${each.id}</span> ${each.reason} <span class="soft small">${t('by', { by: actorName(each.author) })} · ${timeAgo(each.at)}</span></div>
          ${values(each, inForce)}
          ${isMe(each.author) && html`<p class="hint">${t('youProposed')}</p>`}
        </div>
        ${canEverywhere('approve') && html`<div class="actions">
          <button type="button" class="outline-danger" id=${`reject-proposal-${each.id}`} onClick=${() => reject(each.id)}>${t('reject')}</button>
          ${!isMe(each.author) && html`<button type="button" class="primary" id=${`approve-proposal-${each.id}`} onClick=${() => approve(each.id)}>${t('approve')}</button>`}
        </div>`}
      </li>`;

    const emergency = (each) => html`
      <li key=${each.id} class="review">
        <div class="review-text">
          <div class="row-line"><span class="strong">${t(each.kind, { n: each.subject })}</span>
            ${badge(t(each.state === 'rejected' ? 'rejectedState' : each.state), STATE_KINDS[each.state])}
            <span class="soft small">${t('by', { by: actorName(each.actor) })} · ${timeAgo(each.at)}</span>
            ${each.change && html`<a class="small" href=${`/changes/${each.change}`}>${t('change', { id: each.change })}</a>`}</div>
          <div>${each.reason}</div>
          ${each.why.length > 0 && sentences(each.why)}
          ${each.state === 'waiting' && html`<div class="soft small">${t('ends', { at: '\u0000' }).split('\u0000').flatMap((part, i) => (i === 0 ? [part] : [timeAt(each.ends_at), part]))}</div>`}
          ${each.closed_at && html`<div class="soft small">${each.closed_by
            ? t('closed', { state: t(each.state === 'rejected' ? 'rejectedState' : each.state), by: actorName(each.closed_by) }) : t('ended')} · ${timeAgo(each.closed_at)}
            ${each.close_reason && html` · ${each.close_reason}`}${each.undone_by && html` · ${t('undone', { n: each.undone_by })}`}</div>`}
          ${each.state === 'waiting' && isMe(each.actor) && html`<p class="hint">${t('youDid')}</p>`}
        </div>
        ${each.state === 'waiting' && can('approve') && !isMe(each.actor) && html`<div class="actions">
          <button type="button" class="outline-danger" id=${`reject-emergency-${each.id}`} onClick=${() => undo(each.id)}>${t('reject')}</button>
          <button type="button" class="primary" id=${`accept-emergency-${each.id}`} onClick=${() => accept(each.id)}>${t('accept')}</button></div>`}
      </li>`;

    return () => {
      const now = settings.data.value;
      const done = emergencies?.data.value;
      return html`
        ${head({ title: t('title'), lead: t('lead') })}
        <div class="stack">
          ${waiting(notices.data.value)}
          <div class="grid">
            <div class="span-5 stack">
              ${now && panel({ id: 'settings', title: t('settings'),
                actions: canEverywhere('manage_center') && html`<button type="button" class="secondary small" id="propose" onClick=${() => propose(now)}>${t('propose')}</button>` }, values(now))}
              ${now && canEverywhere('read') && panel({ id: 'proposals', title: t('proposals') }, now.proposals.length === 0 ? html`<p class="soft">${t('noProposals')}</p>`
                : html`<ul class="reviews">${now.proposals.map((each) => proposal(each, now))}</ul>`)}
            </div>
            <div class="span-7">${done && panel({ id: 'emergencies', title: t('emergencies') }, done.length === 0
              ? empty({ title: t('noEmergencies'), text: t('noEmergenciesText') })
              : html`<ul class="reviews">${done.map(emergency)}</ul>
                ${(done.length >= PAGE || route.query.below) && html`<div class="pages">
                  ${route.query.below && html`<a href="/approvals">${t('newest')}</a>`}
                  ${done.length >= PAGE && html`<a href=${href('/approvals', { below: done.at(-1).id })}>${t('older')}</a>`}</div>`}`)}</div>
          </div>
        </div>`;
    };
  },
};
