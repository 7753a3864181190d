// Why a request would pass or be refused: which rules match, what they count now, and why the others do not match.
import { computed, nextTick, reactive, ref, shallowRef } from '/assets/vue.js';
import { explain as tell, html } from '/assets/parts.js';
import { copy, curl, get, send } from '/assets/console/calls.js';
import { useData } from '/assets/console/data.js';
import { number, span } from '/assets/console/format.js';
import { href, route, setQuery } from '/assets/console/router.js';
import { toast } from '/assets/console/toast.js';
import { badge, bar, choice, dot, empty, facts, filter, head, panel, table } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    title: 'Explain', lead: 'Paste a request and see which rules match it, what they count now, and what the answer would be. Nothing is consumed.',
    request: 'Request', as: 'Give the request as', ascurl: 'curl command', asform: 'Attributes', command: 'Command', commandHint: 'A curl command as a browser or a colleague gives it to you. It is not stored.',
    placeholder: "curl -X POST https://shop.example/api/login -d name=ann", explain: 'Explain', working: 'Asking…', examples: 'Examples', copyCurl: 'Copy as curl', copied: 'Copied',
    method: 'Method', path: 'Path', ip: 'Address', user: 'User', tenant: 'Tenant', service: 'Service', about: 'Rule that you wonder about', added: 'What the command does not tell', name: 'Attribute', value: 'Value', remove: 'Remove {name}', nameHint: 'header.x-phone',
    emptyTitle: 'No request yet', emptyText: 'Paste a curl command, fill in attributes, or take one of the examples.',
    understood: 'The request as understood', warnings: 'Warnings', edit: 'Edit as attributes', noAttributes: 'It has no attributes.',
    allowed: 'The request would pass', refused: 'The request would be refused', denied: 'The request would be denied', exempt: 'The request is exempt from all limits', undecided: 'What would be decided is not known',
    retry: 'It would pass again in {time}.',
    countsOf: 'Counts of this moment from node {node}. Nothing was consumed.', countsOfSome: 'Counts of this moment from a node. Nothing was consumed.', noNode: 'No node answered, so the counts of this moment are missing.', version: 'Rules of version {version}.',
    matching: 'Rules that match', noMatch: 'No rule matches this request.', others: 'Rules that do not match', othersHint: 'Search in these rules', rule: 'Rule', why: 'Why not', limit: 'Limit', key: 'Counted for', count: 'Now', state: 'State',
    override: 'override', others2: 'and {count} more that do not match', ignored: 'Not read by any rule', live: 'live', shadow: 'shadow', disabled: 'off', deny: 'denies', exempted: 'exempts',
    passes: 'passes', refuses: 'refuses', wouldRefuse: 'would refuse', leftOf: '{left} of {limit} left', left: '{left} left', reset: 'full again in {time}', retryIn: 'again in {time}', unknownCount: 'not known', all: 'everybody',
    missing: 'This center cannot explain requests yet.', decisions: 'Recent decisions', search: 'Search',
  },
  zh: {
    title: '解释', lead: '粘贴一个请求，查看哪些规则匹配、当前计数是多少、会得到什么结果。不会消耗任何配额。',
    request: '请求', as: '请求的给出方式', ascurl: 'curl 命令', asform: '属性', command: '命令', commandHint: '浏览器或同事给您的 curl 命令。不会被保存。',
    placeholder: "curl -X POST https://shop.example/api/login -d name=ann", explain: '解释', working: '正在询问…', examples: '示例', copyCurl: '复制为 curl', copied: '已复制',
    method: '方法', path: '路径', ip: '地址', user: '用户', tenant: '租户', service: '服务', about: '想了解的规则', added: '命令中没有的信息', name: '属性', value: '值', remove: '移除 {name}', nameHint: 'header.x-phone',
    emptyTitle: '还没有请求', emptyText: '粘贴一条 curl 命令、填写属性，或使用下面的示例。',
    understood: '识别出的请求', warnings: '警告', edit: '按属性编辑', noAttributes: '没有属性。',
    allowed: '该请求会放行', refused: '该请求会被拒绝', denied: '该请求会被禁止', exempt: '该请求不受任何限额约束', undecided: '无法得知结果',
    retry: '{time}后可再次通过。',
    countsOf: '当前计数来自节点 {node}。未消耗配额。', countsOfSome: '当前计数来自一个节点。未消耗配额。', noNode: '没有节点应答，因此缺少当前计数。', version: '规则版本 {version}。',
    matching: '匹配的规则', noMatch: '没有规则匹配该请求。', others: '不匹配的规则', othersHint: '在这些规则中搜索', rule: '规则', why: '不匹配的原因', limit: '限额', key: '计数对象', count: '当前', state: '状态',
    override: '临时覆盖', others2: '另有 {count} 条不匹配', ignored: '没有规则读取', live: '生效', shadow: '影子', disabled: '停用', deny: '禁止', exempted: '豁免',
    passes: '放行', refuses: '拒绝', wouldRefuse: '将会拒绝', leftOf: '剩余 {left} / {limit}', left: '剩余 {left}', reset: '{time}后恢复满额', retryIn: '{time}后可重试', unknownCount: '未知', all: '所有人',
    missing: '本中心还不支持解释请求。', decisions: '最近的决策', search: '搜索',
  },
});

