// What rows of the audit log say, as sentences.
import { moment } from '/assets/console/format.js';
import { words } from '/assets/console/words.js';
import { kindName } from '/assets/views/alert-words.js';

const DONE = {
  open_change: ['opened the change “{title}”', '创建了变更“{title}”'],
  edit_change: ['edited change {change}', '编辑了变更 {change}'],
  rebase_change: ['moved change {change} to version {base}', '移动了变更 {change}，基于版本 {base}'],
  reject_change: ['rejected change {change}', '驳回了变更 {change}'],
  withdraw_change: ['withdrew change {change}', '撤回了变更 {change}'],
  approve_change: ['approved change {change}', '批准了变更 {change}'],
  release_change: ['released change {change} to {target}', '发布了变更 {change}，对象：{target}'],
  schedule_change: ['scheduled change {change} for {time}', '安排了变更 {change} 的发布，时间 {time}'],
  fire_schedule: ['released change {change} as scheduled', '按计划发布了变更 {change}'],
  promote_trial: ['promoted rollout {rollout}', '推进了发布 {rollout}'],
  abort_rollout: ['ended rollout {rollout}', '终止了发布 {rollout}'],
  set_verdict: ['changed the verdict of rollout {rollout}', '更改了裁决方式：发布 {rollout}'],
  override_caller: ['set an override for one caller of {rule} until {time}', '为一个调用方设置了覆盖：{rule}，至 {time}'],
  switch_to_shadow: ['switched {rule} to shadow until {time}', '切换到影子：{rule}，至 {time}'],
  end_adjustment: ['ended the override or switch {id}', '结束了覆盖或开关 {id}'],
  roll_back: ['rolled back to version {to}', '回滚到版本 {to}'],
  take_over: ['took over version {version} from Redis', '从 Redis 接管了版本 {version}'],
  repair_mirror: ['brought Redis back to the released rules', '将 Redis 恢复为已发布的规则'],
  create_account: ['made the account {user}', '创建了账户 {user}'],
  change_account: ['changed the account {user}', '更改了账户 {user}'],
  disable_account: ['disabled the account {user}', '停用了账户 {user}'],
  make_link: ['made a one-time link for {user}', '生成了一次性链接：{user}'],
  set_up_account: ['set up the account', '设置了账户'],
  reset_admin: ['reset the administrator {user} on the machine', '在机器上重置了管理员 {user}'],
  change_password: ['changed the own password', '更改了自己的密码'],
  add_passkey: ['added the passkey “{label}”', '添加了通行密钥“{label}”'],
  remove_passkey: ['removed the passkey “{label}”', '移除了通行密钥“{label}”'],
  sign_in: ['signed in', '登录'],
  account_created: ['created an account for {user}', '创建了账户：{user}'],
  account_changed: ['updated the roles of {user}', '更新了角色：{user}'],
  account_suspended: ['suspended the account of {user}', '暂停了账户：{user}'],
  step_up: ['confirmed the own identity', '再次验证了身份'],
  sign_out: ['signed out', '退出登录'],
  create_token: ['made the token “{name}”', '创建了令牌“{name}”'],
  revoke_token: ['revoked the token “{name}”', '撤销了令牌“{name}”'],
  begin_emergency: ['acted in an emergency without approval', '在紧急情况下未经审批操作'],
  end_emergency: ['ended emergency {emergency}', '结束了紧急操作 {emergency}'],
  accept_emergency: ['accepted emergency {emergency}', '认可了紧急操作 {emergency}'],
  reject_emergency: ['rejected emergency {emergency}', '否决了紧急操作 {emergency}'],
  propose_approval_settings: ['proposed other settings for approvals', '提议更改审批设置'],
  approve_approval_settings: ['approved settings for approvals', '批准了审批设置'],
  reject_approval_settings: ['rejected settings for approvals', '驳回了审批设置'],
  change_alert_rule: ['changed the alert rule {rule}', '更改了告警规则 {rule}'],
  remove_alert_rule: ['removed or reset the alert rule {rule}', '移除或重置了告警规则 {rule}'],
  silence_alerts: ['silenced “{silenced}” until {time}', '静默了告警“{silenced}”，至 {time}'],
  end_silence: ['ended the silence of “{silenced}”', '结束了静默“{silenced}”'],
  reveal: ['revealed the caller {caller}', '查明了调用方 {caller}'],
  erase_subject: ['erased a person', '擦除了某人的数据'],
  erase_again: ['erased again what a backup brought back', '再次擦除了备份带回的数据'],
  end_erasure: ['finished erasure {erasure}', '完成了擦除 {erasure}'],
  prune: ['deleted old data', '删除了过期数据'],
  prune_audit: ['deleted old rows of the log: {first} to {last}', '删除了日志的旧行：{first} 至 {last}'],
  rotate_audit_key: ['replaced the key of the log', '更换了日志的密钥'],
};

