// Short news at the edge of the page: what was done, and what cannot be done.
import { ref } from '/assets/vue.js';
import { html } from '/assets/parts.js';

const news = ref([]);
let last = 0;

/** Shows a text for a while. Kinds: good, bad. */
export function toast(text, kind = 'good') {
  const id = ++last;
  news.value = [...news.value, { id, text, kind }];
  setTimeout(() => { news.value = news.value.filter((each) => each.id !== id); }, 6000);
}

export const toastPlace = {
  setup() {
    return () => html`<div class="toasts" role="status" aria-live="polite" id="toasts">
      ${news.value.map((each) => html`<div key=${each.id} class=${`toast ${each.kind}`}>${each.text}</div>`)}</div>`;
  },
};
