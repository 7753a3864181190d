// What a person may do with a release that is under way: promote a trial, end it, let its verdict act, cancel a schedule.
import { html } from '/assets/parts.js';
import { ask } from '/assets/console/dialog.js';
import { can } from '/assets/console/me.js';
import { toast } from '/assets/console/toast.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    promote: 'Promote to {share}', toAll: 'Promote to all', abort: 'End the trial', cancel: 'Cancel the schedule', automaticOn: 'Let the verdict act', automaticOff: 'Only show the verdict',
    promoteTitle: 'Promote the trial to {share}', promoteText: 'More callers get version {n}.', toAllTitle: 'Release version {n} to all', toAllText: 'Every caller gets it, and the trial ends.',
    abortTitle: 'End the trial of version {n}', abortText: 'The rules before it are released again at once, and the change is open again.',
    cancelTitle: 'Cancel the scheduled release', cancelText: 'The change stays open and can be released later.',
    onTitle: 'Let the verdict act', onText: 'From now on, a verdict promotes the trial or rolls it back by itself.',
    offTitle: 'Only show the verdict', offText: 'From now on, a person promotes or ends the trial.',
    promoted: 'The trial was promoted.', aborted: 'The trial was ended.', cancelled: 'The schedule was cancelled.',
    on: 'The verdict acts by itself now.', off: 'The verdict is only shown now.',
  },
  zh: {
    promote: '推进到 {share}', toAll: '推进到全部', abort: '结束试用', cancel: '取消定时', automaticOn: '让判定自动执行', automaticOff: '仅显示判定',
    promoteTitle: '将试用推进到 {share}', promoteText: '更多调用方将使用版本 {n}。', toAllTitle: '将版本 {n} 发布给全部', toAllText: '全部调用方将使用它，试用随之结束。',
    abortTitle: '结束版本 {n} 的试用', abortText: '之前的规则会立即重新发布，变更恢复为待处理。',
    cancelTitle: '取消定时发布', cancelText: '变更仍保持待处理，以后可以再发布。',
    onTitle: '让判定自动执行', onText: '此后，判定会自动推进或回滚试用。',
    offTitle: '仅显示判定', offText: '此后，由人来推进或结束试用。',
    promoted: '试用已推进。', aborted: '试用已结束。', cancelled: '定时发布已取消。',
    on: '判定现在会自动执行。', off: '判定现在仅显示。',
  },
});

export function isOnTrial(rollout) {
  return rollout.trial !== null && (rollout.state === 'trial' || rollout.state === 'holding');
}

async function perform(rollout, done, verb, { news, body = {}, ...question }) {
  const answer = await ask({
    ...question, call: ({ reason }) => ({ method: 'POST', path: `/api/rollouts/${rollout.id}/${verb}`, body: { ...body, reason } }),
  });
  if (answer) {
    toast(news);
    done(answer);
  }
}

/** Asks why, and cancels a schedule. */
export function cancelSchedule(rollout, done) {
  return perform(rollout, done, 'abort', { title: t('cancelTitle'), text: t('cancelText'), action: t('cancel'), danger: true, news: t('cancelled') });
}

/** The buttons for a release that is scheduled or on trial; nothing for others. */
export function rolloutActions(rollout, done) {
  if (rollout.state === 'scheduled') {
    return can('operate') ? html`<button type="button" class="outline-danger" id="cancel" onClick=${() => cancelSchedule(rollout, done)}>${t('cancel')}</button>` : null;
  }
  if (!isOnTrial(rollout)) {
    return null;
  }
  const { trial, version: n } = rollout;
  const isSplit = trial.scope === 'callers' || trial.scope === 'nodes';
  const next = isSplit ? trial.steps[trial.watching ? 0 : trial.step + 1] : undefined;
  const share = `${next} %`;
  const abort = () => perform(rollout, done, 'abort', { title: t('abortTitle', { n }), text: t('abortText'), action: t('abort'), danger: true, news: t('aborted') });
  const automatic = () => perform(rollout, done, 'verdict', trial.automatic
    ? { title: t('offTitle'), text: t('offText'), action: t('automaticOff'), body: { automatic: false }, news: t('off') }
    : { title: t('onTitle'), text: t('onText'), action: t('automaticOn'), body: { automatic: true }, news: t('on') });
  const toAll = () => perform(rollout, done, 'promote', { title: t('toAllTitle', { n }), text: t('toAllText'), action: t('toAll'), body: { to: 'all' }, news: t('promoted') });
  const promote = () => perform(rollout, done, 'promote', {
    title: t('promoteTitle', { share }), text: t('promoteText', { n }), action: t('promote', { share }), news: t('promoted') });
  return html`
    ${can('operate') && html`<button type="button" class="outline-danger" id="abort" onClick=${abort}>${t('abort')}</button>`}
    ${can('release') && isSplit && html`<button type="button" class="secondary" id="automatic" onClick=${automatic}>${t(trial.automatic ? 'automaticOff' : 'automaticOn')}</button>`}
    ${can('release') && html`<button type="button" class=${next ? 'secondary' : 'primary'} id="to-all" onClick=${toAll}>${t('toAll')}</button>`}
    ${can('release') && next && html`<button type="button" class="primary" id="promote" onClick=${promote}>${t('promote', { share })}</button>`}`;
}
