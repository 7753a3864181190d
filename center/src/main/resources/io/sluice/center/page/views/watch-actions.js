// What an on-call engineer does about refusals: roll back, switch rules to shadow, give one caller other numbers, learn who a caller is. All
// views ask by these dialogs.
import { html } from '/assets/parts.js';
import { get, send } from '/assets/console/calls.js';
import { changeWords } from '/assets/console/change-words.js';
import { ask } from '/assets/console/dialog.js';
import { moment } from '/assets/console/format.js';
import { attributeWords } from '/assets/console/rule-words.js';
import { toast } from '/assets/console/toast.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    rollBack: 'Roll back', rollBackTitle: 'Roll back to v{to}?', rollBackText: 'The rules of v{to} become a new version and reach all nodes within seconds. This changes:',
    rollBackSame: 'v{to} has the same rules as those in force.', rolledBack: 'v{version} is on its way to the nodes.', andMore: '… and {count} more',
    endTrialTitle: 'End the trial?', endTrialText: 'Nobody tries the new rules any more; the change is open again.', trialEnded: 'The trial has ended.',
    switchTitle: 'Let rules refuse nothing for a while?', switchText: 'The rules go on counting, and nodes tell what they would have refused. The switch reaches nodes within seconds and ends by itself.',
    switchOne: 'Let {rule} refuse nothing for a while?', switchAction: 'Switch to shadow', switchRule: 'Rules', switchHint: 'The id of a rule, or * for all',
    isProtected: '{rule} is protected, so this is an emergency: it acts at once, ends after a few hours at the latest, and approvers review it.', allRules: 'All rules', oneRule: 'Only {rule}', howLong: 'For', switched: 'Switched to shadow until {time}.',
    approval: 'Second person', approvalWait: 'Refuse if somebody must approve', approvalSkip: 'Emergency: act now, somebody reviews it',
    approvalHint: 'Protected rules need a second person. An emergency ends by itself unless somebody accepts it.',
    endSwitch: 'End the switch now?', endSwitchText: '{rule} refuses again as its limits say.', endAction: 'End it', switchEnded: 'The switch has ended.', everyRule: 'Every rule',
    overrideTitle: 'Other numbers for {caller}', overrideSome: 'Other numbers for a caller of {rule}', aCaller: 'The caller', whichCaller: 'Caller ({what})', hash: 'Hash of the caller', hashHint: '43 characters, as lists of refused callers and Explain show it.', overrideText: 'Only this caller gets them, for {limit}, and only for a while. All nodes have them within seconds.',
    overrideAction: 'Set the override', overridden: '{caller} has other numbers until {time}.', noNumbers: 'This limit is not in the rules in force any more.',
    limit: 'Limit', rate: 'Rate', burst: 'Burst', capacity: 'Capacity', nowIs: 'Now {value}',
    endOverride: 'End the override now?', endOverrideText: 'The caller gets the numbers of {limit} again.', overrideEnded: 'The override has ended.',
    revealTitle: 'Reveal who {caller} is?', revealText: 'A node tells the values once. Your name and the reason are written to the audit log first.', revealAction: 'Reveal',
    minutes: '{n} minutes', hour: '1 hour', hours: '{n} hours', day: '1 day', days: '{n} days', failed: 'It did not work: {why}',
  },
  zh: {
    rollBack: '回滚', rollBackTitle: '回滚到 v{to}？', rollBackText: 'v{to} 的规则会成为一个新版本，几秒内到达所有节点。变化如下：',
    rollBackSame: 'v{to} 与当前生效的规则相同。', rolledBack: 'v{version} 正在下发到节点。', andMore: '……另有 {count} 项',
    endTrialTitle: '结束试运行？', endTrialText: '不再有人试用新规则，变更重新打开。', trialEnded: '试运行已结束。',
    switchTitle: '暂时让规则不再拒绝请求？', switchText: '规则继续计数，节点仍会上报本来会拒绝的请求。开关几秒内到达节点，到期自动结束。',
    switchOne: '让 {rule} 暂时不再拒绝请求？', switchAction: '切换到影子模式', switchRule: '规则', switchHint: '规则的标识，或用 * 表示全部',
    isProtected: '{rule} 受保护，因此这是紧急操作：立即生效，最多持续数小时，并由审批人复核。', allRules: '全部规则', oneRule: '仅 {rule}', howLong: '时长', switched: '已切换到影子模式，直到 {time}。',
    approval: '第二人', approvalWait: '需要审批时不执行', approvalSkip: '紧急：立即执行，事后由他人复核',
    approvalHint: '受保护的规则需要第二人批准。紧急操作如无人接受，会自动失效。',
    endSwitch: '现在结束影子模式？', endSwitchText: '{rule}将重新按限额拒绝请求。', endAction: '结束', switchEnded: '影子模式已结束。', everyRule: '全部规则',
    overrideTitle: '为 {caller} 设置临时数值', overrideSome: '为 {rule} 的一个调用方设置临时数值', aCaller: '该调用方', whichCaller: '调用方（{what}）', hash: '调用方的哈希', hashHint: '43 个字符，见被拒绝调用方列表和“解释”。', overrideText: '仅对此调用方的 {limit} 生效，到期自动结束。所有节点几秒内生效。',
    overrideAction: '设置临时数值', overridden: '{caller} 的临时数值有效至 {time}。', noNumbers: '当前生效的规则中已没有这个限额。',
    limit: '限额', rate: '速率', burst: '突发', capacity: '容量', nowIs: '现在为 {value}',
    endOverride: '现在结束临时数值？', endOverrideText: '该调用方将恢复 {limit} 原来的数值。', overrideEnded: '临时数值已结束。',
    revealTitle: '查看 {caller} 的真实身份？', revealText: '节点只告知一次。您的姓名和原因会先写入审计日志。', revealAction: '查看',
    minutes: '{n} 分钟', hour: '1 小时', hours: '{n} 小时', day: '1 天', days: '{n} 天', failed: '操作失败：{why}',
  },
});

