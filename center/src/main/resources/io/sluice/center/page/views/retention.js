// What the fleet keeps, for how long, and what removes it.
import { html } from '/assets/parts.js';
import { told } from '/assets/retention-texts.js';
import { t } from '/assets/texts.js';
import { get } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { route, setQuery } from '/assets/console/router.js';
import { badge, facts, head } from '/assets/console/ui.js';

const PLACES = ['center', 'redis', 'node', 'outside'];

export default {
  setup() {
    const kinds = useData(() => get('/api/retention'));
    const personalOnly = () => route.query.personal === 'true';

    const item = (kind) => {
      const words = told(kind);
      return html`
        <li class="kind" id=${`kind-${kind.id}`} key=${kind.id}>
          <div><h3>${words.title}</h3>${kind.personal && badge(t('personal'), 'info')}</div>
          <div><p>${words.what}</p>
            ${facts([[t('kept'), words.howLong], [t('ends'), words.ends], [t('erasure'), kind.personal ? words.erased : '']])}</div>
        </li>`;
    };

    const place = (name) => {
      const here = kinds.data.value.filter((kind) => kind.where === name && (kind.personal || !personalOnly()));
      return here.length > 0 && html`
        <section class="panel" aria-labelledby=${`place-${name}`} key=${name}>
          <div class="panel-head"><h2 id=${`place-${name}`}>${t(`place_${name}`)}</h2><span class="soft small">${t(`place_${name}_hint`)}</span></div>
          <ul class="kinds">${here.map(item)}</ul>
        </section>`;
    };

    return () => html`
      ${head({ title: t('retentionTitle'), lead: t('retentionLead'), actions: html`
        <a class="button secondary" id="to-account" href="/account">${t('accountTitle')}</a>` })}
      ${kinds.data.value && html`
        <label class="choice" for="personal-only">
          <input type="checkbox" id="personal-only" checked=${personalOnly()}
            onChange=${(event) => setQuery({ personal: event.target.checked ? 'true' : '' })} />
          ${t('personalOnly')}
        </label>
        <div class="stack retention">${PLACES.map(place)}</div>`}`;
  },
};
