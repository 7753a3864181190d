// One stream of events for the whole browser. The tab that holds a lock reads it and tells the others.
import { reactive } from '/assets/vue.js';

const LOCK = 'sluice.stream';
const TOPICS = ['counts', 'decisions', 'nodes', 'alerts', 'releases'];
const SILENCE_MILLIS = 20_000;

/** connecting, live or lost; `since` is when that began, `leads` whether this tab reads the stream. */
export const stream = reactive({ state: 'connecting', since: Date.now(), leads: false });

const listeners = new Map(TOPICS.map((topic) => [topic, new Set()]));
const channel = 'BroadcastChannel' in window ? new BroadcastChannel(LOCK) : null;
let heard = Date.now();

function tell(topic, data) {
  listeners.get(topic)?.forEach((listener) => listener(data));
}

function become(state) {
  if (stream.state !== state) {
    stream.state = state;
    stream.since = Date.now();
  }
}

/** Hears events of a topic: counts, decisions, nodes, alerts or releases. Returns a function that ends it. */
export function listen(topic, listener) {
  listeners.get(topic).add(listener);
  return () => listeners.get(topic).delete(listener);
}

function open() {
  stream.leads = true;
  const source = new EventSource('/api/stream');
  const state = (next) => {
    become(next);
    channel?.postMessage({ state: next });
  };
  source.addEventListener('open', () => state('live'));
  source.addEventListener('error', () => {
    state('lost');
    if (source.readyState === EventSource.CLOSED) {
      // Refused, such as by a center that restarts behind a proxy or has too many listeners.
      source.close();
      setTimeout(open, 3000);
    }
  });
  TOPICS.forEach((topic) => source.addEventListener(topic, (event) => {
    const data = JSON.parse(event.data);
    become('live');
    tell(topic, data);
    channel?.postMessage({ topic, data });
  }));
  const beat = setInterval(() => channel?.postMessage({ state: stream.state }), 5000);
  addEventListener('pagehide', () => {
    clearInterval(beat);
    source.close();
    stream.leads = false;
  }, { once: true });
}

/** Starts to hear. Call it once, when the person is known. */
export function startStream() {
  if (!navigator.locks || !channel) {
    // Without a lock, as on plain HTTP from afar, each tab reads a stream of its own.
    open();
    return;
  }
  channel.addEventListener('message', ({ data }) => {
    heard = Date.now();
    if (data.topic) {
      become('live');
      tell(data.topic, data.data);
    } else if (data.state) {
      become(data.state);
    } else if (data.ask && stream.leads) {
      channel.postMessage({ state: stream.state });
    }
  });
  channel.postMessage({ ask: true });
  setInterval(() => {
    if (!stream.leads && Date.now() - heard > SILENCE_MILLIS) {
      become('lost');
    }
  }, 5000);
  lead();
  // A page that the browser kept in memory and shows again waits for its turn again.
  addEventListener('pageshow', (event) => {
    if (event.persisted) {
      lead();
    }
  });
}

/** The lock is held until the page is left; then the browser gives it to another tab. A browser may keep pages that were left. */
function lead() {
  navigator.locks.request(LOCK, () => {
    open();
    return new Promise((resolve) => { addEventListener('pagehide', resolve, { once: true }); });
  });
}
