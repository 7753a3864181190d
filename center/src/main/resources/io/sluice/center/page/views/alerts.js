// Alerts: what is wrong now, what watches for it, what is silenced, and where alerts are sent.
import { computed, h, ref } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { language } from '/assets/texts.js';
import { get } from '/assets/console/calls.js';
import { now, useData } from '/assets/console/data.js';
import { ask } from '/assets/console/dialog.js';
import { number, span } from '/assets/console/format.js';
import { can, canEverywhere } from '/assets/console/me.js';
import { href, route, setQuery } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { badge, choice, dot, empty, head, panel, table, tabs, timeAgo, timeAt } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { KINDS, SEVERITIES, conditionOf, kindName, millisOf, severityColour, severityName, spanText } from '/assets/views/alert-words.js';

const t = words({
  en: {
    title: 'Alerts', lead: 'What is wrong now, and what was wrong within the last day.', views: 'Parts of this page', tabAlerts: 'Alerts', tabRules: 'Rules', tabSilences: 'Silences', tabDestinations: 'Destinations',
    severity: 'Severity', every: 'All', firing: 'Firing', pending: 'Pending', resolved: 'Resolved', firingNote: 'wrong for long enough to be told', pendingNote: 'wrong, but not for long enough yet',
    resolvedNote: 'over since less than a day', allGood: 'Nothing is wrong', allGoodText: 'No alert is firing or pending.', noneOf: 'No alert of this severity.', what: 'Alert', since: 'Since', lasted: 'Lasted', ended: 'Ended',
    silenced: 'silenced', silence: 'Silence', silenceOf: 'Silence: {what}', silenceTitle: 'Silence alerts', silenceText: 'A silenced alert is still shown here, but nobody is told. If it still fires at the end, it is sent then.',
    silenceWhat: 'What', silenceThis: 'This alert: {subject}', silenceRule: 'All alerts of the rule {rule}', silenceKind: 'All alerts of the kind “{kind}”', silenceFor: 'For', silenceDone: 'Silenced for {time}.', hours: '{n} hours', hour: '1 hour', day: '1 day', days: '{n} days',
    rule: 'Rule', condition: 'Condition', holds: 'After', holdsAtOnce: 'at once', repeats: 'Repeated', repeatsEvery: 'every {span}', state: 'State', on: 'on', off: 'off', changed: 'changed', added: 'added', edit: 'Edit', editOf: 'Edit {rule}', turnOn: 'Turn on', turnOff: 'Turn off', reset: 'Reset', remove: 'Remove',
    editTitle: 'Edit the alert rule {rule}', addTitle: 'Add an alert rule', add: 'Add rule', addKind: 'New rule', save: 'Save', saved: 'The rule {rule} was saved.', onTitle: 'Turn on {rule}', offTitle: 'Turn off {rule}', offText: 'It is no longer evaluated, and its alerts are resolved at once.', onText: 'It is evaluated again.',
    resetTitle: 'Reset {rule}', resetText: 'It gets its first values back.', removeTitle: 'Remove {rule}', removeText: 'The rule and its alerts go away.', removed: 'Done.', actions: 'Actions',
    f_id: 'Id', f_idHint: 'Lower-case letters, digits, - and _, such as login-refusals.', f_severity: 'Severity', f_for: 'Wrong for', f_forHint: 'How long it must be wrong before the alert fires, such as 30s. 0s: at once.', f_clear_for: 'Right for', f_clear_forHint: 'How long it must be right before the alert ends, such as 1m.',
    f_repeat: 'Repeat after', f_repeatHint: 'An alert that still fires is sent again, such as 4h.', f_refused: 'Refusals', f_refusedHint: 'At least this many.', f_share: 'Share in percent', f_shareHint: 'At least this share of the requests is refused.', f_factor: 'Times the usual share', f_factorHint: 'Compared with the hour before.',
    f_requests: 'Requests', f_requestsHint: 'With fewer requests there is no alert.', f_within: 'Within', f_withinHint: '1m to 55m, such as 5m.', f_after: 'After', f_afterHint: 'Such as 1m.', f_rule: 'Limited to the rule', f_ruleHint: 'The id of a rule, or nothing for all.', f_ruleShareHint: 'The id of a rule, * for each rule, or nothing for the fleet.',
    noSilences: 'Nothing is silenced', noSilencesText: 'Silence an alert while you work on its cause. It is shown, and nobody is told.', subject: 'Silenced', reason: 'Reason', by: 'By', until: 'Until', endsIn: 'in {span}', end: 'End', endOf: 'End the silence of {what}', endTitle: 'End this silence', endText: 'Alerts about this are sent again.', endDone: 'The silence has ended.', newSilence: 'Silence a kind',
    kindOnly: 'all of this kind', ruleOnly: 'all of the rule {rule}',
    noDestinations: 'Alerts are shown here and sent nowhere', noDestinationsText: 'Name webhooks or a mail server in the configuration of the center, then start it again:', destination: 'Destination', lastSuccess: 'Last success', waiting: 'Waiting', dropped: 'Dropped', lastError: 'Last error', good: 'works', bad: 'fails', idle: 'not used yet', never: 'never', destNote: 'as this center knows it since its start',
  },
  zh: {
    title: '告警', lead: '当前的问题，以及过去一天内出现过的问题。', views: '本页的各部分', tabAlerts: '告警', tabRules: '告警规则', tabSilences: '静默', tabDestinations: '通知目标',
    severity: '级别', every: '全部', firing: '触发中', pending: '待确认', resolved: '已恢复', firingNote: '持续时间已达到通知条件', pendingNote: '已出现问题，但持续时间还不够',
    resolvedNote: '一天内恢复', allGood: '一切正常', allGoodText: '没有触发中或待确认的告警。', noneOf: '没有该级别的告警。', what: '告警', since: '开始', lasted: '持续', ended: '恢复',
    silenced: '已静默', silence: '静默', silenceOf: '静默：{what}', silenceTitle: '静默告警', silenceText: '静默的告警仍会显示在这里，但不发送通知。静默结束时若仍在触发，会立即发送。',
    silenceWhat: '对象', silenceThis: '此告警：{subject}', silenceRule: '规则 {rule} 的全部告警', silenceKind: '“{kind}”类的全部告警', silenceFor: '时长', silenceDone: '已静默 {time}。', hours: '{n} 小时', hour: '1 小时', day: '1 天', days: '{n} 天',
    rule: '规则', condition: '条件', holds: '持续', holdsAtOnce: '立即', repeats: '重复通知', repeatsEvery: '每 {span}', state: '状态', on: '启用', off: '停用', changed: '已修改', added: '自定义', edit: '编辑', editOf: '编辑 {rule}', turnOn: '启用', turnOff: '停用', reset: '重置', remove: '移除',
    editTitle: '编辑告警规则 {rule}', addTitle: '添加告警规则', add: '添加规则', addKind: '新规则', save: '保存', saved: '已保存规则 {rule}。', onTitle: '启用 {rule}', offTitle: '停用 {rule}', offText: '停用后不再检查，其告警会立即恢复。', onText: '重新开始检查。',
    resetTitle: '重置 {rule}', resetText: '恢复为初始值。', removeTitle: '移除 {rule}', removeText: '该规则及其告警将消失。', removed: '已完成。', actions: '操作',
    f_id: '标识', f_idHint: '小写字母、数字、- 和 _，例如 login-refusals。', f_severity: '级别', f_for: '异常持续', f_forHint: '异常持续多久后触发，例如 30s；0s 表示立即。', f_clear_for: '正常持续', f_clear_forHint: '恢复正常多久后结束告警，例如 1m。',
    f_repeat: '重复间隔', f_repeatHint: '仍在触发的告警会再次发送，例如 4h。', f_refused: '拒绝次数', f_refusedHint: '至少达到此数。', f_share: '比例（%）', f_shareHint: '被拒绝的请求至少达到此比例。', f_factor: '相对平时的倍数', f_factorHint: '与前一小时相比。',
    f_requests: '请求数', f_requestsHint: '请求数不足时不告警。', f_within: '时间窗口', f_withinHint: '1m 到 55m，例如 5m。', f_after: '超过', f_afterHint: '例如 1m。', f_rule: '仅限规则', f_ruleHint: '规则的标识；留空表示全部。', f_ruleShareHint: '规则的标识；* 表示每条规则；留空表示整个集群。',
    noSilences: '没有静默', noSilencesText: '处理问题期间可以静默告警：仍会显示，但不发送通知。', subject: '静默对象', reason: '原因', by: '操作人', until: '截止', endsIn: '{span}后', end: '结束', endOf: '结束对 {what} 的静默', endTitle: '结束静默', endText: '相关告警会重新发送。', endDone: '静默已结束。', newSilence: '静默一类告警',
    kindOnly: '此类全部', ruleOnly: '规则 {rule} 的全部',
    noDestinations: '告警只显示在这里，不会发送', noDestinationsText: '请在中心的配置中填写 webhook 或邮件服务器，然后重新启动：', destination: '通知目标', lastSuccess: '上次成功', waiting: '等待中', dropped: '已丢弃', lastError: '上次错误', good: '正常', bad: '失败', idle: '尚未使用', never: '从未', destNote: '本中心启动以来的情况',
  },
});

