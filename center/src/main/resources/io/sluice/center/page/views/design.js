// The design system on one page: colours, type, space and every part.
import { html } from '/assets/parts.js';
import { chart, legend } from '/assets/console/chart.js';
import { ask } from '/assets/console/dialog.js';
import { toast } from '/assets/console/toast.js';
import { badge, bar, choice, dot, empty, facts, figure, filter, head, panel, sparkline, table, tabs, timeAgo } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: { title: 'Design', lead: 'The parts that every view is built of.', colours: 'Colours', type: 'Type', words: 'Words and points', buttons: 'Buttons', figures: 'Figures',
    chart: 'Chart', table: 'Table', nothing: 'Nothing to show', fields: 'Fields', sample: 'Sample', refused: 'refused', before: 'an hour ago',
    ask: 'Ask for a reason', news: 'Show news', name: 'Name', state: 'State', count: 'Count', since: 'Since', good: 'good', warn: 'warning', bad: 'bad', info: 'information', plain: 'plain' },
  zh: { title: '设计', lead: '所有页面都由这些部分组成。', colours: '颜色', type: '字体', words: '标签与圆点', buttons: '按钮', figures: '数字',
    chart: '图表', table: '表格', nothing: '没有内容', fields: '字段', sample: '示例', refused: '拒绝', before: '一小时前',
    ask: '询问原因', news: '显示消息', name: '名称', state: '状态', count: '数量', since: '时间', good: '正常', warn: '警告', bad: '异常', info: '信息', plain: '普通' },
});

const COLOURS = ['text', 'soft', 'line', 'ground', 'panel', 'accent', 'refused', 'allowed', 'shadowed', 'past', 'good', 'warn', 'bad', 'info'];
const KINDS = ['good', 'warn', 'bad', 'info', 'plain'];

export default {
  setup() {
    const start = Date.now() - 3_600_000;
    const times = Array.from({ length: 60 }, (_, i) => start + i * 60_000);
    const wave = (phase) => times.map((_, i) => Math.round(40 + 25 * Math.sin(i / 6 + phase) + (phase === 0 && i > 40 ? 70 : 0)));
    const series = [
      { label: t('refused'), values: wave(0), color: 'refused', fill: 'refused-soft' },
      { label: t('before'), values: wave(1), color: 'past', dash: true },
    ];
    const rows = [['login', 'good', 1204], ['orders', 'warn', 86], ['search', 'bad', 7]];
    return () => html`
      ${head({ title: t('title'), lead: t('lead') })}
      <div class="grid">
        <div class="span-6">${panel({ id: 'colours', title: t('colours') }, html`<div class="row-line">${COLOURS.map((name) => html`
          <span class="with-dot" key=${name}><svg width="22" height="22" aria-hidden="true" class=${`swatch sw-${name}`}><rect width="22" height="22" rx="5" /></svg><code>${name}</code></span>`)}</div>`)}</div>
        <div class="span-6">${panel({ id: 'words', title: t('words') }, html`<div class="stack"><div class="row-line">${KINDS.map((kind) => badge(t(kind), kind))}</div>
          <div class="row-line">${KINDS.map((kind) => dot(kind, t(kind)))}</div></div>`)}</div>
        <div class="span-6">${panel({ id: 'buttons', title: t('buttons') }, html`<div class="row-line">
          <button type="button" class="primary" onClick=${() => ask({ title: t('ask'), action: t('sample'), call: () => ({ method: 'GET', path: '/api/me' }) })}>${t('ask')}</button>
          <button type="button" class="secondary" onClick=${() => toast(t('sample'))}>${t('news')}</button>
          <button type="button" class="quiet">${t('sample')}</button><button type="button" class="outline-danger">${t('sample')}</button>
          <button type="button" class="danger">${t('sample')}</button></div>`)}</div>
        <div class="span-6">${panel({ id: 'figures', title: t('figures') }, html`<div class="figures">
          ${figure({ id: 'f1', label: t('count'), value: '1,204', note: '≥ 1,200' })}
          ${figure({ id: 'f2', label: t('refused'), value: '12.3/s', kind: 'refused', note: '4.1 %' })}
          ${figure({ id: 'f3', label: t('state'), value: t('good'), kind: 'good' })}<div>${sparkline([1, 4, 3, 8, 5, 9, 12], 'refused')}${bar(0.4, 'refused')}</div></div>`)}</div>
        <div class="span-12">${panel({ id: 'chart', title: t('chart'), actions: legend(series) }, chart({ times, series, marks: [{ at: times[40], label: 'v12' }], label: t('chart') }))}</div>
        <div class="span-6">${panel({ id: 'table', title: t('table'), tight: true }, table({ caption: t('table'), rows, rowKey: (row) => row[0], columns: [
          { name: 'name', label: t('name'), cell: (row) => row[0] }, { name: 'state', label: t('state'), cell: (row) => badge(t(row[1]), row[1]) },
          { name: 'count', label: t('count'), end: true, cell: (row) => row[2] }, { name: 'since', label: t('since'), end: true, cell: () => timeAgo(new Date(start).toISOString()) }] }))}</div>
        <div class="span-6">${panel({ id: 'nothing', title: t('nothing') }, empty({ title: t('nothing'), text: t('lead'), command: './sluice start --demo' }))}</div>
        <div class="span-6">${panel({ id: 'fields', title: t('fields') }, html`<div class="filters">${filter({ id: 'x', label: t('name'), value: '', onInput: () => {} })}
          ${filter({ id: 'y', label: t('state'), value: 'a', options: [{ value: 'a', label: t('good') }], onInput: () => {} })}
          ${choice({ id: 'z', label: t('since'), value: '1h', options: [{ value: '1h', label: '1 h' }, { value: '1d', label: '1 d' }], onChange: () => {} })}</div>
          ${tabs(t('fields'), [{ label: t('name'), href: '/design', current: true }, { label: t('count'), href: '/design?x=1', count: 3 }])}`)}</div>
        <div class="span-6">${panel({ id: 'type', title: t('type') }, facts([['Title', html`<span class="figure-value">12.3/s</span>`], ['Body', 'Each phone number: 1 per minute'], ['Mono', html`<code>203.0.113.*</code>`]]))}</div>
      </div>`;
  },
};
