// The audit log: who did what, when, from where and why; and whether it is still what was written.
import { computed, h, onUnmounted, ref, watch } from '/assets/vue.js';
import { explain, html } from '/assets/parts.js';
import { get, send } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { clock, exact, moment, number } from '/assets/console/format.js';
import { can } from '/assets/console/me.js';
import { route, setQuery } from '/assets/console/router.js';
import { zone } from '/assets/console/settings.js';
import { badge, choice, dot, drawer, empty, facts, filter, head, panel, table, timeAgo, timeAt } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { KINDS, comparison, deedOf, kindLabel } from '/assets/views/audit-words.js';
import { actorName } from '/assets/views/release-words.js';

const t = words({
  en: {
    title: 'Audit', lead: 'Who did what, when, from where and why. Nobody can change it without being noticed.', verify: 'Verify the log', verifying: 'Verifying…', exportJson: 'Export (JSON lines)', exportCsv: 'Export (CSV)', close: 'Close',
    actor: 'Who', actorHint: 'mara, token:admin', kind: 'What', everything: 'everything', outcome: 'Outcome', all: 'All', done: 'done', refused: 'refused', since: 'Since', until: 'Until', clear: 'Clear filters',
    time: 'Time', number: 'Row', deed: 'Deed', from: 'From', reason: 'Reason', more: 'Older rows', nothing: 'No row matches', nothingText: 'Change the filters to see more rows.', rows: 'Rows of the audit log', erased: 'erased', erasedText: 'The content of this row was erased. Its number, time, actor and hash stay, so the log can still be verified.',
    row: 'Row {n}', hash: 'Hash', changes: 'What changed', everyDetail: 'All details', word: 'Kind',
    result: 'Verification', at: 'at {time}', verified: 'Verified', verifiedText: 'Nothing is wrong, the key is yours, and nodes witness the log.', sound: 'Nothing wrong was found', broken: 'The log is broken', firstBad: 'The first bad row is {n}.',
    whyNot: 'It is not called verified, because:', noKey: 'You named no key that you trust. Paste the text of audit-key.pub that you copied on the first day.', noWitness: 'No live node witnesses the log.', otherKey: 'No checkpoint is signed by the key that you named, or by one that follows from it.', key: 'Public key that you trust (audit-key.pub, optional)', again: 'Verify again',
    integrity: 'Integrity', integrityGood: 'All {rows} rows are as they were written.', integrityBad: 'Rows were changed.', signed: 'Signed until row {row}, {time}, by {n} checkpoints.', notSigned: 'No checkpoint signs it yet.',
    completeness: 'Completeness', completeGood: 'No row is missing up to row {row}.', completeBad: 'Rows are missing.', pruned: 'Rows up to {row} were deleted because of their age; their hashes are there.',
    witnesses: 'Witnesses', witnessGood: '{n} nodes hold the log until row {row}, {time}.', witnessOne: 'One node holds the log until row {row}, {time}.', witnessNone: 'No node holds a checkpoint.', notYet: 'Rows that nobody has witnessed yet: {n}.', witnessBad: 'A node contradicts the log.', agreeing: 'Nodes that agree: {n}.',
    which: 'Which node holds which checkpoint', node: 'Node', holds: 'Holds until row', signedAt: 'Signed', agrees: 'Agrees', yes: 'yes', no: 'no', none: 'holds nothing', waitsFor: 'not comparable', copies: 'Copies outside of the center', sink: 'Copy', sent: 'Sent until row', waiting: 'Waiting', dropped: 'Lost', state: 'State', works: 'works',
    noSinks: 'No copy is configured', noSinksText: 'Send every row to a file, syslog or Kafka, so that a copy is out of reach of this machine:', fullCheck: 'A check that does not trust this center: run it on another machine, with the files of the nodes.',
  },
  zh: {
    title: '审计', lead: '谁在何时、从何处、因何做了什么。任何改动都会被发现。', verify: '验证日志', verifying: '正在验证…', exportJson: '导出（JSON Lines）', exportCsv: '导出（CSV）', close: '关闭',
    actor: '操作者', actorHint: 'mara、token:admin', kind: '操作', everything: '全部', outcome: '结果', all: '全部', done: '已执行', refused: '被拒绝', since: '从', until: '到', clear: '清除筛选',
    time: '时间', number: '行号', deed: '操作', from: '来源', reason: '原因', more: '更早的记录', nothing: '没有符合条件的记录', nothingText: '更改筛选条件以查看更多记录。', rows: '审计日志的记录', erased: '已擦除', erasedText: '此行的内容已被擦除。行号、时间、操作者和哈希保留，日志仍可验证。',
    row: '第 {n} 行', hash: '哈希', changes: '变更内容', everyDetail: '全部详情', word: '类型',
    result: '验证结果', at: '{time}', verified: '已验证', verifiedText: '没有发现问题，密钥由您提供，且有节点见证。', sound: '没有发现问题', broken: '日志已损坏', firstBad: '第一条有问题的是第 {n} 行。',
    whyNot: '尚不能称为“已验证”，原因：', noKey: '您没有提供自己信任的密钥。请粘贴首日保存的 audit-key.pub 的内容。', noWitness: '没有在线节点见证日志。', otherKey: '没有检查点由您提供的密钥或其后续密钥签名。', key: '您信任的公钥（audit-key.pub，可选）', again: '再次验证',
    integrity: '完整性', integrityGood: '全部 {rows} 行与写入时一致。', integrityBad: '有记录被改动。', signed: '{n} 个检查点签名至第 {row} 行，{time}。', notSigned: '还没有检查点签名。',
    completeness: '无缺失', completeGood: '直到第 {row} 行没有缺失。', completeBad: '有记录缺失。', pruned: '第 {row} 行及之前的记录因到期删除，其哈希仍在。',
    witnesses: '见证', witnessGood: '{n} 个节点见证至第 {row} 行，{time}。', witnessOne: '1 个节点见证至第 {row} 行，{time}。', witnessNone: '没有节点持有检查点。', notYet: '尚未被见证的记录：{n} 行。', witnessBad: '有节点与日志不一致。', agreeing: '一致的节点：{n} 个。',
    which: '各节点持有的检查点', node: '节点', holds: '见证至行', signedAt: '签名时间', agrees: '一致', yes: '是', no: '否', none: '未持有', waitsFor: '无法比较', copies: '中心之外的副本', sink: '副本', sent: '已发送至行', waiting: '等待中', dropped: '丢失', state: '状态', works: '正常',
    noSinks: '没有配置副本', noSinksText: '将每一行发送到文件、syslog 或 Kafka，让副本不受本机影响：', fullCheck: '不依赖本中心的检查：在另一台机器上，用各节点的文件运行：',
  },
});

