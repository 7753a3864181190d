// What the views of traffic have in common: which figures a person may see, figures over time, and the newest seconds of the stream.
import { onUnmounted, ref, watch } from '/assets/vue.js';
import { get } from '/assets/console/calls.js';
import { useEvents } from '/assets/console/data.js';
import { seesFleet } from '/assets/console/me.js';
import { stream } from '/assets/console/stream.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
export const STEPS = { second: 1000, minute: MINUTE, hour: HOUR, day: DAY };

/** Reads something whose times move on. Only the newest address stays in "copy as curl". */
export function getNewest(name, path, query) {
  return get(path, query, name);
}

export function iso(millis) {
  return new Date(millis).toISOString().replace('.000Z', 'Z');
}

/** Returns the milliseconds of a span such as 15m, 6h or 30d; 0 if it is none. */
export function millisOf(span) {
  const found = /^(\d{1,4})([smhdwy])$/.exec(span ?? '');
  return found ? Number(found[1]) * { s: 1000, m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY, y: 365 * DAY }[found[2]] : 0;
}

const ADDED = ['allowed', 'refused', 'shadow_refused', 'degraded', 'peak_allowed', 'peak_refused'];

function sumOf(all) {
  const points = new Map();
  all.forEach((series) => series.points.forEach((point) => {
    const known = points.get(point.at);
    if (known) {
      ADDED.forEach((name) => { known[name] += point[name]; });
    } else {
      points.set(point.at, { ...point });
    }
  }));
  return { ...all[0], complete: all.every((series) => series.complete), points: [...points.values()].sort((a, b) => a.at.localeCompare(b.at)) };
}

/** The largest number of rules whose figures are added up for somebody who does not see the fleet. */
export const OWN_RULES = 8;

/**
 * Reads figures over time: those of a rule, of a node or of the fleet. Somebody who sees only some rules gets the sum of those with
 * the most refusals.
 */
export async function seriesOf(name, { rule = '', node = '', own = [], ...times }) {
  if (rule || node || seesFleet()) {
    return getNewest(name, '/api/series', { rule, node, ...times });
  }
  if (own.length === 0) {
    return { step: 'minute', complete: true, points: [], rules: [] };
  }
  return sumOf(await Promise.all(own.slice(0, OWN_RULES).map((each) => getNewest(`${name} ${each}`, '/api/series', { rule: each, ...times }))));
}

/** Reads the sums of all rules, or of some. Those that refuse most come first. */
export async function sumsOf(name, from, to, limit = null) {
  return getNewest(name, '/api/series', { rule: '*', group: 'rule', from: iso(from), to: iso(to), limit });
}

/** Returns marks of releases. Labels of those that are close together would cover each other, so the newest of them tells all. */
export function marksOf(versions, length) {
  const marks = versions.map((version) => ({ at: Date.parse(version.released_at), label: `v${version.number}`, first: version.number })).sort((a, b) => a.at - b.at);
  for (let i = 1; i < marks.length; i += 1) {
    if (marks[i].at - marks[i - 1].at < length / 20) {
      marks[i].first = marks[i - 1].first;
      marks[i].label = `v${marks[i].first}–${marks[i].label.replace(/^.*[v–]/, '')}`;
      marks[i - 1].label = '';
    }
  }
  return marks;
}

/**
 * Returns rates per second at each time of a grid.
 *
 * @param series an answer of the API
 * @param value (point) => number
 * @param times the beginnings of the cells of the grid
 * @param cell how long a cell is
 * @param shift how much earlier the points are than the grid
 */
export function ratesOn(series, value, times, cell, shift = 0) {
  const step = STEPS[series.step];
  const sums = new Map();
  const width = Math.max(step, cell);
  series.points.forEach((point) => {
    const at = Math.floor((Date.parse(point.at) + shift) / width) * width;
    sums.set(at, (sums.get(at) ?? 0) + value(point));
  });
  return times.map((time) => (sums.get(Math.floor(time / width) * width) ?? 0) / (width / 1000));
}

/** How many seconds the figure of this moment is about. */
const MOMENT = 10;
const KEPT = 180;
/** An event tells the figures of the busiest rules only. */
const MOST_TOLD = 50;
const NONE = { allowed: 0, refused: 0 };

/** Returns the figures of a rule in an event of counts; null if they are unknown, because other rules were busier. */
export function figuresOf(event, rule) {
  const rules = event.rules ?? {};
  if (Object.hasOwn(rules, rule)) {
    return rules[rule];
  }
  return Object.keys(rules).length >= MOST_TOLD ? null : NONE;
}

/**
 * Hears the counts of each second while the view is open.
 *
 * @param pick (event) => the figures of what the view is about; null if the event does not tell them
 */
export function useSeconds(pick) {
  // By second. What is not known of a second is null, and a second without an entry had no traffic.
  const seconds = new Map();
  const beat = ref(0);
  let first = 0;
  let newest = 0;
  let heard = 0;

  function forget() {
    seconds.clear();
    first = 0;
    newest = 0;
    beat.value += 1;
  }

  useEvents('counts', (event) => {
    const { second } = event;
    if (second <= newest - KEPT) {
      return;
    }
    const figures = pick(event);
    const known = seconds.has(second) ? seconds.get(second) : NONE;
    seconds.set(second, figures && known ? { allowed: known.allowed + figures.allowed, refused: known.refused + figures.refused } : null);
    first = first === 0 ? second : first;
    if (second > newest) {
      newest = second;
      heard = performance.now();
      [...seconds.keys()].filter((each) => each <= newest - KEPT).forEach((each) => seconds.delete(each));
    }
    beat.value += 1;
  });
  // What happened while there was no stream is unknown; it is not nothing.
  onUnmounted(watch(() => stream.gaps, forget, { flush: 'sync' }));

  /** The mean of some seconds; null if too few are known. */
  function mean(from, to) {
    let [count, allowed, refused] = [0, 0, 0];
    for (let second = Math.max(from, first, newest - KEPT + 1); second < to && second <= newest; second += 1) {
      const one = seconds.has(second) ? seconds.get(second) : NONE;
      if (one !== null) {
        count += 1;
        allowed += one.allowed;
        refused += one.refused;
      }
    }
    return count >= 3 ? { allowed: allowed / count, refused: refused / count } : null;
  }

  return {
    beat,
    mean,
    /** Requests per second at this moment; null if it is unknown. Without traffic no counts arrive, and neither without a stream. */
    moment() {
      if (newest === 0 || stream.state !== 'live') {
        return null;
      }
      const silent = Math.max(0, Math.floor((performance.now() - heard) / 1000) - 3);
      const most = mean(newest - MOMENT + 1, newest + 1);
      return most && { allowed: (most.allowed * Math.max(0, MOMENT - silent)) / MOMENT, refused: (most.refused * Math.max(0, MOMENT - silent)) / MOMENT };
    },
    forget,
  };
}
