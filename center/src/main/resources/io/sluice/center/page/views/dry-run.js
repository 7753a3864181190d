// What a change would have refused in the last hour of the nodes' recordings, as a panel of the editor.
import { computed, h, ref, shallowRef } from '/assets/vue.js';
import { explain, html } from '/assets/parts.js';
import { send } from '/assets/console/calls.js';
import { clock, number } from '/assets/console/format.js';
import { empty, panel, table } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    title: 'Dry run', ask: 'What would this have refused?', again: 'Try it again', asking: 'Nodes are being asked…', lead: 'Runs the change on the requests that nodes recorded in the last hour. Nothing is sent to callers.',
    hour: 'In the last hour', minutes: 'In the last {n} minutes', minute: 'In the last minute', seconds: 'In the last {n} seconds',
    refusedOne: '{span}, 1 of {all} requests would have been refused that was allowed.', refused: '{span}, {n} of {all} requests would have been refused that were allowed. They come from {callers}.', callersOne: '1 caller', callers: '{n} callers', callersMany: 'at least {n} callers',
    none: '{span}, none of {all} requests would have been refused that was allowed.', noneAtAll: '{span}, no requests were recorded.', passedOne: '1 refused request would have passed.', passed: '{n} refused requests would have passed.',
    first: 'The first at {time}, most of them at {worst} ({n} in that minute).', rule: 'Refused by', before: 'Now', after: 'Changed', fresh: 'New', rulesCaption: 'What rules refuse, before and with the change', callersCaption: 'The callers with most newly refused requests', caller: 'Caller', byRule: 'refused by {rule}',
    stale: 'The text has changed since.', nobody: 'No node records its requests', nobodyText: 'Start nodes with a directory for their recording. From then on, changes can be tried on real requests.', failed: 'The change could not be tried: {why}',
    silentOne: '1 node did not answer.', silent: '{n} nodes did not answer.', silentWho: 'Nodes that did not answer: {who}.', blindOne: '1 node or application records nothing, so its requests are missing.', blind: '{n} nodes or applications record nothing, so their requests are missing.', answeredOne: 'From the recording of 1 node', answered: 'From the recordings of {n} nodes',
    conditions: '{rule}: its conditions on {names} cannot be tried. Recordings have only hashes of these values, unless record.plain names them.', other_conditions: 'Other rules with conditions that cannot be tried on recordings: {n}.', missing: 'No recorded request has {names}. Nodes record only what rules in force name.', unmatched: '{rule} applies to none of the requests.', inexact: '{rule} has too many callers to count them apart, so its figures are not exact.',
    concurrency: '{rule} limits requests under way. Recordings do not say how long requests took, so nothing is refused here.', answers: '{rule} counts answers, which recordings do not have.', local: '{rule} counts in each node apart. Here, the requests of all nodes are counted together.', keys: 'Nodes hash callers with different keys, so a caller of several nodes counts as several.', cut: 'There are more requests than a dry run takes, so it begins at {time}.', late: 'Nodes that recorded only a part of this time: {n}.', gaps: 'Nodes whose recordings have gaps: {n}.',
    unreadable: 'Recorded lines that could not be used: {n}.', outside: 'Requests left out because they are not of this time: {n}.', scope: 'Only rules that you may read were tried, on requests that they apply to.', empty: 'Counts begin unused, so limits with long windows would have refused more.', notes: 'What to know about these figures',
  },
  zh: {
    title: '试运行', ask: '这会拒绝哪些请求？', again: '重新试运行', asking: '正在询问节点…', lead: '用节点最近一小时记录的请求试运行此变更。不会影响任何调用方。',
    hour: '最近一小时', minutes: '最近 {n} 分钟', minute: '最近一分钟', seconds: '最近 {n} 秒',
    refusedOne: '{span}的 {all} 个请求中，有 1 个原本放行的请求会被拒绝。', refused: '{span}的 {all} 个请求中，有 {n} 个原本放行的请求会被拒绝，来自{callers}。', callersOne: ' 1 个调用方', callers: ' {n} 个调用方', callersMany: '至少 {n} 个调用方',
    none: '{span}的 {all} 个请求中，没有原本放行的请求会被拒绝。', noneAtAll: '{span}没有记录任何请求。', passedOne: '有 1 个被拒绝的请求会放行。', passed: '有 {n} 个被拒绝的请求会放行。',
    first: '第一个在 {time}，最多的一分钟是 {worst}（{n} 个）。', rule: '拒绝的规则', before: '现在', after: '变更后', fresh: '新增', rulesCaption: '变更前后各规则拒绝的请求', callersCaption: '新增拒绝最多的调用方', caller: '调用方', byRule: '被 {rule} 拒绝',
    stale: '文本在此之后有改动。', nobody: '没有节点记录请求', nobodyText: '启动节点时指定记录目录，之后就可以用真实请求试运行变更。', failed: '无法试运行此变更：{why}',
    silentOne: '1 个节点没有回答。', silent: '{n} 个节点没有回答。', silentWho: '没有回答的节点：{who}。', blindOne: '1 个节点或应用不做记录，因此缺少它的请求。', blind: '{n} 个节点或应用不做记录，因此缺少它们的请求。', answeredOne: '来自 1 个节点的记录', answered: '来自 {n} 个节点的记录',
    conditions: '{rule}：无法试运行对 {names} 的条件。除非列入 record.plain，否则记录中只有这些值的哈希。', other_conditions: '条件无法用记录试运行的其他规则：{n} 条。', missing: '没有任何记录的请求带有 {names}。节点只记录生效规则用到的属性。', unmatched: '没有请求适用 {rule}。', inexact: '{rule} 的调用方太多，无法分别计数，因此数字不精确。',
    concurrency: '{rule} 限制并发请求。记录中没有请求时长，因此这里不会拒绝任何请求。', answers: '{rule} 按响应计数，而记录中没有响应。', local: '{rule} 在每个节点上分别计数。这里把所有节点的请求合在一起计数。', keys: '各节点用不同的密钥计算调用方的哈希，因此访问多个节点的调用方会被算作多个。', cut: '请求数超过试运行的上限，因此从 {time} 开始。', late: '只记录了部分时间的节点：{n} 个。', gaps: '记录有缺口的节点：{n} 个。',
    unreadable: '无法使用的记录行：{n} 行。', outside: '因不属于这段时间而略去的请求：{n} 个。', scope: '只试运行了您可以查看的规则，且只针对它们适用的请求。', empty: '计数从零开始，因此窗口较长的限额本会拒绝更多请求。', notes: '关于这些数字',
  },
});

