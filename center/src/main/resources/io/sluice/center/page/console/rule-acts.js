// What can be done with a rule: switch it to shadow, give a caller other numbers, end either, and propose to remove it.
import { html } from '/assets/parts.js';
import { ask } from '/assets/console/dialog.js';
import { attributeWords, limitWords } from '/assets/console/rule-words.js';
import { toast } from '/assets/console/toast.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    switchTitle: 'Switch {rule} to shadow', switchText: 'The rule goes on counting and refuses nothing until the time is over or somebody ends the switch.',
    switchAction: 'Switch to shadow', during: 'For how long', m15: '15 minutes', m30: '30 minutes', h1: '1 hour', h2: '2 hours', h4: '4 hours', h8: '8 hours', h24: '24 hours', d7: '7 days', d30: '30 days',
    emergency: 'The rule is protected, so this is an emergency: it acts at once, ends after a few hours at the latest, and approvers review it.',
    switched: '{rule} refuses nothing for now.', overrideTitle: 'Other numbers for a caller of {rule}', overrideText: 'Limit {limit}, now {numbers}. The override ends by itself.',
    caller: 'Caller ({what})', hash: 'Hash of the caller', hashHint: '43 characters, as lists of refused callers and Explain show it.',
    rate: 'Rate', rateHint: 'Such as 50/s, 100/m or 1000/h', burst: 'At once', limit: 'Limit', overrideAction: 'Override', overridden: 'The caller has other numbers now.',
    endSwitch: 'End the switch of {rule}', endSwitchText: 'The rule refuses again at once.', endOverride: 'End the override', endOverrideText: 'The caller has the numbers of the rule again.',
    end: 'End it', ended: 'It has ended.', removeTitle: 'Propose to remove {rule}', removeText: 'This opens a change. Nothing happens until the change is released.',
    removeAction: 'Open change', changeTitle: 'Title', removeDefault: 'Remove {rule}',
  },
  zh: {
    switchTitle: '将 {rule} 切到影子模式', switchText: '规则继续计数，但不再拒绝任何请求，直到时间结束或有人提前结束。',
    switchAction: '切到影子', during: '持续时间', m15: '15 分钟', m30: '30 分钟', h1: '1 小时', h2: '2 小时', h4: '4 小时', h8: '8 小时', h24: '24 小时', d7: '7 天', d30: '30 天',
    emergency: '该规则受保护，因此这是紧急操作：立即生效，最多持续数小时，并由审批人复核。',
    switched: '{rule} 暂时不拒绝任何请求。', overrideTitle: '为 {rule} 的一个调用方设置不同数值', overrideText: '限额 {limit}，当前为{numbers}。到期后自动结束。',
    caller: '调用方（{what}）', hash: '调用方的哈希', hashHint: '43 个字符，见被拒绝调用方列表和“解释”。',
    rate: '速率', rateHint: '例如 50/s、100/m 或 1000/h', burst: '瞬时上限', limit: '限额', overrideAction: '设置例外', overridden: '该调用方现在有不同的数值。',
    endSwitch: '结束 {rule} 的影子切换', endSwitchText: '规则将立即重新拒绝请求。', endOverride: '结束例外', endOverrideText: '该调用方将恢复规则中的数值。',
    end: '结束', ended: '已结束。', removeTitle: '提议删除 {rule}', removeText: '这会新建一项变更。发布之前不会有任何影响。',
    removeAction: '新建变更', changeTitle: '标题', removeDefault: '删除 {rule}',
  },
});

function during(values, value) {
  return { name: 'in', label: t('during'), type: 'select', value, options: values.map((each) => ({ value: each, label: t(each.replace(/^(\d+)([mhd])$/, '$2$1')) })) };
}

function withEmergency(rule, text) {
  return rule.protected ? () => html`<p>${text}</p><p class="warn-text">${t('emergency')}</p>` : text;
}

function emergency(rule) {
  return rule.protected ? { emergency: true } : {};
}