const SENTENCES = 8;

/** Asks for a reason and releases the content of an earlier version again. Returns whether it did. */
export async function rollBack(inForce, to) {
  let diff;
  try {
    diff = await send('GET', `/api/versions/${inForce}/diff?to=${to}`);
  } catch (failure) {
    toast(t('failed', { why: failure.message }), 'bad');
    return false;
  }
  const sentences = diff.sentences ?? [];
  const answer = await ask({
    title: t('rollBackTitle', { to }),
    text: () => (sentences.length === 0 ? t('rollBackSame', { to }) : html`<p>${t('rollBackText', { to })}</p>
      <ul class="sentences">${sentences.slice(0, SENTENCES).map((sentence) => html`<li key=${sentence}>${changeWords(sentence)}</li>`)}
      ${sentences.length > SENTENCES && html`<li>${t('andMore', { count: sentences.length - SENTENCES })}</li>`}</ul>`),
    action: t('rollBack'),
    danger: true,
    fields: [approval()],
    call: (values) => ({ method: 'POST', path: '/api/rollback', body: { to, expected: inForce, reason: values.reason, ...emergency(values) } }),
  });
  if (answer) {
    toast(t('rolledBack', { version: answer.version }), 'good');
  }
  return Boolean(answer);
}

function approval(chosen = 'wait') {
  return { name: 'approval', label: t('approval'), type: 'select', value: chosen, hint: t('approvalHint'),
    options: [{ value: 'wait', label: t('approvalWait') }, { value: 'skip', label: t('approvalSkip') }] };
}

function emergency(values) {
  return values.approval === 'skip' ? { emergency: true } : {};
}

function spans(chosen, more = []) {
  return { name: 'in', label: t('howLong'), type: 'select', value: chosen, options: [
    { value: '15m', label: t('minutes', { n: 15 }) }, { value: '30m', label: t('minutes', { n: 30 }) }, { value: '1h', label: t('hour') },
    { value: '2h', label: t('hours', { n: 2 }) }, { value: '4h', label: t('hours', { n: 4 }) }, { value: '8h', label: t('hours', { n: 8 }) },
    { value: '24h', label: t('day') }, ...more.map((n) => ({ value: `${n}d`, label: t('days', { n }) }))] };
}

/**
 * Asks for a reason and lets a rule, or all rules, refuse nothing for a while. Returns whether it did.
 *
 * @param rule the id of a rule, or nothing
 * @param mayAll whether all rules can be chosen too
 * @param isProtected whether the rule is known to be protected, so that only an emergency lets it refuse nothing
 * @param isFree whether the person may write another id
 */
export async function switchToShadow(rule, mayAll, { isProtected = false, isFree = false } = {}) {
  const options = [...(rule ? [{ value: rule, label: t('oneRule', { rule }) }] : []), ...(mayAll ? [{ value: '*', label: t('allRules') }] : [])];
  const which = isFree ? [{ name: 'rule', label: t('switchRule'), hint: t('switchHint'), value: rule }]
    : options.length > 1 || !rule ? [{ name: 'rule', label: t('switchRule'), type: 'select', value: options[0].value, options }] : [];
  const answer = await ask({
    title: which.length > 0 ? t('switchTitle') : t('switchOne', { rule }),
    text: () => html`<p>${t('switchText')}</p>${isProtected && html`<p class="warn-text">${t('isProtected', { rule })}</p>`}`,
    action: t('switchAction'),
    danger: true,
    fields: [...which, spans('30m'), approval(isProtected ? 'skip' : 'wait')],
    call: (values) => ({ method: 'POST', path: '/api/switch', body: { rule: (values.rule ?? rule).trim(), to: 'shadow', in: values.in, reason: values.reason, ...emergency(values) } }),
  });
  if (answer) {
    toast(t('switched', { time: moment(answer.until) }), 'good');
  }
  return Boolean(answer);
}