/** Notes of the center that this page has words for. */
const KINDS = ['conditions', 'other_conditions', 'missing', 'unmatched', 'inexact', 'concurrency', 'answers', 'local', 'keys', 'cut', 'late', 'gaps', 'unreadable', 'outside', 'scope', 'empty'];
const COMMAND = './sluice node --record recording';

function spanWords(said) {
  const seconds = Math.round((new Date(said.to) - new Date(said.from)) / 1000);
  const minutes = Math.round(seconds / 60);
  return minutes >= 60 ? t('hour') : minutes > 1 ? t('minutes', { n: minutes }) : seconds >= 55 ? t('minute') : t('seconds', { n: seconds });
}

function sentence(said) {
  const values = { span: spanWords(said), all: number(said.requests), n: number(said.newly_refused) };
  if (said.requests === 0) {
    return t('noneAtAll', values);
  }
  if (said.newly_refused === 0) {
    return t('none', values);
  }
  const callers = t(said.callers_at_least ? 'callersMany' : said.callers === 1 ? 'callersOne' : 'callers', { n: number(said.callers) });
  return said.newly_refused === 1 ? t('refusedOne', values) : t('refused', { ...values, callers });
}

function noteWords(note) {
  return !KINDS.includes(note.kind) ? note.text : t(note.kind, { rule: note.rule ?? '', names: note.names.join(', '), n: number(note.count ?? 0), time: note.at ? clock(note.at, { seconds: false }) : '' });
}

/** Returns what is missing in the recordings, then the notes of the center. */
function notes(said) {
  const { silent, not_recording: blind, silent_names: who } = said.nodes;
  return [
    ...(silent > 0 ? [{ kind: 'warn', text: who.length > 0 ? t('silentWho', { who: who.join(', ') }) : t(silent === 1 ? 'silentOne' : 'silent', { n: number(silent) }) }] : []),
    ...(blind > 0 ? [{ kind: 'warn', text: t(blind === 1 ? 'blindOne' : 'blind', { n: number(blind) }) }] : []),
    ...said.notes.map((note) => ({ kind: ['empty', 'scope', 'other_conditions'].includes(note.kind) ? 'info' : 'warn', text: noteWords(note) })),
  ];
}

