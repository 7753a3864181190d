package io.sluice.center.govern;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.change.Changes;
import io.sluice.center.database.Database;
import io.sluice.center.dryrun.DryRun;
import io.sluice.center.dryrun.DryRunReply;
import io.sluice.center.dryrun.ExcerptQuestions;
import io.sluice.center.dryrun.TriedChange;
import io.sluice.center.edit.Edits;
import io.sluice.center.fleet.FleetRules;
import io.sluice.center.reach.Coverage;
import io.sluice.center.reach.Visibility;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.release.Reconciler;
import io.sluice.center.version.RulesInForce;
import io.sluice.core.time.Clock;
import io.sluice.rules.adjust.AdjustedRules;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.snapshot.RuleSet;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * Replays recent requests against a change and reports the requests that it would have refused. Stores and logs nothing. A caller
 * who does not see all rules learns only about requests that their own rules apply to. Thread-safe.
 */
public final class ChangeDryRun {

    private final Database database;
    private final Changes changes;
    private final Reconciler reconciler;
    private final RulesInForce rulesInForce;
    private final Clock clock;
    private final RuleGuard guard;
    private final DryRun dryRun;

    ChangeDryRun(
            Database database,
            Changes changes,
            Reconciler reconciler,
            RulesInForce rulesInForce,
            ExcerptQuestions excerpts,
            Clock clock,
            RuleGuard guard) {
        this.database = database;
        this.changes = changes;
        this.reconciler = reconciler;
        this.rulesInForce = rulesInForce;
        this.clock = clock;
        this.guard = guard;
        this.dryRun = new DryRun(excerpts, clock);
    }

    DryRunReply of(Access access, HttpServletRequest request) {
        ChangeRequest asked = ChangeRequest.read(
                request, access, guard, () -> rulesInForce.rules().version());
        Edits edits = asked.edits();
        List<RuleSet> sets = rulesInForce.shown().isPresent()
                ? List.of(rulesInForce.rules(), rulesInForce.rules())
                : database.read(client -> changes.sets(client, asked.base()));
        RuleSet current = sets.get(1);
        RuleGuard.covering(access, Right.EDIT).check(edits, sets);
        List<String> missing = Changes.missing(edits, current);
        if (!missing.isEmpty()) {
            throw RefusedException.unprocessable(missing.get(0), missing);
        }
        requireConfined(access, edits);
        RuleSet seen = new Visibility(access).of(current);
        TriedChange change = new TriedChange(
                adjusted(seen),
                adjusted(new RuleSet(current.version(), edits.applyTo(seen.rules()))),
                touched(edits),
                access.seesAll(),
                access.mayEverywhere(Right.SEE_FLEET));
        return dryRun.of(change)
                .orElseThrow(() -> new ResponseStatusException(
                        HttpStatus.TOO_MANY_REQUESTS,
                        "dry run: that of somebody else is under way (expected: try again in some seconds)"));
    }

    /**
     * Refuses rules that apply to requests of other tenants, because their result would reveal the traffic of these tenants even
     * without a release.
     */
    private static void requireConfined(Access access, Edits edits) {
        if (!access.seesAll()) {
            Coverage.unconfined(access, edits).ifPresent(rule -> {
                throw RefusedException.forbidden("rule " + rule.id()
                        + ": could act on requests of other tenants, so you cannot try it (expected: match: {tenant: "
                        + rule.about().tenant().orElse("your tenant")
                        + "} in a rule that limits or denies requests, or the right to read all rules)");
            });
        }
    }

    private RuleSet adjusted(RuleSet set) {
        FleetRules known = rulesInForce.shown().isPresent() ? FleetRules.NONE : reconciler.rules();
        Adjustments adjustments = known.adjustments();
        return adjustments.isEmpty()
                ? set
                : AdjustedRules.of(set, adjustments, Instant.ofEpochMilli(clock.epochMicros() / 1_000))
                        .rules();
    }

    private static Set<String> touched(Edits edits) {
        Set<String> touched = new HashSet<>();
        edits.list().forEach(edit -> touched.add(edit.rule()));
        return touched;
    }
}