/** What a command tells itself. */
const TOLD = ['method', 'path'];
/** What a command does not tell. */
const ADDED = ['ip', 'user', 'tenant', 'service'];
const FIELDS = [...TOLD, ...ADDED];
/** These do not tell who somebody is, so they may be in the address of the page. */
const PUBLIC = ['method', 'path', 'service'];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const SAMPLES = { ip: '203.0.113.7', user: 'u-17', tenant: 'acme', app: 'mobile' };
const STATE_KINDS = { live: 'good', shadow: 'info' };

/** Returns a request that a rule is about, or null if that cannot be told. */
function example(rule) {
  if (typeof rule.resource !== 'string' || rule.enabled === false || !(rule.limits?.length > 0)) {
    return null;
  }
  const attributes = { method: [rule.methods ?? 'GET'].flat()[0], path: rule.resource.replaceAll('**', '7').replace(/\{[^}]*\}/g, '7').replaceAll('*', '7') };
  if (typeof rule.service === 'string') {
    attributes.service = rule.service;
  }
  rule.limits.flatMap((limit) => limit.by ?? []).map((each) => (typeof each === 'string' ? each : each.attribute)).forEach((name) => { attributes[name] = SAMPLES[name] ?? (name.includes('phone') ? '+49 30 901820' : 'example'); });
  return { id: rule.id, attributes };
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns a request as a command line, as far as a command tells it. */
function commandOf(attributes) {
  const headers = Object.entries(attributes).filter(([name]) => name.startsWith('header.'))
    .map(([name, value]) => ` -H ${quoted(`${name.slice(7).replace(/(^|-)([a-z])/g, (whole) => whole.toUpperCase())}: ${value}`)}`);
  const json = Object.entries(attributes).filter(([name]) => name.startsWith('json.')).map(([name, value]) => [name.slice(5), value]);
  return `curl -X ${attributes.method} ${quoted(`https://shop.example${attributes.path}`)}${headers.join('')}${json.length > 0 ? ` --json ${quoted(JSON.stringify(Object.fromEntries(json)))}` : ''}`;
}

/** How the answer would be: allowed, refused, denied, exempt or undecided. */
function outcomeOf(answer) {
  const { allowed, rule } = answer.decision;
  const action = answer.rules.find((each) => each.rule === rule)?.action;
  if (allowed === null || allowed === undefined) {
    return 'undecided';
  }
  return allowed ? action === 'exempt' ? 'exempt' : 'allowed' : action === 'deny' ? 'denied' : 'refused';
}

/** The answer in one sentence, and who gave it. */
function verdict(answer) {
  const outcome = outcomeOf(answer);
  const kind = { allowed: 'good', exempt: 'good', refused: 'bad', denied: 'bad', undecided: '' }[outcome];
  const { why, retry_after_ms: retry } = answer.decision;
  return html`<div class=${`notice answer ${kind}`} id="decision" role="status" data-outcome=${outcome}>
    <strong class="answer-title">${kind ? dot(kind, t(outcome)) : t(outcome)}</strong>
    <div>${why}${outcome === 'refused' && retry > 0 ? html` ${t('retry', { time: span(retry) })}` : null}</div>
    <div class="soft small">${answer.answered ? answer.node ? t('countsOf', { node: answer.node }) : t('countsOfSome') : t('noNode')} ${t('version', { version: answer.version })}</div></div>`;
}

function known(value) {
  return value !== undefined && value !== null;
}

