// The view is chosen by the path, and its state is in the query: a copied address shows the same.
import { reactive } from '/assets/vue.js';

/** The place where the person is. `query` is an object of texts. */
export const route = reactive({ path: location.pathname, query: read(location.search) });

function read(search) {
  return Object.fromEntries(new URLSearchParams(search));
}

function sync() {
  route.path = location.pathname;
  route.query = read(location.search);
}

/** Returns an address. Values that are missing or empty are left out. */
export function href(path, query = {}) {
  const search = new URLSearchParams();
  Object.entries(query).forEach(([key, value]) => {
    if (value !== undefined && value !== null && value !== '') {
      search.set(key, String(value));
    }
  });
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

/** Goes to another view. */
export function go(address) {
  if (address !== location.pathname + location.search) {
    history.pushState(null, '', address);
  }
  sync();
  scrollTo(0, 0);
}

/** Changes the state of the view. It is no new step of the browser's history unless it is asked for. */
export function setQuery(changes, { step = false } = {}) {
  const address = href(route.path, { ...route.query, ...changes });
  history[step ? 'pushState' : 'replaceState'](null, '', address);
  sync();
}

addEventListener('popstate', sync);

// Links within the console do not load the document again.
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
    return;
  }
  const url = new URL(link.href, location.href);
  const leaves = url.origin !== location.origin || link.target || link.hasAttribute('download') || url.hash
    || /^\/(api|assets|sign-in|set-up|step-up)(\/|$)/.test(url.pathname);
  if (!leaves) {
    event.preventDefault();
    go(url.pathname + url.search);
  }
});
