package io.sluice.core.history;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Ids for recorded asks, used to join events from several places. They are unique within a process. Thread-safe.
 *
 * <p>An ask that is decided in parts, because its counts are in several cluster slots, has one id. The id of a part is that id,
 * a slash and the place of the part. Each part is one step of the store; the whole ask is not.
 */
public final class AskIds {

    private static final AtomicLong LAST = new AtomicLong();

    private AskIds() {}

    public static String next() {
        return Long.toString(LAST.incrementAndGet());
    }

    /** Returns the id of a part of an ask. */
    public static String part(String ask, int place) {
        return ask.isEmpty() ? "" : ask + "/" + place;
    }

    /** Returns the id of the ask that an id belongs to: the id before the slash, or the id itself. */
    public static String whole(String ask) {
        int slash = ask.indexOf('/');
        return slash < 0 ? ask : ask.substring(0, slash);
    }
}
