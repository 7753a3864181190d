// The parts that views are built of. /design shows all of them.
import { computed, h, onMounted, onUnmounted, ref, watch } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { copy } from '/assets/console/calls.js';
import { ago, exact, moment } from '/assets/console/format.js';
import { now } from '/assets/console/data.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: { copy: 'Copy', copied: 'Copied', close: 'Close' },
  zh: { copy: '复制', copied: '已复制', close: '关闭' },
});

/** The head of a view: its title, a line below it, and its buttons. */
export function head({ title, lead = '', actions = null, back = null }) {
  return html`
    <header class="view-head">
      <div class="view-title">
        ${back && html`<a class="back" href=${back.href}>← ${back.label}</a>`}
        <h1 id="title" tabindex="-1">${title}</h1>
        ${lead && html`<p class="soft">${lead}</p>`}
      </div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>`;
}

/** A panel with an optional title, a line beside the title, and buttons at its end. */
export function panel({ id, title, note = '', actions = null, tight = false, kind = '' }, content) {
  return html`
    <section class=${`panel ${tight ? 'tight' : ''} ${kind}`} id=${id} aria-labelledby=${title ? `${id}-title` : null}>
      ${title && html`
        <div class="panel-head">
          <h2 id=${`${id}-title`}>${title}</h2>
          ${note && html`<span class="soft small">${note}</span>`}
          <span class="grow"></span>
          ${actions}
        </div>`}
      ${content}
    </section>`;
}

/** A short coloured word. Kinds: good, bad, warn, info, plain. */
export function badge(text, kind = 'plain', title = null) {
  return html`<span class=${`tag ${kind}`} title=${title}>${text}</span>`;
}

/** A coloured point before a text. Colour is never the only sign: the text says the same. */
export function dot(kind, text) {
  return html`<span class="with-dot"><span class=${`dot ${kind}`} aria-hidden="true"></span>${text}</span>`;
}

/** A large number with its name, and a line below. */
export function figure({ id, label, value, note = null, kind = '' }) {
  return html`<div class=${`figure ${kind}`} id=${id}><div class="figure-label">${label}</div>
    <div class="figure-value">${value}</div>${note && html`<div class="figure-note">${note}</div>`}</div>`;
}

/** Says that there is nothing, and the command or link that changes it. */
export function empty({ title, text = '', command = '', action = null }) {
  return html`
    <div class="nothing">
      <strong>${title}</strong>
      ${text && html`<p class="soft">${text}</p>`}
      ${command && commandLine(command)}
      ${action}
    </div>`;
}

/** A command that can be copied. */
export function commandLine(text) {
  return h(CommandLine, { text });
}

const CommandLine = {
  props: ['text'],
  setup(props) {
    const done = ref(false);
    const act = async () => {
      done.value = await copy(props.text);
      setTimeout(() => { done.value = false; }, 2000);
    };
    return () => html`<div class="command"><code tabindex="0">${props.text}</code>
      <button type="button" class="quiet" onClick=${act}>${done.value ? t('copied') : t('copy')}</button></div>`;
  },
};

/** A time: as a span ago, with the exact one as a tooltip. */
export function timeAgo(time) {
  return time ? html`<time datetime=${time} title=${`${moment(time, { seconds: true })} · ${exact(time)}`}>${ago(time, now.value)}</time>` : '–';
}

/** A time as a date and clock. */
export function timeAt(time, options) {
  return time ? html`<time datetime=${time} title=${exact(time)}>${moment(time, options)}</time>` : '–';
}

