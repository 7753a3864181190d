// Questions before something is done: they ask for a reason, show the command line, and let the person prove who they are again.
import { nextTick, reactive, ref } from '/assets/vue.js';
import { call, detour } from '/assets/api.js';
import { explain, html } from '/assets/parts.js';
import { copy, curl, send } from '/assets/console/calls.js';
import { words } from '/assets/console/words.js';

const t = words({
  en: {
    reason: 'Reason', reasonHint: 'It is shown in the audit log.', cancel: 'Cancel', copyCurl: 'Copy as curl', copied: 'Copied',
    factor: 'Confirm that it is you', factorText: 'This step is sensitive, so enter your password again.', password: 'Password',
    passkeyInstead: 'Use a passkey or the identity server instead', confirm: 'Confirm', wrong: 'The password is wrong.', optional: 'optional',
  },
  zh: {
    reason: '原因', reasonHint: '会显示在审计日志中。', cancel: '取消', copyCurl: '复制为 curl', copied: '已复制',
    factor: '请确认是您本人', factorText: '这一步较为敏感，请再次输入密码。', password: '密码',
    passkeyInstead: '改用通行密钥或身份服务器', confirm: '确认', wrong: '密码错误。', optional: '可选',
  },
});

const open = reactive({ question: null, values: {}, error: null, busy: false, copied: false, factor: false, password: '' });
const element = ref(null);
let settle = () => {};
let opener = null;

/**
 * Asks, and then does it. Returns the answer of the API, or null if the person gave up or another question is open.
 *
 * @param title a text
 * @param text what will happen, as a text or a function that returns elements
 * @param action the text of the button, or a function that returns it
 * @param wide whether the dialog shows something wide, such as a difference
 * @param danger whether the button is red
 * @param reason true (needed), 'optional', or false (no field)
 * @param fields further fields: {name, label, hint, type: text|number|select|textarea, options: [{value, label}], value, required}
 * @param call a function of the values (with `reason`) that returns {method, path, body}
 */
export function ask({ title, text = '', action, danger = false, reason = true, fields = [], wide = false, call: request }) {
  if (open.question) {
    return Promise.resolve(null);
  }
  opener = document.activeElement;
  open.question = { title, text, action, danger, reason, fields, wide, request };
  open.values = Object.fromEntries([...fields.map((field) => [field.name, field.value ?? '']), ['reason', '']]);
  Object.assign(open, { error: null, busy: false, copied: false, factor: false, password: '' });
  nextTick(() => {
    element.value?.showModal();
    element.value?.querySelector('input, select, textarea, button.primary, button.danger')?.focus();
  });
  return new Promise((resolve) => { settle = resolve; });
}

function end(result) {
  element.value?.close();
  open.question = null;
  settle(result);
  nextTick(() => !open.question && opener?.isConnected && opener.focus());
}

/** The person gives up. What was sent already cannot be taken back, so its answer is awaited. */
function cancel() {
  if (!open.busy) {
    end(null);
  }
}

/** A browser may close a dialog on its own, such as when Escape is pressed twice. */
function closed() {
  if (!open.question || !element.value || element.value.open) {
    return;
  }
  if (open.busy) {
    element.value.showModal();
  } else {
    end(null);
  }
}

function prepared() {
  return open.question.request({ ...open.values });
}

async function confirm(event) {
  event.preventDefault();
  if (open.busy) {
    return;
  }
  const own = open.question;
  open.busy = true;
  open.error = null;
  try {
    if (open.factor) {
      await call('POST', '/api/session/factor', { password: open.password });
      open.factor = false;
      open.password = '';
    }
    const { method, path, body } = prepared();
    const answer = await send(method, path, body);
    if (open.question === own) {
      end(answer ?? {});
    }
  } catch (failure) {
    if (open.question !== own) {
      return;
    }
    if (failure.needsFactor) {
      open.factor = true;
      nextTick(() => element.value?.querySelector('#dialog-password')?.focus());
    } else if (open.factor && failure.status === 401) {
      open.error = () => t('wrong');
    } else {
      open.error = explain(failure);
    }
  } finally {
    if (open.question === own || !open.question) {
      open.busy = false;
    }
  }
}

async function copyCommand() {
  const { method, path, body } = prepared();
  open.copied = await copy(curl(method, path, body));
}

function input(field) {
  const id = `dialog-${field.name}`;
  const update = (event) => { open.values[field.name] = event.target.value; };
  const common = { id, name: field.name, required: field.required !== false, onInput: update, 'aria-describedby': field.hint ? `${id}-hint` : null };
  return html`
    <div class="field">
      <label for=${id}>${field.label}</label>
      ${field.type === 'select'
        ? html`<select ...${common} onChange=${update}>${field.options.map((option) => html`
            <option value=${option.value} selected=${option.value === open.values[field.name]}>${option.label}</option>`)}</select>`
        : field.type === 'textarea'
          ? html`<textarea ...${common} rows=${field.rows ?? 4} value=${open.values[field.name]}></textarea>`
          : html`<input ...${common} type=${field.type ?? 'text'} value=${open.values[field.name]} autocomplete="off"
              placeholder=${field.placeholder ?? null} min=${field.min ?? null} step=${field.step ?? null} />`}
      ${field.hint && html`<p class="hint" id=${`${id}-hint`}>${field.hint}</p>`}
    </div>`;
}

/** The place of the dialog in the page. */
export const dialogPlace = {
  setup() {
    return () => {
      const question = open.question;
      if (!question) {
        return null;
      }
      return html`
        <dialog ref=${element} class=${question.wide ? 'dialog wide' : 'dialog'} aria-labelledby="dialog-title" onCancel=${(event) => { event.preventDefault(); cancel(); }} onClose=${closed}>
          <form onSubmit=${confirm} method="dialog">
            <h2 id="dialog-title">${open.factor ? t('factor') : question.title}</h2>
            ${open.factor
              ? html`
                <p class="soft">${t('factorText')}</p>
                <div class="field"><label for="dialog-password">${t('password')}</label>
                  <input id="dialog-password" type="password" autocomplete="current-password" required value=${open.password}
                    onInput=${(event) => { open.password = event.target.value; }} /></div>
                <p><a href=${detour('/step-up')}>${t('passkeyInstead')}</a></p>`
              : html`
                ${question.text && html`<div class="soft">${typeof question.text === 'function' ? question.text() : question.text}</div>`}
                ${question.fields.map(input)}
                ${question.reason && input({ name: 'reason', label: question.reason === 'optional' ? `${t('reason')} (${t('optional')})` : t('reason'),
                  hint: t('reasonHint'), required: question.reason !== 'optional' })}`}
            <div role="alert" id="dialog-error" class=${open.error ? 'message error' : 'message'}>${open.error?.()}</div>
            <div class="dialog-end">
              ${!open.factor && html`<button type="button" class="quiet" id="dialog-curl" onClick=${copyCommand}>
                ${open.copied ? t('copied') : t('copyCurl')}</button>`}
              <span class="grow"></span>
              <button type="button" class="secondary" id="dialog-cancel" aria-disabled=${String(open.busy)} onClick=${cancel}>${t('cancel')}</button>
              <button type="submit" id="dialog-confirm" class=${question.danger ? 'danger' : 'primary'} aria-disabled=${String(open.busy)}>
                ${open.factor ? t('confirm') : typeof question.action === 'function' ? question.action() : question.action}</button>
            </div>
          </form>
        </dialog>`;
    };
  },
};
