package io.sluice.node;

import io.sluice.rules.RuleSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Whether the node can decide as configured, and if not quite, why. Safe for use by many threads. */
final class Health {

    /** A node's life. */
    enum Phase {
        STARTING,
        SERVING,
        STOPPING
    }

    private final Supplier<RuleSet> rules;
    private final StoreWatch store;
    private volatile Phase phase = Phase.STARTING;

    Health(Supplier<RuleSet> rules, StoreWatch store) {
        this.rules = rules;
        this.store = store;
    }

    Phase phase() {
        return phase;
    }

    void turn(Phase next) {
        phase = next;
    }

    boolean isServing() {
        return phase == Phase.SERVING;
    }

    String engine() {
        return store.exists() ? "redis" : "local";
    }

    /** Why the shared store does not decide, though it should; null if all is well. */
    @Nullable
    String degraded() {
        return store.degraded();
    }

    RuleSet rules() {
        return rules.get();
    }
}
