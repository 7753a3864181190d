import { onMounted, ref } from '/assets/vue.js';
import { call, serverAddress, session, target } from '/assets/api.js';
import { divider, field, focus, frame, heading, html, messages, passkeyButton, passwordField, status, submit } from '/assets/parts.js';
import { usePasskey } from '/assets/passkeys.js';
import { problem, t } from '/assets/texts.js';

/** Signing in with a password, a passkey or an identity server. */
export const signIn = {
  setup() {
    const page = status();
    const user = ref('');
    const password = ref('');
    const shown = ref(false);
    const servers = ref([]);

    onMounted(() => page.run(async () => {
      const now = await session();
      if (now.signed_in) {
        // Somebody who presents a factor again comes back here if the identity server refuses.
        location.replace(problem() ? `/step-up${location.search}` : target());
        return;
      }
      servers.value = now.ways.servers;
      page.error.value = problem();
      focus('user');
    }));

    const withPassword = () => page.run(async () => {
      await call('POST', '/api/session', { user: user.value, password: password.value });
      location.assign(target());
    }, {
      texts: { 400: 'wrongPassword', 401: 'wrongPassword' },
      handle: (failure) => {
        password.value = '';
        focus('password');
        if (failure.message?.startsWith('role: ')) {
          page.error.value = () => t('problem_no_role');
          return true;
        }
        return false;
      },
    });

    const withPasskey = () => page.run(async () => {
      await usePasskey();
      location.assign(target());
    }, {
      texts: { 401: 'passkeyRefused' },
      handle: (failure) => {
        if (failure.message?.startsWith('passkey: cannot be used')) {
          page.error.value = () => t('passkeyRests');
          return true;
        }
        return false;
      },
    });

    return () => frame(t('signInTitle'), html`
      ${heading(t('signInTitle'))}
      ${messages(page)}
      <form onSubmit=${(event) => { event.preventDefault(); withPassword(); }}>
        ${field({ id: 'user', label: t('user'), model: user, autocomplete: 'username', maxlength: 200 })}
        ${passwordField({ id: 'password', label: t('password'), model: password, shown, autocomplete: 'current-password' })}
        ${submit(t('signIn'), page.busy)}
      </form>
      ${divider()}
      <div class="ways">
        ${passkeyButton({ id: 'passkey', label: t('withPasskey'), busy: page.busy, onClick: withPasskey })}
        ${servers.value.map((server) => html`
          <a class="button secondary" key=${server.name} href=${serverAddress(server, false)}>${t('withServer', { title: server.title })}</a>`)}
      </div>`);
  },
};
