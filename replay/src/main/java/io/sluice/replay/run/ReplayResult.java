package io.sluice.replay.run;

import java.util.Optional;

/**
 * What rules did with the requests of logs. Immutable.
 *
 * @param fromMicros the time of the first request; 0 without requests
 * @param toMicros the time of the last request
 * @param against how another set of rules differs, if one was given
 */
public record ReplayResult(
        long requests, long fromMicros, long toMicros, LogSummary log, SetResult set, Optional<Differences> against) {}
