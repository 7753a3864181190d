// What the pages have in common.
import htm from '/assets/htm.js';
import { h, nextTick, ref } from '/assets/vue.js';
import { Refusal } from '/assets/api.js';
import { PasskeyFailure, namedAddress, obstacle } from '/assets/passkeys.js';
import { language, switchLanguage, t } from '/assets/texts.js';

/** Makes elements. Nothing is cached, because Vue keeps the state of an element in it. */
export const html = htm.bind(function create(...args) {
  this[0] = 3;
  // Vue writes a boolean that is the only child as a word; a condition that does not hold shows nothing.
  return args.length === 3 && typeof args[2] === 'boolean' ? h(args[0], args[1]) : h(...args);
});

/** The shortest password that the center accepts. */
const SHORTEST_PASSWORD = 12;

/** Returns what to tell about a failure. */
export function explain(failure, special = {}) {
  if (failure instanceof PasskeyFailure) {
    return () => t(failure.reason);
  }
  if (!(failure instanceof Refusal)) {
    return () => t('failed', { detail: String(failure.message ?? failure) });
  }
  if (special[failure.status]) {
    return () => t(special[failure.status]);
  }
  switch (failure.status) {
    case 0:
      return () => t('unreachable');
    case 429:
      return () =>
        failure.retryAfter > 0 ? t('throttled', { seconds: failure.retryAfter }) : t('throttledSoon');
    case 503:
      return () => t(unavailable(failure.outcome));
    default:
      return () => t('failed', { detail: failure.message || String(failure.status) });
  }
}

/** Returns the name of the text about a database that is away. */
function unavailable(outcome) {
  return { unknown: 'outcomeUnknown', stored: 'storedUnseen' }[outcome] ?? 'unavailable';
}

/** The state of a page: whether it works on something, and what it has to say. */
export function status() {
  const busy = ref(false);
  const error = ref(null);
  const news = ref(null);

  /** Does something unless something is under way, and shows why it failed. */
  async function run(work, special) {
    if (busy.value) {
      return;
    }
    busy.value = true;
    error.value = null;
    news.value = null;
    try {
      await work();
    } catch (failure) {
      const handled = special?.handle?.(failure);
      if (!handled) {
        error.value = explain(failure, special?.texts);
      }
    } finally {
      busy.value = false;
    }
  }

  return { busy, error, news, run };
}

/** Messages for everybody, also for those who do not see them. The regions exist before they have something to say. */
export function messages({ error, news }) {
  return html`
    <div class="messages">
      <div role="alert" id="error" class=${error.value ? 'message error' : 'message'}>${error.value?.()}</div>
      <div role="status" id="news" class=${news.value ? 'message news' : 'message'}>${news.value?.()}</div>
    </div>`;
}

/** The frame of every page. */
export function frame(title, content, { wide = false, aside = null } = {}) {
  document.title = `${title} · Sluice`;
  return html`
    <div class="frame">
      <header class="top">
        <a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="28" height="28" />Sluice</a>
        <div class="top-end">
          ${aside}
          <button type="button" class="quiet" id="language" lang=${language.value === 'en' ? 'zh-CN' : 'en'}
            onClick=${switchLanguage}>${t('switchLanguage')}</button>
        </div>
      </header>
      <main class=${wide ? 'wide' : 'card'}>${content}</main>
    </div>`;
}

export function heading(title) {
  return html`<h1 id="title" tabindex="-1">${title}</h1>`;
}

/** A field with its label. */
export function field({ id, label, model, hint = '', type = 'text', autocomplete = 'off', required = true, ...more }) {
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <input id=${id} name=${id} type=${type} value=${model.value} autocomplete=${autocomplete} required=${required}
        autocapitalize="none" spellcheck="false" aria-describedby=${hint ? `${id}-hint` : null} ...${more}
        onInput=${(event) => { model.value = event.target.value; }} />
      ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    </div>`;
}

/** A field for a password that can be shown. */
export function passwordField({ id, label, model, shown, hint = '', autocomplete, button = true }) {
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <div class="with-button">
        <input id=${id} name=${id} type=${shown.value ? 'text' : 'password'} value=${model.value} required
          autocomplete=${autocomplete} autocapitalize="none" spellcheck="false" maxlength="1000"
          aria-describedby=${hint ? `${id}-hint` : null}
          onInput=${(event) => { model.value = event.target.value; }} />
        ${button && html`<button type="button" class="quiet" aria-pressed=${String(shown.value)} aria-controls=${id}
          aria-label=${`${t(shown.value ? 'hide' : 'show')}: ${label}`}
          onClick=${() => { shown.value = !shown.value; }}>${t(shown.value ? 'hide' : 'show')}</button>`}
      </div>
      ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    </div>`;
}

export function submit(label, busy, id = 'submit') {
  return html`<button type="submit" id=${id} class="primary" aria-disabled=${String(busy.value)}>
    ${busy.value ? t('working') : label}</button>`;
}

export function divider() {
  return html`<p class="divider" role="separator"><span>${t('or')}</span></p>`;
}

/** A button that uses or makes a passkey, or the reason why that is not possible here. */
export function passkeyButton({ id, label, busy, onClick, primary = false }) {
  const reason = obstacle();
  if (reason) {
    return html`<p class="note" id="obstacle">${t(reason)}
      ${reason === 'passkeyNeedsName' && html`<br /><a href=${namedAddress()}>${namedAddress().replace(/#.*/, '')}</a>`}</p>`;
  }
  return html`<button type="button" id=${id} class=${primary ? 'primary' : 'secondary'}
    aria-disabled=${String(busy.value)} onClick=${onClick}>
    <svg class="key" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="none" stroke="currentColor"
      stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><circle cx="8" cy="8" r="4.5" /><path
      d="m11.3 11.3 8.7 8.7M16.5 16.5l2.5-2.5M19 19l1.5-1.5" /></svg>
    ${label}</button>`;
}

/** Moves the focus after the page has changed. */
export function focus(id) {
  return nextTick(() => document.getElementById(id)?.focus());
}

/** Returns what is wrong with a new password that was typed twice; null if nothing is. */
export function passwordFault(first, second) {
  if (Array.from(first).length < SHORTEST_PASSWORD) {
    return () => t('tooShort');
  }
  return first === second ? null : () => t('different');
}