/** Asks for a reason and ends a trial. */
export async function endTrial(rollout) {
  const answer = await ask({
    title: t('endTrialTitle'),
    text: t('endTrialText'),
    action: t('endAction'),
    danger: true,
    call: (values) => ({ method: 'POST', path: `/api/rollouts/${rollout}/abort`, body: { reason: values.reason } }),
  });
  if (answer) {
    toast(t('trialEnded'), 'good');
  }
  return Boolean(answer);
}

/** Asks for a reason and ends a switch. */
export async function endSwitch(one) {
  const answer = await ask({
    title: t('endSwitch'),
    text: t('endSwitchText', { rule: one.rule === '*' ? t('everyRule') : one.rule }),
    action: t('endAction'),
    danger: true,
    call: (values) => ({ method: 'DELETE', path: `/api/switch/${one.id}`, body: { reason: values.reason } }),
  });
  if (answer) {
    toast(t('switchEnded'), 'good');
  }
  return Boolean(answer);
}

const NUMBERS = ['limit', 'rate', 'burst', 'capacity'];

/** Returns twice a number of a rule document, such as 10 or 5/s. */
function doubled(value) {
  const found = /^\s*(\d+)\s*(\/.*)?$/.exec(String(value));
  return found ? `${Number(found[1]) * 2}${found[2] ?? ''}` : String(value);
}

/** Returns a limit of a rule document by its name in reports, such as orders.user or login.0. */
function limitOf(rule, name) {
  return (rule.limits ?? []).find((limit, i) => [`${rule.id}.${limit.id ?? i}`, limit.id ?? String(i)].includes(name));
}

/** Returns the attribute whose value names a caller of a limit; null if only a hash does. */
function attributeOf(limit) {
  const by = limit.by === undefined ? [] : Array.isArray(limit.by) ? limit.by : [limit.by];
  return by.length === 1 && typeof by[0] === 'string' && limit.privacy !== 'hash' ? by[0] : null;
}

/**
 * Asks for numbers and a reason, and gives one caller these numbers for a while. It proposes twice the numbers for an hour. Returns whether
 * it did.
 *
 * @param hash of the caller; without it, the person enters the caller
 * @param caller how the caller is shown
 */
export async function override({ rule, limit, hash = null, caller = null }) {
  let found;
  try {
    found = limitOf((await get(`/api/rules/${encodeURIComponent(rule)}`)).rule, limit);
  } catch (failure) {
    toast(t('failed', { why: failure.message }), 'bad');
    return false;
  }
  const names = NUMBERS.filter((name) => found?.[name] !== undefined);
  if (names.length === 0) {
    toast(t('noNumbers'), 'bad');
    return false;
  }
  const attribute = attributeOf(found);
  const which = hash ? [] : [attribute ? { name: 'caller', label: t('whichCaller', { what: attributeWords(attribute) }) }
    : { name: 'caller', label: t('hash'), hint: t('hashHint') }];
  const answer = await ask({
    title: caller ? t('overrideTitle', { caller }) : t('overrideSome', { rule }),
    text: t('overrideText', { limit }),
    action: t('overrideAction'),
    fields: [
      ...which,
      ...names.map((name) => ({ name, label: t(name), value: doubled(found[name]), hint: t('nowIs', { value: found[name] }) })),
      spans('1h', [7, 30]),
      approval(),
    ],
    call: (values) => ({ method: 'POST', path: '/api/overrides', body: {
      rule, limit, caller: hash || !attribute ? { hash: hash ?? values.caller.trim() } : { [attribute]: values.caller.trim() }, numbers: Object.fromEntries(names.map((name) => [name, number(name, values[name])])),
      in: values.in, reason: values.reason, ...emergency(values),
    } }),
  });
  if (answer) {
    toast(t('overridden', { caller: caller ?? t('aCaller'), time: moment(answer.until) }), 'good');
  }
  return Boolean(answer);
}

function number(name, text) {
  if (name === 'rate') {
    return text.trim();
  }
  return /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : text.trim();
}

/** Asks for a reason and ends an override. */
export async function endOverride(one) {
  const answer = await ask({
    title: t('endOverride'),
    text: t('endOverrideText', { limit: one.limit }),
    action: t('endAction'),
    danger: true,
    call: (values) => ({ method: 'DELETE', path: `/api/overrides/${one.id}`, body: { reason: values.reason } }),
  });
  if (answer) {
    toast(t('overrideEnded'), 'good');
  }
  return Boolean(answer);
}

/** Asks for a reason and returns who a caller is; null if the person gave up. */
export function reveal(hash, caller) {
  return ask({
    title: t('revealTitle', { caller }),
    text: t('revealText'),
    action: t('revealAction'),
    call: (values) => ({ method: 'POST', path: `/api/callers/${hash}/reveal`, body: { reason: values.reason } }),
  });
}
