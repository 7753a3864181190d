// What alert rules are called, and what they say, in both languages.
import { span } from '/assets/console/format.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    caller_refused: 'A caller is refused often', tenant_share: 'A tenant is refused more than usual', refusal_share: 'A large share is refused',
    degraded: 'A node decides without its store', breaker_open: 'A node does not ask its store', release_not_acknowledged: 'A release does not arrive',
    drift: 'Redis differs from the release', audit_not_witnessed: 'The audit log is not witnessed', node_silent: 'A node is silent',
    when_caller_refused: 'One caller is refused at least {refused} times within {within}, by {rule}.',
    when_tenant_share: 'At least {share} % of a tenant’s requests are refused within {within}, {factor} times the share of the hour before. At least {requests} requests.',
    when_refusal_share: 'At least {share} % of the requests to {rule} are refused within {within}. At least {requests} requests.',
    when_degraded: 'A node that has a shared store decides without it.', when_breaker_open: 'The breaker between a node and its store is open.',
    when_release_not_acknowledged: 'A node refuses a release, or has not applied it after {after}.',
    when_drift: 'Something else wrote to the rules in Redis, or they cannot be brought there.',
    when_audit_not_witnessed: 'No node holds a checkpoint younger than {after}, or a node contradicts the log.',
    when_node_silent: 'A node has stopped to report.',
    anyRule: 'any rule', fleet: 'the whole fleet', eachRule: 'each rule', oneRule: 'rule {id}',
    critical: 'critical', warning: 'warning', info: 'info',
  },
  zh: {
    caller_refused: '某个调用方频繁被拒', tenant_share: '某个租户的拒绝比例异常升高', refusal_share: '大量请求被拒绝',
    degraded: '节点脱离共享存储做决策', breaker_open: '节点停止访问存储', release_not_acknowledged: '发布未送达',
    drift: 'Redis 与发布内容不一致', audit_not_witnessed: '审计日志无人见证', node_silent: '节点失去联系',
    when_caller_refused: '{rule}在 {within} 内拒绝同一调用方至少 {refused} 次。',
    when_tenant_share: '某租户在 {within} 内至少 {share}% 的请求被拒，且达到前一小时比例的 {factor} 倍。至少 {requests} 个请求。',
    when_refusal_share: '{rule}在 {within} 内至少 {share}% 的请求被拒。至少 {requests} 个请求。',
    when_degraded: '拥有共享存储的节点在没有它的情况下做决策。', when_breaker_open: '节点与存储之间的熔断器已打开。',
    when_release_not_acknowledged: '有节点拒绝发布，或 {after} 后仍未应用。',
    when_drift: '有其他程序改写了 Redis 中的规则，或无法将规则写入 Redis。',
    when_audit_not_witnessed: '没有节点持有 {after} 以内的检查点，或有节点与日志不一致。',
    when_node_silent: '节点停止上报。',
    anyRule: '任意规则', fleet: '整个集群', eachRule: '每条规则', oneRule: '规则 {id} ',
    critical: '严重', warning: '警告', info: '提示',
  },
});

/** All kinds of alerts. Fields are those that only some kinds have. */
export const KINDS = {
  caller_refused: ['refused', 'within', 'rule'], tenant_share: ['share', 'factor', 'requests', 'within'], refusal_share: ['share', 'requests', 'within', 'rule'],
  degraded: [], breaker_open: [], release_not_acknowledged: ['after'], drift: [], audit_not_witnessed: ['after'], node_silent: [],
};

const COLOURS = { critical: 'bad', warning: 'warn', info: 'info' };

/** The order in which severities matter. */
export const SEVERITIES = ['critical', 'warning', 'info'];

/** Returns the name of a kind. One that the page does not know keeps its word. */
export function kindName(kind) {
  return Object.hasOwn(KINDS, kind) ? t(kind) : kind;
}

export function severityName(severity) {
  return SEVERITIES.includes(severity) ? t(severity) : severity;
}

export function severityColour(severity) {
  return COLOURS[severity] ?? 'plain';
}

function ruleText(kind, rule) {
  if (!rule) {
    return t(kind === 'refusal_share' ? 'fleet' : 'anyRule');
  }
  return rule === '*' ? t('eachRule') : t('oneRule', { id: rule });
}

const UNITS = { s: 1, m: 60, h: 3600, d: 86400 };

/** Returns milliseconds of a span such as 5m or 1h30m; null if it is none. */
export function millisOf(text) {
  if (!/^(\d+[smhd])+$/.test(text)) {
    return null;
  }
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit] * 1000, 0);
}

/** Returns a span such as 5m in words. */
export function spanText(text) {
  const millis = millisOf(text ?? '');
  return millis === null ? text ?? '' : span(millis);
}

/** Returns when a rule makes an alert, as a sentence. */
export function conditionOf(rule) {
  if (!Object.hasOwn(KINDS, rule.kind)) {
    return rule.kind;
  }
  return t(`when_${rule.kind}`, { ...rule, within: spanText(rule.within), after: spanText(rule.after), rule: ruleText(rule.kind, rule.rule) });
}
