// Series of the API as columns for a chart.

const STEPS = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Returns the times of all steps that have ended, and functions that return one figure for each of them. Steps without requests have no
 * point, so they are 0. The step that goes on would look like a fall.
 */
export function columns(series) {
  const step = STEPS[series.step];
  const from = Math.floor(new Date(series.from).getTime() / step) * step;
  const to = new Date(series.to).getTime();
  const points = new Map(series.points.map((point) => [new Date(point.at).getTime(), point]));
  const times = [];
  for (let at = from; at + step <= to && times.length < 4000; at += step) {
    times.push(at);
  }
  return {
    times,
    seconds: step / 1000,
    /** Figures per step; `absent` is what a step without requests shows. */
    column: (name, absent = 0) => times.map((at) => points.get(at)?.[name] ?? absent),
    /** Figures per second. */
    rate: (name) => times.map((at) => (points.get(at)?.[name] ?? 0) / (step / 1000)),
  };
}

/** Returns the sums of the figures of a series. */
export function sums(series) {
  const total = { allowed: 0, refused: 0, shadow_refused: 0, degraded: 0 };
  series.points.forEach((point) => Object.keys(total).forEach((name) => { total[name] += point[name]; }));
  return total;
}

/** Returns a time before now as the API takes it, at a whole minute, so that the address of a call is steady. */
export function before(millis, now = Date.now()) {
  return new Date(Math.floor((now - millis) / 60_000) * 60_000).toISOString();
}
