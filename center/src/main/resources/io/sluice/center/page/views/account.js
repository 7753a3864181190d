// The account of the person who is signed in: passkeys, password, roles.
import { h, ref } from '/assets/vue.js';
import { call, detour, session } from '/assets/api.js';
import { field, focus, html, messages, passkeyButton, passwordFault, passwordField, status, submit } from '/assets/parts.js';
import { addPasskey, deviceName } from '/assets/passkeys.js';
import { day, t } from '/assets/texts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { moment } from '/assets/console/format.js';
import { can, me } from '/assets/console/me.js';
import { facts, head, timeAgo } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { nameOf, reachText, roleText } from '/assets/views/roles.js';

const own = words({
  en: { who: 'Who you are', name: 'Name', display: 'Shown as', email: 'E-mail', origin: 'Account of', local: 'this center', confirmed: 'Last confirmed',
    roles: 'Roles', rights: 'What you may do', noRoles: 'You have no role. Ask an administrator for one.', of: 'for {reach}', tokens: 'Your tokens',
    factor_password: 'password', factor_webauthn: 'passkey', factor_authorization_code: 'identity server' },
  zh: { who: '您的身份', name: '用户名', display: '显示名称', email: '电子邮箱', origin: '账户来源', local: '本中心', confirmed: '上次验证',
    roles: '角色', rights: '您可以做什么', noRoles: '您没有角色，请联系管理员分配。', of: '范围：{reach}', tokens: '您的令牌',
    factor_password: '密码', factor_webauthn: '通行密钥', factor_authorization_code: '身份服务器' },
});

const FACTORS = ['password', 'webauthn', 'authorization_code'];

/** Who it is. Times move each second, so this is a part of its own: fields beside it are not drawn again while somebody types. */
const Who = {
  props: ['origin'],
  setup(props) {
    const factors = () => html`${me.value.factors.map((factor, i) => html`${i > 0 ? ', ' : ''}${
      FACTORS.includes(factor.factor) ? own(`factor_${factor.factor}`) : factor.factor} ${timeAgo(factor.at)}`)}`;

    return () => html`
      <section class="panel" aria-labelledby="who-title">
        <div class="panel-head"><h2 id="who-title">${own('who')}</h2></div>
        ${facts([
          [own('name'), html`<span class="mono">${me.value.user}</span>`], [own('display'), me.value.display_name], [own('email'), me.value.email],
          [own('origin'), me.value.origin === 'local' ? own('local') : props.origin],
          [own('confirmed'), me.value.factors.length > 0 ? factors() : null],
        ])}
      </section>
      <section class="panel" aria-labelledby="roles-title" id="roles">
        <div class="panel-head"><h2 id="roles-title">${own('roles')}</h2></div>
        ${me.value.roles.length === 0
          ? html`<p class="soft">${own('noRoles')}</p>`
          : html`<ul class="plain-list">${me.value.roles.map((grant, i) => html`
              <li key=${i}><strong>${nameOf(grant.role)}</strong> <span class="soft">${own('of', { reach: reachText(grant) })}</span>
                <div class="soft small">${roleText(grant.role)}</div></li>`)}</ul>`}
        ${me.value.rights.length > 0 && html`
          <h3 class="small-head">${own('rights')}</h3>
          <ul class="ticks">${me.value.rights.filter((right) => right !== 'report' && can(right)).map((right) => html`<li key=${right}>${nameOf(right)}</li>`)}</ul>`}
      </section>`;
  },
};