/** Asks how long a rule should refuse nothing. Returns the switch, or null. */
export async function switchToShadow(rule) {
  const done = await ask({
    title: t('switchTitle', { rule: rule.id }), text: withEmergency(rule, t('switchText')), action: t('switchAction'), danger: true,
    fields: [during(['15m', '30m', '1h', '2h', '4h', '8h', '24h'], '30m')],
    call: ({ in: span, reason }) => ({ method: 'POST', path: '/api/switch', body: { rule: rule.id, to: 'shadow', in: span, reason, ...emergency(rule) } }),
  });
  if (done) {
    toast(t('switched', { rule: rule.id }), 'good');
  }
  return done;
}

/** Returns the name of a limit in reports, such as login.0. */
export function limitName(rule, index) {
  return `${rule.id}.${rule.limits[index].id ?? index}`;
}

/**
 * Asks for other numbers of one caller of a limit.
 *
 * @param hash the hash of the caller if it is known; the person enters the caller otherwise
 */
export async function overrideCaller(rule, index, hash = null) {
  const limit = rule.limits[index];
  const name = limitName(rule, index);
  const by = limit.by === undefined ? [] : Array.isArray(limit.by) ? limit.by : [limit.by];
  const attribute = by.length === 1 && typeof by[0] === 'string' && limit.privacy !== 'hash' ? by[0] : null;
  const fields = [];
  if (!hash) {
    fields.push(attribute ? { name: 'caller', label: t('caller', { what: attributeWords(attribute) }) }
      : { name: 'caller', label: t('hash'), hint: t('hashHint') });
  }
  if (limit.rate !== undefined) {
    fields.push({ name: 'rate', label: t('rate'), hint: t('rateHint'), value: String(limit.rate) });
    if (limit.burst !== undefined) {
      fields.push({ name: 'burst', label: t('burst'), type: 'number', min: 0, value: String(limit.burst) });
    }
  } else {
    fields.push({ name: 'limit', label: t('limit'), type: 'number', min: 0, value: String(limit.limit) });
  }
  fields.push(during(['30m', '1h', '2h', '4h', '8h', '24h', '7d', '30d'], '2h'));
  const done = await ask({
    title: t('overrideTitle', { rule: rule.id }), text: withEmergency(rule, t('overrideText', { limit: name, numbers: limitWords(limit) })), action: t('overrideAction'), fields,
    call: (values) => {
      const numbers = {};
      if (limit.rate !== undefined) {
        numbers.rate = values.rate.trim();
        if (limit.burst !== undefined) {
          numbers.burst = Number(values.burst);
        }
      } else {
        numbers.limit = Number(values.limit);
      }
      const caller = hash || !attribute ? { hash: hash ?? values.caller.trim() } : { [attribute]: values.caller.trim() };
      return { method: 'POST', path: '/api/overrides', body: { rule: rule.id, limit: name, caller, numbers, in: values.in, reason: values.reason, ...emergency(rule) } };
    },
  });
  if (done) {
    toast(t('overridden'), 'good');
  }
  return done;
}

async function end(title, text, path) {
  const done = await ask({ title, text, action: t('end'), danger: true, call: ({ reason }) => ({ method: 'DELETE', path, body: { reason } }) });
  if (done) {
    toast(t('ended'), 'good');
  }
  return done;
}

export function endSwitch(item) {
  return end(t('endSwitch', { rule: item.rule }), t('endSwitchText'), `/api/switch/${item.id}`);
}

export function endOverride(item) {
  return end(t('endOverride'), t('endOverrideText'), `/api/overrides/${item.id}`);
}

/** Opens a change that removes a rule. Returns the change, or null. */
export function removeRule(rule, base) {
  return ask({
    title: t('removeTitle', { rule: rule.id }), text: t('removeText'), action: t('removeAction'), danger: true,
    fields: [{ name: 'title', label: t('changeTitle'), value: t('removeDefault', { rule: rule.id }) }],
    call: ({ title, reason }) => ({ method: 'POST', path: '/api/changes', body: { title, reason, base, edits: [{ remove: rule.id }] } }),
  });
}
