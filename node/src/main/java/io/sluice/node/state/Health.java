package io.sluice.node.state;

import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.OpenRules;
import io.sluice.runtime.ShownRules;
import io.sluice.runtime.StoreWatch;
import io.sluice.runtime.durable.DurableQuotas;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reports whether the node decides as configured, and if not, the reason. Thread-safe. */
public final class Health {

    /** The phases of a node's life. */
    public enum Phase {
        STARTING("starting"),
        SERVING("serving"),
        STOPPING("stopping");

        private final String word;

        Phase(String word) {
            this.word = word;
        }

        /** Returns the word for the phase in answers. */
        public String word() {
            return word;
        }
    }

    private final OpenRules rules;
    private final StoreWatch store;
    private volatile Phase phase = Phase.STARTING;
    private final List<Supplier<List<String>>> doors = new CopyOnWriteArrayList<>();
    private volatile Supplier<List<String>> tokens = List::of;
    private volatile Supplier<List<String>> fleet = List::of;
    private volatile Supplier<List<String>> durable = List::of;
    private volatile BooleanSupplier restored = () -> true;

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

    /** Returns why the shared store is unavailable or cannot be relied on; null if there is no problem. */
    @Nullable
    public String degraded() {
        String away = store.degraded();
        if (away == null && !restored.getAsBoolean()) {
            return DurableQuotas.NOT_RESTORED;
        }
        return away != null || store.findings().isEmpty() ? away : "redis-settings";
    }

    /** Returns the time since which the shared store is unavailable; empty while it is available. */
    public Optional<Instant> since() {
        return store.awaySince();
    }

    /** Adds the problems of a door. */
    public void watch(Supplier<List<String>> doorFindings) {
        doors.add(doorFindings);
    }

    /** Adds the problems of token files. */
    public void watchTokens(Supplier<List<String>> tokenFindings) {
        tokens = tokenFindings;
    }

    /**
     * Adds the problems of durable limits.
     *
     * @param areRestored whether the store has all charges to durable limits, so that they decide
     */
    public void watchDurable(Supplier<List<String>> durableFindings, BooleanSupplier areRestored) {
        durable = durableFindings;
        restored = areRestored;
    }

    /** Adds the problems with the center. */
    public void watchFleet(Supplier<List<String>> fleetFindings) {
        fleet = fleetFindings;
    }

    /**
     * Returns the problems of the store, the rules, the doors, the token files and the center that do not stop decisions, as
     * sentences.
     */
    public List<String> findings() {
        List<String> findings = new ArrayList<>(store.findings());
        store.outage().ifPresent(findings::add);
        findings.addAll(durable.get());
        findings.addAll(rules.findings());
        doors.forEach(door -> findings.addAll(door.get()));
        findings.addAll(tokens.get());
        findings.addAll(fleet.get());
        return findings;
    }

    /** Returns whether the rules are those of the last run, because the current ones are invalid or unavailable. */
    public boolean hasKeptRules() {
        return rules.isKept();
    }

    /** Returns the revision of the adjustments and the number of each kind, for the answer with the rules in force. */
    public Map<String, Object> adjustments() {
        return ShownRules.adjustments(rules.source());
    }

    public RuleSet rules() {
        return rules.source().latest();
    }
}
