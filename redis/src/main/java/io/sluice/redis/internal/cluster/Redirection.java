package io.sluice.redis.internal.cluster;

import io.lettuce.core.RedisCommandExecutionException;
import io.sluice.redis.internal.wire.DecideLibrary;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a node of a Cluster says instead of running a function, because of slots. It has done nothing.
 *
 * @param to where to go instead; the node itself if it does not say
 */
record Redirection(Kind kind, Endpoint to) {

    enum Kind {
        /** Another node owns the slot. */
        MOVED,
        /** The slot is going to another node, and this one does not have the key any more, or never had. */
        ASK,
        /** The slot is moving, and of several keys only some are here. */
        TRYAGAIN,
        /** Nobody owns the slot, or the Cluster as a whole does not decide. */
        CLUSTERDOWN
    }

    /** Null if it is something else. */
    static @Nullable Redirection of(Throwable failure, Endpoint asked) {
        Throwable cause = DecideLibrary.cause(failure);
        if (!(cause instanceof RedisCommandExecutionException) || cause.getMessage() == null) {
            return null;
        }
        String[] words = cause.getMessage().split(" ", 4);
        for (Kind kind : Kind.values()) {
            if (words[0].toUpperCase(Locale.ROOT).equals(kind.name())) {
                boolean names = kind == Kind.MOVED || kind == Kind.ASK;
                return names ? named(kind, words, asked) : new Redirection(kind, asked);
            }
        }
        return null;
    }

    private static @Nullable Redirection named(Kind kind, String[] words, Endpoint asked) {
        try {
            return words.length < 3 ? null : new Redirection(kind, Endpoint.read(words[2], asked));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
