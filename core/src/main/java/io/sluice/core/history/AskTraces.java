package io.sluice.core.history;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Names of recorded asks, used to join events from several places. They are unique within a process. Thread-safe.
 *
 * <p>An ask that is decided in parts, because its counts are in several cluster slots, has one trace. The trace of a part is that trace,
 * a slash and the place of the part. Each part is one step of the store; the whole ask is not.
 */
public final class AskTraces {

    private static final AtomicLong LAST = new AtomicLong();

    private AskTraces() {}

    public static String next() {
        return Long.toString(LAST.incrementAndGet());
    }

    /** Returns the trace of a part of an ask. */
    public static String part(String trace, int place) {
        return trace.isEmpty() ? "" : trace + "/" + place;
    }

    /** Returns the trace of the whole ask: the part before the slash, or the trace itself. */
    public static String whole(String trace) {
        int slash = trace.indexOf('/');
        return slash < 0 ? trace : trace.substring(0, slash);
    }
}
