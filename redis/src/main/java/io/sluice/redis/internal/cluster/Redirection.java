package io.sluice.redis.internal.cluster;

import io.lettuce.core.RedisCommandExecutionException;
import io.sluice.redis.internal.wire.DecideLibrary;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a Cluster node that did not run a function because of its slot. The node has done nothing.
 *
 * @param to the node to ask instead; the same node if the answer names no other
 */
record Redirection(Kind kind, Endpoint to) {

    enum Kind {
        /** Another node owns the slot. */
        MOVED,
        /** The slot is migrating to another node, and this node does not have the key any more, or never had it. */
        ASK,
        /** The slot is migrating, and only some of the keys are here. */
        TRYAGAIN,
        /** No node owns the slot, or the whole Cluster is down. */
        CLUSTERDOWN
    }

    /** Reads a redirection from a failure. Returns null for any other failure. */
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
