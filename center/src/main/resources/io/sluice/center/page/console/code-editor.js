// A text field for YAML with colours, completion and marks at lines with errors, by CodeMirror.
import { h, onMounted, onUnmounted, ref, watch } from '/assets/vue.js';

let loading = null;

function style(address) {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = address;
  // Our own sheets come later, so they win.
  document.head.prepend(link);
}

/** Loads CodeMirror when it is needed for the first time. */
export function loadCodeEditor() {
  loading ??= (async () => {
    ['show-hint.css', 'lint.css', 'codemirror.css'].forEach((name) => style(`/assets/codemirror/${name}`));
    await import('/assets/codemirror/codemirror.js');
    await Promise.all(['yaml', 'show-hint', 'lint'].map((name) => import(`/assets/codemirror/${name}.js`)));
    return window.CodeMirror;
  })();
  loading.catch(() => { loading = null; });
  return loading;
}

/**
 * The editor.
 *
 * @param value the text
 * @param label for those who do not see it
 * @param errors [{line, column, message, severity: error or warning}], from 1
 * @param complete (text, row, column) => {token, isKey, isChoice, items: [{text, insert, about}]}
 * @param onInput called with each new text
 * @param onSubmit called for Ctrl-Enter
 * @param onReady called with the editor's {focusLine}
 */
export function codeEditor(props) {
  return h(CodeEditor, props);
}

const CodeEditor = {
  props: ['value', 'label', 'errors', 'complete', 'onInput', 'onSubmit', 'onReady', 'onFailure'],
  setup(props) {
    const place = ref(null);
    let editor = null;
    let ended = false;
    let leaves = false;

    function found(own) {
      const cursor = own.getCursor();
      const answer = props.complete(own.getValue(), cursor.line, cursor.ch);
      return { cursor, answer };
    }

    function hints(CodeMirror, own) {
      const { cursor, answer } = found(own);
      const from = CodeMirror.Pos(cursor.line, cursor.ch - answer.token.length);
      const result = {
        from, to: cursor,
        list: answer.items.map((item) => ({
          text: item.insert, item,
          render: (element) => {
            const name = document.createElement('b');
            name.textContent = item.text;
            const about = document.createElement('span');
            about.textContent = item.about;
            element.append(name, about);
          },
        })),
      };
      CodeMirror.on(result, 'shown', () => document.querySelector('.CodeMirror-hints')?.setAttribute('aria-label', props.label));
      return result;
    }

    function show(CodeMirror, own) {
      own.showHint({ hint: (each) => hints(CodeMirror, each), completeSingle: false });
    }

    function typed(CodeMirror, own, change) {
      if (own.state.completionActive || change.origin !== '+input' || change.text.length > 1 || !/^[\w. ]+$/.test(change.text[0])) {
        return;
      }
      const { answer } = found(own);
      const isWord = answer.token.length > 0 && !answer.items.some((item) => item.text === answer.token);
      if (answer.items.length > 0 && (isWord || (!answer.isKey && answer.isChoice && answer.token === ''))) {
        show(CodeMirror, own);
      }
    }

    const marks = () => (props.errors ?? []).filter((error) => error.line > 0).map((error) => {
      const line = Math.min(error.line, editor.lineCount()) - 1;
      const text = editor.getLine(line);
      const from = Math.max(0, Math.min(error.column - 1, text.length - 1));
      const word = /^[^\s,{}[\]]+/.exec(text.slice(from));
      return { message: error.message, severity: error.severity ?? 'error', from: { line, ch: from }, to: { line, ch: from + Math.max(1, word?.[0].length ?? 1) } };
    });

    onMounted(async () => {
      let CodeMirror;
      try {
        CodeMirror = await loadCodeEditor();
      } catch (failure) {
        props.onFailure?.(failure);
        return;
      }
      if (ended) {
        return;
      }
      editor = CodeMirror(place.value, {
        value: props.value, mode: 'yaml', lineNumbers: true, lineWrapping: true, indentUnit: 2, tabSize: 2, viewportMargin: Infinity, autofocus: false,
        gutters: ['CodeMirror-lint-markers', 'CodeMirror-linenumbers'],
        lint: { getAnnotations: marks, lintOnChange: false, highlightLines: true },
        extraKeys: {
          'Ctrl-Space': (own) => show(CodeMirror, own),
          'Ctrl-Enter': () => props.onSubmit?.(), 'Cmd-Enter': () => props.onSubmit?.(),
          Esc: () => {
            leaves = true;
            return CodeMirror.Pass;
          },
          // Tab indents, and after Escape it leaves, so that a keyboard gets in and out.
          Tab: (own) => (own.somethingSelected() ? own.indentSelection('add') : own.replaceSelection('  ', 'end')),
          'Shift-Tab': (own) => own.indentSelection('subtract'),
        },
      });
      const field = editor.getInputField();
      field.setAttribute('aria-label', props.label);
      field.setAttribute('aria-describedby', 'editor-keys');
      field.id = 'rule-input';
      editor.on('keydown', (own, event) => {
        if (event.key === 'Tab' && leaves) {
          // The event stays with the browser.
          event.codemirrorIgnore = true;
          leaves = false;
        } else if (event.key !== 'Escape' && event.key !== 'Shift') {
          leaves = false;
        }
      });
      editor.on('change', (own, change) => {
        if (change.origin !== 'outside') {
          props.onInput(own.getValue());
        }
      });
      editor.on('inputRead', (own, change) => typed(CodeMirror, own, change));
      editor.performLint();
      props.onReady?.({
        focusLine: (line, column = 1) => {
          editor.focus();
          editor.setCursor({ line: Math.max(0, line - 1), ch: Math.max(0, column - 1) });
          editor.scrollIntoView(null, 60);
        },
        focus: () => editor.focus(),
      });
    });
    onUnmounted(() => {
      ended = true;
      editor = null;
    });
    watch(() => props.value, (value) => {
      if (editor && editor.getValue() !== value) {
        editor.replaceRange(value, { line: 0, ch: 0 }, { line: editor.lastLine() + 1, ch: 0 }, 'outside');
      }
    });
    watch(() => props.label, (label) => editor?.getInputField().setAttribute('aria-label', label));
    watch(() => props.errors, () => editor?.performLint());
    return () => h('div', { class: 'code-editor', id: 'code', ref: place });
  },
};
