// Tokens of programs: the own ones, and those of others for people who manage tokens.
import { computed, h, reactive, ref } from '/assets/vue.js';
import { explain, html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { now, useData } from '/assets/console/data.js';
import { ask } from '/assets/console/dialog.js';
import { moment, number, span } from '/assets/console/format.js';
import { can, canEverywhere, me } from '/assets/console/me.js';
import { route, setQuery } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { badge, choice, commandLine, dot, drawer, empty, head, panel, table, timeAgo, timeAt } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { SCOPES, scopeText } from '/assets/views/roles.js';

const t = words({
  en: {
    title: 'Tokens', lead: 'Programs and nodes show a token instead of a password. A token never has more rights than its owner has now.', make: 'Make a token', show: 'State', valid: 'Valid', ended: 'Ended', all: 'All', whose: 'Whose', mine: 'Yours', everybody: 'Everybody’s',
    name: 'Name', owner: 'Owner', machine: 'made on the machine', scopes: 'Scopes', tenant: 'Tenant', used: 'Last use', never: 'never', expires: 'Expires', inSpan: 'in {span}', made: 'Made', state: 'State', active: 'valid', revoked: 'revoked', expired: 'expired', revoke: 'Revoke', revokeOf: 'Revoke {name}', actions: 'Actions',
    revokeTitle: 'Revoke the token “{name}”', revokeText: 'Programs that use it are refused at once. It cannot be brought back.', done: 'The token was revoked.', nothing: 'No token', nothingText: 'Make one for a program here, or one for a node on the machine of the center:', noMatch: 'No token matches', more: 'More tokens',
    nameHint: 'What uses it, such as “deployment of the shop”.', tenantHint: 'Only the rules of this tenant. Leave it empty for all.', lives: 'Expires after', days: '{n} days', next: 'Continue', cancel: 'Cancel', noScope: 'Choose at least one scope.',
    askTitle: 'Make the token “{name}”', askText: 'The secret is shown once. Keep it where the program reads it, readable for its owner alone.', secretTitle: 'The secret of “{name}”', secretText: 'It is shown only now. The center keeps only its hash.', secretDone: 'I have kept it', rests: 'It rests at {time} unless you sign in through your identity server before; each such sign-in keeps it for another 24 hours.', tokens: 'Tokens',
  },
  zh: {
    title: '令牌', lead: '程序和节点使用令牌代替密码。令牌的权限永远不超过其所有者当前的权限。', make: '创建令牌', show: '状态', valid: '有效', ended: '已结束', all: '全部', whose: '所有者', mine: '您的', everybody: '所有人的',
    name: '名称', owner: '所有者', machine: '在机器上创建', scopes: '范围', tenant: '租户', used: '上次使用', never: '从未', expires: '到期', inSpan: '{span}后', made: '创建', state: '状态', active: '有效', revoked: '已撤销', expired: '已过期', revoke: '撤销', revokeOf: '撤销 {name}', actions: '操作',
    revokeTitle: '撤销令牌“{name}”', revokeText: '使用它的程序会立即被拒绝。此操作不可恢复。', done: '令牌已撤销。', nothing: '没有令牌', nothingText: '可在此为程序创建令牌，或在中心所在的机器上为节点创建：', noMatch: '没有匹配的令牌', more: '更多令牌',
    nameHint: '谁使用它，例如“商店的部署”。', tenantHint: '仅限该租户的规则。留空表示全部。', lives: '有效期', days: '{n} 天', next: '继续', cancel: '取消', noScope: '请至少选择一个范围。',
    askTitle: '创建令牌“{name}”', askText: '密文只显示一次。请保存在程序读取的位置，并仅允许所有者读取。', secretTitle: '“{name}”的密文', secretText: '仅显示这一次。中心只保存其哈希。', secretDone: '已保存', rests: '如果您在此之前没有通过身份服务器登录，它将于 {time} 暂停使用；每次登录后可再使用 24 小时。', tokens: '令牌',
  },
});

const PAGE = 200;
const SOON_MILLIS = 14 * 86_400_000;
const COMMAND = './sluice center token --scope node --name edge --in 366d --out node-token';

/** The scopes that a person's roles have. */
function allowed(scope) {
  return { read: can('read'), apply: can('edit') && can('release'), operate: can('operate'), node: canEverywhere('manage_tokens') }[scope];
}

const Form = {
  emits: ['close', 'done'],
  setup(props, { emit }) {
    const tenants = [...new Set((me.value?.roles ?? []).map((grant) => grant.tenant ?? ''))];
    const values = reactive({ name: '', scopes: [], tenant: tenants.length === 1 ? tenants[0] : '', days: '90' });
    const error = ref(null);

    const toggle = (scope) => {
      values.scopes = values.scopes.includes(scope) ? values.scopes.filter((each) => each !== scope) : [...values.scopes, scope];
    };

    const submit = async (event) => {
      event.preventDefault();
      error.value = values.scopes.length === 0 ? () => t('noScope') : null;
      if (error.value) {
        return;
      }
      const tenant = values.scopes.includes('node') ? '' : values.tenant.trim();
      const answer = await ask({
        title: t('askTitle', { name: values.name.trim() }), text: t('askText'), action: t('make'), reason: false,
        call: () => ({ method: 'POST', path: '/api/tokens', body: { name: values.name.trim(), scopes: [...values.scopes], ...(tenant ? { tenant } : {}), in: `${values.days}d` } }),
      });
      if (answer) {
        emit('done', answer);
      }
    };

    return () => drawer({ id: 'token-form', title: t('make'), onClose: () => emit('close') }, html`
      <form onSubmit=${submit}>
        <div class="field"><label for="token-name">${t('name')}</label>
          <input id="token-name" value=${values.name} required maxlength="100" autocomplete="off" aria-describedby="token-name-hint" onInput=${(event) => { values.name = event.target.value; }} />
          <p class="hint" id="token-name-hint">${t('nameHint')}</p></div>
        <fieldset class="checks field"><legend>${t('scopes')}</legend>${SCOPES.filter(allowed).map((scope) => html`
          <label key=${scope}><input type="checkbox" id=${`scope-${scope}`} checked=${values.scopes.includes(scope)} onChange=${() => toggle(scope)} />
            <span><strong class="mono">${scope}</strong><br /><span class="soft small">${scopeText(scope)}</span></span></label>`)}</fieldset>
        ${!values.scopes.includes('node') && html`<div class="field"><label for="token-tenant">${t('tenant')}</label>
          <input id="token-tenant" value=${values.tenant} autocomplete="off" spellcheck="false" aria-describedby="token-tenant-hint" onInput=${(event) => { values.tenant = event.target.value; }} />
          <p class="hint" id="token-tenant-hint">${t('tenantHint')}</p></div>`}
        <div class="field"><label for="token-days">${t('lives')}</label>
          <select id="token-days" onChange=${(event) => { values.days = event.target.value; }}>${['7', '30', '90', '180', '366'].map((days) => html`
            <option key=${days} value=${days} selected=${days === values.days}>${t('days', { n: days })}</option>`)}</select></div>
        <div role="alert" class=${error.value ? 'message error' : 'message'}>${error.value?.()}</div>
        <div class="drawer-actions"><button type="submit" class="primary" id="token-next">${t('next')}</button>
          <button type="button" class="secondary" onClick=${() => emit('close')}>${t('cancel')}</button></div>
      </form>`);
  },
};

export default {
  setup() {
    const older = ref([]);
    const noMore = ref(true);
    const first = useData(async () => {
      const newest = await get('/api/tokens', { limit: PAGE });
      older.value = [];
      noMore.value = newest.length < PAGE;
      return newest;
    }, { every: 60_000 });
    const made = ref(null);
    const state = () => (['ended', 'all'].includes(route.query.state) ? route.query.state : 'valid');
    const whose = () => (route.query.whose === 'mine' ? 'mine' : 'all');
    const rows = computed(() => [...(first.data.value ?? []), ...older.value]
      .filter((token) => (state() === 'all' || token.valid === (state() === 'valid')) && (whose() === 'all' || token.owner === me.value?.user)));

    const loadingMore = ref(false);
    const moreError = ref(null);
    const more = async () => {
      if (loadingMore.value) {
        return;
      }
      loadingMore.value = true;
      moreError.value = null;
      const newest = first.data.value;
      try {
        const next = await get('/api/tokens', { limit: PAGE, below: [...(newest ?? []), ...older.value].at(-1).id });
        // The newest ones may have been loaded again meanwhile; then the list begins anew.
        if (newest === first.data.value) {
          older.value = [...older.value, ...next];
          noMore.value = next.length < PAGE;
        }
      } catch (failure) {
        moreError.value = explain(failure);
      } finally {
        loadingMore.value = false;
      }
    };

    const revoke = async (token) => {
      if (await ask({ title: t('revokeTitle', { name: token.name }), text: t('revokeText'), action: t('revoke'), danger: true,
        call: ({ reason }) => ({ method: 'DELETE', path: `/api/tokens/${token.id}`, body: { reason } }) })) {
        toast(t('done'));
        first.reload();
      }
    };

    const finished = (answer) => {
      made.value = answer;
      setQuery({ form: '' });
      first.reload();
    };

    const stateOf = (token) => (token.valid ? dot('good', t('active')) : dot('', t(token.revoked_at ? 'revoked' : 'expired')));
    const left = (token) => new Date(token.expires_at) - now.value;

    const columns = computed(() => [
      { name: 'name', label: t('name'), wide: true, cell: (token) => html`<strong>${token.name}</strong>` },
      { name: 'owner', label: t('owner'), cell: (token) => token.owner ?? html`<span class="soft">${t('machine')}</span>` },
      { name: 'scopes', label: t('scopes'), cell: (token) => html`<span class="tags">${token.scopes.map((scope) => html`<span key=${scope}>${badge(scope, scope === 'node' ? 'info' : 'plain', scopeText(scope))}</span>`)}</span>` },
      { name: 'tenant', label: t('tenant'), cell: (token) => token.tenant ?? '–' },
      { name: 'used', label: t('used'), end: true, className: 'nowrap', cell: (token) => (token.used_at ? timeAgo(token.used_at) : html`<span class="soft">${t('never')}</span>`) },
      { name: 'expires', label: t('expires'), end: true, className: 'nowrap', cell: (token) => (token.valid
        ? html`<span class=${left(token) < SOON_MILLIS ? 'warn-text strong' : ''} title=${token.expires_at}>${t('inSpan', { span: span(left(token)) })}</span>` : timeAt(token.revoked_at ?? token.expires_at)) },
      { name: 'made', label: t('made'), end: true, className: 'nowrap', cell: (token) => timeAgo(token.created_at) },
      { name: 'state', label: t('state'), className: 'nowrap', cell: stateOf },
      { name: 'act', label: t('actions'), end: true, cell: (token) => (token.valid ? html`
        <button type="button" class="secondary small" id=${`revoke-${token.id}`} aria-label=${t('revokeOf', { name: token.name })} onClick=${() => revoke(token)}>${t('revoke')}</button>` : null) },
    ]);

    return () => html`
      ${head({ title: t('title'), lead: t('lead'), actions: html`<button type="button" class="primary" id="make-token" onClick=${() => setQuery({ form: 'make' })}>${t('make')}</button>` })}
      ${made.value && html`<div class="secret" id="new-token" role="status"><strong>${t('secretTitle', { name: made.value.token.name })}</strong>
        <p>${t('secretText')}</p>${commandLine(made.value.secret)}
        ${made.value.rests_at && html`<p id="token-rests">${t('rests', { time: moment(made.value.rests_at) })}</p>`}
        <div class="secret-end"><button type="button" class="secondary" id="token-kept" onClick=${() => { made.value = null; }}>${t('secretDone')}</button></div></div>`}
      <div class="filters">
        ${choice({ id: 'state', label: t('show'), value: state(), onChange: (value) => setQuery({ state: value === 'valid' ? '' : value }),
          options: [{ value: 'valid', label: t('valid') }, { value: 'ended', label: t('ended') }, { value: 'all', label: t('all') }] })}
        ${can('manage_tokens') && choice({ id: 'whose', label: t('whose'), value: whose(), onChange: (value) => setQuery({ whose: value === 'all' ? '' : value }),
          options: [{ value: 'all', label: t('everybody') }, { value: 'mine', label: t('mine') }] })}
      </div>
      ${first.data.value && (rows.value.length === 0
        ? panel({ id: 'no-tokens' }, first.data.value.length === 0 ? empty({ title: t('nothing'), text: t('nothingText'), command: COMMAND }) : empty({ title: t('noMatch') }))
        : panel({ id: 'token-list', title: t('tokens'), note: number(rows.value.length), tight: true }, html`
          ${table({ id: 'tokens', caption: t('tokens'), rows: rows.value, rowKey: (token) => token.id, columns: columns.value })}
          ${!noMore.value && html`<div class="more-row"><button type="button" class="secondary" id="more" aria-disabled=${String(loadingMore.value)} onClick=${more}>${t('more')}</button>
            <span class="bad-text" role="alert" id="more-error">${moreError.value?.()}</span></div>`}`))}
      ${route.query.form === 'make' && h(Form, { onClose: () => setQuery({ form: '' }), onDone: finished })}`;
  },
};
