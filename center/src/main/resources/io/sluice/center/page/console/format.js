// How numbers and times are written, in the language and the time zone that were chosen.
import { language } from '/assets/texts.js';
import { zone } from '/assets/console/settings.js';

const cache = new Map();

function locale() {
  return language.value === 'zh' ? 'zh-CN' : 'en-GB';
}

function cached(kind, options, make) {
  const key = `${kind}${locale()}${zone.value}${JSON.stringify(options)}`;
  if (!cache.has(key)) {
    cache.set(key, make());
  }
  return cache.get(key);
}

function times(options) {
  return cached('time', options, () => new Intl.DateTimeFormat(locale(), {
    hourCycle: 'h23', ...options, ...(zone.value === 'utc' ? { timeZone: 'UTC' } : {}),
  }));
}

/** Returns a whole number with separators: 1,204. */
export function number(value) {
  return cached('number', {}, () => new Intl.NumberFormat('en')).format(Math.round(value));
}

/** Returns a number from a sketch: 1,204, or ≥ 1,204 if only that is certain. */
export function atLeast(value, error = 0) {
  return error > 0 ? `≥ ${number(value - error)}` : number(value);
}

/** Returns a number that fits into a small place: 950, 12.3k, 4.5M. */
export function compact(value) {
  return cached('compact', {}, () => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }))
    .format(value).replace('K', 'k');
}

/** Returns a rate: 12.3/s, 0.05/s. One that is not zero never looks like zero. */
export function perSecond(value) {
  if (value > 0 && value < 0.005) {
    return '< 0.01/s';
  }
  return `${value >= 100 ? compact(value) : value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value === 0 ? '0' : value.toFixed(2)}/s`;
}

/** Returns a share of 0 to 1 as percent. */
export function percent(share) {
  const value = share * 100;
  if (value > 0 && value < 0.1) {
    return '< 0.1 %';
  }
  return `${value >= 10 || value === 0 ? value.toFixed(0) : value.toFixed(1)} %`;
}

/** Returns 10:15:07. */
export function clock(time, { seconds = true } = {}) {
  return times({ hour: '2-digit', minute: '2-digit', ...(seconds ? { second: '2-digit' } : {}) }).format(new Date(time));
}

/** Returns 17 Nov 10:15, with the year if it is another one, or 17 Nov without hours. */
export function moment(time, { seconds = false, hours = true } = {}) {
  const date = new Date(time);
  const far = date.getFullYear() !== new Date().getFullYear();
  return times({
    day: 'numeric', month: 'short', ...(far ? { year: 'numeric' } : {}),
    ...(hours ? { hour: '2-digit', minute: '2-digit' } : {}), ...(seconds ? { second: '2-digit' } : {}),
  }).format(date);
}

/** Returns the whole time for a tooltip. */
export function exact(time) {
  return new Date(time).toISOString();
}

/** Returns 3 s, 12 min, 5 h, 2 d: how long ago something was, or a span of milliseconds. */
export function span(millis) {
  const zh = language.value === 'zh';
  const seconds = Math.max(0, Math.round(millis / 1000));
  if (seconds < 60) {
    return zh ? `${seconds} 秒` : `${seconds} s`;
  }
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) {
    return zh ? `${minutes} 分钟` : `${minutes} min`;
  }
  const hours = Math.round(minutes / 60);
  if (hours < 48) {
    return zh ? `${hours} 小时` : `${hours} h`;
  }
  const days = Math.round(hours / 24);
  return zh ? `${days} 天` : `${days} d`;
}

export function ago(time, now = Date.now()) {
  const text = span(now - new Date(time).getTime());
  return language.value === 'zh' ? `${text}前` : `${text} ago`;
}

/** Returns microseconds as 85 µs, 1.2 ms, 3 s. */
export function micros(value) {
  if (value < 1000) {
    return `${Math.round(value)} µs`;
  }
  if (value < 1_000_000) {
    return `${value < 10_000 ? (value / 1000).toFixed(1) : Math.round(value / 1000)} ms`;
  }
  return `${(value / 1_000_000).toFixed(1)} s`;
}