function rulesTable(rules) {
  return table({ id: 'dry-run-rules', caption: t('rulesCaption'), rows: rules, rowKey: (rule) => rule.rule, columns: [
    { name: 'rule', label: t('rule'), wide: true, cell: (rule) => html`<code>${rule.rule}</code>` },
    { name: 'before', label: t('before'), end: true, cell: (rule) => number(rule.refused_before) },
    { name: 'after', label: t('after'), end: true, cell: (rule) => number(rule.refused_after) },
    { name: 'fresh', label: t('fresh'), end: true, cell: (rule) => (rule.newly_refused > 0 ? html`<strong class="bad-text">+${number(rule.newly_refused)}</strong>`
      : rule.newly_allowed > 0 ? html`<span class="good-text">−${number(rule.newly_allowed)}</span>` : '0') },
  ] });
}

function callersTable(callers) {
  return table({ id: 'dry-run-callers', caption: t('callersCaption'), rows: callers.map((caller, i) => ({ ...caller, i })), rowKey: (caller) => caller.i, columns: [
    { name: 'caller', label: t('caller'), wide: true, cell: (caller) => html`<code title=${`${caller.by} · ${t('byRule', { rule: caller.rule })}`}>${caller.caller}</code>` },
    { name: 'fresh', label: t('fresh'), end: true, cell: (caller) => number(caller.newly_refused) },
  ] });
}

function result(said, isStale) {
  if (said.nodes.answered + said.nodes.silent === 0) {
    return empty({ title: t('nobody'), text: t('nobodyText'), command: COMMAND });
  }
  const known = notes(said);
  return html`<div class=${isStale ? 'faded' : ''} id="dry-run-result">
    ${isStale && html`<p class="small warn-text">${t('stale')}</p>`}
    ${said.from && html`<p class="dry-run-sentence" id="dry-run-sentence">${sentence(said)}</p>`}
    ${said.newly_allowed > 0 && html`<p>${t(said.newly_allowed === 1 ? 'passedOne' : 'passed', { n: number(said.newly_allowed) })}</p>`}
    ${said.first_refused && html`<p class="soft small">${t('first', { time: clock(said.first_refused), worst: clock(said.worst_minute.at, { seconds: false }), n: number(said.worst_minute.requests) })}</p>`}
    ${said.requests > 0 && rulesTable(said.rules)}
    ${said.top_callers.length > 0 && callersTable(said.top_callers)}
    ${known.length > 0 && html`<ul class="found" id="dry-run-notes" tabindex="0" aria-label=${t('notes')}>${known.map((note, i) => html`<li key=${i} class=${`found-${note.kind}`}><span>${note.text}</span></li>`)}</ul>`}
    ${said.nodes.answered > 0 && html`<p class="soft small">${t(said.nodes.answered === 1 ? 'answeredOne' : 'answered', { n: number(said.nodes.answered) })}</p>`}
  </div>`;
}

const DryRun = {
  props: ['body', 'disabled'],
  setup(props) {
    const said = shallowRef(null);
    const asked = ref('');
    const busy = ref(false);
    const failure = ref(null);
    const isStale = computed(() => asked.value !== JSON.stringify(props.body));

    async function ask() {
      if (busy.value || props.disabled) {
        return;
      }
      busy.value = true;
      failure.value = null;
      const body = props.body;
      try {
        const answer = await send('POST', '/api/changes/dry-run', body);
        said.value = answer;
        asked.value = JSON.stringify(body);
      } catch (fault) {
        failure.value = explain(fault);
      } finally {
        busy.value = false;
      }
    }

    return () => panel({ id: 'dry-run', title: t('title') }, html`
      ${!said.value && html`<p class="soft">${t('lead')}</p>`}
      <div role="status" aria-live="polite">
        ${failure.value && html`<div class="message error" id="dry-run-error">${t('failed', { why: failure.value() })}</div>`}
        ${said.value && !failure.value && result(said.value, isStale.value)}
      </div>
      <button type="button" class="secondary" id="dry-run-ask" aria-disabled=${String(busy.value || props.disabled)} onClick=${ask}>
        ${t(busy.value ? 'asking' : said.value ? 'again' : 'ask')}</button>`);
  },
};

/** The panel. @param body what is posted @param disabled whether there is nothing to try, such as a text with errors */
export function dryRunPanel({ body, disabled }) {
  return h(DryRun, { body, disabled });
}
