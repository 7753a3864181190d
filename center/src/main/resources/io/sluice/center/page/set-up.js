import { onMounted, ref } from '/assets/vue.js';
import { call, session } from '/assets/api.js';
import { field, focus, frame, heading, html, messages, passkeyButton, passwordFault, passwordField, status, submit } from '/assets/parts.js';
import { addPasskey, deviceName } from '/assets/passkeys.js';
import { t } from '/assets/texts.js';

/** Setting an account up with a link that works once. */
export const setUp = {
  setup() {
    const page = status();
    const link = location.hash.slice(1);
    const step = ref('look');
    const known = ref(null);
    const user = ref('');
    const email = ref('');
    const password = ref('');
    const again = ref('');
    const shown = ref(false);

    onMounted(() => page.run(async () => {
      if (!link) {
        page.error.value = () => t('linkMissing');
        return;
      }
      await session();
      known.value = (await call('POST', '/api/set-up/look', { link })).user;
      step.value = 'form';
      focus(known.value ? 'password' : 'user');
    }, { texts: { 400: 'linkUsed', 404: 'linkUsed' } }));

    const create = () => {
      const fault = passwordFault(password.value, again.value);
      if (fault) {
        page.error.value = fault;
        focus(password.value === again.value ? 'password' : 'again');
        return;
      }
      page.run(async () => {
        const body = { link, password: password.value };
        if (!known.value) {
          body.user = user.value;
          if (email.value) {
            body.email = email.value;
          }
        }
        await call('POST', '/api/set-up', body);
        password.value = '';
        again.value = '';
        history.replaceState(null, '', '/set-up');
        step.value = 'offer';
        focus('title');
      }, { texts: { 404: 'linkUsed' } });
    };

    const add = () => page.run(async () => {
      await addPasskey(deviceName());
      location.assign('/');
    });

    const form = () => html`
      ${heading(t(known.value ? 'setUpTitle' : 'setUpFirst'))}
      <p class="lead">${known.value ? t('setUpFor', { user: known.value }) : t('setUpFirstHint')}</p>
      ${messages(page)}
      <form onSubmit=${(event) => { event.preventDefault(); create(); }}>
        ${known.value
          ? html`<input class="unseen" type="text" name="user" autocomplete="username" value=${known.value} readonly
              tabindex="-1" aria-hidden="true" />`
          : [
              field({ id: 'user', label: t('user'), model: user, autocomplete: 'username', maxlength: 100 }),
              field({ id: 'email', label: t('email'), model: email, type: 'email', autocomplete: 'email', required: false, maxlength: 200 }),
            ]}
        ${passwordField({ id: 'password', label: t('password'), model: password, shown, hint: t('passwordHint'), autocomplete: 'new-password' })}
        ${passwordField({ id: 'again', label: t('repeatPassword'), model: again, shown, autocomplete: 'new-password', button: false })}
        ${submit(t(known.value ? 'setPassword' : 'createAccount'), page.busy)}
      </form>`;

    const offer = () => html`
      ${heading(t('offerTitle'))}
      <p class="lead">${t('offerText')}</p>
      ${messages(page)}
      <div class="ways">
        ${passkeyButton({ id: 'add', label: t('offerAdd'), busy: page.busy, onClick: add, primary: true })}
        <a class="button plain" id="later" href="/">${t('offerLater')}</a>
      </div>`;

    const look = () => html`
      ${heading(t('setUpTitle'))}
      ${page.busy.value && html`<p class="lead">${t('setUpChecking')}</p>`}
      ${messages(page)}`;

    return () => frame(t('setUpTitle'), { look, form, offer }[step.value]());
  },
};
