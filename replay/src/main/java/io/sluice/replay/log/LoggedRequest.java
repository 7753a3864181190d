package io.sluice.replay.log;

import io.sluice.rules.pattern.Attributes;

/**
 * A request of a log, in the canonical form of live requests. Immutable.
 *
 * @param atMicros when it arrived, in microseconds since the epoch
 * @param durationMicros how long it took; {@link #UNKNOWN} if the log does not say
 * @param status the status of its answer; {@link #UNKNOWN} if the log does not say
 * @param permits how many permits it asks for, 1 unless the log says otherwise
 * @param file the name of the file that it comes from
 * @param line the number of its line, from 1
 */
public record LoggedRequest(
        long atMicros, long durationMicros, int status, long permits, Attributes attributes, String file, long line) {

    /** The log does not say it. */
    public static final int UNKNOWN = -1;

    /** Returns where the request is in the log, as messages name it. */
    public String place() {
        return file + ":" + line;
    }
}
