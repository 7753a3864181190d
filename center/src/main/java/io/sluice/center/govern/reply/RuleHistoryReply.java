package io.sluice.center.govern.reply;

import java.util.List;

/**
 * The history of a rule, newest first.
 *
 * @param complete whether all versions down to the first were searched
 */
public record RuleHistoryReply(String rule, List<Step> steps, boolean complete) {

    public RuleHistoryReply {
        steps = List.copyOf(steps);
    }

    /** A version that changed the rule. */
    public record Step(VersionReply version, List<String> sentences) {}
}