export default {
  setup() {
    const page = status();
    const label = ref(deviceName());
    const doubted = ref(0);
    const password = ref('');
    const again = ref('');
    const shown = ref(false);
    const passkeys = useData(() => get('/api/me/passkeys'));
    const servers = useData(async () => (await session()).ways.servers);

    const leave = (failure) => {
      if (failure.needsFactor) {
        location.assign(detour('/step-up'));
        return true;
      }
      if (failure.status === 401) {
        location.assign(detour('/sign-in'));
        return true;
      }
      return false;
    };
    const run = (work) => page.run(work, { handle: leave });

    const add = () => run(async () => {
      const added = await addPasskey(label.value);
      await passkeys.reload();
      page.news.value = () => t('passkeyAdded', { label: added.label });
      label.value = '';
    });

    const remove = (passkey) => run(async () => {
      doubted.value = 0;
      await call('DELETE', `/api/me/passkeys/${passkey.id}`);
      await passkeys.reload();
      page.news.value = () => t('passkeyRemoved', { label: passkey.label });
      focus('passkeys');
    });

    const change = () => {
      const fault = passwordFault(password.value, again.value);
      if (fault) {
        page.news.value = null;
        page.error.value = fault;
        focus(password.value === again.value ? 'password' : 'again');
        return;
      }
      run(async () => {
        await call('PUT', '/api/me/password', { password: password.value });
        password.value = '';
        again.value = '';
        const now = await session();
        if (!now.signed_in) {
          location.assign('/sign-in');
          return;
        }
        page.news.value = () => t('passwordChanged');
      });
    };

    const originTitle = () => servers.data.value?.find((each) => each.name === me.value.origin)?.title ?? me.value.origin;

    const passkeyItem = (passkey) => html`
      <li class="item" key=${passkey.id}>
        <div class="item-text">
          <strong>${passkey.label}</strong>
          <span class="hint">${t('added', { date: day(passkey.created_at) })} ·
            ${' '}${passkey.last_used_at ? t('lastUsed', { date: day(passkey.last_used_at) }) : t('neverUsed')}${
              passkey.backed_up ? ` · ${t('backedUp')}` : ''}${
              passkey.rests_at ? ` · ${t('restsAt', { time: moment(passkey.rests_at), origin: originTitle() })}` : ''}</span>
        </div>
        ${doubted.value === passkey.id
          ? html`<div class="doubt" role="group" aria-labelledby=${`sure-${passkey.id}`}>
              <p id=${`sure-${passkey.id}`}>${t('removeSure', { label: passkey.label })}</p>
              <div class="row">
                <button type="button" class="danger" id=${`remove-yes-${passkey.id}`}
                  onClick=${() => remove(passkey)}>${t('removeYes')}</button>
                <button type="button" class="secondary"
                  onClick=${() => { doubted.value = 0; focus(`remove-${passkey.id}`); }}>${t('keep')}</button>
              </div>
            </div>`
          : html`<button type="button" class="quiet" id=${`remove-${passkey.id}`}
              aria-label=${t('removeOf', { label: passkey.label })}
              onClick=${() => { doubted.value = passkey.id; focus(`remove-yes-${passkey.id}`); }}>${t('remove')}</button>`}
      </li>`;

    const passwordSection = () => (me.value.origin === 'local'
      ? html`<form onSubmit=${(event) => { event.preventDefault(); change(); }}>
          <p class="hint">${t('changePasswordHint')}</p>
          <input class="unseen" type="text" name="user" autocomplete="username" value=${me.value.user} readonly
            tabindex="-1" aria-hidden="true" />
          ${passwordField({ id: 'password', label: t('newPassword'), model: password, shown, hint: t('passwordHint'), autocomplete: 'new-password' })}
          ${passwordField({ id: 'again', label: t('repeatPassword'), model: again, shown, autocomplete: 'new-password', button: false })}
          ${submit(t('changePassword'), page.busy, 'change')}
        </form>`
      : html`<p class="hint">${t('passwordElsewhere', { origin: originTitle() })}</p>`);

    return () => me.value && html`
      ${head({
        title: t('accountTitle'),
        lead: html`<span id="who">${t('signedInAs', { user: me.value.user })}</span>`,
        actions: html`<a class="button secondary" id="to-tokens" href="/tokens">${own('tokens')}</a>
          <a class="button secondary" id="to-retention" href="/retention">${t('retentionLink')}</a>`,
      })}
      ${messages(page)}
      <div class="grid account">
        <div class="span-7 stack">
          <section class="panel" aria-labelledby="passkeys">
            <div class="panel-head"><h2 id="passkeys" tabindex="-1">${t('passkeys')}</h2></div>
            <p class="soft">${t('passkeysHint')}</p>
            ${passkeys.data.value?.length
              ? html`<ul class="items">${passkeys.data.value.map(passkeyItem)}</ul>`
              : html`<p class="empty">${t('noPasskeys')}</p>`}
            <form onSubmit=${(event) => { event.preventDefault(); add(); }}>
              ${field({ id: 'label', label: t('passkeyLabel'), model: label, hint: t('passkeyLabelHint'), required: false, maxlength: 100 })}
              ${passkeyButton({ id: 'add', label: t('addPasskey'), busy: page.busy, onClick: add })}
            </form>
          </section>
          <section class="panel" aria-labelledby="change-password">
            <div class="panel-head"><h2 id="change-password">${t('changePassword')}</h2></div>
            ${passwordSection()}
          </section>
        </div>
        <div class="span-5 stack">${h(Who, { origin: originTitle() })}</div>
      </div>`;
  },
};
