package io.sluice.runtime.decisions;

import io.sluice.runtime.decisions.DecisionSettings.Shares;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** Chooses decisions at random, by the share of their rule. Thread-safe if the source of random numbers is. */
final class DecisionSampler {

    private final Shares usual;
    private final Map<String, Shares> rules;
    private final DoubleSupplier random;

    /** @param random returns numbers from 0 (inclusive) to 1 (exclusive) */
    DecisionSampler(Shares usual, Map<String, Shares> rules, DoubleSupplier random) {
        this.usual = usual;
        this.rules = rules;
        this.random = random;
    }

    boolean chooses(String rule, boolean allowed) {
        Shares shares = rules.isEmpty() ? usual : rules.getOrDefault(rule, usual);
        return chooses(allowed ? shares.allowed() : shares.refused());
    }

    boolean chooses(double share) {
        return share >= 1 || (share > 0 && random.getAsDouble() < share);
    }
}