function limitRow(limit) {
  const { remaining: left, used, retry_after_ms: retry, reset_after_ms: reset } = limit;
  const most = known(used) && known(left) ? used + left : 0;
  return html`<tr key=${limit.limit}>
    <td data-label=${t('limit')}><span class="lines"><span>${limit.text}</span><span class="row-line tighter"><span class="soft small mono">${limit.limit}</span>
      ${limit.override && badge(t('override'), 'warn')}${limit.shadow && badge(t('shadow'), 'info')}</span></span></td>
    <td data-label=${t('key')}>${limit.key ? limit.hash ? html`<a href=${`/callers/${encodeURIComponent(limit.hash)}`}><code>${limit.key}</code></a>` : html`<code>${limit.key}</code>`
      : html`<span class="soft">${limit.by?.length > 0 ? '–' : t('all')}</span>`}</td>
    <td data-label=${t('count')} class="end">${known(left)
      ? html`<span class="lines"><span>${most > 0 ? t('leftOf', { left: number(left), limit: number(most) }) : t('left', { left: number(left) })}</span>
        ${most > 0 ? bar(used / most, left === 0 ? 'bad' : '') : null}
        ${limit.allowed === false && retry > 0 ? html`<span class="soft small">${t('retryIn', { time: span(retry) })}</span>`
          : reset > 0 ? html`<span class="soft small">${t('reset', { time: span(reset) })}</span>` : null}</span>`
      : html`<span class="soft">${t('unknownCount')}</span>`}</td>
    <td data-label=${t('state')} class="end">${known(limit.allowed) ? limit.allowed ? badge(t('passes'), 'good') : badge(t(limit.shadow ? 'wouldRefuse' : 'refuses'), limit.shadow ? 'info' : 'bad') : '–'}</td></tr>`;
}

/** The state of a rule in one word: what it does if it does not count, otherwise whether it is in force. */
function ruleState(rule) {
  if (rule.action && rule.action !== 'limit') {
    return badge(t(rule.action === 'exempt' ? 'exempted' : 'deny'), rule.action === 'deny' ? 'bad' : 'info');
  }
  return badge(['live', 'shadow', 'disabled'].includes(rule.state) ? t(rule.state) : rule.state, STATE_KINDS[rule.state] ?? 'plain');
}

function matched(rule) {
  return html`<div class="matched" key=${rule.rule} id=${`match-${rule.rule}`}>
    <div class="panel-head"><h3><a href=${`/rules/${encodeURIComponent(rule.rule)}`}>${rule.rule}</a></h3><span class="soft">${rule.name ?? ''}</span>
      <span class="grow"></span>${ruleState(rule)}
      <a class="small" href=${href('/decisions', { rule: rule.rule })}>${t('decisions')}</a></div>
    ${rule.why && html`<p class="soft flat">${rule.why}</p>`}
    ${rule.limits?.length > 0 ? html`<div class="table-frame"><table class="limits"><thead><tr><th scope="col">${t('limit')}</th><th scope="col">${t('key')}</th>
      <th scope="col" class="end">${t('count')}</th><th scope="col" class="end">${t('state')}</th></tr></thead>
      <tbody>${rule.limits.map(limitRow)}</tbody></table></div>` : null}
  </div>`;
}

