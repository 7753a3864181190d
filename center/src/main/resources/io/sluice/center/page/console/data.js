// The data of a view: loaded when the view opens, then again at times and on events.
import { computed, onUnmounted, reactive, ref, shallowRef, watch } from '/assets/vue.js';
import { explain } from '/assets/parts.js';
import { collect, dropReads } from '/assets/console/calls.js';
import { listen, stream } from '/assets/console/stream.js';

const sources = reactive(new Set());

/** Whether the age of a source says something. What waits for events is as new as the stream. */
function ages(source) {
  return source.every > 0 || (source.isTold ? stream.state !== 'live' : !source.isFixed);
}

/** The time that the oldest data of the view is from; null before there is any. */
export const asOf = computed(() => {
  const known = [...sources].filter((source) => source.asOf !== null);
  const aging = known.filter(ages);
  const times = (aging.length > 0 ? aging : known).map((source) => source.asOf);
  return times.length > 0 ? Math.min(...times) : null;
});

/** Whether all data of the view was loaded, or failed to. */
export const isReady = computed(() => [...sources].every((source) => source.asOf !== null || source.error));

/** What the view could not load or refresh; null if nothing failed. */
export const loadError = computed(() => [...sources].find((source) => source.error)?.error ?? null);

/**
 * Loads data, and keeps it fresh while the view is open.
 *
 * @param load returns the data, usually by get() of calls.js; it may read refs, and runs again if one that it read before its first
 *     await has changed (list them in `watch` to be sure)
 * @param every milliseconds after which it is loaded again; 0 for never
 * @param on topics of the stream, whose events load it again, at most once a second
 * @param watch a getter; when its value changes, the data is gone and loaded again
 * @param keep whether the data stays until the next is there when `watch` changes, because it tells itself what it is about
 * @param fixed whether the data never changes, so that its age says nothing
 * @returns data, error, loading and reload
 */
export function useData(load, { every = 0, on = [], watch: watched = null, keep = false, fixed = false } = {}) {
  const data = shallowRef(null);
  const loading = ref(false);
  const source = reactive({ asOf: null, error: null, every, isTold: on.length > 0, isFixed: fixed });
  sources.add(source);
  let turn = 0;
  let timer = 0;
  let soon = 0;
  let missed = false;
  let ended = false;

  async function reload() {
    const own = ++turn;
    clearTimeout(timer);
    loading.value = true;
    missed = false;
    const began = Date.now();
    try {
      const answer = await collect(source, load);
      if (own === turn && !ended) {
        data.value = answer;
        source.asOf = began;
        source.error = null;
      }
    } catch (failure) {
      if (own === turn && !ended) {
        source.error = explain(failure, { 403: 'forbidden' });
        source.status = failure.status;
        if (!('status' in failure)) {
          console.error(failure);
        }
      }
    } finally {
      if (own === turn && !ended) {
        loading.value = false;
        if (every > 0) {
          timer = setTimeout(tick, every);
        }
      }
    }
  }

  function tick() {
    if (document.hidden) {
      timer = setTimeout(tick, every);
    } else {
      reload();
    }
  }

  /** Something happened. A tab that nobody sees reads it when it is seen again. */
  function news() {
    if (document.hidden) {
      missed = true;
    } else if (!soon) {
      soon = setTimeout(() => {
        soon = 0;
        reload();
      }, 1000);
    }
  }

  const seen = () => {
    const isOld = source.asOf !== null && Date.now() - source.asOf > Math.max(every, 5000) && (every > 0 || on.length > 0);
    if (!document.hidden && (missed || isOld)) {
      reload();
    }
  };
  document.addEventListener('visibilitychange', seen);
  const ends = on.map((topic) => listen(topic, news));
  if (every > 0 || on.length > 0) {
    // Between two connections to the stream something may have happened.
    ends.push(watch(() => stream.gaps, () => {
      if (document.hidden) {
        missed = true;
      } else {
        reload();
      }
    }));
  }
  if (watched) {
    ends.push(watch(watched, () => {
      if (!keep) {
        // The view is about something else now, and what was loaded is not.
        data.value = null;
        Object.assign(source, { asOf: null, error: null });
      }
      reload();
    }));
  }
  onUnmounted(() => {
    ended = true;
    sources.delete(source);
    dropReads(source);
    clearTimeout(timer);
    clearTimeout(soon);
    document.removeEventListener('visibilitychange', seen);
    ends.forEach((end) => end());
  });
  reload();
  return { data, loading, reload, error: computed(() => source.error), status: computed(() => source.status) };
}

/** Hears events of a topic of the stream while the view is open. */
export function useEvents(topic, listener) {
  onUnmounted(listen(topic, listener));
}

/** A time that moves each second, for "3 s ago". */
export const now = ref(Date.now());
setInterval(() => {
  if (!document.hidden) {
    now.value = Date.now();
  }
}, 1000);
