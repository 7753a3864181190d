// Calls of the API by the console. Everything that a view reads or does can be copied as a command line.
import { call, detour } from '/assets/api.js';
import { href } from '/assets/console/router.js';

/** What each source of the view read when it was loaded last. */
const sources = new Map();
/** What was read outside of a source, by a name. */
const others = new Map();
const MOST_OTHERS = 40;
let collecting = null;

/** Returns the addresses that the view shows now, for "copy as curl". */
export function reads() {
  return [...new Set([...[...sources.values()].flatMap((own) => [...own]), ...others.values()])];
}

/** Forgets what was read outside of a source, because another view opens. */
export function forgetReads() {
  others.clear();
}

/** Loads a source. What it reads before it first waits takes the place of what it read the last time. */
export function collect(source, load) {
  const before = collecting;
  const own = new Set();
  collecting = own;
  try {
    return load();
  } finally {
    collecting = before;
    // Something that is known already is not read again, and is shown nevertheless.
    if (own.size > 0 || !sources.has(source)) {
      sources.set(source, own);
    }
  }
}

/** Forgets what a source has read, because its part of the view is gone. */
export function dropReads(source) {
  sources.delete(source);
}

/**
 * Reads something. A session that has ended leads to the sign-in, which leads back here.
 *
 * @param name of what is read outside of a source: only its newest address is copied
 */
export async function get(path, query = {}, name = null) {
  const address = href(path, query);
  if (collecting) {
    collecting.add(address);
  } else {
    const key = name ?? address;
    others.delete(key);
    others.set(key, address);
    if (others.size > MOST_OTHERS) {
      others.delete(others.keys().next().value);
    }
  }
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
  // What is outside of an open dialog cannot be selected.
  const before = document.activeElement;
  const place = before?.closest('dialog[open]') ?? [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  place.append(area);
  try {
    area.select();
    return document.execCommand('copy');
  } finally {
    area.remove();
    before?.focus?.({ preventScroll: true });
  }
}