export default {
  setup() {
    const { data: rules } = useData(() => get('/api/rules'), { on: ['releases'], every: 60_000 });
    const way = computed(() => (route.query.as === 'form' || (!route.query.as && route.query.path) ? 'form' : 'curl'));
    const command = ref('');
    const fields = reactive(Object.fromEntries(FIELDS.map((name) => [name, route.query[name] ?? ''])));
    fields.method = fields.method || 'GET';
    const about = ref(route.query.rule ?? '');
    const more = ref([{ id: 0, name: '', value: '' }]);
    let last = 0;
    const answer = shallowRef(null);
    const error = ref(null);
    const busy = ref(false);
    const sought = ref('');
    const unfolded = ref(false);

    const examples = computed(() => {
      const made = (rules.value?.rules ?? []).slice(0, 500).map(example).filter(Boolean);
      const seen = new Set();
      return made.filter(({ attributes }) => {
        const shape = Object.keys(attributes).sort().join();
        return !seen.has(shape) && seen.add(shape);
      }).slice(0, 5);
    });

    function attributes(names) {
      return Object.fromEntries([
        ...names.map((name) => [name, fields[name].trim()]),
        ...more.value.map(({ name, value }) => [name.trim(), value]),
      ].filter(([name, value]) => name && value));
    }

    const body = () => ({
      ...(way.value === 'curl' ? { curl: command.value.trim(), attributes: attributes(ADDED) } : { attributes: attributes(FIELDS) }),
      ...(about.value.trim() ? { rule: about.value.trim() } : {}),
    });

    async function run(event) {
      event?.preventDefault();
      if (busy.value) {
        return;
      }
      if (way.value === 'form') {
        setQuery({ as: 'form', rule: about.value.trim(), ...Object.fromEntries(PUBLIC.map((name) => [name, fields[name].trim()])) });
      }
      busy.value = true;
      error.value = null;
      try {
        answer.value = await send('POST', '/api/explain', body());
        unfolded.value = false;
        sought.value = '';
        if (innerWidth < 1152) {
          nextTick(() => document.getElementById('decision')?.scrollIntoView({ block: 'center' }));
        }
      } catch (failure) {
        answer.value = null;
        error.value = failure.status === 404 || failure.status === 405 ? () => t('missing') : tell(failure);
      } finally {
        busy.value = false;
      }
    }

    function fill(given) {
      FIELDS.forEach((name) => { fields[name] = given[name] ?? (name === 'method' ? 'GET' : ''); });
      const rest = Object.entries(given).filter(([name]) => !FIELDS.includes(name));
      more.value = [...rest, ['', '']].map(([name, value]) => ({ id: ++last, name, value: String(value) }));
    }

    function take({ attributes: given }) {
      if (way.value === 'curl') {
        command.value = commandOf(given);
        fill(Object.fromEntries(Object.entries(given).filter(([name]) => !TOLD.includes(name) && !/^(header|json)\./.test(name))));
      } else {
        fill(given);
      }
      run();
    }

    function change(id, name, value) {
      const items = more.value.map((item) => (item.id === id ? { ...item, [name]: value } : item));
      more.value = items[items.length - 1].name ? [...items, { id: ++last, name: '', value: '' }] : items;
    }

    async function copyCommand() {
      if (await copy(curl('POST', '/api/explain', body()))) {
        toast(t('copied'));
      }
    }

    if (way.value === 'form' && fields.path) {
      run();
    }

    const field = (name) => html`<label class=${`filter field-${name}`} key=${name}><span>${t(name)}</span>${name === 'method'
      ? html`<select id="attribute-method" onChange=${(event) => { fields.method = event.target.value; }}>${[...new Set([fields.method, ...METHODS])].map((method) => html`
          <option value=${method} selected=${method === fields.method}>${method}</option>`)}</select>`
      : html`<input id=${`attribute-${name}`} value=${fields[name]} autocomplete="off" spellcheck="false" autocapitalize="none"
          placeholder=${{ path: '/api/login', ip: '203.0.113.7', user: 'u-17', tenant: 'acme', service: 'user-service' }[name]} onInput=${(event) => { fields[name] = event.target.value; }} />`}</label>`;

    const rows = () => html`<div class="stack rows">${more.value.map((item, i) => html`<div class="attribute-row" key=${item.id}>
      <input aria-label=${`${t('name')} ${i + 1}`} id=${`more-name-${i}`} value=${item.name} placeholder=${t('nameHint')} autocomplete="off"
        spellcheck="false" autocapitalize="none" onInput=${(event) => change(item.id, 'name', event.target.value)} />
      <input aria-label=${`${t('value')} ${i + 1}`} id=${`more-value-${i}`} value=${item.value} placeholder=${t('value')} autocomplete="off"
        spellcheck="false" autocapitalize="none" onInput=${(event) => change(item.id, 'value', event.target.value)} />
      <button type="button" class="quiet" aria-label=${t('remove', { name: item.name || i + 1 })} disabled=${more.value.length === 1}
        onClick=${() => { more.value = more.value.filter((each) => each.id !== item.id); }}>×</button></div>`)}</div>`;

    const form = () => html`
      <form onSubmit=${run} id="explain-form" class="stack">
        ${choice({ id: 'way', label: t('as'), value: way.value, options: [{ value: 'curl', label: t('ascurl') }, { value: 'form', label: t('asform') }],
          onChange: (value) => setQuery({ as: value }) })}
        ${way.value === 'curl'
          ? html`<label class="filter"><span>${t('command')}</span><textarea id="command" rows="5" spellcheck="false" autocapitalize="none" autocomplete="off" maxlength="65536" value=${command.value}
              placeholder=${t('placeholder')} aria-describedby="command-hint" onInput=${(event) => { command.value = event.target.value; }}
              onKeydown=${(event) => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { run(event); } }}></textarea>
              <span id="command-hint">${t('commandHint')}</span></label>
              <fieldset class="added"><legend>${t('added')}</legend><div class="attribute-fields">${ADDED.map(field)}</div>${rows()}</fieldset>`
          : html`<div class="attribute-fields">${FIELDS.map(field)}</div>${rows()}`}
        <label class="filter"><span>${t('about')}</span><input id="about" value=${about.value} placeholder="login" autocomplete="off" spellcheck="false" autocapitalize="none"
          onInput=${(event) => { about.value = event.target.value; }} /></label>
        <div class="row-line"><button type="submit" class="primary" id="explain" aria-disabled=${String(busy.value)}>${busy.value ? t('working') : t('explain')}</button>
          <button type="button" class="quiet" id="copy-explain" onClick=${copyCommand}>${t('copyCurl')}</button></div>
        <div role="alert" id="explain-error" class=${error.value ? 'message error' : 'message'}>${error.value?.()}</div>
        ${examples.value.length > 0 && html`<div><h3 class="soft small">${t('examples')}</h3><div class="row-line tighter">${examples.value.map((each) => html`
          <button type="button" class="secondary small" key=${each.id} id=${`example-${each.id}`} onClick=${() => take(each)}>${each.attributes.method} ${each.attributes.path}</button>`)}</div></div>`}
      </form>`;

    const understood = (given) => {
      const request = given.request ?? {};
      const pairs = Object.entries(request);
      return panel({ id: 'understood', title: t('understood'), actions: way.value === 'curl' && pairs.length > 0
        ? html`<button type="button" class="quiet small" id="edit-attributes" onClick=${() => { fill(request); setQuery({ as: 'form' }); }}>${t('edit')}</button>` : null },
      html`<div class="stack">${given.warnings?.length > 0 && html`<div class="notice warn flat" id="warnings"><strong>${t('warnings')}</strong><ul>${given.warnings.map((warning, i) => html`<li key=${i}>${warning}</li>`)}</ul></div>`}
        ${pairs.length > 0 ? facts(pairs.map(([name, value]) => [html`<span class="mono">${name}</span>`, html`<code>${String(value)}</code>`])) : html`<p class="soft flat">${t('noAttributes')}</p>`}
        ${given.ignored?.length > 0 && html`<p class="soft small flat" id="ignored">${t('ignored')}: ${given.ignored.join(', ')}</p>`}</div>`);
    };

    const others = (list, unlisted) => {
      const text = sought.value.trim().toLowerCase();
      const rows = text ? list.filter((rule) => `${rule.rule} ${rule.name ?? ''} ${rule.why ?? ''}`.toLowerCase().includes(text)) : list;
      return html`<details class="panel tight folded" id="others" open=${unfolded.value} onToggle=${(event) => { unfolded.value = event.target.open; }}>
        <summary><span class="strong">${t('others')}</span> <span class="count">${number(list.length + unlisted)}</span></summary>
        ${unfolded.value && html`${list.length > 12 && html`<div class="filters inset">${filter({ id: 'others-search', label: t('search'), value: sought.value, placeholder: t('othersHint'), width: 'wide', onInput: (value) => { sought.value = value; } })}</div>`}
          ${table({ id: 'others-table', caption: t('others'), rows, rowKey: (rule) => rule.rule, columns: [
            { name: 'rule', label: t('rule'), cell: (rule) => html`<span class="lines"><a href=${`/rules/${encodeURIComponent(rule.rule)}`}>${rule.rule}</a>${rule.name && html`<span class="soft small">${rule.name}</span>`}</span>` },
            { name: 'why', label: t('why'), wide: true, cell: (rule) => rule.why },
          ] })}${unlisted > 0 && html`<p class="soft inset">${t('others2', { count: number(unlisted) })}</p>`}`}</details>`;
    };

    const story = () => {
      const given = answer.value;
      if (!given) {
        return panel({ id: 'story' }, empty({ title: t('emptyTitle'), text: t('emptyText') }));
      }
      const matches = given.rules.filter((rule) => rule.matches);
      const rest = given.rules.filter((rule) => !rule.matches);
      return html`<div class="stack" id="story">
        ${verdict(given)}
        ${panel({ id: 'matching', title: t('matching'), note: number(matches.length) }, matches.length > 0 ? html`<div class="matches">${matches.map(matched)}</div>` : html`<p class="soft flat">${t('noMatch')}</p>`)}
        ${understood(given)}
        ${rest.length + (given.others ?? 0) > 0 && others(rest, given.others ?? 0)}</div>`;
    };

    return () => html`
      ${head({ title: t('title'), lead: t('lead') })}
      <div class="grid">
        <div class="span-5">${panel({ id: 'request', title: t('request') }, form())}</div>
        <div class="span-7">${story()}</div>
      </div>`;
  },
};
