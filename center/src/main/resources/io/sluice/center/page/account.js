import { onMounted, ref } from '/assets/vue.js';
import { call, detour, session } from '/assets/api.js';
import { field, focus, frame, heading, html, messages, passkeyButton, passwordFault, passwordField, status, submit } from '/assets/parts.js';
import { addPasskey, deviceName } from '/assets/passkeys.js';
import { day, t } from '/assets/texts.js';

/** The account of the person who is signed in. */
export const account = {
  setup() {
    const page = status();
    const me = ref(null);
    const servers = ref([]);
    const passkeys = ref([]);
    const label = ref(deviceName());
    const doubted = ref(0);
    const password = ref('');
    const again = ref('');
    const shown = ref(false);

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

    const load = async () => {
      passkeys.value = await call('GET', '/api/me/passkeys');
    };

    onMounted(() => run(async () => {
      const now = await session();
      if (!now.signed_in) {
        location.replace('/sign-in');
        return;
      }
      servers.value = now.ways.servers;
      me.value = await call('GET', '/api/me');
      await load();
    }));

    const add = () => run(async () => {
      const added = await addPasskey(label.value);
      await load();
      page.news.value = () => t('passkeyAdded', { label: added.label });
      label.value = '';
    });

    const remove = (passkey) => run(async () => {
      doubted.value = 0;
      await call('DELETE', `/api/me/passkeys/${passkey.id}`);
      await load();
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

    const signOut = () => run(async () => {
      await call('DELETE', '/api/session');
      location.assign('/sign-in');
    });

    const passkeyItem = (passkey) => html`
      <li class="item" key=${passkey.id}>
        <div class="item-text">
          <strong>${passkey.label}</strong>
          <span class="hint">${t('added', { date: day(passkey.created_at) })} ·
            ${' '}${passkey.last_used_at ? t('lastUsed', { date: day(passkey.last_used_at) }) : t('neverUsed')}${
              passkey.backed_up ? ` · ${t('backedUp')}` : ''}</span>
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
      : html`<p class="hint">${t('passwordElsewhere', {
          origin: servers.value.find((each) => each.name === me.value.origin)?.title ?? me.value.origin,
        })}</p>`);

    const aside = () => me.value && html`
      <a class="button quiet" id="to-retention" href="/retention">${t('retentionLink')}</a>
      <button type="button" class="quiet" id="sign-out" onClick=${signOut}>${t('signOut')}</button>`;

    const content = () => html`
      ${heading(t('accountTitle'))}
      ${me.value && html`<p class="lead" id="who">${t('signedInAs', { user: me.value.user })}</p>`}
      ${messages(page)}
      ${me.value && html`
        <section aria-labelledby="passkeys">
          <h2 id="passkeys" tabindex="-1">${t('passkeys')}</h2>
          <p class="hint">${t('passkeysHint')}</p>
          ${passkeys.value.length
            ? html`<ul class="items">${passkeys.value.map(passkeyItem)}</ul>`
            : html`<p class="empty">${t('noPasskeys')}</p>`}
          <form onSubmit=${(event) => { event.preventDefault(); add(); }}>
            ${field({ id: 'label', label: t('passkeyLabel'), model: label, hint: t('passkeyLabelHint'), required: false, maxlength: 100 })}
            ${passkeyButton({ id: 'add', label: t('addPasskey'), busy: page.busy, onClick: add })}
          </form>
        </section>
        <section aria-labelledby="change-password">
          <h2 id="change-password">${t('changePassword')}</h2>
          ${passwordSection()}
        </section>`}`;

    return () => frame(t('accountTitle'), content(), { wide: true, aside: aside() });
  },
};