const TABS = ['alerts', 'rules', 'silences', 'destinations'];
const COMMON = ['severity', 'for', 'clear_for', 'repeat'];
const NUMBERS = ['refused', 'share', 'factor', 'requests'];
const CONFIGURATION = 'center: { alerts: { webhooks: [{ url: "https://alerts.example/sluice" }] } }';

/** Returns the path of a link within this console; other sites are not linked. */
function pathOf(link) {
  try {
    const url = new URL(link, location.origin);
    return url.pathname + url.search;
  } catch {
    return '/alerts';
  }
}

function summaryOf(alert) {
  return language.value === 'zh' ? alert.summary_zh ?? alert.summary : alert.summary;
}

function spans() {
  return [
    { value: '1h', label: t('hour') }, { value: '4h', label: t('hours', { n: 4 }) }, { value: '12h', label: t('hours', { n: 12 }) },
    { value: '1d', label: t('day') }, { value: '7d', label: t('days', { n: 7 }) }, { value: '30d', label: t('days', { n: 30 }) },
  ];
}

/** Asks for how long to silence something: [{value: {kind | rule | alert}, label}]. */
async function silence(targets) {
  const answer = await ask({
    title: t('silenceTitle'), text: t('silenceText'), action: t('silence'), danger: true,
    fields: [
      { name: 'what', label: t('silenceWhat'), type: 'select', options: targets.map((target, i) => ({ value: String(i), label: target.label })), value: '0' },
      { name: 'in', label: t('silenceFor'), type: 'select', options: spans(), value: '1h' },
    ],
    call: (values) => ({ method: 'POST', path: '/api/alerts/silences', body: { ...targets[Number(values.what)].value, in: values.in, reason: values.reason } }),
  });
  if (answer) {
    toast(t('silenceDone', { time: span(new Date(answer.until) - Date.now()) }));
  }
  return answer;
}

