package io.sluice.center.web;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.access.Visibility;
import io.sluice.center.approval.Standing;
import io.sluice.center.change.Changes;
import io.sluice.center.command.RefusedException;
import io.sluice.center.edit.ChangeReview;
import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.center.web.reply.CheckReply;
import io.sluice.center.web.reply.CheckReply.Found;
import io.sluice.rules.model.Rule;
import io.sluice.rules.review.ReviewFinding;
import io.sluice.rules.review.SetReview;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says what a change would do, while somebody writes it. Stores nothing. What is wrong with the rules is a part of the answer, not a
 * refusal: a text that somebody is writing is wrong most of the time. Thread-safe.
 */
final class ChangeCheck {

    /** Overrides end with time, so findings do not stay true. */
    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    private final CenterParts center;
    private final RuleGuard guard;

    /** The last review of all rules in force, which takes as long as that of the result. */
    private volatile @Nullable Remembered remembered;

    private record Remembered(RuleSet rules, Instant at, List<ReviewFinding> findings) {}

    ChangeCheck(CenterParts center, RuleGuard guard) {
        this.center = center;
        this.guard = guard;
    }

    CheckReply of(Access access, HttpServletRequest request) {
        long current = center.rules().version();
        try {
            ChangeRequest asked = ChangeRequest.read(request, access, guard, () -> current);
            return of(access, asked.base(), asked.edits());
        } catch (RefusedException e) {
            if (e.why() == RefusedException.Why.UNPROCESSABLE && e.details().get("errors") instanceof List<?> errors) {
                return CheckReply.refused(
                        current,
                        errors.stream().map(each -> found(request, each)).toList());
            }
            throw e;
        }
    }

    private CheckReply of(Access access, long base, Edits edits) {
        List<RuleSet> sets = sets(base);
        RuleSet current = sets.get(1);
        try {
            RuleGuard.covering(access, Right.EDIT).check(edits, sets);
        } catch (RefusedException e) {
            // Whoever begins to write a rule has not yet written whose rule it is. That is no attempt to break in.
            return CheckReply.refused(base, List.of(whole(String.valueOf(e.getMessage()))));
        }
        List<String> missing = Changes.missing(edits, current);
        if (!missing.isEmpty()) {
            return CheckReply.refused(
                    base, missing.stream().map(ChangeCheck::whole).toList());
        }
        Instant now = Instant.ofEpochMilli(center.clock().epochMicros() / 1000);
        Visibility visibility = new Visibility(access);
        RuleSet seen = visibility.of(current);
        ChangeReview review = ChangeReview.of(
                edits,
                visibility.of(sets.get(0)),
                seen,
                now,
                access.seesAll() ? findings(current, now) : SetReview.of(seen, now));
        RuleSet after =
                access.seesAll() ? review.after() : new RuleSet(current.version(), edits.applyTo(current.rules()));
        Standing standing = center.database().read(client -> center.changes().standing(client, current, after));
        return CheckReply.of(base, guard.confined(access, edits, review), standing, after.digest(), put(edits));
    }

    private List<RuleSet> sets(long base) {
        return center.shown().isPresent()
                ? List.of(center.rules(), center.rules())
                : center.database().read(client -> center.changes().sets(client, base));
    }

    private List<ReviewFinding> findings(RuleSet rules, Instant now) {
        Remembered last = remembered;
        if (last != null && last.rules == rules && now.isBefore(last.at.plus(REMEMBERED)) && !now.isBefore(last.at)) {
            return last.findings;
        }
        List<ReviewFinding> findings = SetReview.of(rules, now);
        remembered = new Remembered(rules, now, findings);
        return findings;
    }

    private static List<Rule> put(Edits edits) {
        return edits.list().stream()
                .filter(edit -> edit instanceof Edit.Put)
                .map(edit -> ((Edit.Put) edit).put())
                .toList();
    }

    private static Found found(HttpServletRequest request, Object error) {
        return error instanceof DocumentError located
                ? new Found(
                        located.file(),
                        located.line(),
                        located.column(),
                        ChangeRequest.rule(request, located.file()).orElse(null),
                        located.message())
                : whole(String.valueOf(error));
    }

    private static Found whole(String message) {
        return new Found("edits", 0, 0, null, message);
    }
}
