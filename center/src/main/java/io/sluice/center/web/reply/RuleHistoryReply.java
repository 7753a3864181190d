package io.sluice.center.web.reply;

import java.util.List;

/**
 * What happened to a rule, newest first.
 *
 * @param complete whether older versions were looked at down to the first
 */
public record RuleHistoryReply(String rule, List<Step> steps, boolean complete) {

    public RuleHistoryReply {
        steps = List.copyOf(steps);
    }

    /** A version that changed the rule. */
    public record Step(VersionReply version, List<String> sentences) {}
}
