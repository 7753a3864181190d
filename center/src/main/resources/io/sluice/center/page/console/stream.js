// One stream of events for the whole browser. The tab that holds a lock reads it and tells the others.
import { reactive } from '/assets/vue.js';
import { call, detour } from '/assets/api.js';

const LOCK = 'sluice.stream';
const TOPICS = ['counts', 'decisions', 'nodes', 'alerts', 'releases'];
/** The center sends an event `alive` every 10 seconds. */
const SILENCE_MILLIS = 25_000;
const FIRST_RETRY_MILLIS = 2000;
const LAST_RETRY_MILLIS = 30_000;

/**
 * connecting, live or lost; `since` is when that began, `leads` whether this tab reads the stream, and `gaps` how often events may have
 * been missed.
 */
export const stream = reactive({ state: 'connecting', since: Date.now(), leads: false, gaps: 0 });

const listeners = new Map(TOPICS.map((topic) => [topic, new Set()]));
const channel = 'BroadcastChannel' in window ? new BroadcastChannel(LOCK) : null;
let heard = Date.now();

// Of the tab that leads.
let source = null;
let retry = 0;
let refusals = 0;
let missed = false;
let yieldLead = () => {};

function tell(topic, data) {
  listeners.get(topic)?.forEach((listener) => listener(data));
}

function become(state) {
  if (stream.state !== state) {
    if (stream.state === 'lost') {
      stream.gaps += 1;
    }
    stream.state = state;
    stream.since = Date.now();
  }
}

/** Hears events of a topic: counts, decisions, nodes, alerts or releases. Returns a function that ends it. */
export function listen(topic, listener) {
  listeners.get(topic).add(listener);
  return () => listeners.get(topic).delete(listener);
}

/** Tells the other tabs too. */
function announce(state) {
  become(state);
  channel?.postMessage({ state });
}

function shut() {
  clearTimeout(retry);
  retry = 0;
  source?.close();
  source = null;
}

function open() {
  shut();
  stream.leads = true;
  heard = Date.now();
  const own = new EventSource('/api/stream');
  source = own;
  const hear = () => {
    if (own !== source) {
      return;
    }
    heard = Date.now();
    refusals = 0;
    announce('live');
    if (missed) {
      // The tab that read the stream before was closed, and it took some time to follow.
      missed = false;
      stream.gaps += 1;
      channel?.postMessage({ gap: true });
    }
  };
  own.addEventListener('open', hear);
  own.addEventListener('alive', hear);
  own.addEventListener('error', () => {
    if (own !== source) {
      return;
    }
    announce('lost');
    if (own.readyState === EventSource.CLOSED) {
      refused();
    }
  });
  TOPICS.forEach((topic) => own.addEventListener(topic, (event) => {
    if (own !== source) {
      return;
    }
    heard = Date.now();
    become('live');
    const data = JSON.parse(event.data);
    tell(topic, data);
    channel?.postMessage({ topic, data });
  }));
}

/** The session has ended, or the center restarts behind a proxy, or it has too many listeners. */
async function refused() {
  shut();
  const millis = Math.min(LAST_RETRY_MILLIS, FIRST_RETRY_MILLIS * 2 ** refusals);
  refusals += 1;
  // Not all browsers at once.
  retry = setTimeout(open, millis * (0.5 + Math.random() / 2));
  const waits = retry;
  try {
    const session = await call('GET', '/api/session');
    if (!session.signed_in && waits === retry) {
      shut();
      location.assign(detour('/sign-in'));
    }
  } catch {
    // The center is away. The stream is tried again.
  }
}

/** A connection can die without a word, such as behind a proxy or while the machine sleeps. */
function watchSilence() {
  if (Date.now() - heard <= SILENCE_MILLIS) {
    return;
  }
  if (!stream.leads) {
    become('lost');
  } else if (source) {
    announce('lost');
    open();
  }
}

function hearOthers({ data }) {
  heard = Date.now();
  if (data.topic) {
    become('live');
    tell(data.topic, data.data);
  } else if (data.state) {
    become(data.state);
  } else if (data.gap) {
    stream.gaps += 1;
  }
}

/** Starts to hear. Call it once, when the person is known. */
export function startStream() {
  setInterval(watchSilence, 5000);
  addEventListener('pagehide', () => {
    shut();
    stream.leads = false;
    yieldLead();
  });
  // A page that the browser kept in memory and shows again waits for its turn again.
  addEventListener('pageshow', (event) => {
    if (event.persisted) {
      heard = Date.now();
      begin();
    }
  });
  channel?.addEventListener('message', (message) => {
    if (message.data.ask) {
      if (stream.leads) {
        channel.postMessage({ state: stream.state });
      }
    } else if (!stream.leads) {
      hearOthers(message);
    }
  });
  begin();
}

function begin() {
  if (!navigator.locks || !channel) {
    // Without a lock, as on plain HTTP from afar, each tab reads a stream of its own.
    open();
    return;
  }
  channel.postMessage({ ask: true });
  lead();
}

/** The lock is held until the page is left; then the browser gives it to another tab. A browser may keep pages that were left. */
function lead() {
  const turn = new AbortController();
  yieldLead = () => turn.abort();
  navigator.locks.request(LOCK, { signal: turn.signal }, () => {
    missed = stream.state !== 'connecting';
    open();
    return new Promise((resolve) => { yieldLead = resolve; });
  }).catch((failure) => {
    if (failure.name !== 'AbortError') {
      throw failure;
    }
  });
}
