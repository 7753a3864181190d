// The names of roles, rights and scopes, for the views that show them.
import { html } from '/assets/parts.js';
import { badge } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    administrator: 'Administrator', tenant_administrator: 'Tenant administrator', editor: 'Editor', approver: 'Approver', operator: 'Operator', viewer: 'Viewer',
    administrator_may: 'Everything, for all rules.',
    tenant_administrator_may: 'Everything about the rules, people and tokens of one tenant.',
    editor_may: 'Open, edit and release changes.',
    approver_may: 'Approve and reject changes of others; see the audit log.',
    operator_may: 'Overrides, emergency switch, rollback, silences; see the audit log. No edits.',
    viewer_may: 'Look, and change nothing.',
    read: 'See rules, changes and traffic', edit: 'Open and edit changes', release: 'Release changes', approve: 'Approve changes of others',
    operate: 'Override, switch to shadow, roll back, silence', see_fleet: 'See nodes and alerts', see_log: 'See the audit log', manage_people: 'Manage accounts',
    manage_tokens: 'Manage tokens of others', manage_center: 'Change settings of the center', reveal: 'Learn who a masked caller is', report: 'Report as a node',
    scope_node: 'A node reports and receives its rules. Only administrators make one.', scope_read: 'Reads rules, changes and traffic.',
    scope_apply: 'For sluice diff and sluice apply: opens and releases changes.', scope_operate: 'Overrides, emergency switch, rollback, silences.',
    all: 'all rules',
  },
  zh: {
    administrator: '管理员', tenant_administrator: '租户管理员', editor: '编辑者', approver: '审批者', operator: '值班人员', viewer: '查看者',
    administrator_may: '可对所有规则进行任何操作。',
    tenant_administrator_may: '可管理一个租户的规则、人员和令牌。',
    editor_may: '创建、编辑并发布变更。',
    approver_may: '批准或驳回他人的变更；查看审计日志。',
    operator_may: '设置覆盖、紧急开关、回滚、静默告警；查看审计日志。不能编辑规则。',
    viewer_may: '只能查看，不能更改。',
    read: '查看规则、变更和流量', edit: '创建和编辑变更', release: '发布变更', approve: '审批他人的变更',
    operate: '覆盖、切换到影子、回滚、静默', see_fleet: '查看节点和告警', see_log: '查看审计日志', manage_people: '管理账户',
    manage_tokens: '管理他人的令牌', manage_center: '更改中心的设置', reveal: '查明被掩码的调用方是谁', report: '以节点身份上报',
    scope_node: '节点用它上报并接收规则。仅管理员可以创建。', scope_read: '读取规则、变更和流量。',
    scope_apply: '供 sluice diff 和 sluice apply 使用：创建并发布变更。', scope_operate: '覆盖、紧急开关、回滚、静默。',
    all: '全部规则',
  },
});

/** All roles, those with the most rights first. */
export const ROLES = ['administrator', 'tenant_administrator', 'editor', 'approver', 'operator', 'viewer'];

export const SCOPES = ['read', 'apply', 'operate', 'node'];

const KNOWN = new Set([...ROLES, 'read', 'edit', 'release', 'approve', 'operate', 'see_fleet', 'see_log', 'manage_people', 'manage_tokens',
  'manage_center', 'reveal', 'report']);

/** Returns the name of a role or a right. One that the page does not know keeps its word. */
export function nameOf(word) {
  return KNOWN.has(word) ? t(word) : word;
}

/** Returns what a role may do. */
export function roleText(role) {
  return ROLES.includes(role) ? t(`${role}_may`) : '';
}

export function scopeText(scope) {
  return SCOPES.includes(scope) ? t(`scope_${scope}`) : '';
}

/** Returns the rules that a role is for: a tenant, labels, or all. */
function reachOf(grant) {
  const parts = [...(grant.tenant ? [grant.tenant] : []), ...Object.entries(grant.labels ?? {}).map(([name, value]) => `${name}=${value}`)];
  return parts.join(' · ');
}

/** Roles as short words, each with the rules that it is for. */
export function roleTags(grants) {
  return html`<span class="tags">${grants.map((grant, i) => {
    const reach = reachOf(grant);
    return html`<span class="role" key=${i}>${badge(nameOf(grant.role), grant.role === 'administrator' ? 'info' : 'plain', roleText(grant.role))}${
      reach && html`<span class="small soft">${reach}</span>`}</span>`;
  })}</span>`;
}

export function reachText(grant) {
  return reachOf(grant) || t('all');
}
