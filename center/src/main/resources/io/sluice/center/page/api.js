// Calls of the center's API.
let csrf = null;

/** How long a change that got no answer keeps its key. Afterwards the same change is another one. */
const KEY_MILLIS = 120_000;
/** The keys of changes that got no answer, by their content. */
const keys = new Map();

/** An answer that is not a success. The status is 0 if there was no answer. */
export class Refusal extends Error {
  constructor(status, title, detail, retryAfter, outcome = '') {
    super(detail);
    this.status = status;
    this.title = title;
    this.retryAfter = retryAfter;
    /** What became of a change while the database was away: not_changed, unknown or stored. */
    this.outcome = outcome;
  }

  /** Whether a password or passkey must be presented again first. */
  get needsFactor() {
    return this.status === 403 && this.title === 'Fresh factor needed';
  }
}

/** Returns the key of a change: the same one again if the same change got no answer a moment ago, so that it is made once. */
function keyOf(content) {
  const known = keys.get(content);
  if (known && Date.now() - known.at < KEY_MILLIS) {
    return known.key;
  }
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (each) => each.toString(16).padStart(2, '0')).join('');
}

async function send(method, path, body) {
  if (method === 'GET') {
    return exchange(method, path, body, {});
  }
  const content = `${method} ${path} ${JSON.stringify(body)}`;
  const key = keyOf(content);
  keys.delete(content);
  try {
    return await exchange(method, path, body, { 'Idempotency-Key': key });
  } catch (refusal) {
    if (refusal.status === 0 || refusal.status >= 500) {
      keys.set(content, { key, at: Date.now() });
    }
    throw refusal;
  }
}

async function exchange(method, path, body, more) {
  const headers = { Accept: 'application/json', ...more };
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  if (csrf && method !== 'GET') {
    headers['X-CSRF-Token'] = csrf;
  }
  let response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'same-origin',
      cache: 'no-store',
    });
  } catch {
    throw new Refusal(0, '', '', 0);
  }
  const text = await response.text();
  let json = null;
  try {
    json = text ? JSON.parse(text) : null;
  } catch {
    json = null;
  }
  if (!response.ok) {
    throw new Refusal(
      response.status,
      json?.title ?? '',
      json?.detail ?? '',
      Number(response.headers.get('Retry-After')) || 0,
      json?.outcome ?? '',
    );
  }
  if (json && typeof json.csrf === 'string') {
    csrf = json.csrf;
  }
  return json;
}

/**
 * Calls the API. A page whose session went on in another tab learns the new token and tries once more. A change whose outcome is not
 * known is sent once more with the same key, which answers what became of it.
 */
export async function call(method, path, body) {
  try {
    return await send(method, path, body);
  } catch (refusal) {
    if (refusal.status === 403 && refusal.message.startsWith('X-CSRF-Token')) {
      await session();
      return send(method, path, body);
    }
    if (refusal.outcome !== 'unknown') {
      throw refusal;
    }
    return send(method, path, body).catch((second) => {
      // Without the database, the second answer tells nothing about the first request.
      throw second.status === 0 || second.status >= 500 ? refusal : second;
    });
  }
}

/** Returns who is signed in, and how people can sign in. */
export async function session() {
  csrf = null;
  return send('GET', '/api/session');
}

/** Returns the address to go to afterwards: the one that was asked for if it is on this site, else the first page of the console. */
export function target() {
  const home = new URL('/', location.origin);
  const asked = new URLSearchParams(location.search).get('to');
  if (!asked || !asked.startsWith('/')) {
    return home.href;
  }
  try {
    const url = new URL(asked, location.origin);
    // The whole address: a path alone, such as //example.com, could name another site.
    return url.origin === location.origin ? url.href : home.href;
  } catch {
    return home.href;
  }
}

/** Returns the address that leads to an identity server and then to where the person wants to go. */
export function serverAddress(server, fresh) {
  const query = new URLSearchParams({ to: target().slice(location.origin.length) });
  if (fresh) {
    query.set('fresh', 'true');
  }
  return `${server.url}?${query}`;
}

/** Returns a page that comes back to this one. */
export function detour(path) {
  return `${path}?to=${encodeURIComponent(location.pathname + location.search)}`;
}
