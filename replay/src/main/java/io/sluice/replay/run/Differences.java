package io.sluice.replay.run;

import java.util.List;

/**
 * The differences between the decisions of two sets of rules on the same requests. Immutable.
 *
 * @param newlyRefused the number of requests that the rules refuse and the other rules allow
 * @param newlyAllowed the number of requests that the rules allow and the other rules refuse
 * @param rules the rules that made a difference: rules of the first set that newly refuse requests, and rules of the other set that no
 *     longer refuse them
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

    /** The share of one rule in the differences: the requests that it refuses under one set and that pass under the other. Immutable. */
    public record RuleDifference(String rule, long newlyRefused, long newlyAllowed) {}
}