const REFUSED = {
  sign_in: ['was not signed in: {why}', '未能登录：{why}'],
  request: ['was refused: {endpoint}', '被拒绝：{endpoint}'],
};

const t = words({
  en: {
    everyNode: 'all nodes', candidate: 'candidate nodes', nodes: '{share} of the nodes', callers: '{share} of the callers', named: '{n} named callers', all: 'all rules',
    more: '{n} more were refused', refusedTry: 'tried: {kind}',
    ...Object.fromEntries(Object.entries(DONE).map(([kind, [text]]) => [`done_${kind}`, text])),
    ...Object.fromEntries(Object.entries(REFUSED).map(([kind, [text]]) => [`refused_${kind}`, text])),
    kind_request: 'request that was refused', kind_close_change: 'rejected or withdrew a change',
  },
  zh: {
    everyNode: '所有节点', candidate: '候选节点', nodes: '{share} 的节点', callers: '{share} 的调用方', named: '{n} 个指定调用方', all: '全部规则',
    more: '另有 {n} 次被拒绝', refusedTry: '尝试：{kind}',
    ...Object.fromEntries(Object.entries(DONE).map(([kind, [, text]]) => [`done_${kind}`, text])),
    ...Object.fromEntries(Object.entries(REFUSED).map(([kind, [, text]]) => [`refused_${kind}`, text])),
    kind_request: '被拒绝的请求', kind_close_change: '驳回或撤回了变更',
  },
});

/** The kinds that a person can look for. Some sentences belong to the same kind. */
export const KINDS = [...Object.keys(DONE).filter((kind) => !['reject_change', 'withdraw_change', 'schedule_change'].includes(kind)), 'close_change', 'request'].sort();

function targetOf(to) {
  if (to === undefined || to === 'all') {
    return t('everyNode');
  }
  if (to === 'candidate') {
    return t('candidate');
  }
  if (Array.isArray(to.nodes)) {
    return t('nodes', { share: to.nodes[0] });
  }
  return Array.isArray(to.callers) ? t('callers', { share: to.callers[0] }) : t('named', { n: to.callers });
}

function sentenceName(row, details) {
  if (row.kind === 'close_change') {
    return details.rejected ? 'reject_change' : 'withdraw_change';
  }
  return row.kind === 'release_change' && details.at ? 'schedule_change' : row.kind;
}

/** Returns what was done, or refused, as a sentence without its subject. */
export function deedOf(row) {
  const details = row.details ?? {};
  if (row.outcome === 'refused') {
    if (details.more) {
      return t('more', { n: details.more });
    }
    return Object.hasOwn(REFUSED, row.kind) ? t(`refused_${row.kind}`, details) : t('refusedTry', { kind: row.kind });
  }
  const name = sentenceName(row, details);
  if (!Object.hasOwn(DONE, name)) {
    return row.kind;
  }
  const time = details.until ?? details.at;
  return t(`done_${name}`, {
    ...details, rule: details.rule === '*' ? t('all') : details.rule, time: time ? moment(time) : '', target: targetOf(details.to),
    silenced: details.kind ? kindName(details.kind) : details.rule, caller: details.caller ?? '', name: details.name ?? details.token,
  }).replace(/\{\w+\}/g, '…');
}

/** Returns a short name of a kind: its sentence without the names in it. */
export function kindLabel(kind) {
  if (kind === 'close_change') {
    return t('kind_close_change');
  }
  if (kind === 'request') {
    return t('kind_request');
  }
  if (!Object.hasOwn(DONE, kind)) {
    return kind;
  }
  return t(`done_${kind}`).replace(/[，：:].*$/, '').replace(/ (?:to|until|for|of|to version) [“]?\{.*$/, '').replace(/\s?[“]?\{\w+\}[”]?/g, '').trim();
}

/** Returns what differs between two values, as lines: [{kind: gone | came, text}]. */
export function comparison({ kind, details }) {
  const before = details?.before;
  if (before === undefined || before === null || typeof before !== 'object') {
    return [];
  }
  const after = kind === 'override_caller' ? { limit: details.numbers } : details.after ?? details;
  return [...new Set([...Object.keys(before), ...Object.keys(details.after ?? {})])]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .flatMap((name) => [
      ...(before[name] === undefined ? [] : [{ kind: 'gone', text: `− ${name}: ${plain(before[name])}` }]),
      ...(after[name] === undefined ? [] : [{ kind: 'came', text: `+ ${name}: ${plain(after[name])}` }]),
    ]);
}

function plain(value) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
