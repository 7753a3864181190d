// The accounts of people: their roles, one-time links, and whether they may sign in.
import { computed, h, reactive, ref } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { ask } from '/assets/console/dialog.js';
import { number } from '/assets/console/format.js';
import { can, me } from '/assets/console/me.js';
import { href, route, setQuery } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { badge, choice, commandLine, dot, drawer, empty, facts, filter, head, panel, table, timeAgo, timeAt } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { ROLES, nameOf, roleTags, roleText } from '/assets/views/roles.js';

const t = words({
  en: {
    title: 'People', lead: 'Who may sign in, and what they may do.', add: 'Add a person', search: 'Search', searchHint: 'Name, e-mail or role', show: 'State', active: 'Active', disabledOnes: 'Disabled', all: 'All',
    name: 'Name', roles: 'Roles', origin: 'Account of', state: 'State', since: 'Since', email: 'E-mail', here: 'this center', enabled: 'active', disabled: 'disabled', waiting: 'has no password yet', you: 'you', none: 'no role', accounts: 'Accounts',
    nothing: 'Nobody matches', nothingText: 'Change the search to see other accounts.', created: 'Made', lastSignIn: 'Last sign-in', never: 'never', changed: 'Changed', password: 'Password', hasPassword: 'set', noPassword: 'none; a one-time link sets one', elsewhere: 'at the identity server',
    edit: 'Edit', link: 'New one-time link', disable: 'Disable', enable: 'Enable', log: 'What they did', ownHint: 'This is you. Somebody else who manages people changes your account.',
    addTitle: 'Add a person', editTitle: 'Edit {user}', user: 'Name to sign in with', userHint: 'Lower-case letters and digits, such as ann.', display: 'Shown as', emailHint: 'Accounts with the same address count as one person when changes are approved.', rolesHint: 'A role can be limited to a tenant or to rules with labels.',
    role: 'Role', tenant: 'Tenant', tenantHint: 'all', labels: 'Labels', labelsHint: 'team=shop', another: 'Add a role', removeRole: 'Remove this role', cancel: 'Cancel', next: 'Continue', badLabels: 'labels: {text} (expected: such as team=shop tier=gold)', needTenant: 'A tenant administrator needs a tenant.',
    createTitle: 'Make the account {user}', createText: 'The answer has a link that works once and for a day. Send it to the person, who chooses a password with it.', create: 'Make the account', saveTitle: 'Change {user}', saveText: 'Their sessions end, so the new roles are in force at once, also for their tokens.', save: 'Save',
    linkTitle: 'New one-time link for {user}', linkText: 'It sets a new password. Earlier links no longer work.', makeLink: 'Make the link', disableTitle: 'Disable {user}', disableText: 'Their sessions, tokens and links end at once. Nothing that they did is undone.', enableTitle: 'Enable {user}', enableText: 'They can sign in again, with the roles from before.',
    secretTitle: 'Send this link to {user}', secretText: 'It is shown only now, works once, and for a day.', secretDone: 'I have sent it', done: 'Done.', lastOf: '{shown} of {all}',
  },
  zh: {
    title: '人员', lead: '谁可以登录，可以做什么。', add: '添加人员', search: '搜索', searchHint: '名称、邮箱或角色', show: '状态', active: '启用', disabledOnes: '停用', all: '全部',
    name: '名称', roles: '角色', origin: '账户来源', state: '状态', since: '创建时间', email: '电子邮箱', here: '本中心', enabled: '启用', disabled: '已停用', waiting: '尚未设置密码', you: '您', none: '没有角色', accounts: '账户',
    nothing: '没有匹配的人员', nothingText: '更改搜索条件以查看其他账户。', created: '创建', lastSignIn: '上次登录', never: '从未', changed: '更改', password: '密码', hasPassword: '已设置', noPassword: '未设置；可用一次性链接设置', elsewhere: '由身份服务器管理',
    edit: '编辑', link: '新的一次性链接', disable: '停用', enable: '启用', log: '操作记录', ownHint: '这是您自己。您的账户须由其他管理人员更改。',
    addTitle: '添加人员', editTitle: '编辑 {user}', user: '登录名', userHint: '小写字母和数字，例如 ann。', display: '显示名称', emailHint: '审批时，邮箱相同的账户视为同一人。', rolesHint: '角色可以限定于某个租户或带有某些标签的规则。',
    role: '角色', tenant: '租户', tenantHint: '全部', labels: '标签', labelsHint: 'team=shop', another: '添加角色', removeRole: '移除此角色', cancel: '取消', next: '继续', badLabels: 'labels: {text}（应为：例如 team=shop tier=gold）', needTenant: '租户管理员必须指定租户。',
    createTitle: '创建账户 {user}', createText: '结果中会有一个链接，一天内有效，只能使用一次。请发送给本人，由其设置密码。', create: '创建账户', saveTitle: '更改 {user}', saveText: '其会话将结束，新角色立即生效，令牌也随之变化。', save: '保存',
    linkTitle: '为 {user} 生成一次性链接', linkText: '用于设置新密码。之前的链接将失效。', makeLink: '生成链接', disableTitle: '停用 {user}', disableText: '其会话、令牌和链接立即结束。已执行的操作不会撤销。', enableTitle: '启用 {user}', enableText: '可以再次登录，角色与之前相同。',
    secretTitle: '请将此链接发送给 {user}', secretText: '仅显示一次，一天内有效，只能使用一次。', secretDone: '已发送', done: '已完成。', lastOf: '显示 {shown} 个，共 {all} 个',
  },
});

