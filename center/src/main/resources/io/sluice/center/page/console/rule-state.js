// The state of a rule, from its content and from what lies on top of it.
import { badge } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    live: 'live', shadow: 'shadow', candidate: 'candidate', denies: 'denies', exempts: 'exempts', disabled: 'disabled', switched: 'switched to shadow',
    trial: 'on trial', overrides: 'overrides', protected: 'protected',
    liveHint: 'Its limits decide.', shadowHint: 'It counts and reports, and refuses nothing.', candidateHint: 'It has limits that are tried beside those in force.',
    deniesHint: 'It refuses matching requests at once.', exemptsHint: 'Matching requests pass every limit.', disabledHint: 'It applies to nothing.',
    switchedHint: 'Somebody made it refuse nothing for a while.', trialHint: 'A change of it is on trial.', overridesHint: 'Some callers have other numbers.',
    protectedHint: 'A change needs the approval of a second person.',
  },
  zh: {
    live: '生效', shadow: '影子', candidate: '候选', denies: '拒绝名单', exempts: '豁免', disabled: '已停用', switched: '已切到影子',
    trial: '试用中', overrides: '有例外', protected: '受保护',
    liveHint: '由其限额判定。', shadowHint: '只计数和上报，不拒绝。', candidateHint: '有与现行限额并行试用的候选限额。',
    deniesHint: '匹配的请求会被直接拒绝。', exemptsHint: '匹配的请求不受任何限制。', disabledHint: '不对任何请求生效。',
    switchedHint: '有人让它暂时不拒绝任何请求。', trialHint: '它的一项变更正在试用。', overridesHint: '部分调用方有不同的数值。',
    protectedHint: '修改需要第二个人批准。',
  },
});

const KINDS = { live: 'good', shadow: 'info', candidate: 'info', denies: 'bad', exempts: 'plain', disabled: 'plain', switched: 'warn', trial: 'warn', overrides: 'plain', protected: 'plain' };

/** All states, in the order in which filters offer them. */
export const STATES = ['live', 'shadow', 'candidate', 'denies', 'exempts', 'disabled', 'switched', 'trial', 'overrides', 'protected'];

/** Returns a function that tells the states of a rule, given the switches, overrides and changes on trial. */
export function statesOf({ switches = [], overrides = [], trials = [] }) {
  const switched = new Set(switches.filter((each) => each.active).map((each) => each.rule));
  const overridden = new Set(overrides.filter((each) => each.active).map((each) => each.rule));
  const tried = new Set(trials.flatMap((change) => change.rules));
  return (rule) => {
    const states = [];
    const isLimit = rule.action !== 'deny' && rule.action !== 'exempt';
    // A switch of all rules does not stop a rule that denies; only one by name does.
    const isSwitched = switched.has(rule.id) || (switched.has('*') && rule.action !== 'deny');
    if (rule.enabled === false) {
      states.push('disabled');
    } else if (isSwitched) {
      states.push('switched');
    } else if (!isLimit) {
      states.push(rule.action === 'deny' ? 'denies' : 'exempts');
    } else {
      states.push(rule.shadow ? 'shadow' : 'live');
    }
    if ((rule.candidate ?? []).length > 0) {
      states.push('candidate');
    }
    if (tried.has(rule.id)) {
      states.push('trial');
    }
    if ((rule.overrides ?? []).length > 0 || overridden.has(rule.id)) {
      states.push('overrides');
    }
    if (rule.protected) {
      states.push('protected');
    }
    return states;
  };
}

export function stateName(state) {
  return t(state);
}

export function stateBadge(state) {
  return badge(t(state), KINDS[state], t(`${state}Hint`));
}