const PAGE = 50;
const OUTCOMES = ['done', 'refused'];
const SINKS = 'center: { audit: { sinks: [{ file: /var/log/sluice-audit.jsonl }] } }';
const CHECK = './sluice audit verify --key audit-key.pub --witness node1/audit-witness node2/audit-witness';

/** People write a name; the log knows user:name. */
function actorOf(text) {
  const name = (text ?? '').trim();
  return name === '' || name.includes(':') || name === 'center' || name === 'nobody' ? name : `user:${name}`;
}

/** Returns a time of the address for a field of the browser, in the chosen zone; nothing if it is none. */
function fieldTime(text) {
  const date = new Date(text ?? '');
  if (Number.isNaN(date.getTime())) {
    return '';
  }
  const shift = zone.value === 'utc' ? 0 : date.getTimezoneOffset() * 60_000;
  return new Date(date.getTime() - shift).toISOString().slice(0, 16);
}

function addressTime(text) {
  const date = new Date(zone.value === 'utc' ? `${text}Z` : text);
  return text === '' || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

const Verification = {
  emits: ['close'],
  setup(props, { emit }) {
    const key = ref('');
    const report = ref(null);
    const nodes = ref([]);
    const sinks = ref([]);
    const error = ref(null);
    const busy = ref(true);
    const at = ref(0);

    const run = async () => {
      busy.value = true;
      error.value = null;
      try {
        report.value = await send('POST', '/api/audit/verify', key.value.trim() ? { key: key.value.trim() } : {});
        at.value = Date.now();
        if (can('see_fleet')) {
          [nodes.value, sinks.value] = await Promise.all([get('/api/nodes'), get('/api/audit/sinks')]);
        }
      } catch (failure) {
        report.value = null;
        error.value = explain(failure);
      } finally {
        busy.value = false;
      }
    };
    run();

    const problems = (list) => list.length > 0 && html`<ul class="bad-text">${list.map((each, i) => html`<li key=${i}>${each}</li>`)}</ul>`;

    const item = (id, good, title, lines, bad = []) => html`
      <div class="check-item" id=${id}><h3>${dot(good === null ? 'warn' : good ? 'good' : 'bad', title)}</h3>
        ${lines.filter(Boolean).map((line, i) => html`<p key=${i} class="soft">${line}</p>`)}${problems(bad)}</div>`;

    const verdict = ({ good, verified, first_bad: firstBad, problem }) => {
      if (!good) {
        return html`${badge(t('broken'), 'bad')}<strong class="bad-text">${problem}</strong>${firstBad !== null && html`<span>${t('firstBad', { n: firstBad })}</span>`}`;
      }
      return verified ? html`${badge(t('verified'), 'good')}<strong>${t('verifiedText')}</strong>` : html`${badge(t('sound'), 'good')}`;
    };

    const reasons = (found) => found.unverified.map((why) => ({
      'no trusted key was given': t('noKey'), 'no witness vouches for the log': t('noWitness'),
      'no checkpoint is signed by the trusted key or one that follows from it': t('otherKey'),
    })[why] ?? why);

    const body = () => {
      const found = report.value;
      const { integrity, completeness, witness } = found;
      const hasWitness = witness.until > 0;
      return html`
        <div class="verdict" id="verdict" role="status" data-good=${String(found.good)} data-verified=${String(found.verified)}>${verdict(found)}
          <span class="soft">${t('at', { time: clock(at.value) })}</span></div>
        <div class="checks-grid">
          ${item('integrity', integrity.good, t('integrity'), [
            integrity.good ? t('integrityGood', { rows: number(found.rows) }) : t('integrityBad'),
            integrity.signed_until > 0 ? t('signed', { row: number(integrity.signed_until), time: moment(integrity.signed_at), n: number(integrity.checkpoints) }) : t('notSigned'),
          ], integrity.problems)}
          ${item('completeness', completeness.good, t('completeness'), [
            completeness.good ? t('completeGood', { row: number(completeness.expected) }) : t('completeBad'),
            completeness.pruned > 0 && t('pruned', { row: number(completeness.pruned) }),
          ], completeness.problems)}
          ${item('witnesses', witness.good ? (hasWitness ? true : null) : false, t('witnesses'), [
            !witness.good && t('witnessBad'),
            hasWitness ? t(witness.nodes === 1 ? 'witnessOne' : 'witnessGood', { row: number(witness.until), time: moment(witness.at), n: number(witness.nodes) }) : t('witnessNone'),
            hasWitness && t('agreeing', { n: number(witness.agreeing) }),
            witness.not_yet > 0 && t('notYet', { n: number(witness.not_yet) }),
          ], witness.contradictions)}
        </div>
        ${found.good && !found.verified && html`<div class="fold" id="unverified"><span class="soft">${t('whyNot')}</span>
          <ul>${reasons(found).map((why, i) => html`<li key=${i}>${why}</li>`)}</ul></div>`}
        <form class="key-form" onSubmit=${(event) => { event.preventDefault(); run(); }}>
          <label class="filter wide"><span>${t('key')}</span><input id="audit-key" value=${key.value} autocomplete="off" spellcheck="false"
            onInput=${(event) => { key.value = event.target.value; }} /></label>
          <button type="submit" class="secondary" id="verify-again" aria-disabled=${String(busy.value)}>${busy.value ? t('verifying') : t('again')}</button>
        </form>
        ${can('see_fleet') && html`
          <details class="fold" id="which"><summary>${t('which')}</summary>
            ${table({ caption: t('which'), rows: nodes.value, rowKey: (node) => node.id, columns: [
              { name: 'node', label: t('node'), wide: true, cell: (node) => html`<a href=${`/nodes?id=${encodeURIComponent(node.id)}`}>${node.name || node.id}</a>` },
              { name: 'holds', label: t('holds'), end: true, cell: (node) => (node.audit ? number(node.audit.size) : t('none')) },
              { name: 'at', label: t('signedAt'), end: true, className: 'nowrap', cell: (node) => (node.audit ? timeAt(node.audit.at) : '–') },
              { name: 'agrees', label: t('agrees'), cell: (node) => (!node.audit ? '–' : node.audit.refused ? html`${dot('bad', t('no'))} <span class="small">${node.audit.refused}</span>`
                : node.audit.agrees === null || node.audit.agrees === undefined ? t('waitsFor') : dot(node.audit.agrees ? 'good' : 'bad', t(node.audit.agrees ? 'yes' : 'no'))) },
            ] })}</details>
          <details class="fold" id="copies"><summary>${t('copies')}</summary>
            ${sinks.value.length === 0
              ? empty({ title: t('noSinks'), text: t('noSinksText'), command: SINKS })
              : table({ caption: t('copies'), rows: sinks.value, rowKey: (sink) => sink.name, columns: [
                { name: 'name', label: t('sink'), wide: true, cell: (sink) => sink.name },
                { name: 'state', label: t('state'), cell: (sink) => (sink.problem ? html`${dot('bad', sink.problem)}` : dot('good', t('works'))) },
                { name: 'sent', label: t('sent'), end: true, cell: (sink) => number(sink.sent) },
                { name: 'waiting', label: t('waiting'), end: true, cell: (sink) => number(sink.waiting) },
                { name: 'dropped', label: t('dropped'), end: true, cell: (sink) => number(sink.dropped) },
              ] })}</details>`}
        <details class="fold"><summary>${t('fullCheck')}</summary><div class="command"><code tabindex="0">${CHECK}</code></div></details>`;
    };

    return () => panel({
      id: 'verification', title: t('result'), kind: report.value && !report.value.good ? 'bad' : '',
      actions: html`<button type="button" class="quiet" id="close-verification" onClick=${() => emit('close')}>${t('close')}</button>`,
    }, error.value ? html`<div class="message error" role="alert">${error.value()}</div>` : report.value ? body() : html`<p class="soft">${t('verifying')}</p>`);
  },
};

export default {
  setup() {
    const query = () => ({
      actor: actorOf(route.query.actor), kind: route.query.kind, outcome: OUTCOMES.includes(route.query.outcome) ? route.query.outcome : '',
      since: addressed(route.query.since), until: addressed(route.query.until),
    });
    const older = ref([]);
    const noMore = ref(false);
    const loadingMore = ref(false);
    const moreError = ref(null);
    const verifies = ref(false);
    const filters = () => JSON.stringify(query());
    const first = useData(async () => {
      const newest = await get('/api/audit', { ...query(), limit: PAGE });
      older.value = [];
      noMore.value = newest.length < PAGE;
      return newest;
    }, { watch: filters });
    const rows = computed(() => [...(first.data.value ?? []), ...older.value]);
    const chosen = useData(async () => {
      const wanted = Number(route.query.row);
      if (!Number.isSafeInteger(wanted) || wanted < 1) {
        return null;
      }
      return rows.value.find((row) => row.number === wanted)
        ?? (await get('/api/audit', { below: wanted + 1, limit: 1 })).find((row) => row.number === wanted) ?? null;
    }, { watch: () => route.query.row, keep: true, fixed: true });

    function addressed(text) {
      return text && !Number.isNaN(new Date(text).getTime()) ? exact(text) : '';
    }

    const more = async () => {
      if (loadingMore.value) {
        return;
      }
      loadingMore.value = true;
      moreError.value = null;
      const before = filters();
      try {
        const next = await get('/api/audit', { ...query(), limit: PAGE, below: rows.value.at(-1).number });
        if (before === filters()) {
          older.value = [...older.value, ...next];
          noMore.value = next.length < PAGE;
        }
      } catch (failure) {
        moreError.value = explain(failure);
      } finally {
        loadingMore.value = false;
      }
    };

    // A person who types a name does not want a request for each letter.
    const typed = ref(route.query.actor ?? '');
    let timer = 0;
    const typeActor = (text) => {
      typed.value = text;
      clearTimeout(timer);
      timer = setTimeout(() => setQuery({ actor: text.trim() }), 300);
    };
    onUnmounted(() => clearTimeout(timer));
    watch(() => route.query.actor, (actor) => { typed.value = actor ?? ''; });

    const columns = computed(() => [
      { name: 'time', label: t('time'), className: 'nowrap', cell: (row) => html`<a href=${`/audit?${new URLSearchParams({ ...route.query, row: row.number })}`}>${timeAt(row.at, { seconds: true })}</a>` },
      { name: 'actor', label: t('actor'), className: 'nowrap', cell: (row) => html`<strong>${actorName(row.actor)}</strong>` },
      { name: 'deed', label: t('deed'), wide: true, cell: (row) => html`<div>${row.erased ? html`${row.kind} ${badge(t('erased'))}` : deedOf(row)}
        ${row.reason ? html`<div class="soft small">${row.reason}</div>` : row.details?.why && row.kind === 'request' ? html`<div class="soft small">${row.details.why}</div>` : ''}</div>` },
      { name: 'from', label: t('from'), className: 'nowrap', cell: (row) => (row.from ? html`<span class="mono">${row.from}</span>` : '–') },
      { name: 'outcome', label: t('outcome'), cell: (row) => badge(t(row.outcome === 'refused' ? 'refused' : 'done'), row.outcome === 'refused' ? 'warn' : 'good') },
      { name: 'number', label: t('number'), end: true, cell: (row) => number(row.number) },
    ]);

    const details = (row) => {
      const lines = comparison(row);
      const diff = Array.isArray(row.details?.diff) ? row.details.diff : [];
      return drawer({ id: 'row', title: t('row', { n: number(row.number) }), onClose: () => setQuery({ row: '' }) }, html`
        <p class="row-sentence"><strong>${actorName(row.actor)}</strong> ${row.erased ? '' : deedOf(row)}</p>
        ${row.erased && html`<p class="soft">${t('erasedText')}</p>`}
        ${facts([
          [t('time'), html`${timeAt(row.at, { seconds: true })} · ${timeAgo(row.at)}`], [t('outcome'), badge(t(row.outcome === 'refused' ? 'refused' : 'done'), row.outcome === 'refused' ? 'warn' : 'good')],
          [t('reason'), row.reason], [t('actor'), html`<span class="mono">${row.actor}</span>`], [t('from'), row.from && html`<span class="mono">${row.from}</span>`], [t('word'), html`<span class="mono">${row.kind}</span>`],
          [t('hash'), html`<span class="mono small">${row.hash}</span>`],
        ])}
        ${(diff.length > 0 || lines.length > 0) && html`<h3 class="small-head">${t('changes')}</h3>`}
        ${diff.length > 0 && html`<ul id="row-diff">${diff.map((line, i) => html`<li key=${i}>${line}</li>`)}</ul>`}
        ${lines.length > 0 && html`<div class="compared" id="row-compared">${lines.map((line, i) => html`<div key=${i} class=${line.kind}>${line.text}</div>`)}</div>`}
        ${row.details && Object.keys(row.details).length > 0 && html`<details class="fold" open=${diff.length + lines.length === 0}><summary>${t('everyDetail')}</summary>
          <pre class="json" tabindex="0">${JSON.stringify(row.details, null, 2)}</pre></details>`}`);
    };

    const isFiltered = () => Object.values(query()).some(Boolean);

    return () => html`
      ${head({ title: t('title'), lead: t('lead'), actions: html`
        <a class="button secondary" id="export-jsonl" href="/api/audit/export?format=jsonl" download>${t('exportJson')}</a>
        <a class="button secondary" id="export-csv" href="/api/audit/export?format=csv" download>${t('exportCsv')}</a>
        <button type="button" class="primary" id="verify" onClick=${() => { verifies.value = true; }}>${t('verify')}</button>` })}
      ${verifies.value && html`<div class="above">${h(Verification, { onClose: () => { verifies.value = false; } })}</div>`}
      <div class="filters">
        ${filter({ id: 'actor', label: t('actor'), value: typed.value, placeholder: t('actorHint'), onInput: typeActor })}
        ${filter({ id: 'kind', label: t('kind'), value: route.query.kind ?? '', onInput: (value) => setQuery({ kind: value }),
          options: [{ value: '', label: t('everything') }, ...(route.query.kind && !KINDS.includes(route.query.kind) ? [route.query.kind] : []).concat(KINDS).map((kind) => ({ value: kind, label: kindLabel(kind) }))] })}
        ${filter({ id: 'since', label: t('since'), type: 'datetime-local', value: fieldTime(route.query.since), onInput: (value) => setQuery({ since: addressTime(value) }) })}
        ${filter({ id: 'until', label: t('until'), type: 'datetime-local', value: fieldTime(route.query.until), onInput: (value) => setQuery({ until: addressTime(value) }) })}
        ${choice({ id: 'outcome', label: t('outcome'), value: query().outcome, onChange: (value) => setQuery({ outcome: value }),
          options: [{ value: '', label: t('all') }, { value: 'done', label: t('done') }, { value: 'refused', label: t('refused') }] })}
        ${isFiltered() && html`<button type="button" class="quiet" id="clear" onClick=${() => setQuery({ actor: '', kind: '', outcome: '', since: '', until: '' })}>${t('clear')}</button>`}
      </div>
      ${first.data.value && (rows.value.length === 0
        ? panel({ id: 'no-rows' }, empty({ title: t('nothing'), text: t('nothingText') }))
        : html`<section class="panel tight" aria-label=${t('rows')}>
            ${table({ id: 'audit-rows', caption: t('rows'), rows: rows.value, rowKey: (row) => row.number, columns: columns.value,
              chosen: chosen.data.value?.number ?? null, onRow: (row) => setQuery({ row: row.number }, { step: true }) })}
            ${!noMore.value && html`<div class="more-row"><button type="button" class="secondary" id="more" aria-disabled=${String(loadingMore.value)} onClick=${more}>${t('more')}</button>
              <span class="bad-text" role="alert" id="more-error">${moreError.value?.()}</span></div>`}
          </section>`)}
      ${chosen.data.value && details(chosen.data.value)}`;
  },
};