/** Names and values below each other. Pairs without a value are left out. */
export function facts(pairs) {
  return html`<dl class="pairs">${pairs.filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Choices of which one is chosen, as links: [{label, href, current}]. */
export function tabs(label, items) {
  return html`<nav class="tabs" aria-label=${label}>${items.map((item) => html`
    <a href=${item.href} aria-current=${item.current ? 'page' : null} key=${item.href}>${item.label}${item.count !== undefined
      ? html`<span class="count">${item.count}</span>` : null}</a>`)}</nav>`;
}

/** Choices of which one is chosen, as buttons: [{value, label}]. */
export function choice({ id, label, value, options, onChange }) {
  return html`<div class="choice-row" role="group" aria-label=${label} id=${id}>${options.map((option) => html`
    <button type="button" key=${option.value} aria-pressed=${String(option.value === value)}
      onClick=${() => onChange(option.value)}>${option.label}</button>`)}</div>`;
}

/** A field in a row of filters. */
export function filter({ id, label, value, onInput, placeholder = '', type = 'search', options = null, width = '' }) {
  const change = (event) => onInput(event.target.value);
  return html`<label class=${`filter ${width}`}><span>${label}</span>${options
    ? html`<select id=${id} onChange=${change}>${options.map((option) => html`
        <option value=${option.value} selected=${option.value === value}>${option.label}</option>`)}</select>`
    : html`<input id=${id} type=${type} value=${value ?? ''} placeholder=${placeholder} autocomplete="off" spellcheck="false" onInput=${change} />`}</label>`;
}

/**
 * A table. It draws some hundred rows, and more as the person scrolls, so ten thousand rows stay quick.
 *
 * @param columns [{name, label, cell: (row) => content, end (aligned to the end), wide, className}]
 * @param rows the data
 * @param rowKey (row) => key
 * @param onRow (row) => void: makes rows clickable; the first cell should also hold a link for keyboards
 * @param chosen the key of the chosen row
 * @param caption what the table shows, for those who do not see it
 */
export function table({ columns, rows, rowKey, onRow = null, chosen = null, caption, id = null }) {
  return h(Table, { columns, rows, rowKey, onRow, chosen, caption, id });
}

const STEP = 150;

const Table = {
  props: ['columns', 'rows', 'rowKey', 'onRow', 'chosen', 'caption', 'id'],
  setup(props) {
    const shown = ref(STEP);
    const end = ref(null);
    let observer = null;
    onMounted(() => {
      observer = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting) && shown.value < props.rows.length) {
          shown.value += STEP;
        }
      }, { rootMargin: '600px' });
      observer.observe(end.value);
    });
    onUnmounted(() => observer?.disconnect());
    watch(() => props.rows.length, (length, before) => {
      if (length < before) {
        shown.value = STEP;
      }
    });
    const visible = computed(() => props.rows.slice(0, shown.value));
    const click = (row, event) => {
      if (props.onRow && !event.target.closest('a, button, input, select, summary')) {
        props.onRow(row);
      }
    };
    return () => html`
      <div class="table-frame" tabindex="0" role="region" aria-label=${props.caption}>
        <table id=${props.id}>
          <caption class="unseen">${props.caption}</caption>
          <thead><tr>${props.columns.map((column) => html`
            <th scope="col" key=${column.name} class=${[column.end ? 'end' : '', column.className ?? '']}>${column.label}</th>`)}</tr></thead>
          <tbody>${visible.value.map((row) => {
            const key = props.rowKey(row);
            return html`<tr key=${key} class=${[props.onRow ? 'clickable' : '', key === props.chosen ? 'chosen' : '']}
              onClick=${(event) => click(row, event)}>${props.columns.map((column) => html`
                <td key=${column.name} data-label=${column.label} class=${[column.end ? 'end' : '', column.wide ? 'wide' : '', column.className ?? '']}>
                  ${column.cell(row)}</td>`)}</tr>`;
          })}</tbody>
        </table>
        <div ref=${end} class="table-end"></div>
      </div>`;
  },
};

/** A drawer at the side that shows details without leaving the view. Escape closes it. */
export function drawer({ id, title, onClose }, content) {
  return h(Drawer, { id, title, onClose }, { default: () => content });
}

const Drawer = {
  props: ['id', 'title', 'onClose'],
  setup(props, { slots }) {
    const place = ref(null);
    const before = document.activeElement;
    const keys = (event) => {
      if (event.key === 'Escape' && !document.querySelector('dialog[open]')) {
        props.onClose();
      }
    };
    onMounted(() => {
      addEventListener('keydown', keys);
      place.value?.focus();
    });
    onUnmounted(() => {
      removeEventListener('keydown', keys);
      if (before?.isConnected) {
        before.focus();
      }
    });
    return () => html`
      <aside class="drawer" id=${props.id} ref=${place} tabindex="-1" aria-labelledby=${`${props.id}-title`}>
        <div class="panel-head"><h2 id=${`${props.id}-title`}>${props.title}</h2><span class="grow"></span>
          <button type="button" class="quiet close" aria-label=${t('close')} title=${t('close')} onClick=${props.onClose}>×</button></div>
        ${slots.default()}
      </aside>`;
  },
};

/** A bar of a share between 0 and 1, drawn without inline styles. */
export function bar(share, kind = '') {
  const width = Math.max(0, Math.min(100, share * 100));
  return html`<svg class=${`bar ${kind}`} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-ground" width="100" height="6" rx="1" /><rect class="bar-fill" width=${width} height="6" rx="1" /></svg>`;
}

/** A small line of numbers without axes. */
export function sparkline(values, kind = '') {
  const most = Math.max(1, ...values);
  const points = values.map((value, i) => `${(i * 100) / Math.max(1, values.length - 1)},${23 - (value * 22) / most}`).join(' ');
  return html`<svg class=${`spark ${kind}`} viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
    <polyline points=${points} /></svg>`;
}
