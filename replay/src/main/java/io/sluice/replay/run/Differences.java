package io.sluice.replay.run;

import java.util.List;

/**
 * How two sets of rules differ in what they did with the same requests. Immutable.
 *
 * @param newlyRefused requests that the rules refuse and the others allow
 * @param newlyAllowed requests that the rules allow and the others refuse
 * @param rules the rules that made a difference: those of the first set that newly refuse, those of the other that no longer do
 */
public record Differences(
        SetResult other,
        long bothAllow,
        long bothRefuse,
        long newlyRefused,
        long newlyAllowed,
        List<RuleDifference> rules) {

    public Differences {
        rules = List.copyOf(rules);
    }

    /** The share of one rule in the differences: requests that it decides under one set, and that pass under the other. Immutable. */
    public record RuleDifference(String rule, long newlyRefused, long newlyAllowed) {}
}