const AlertList = {
  props: ['alerts', 'onDone'],
  setup(props) {
    const severity = () => (SEVERITIES.includes(route.query.severity) ? route.query.severity : '');
    const of = (state) => props.alerts.filter((alert) => alert.state === state && (!severity() || alert.severity === severity()))
      .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || (b.resolved ?? b.since).localeCompare(a.resolved ?? a.since));

    const act = async (alert) => {
      const targets = [
        ...(alert.id > 0 ? [{ value: { alert: alert.id }, label: t('silenceThis', { subject: alert.subject }) }] : []),
        { value: { rule: alert.rule }, label: t('silenceRule', { rule: alert.rule }) },
        ...(alert.rule === alert.kind ? [] : [{ value: { kind: alert.kind }, label: t('silenceKind', { kind: kindName(alert.kind) }) }]),
      ];
      if (await silence(targets)) {
        props.onDone();
      }
    };

    const columns = (state) => [
      { name: 'severity', label: t('severity'), cell: (alert) => badge(severityName(alert.severity), severityColour(alert.severity)) },
      { name: 'what', label: t('what'), wide: true, cell: (alert) => html`
        <div><a href=${pathOf(alert.link)}>${summaryOf(alert)}</a>
          <div class="soft small">${kindName(alert.kind)}${alert.rule !== alert.kind ? html` · <span class="mono">${alert.rule}</span>` : ''}${
            alert.silenced ? html` · ${badge(t('silenced'), 'plain')}` : ''}</div></div>` },
      { name: 'since', label: t('since'), end: true, className: 'nowrap', cell: (alert) => timeAgo(alert.since) },
      ...(state === 'resolved' ? [
        { name: 'lasted', label: t('lasted'), end: true, className: 'nowrap', cell: (alert) => span(new Date(alert.resolved) - new Date(alert.since)) },
        { name: 'ended', label: t('ended'), end: true, className: 'nowrap', cell: (alert) => timeAgo(alert.resolved) },
      ] : []),
      ...(state !== 'resolved' && canEverywhere('operate') ? [{ name: 'act', label: t('actions'), end: true, cell: (alert) => (alert.silenced ? null : html`
        <button type="button" class="secondary small" id=${`silence-${alert.id || alert.key}`} aria-label=${t('silenceOf', { what: summaryOf(alert) })}
          onClick=${() => act(alert)}>${t('silence')}</button>`) }] : []),
    ];

    const group = (state, kind) => {
      const rows = of(state);
      return rows.length > 0 && panel({ id: state, title: `${t(state)} (${number(rows.length)})`, note: t(`${state}Note`), tight: true, kind },
        table({ caption: t(state), rows, rowKey: (alert) => `${alert.id}-${alert.rule}-${alert.key}-${alert.since}`, columns: columns(state) }));
    };

    return () => {
      const active = of('firing').length + of('pending').length;
      return html`
        <div class="filters">${choice({ id: 'severity', label: t('severity'), value: severity(), onChange: (value) => setQuery({ severity: value }),
          options: [{ value: '', label: t('every') }, ...SEVERITIES.map((each) => ({ value: each, label: severityName(each) }))] })}</div>
        <div class="stack">
          ${active === 0 && html`<section class="panel calm" id="all-good"><strong>${dot('good', severity() ? t('noneOf') : t('allGood'))}</strong>
            ${!severity() && html`<span class="soft">${t('allGoodText')}</span>`}</section>`}
          ${group('firing', 'bad')}${group('pending', '')}${group('resolved', '')}
        </div>`;
    };
  },
};

