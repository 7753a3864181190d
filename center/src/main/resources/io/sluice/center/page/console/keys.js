// The keys of the console. They do nothing while somebody types.
const bindings = new Map();
let prefix = '';
let timer = 0;

/** Binds a key such as '/' or a sequence such as 'g n'. Returns a function that ends it. */
export function bind(keys, action) {
  bindings.set(keys, action);
  return () => bindings.delete(keys);
}

function types(target) {
  return target.closest?.('input, textarea, select, [contenteditable], .CodeMirror') !== null || document.querySelector('dialog[open]');
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || types(event.target)) {
    return;
  }
  const keys = prefix ? `${prefix} ${event.key}` : event.key;
  clearTimeout(timer);
  prefix = '';
  const action = bindings.get(keys) ?? bindings.get(event.key);
  if (action) {
    event.preventDefault();
    action();
  } else if ([...bindings.keys()].some((each) => each.startsWith(`${event.key} `))) {
    prefix = event.key;
    timer = setTimeout(() => { prefix = ''; }, 1500);
  }
});
