import { onMounted, ref } from '/assets/vue.js';
import { call, detour, session } from '/assets/api.js';
import { frame, heading, html, messages, status } from '/assets/parts.js';
import { told } from '/assets/retention-texts.js';
import { t } from '/assets/texts.js';

const PLACES = ['center', 'redis', 'node', 'outside'];

/** What the fleet keeps, for how long, and what removes it. */
export const retention = {
  setup() {
    const page = status();
    const kinds = ref([]);
    const personalOnly = ref(false);

    const leave = (failure) => {
      if (failure.status !== 401) {
        return false;
      }
      location.replace(detour('/sign-in'));
      return true;
    };

    onMounted(() => page.run(async () => {
      const now = await session();
      if (!now.signed_in) {
        location.replace(detour('/sign-in'));
        return;
      }
      kinds.value = await call('GET', '/api/retention');
    }, { handle: leave }));

    const row = (label, text) => html`<div class="fact"><dt>${label}</dt><dd>${text}</dd></div>`;

    const item = (kind) => {
      const words = told(kind);
      return html`
        <li class="kind" id=${`kind-${kind.id}`} key=${kind.id}>
          <h3>${words.title}${kind.personal && html`<span class="badge">${t('personal')}</span>`}</h3>
          <p class="hint">${words.what}</p>
          <dl class="facts">
            ${row(t('kept'), words.howLong)}
            ${row(t('ends'), words.ends)}
            ${kind.personal && row(t('erasure'), words.erased)}
          </dl>
        </li>`;
    };

    const place = (name) => {
      const here = kinds.value.filter((kind) => kind.where === name && (kind.personal || !personalOnly.value));
      return here.length > 0 && html`
        <section aria-labelledby=${`place-${name}`} key=${name}>
          <h2 id=${`place-${name}`}>${t(`place_${name}`)}</h2>
          <p class="hint">${t(`place_${name}_hint`)}</p>
          <ul class="kinds">${here.map(item)}</ul>
        </section>`;
    };

    const content = () => html`
      ${heading(t('retentionTitle'))}
      <p class="lead">${t('retentionLead')}</p>
      ${messages(page)}
      ${kinds.value.length > 0 && html`
        <label class="choice" for="personal-only">
          <input type="checkbox" id="personal-only" checked=${personalOnly.value}
            onChange=${(event) => { personalOnly.value = event.target.checked; }} />
          ${t('personalOnly')}
        </label>
        ${PLACES.map(place)}`}`;

    const aside = () => html`<a class="button quiet" id="to-account" href="/account">${t('accountTitle')}</a>`;

    return () => frame(t('retentionTitle'), content(), { wide: true, aside: aside() });
  },
};
