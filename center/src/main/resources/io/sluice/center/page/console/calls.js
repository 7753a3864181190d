// Calls of the API by the console. Everything that a view reads or does can be copied as a command line.
import { reactive } from '/assets/vue.js';
import { call, detour } from '/assets/api.js';
import { href } from '/assets/console/router.js';

/** The addresses that the view reads now, for "copy as curl". */
export const reads = reactive(new Set());

export function forgetReads() {
  reads.clear();
}

/** Reads something. A session that has ended leads to the sign-in, which leads back here. */
export async function get(path, query = {}) {
  const address = href(path, query);
  reads.add(address);
  return guarded(() => call('GET', address));
}

/** Does something: POST, PUT or DELETE. */
export async function send(method, path, body) {
  return guarded(() => call(method, path, body));
}

async function guarded(work) {
  try {
    return await work();
  } catch (failure) {
    if (failure.status === 401) {
      location.assign(detour('/sign-in'));
      // The page is about to go; whoever waits for an answer does not get one.
      await new Promise(() => {});
    }
    throw failure;
  }
}

function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns a call as a command line that a person with a token can run. */
export function curl(method, address, body) {
  const parts = ['curl -s'];
  if (method !== 'GET') {
    parts.push(`-X ${method}`);
  }
  parts.push('-H "Authorization: Bearer $SLUICE_TOKEN"');
  if (body !== undefined) {
    parts.push(`-H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`);
  }
  parts.push(quoted(location.origin + address));
  return parts.join(' ');
}

/** Copies a text. Browsers offer the clipboard only on secure addresses, so there is an old way too. */
export async function copy(text) {
  if (navigator.clipboard && isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Some browsers refuse without a window; the old way may work.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}
