package io.sluice.replay.log;

import io.sluice.rules.pattern.Attributes;

/**
 * A request of a log, in the canonical form of live requests. Immutable.
 *
 * @param atMicros the time of its arrival, in microseconds since the epoch
 * @param durationMicros its duration; {@link #UNKNOWN} if the log lacks it
 * @param status the status of its answer; {@link #UNKNOWN} if the log lacks it
 * @param permits the number of permits that it asks for, 1 unless the log has another number
 * @param file the name of its file
 * @param line the number of its line, from 1
 */
public record LoggedRequest(
        long atMicros, long durationMicros, int status, long permits, Attributes attributes, String file, long line) {

    /** The value of a field that the log lacks. */
    public static final int UNKNOWN = -1;

    /** Returns the place of the request in the log, as messages name it. */
    public String place() {
        return file + ":" + line;
    }
}
