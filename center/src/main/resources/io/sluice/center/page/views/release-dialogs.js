// The questions before something is released, tried or taken back.
import { reactive } from '/assets/vue.js';
import { html } from '/assets/parts.js';
import { get } from '/assets/console/calls.js';
import { ask } from '/assets/console/dialog.js';
import { zone } from '/assets/console/settings.js';
import { words } from '/assets/console/words.js';
import { measureName } from '/assets/views/release-words.js';
import { sentences, sideBySide, tally } from '/assets/views/version-diff.js';
import { can, canEverywhere } from '/assets/console/me.js';

const t = words({
  en: {
    release: 'Release change {id}', releaseAction: 'Release', tryAction: 'Start the trial', planAction: 'Schedule',
    emergency: 'Release change {id} without approval', emergencyAction: 'Release without approval',
    emergencyText: 'The change takes effect at once. It is undone after {span} unless another person accepts it. Approvers are told.',
    to: 'To', all: 'All callers', callers: 'A share of the callers', nodes: 'A share of the nodes', tenants: 'Some tenants', named: 'Some callers',
    candidate: 'Nobody: count beside the rules in force',
    allHint: 'Each node takes the new version as soon as it hears of it.',
    callersHint: 'Others keep the rules in force. A caller never sees both versions.',
    nodesHint: 'It shows that the version loads and decides. Nodes share counts, so it says nothing about numbers.',
    tenantsHint: 'Only these tenants get the new version.', namedHint: 'Only these callers get the new version.',
    candidateHint: 'New limits count what they would refuse, and refuse nothing.',
    steps: 'Shares in percent', stepsHint: 'One for each step; all follow after the last.',
    by: 'Told apart by', byHint: 'Usual: by user, else by tenant, else by address.',
    tenantNames: 'Tenants, with commas', attribute: 'Attribute', names: 'Values, with commas',
    verdict: 'Verdict', verdictShown: 'Shown only: a person decides', verdictActs: 'Acts by itself: promotes and rolls back', verdictOwn: 'Own settings',
    compare: 'Compare, and how much worse the trial may be', every: 'Interval', watch: 'Watch first', minRequests: 'Least requests',
    usual: 'usual', automatic: 'The verdict acts by itself', when: 'When', now: 'Now', later: 'At a time', at: 'Time ({zone})', utc: 'UTC', local: 'local',
    rollback: 'Roll back to version {n}', rollbackText: 'A new version gets the content of version {n}. This is what changes in the rules in force:',
    rollbackSame: 'Version {n} has the same rules as those in force.', rollbackAction: 'Roll back', how: 'How', rollNow: 'At once',
    rollEmergency: 'At once, without approval (emergency)', rollChange: 'Open a change that others can review', openAction: 'Open the change',
    backTitle: 'Back to version {n}', loading: 'Loading the difference…', failed: 'The difference cannot be shown.',
    needsChange: 'If protected rules change, somebody else has to approve: open a change, or use the emergency way.',
  },
  zh: {
    release: '发布变更 {id}', releaseAction: '发布', tryAction: '开始试用', planAction: '定时发布',
    emergency: '未经审批发布变更 {id}', emergencyAction: '未经审批发布',
    emergencyText: '变更立即生效。如果 {span} 内没有其他人接受，将自动撤销。审批人会收到通知。',
    to: '范围', all: '全部调用方', callers: '一部分调用方', nodes: '一部分节点', tenants: '指定租户', named: '指定调用方',
    candidate: '不影响任何人：只在旁路计数',
    allHint: '各节点收到新版本后立即采用。',
    callersHint: '其他调用方仍使用当前规则。同一调用方不会同时遇到两个版本。',
    nodesHint: '可确认新版本能加载并作出决策。节点共享计数，因此无法比较数值。',
    tenantsHint: '只有这些租户使用新版本。', namedHint: '只有这些调用方使用新版本。',
    candidateHint: '新限制只统计会拒绝多少，不会真正拒绝。',
    steps: '各步比例（%）', stepsHint: '每步一个；最后一步之后面向全部。',
    by: '区分方式', byHint: '默认先按用户，再按租户，最后按地址。',
    tenantNames: '租户，用逗号分隔', attribute: '属性', names: '取值，用逗号分隔',
    verdict: '判定', verdictShown: '仅显示，由人决定', verdictActs: '自动执行：推进或回滚', verdictOwn: '自定义',
    compare: '比较指标与容许的变差幅度', every: '间隔', watch: '事先观察', minRequests: '最少请求数',
    usual: '默认', automatic: '判定自动执行', when: '时间', now: '立即', later: '指定时间', at: '时间（{zone}）', utc: 'UTC', local: '本地',
    rollback: '回滚到版本 {n}', rollbackText: '将以版本 {n} 的内容生成一个新版本。当前规则会有以下变化：',
    rollbackSame: '版本 {n} 的规则与当前规则相同。', rollbackAction: '回滚', how: '方式', rollNow: '立即',
    rollEmergency: '立即，不经审批（紧急）', rollChange: '新建变更，供他人审阅', openAction: '新建变更',
    backTitle: '回到版本 {n}', loading: '正在加载差异…', failed: '无法显示差异。',
    needsChange: '如果涉及受保护的规则，需要他人审批：请新建变更，或使用紧急方式。',
  },
});

