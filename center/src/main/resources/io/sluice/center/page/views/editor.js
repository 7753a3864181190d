// Writes a rule: completion, live checking, the difference and a preview in words. The result is a change that somebody releases.
import { computed, h, nextTick, onMounted, onUnmounted, reactive, ref, shallowRef, watch } from '/assets/vue.js';
import { explain, html } from '/assets/parts.js';
import { copy, curl, get, send } from '/assets/console/calls.js';
import { changeWords } from '/assets/console/change-words.js';
import { codeEditor, loadCodeEditor } from '/assets/console/code-editor.js';
import { useData } from '/assets/console/data.js';
import { number } from '/assets/console/format.js';
import { me } from '/assets/console/me.js';
import { go, route } from '/assets/console/router.js';
import { complete } from '/assets/console/rule-completion.js';
import { diffRows, diffTable } from '/assets/console/rule-diff.js';
import { ruleLines } from '/assets/console/rule-words.js';
import { toast } from '/assets/console/toast.js';
import { badge, empty, head, panel } from '/assets/console/ui.js';
import { words } from '/assets/console/words.js';
import { dryRunPanel } from '/assets/views/dry-run.js';

const t = words({
  en: {
    rules: 'Rules', newTitle: 'New rule', editTitle: 'Edit {rule}', changeTitle: 'Edit change {id}', backRule: 'Rule {rule}', backChange: 'Change {id}', lead: 'Nothing changes until the change is released.',
    text: 'Rule', label: 'The rule as YAML', keys: 'Ctrl Space completes · Ctrl Enter opens the change · Esc, then Tab leaves the field', templates: 'Begin with', perIp: 'Per address', perUser: 'Per user', perTenant: 'Per tenant',
    sms: 'Text messages', flight: 'Concurrency', ban: 'Deny list', preview: 'In words', stale: 'The text has errors. This is what it said before.', noPreview: 'The preview appears when the rule has no errors.',
    checks: 'Checks', checking: 'checking…', fine: 'No errors', errorsOne: '1 error', errors: '{n} errors', line: 'Line {n}', needsOne: 'Somebody else has to approve it.', needs: '{n} other people have to approve it.',
    diff: 'Difference', diffNote: 'against version {version} in force', diffNew: 'a new rule', unchanged: 'The rule is as it is in force.', submit: 'Open change', save: 'Save change', title: 'Title', titleHint: 'What changes, in a few words', reason: 'Reason', reasonHint: 'Why, such as a ticket. It is shown in the audit log.',
    restored: 'Your unsaved text is back.', discard: 'Discard it', kept: 'The unsaved text is kept in this tab.', opened: 'The change is open.', saved: 'The change is saved.', removed: 'This change removes {rule}.', missing: 'No rule {id} is in force.', closed: 'The change is no longer open, so it cannot be edited.',
    needTitle: 'Enter a title.', needReason: 'Enter a reason.', hasErrors: 'Correct the errors first.', failed: 'The editor could not be loaded: {why}', removes: 'removes', collision: 'Another release changed {rule} since version {base}: {what}', copyCurl: 'Copy as curl', copied: 'Copied', defaultNew: 'Add {rule}', defaultEdit: 'Change {rule}', rulesOf: 'Rules of the change', checkFailed: 'The rule could not be checked: {why}',
    name_perIp: 'Requests by address', name_perUser: 'Requests by user', name_perTenant: 'Requests by tenant', name_sms: 'Text messages', name_flight: 'Exports at the same time', name_ban: 'Refused addresses',
    taken: 'A rule {rule} is in force already. This would replace it.',
  },
  zh: {
    rules: '规则', newTitle: '新建规则', editTitle: '编辑 {rule}', changeTitle: '编辑变更 {id}', backRule: '规则 {rule}', backChange: '变更 {id}', lead: '变更发布之前不会有任何影响。',
    text: '规则', label: '规则的 YAML', keys: 'Ctrl 空格补全 · Ctrl Enter 新建变更 · 先按 Esc 再按 Tab 离开编辑框', templates: '模板', perIp: '按 IP 地址', perUser: '按用户', perTenant: '按租户',
    sms: '短信', flight: '并发数', ban: '拒绝名单', preview: '文字说明', stale: '文本有错误。以下是之前的内容。', noPreview: '规则没有错误时显示说明。',
    checks: '检查', checking: '检查中…', fine: '没有错误', errorsOne: '1 个错误', errors: '{n} 个错误', line: '第 {n} 行', needsOne: '需要另一个人批准。', needs: '需要另外 {n} 个人批准。',
    diff: '差异', diffNote: '与生效中的版本 {version} 相比', diffNew: '新规则', unchanged: '与生效中的规则相同。', submit: '新建变更', save: '保存变更', title: '标题', titleHint: '用几个字说明改了什么', reason: '原因', reasonHint: '为什么要改，例如工单编号。会显示在审计日志中。',
    restored: '已恢复未保存的文本。', discard: '放弃', kept: '未保存的文本保留在此标签页中。', opened: '变更已新建。', saved: '变更已保存。', removed: '此变更会删除 {rule}。', missing: '没有生效的规则 {id}。', closed: '该变更已不再开放，无法编辑。',
    needTitle: '请填写标题。', needReason: '请填写原因。', hasErrors: '请先更正错误。', failed: '编辑器加载失败：{why}', removes: '删除', collision: '自版本 {base} 以来，另一次发布修改了 {rule}：{what}', copyCurl: '复制为 curl', copied: '已复制', defaultNew: '新增 {rule}', defaultEdit: '修改 {rule}', rulesOf: '变更中的规则', checkFailed: '无法检查规则：{why}',
    name_perIp: '按地址限流', name_perUser: '按用户限流', name_perTenant: '按租户限流', name_sms: '短信发送', name_flight: '同时导出数', name_ban: '拒绝的地址',
    taken: '规则 {rule} 已经生效。此变更会替换它。',
  },
});

