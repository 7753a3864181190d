package io.sluice.replay.run;

import java.util.Optional;

/**
 * The result of running rules on the requests of logs. Immutable.
 *
 * @param fromMicros the time of the first request; 0 without requests
 * @param toMicros the time of the last request
 * @param against the differences to another set of rules, if one was given
 */
public record ReplayResult(
        long requests, long fromMicros, long toMicros, LogSummary log, SetResult set, Optional<Differences> against) {}