const MEASURES = ['refusals', 'errors', 'latency', 'degraded'];
const TOLERANCES = { refusals: '1', errors: '1', latency: '10', degraded: '1' };

function list(text) {
  return text.split(/[,，、\s]+/).map((each) => each.trim()).filter((each) => each !== '');
}

function shares(text) {
  return list(text).map((each) => (each.endsWith('%') ? each : `${each}%`));
}

/** Returns the time that was typed, which is in the zone that the console shows. */
function instant(typed) {
  const date = new Date(zone.value === 'utc' ? `${typed}Z` : typed);
  return Number.isNaN(date.getTime()) ? typed : date.toISOString();
}

/** Returns what the API calls the people or nodes that were chosen. */
function target(form) {
  switch (form.to) {
    case 'callers':
      return { callers: shares(form.steps), ...(form.by ? { by: form.by } : {}) };
    case 'nodes':
      return { nodes: shares(form.steps) };
    case 'tenants':
      return { tenants: list(form.names) };
    case 'named':
      return { named: { [form.attribute.trim()]: list(form.names) } };
    default:
      return form.to;
  }
}

function verdict(form) {
  if (form.to !== 'callers' && form.to !== 'nodes') {
    return null;
  }
  if (form.judge !== 'own') {
    return form.judge === 'acts' ? { automatic: true } : null;
  }
  const compared = measures(form).filter((measure) => form.compare[measure]);
  return {
    compare: compared,
    tolerance: Object.fromEntries(compared.map((measure) => [measure, `${String(form.tolerance[measure]).replace('%', '').trim()}%`])),
    ...(form.every ? { every: form.every } : {}),
    ...(form.watch && form.to === 'callers' ? { watch: form.watch } : {}),
    ...(form.minRequests ? { min_requests: Number(form.minRequests) } : {}),
    automatic: form.automatic,
  };
}

/** Nodes share counts, so a share of nodes says nothing about refusals. */
function measures(form) {
  return form.to === 'nodes' ? MEASURES.filter((measure) => measure !== 'refusals') : MEASURES;
}

function field(form, name, label, { hint = '', options = null, type = 'text', placeholder = null } = {}) {
  const id = `release-${name}`;
  const update = (event) => { form[name] = event.target.value; };
  return html`
    <div class="field" key=${name}>
      <label for=${id}>${label}</label>
      ${options
        ? html`<select id=${id} onChange=${update}>${options.map(([value, text]) => html`
            <option key=${value} value=${value} selected=${value === form[name]}>${text}</option>`)}</select>`
        : html`<input id=${id} type=${type} value=${form[name]} placeholder=${placeholder} autocomplete="off" onInput=${update}
            aria-describedby=${hint ? `${id}-hint` : null} />`}
      ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    </div>`;
}

function ownVerdict(form) {
  return html`
    <fieldset class="field" key="own"><legend>${t('compare')}</legend>
      ${measures(form).map((measure) => html`
        <div class="measure-choice" key=${measure}>
          <label><input type="checkbox" id=${`release-compare-${measure}`} checked=${form.compare[measure]}
            onChange=${(event) => { form.compare[measure] = event.target.checked; }} /> ${measureName(measure)}</label>
          <span><input aria-label=${`${measureName(measure)} %`} value=${form.tolerance[measure]} inputmode="decimal"
            onInput=${(event) => { form.tolerance[measure] = event.target.value; }} /> %</span>
        </div>`)}
    </fieldset>
    <div class="field-row" key="spans">
      ${field(form, 'every', t('every'), { placeholder: '1m' })}
      ${form.to === 'callers' && field(form, 'watch', t('watch'), { placeholder: t('usual') })}
      ${field(form, 'minRequests', t('minRequests'), { placeholder: t('usual'), type: 'number' })}
    </div>
    <label class="check" key="acts"><input type="checkbox" id="release-automatic" checked=${form.automatic}
      onChange=${(event) => { form.automatic = event.target.checked; }} /> ${t('automatic')}</label>`;
}