const TEMPLATES = {
  perIp: 'id: my-rule\nname: {name}\nresource: /api/login\nmethods: [POST]\nlimits:\n  - { by: ip, limit: 10, window: 1m }\n',
  perUser: 'id: my-rule\nname: {name}\nresource: /api/orders/**\nlimits:\n  - { by: user, rate: 10/s, burst: 20 }\n',
  perTenant: 'id: my-rule\nname: {name}\nresource: /api/**\nlimits:\n  - { id: second, by: tenant, rate: 100/s, burst: 200 }\n  - { id: month, by: tenant, algorithm: fixed_window, limit: 1000000, align: month }\n',
  sms: 'id: sms\nname: {name}\nresource: /sms/send\nmethods: [POST]\nlimits:\n  - { id: minute, by: json.phone, limit: 1, window: 1m, absent: refuse, privacy: hash }\n  - { id: hour, by: json.phone, limit: 5, window: 1h, absent: refuse, privacy: hash }\n  - { id: day, by: json.phone, limit: 10, window: 1d, absent: refuse, privacy: hash }\n',
  flight: 'id: my-rule\nname: {name}\nresource: /api/export\nlimits:\n  - { by: user, algorithm: concurrency, limit: 2, ttl: 30s }\n',
  ban: 'id: banned\nname: {name}\nmatch:\n  ip: [203.0.113.0/24]\naction: deny\n',
};
const PAUSE_MILLIS = 350;
const DRAFT = 'sluice.editor:';

const EDITING = ['administrator', 'editor', 'tenant_administrator'];

function plain(value) {
  return /^[A-Za-z][\w-]*$/.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(value) ? value : JSON.stringify(value);
}

/** Returns what a rule needs so that the person may edit it: the tenant and labels of the role. */
function ownership() {
  const roles = (me.value?.roles ?? []).filter((each) => EDITING.includes(each.role));
  if (roles.length === 0 || roles.some((each) => !each.tenant && !each.labels)) {
    return '';
  }
  const [{ tenant, labels }] = roles;
  return (tenant ? `tenant: ${plain(tenant)}\n` : '')
    + (labels ? `labels: { ${Object.entries(labels).map(([name, value]) => `${plain(name)}: ${plain(String(value))}`).join(', ')} }\n` : '');
}

/** Returns a rule to begin with, named in the language of the person. */
function template(name) {
  return TEMPLATES[name].replace('{name}\n', () => `${t(`name_${name}`)}\n${ownership()}`);
}

/** Returns the text of the only rule of a document, without the frame of the list. */
function single(document) {
  return document.split('\n').slice(1).map((line) => line.slice(4)).join('\n');
}

