package io.sluice.center.audit;

import io.sluice.runtime.witness.Checkpoint;
import io.sluice.runtime.witness.LogKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The keys of a log in their order. Each key is signed by the key before it, except the first key and a key that replaced a lost
 * one. Not thread-safe.
 */
final class KeyHistory {

    private final Map<String, LogKey> keys = new HashMap<>();
    private final List<String> order = new ArrayList<>();

    /** The place of the last key that no earlier key signed. */
    private int beginning;

    /** Adds the next key if it is valid; otherwise returns the reason why it is not. */
    Optional<String> add(String log, LoggedKey next) {
        String id = next.key().id();
        if (keys.containsKey(id)) {
            return Optional.of("key " + id + ": occurs twice in the history of keys");
        }
        if (!isSigned(log, next)) {
            return Optional.of("key " + id + ": not signed by the key before it");
        }
        if (next.before().isEmpty()) {
            beginning = order.size();
        }
        keys.put(id, next.key());
        order.add(id);
        return Optional.empty();
    }

    private boolean isSigned(String log, LoggedKey next) {
        if (order.isEmpty() || next.before().isEmpty()) {
            return next.before().isEmpty() && next.signature().isEmpty();
        }
        LogKey last = keys.get(order.get(order.size() - 1));
        try {
            return last != null
                    && next.change(log).filter(change -> change.isBy(last)).isPresent();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns whether one of the keys signed a checkpoint. */
    boolean signed(Checkpoint checkpoint) {
        LogKey key = keys.get(checkpoint.key());
        return key != null && checkpoint.isBy(key);
    }

    /** Returns whether one of the keys signed a text. The body of the row contains the id of the key and the signature. */
    boolean sealed(JsonNode body, String text) {
        LogKey key = keys.get(body.path(AuditSeal.KEY).asString(""));
        return key != null && key.signed(text, body.path(AuditSeal.SIGNATURE).asString(""));
    }

    boolean has(LogKey key) {
        return key.equals(keys.get(key.id()));
    }

    /** Returns whether a key is the trusted key or follows from it through signatures. */
    boolean follows(LogKey trusted, String id) {
        int place = order.indexOf(id);
        return has(trusted)
                && place >= order.indexOf(trusted.id())
                && (place < beginning || order.indexOf(trusted.id()) >= beginning);
    }

    /**
     * Returns the last key that no earlier key signed, unless the caller trusts this key or a later one. A caller who trusts only
     * an earlier key must be warned about the break.
     */
    Optional<String> brokenFor(@Nullable LogKey trusted) {
        boolean isBroken = beginning > 0 && (trusted == null || order.indexOf(trusted.id()) < beginning);
        return isBroken ? Optional.of(order.get(beginning)) : Optional.empty();
    }
}
