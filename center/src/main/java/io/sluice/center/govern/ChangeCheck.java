package io.sluice.center.govern;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.approval.Standing;
import io.sluice.center.change.Changes;
import io.sluice.center.database.Database;
import io.sluice.center.edit.ChangeReview;
import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.center.govern.reply.CheckReply;
import io.sluice.center.govern.reply.CheckReply.Found;
import io.sluice.center.http.Turns;
import io.sluice.center.reach.Visibility;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.signin.RefusedRequests;
import io.sluice.center.version.RulesInForce;
import io.sluice.core.time.Clock;
import io.sluice.rules.model.Rule;
import io.sluice.rules.review.ReviewFinding;
import io.sluice.rules.review.SetReview;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.yaml.DocumentError;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * Checks the effect of a change while a person writes it. Stores nothing. Errors in the rules are part of the reply instead of a
 * refusal, because an unfinished text has errors most of the time. Thread-safe.
 */
public final class ChangeCheck {

    /** The time for which findings are remembered. Overrides end with time, so findings do not stay true. */
    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    private static final int MOST_AT_ONCE = 4;
    private static final int MOST_WAITING = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Database database;
    private final Changes changes;
    private final RulesInForce rulesInForce;
    private final Clock clock;
    private final RuleGuard guard;
    private final RefusedRequests requests;

    /** Bounds parallel checks, because a check of many rules takes a while. */
    private final Turns turns = new Turns(MOST_AT_ONCE, MOST_WAITING, PATIENCE);

    /** The last review of all rules in force. It takes as long as the review of the result. */
    private volatile @Nullable Remembered remembered;

    private record Remembered(RuleSet rules, Instant at, List<ReviewFinding> findings) {}

    ChangeCheck(
            Database database,
            Changes changes,
            RulesInForce rulesInForce,
            Clock clock,
            RuleGuard guard,
            RefusedRequests requests) {
        this.database = database;
        this.changes = changes;
        this.rulesInForce = rulesInForce;
        this.clock = clock;
        this.guard = guard;
        this.requests = requests;
    }

    CheckReply of(Access access, HttpServletRequest request) {
        return turns.take(
                () -> check(access, request),
                () -> new ResponseStatusException(
                        HttpStatus.TOO_MANY_REQUESTS,
                        "check: changes of others are being checked (expected: try again in a second)"));
    }

    private CheckReply check(Access access, HttpServletRequest request) {
        long current = rulesInForce.rules().version();
        try {
            ChangeRequest asked = ChangeRequest.read(request, access, guard, () -> current);
            return check(access, request, asked.base(), asked.edits());
        } catch (RefusedException e) {
            if (e.why() == RefusedException.Why.UNPROCESSABLE && e.details().get("errors") instanceof List<?> errors) {
                Function<String, Optional<String>> ids = ChangeRequest.ids(request);
                return CheckReply.refused(
                        current, errors.stream().map(each -> found(ids, each)).toList());
            }
            throw e;
        }
    }

    private CheckReply check(Access access, HttpServletRequest request, long base, Edits edits) {
        List<RuleSet> sets = sets(base);
        RuleSet current = sets.get(1);
        try {
            RuleGuard.covering(access, Right.EDIT).check(edits, sets);
        } catch (RefusedException e) {
            // A person who starts to write a rule has not yet written its owner, and that is not an attempt to break
            // in. It may be one if the rule would be allowed, but has the id of another owner's rule.
            if (!access.mayEverywhere(Right.EDIT) && takesForeignId(access, edits, sets)) {
                requests.forbidden(request, String.valueOf(e.getMessage()));
            }
            return CheckReply.refused(base, List.of(whole(String.valueOf(e.getMessage()))));
        }
        List<String> missing = Changes.missing(edits, current);
        if (!missing.isEmpty()) {
            return CheckReply.refused(
                    base, missing.stream().map(ChangeCheck::whole).toList());
        }
        Instant now = Instant.ofEpochMilli(clock.epochMicros() / 1000);
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
        Standing standing = database.read(client -> changes.standing(client, current, after));
        return CheckReply.of(base, guard.confined(access, edits, review), standing, after.digest(), put(edits));
    }

    private static boolean takesForeignId(Access access, Edits edits, List<RuleSet> sets) {
        return put(edits).stream().filter(rule -> access.may(Right.EDIT, rule)).anyMatch(rule -> sets.stream()
                .flatMap(set -> set.rule(rule.id()).stream())
                .anyMatch(old -> !access.may(Right.EDIT, old)));
    }

    private List<RuleSet> sets(long base) {
        return rulesInForce.shown().isPresent()
                ? List.of(rulesInForce.rules(), rulesInForce.rules())
                : database.read(client -> changes.sets(client, base));
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

    private static Found found(Function<String, Optional<String>> ids, Object error) {
        return error instanceof DocumentError located
                ? new Found(
                        located.file(),
                        located.line(),
                        located.column(),
                        ids.apply(located.file()).orElse(null),
                        located.message())
                : whole(String.valueOf(error));
    }

    private static Found whole(String message) {
        return new Found("edits", 0, 0, null, message);
    }
}