const STATES = ['active', 'disabled', 'all'];

function labelsText(labels) {
  return Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`).join(' ');
}

/** Returns the labels of a text such as team=shop; null if it is no such text. */
function labelsOf(text) {
  const pairs = text.trim().split(/\s+/).filter(Boolean).map((each) => each.split('='));
  return pairs.every((pair) => pair.length === 2 && pair[0] && pair[1]) ? Object.fromEntries(pairs) : null;
}

/** The form for a new account, or for another one's names and roles. */
const Form = {
  props: ['user'],
  emits: ['close', 'done'],
  setup(props, { emit }) {
    const old = props.user;
    const values = reactive({
      user: '', display: old?.display_name ?? '', email: old?.email ?? '',
      grants: (old?.roles ?? [{ role: 'viewer' }]).map((grant) => ({ role: grant.role, tenant: grant.tenant ?? '', labels: labelsText(grant.labels) })),
    });
    const error = ref(null);

    const roles = () => values.grants.map((grant) => {
      const labels = labelsOf(grant.labels);
      return { role: grant.role, ...(grant.tenant.trim() ? { tenant: grant.tenant.trim() } : {}), ...(labels && Object.keys(labels).length > 0 ? { labels } : {}) };
    });

    const submit = async (event) => {
      event.preventDefault();
      const wrong = values.grants.find((grant) => labelsOf(grant.labels) === null);
      error.value = wrong ? () => t('badLabels', { text: wrong.labels }) : values.grants.some((grant) => grant.role === 'tenant_administrator' && !grant.tenant.trim()) ? () => t('needTenant') : null;
      if (error.value) {
        return;
      }
      const fields = { display_name: values.display.trim() || values.user.trim(), email: values.email.trim(), roles: roles() };
      const answer = old
        ? await ask({ title: t('saveTitle', { user: old.user }), text: () => html`${t('saveText')}<div class="asked-roles">${roleTags(roles())}</div>`, action: t('save'), danger: true,
          call: ({ reason }) => ({ method: 'PUT', path: `/api/users/${old.id}`, body: { ...fields, revision: old.revision, reason } }) })
        : await ask({ title: t('createTitle', { user: values.user.trim() }), text: () => html`${t('createText')}<div class="asked-roles">${roleTags(roles())}</div>`, action: t('create'), reason: 'optional',
          call: ({ reason }) => ({ method: 'POST', path: '/api/users', body: { user: values.user.trim(), ...fields, reason } }) });
      if (answer) {
        emit('done', answer);
      }
    };

    const field = (name, label, { hint = '', ...more } = {}) => html`
      <div class="field"><label for=${`person-${name}`}>${label}</label>
        <input id=${`person-${name}`} value=${values[name]} autocomplete="off" spellcheck="false" autocapitalize="none" ...${more} aria-describedby=${hint ? `person-${name}-hint` : null}
          onInput=${(event) => { values[name] = event.target.value; }} />
        ${hint && html`<p class="hint" id=${`person-${name}-hint`}>${hint}</p>`}</div>`;

    const grantRow = (grant, i) => html`
      <div class="grant" key=${i} role="group" aria-label=${`${t('role')} ${i + 1}`}>
        <label class="wide-cell"><span>${t('role')}</span><select id=${`role-${i}`} onChange=${(event) => { grant.role = event.target.value; }}>
          ${ROLES.map((role) => html`<option key=${role} value=${role} selected=${role === grant.role}>${nameOf(role)}</option>`)}</select></label>
        <p class="hint wide-cell">${roleText(grant.role)}</p>
        ${grant.role !== 'administrator' && html`
          <label><span>${t('tenant')}</span><input id=${`tenant-${i}`} value=${grant.tenant} placeholder=${t('tenantHint')} autocomplete="off" spellcheck="false" onInput=${(event) => { grant.tenant = event.target.value; }} /></label>
          <label><span>${t('labels')}</span><input id=${`labels-${i}`} value=${grant.labels} placeholder=${t('labelsHint')} autocomplete="off" spellcheck="false" onInput=${(event) => { grant.labels = event.target.value; }} /></label>`}
        ${values.grants.length > 1 && html`<button type="button" class="quiet" aria-label=${t('removeRole')} title=${t('removeRole')} onClick=${() => values.grants.splice(i, 1)}>×</button>`}
      </div>`;

    return () => drawer({ id: 'person-form', title: old ? t('editTitle', { user: old.user }) : t('addTitle'), onClose: () => emit('close') }, html`
      <form onSubmit=${submit}>
        ${!old && field('user', t('user'), { hint: t('userHint'), required: true, maxlength: 100 })}
        ${field('display', t('display'), { maxlength: 300 })}
        ${field('email', t('email'), { type: 'email', hint: t('emailHint') })}
        <div class="field"><strong>${t('roles')}</strong><p class="hint">${t('rolesHint')}</p>
          <div class="grants">${values.grants.map((grant, i) => grantRow(grant.role === 'administrator' ? Object.assign(grant, { tenant: '', labels: '' }) : grant, i))}</div></div>
        <button type="button" class="quiet" id="another-role" onClick=${() => values.grants.push({ role: 'viewer', tenant: '', labels: '' })}>+ ${t('another')}</button>
        <div role="alert" class=${error.value ? 'message error' : 'message'}>${error.value?.()}</div>
        <div class="drawer-actions"><button type="submit" class="primary" id="person-next">${t('next')}</button>
          <button type="button" class="secondary" onClick=${() => emit('close')}>${t('cancel')}</button></div>
      </form>`);
  },
};

export default {
  setup() {
    const users = useData(() => get('/api/users'), { every: 60_000 });
    const linked = ref(null);
    const state = () => (STATES.includes(route.query.state) ? route.query.state : 'active');
    const chosen = computed(() => users.data.value?.find((user) => String(user.id) === route.query.user) ?? null);
    // The log knows it, for those who may see the log.
    const signedIn = useData(async () => (chosen.value && can('see_log')
      ? { at: (await get('/api/audit', { actor: `user:${chosen.value.user}`, kind: 'sign_in', outcome: 'done', limit: 1 }))[0]?.at ?? null } : null),
    { every: 60_000, watch: () => chosen.value?.user });
    const isOwn = (user) => user.user === me.value?.user && user.origin === me.value?.origin;

    const text = (user) => [user.user, user.display_name, user.email, user.origin, ...user.roles.flatMap((grant) => [grant.role, nameOf(grant.role), grant.tenant ?? '', labelsText(grant.labels)])].join(' ').toLowerCase();
    const rows = computed(() => (users.data.value ?? [])
      .filter((user) => (state() === 'all' || user.disabled === (state() === 'disabled')) && text(user).includes((route.query.q ?? '').trim().toLowerCase()))
      .sort((a, b) => a.user.localeCompare(b.user)));

    const finished = (answer) => {
      users.reload();
      if (answer.link) {
        linked.value = answer;
        setQuery({ form: '', user: '' });
      } else {
        toast(t('done'));
        setQuery({ form: '' });
      }
    };

    const act = async (question) => {
      const answer = await ask(question);
      if (answer) {
        finished(answer);
      }
    };
    const newLink = (user) => act({ title: t('linkTitle', { user: user.user }), text: t('linkText'), action: t('makeLink'), reason: 'optional',
      call: ({ reason }) => ({ method: 'POST', path: `/api/users/${user.id}/link`, body: { reason } }) });
    const disable = (user) => act({ title: t('disableTitle', { user: user.user }), text: t('disableText'), action: t('disable'), danger: true,
      call: ({ reason }) => ({ method: 'DELETE', path: `/api/users/${user.id}`, body: { reason } }) });
    const enable = (user) => act({ title: t('enableTitle', { user: user.user }), text: t('enableText'), action: t('enable'),
      call: ({ reason }) => ({ method: 'PUT', path: `/api/users/${user.id}`, body: { disabled: false, revision: user.revision, reason } }) });

    const stateOf = (user) => {
      if (user.disabled) {
        return dot('', t('disabled'));
      }
      return user.origin === 'local' && !user.has_password ? dot('warn', t('waiting')) : dot('good', t('enabled'));
    };
    const originOf = (user) => (user.origin === 'local' ? t('here') : user.origin);

    const columns = computed(() => [
      { name: 'name', label: t('name'), wide: true, cell: (user) => html`<div><a href=${href('/people', { ...route.query, user: user.id })} id=${`user-${user.user}`}>${user.display_name || user.user}</a>${
        isOwn(user) ? html` ${badge(t('you'), 'info')}` : ''}<div class="soft small mono">${user.user}</div></div>` },
      { name: 'roles', label: t('roles'), wide: true, cell: (user) => (user.roles.length > 0 ? roleTags(user.roles) : html`<span class="soft">${t('none')}</span>`) },
      { name: 'email', label: t('email'), cell: (user) => user.email || '–' },
      { name: 'origin', label: t('origin'), cell: originOf },
      { name: 'state', label: t('state'), className: 'nowrap', cell: stateOf },
      { name: 'since', label: t('since'), end: true, className: 'nowrap', cell: (user) => timeAgo(user.created_at) },
    ]);

    const details = (user) => drawer({ id: 'person', title: user.display_name || user.user, onClose: () => setQuery({ user: '' }) }, html`
      ${facts([
        [t('name'), html`<span class="mono">${user.user}</span>`], [t('email'), user.email], [t('state'), stateOf(user)], [t('origin'), originOf(user)],
        [t('roles'), user.roles.length > 0 ? roleTags(user.roles) : t('none')],
        [t('password'), user.origin === 'local' ? t(user.has_password ? 'hasPassword' : 'noPassword') : t('elsewhere')],
        [t('lastSignIn'), can('see_log') ? (!signedIn.data.value ? '…' : signedIn.data.value.at ? timeAgo(signedIn.data.value.at) : t('never')) : null],
        [t('created'), timeAt(user.created_at)], [t('changed'), timeAt(user.changed_at)],
      ])}
      ${isOwn(user) ? html`<p class="note own-note">${t('ownHint')}</p>` : html`
        <div class="drawer-actions">
          <button type="button" class="primary" id="edit" onClick=${() => setQuery({ form: 'edit' })}>${t('edit')}</button>
          ${!user.disabled && user.origin === 'local' && html`<button type="button" class="secondary" id="new-link" onClick=${() => newLink(user)}>${t('link')}</button>`}
          ${user.disabled
            ? html`<button type="button" class="secondary" id="enable" onClick=${() => enable(user)}>${t('enable')}</button>`
            : html`<button type="button" class="outline-danger" id="disable" onClick=${() => disable(user)}>${t('disable')}</button>`}
        </div>`}
      ${can('see_log') && html`<p class="fold"><a href=${href('/audit', { actor: user.user })}>${t('log')}</a></p>`}`);

    return () => html`
      ${head({ title: t('title'), lead: t('lead'), actions: html`<button type="button" class="primary" id="add-person" onClick=${() => setQuery({ form: 'add', user: '' })}>${t('add')}</button>` })}
      ${linked.value && html`<div class="secret" id="new-link-panel" role="status"><strong>${t('secretTitle', { user: linked.value.display_name || linked.value.user })}</strong>
        <p>${t('secretText')}</p>${commandLine(linked.value.link)}
        <div class="secret-end"><button type="button" class="secondary" id="link-sent" onClick=${() => { linked.value = null; }}>${t('secretDone')}</button></div></div>`}
      <div class="filters">
        ${filter({ id: 'q', label: t('search'), value: route.query.q ?? '', placeholder: t('searchHint'), width: 'wide', onInput: (value) => setQuery({ q: value }) })}
        ${choice({ id: 'state', label: t('show'), value: state(), onChange: (value) => setQuery({ state: value === 'active' ? '' : value }),
          options: [{ value: 'active', label: t('active') }, { value: 'disabled', label: t('disabledOnes') }, { value: 'all', label: t('all') }] })}
      </div>
      ${users.data.value && (rows.value.length === 0
        ? panel({ id: 'nobody' }, empty({ title: t('nothing'), text: t('nothingText') }))
        : panel({ id: 'people', title: t('accounts'), note: t('lastOf', { shown: number(rows.value.length), all: number(users.data.value.length) }), tight: true },
          table({ id: 'accounts', caption: t('accounts'), rows: rows.value, rowKey: (user) => user.id, columns: columns.value, chosen: chosen.value?.id ?? null,
            onRow: (user) => setQuery({ user: user.id }, { step: true }) })))}
      ${route.query.form === 'add' ? h(Form, { key: 'add', onClose: () => setQuery({ form: '' }), onDone: finished })
        : chosen.value && route.query.form === 'edit' && !isOwn(chosen.value) ? h(Form, { key: `edit-${chosen.value.id}-${chosen.value.revision}`, user: chosen.value, onClose: () => setQuery({ form: '' }), onDone: finished })
          : chosen.value && details(chosen.value)}`;
  },
};