/** Returns the fields of the dialog for a rule. */
function ruleFields(kind, rule) {
  return [...KINDS[kind] ?? [], ...COMMON].map((name) => ({
    name, label: t(`f_${name}`), value: String(rule?.[name] ?? ''), required: Boolean(rule) && name !== 'rule',
    hint: name === 'severity' ? '' : name === 'rule' && kind === 'refusal_share' ? t('f_ruleShareHint') : t(`f_${name}Hint`),
    ...(name === 'severity' ? { type: 'select', value: rule?.severity ?? 'warning', options: SEVERITIES.map((value) => ({ value, label: severityName(value) })) } : {}),
    ...(NUMBERS.includes(name) ? { type: 'number', min: '0', step: name === 'share' || name === 'factor' ? 'any' : '1' } : {}),
  }));
}

/** Returns the values of the dialog as fields of the API. Those of a new rule that are empty keep the usual value. */
function ruleBody(fields, values) {
  return Object.fromEntries(fields
    .filter((field) => field.name === 'rule' || values[field.name] !== '')
    .map((field) => [field.name, NUMBERS.includes(field.name) ? Number(values[field.name]) : values[field.name].trim()]));
}

const RuleList = {
  setup() {
    const rules = useData(() => get('/api/alerts/rules'), { every: 60_000 });
    const kind = ref('refusal_share');

    const done = (answer, text) => {
      if (answer) {
        toast(text);
        rules.reload();
      }
    };

    const edit = async (rule) => {
      const fields = ruleFields(rule.kind, rule);
      done(await ask({
        title: t('editTitle', { rule: rule.id }), text: conditionOf(rule), action: t('save'), fields,
        call: (values) => ({ method: 'PUT', path: `/api/alerts/rules/${encodeURIComponent(rule.id)}`,
          body: { ...ruleBody(fields, values), revision: rule.revision, reason: values.reason } }),
      }), t('saved', { rule: rule.id }));
    };

    const add = async () => {
      const fields = ruleFields(kind.value, null);
      const answer = await ask({
        title: t('addTitle'), text: kindName(kind.value), action: t('add'),
        fields: [{ name: 'id', label: t('f_id'), hint: t('f_idHint'), placeholder: 'login-refusals' }, ...fields],
        call: (values) => ({ method: 'PUT', path: `/api/alerts/rules/${encodeURIComponent(values.id)}`,
          body: { kind: kind.value, ...ruleBody(fields, values), revision: 0, reason: values.reason } }),
      });
      done(answer, t('saved', { rule: answer?.id }));
    };

    const turn = async (rule) => done(await ask({
      title: t(rule.enabled ? 'offTitle' : 'onTitle', { rule: rule.id }), text: t(rule.enabled ? 'offText' : 'onText'),
      action: t(rule.enabled ? 'turnOff' : 'turnOn'), danger: rule.enabled,
      call: ({ reason }) => ({ method: 'PUT', path: `/api/alerts/rules/${encodeURIComponent(rule.id)}`, body: { enabled: !rule.enabled, revision: rule.revision, reason } }),
    }), t('saved', { rule: rule.id }));

    const remove = async (rule) => {
      const word = rule.built_in ? 'reset' : 'remove';
      done(await ask({
        title: t(`${word}Title`, { rule: rule.id }), text: t(`${word}Text`), action: t(word), danger: true,
        call: ({ reason }) => ({ method: 'DELETE', path: `/api/alerts/rules/${encodeURIComponent(rule.id)}`, body: { reason } }),
      }), t('removed'));
    };

    const buttons = (rule) => html`<span class="buttons">
      <button type="button" class="quiet small" id=${`edit-${rule.id}`} aria-label=${t('editOf', { rule: rule.id })} onClick=${() => edit(rule)}>${t('edit')}</button>
      <button type="button" class="quiet small" id=${`turn-${rule.id}`} onClick=${() => turn(rule)}>${t(rule.enabled ? 'turnOff' : 'turnOn')}</button>
      ${(!rule.built_in || rule.revision > 0) && html`<button type="button" class="quiet small" id=${`reset-${rule.id}`}
        onClick=${() => remove(rule)}>${t(rule.built_in ? 'reset' : 'remove')}</button>`}</span>`;

    const columns = computed(() => [
      { name: 'state', label: t('state'), className: 'nowrap', cell: (rule) => dot(rule.enabled ? 'good' : '', t(rule.enabled ? 'on' : 'off')) },
      { name: 'rule', label: t('rule'), wide: true, cell: (rule) => html`<div><strong>${kindName(rule.kind)}</strong>
        <div class="soft small"><span class="mono">${rule.id}</span>${
          !rule.built_in ? html` · ${t('added')}` : rule.revision > 0 ? html` · ${t('changed')}` : ''}</div></div>` },
      { name: 'condition', label: t('condition'), wide: true, cell: (rule) => conditionOf(rule) },
      { name: 'severity', label: t('severity'), cell: (rule) => badge(severityName(rule.severity), severityColour(rule.severity)) },
      { name: 'for', label: t('holds'), end: true, className: 'nowrap', cell: (rule) => (millisOf(rule.for) === 0 ? t('holdsAtOnce') : spanText(rule.for)) },
      { name: 'repeat', label: t('repeats'), end: true, className: 'nowrap', cell: (rule) => t('repeatsEvery', { span: spanText(rule.repeat) }) },
      ...(can('manage_center') ? [{ name: 'act', label: t('actions'), end: true, cell: buttons }] : []),
    ]);

    return () => html`
      ${can('manage_center') && html`<div class="filters"><label class="filter"><span>${t('addKind')}</span>
        <select id="add-kind" onChange=${(event) => { kind.value = event.target.value; }}>${Object.keys(KINDS).map((each) => html`
          <option key=${each} value=${each} selected=${each === kind.value}>${kindName(each)}</option>`)}</select></label>
        <button type="button" class="secondary" id="add-rule" onClick=${add}>${t('add')}</button></div>`}
      ${rules.data.value && html`<section class="panel tight" aria-label=${t('tabRules')}>
        ${table({ id: 'alert-rules', caption: t('tabRules'), rows: rules.data.value, rowKey: (rule) => rule.id, columns: columns.value })}</section>`}`;
  },
};

