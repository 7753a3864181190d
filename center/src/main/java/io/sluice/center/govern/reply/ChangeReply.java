package io.sluice.center.govern.reply;

import io.sluice.center.change.Change;
import io.sluice.center.change.ChangeState;
import io.sluice.center.change.Changes.Reviewed;
import io.sluice.center.edit.ChangeReview;
import io.sluice.center.edit.Collision;
import io.sluice.center.edit.EditsJson;
import io.sluice.rules.review.ReviewFinding;
import io.sluice.rules.yaml.DocumentError;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A change.
 *
 * @param current the version in force
 * @param digest the digest of the resulting rules; a release has to name it
 */
public record ChangeReply(
        long id,
        long revision,
        String state,
        String title,
        String reason,
        String author,
        long base,
        long current,
        Instant openedAt,
        Instant changedAt,
        @Nullable Long version,
        JsonNode edits,
        Checks checks,
        ApprovalReply approval,
        DiffReply diff,
        String digest) {

    /**
     * The results of the checks.
     *
     * @param releasable whether the change can be released now; false while approvals are missing
     * @param collisions rules that another release has changed since the base of the change
     * @param warnings legal content that is probably not intended
     * @param findings rules that never act, limits that never refuse, and contradictions
     * @param counts the effect of the change on stored counts
     */
    public record Checks(
            boolean releasable,
            List<Collision> collisions,
            List<DocumentError> warnings,
            List<Finding> findings,
            List<String> counts) {

        static Checks of(boolean releasable, ChangeReview review) {
            return new Checks(
                    releasable,
                    review.collisions(),
                    review.warnings(),
                    review.findings().stream().map(Finding::of).toList(),
                    review.forCounts());
        }
    }

    /**
     * A finding about the whole set.
     *
     * @param kind {@code never_acts}, {@code never_refuses} or {@code conflict}
     * @param other the other rule in the finding
     */
    public record Finding(
            String rule,
            @Nullable String limit,
            String kind,
            String sentence,
            @Nullable String other) {

        static Finding of(ReviewFinding finding) {
            return new Finding(
                    finding.rule(),
                    finding.limit().orElse(null),
                    finding.kind().word(),
                    finding.sentence(),
                    finding.other().orElse(null));
        }
    }

    /**
     * Describes a change.
     *
     * @param review its effect, restricted to the rules that the caller sees
     */
    public static ChangeReply of(Reviewed reviewed, ChangeReview review) {
        Change change = reviewed.change();
        return new ChangeReply(
                change.id(),
                change.revision(),
                change.state().word(),
                change.title(),
                change.reason(),
                change.author(),
                change.base(),
                review.before().version(),
                Instant.ofEpochMilli(change.openedAt()),
                Instant.ofEpochMilli(change.changedAt()),
                VersionReply.orNull(change.version()),
                EditsJson.list(change.edits()),
                Checks.of(
                        change.state() == ChangeState.OPEN
                                && review.collisions().isEmpty()
                                && reviewed.standing().isSatisfied(),
                        review),
                ApprovalReply.of(reviewed.standing()),
                DiffReply.of(review, change.version()),
                reviewed.review().digest());
    }
}
