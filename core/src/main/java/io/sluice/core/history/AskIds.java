package io.sluice.core.history;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Names for asks that are recorded, so that what happened in several places can be joined: no two of a process are the same. Safe
 * for use by many threads.
 *
 * <p>An ask that is decided in parts (counts in several slots of a Cluster) has one name, and its parts have that name, a slash and
 * their place: each part is one step of the store, the whole is not.
 */
public final class AskIds {

    private static final AtomicLong LAST = new AtomicLong();

    private AskIds() {}

    public static String next() {
        return Long.toString(LAST.incrementAndGet());
    }

    /** The name of a part of an ask. */
    public static String part(String ask, int place) {
        return ask.isEmpty() ? "" : ask + "/" + place;
    }

    /** The name of the ask that this is the name of a part of; or the name itself. */
    public static String whole(String ask) {
        int slash = ask.indexOf('/');
        return slash < 0 ? ask : ask.substring(0, slash);
    }
}
