package io.sluice.replay.run;

import java.util.List;

/**
 * The result of one set of rules. Immutable.
 *
 * @param allowed the number of requests that passed
 * @param refused the number of requests that a limit or a rule refused
 * @param notes sentences about the parts that were not replayed
 */
public record SetResult(long allowed, long refused, List<RuleResult> rules, Series series, List<String> notes) {

    public SetResult {
        rules = List.copyOf(rules);
        notes = List.copyOf(notes);
    }
}
