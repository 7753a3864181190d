package io.sluice.node.state;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.StoreWatch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Whether the node can decide as configured, and if not quite, why. Safe for use by many threads. */
public final class Health {

    /** A node's life. */
    public enum Phase {
        STARTING,
        SERVING,
        STOPPING
    }

    private final OpenRules rules;
    private final StoreWatch store;
    private volatile Phase phase = Phase.STARTING;
    private volatile Supplier<List<String>> gateway = List::of;

    public Health(OpenRules rules, StoreWatch store) {
        this.rules = rules;
        this.store = store;
    }

    public Phase phase() {
        return phase;
    }

    public void turn(Phase next) {
        phase = next;
    }

    public boolean isServing() {
        return phase == Phase.SERVING;
    }

    public String engine() {
        return store.exists() ? "redis" : "local";
    }

    /** Why the shared store does not decide, though it should, or is not to be relied on; null if all is well. */
    @Nullable
    public String degraded() {
        String away = store.degraded();
        return away != null || store.findings().isEmpty() ? away : "redis-settings";
    }

    /** Since when the store is not asked; empty while it is. */
    public Optional<Instant> since() {
        return store.awaySince();
    }

    /** There is a gateway, too. */
    public void watch(Supplier<List<String>> gatewayFindings) {
        gateway = gatewayFindings;
    }

    /** What is wrong with the store, the rules or the gateway, though the node decides, in sentences. */
    public List<String> findings() {
        List<String> findings = new ArrayList<>(store.findings());
        findings.addAll(rules.findings());
        findings.addAll(gateway.get());
        return findings;
    }

    /** Whether the rules in force are those of the last run, because those of now are bad or away. */
    public boolean hasKeptRules() {
        return rules.isKept();
    }

    public RuleSet rules() {
        return rules.source().latest();
    }
}