const SilenceList = {
  props: ['silences', 'onDone'],
  setup(props) {
    const what = (each) => each.subject ?? (each.kind ? kindName(each.kind) : each.rule);

    const end = async (each) => {
      if (await ask({
        title: t('endTitle'), text: `${what(each)}: ${t('endText')}`, action: t('end'),
        call: ({ reason }) => ({ method: 'DELETE', path: `/api/alerts/silences/${each.id}`, body: { reason } }),
      })) {
        toast(t('endDone'));
        props.onDone();
      }
    };

    const add = async () => {
      if (await silence(Object.keys(KINDS).map((kind) => ({ value: { kind }, label: t('silenceKind', { kind: kindName(kind) }) })))) {
        props.onDone();
      }
    };

    const adder = () => canEverywhere('operate') && html`<button type="button" class="secondary" id="add-silence" onClick=${add}>${t('newSilence')}</button>`;

    const columns = computed(() => [
      { name: 'what', label: t('subject'), wide: true, cell: (each) => html`<div><strong>${what(each)}</strong>
        <div class="soft small">${each.subject ? html`<span class="mono">${each.rule}</span>` : each.kind ? t('kindOnly') : t('ruleOnly', { rule: each.rule })}</div></div>` },
      { name: 'reason', label: t('reason'), wide: true, cell: (each) => each.reason },
      { name: 'by', label: t('by'), cell: (each) => each.author },
      { name: 'since', label: t('since'), end: true, className: 'nowrap', cell: (each) => timeAgo(each.at) },
      { name: 'until', label: t('until'), end: true, className: 'nowrap', cell: (each) => html`${timeAt(each.until)}
        <span class="soft"> · ${t('endsIn', { span: span(new Date(each.until) - now.value) })}</span>` },
      ...(canEverywhere('operate') ? [{ name: 'act', label: t('actions'), end: true, cell: (each) => html`
        <button type="button" class="secondary small" id=${`end-${each.id}`} aria-label=${t('endOf', { what: what(each) })} onClick=${() => end(each)}>${t('end')}</button>` }] : []),
    ]);

    return () => (props.silences.length === 0
      ? panel({ id: 'no-silences' }, empty({ title: t('noSilences'), text: t('noSilencesText'), action: adder() }))
      : html`<div class="filters">${adder()}</div><section class="panel tight" aria-label=${t('tabSilences')}>
          ${table({ id: 'silences', caption: t('tabSilences'), rows: props.silences, rowKey: (each) => each.id, columns: columns.value })}</section>`);
  },
};

