// What the pages say, in the language of the browser unless somebody chooses another.
import { ref, watchEffect } from '/assets/vue.js';

const en = {
  language: 'English',
  switchLanguage: '中文',
  setUpTitle: 'Set up your account',
  setUpFirst: 'Set up the first administrator',
  setUpFirstHint: 'This account may do everything in this center. Other people get accounts of their own later.',
  setUpFor: 'Choose a password for {user}.',
  setUpChecking: 'Checking the link…',
  linkMissing: 'This page needs the whole link, including the part after #. Copy it again.',
  linkUsed:
    'This link was used already or has expired. Ask an administrator for a new one. If nobody can sign in, run ' +
    '“./sluice center reset-admin” on the machine of the center.',
  createAccount: 'Create account',
  setPassword: 'Set password',
  offerTitle: 'Sign in without the password?',
  offerText:
    'A passkey signs you in with your fingerprint, your face or the PIN of this device. It cannot be guessed, and it works on ' +
    'this site only.',
  offerAdd: 'Add a passkey',
  offerLater: 'Not now',
  signInTitle: 'Sign in',
  signIn: 'Sign in',
  withPasskey: 'Sign in with a passkey',
  withServer: 'Continue with {title}',
  or: 'or',
  user: 'Name',
  email: 'E-mail (optional)',
  password: 'Password',
  newPassword: 'New password',
  passwordHint: 'At least 12 characters. A few words that you can remember are best.',
  repeatPassword: 'Repeat the password',
  show: 'Show',
  hide: 'Hide',
  stepUpTitle: 'Confirm that it is you',
  stepUpText: 'You are signed in as {user}. The next step is sensitive, so present your password or passkey again.',
  confirm: 'Confirm',
  confirmPasskey: 'Use a passkey',
  cancel: 'Cancel',
  accountTitle: 'Your account',
  signedInAs: 'Signed in as {user}',
  roles: 'Roles',
  signOut: 'Sign out',
  passkeys: 'Passkeys',
  restsAt: 'rests at {time} unless you sign in through {origin} before; such a sign-in wakes it again',
  passkeyRests: 'This passkey rests, because the identity server has not confirmed your account of late. Sign in through the identity server; then it works again.',
  passkeysHint: 'Sign in with the fingerprint, face or PIN of a device. Add one on each device that you use.',
  noPasskeys: 'You have no passkey yet.',
  passkeyLabel: 'Name of the passkey',
  passkeyLabelHint: 'Such as “Laptop” or “Blue security key”.',
  addPasskey: 'Add a passkey',
  added: 'Added {date}',
  neverUsed: 'never used',
  lastUsed: 'last used {date}',
  backedUp: 'synced',
  remove: 'Remove',
  removeOf: 'Remove {label}',
  removeSure: 'Remove “{label}”? It will no longer sign you in, and your other sessions end.',
  removeYes: 'Remove it',
  keep: 'Keep it',
  passkeyAdded: 'The passkey “{label}” was added.',
  passkeyRemoved: 'The passkey “{label}” was removed.',
  changePassword: 'Change the password',
  changePasswordHint: 'Your other sessions end.',
  passwordChanged: 'The password was changed.',
  passwordElsewhere: 'Your password belongs to {origin}. Change it there.',
  retentionLink: 'Your data',
  retentionTitle: 'What is kept, and for how long',
  retentionLead: 'This is what Sluice stores about people and rules, where it is, and what removes it.',
  personalOnly: 'Only what can name a person',
  personal: 'can name a person',
  kept: 'Kept',
  ends: 'How it ends',
  erasure: 'An erasure removes',
  place_center: 'In the center',
  place_center_hint: 'The database and the files of the machine that manages the rules.',
  place_redis: 'In Redis',
  place_redis_hint: 'Shared by all nodes, if they use Redis.',
  place_node: 'On nodes',
  place_node_hint: 'The machines and applications that decide about requests.',
  place_outside: 'Outside of Sluice',
  place_outside_hint: 'Copies that left Sluice. Only the people who run these systems can remove them.',
  problem_unavailable: 'The identity server does not answer. Try again soon, or use another way to sign in.',
  problem_refused: 'The identity server did not confirm who you are. Begin again, or use another way to sign in.',
  problem_expired: 'The sign-in took too long, or was continued in another browser. Begin again.',
  problem_no_role: 'You have no role here. Ask an administrator to give you one, then sign in again.',
  problem_disabled: 'This account is disabled. Ask an administrator.',
  problem_not_fresh: 'The identity server confirmed an older sign-in only. Sign out there, or use a passkey here.',
  working: 'One moment…',
  wrongPassword: 'The name or the password is wrong. Check both and try again.',
  wrongPasswordOnly: 'The password is wrong. Try again.',
  throttled: 'Too many attempts. Try again in {seconds} seconds.',
  throttledSoon: 'Too many attempts. Wait a minute and try again.',
  different: 'The two passwords are different. Type the same one twice.',
  tooShort: 'The password is too short. Use at least 12 characters.',
  unreachable: 'The center does not answer. Check that it runs, then try again.',
  unavailable: 'The database of the center is away. Nothing was changed; try again soon.',
  outcomeUnknown: 'The connection to the database broke. It is not known whether this was stored. Try again now: it is done only once.',
  storedUnseen: 'This was stored. The database is away now, so the result cannot be shown; reload the page soon.',
  forbidden: 'Your role does not allow to see this.',
  failed: 'That did not work: {detail}',
  passkeyNeedsName:
    'Passkeys do not work at a numeric address. Open this page under its name and sign in there:',
  passkeyNeedsHttps: 'Passkeys need HTTPS. Use your password, or ask an administrator to set up HTTPS.',
  passkeyUnsupported: 'This browser or device has no passkeys. Use your password.',
  passkeyExists: 'This device has a passkey of your account already. You can sign in with it.',
  passkeyWrongSite: 'Passkeys belong to another address of this center. Open the center at the address that it prints at its start.',
  passkeyNotMade: 'No passkey was made: the request was cancelled, or it took too long. Try again.',
  passkeyNotUsed:
    'No passkey was used. If this device has none for this site, sign in with your password and add one on your account page.',
  passkeyRefused: 'The center does not accept this passkey. It may have been removed, or belong to another account. Use your password.',
};