function releaseForm(form) {
  return html`<div class="release-form">
    ${field(form, 'to', t('to'), { hint: t(`${form.to}Hint`), options: ['all', 'callers', 'nodes', 'tenants', 'named', 'candidate'].map((value) => [value, t(value)]) })}
    ${(form.to === 'callers' || form.to === 'nodes') && html`<div class="field-row" key="steps">
      ${field(form, 'steps', t('steps'), { hint: t('stepsHint') })}
      ${form.to === 'callers' && field(form, 'by', t('by'), { hint: t('byHint'), options: [['', t('usual')], ['user', 'user'], ['tenant', 'tenant'], ['ip', 'ip']] })}</div>`}
    ${form.to === 'tenants' && field(form, 'names', t('tenantNames'), { placeholder: 'acme, globex' })}
    ${form.to === 'named' && html`<div class="field-row" key="named">${field(form, 'attribute', t('attribute'))}${field(form, 'names', t('names'))}</div>`}
    ${(form.to === 'callers' || form.to === 'nodes') && [
      field(form, 'judge', t('verdict'), { options: [['shown', t('verdictShown')], ['acts', t('verdictActs')], ['own', t('verdictOwn')]] }),
      form.judge === 'own' && ownVerdict(form),
    ]}
    <div class="field-row" key="when">
      ${field(form, 'when', t('when'), { options: [['now', t('now')], ['later', t('later')]] })}
      ${form.when === 'later' && field(form, 'at', t('at', { zone: t(zone.value === 'utc' ? 'utc' : 'local') }), { type: 'datetime-local' })}
    </div></div>`;
}

/** Asks how to release a change, and releases it. Returns the rollout, or null. */
export function askRelease(change) {
  const form = reactive({
    to: 'all', steps: '5, 25, 50', by: '', names: '', attribute: 'user', judge: 'shown', every: '', watch: '', minRequests: '', automatic: false,
    compare: { refusals: true, errors: true, latency: false, degraded: false }, tolerance: { ...TOLERANCES }, when: 'now', at: '',
  });
  return ask({
    title: t('release', { id: change.id }),
    text: () => releaseForm(form),
    action: () => t(form.when === 'later' ? 'planAction' : form.to === 'all' ? 'releaseAction' : 'tryAction'),
    reason: 'optional',
    call: ({ reason }) => {
      const judged = verdict(form);
      return {
        method: 'POST',
        path: `/api/changes/${change.id}/release`,
        body: {
          digest: change.digest, to: target(form), ...(judged ? { verdict: judged } : {}),
          ...(form.when === 'later' ? { at: instant(form.at) } : {}), ...(reason ? { reason } : {}),
        },
      };
    },
  });
}

/** Asks for the reason, and releases a change without the approval that it needs. */
export function askEmergencyRelease(change, span) {
  return ask({
    title: t('emergency', { id: change.id }),
    text: t('emergencyText', { span }),
    action: t('emergencyAction'),
    danger: true,
    call: ({ reason }) => ({
      method: 'POST', path: `/api/changes/${change.id}/release`, body: { digest: change.digest, to: 'all', reason, emergency: true },
    }),
  });
}

/**
 * Shows what a rollback would change, and does it or opens a change with the old content.
 *
 * @returns a rollout ({version}) or a change ({edits}), or null
 */
export function askRollback(to, inForce) {
  const state = reactive({ diff: null, failed: false, how: canEverywhere('operate') ? 'now' : 'change' });
  get(`/api/versions/${inForce}/diff`, { to })
    .then((diff) => { state.diff = diff; })
    .catch(() => { state.failed = true; });
  const options = [
    ...(canEverywhere('operate') ? [['now', t('rollNow')], ['emergency', t('rollEmergency')]] : []),
    ...(can('edit') ? [['change', t('rollChange')]] : []),
  ];
  return ask({
    title: t('rollback', { n: to }),
    text: () => html`
      <p>${t('rollbackText', { n: to })}</p>
      ${state.failed ? html`<p class="bad-text">${t('failed')}</p>` : !state.diff ? html`<p>${t('loading')}</p>` : html`
        <p class="strong" id="rollback-counts">${state.diff.sentences.length === 0 ? t('rollbackSame', { n: to }) : tally(state.diff.counts)}</p>
        ${state.diff.sentences.length > 0 && html`<div class="dialog-diff" tabindex="0" role="region" aria-label=${tally(state.diff.counts)}>${sentences(state.diff.sentences)}${sideBySide(state.diff.text)}</div>`}`}
      ${options.length > 1 && field(state, 'how', t('how'), { options, hint: t('needsChange') })}`,
    action: () => t(state.how === 'change' ? 'openAction' : 'rollbackAction'),
    danger: true,
    wide: true,
    call: ({ reason }) => (state.how === 'change'
      ? { method: 'POST', path: '/api/changes', body: { title: t('backTitle', { n: to }), reason, base: inForce, content_of: to } }
      : { method: 'POST', path: '/api/rollback', body: { to, reason, expected: inForce, ...(state.how === 'emergency' ? { emergency: true } : {}) } }),
  });
}
