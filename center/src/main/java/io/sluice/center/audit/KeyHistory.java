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
 * The keys of a log in their order. Each is signed by the one before. Only the first is not, and one that began anew because the key
 * before was lost. Not thread-safe.
 */
final class KeyHistory {

    private final Map<String, LogKey> keys = new HashMap<>();
    private final List<String> order = new ArrayList<>();

    /** The place of the last key that no key before it signed. */
    private int beginning;

    /** Adds the next key. Returns what is wrong with it; then it is not added. */
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

    /** Returns whether one of the keys signed a text, as the body of a row says. */
    boolean sealed(JsonNode body, String text) {
        LogKey key = keys.get(body.path(AuditSeal.KEY).asString(""));
        return key != null && key.signed(text, body.path(AuditSeal.SIGNATURE).asString(""));
    }

    boolean has(LogKey key) {
        return key.equals(keys.get(key.id()));
    }

    /** Returns whether a key is a trusted one, or follows from it. */
    boolean follows(LogKey trusted, String id) {
        int place = order.indexOf(id);
        return has(trusted)
                && place >= order.indexOf(trusted.id())
                && (place < beginning || order.indexOf(trusted.id()) >= beginning);
    }

    /** Returns the key that began anew, unless it or a later one is trusted. Whoever trusts an earlier key must know. */
    Optional<String> brokenFor(@Nullable LogKey trusted) {
        boolean isBroken = beginning > 0 && (trusted == null || order.indexOf(trusted.id()) < beginning);
        return isBroken ? Optional.of(order.get(beginning)) : Optional.empty();
    }
}
