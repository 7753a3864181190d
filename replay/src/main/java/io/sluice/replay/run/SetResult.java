package io.sluice.replay.run;

import java.util.List;

/**
 * What one set of rules did. Immutable.
 *
 * @param allowed the requests that passed
 * @param refused the requests that a limit or a rule refused
 * @param notes what was not replayed, in sentences
 */
public record SetResult(long allowed, long refused, List<RuleResult> rules, Series series, List<String> notes) {

    public SetResult {
        rules = List.copyOf(rules);
        notes = List.copyOf(notes);
    }
}
