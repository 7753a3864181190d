package io.sluice.center.govern.reply;

import io.sluice.center.approval.Standing;
import io.sluice.center.edit.ChangeReview;
import io.sluice.center.edit.RuleYaml;
import io.sluice.rules.model.Rule;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The effect of a change that has not been opened. If there are errors, the reply contains only them.
 *
 * @param base the version that the change is compared with
 * @param rules the rules that the change puts
 * @param document the same rules as YAML
 */
public record CheckReply(
        long base,
        List<Found> errors,
        ChangeReply.@Nullable Checks checks,
        @Nullable ApprovalReply approval,
        @Nullable DiffReply diff,
        @Nullable String digest,
        List<JsonNode> rules,
        @Nullable String document) {

    public CheckReply {
        errors = List.copyOf(errors);
        rules = List.copyOf(rules);
    }

    /**
     * An error.
     *
     * @param file the place of the error, such as {@code edits[0].put_text} or {@code document}
     * @param line the line, starting with 1; 0 if the error concerns the whole text
     * @param rule the rule with the error, if known
     */
    public record Found(
            String file, int line, int column, @Nullable String rule, String message) {}

    /** Describes a change that cannot be opened. */
    public static CheckReply refused(long base, List<Found> errors) {
        return new CheckReply(base, errors, null, null, null, null, List.of(), null);
    }

    /**
     * Describes a change without errors.
     *
     * @param review its effect, restricted to the rules that the caller sees
     * @param digest the digest of all resulting rules
     * @param put the rules that the change puts
     */
    public static CheckReply of(long base, ChangeReview review, Standing standing, String digest, List<Rule> put) {
        return new CheckReply(
                base,
                List.of(),
                ChangeReply.Checks.of(
                        review.collisions().isEmpty() && !review.changes().isEmpty() && standing.isSatisfied(), review),
                ApprovalReply.of(standing),
                DiffReply.of(review, 0),
                digest,
                put.stream().map(RulesReply::json).toList(),
                RuleYaml.document(put));
    }
}
