// What changes, releases and their states are called, and what a person may do about all rules.
import { html } from '/assets/parts.js';
import { me } from '/assets/console/me.js';
import { badge } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    open: 'open', trial: 'on trial', released: 'released', withdrawn: 'withdrawn', rejected: 'rejected',
    scheduled: 'scheduled', releasing: 'releasing', holding: 'on trial', done: 'complete', rolled_back: 'rolled back',
    superseded: 'replaced', failed: 'failed', cancelled: 'cancelled',
    promote: 'promote', roll_back: 'roll back', hold: 'wait',
    callers: '{share} of the callers', callersBy: '{share} of the callers, by {by}', nodes: '{share} of the nodes', named: '{by} {names}',
    candidate: 'counted beside, refuses nobody',
    refusals: 'Refused requests', errors: 'Errors behind the gateway', latency: 'Latency behind the gateway', degraded: 'Decided without the store',
    moreRules: '+{n}', noRules: 'no rule', token: 'token {id}', center: 'the center', nobody: 'nobody known', you: 'you',
  },
  zh: {
    open: '待处理', trial: '试用中', released: '已发布', withdrawn: '已撤回', rejected: '已驳回',
    scheduled: '已定时', releasing: '发布中', holding: '试用中', done: '已完成', rolled_back: '已回滚',
    superseded: '已被取代', failed: '失败', cancelled: '已取消',
    promote: '推进', roll_back: '回滚', hold: '等待',
    callers: '{share} 的调用方', callersBy: '{share} 的调用方，按 {by}', nodes: '{share} 的节点', named: '{by} {names}',
    candidate: '旁路计数，不拒绝',
    refusals: '被拒绝的请求', errors: '网关后的错误', latency: '网关后的延迟', degraded: '未经存储的决策',
    moreRules: '+{n}', noRules: '无规则', token: '令牌 {id}', center: '中心', nobody: '未知来源', you: '您',
  },
});

const CHANGE_KINDS = { open: 'info', trial: 'warn', released: 'good', withdrawn: 'plain', rejected: 'bad' };
const ROLLOUT_KINDS = {
  scheduled: 'info', releasing: 'info', trial: 'warn', holding: 'warn', done: 'good', rolled_back: 'bad', superseded: 'plain', failed: 'bad', cancelled: 'plain',
};
const VERDICT_KINDS = { promote: 'good', roll_back: 'bad', hold: 'warn' };
const SHOWN_RULES = 3;

/** States of rollouts that do not change any more. */
export const ENDED = new Set(['done', 'rolled_back', 'superseded', 'failed', 'cancelled']);

export function changeState(state) {
  return badge(t(state), CHANGE_KINDS[state]);
}

export function rolloutState(state) {
  return badge(t(state), ROLLOUT_KINDS[state]);
}

export function verdictBadge(verdict) {
  return badge(t(verdict), VERDICT_KINDS[verdict]);
}

export function measureName(measure) {
  return t(measure);
}

/** Returns who tries a version, in words. */
export function scopeText(trial) {
  const share = `${trial.share ?? trial.steps[0]} %`;
  switch (trial.scope) {
    case 'callers':
      return trial.by ? t('callersBy', { share, by: trial.by }) : t('callers', { share });
    case 'nodes':
      return t('nodes', { share });
    case 'named':
      return t('named', { by: trial.by ?? '', names: trial.named.map((name) => `${name}…`).join(', ') });
    default:
      return t('candidate');
  }
}

/** Returns whether an actor, such as user:ann, is the person who looks. */
export function isMe(actor) {
  return actor === `user:${me.value?.user}`;
}

/** Returns who did something, as a text: ann, token 3, the center, or nobody who is known. */
export function actorName(actor) {
  if (actor.startsWith('token:')) {
    return t('token', { id: actor.slice('token:'.length) });
  }
  return actor === 'center' || actor === 'nobody' ? t(actor) : actor.replace(/^user:/, '');
}

/** Who did something. The person who looks is marked. */
export function who(actor) {
  if (!actor) {
    return html`<span class="soft absent">–</span>`;
  }
  return isMe(actor) ? html`<span class="nowrap">${actorName(actor)} <span class="soft">(${t('you')})</span></span>` : actorName(actor);
}

/** The rules that a change touches, as links. */
export function ruleLinks(rules, most = SHOWN_RULES) {
  if (rules.length === 0) {
    return html`<span class="soft">${t('noRules')}</span>`;
  }
  return html`<span class="rule-links">${rules.slice(0, most).map((rule) => html`
    <a key=${rule} href=${`/rules/${encodeURIComponent(rule)}`}><code>${rule}</code></a>`)}${rules.length > most
    && html`<span class="soft" title=${rules.slice(most, 50).join(', ')}>${t('moreRules', { n: rules.length - most })}</span>`}</span>`;
}

/** Returns what a call answers, or null if there is no such thing. */
export async function found(answer) {
  try {
    return await answer;
  } catch (failure) {
    if (failure.status === 404 || failure.status === 400) {
      return null;
    }
    throw failure;
  }
}