const DestinationList = {
  setup() {
    const destinations = useData(() => get('/api/alerts/destinations'), { every: 15_000 });
    const state = (each) => {
      if (each.waiting > 0 && each.last_error) {
        return dot('bad', t('bad'));
      }
      return each.last_success ? dot('good', t('good')) : dot(each.last_error ? 'bad' : '', t(each.last_error ? 'bad' : 'idle'));
    };
    const columns = computed(() => [
      { name: 'name', label: t('destination'), wide: true, cell: (each) => html`<strong>${each.name}</strong>` },
      { name: 'state', label: t('state'), className: 'nowrap', cell: state },
      { name: 'success', label: t('lastSuccess'), end: true, className: 'nowrap', cell: (each) => (each.last_success ? timeAgo(each.last_success) : t('never')) },
      { name: 'waiting', label: t('waiting'), end: true, cell: (each) => number(each.waiting) },
      { name: 'dropped', label: t('dropped'), end: true, cell: (each) => number(each.dropped) },
      { name: 'error', label: t('lastError'), wide: true, cell: (each) => each.last_error ?? '–' },
    ]);
    return () => destinations.data.value && (destinations.data.value.length === 0
      ? panel({ id: 'no-destinations' }, empty({ title: t('noDestinations'), text: t('noDestinationsText'), command: CONFIGURATION }))
      : html`<section class="panel tight" aria-label=${t('tabDestinations')}>
          ${table({ id: 'destinations', caption: t('destNote'), rows: destinations.data.value, rowKey: (each) => each.name, columns: columns.value })}</section>`);
  },
};

export default {
  setup() {
    const alerts = useData(() => get('/api/alerts'), { every: 15_000, on: ['alerts'] });
    const silences = useData(() => get('/api/alerts/silences'), { every: 30_000 });
    const tab = () => (TABS.includes(route.query.tab) ? route.query.tab : 'alerts');
    const reload = () => {
      alerts.reload();
      silences.reload();
    };

    const content = () => {
      switch (tab()) {
        case 'rules':
          return h(RuleList, { key: 'rules' });
        case 'silences':
          return silences.data.value && h(SilenceList, { key: 'silences', silences: silences.data.value, onDone: reload });
        case 'destinations':
          return h(DestinationList, { key: 'destinations' });
        default:
          return alerts.data.value && h(AlertList, { key: 'alerts', alerts: alerts.data.value, onDone: reload });
      }
    };

    return () => {
      const counts = { alerts: alerts.data.value?.filter((alert) => alert.state === 'firing').length, silences: silences.data.value?.length };
      return html`
        ${head({ title: t('title'), lead: t('lead') })}
        ${tabs(t('views'), TABS.map((name) => ({
          label: t(`tab${name[0].toUpperCase()}${name.slice(1)}`), href: href('/alerts', { tab: name === 'alerts' ? '' : name }), current: name === tab(),
          ...(counts[name] === undefined ? {} : { count: number(counts[name]) }),
        })))}
        ${content()}`;
    };
  },
};
