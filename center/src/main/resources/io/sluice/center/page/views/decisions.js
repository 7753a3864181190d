import { html } from '/assets/parts.js';
import { head } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: { title: 'decisions' },
  zh: { title: 'decisions' },
});

export default {
  setup() {
    return () => html`${head({ title: t('title') })}`;
  },
};
