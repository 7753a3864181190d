import { onMounted, ref } from '/assets/vue.js';
import { call, serverAddress, session, target } from '/assets/api.js';
import { divider, focus, frame, heading, html, messages, passkeyButton, passwordField, status, submit } from '/assets/parts.js';
import { usePasskey } from '/assets/passkeys.js';
import { problem, t } from '/assets/texts.js';

/** Presenting a password or passkey again before something sensitive. */
export const stepUp = {
  setup() {
    const page = status();
    const user = ref('');
    const password = ref('');
    const shown = ref(false);
    const server = ref(null);

    onMounted(() => page.run(async () => {
      const now = await session();
      if (!now.signed_in) {
        location.replace(`/sign-in?to=${encodeURIComponent(target().slice(location.origin.length))}`);
        return;
      }
      const me = await call('GET', '/api/me');
      user.value = me.user;
      server.value = now.ways.servers.find((each) => each.name === me.origin) ?? null;
      page.error.value = problem();
      focus(server.value ? 'title' : 'password');
    }));

    const withPassword = () => page.run(async () => {
      await call('POST', '/api/session/factor', { password: password.value });
      location.assign(target());
    }, {
      texts: { 400: 'wrongPasswordOnly', 401: 'wrongPasswordOnly' },
      handle: () => { password.value = ''; focus('password'); },
    });

    const withPasskey = () => page.run(async () => {
      await usePasskey();
      location.assign(target());
    }, { texts: { 401: 'passkeyRefused' } });

    return () => frame(t('stepUpTitle'), html`
      ${heading(t('stepUpTitle'))}
      ${user.value && html`<p class="lead">${t('stepUpText', { user: user.value })}</p>`}
      ${messages(page)}
      ${server.value
        ? html`<a class="button primary" id="server" href=${serverAddress(server.value, true)}>${t('withServer', { title: server.value.title })}</a>`
        : html`<form onSubmit=${(event) => { event.preventDefault(); withPassword(); }}>
            <input class="unseen" type="text" name="user" autocomplete="username" value=${user.value} readonly
              tabindex="-1" aria-hidden="true" />
            ${passwordField({ id: 'password', label: t('password'), model: password, shown, autocomplete: 'current-password' })}
            ${submit(t('confirm'), page.busy)}
          </form>`}
      ${divider()}
      <div class="ways">
        ${passkeyButton({ id: 'passkey', label: t('confirmPasskey'), busy: page.busy, onClick: withPasskey })}
        <a class="button plain" id="cancel" href=${target()}>${t('cancel')}</a>
      </div>`);
  },
};
