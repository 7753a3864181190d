package io.sluice.center.command;

import io.sluice.rules.changes.RuleChange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The changes of rules by a command, in sentences, for the log. Their number is limited, because a change may touch all rules. */
public final class RuleDiff {

    private static final int MOST_LINES = 100;
    private static final int LONGEST_LINE = 500;

    private RuleDiff() {}

    /** Returns the field {@code diff}, and {@code diff_more} with the number of omitted sentences. */
    public static Map<String, Object> of(List<RuleChange> changes) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(
                "diff",
                changes.stream()
                        .limit(MOST_LINES)
                        .map(change -> shortened(change.toString()))
                        .toList());
        if (changes.size() > MOST_LINES) {
            fields.put("diff_more", changes.size() - MOST_LINES);
        }
        return fields;
    }

    private static String shortened(String line) {
        return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE) + "…";
    }
}