const zh = {
  language: '中文',
  switchLanguage: 'English',
  setUpTitle: '设置您的账户',
  setUpFirst: '设置首位管理员',
  setUpFirstHint: '此账户拥有本中心的全部权限。其他人员将使用各自的账户。',
  setUpFor: '为 {user} 设置密码。',
  setUpChecking: '正在检查链接…',
  linkMissing: '此页面需要完整的链接，包括 # 之后的部分。请重新复制。',
  linkUsed: '此链接已被使用或已过期。请向管理员索取新链接。如果无人能够登录，请在中心所在的机器上运行“./sluice center reset-admin”。',
  createAccount: '创建账户',
  setPassword: '设置密码',
  offerTitle: '以后不用密码登录？',
  offerText: '通行密钥使用指纹、面容或本设备的 PIN 登录。它无法被猜中，并且只在本站点有效。',
  offerAdd: '添加通行密钥',
  offerLater: '以后再说',
  signInTitle: '登录',
  signIn: '登录',
  withPasskey: '使用通行密钥登录',
  withServer: '使用 {title} 继续',
  or: '或',
  user: '用户名',
  email: '电子邮箱（可选）',
  password: '密码',
  newPassword: '新密码',
  passwordHint: '至少 12 个字符。建议使用几个容易记住的词。',
  repeatPassword: '再次输入密码',
  show: '显示',
  hide: '隐藏',
  stepUpTitle: '请确认是您本人',
  stepUpText: '您已登录为 {user}。下一步操作较为敏感，请再次验证密码或通行密钥。',
  confirm: '确认',
  confirmPasskey: '使用通行密钥',
  cancel: '取消',
  accountTitle: '您的账户',
  signedInAs: '已登录为 {user}',
  roles: '角色',
  signOut: '退出登录',
  passkeys: '通行密钥',
  restsAt: '如果您在此之前没有通过 {origin} 登录，它将于 {time} 暂停使用；再次登录后恢复',
  passkeyRests: '此通行密钥已暂停使用，因为身份服务器最近没有确认您的账户。请通过身份服务器登录，之后即可恢复使用。',
  passkeysHint: '使用设备的指纹、面容或 PIN 登录。请在您使用的每台设备上各添加一个。',
  noPasskeys: '您还没有通行密钥。',
  passkeyLabel: '通行密钥的名称',
  passkeyLabelHint: '例如“笔记本电脑”或“蓝色安全密钥”。',
  addPasskey: '添加通行密钥',
  added: '添加于 {date}',
  neverUsed: '从未使用',
  lastUsed: '上次使用 {date}',
  backedUp: '已同步',
  remove: '移除',
  removeOf: '移除 {label}',
  removeSure: '要移除“{label}”吗？它将不能再用于登录，您的其他会话也会结束。',
  removeYes: '移除',
  keep: '保留',
  passkeyAdded: '已添加通行密钥“{label}”。',
  passkeyRemoved: '已移除通行密钥“{label}”。',
  changePassword: '更改密码',
  changePasswordHint: '您的其他会话将会结束。',
  passwordChanged: '密码已更改。',
  passwordElsewhere: '您的密码由 {origin} 管理，请在那里更改。',
  retentionLink: '数据保存',
  retentionTitle: '保存了什么，保存多久',
  retentionLead: '这里列出 Sluice 保存的有关人员和规则的数据、其所在位置，以及如何删除。',
  personalOnly: '只看可能涉及个人的数据',
  personal: '可能涉及个人',
  kept: '保留',
  ends: '如何结束',
  erasure: '删除某人的数据时',
  place_center: '在中心',
  place_center_hint: '管理规则的机器上的数据库和文件。',
  place_redis: '在 Redis',
  place_redis_hint: '由所有节点共享（如果使用 Redis）。',
  place_node: '在节点',
  place_node_hint: '对请求作出决定的机器和应用。',
  place_outside: '在 Sluice 之外',
  place_outside_hint: '已离开 Sluice 的副本。只有运行这些系统的人才能删除。',
  problem_unavailable: '身份服务器没有响应。请稍后重试，或使用其他方式登录。',
  problem_refused: '身份服务器没有确认您的身份。请重新开始，或使用其他方式登录。',
  problem_expired: '登录用时过长，或在另一个浏览器中继续。请重新开始。',
  problem_no_role: '您在这里没有角色。请联系管理员分配角色，然后重新登录。',
  problem_disabled: '此账户已被停用。请联系管理员。',
  problem_not_fresh: '身份服务器只确认了较早的登录。请先在那里退出登录，或在这里使用通行密钥。',
  working: '请稍候…',
  wrongPassword: '用户名或密码错误。请检查后重试。',
  wrongPasswordOnly: '密码错误。请重试。',
  throttled: '尝试次数过多。请在 {seconds} 秒后重试。',
  throttledSoon: '尝试次数过多。请稍等一分钟后重试。',
  different: '两次输入的密码不一致。请输入相同的密码。',
  tooShort: '密码太短。请至少使用 12 个字符。',
  unreachable: '中心没有响应。请确认它正在运行，然后重试。',
  unavailable: '中心的数据库暂时不可用。没有任何更改，请稍后重试。',
  outcomeUnknown: '与数据库的连接中断，无法确定是否已保存。请立即重试：同一操作只会执行一次。',
  storedUnseen: '已保存。数据库现在不可用，无法显示结果，请稍后刷新页面。',
  forbidden: '您的角色无权查看此内容。',
  failed: '操作未成功：{detail}',
  passkeyNeedsName: '通行密钥不能在数字地址上使用。请用名称打开此页面并在那里登录：',
  passkeyNeedsHttps: '通行密钥需要 HTTPS。请使用密码，或请管理员配置 HTTPS。',
  passkeyUnsupported: '此浏览器或设备不支持通行密钥。请使用密码。',
  passkeyExists: '此设备已有您账户的通行密钥，可以直接用它登录。',
  passkeyWrongSite: '通行密钥属于本中心的另一个地址。请使用中心启动时显示的地址打开。',
  passkeyNotMade: '没有创建通行密钥：请求被取消或超时。请重试。',
  passkeyNotUsed: '没有使用通行密钥。如果此设备没有本站点的通行密钥，请用密码登录，然后在账户页面添加。',
  passkeyRefused: '中心不接受此通行密钥。它可能已被移除，或属于另一个账户。请使用密码。',
};

const texts = { en, zh };
const KEY = 'sluice.language';

function initial() {
  const chosen = localStorage.getItem(KEY);
  if (chosen in texts) {
    return chosen;
  }
  const wanted = navigator.languages ?? [navigator.language];
  return wanted.map((each) => each.slice(0, 2).toLowerCase()).find((each) => each in texts) ?? 'en';
}

export const language = ref(initial());

watchEffect(() => {
  document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
});

export function switchLanguage() {
  language.value = language.value === 'en' ? 'zh' : 'en';
  localStorage.setItem(KEY, language.value);
}

/** Returns what to tell about a failed sign-in at an identity server; null if none failed. */
export function problem() {
  const word = new URLSearchParams(location.search).get('problem');
  const name = `problem_${word}`;
  return word === null ? null : () => t(Object.hasOwn(en, name) ? name : 'problem_refused');
}

/** Returns a text, with values for the names in braces. */
export function t(name, values = {}) {
  return texts[language.value][name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

export function day(time) {
  return new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium' }).format(new Date(time));
}