function ruleId(text) {
  return /^id:\s*["']?([A-Za-z0-9._-]+)/m.exec(text)?.[1] ?? '';
}

async function inForce(id) {
  try {
    return await get(`/api/rules/${encodeURIComponent(id)}`);
  } catch (failure) {
    if (failure.status === 404) {
      return null;
    }
    throw failure;
  }
}

function textOf(reply) {
  return reply === null ? '' : reply.text ?? JSON.stringify(reply.rule, null, 2);
}

/** Loads what is edited: {kind, base, version, edits: [{kind, id, text, before}], title, reason}. */
async function loadWork(ruleName, changeId) {
  if (changeId) {
    const change = await get(`/api/changes/${encodeURIComponent(changeId)}`);
    const edits = await Promise.all(change.edits.map(async (edit) => {
      if (edit.remove) {
        return { kind: 'remove', id: edit.remove, text: '', before: textOf(await inForce(edit.remove)) };
      }
      const checked = await send('POST', '/api/changes/check', { edits: [edit] });
      const isNew = (checked.diff?.counts?.added ?? 0) > 0;
      return { kind: 'put', id: edit.put.id, text: checked.document ? single(checked.document) : JSON.stringify(edit.put, null, 2),
        before: isNew ? '' : textOf(await inForce(edit.put.id)) };
    }));
    return { kind: 'change', base: change.base, version: change.current, revision: change.revision, isOpen: change.state === 'open', edits, title: change.title, reason: change.reason };
  }
  if (ruleName) {
    const reply = await inForce(ruleName);
    return reply === null ? { kind: 'missing' }
      : { kind: 'rule', base: reply.version, version: reply.version, edits: [{ kind: 'put', id: ruleName, text: textOf(reply), before: textOf(reply) }], title: '', reason: '' };
  }
  const text = template('perIp');
  const { base } = await send('POST', '/api/changes/check', { edits: [{ put_text: text }] });
  return { kind: 'new', base, version: base, edits: [{ kind: 'put', id: '', text, before: '' }], title: '', reason: '' };
}

const Editor = {
  props: ['rule', 'change'],
  setup(props) {
    const draftKey = `${DRAFT}${props.change ? `change/${props.change}` : props.rule ? `rule/${props.rule}` : 'new'}`;
    const schema = useData(async () => {
      const [answer] = await Promise.all([get('/api/rules/schema'), loadCodeEditor()]);
      return answer;
    }, { fixed: true });
    const work = reactive({ edits: [], active: 0, title: '', reason: '', base: 0, restored: false });
    const original = shallowRef(null);
    const checked = shallowRef(null);
    const good = shallowRef([]);
    const checking = ref(false);
    const problem = ref(null);
    const missing = ref(null);
    const busy = ref(false);
    const copied = ref(false);
    const failure = ref(null);
    let handle = null;
    let timer = 0;
    let turn = 0;
    let left = false;

    const snapshot = () => JSON.stringify({ texts: work.edits.map((edit) => edit.text), title: work.title, reason: work.reason });
    const isDirty = computed(() => original.value !== null && snapshot() !== original.value.snapshot);

    function take(loaded) {
      work.edits = loaded.edits.map((edit) => ({ ...edit }));
      work.title = loaded.title;
      work.reason = loaded.reason;
      work.base = loaded.base;
      original.value = { ...loaded, snapshot: snapshot() };
    }

    const source = useData(async () => {
      const loaded = await loadWork(props.rule, props.change);
      if (original.value !== null || loaded.kind === 'missing') {
        return loaded;
      }
      take(loaded);
      const draft = JSON.parse(sessionStorage.getItem(draftKey) ?? 'null');
      if (draft && draft.texts.length === work.edits.length) {
        draft.texts.forEach((text, i) => { work.edits[i].text = text; });
        Object.assign(work, { title: draft.title, reason: draft.reason, base: draft.base, restored: isDirty.value });
      }
      await check();
      return loaded;
    });

    const body = () => ({ base: work.base, edits: work.edits.map((edit) => (edit.kind === 'remove' ? { remove: edit.id } : { put_text: edit.text })) });

    async function check() {
      const own = ++turn;
      checking.value = true;
      try {
        const answer = await send('POST', '/api/changes/check', body());
        if (own === turn) {
          checked.value = answer;
          failure.value = null;
          if (answer.errors.length === 0) {
            good.value = answer.rules;
            await compare(answer);
          }
        }
      } catch (fault) {
        if (own === turn) {
          checked.value = null;
          failure.value = explain(fault);
        }
      } finally {
        if (own === turn) {
          checking.value = false;
        }
      }
    }

    /** A new rule may have the id of one in force. Then it is compared with that. */
    async function compare(answer) {
      const edit = work.edits[0];
      if (original.value.kind === 'new') {
        const isTaken = (answer.diff?.counts?.changed ?? 0) > 0 || answer.diff?.sentences.length === 0;
        edit.before = isTaken ? textOf(await inForce(ruleId(edit.text))) : '';
      }
    }

    function remember() {
      if (isDirty.value && !left) {
        const { texts, title, reason } = JSON.parse(snapshot());
        sessionStorage.setItem(draftKey, JSON.stringify({ texts, title, reason, base: work.base }));
      } else {
        sessionStorage.removeItem(draftKey);
      }
    }

    watch(() => work.edits.map((edit) => edit.text).join('\u0000'), (text, before) => {
      if (before !== '' && source.data.value !== null) {
        clearTimeout(timer);
        checking.value = true;
        timer = setTimeout(check, PAUSE_MILLIS);
      }
    });
    watch(() => original.value && snapshot(), remember);

    const warn = (event) => {
      // Browsers ask only somebody who did something on the page, and complain about other attempts.
      if (isDirty.value && !left && navigator.userActivation?.hasBeenActive !== false) {
        event.preventDefault();
      }
    };
    onMounted(() => addEventListener('beforeunload', warn));
    onUnmounted(() => {
      removeEventListener('beforeunload', warn);
      clearTimeout(timer);
      turn++;
      if (isDirty.value && !left) {
        toast(t('kept'));
      }
    });

    const active = computed(() => work.edits[work.active] ?? null);
    const place = computed(() => `edits[${work.active}]`);
    const ownErrors = computed(() => (checked.value?.errors ?? []).filter((error) => !error.file?.startsWith('edits[') || error.file.startsWith(place.value)));
    const marks = computed(() => [
      ...ownErrors.value,
      ...(checked.value?.checks?.warnings ?? []).filter((warning) => warning.file?.startsWith(place.value)).map((warning) => ({ ...warning, severity: 'warning' })),
    ]);
    const preview = computed(() => {
      const index = work.edits.slice(0, work.active).filter((edit) => edit.kind === 'put').length;
      return active.value?.kind === 'put' ? good.value[index] ?? null : null;
    });
    const hasErrors = computed(() => (checked.value?.errors.length ?? 0) > 0);
    const isSame = computed(() => work.edits.every((edit) => edit.kind === 'put' && edit.text === edit.before));

    function discard() {
      sessionStorage.removeItem(draftKey);
      take(original.value);
      work.restored = false;
      problem.value = null;
    }

    function defaultTitle() {
      const id = ruleId(work.edits[0]?.text ?? '');
      return id ? t(original.value.kind === 'new' ? 'defaultNew' : 'defaultEdit', { rule: id }) : '';
    }

    const request = () => {
      const isChange = original.value.kind === 'change';
      return { method: isChange ? 'PUT' : 'POST', path: isChange ? `/api/changes/${props.change}` : '/api/changes',
        body: { title: work.title.trim(), reason: work.reason.trim(), ...(isChange ? { revision: original.value.revision } : {}), ...body() } };
    };

    async function submit(event) {
      event?.preventDefault();
      if (busy.value || isSame.value) {
        return;
      }
      problem.value = null;
      const lacking = !work.title.trim() ? ['needTitle', 'change-title'] : !work.reason.trim() ? ['needReason', 'change-reason'] : hasErrors.value ? ['hasErrors', 'rule-input'] : null;
      if (lacking) {
        problem.value = () => t(lacking[0]);
        document.getElementById(lacking[1])?.focus();
        return;
      }
      busy.value = true;
      try {
        const { method, path, body: content } = request();
        const change = await send(method, path, content);
        left = true;
        sessionStorage.removeItem(draftKey);
        toast(t(original.value.kind === 'change' ? 'saved' : 'opened'), 'good');
        go(`/changes/${change.id}`);
      } catch (fault) {
        problem.value = explain(fault);
      } finally {
        busy.value = false;
      }
    }

    function fillTitle() {
      if (!work.title) {
        work.title = defaultTitle();
      }
    }

    async function copyCommand() {
      const { method, path, body: content } = request();
      copied.value = await copy(curl(method, path, content));
      setTimeout(() => { copied.value = false; }, 2000);
    }

    function jump(error) {
      const found = /^edits\[(\d+)]/.exec(error.file ?? '');
      if (found && Number(found[1]) !== work.active) {
        work.active = Number(found[1]);
      }
      nextTick(() => handle?.focusLine(error.line, error.column));
    }

    const finish = (text, row, column) => (schema.data.value ? complete(schema.data.value, text, row, column) : { token: '', items: [] });

    const editorPanel = () => {
      const edit = active.value;
      const state = hasErrors.value && !checking.value
        ? badge(checked.value.errors.length === 1 ? t('errorsOne') : t('errors', { n: number(checked.value.errors.length) }), 'bad')
        : checking.value ? html`<span class="soft small">${t('checking')}</span>` : checked.value && badge(t('fine'), 'good');
      return panel({ id: 'text', title: t('text'), actions: html`<span role="status" id="check-state">${state}</span>` }, html`
        ${original.value.kind === 'new' && html`<div class="templates" role="group" aria-label=${t('templates')}><span class="soft small">${t('templates')}</span>
          ${Object.keys(TEMPLATES).map((name) => html`<button type="button" class="secondary small" key=${name} id=${`template-${name}`}
            onClick=${() => { work.edits[0].text = template(name); }}>${t(name)}</button>`)}</div>`}
        ${work.edits.length > 1 && html`<div class="choice-row edits" role="group" aria-label=${t('rulesOf')}>${work.edits.map((each, i) => html`
          <button type="button" key=${i} aria-pressed=${String(i === work.active)} onClick=${() => { work.active = i; }}>${each.kind === 'remove' ? `${each.id} (${t('removes')})` : ruleId(each.text) || each.id}</button>`)}</div>`}
        ${edit.kind === 'remove' ? html`<p>${t('removed', { rule: edit.id })}</p>` : codeEditor({
          key: work.active, value: edit.text, label: t('label'), errors: marks.value, complete: finish,
          onInput: (text) => { edit.text = text; }, onSubmit: submit, onReady: (ready) => { handle = ready; }, onFailure: (fault) => { missing.value = () => t('failed', { why: fault.message }); },
        })}
        <p class="hint" id="editor-keys">${t('keys')}</p>`);
    };

    const previewPanel = () => panel({ id: 'preview', title: t('preview') }, preview.value
      ? html`${hasErrors.value && html`<p class="small warn-text">${t('stale')}</p>`}
        <ul class=${['rule-lines', hasErrors.value ? 'faded' : '']}>${ruleLines(preview.value).map((line, i) => html`<li key=${i} class=${`line-${line.kind}`}>${line.text}</li>`)}</ul>`
      : html`<p class="soft">${active.value.kind === 'remove' ? t('removed', { rule: active.value.id }) : t('noPreview')}</p>`);

    const found = (text, kind, error = null) => html`<li class=${`found-${kind}`}>${error && error.line > 0
      ? html`<button type="button" class="quiet small" onClick=${() => jump(error)}>${t('line', { n: error.line })}</button>` : null}<span>${text}</span></li>`;

    const checksPanel = () => {
      const answer = checked.value;
      const checks = answer?.checks;
      const id = ruleId(active.value.text);
      const taken = original.value.kind === 'new' && (answer?.diff?.counts?.changed ?? 0) > 0;
      const items = answer === null ? [] : [
        ...answer.errors.map((error) => found(error.message, 'bad', error)),
        ...(taken ? [found(t('taken', { rule: id }), 'warn')] : []),
        ...(checks?.collisions ?? []).map((each) => found(t('collision', { rule: each.rule, base: work.base, what: each.theirs.join('; ') }), 'bad')),
        ...(checks?.warnings ?? []).map((warning) => found(warning.message, 'warn', warning)),
        ...(checks?.findings ?? []).map((finding) => found(finding.sentence, 'warn')),
        ...(checks?.counts ?? []).map((text) => found(text, 'info')),
        ...(answer.approval?.required ? [found(`${answer.approval.needed === 1 ? t('needsOne') : t('needs', { n: answer.approval.needed })} ${answer.approval.why.join(' ')}`, 'info')] : []),
      ];
      return panel({ id: 'checks', title: t('checks') }, html`
        ${failure.value && html`<div class="message error" role="alert">${t('checkFailed', { why: failure.value() })}</div>`}
        ${items.length > 0 ? html`<ul class="found" id="found" tabindex="0">${items}</ul>` : answer && html`<p class="soft">${t(isSame.value ? 'unchanged' : 'fine')}</p>`}`);
    };

    const formPanel = () => panel({ id: 'open' }, html`
      <form onSubmit=${submit} novalidate>
        <div class="field"><label for="change-title">${t('title')}</label>
          <input id="change-title" value=${work.title} maxlength="200" autocomplete="off" placeholder=${t('titleHint')} onFocus=${fillTitle} onInput=${(event) => { work.title = event.target.value; }} /></div>
        <div class="field"><label for="change-reason">${t('reason')}</label>
          <input id="change-reason" value=${work.reason} maxlength="1000" autocomplete="off" aria-describedby="change-reason-hint" onInput=${(event) => { work.reason = event.target.value; }} />
          <p class="hint" id="change-reason-hint">${t('reasonHint')}</p></div>
        <div role="alert" id="open-error" class=${problem.value ? 'message error' : ''}>${problem.value?.()}</div>
        <div class="row-line"><button type="button" class="quiet" id="editor-curl" onClick=${copyCommand}>${t(copied.value ? 'copied' : 'copyCurl')}</button><span class="grow"></span>
          <button type="submit" class="primary" id="open-change" aria-disabled=${String(busy.value || isSame.value || hasErrors.value)}>${t(original.value.kind === 'change' ? 'save' : 'submit')}</button></div>
      </form>`);

    const diffPanel = () => {
      const edit = active.value;
      const sentences = hasErrors.value ? [] : checked.value?.diff?.sentences ?? [];
      return panel({ id: 'difference', title: t('diff'), note: edit.before ? t('diffNote', { version: original.value.version }) : t('diffNew') }, html`
        ${sentences.length > 0 && html`<ul class="said">${sentences.slice(0, 12).map((line, i) => html`<li key=${i}>${changeWords(line)}</li>`)}</ul>`}
        ${diffTable({ rows: diffRows(edit.before, edit.text), id: 'diff' })}`);
    };

    return () => {
      const isChange = Boolean(props.change);
      const title = isChange ? t('changeTitle', { id: props.change }) : props.rule ? t('editTitle', { rule: props.rule }) : t('newTitle');
      const back = isChange ? { href: `/changes/${props.change}`, label: t('backChange', { id: props.change }) }
        : props.rule ? { href: `/rules/${encodeURIComponent(props.rule)}`, label: t('backRule', { rule: props.rule }) } : { href: '/rules', label: t('rules') };
      const top = head({ title, lead: t('lead'), back });
      if (source.data.value?.kind === 'missing') {
        return html`${top}${panel({ id: 'missing' }, empty({ title: t('missing', { id: props.rule }) }))}`;
      }
      if (source.data.value?.isOpen === false) {
        return html`${top}${panel({ id: 'missing' }, empty({ title: t('closed') }))}`;
      }
      if (original.value === null || active.value === null) {
        return top;
      }
      return html`${top}
        ${missing.value && html`<div class="message error" role="alert">${missing.value()}</div>`}
        ${work.restored && html`<div class="message news row-line" role="status" id="restored">${t('restored')}<button type="button" class="quiet small" id="discard" onClick=${discard}>${t('discard')}</button></div>`}
        <div class="grid editor-view">
          <div class="span-8 stack">${editorPanel()}${diffPanel()}</div>
          <div class="span-4 stack">${previewPanel()}${checksPanel()}${dryRunPanel({ body: body(), disabled: hasErrors.value || checked.value === null || isSame.value })}${formPanel()}</div>
        </div>`;
    };
  },
};

export default {
  setup() {
    // Another rule is another editor.
    return () => h(Editor, { key: `${route.query.rule ?? ''}|${route.query.change ?? ''}`, rule: route.query.rule ?? '', change: route.query.change ?? '' });
  },
};
