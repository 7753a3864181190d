package io.sluice.center.web;

import io.sluice.center.adjust.AdjustmentBook;
import io.sluice.center.alert.Alerts;
import io.sluice.center.audit.AuditMemory;
import io.sluice.center.callers.CallersParts;
import io.sluice.center.change.Changes;
import io.sluice.center.checkpoint.Checkpoints;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.erase.Erasures;
import io.sluice.center.explain.ExplainParts;
import io.sluice.center.fleet.FleetRules;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.RuleFeed;
import io.sluice.center.release.Reconciler;
import io.sluice.center.release.Releases;
import io.sluice.center.retention.Retention;
import io.sluice.center.series.SeriesSource;
import io.sluice.center.sink.AuditSinks;
import io.sluice.center.traffic.Traffic;
import io.sluice.center.version.ForeignRules;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import java.util.Optional;

/**
 * The parts of a center that its API uses.
 *
 * @param shown rules that the center shows in place of its own; if present, the center changes nothing
 */
public record CenterParts(
        Database database,
        Versions versions,
        Changes changes,
        Releases releases,
        AdjustmentBook adjustments,
        Reconciler reconciler,
        LiveNodes nodes,
        RuleFeed feed,
        CommandLog log,
        AuditMemory audit,
        Checkpoints checkpoints,
        AuditSinks sinks,
        Erasures erasures,
        Retention retention,
        Traffic traffic,
        Alerts alerts,
        Clock clock,
        Optional<ForeignRules> shown) {

    /** Returns the rules in force. */
    RuleSet rules() {
        return shown.map(foreign -> foreign.rules().get()).orElseGet(() -> database.read(versions::latestRules));
    }

    /** Returns the parts that the API of traffic uses. */
    SeriesSource seriesSource() {
        return new SeriesSource(traffic.series(), traffic::rules, clock);
    }

    /** Returns the parts that the API of refused callers uses. */
    CallersParts callers() {
        return new CallersParts(
                traffic.callers(),
                traffic.questions(),
                adjustments,
                database,
                log,
                clock,
                traffic::rules,
                traffic::unreportedRefusals);
    }

    /** Returns the parts that explanations use. */
    ExplainParts explanations() {
        return new ExplainParts(
                traffic.questions(),
                () -> {
                    FleetRules known = shown.isPresent() ? FleetRules.NONE : reconciler.rules();
                    return new FleetRules(rules(), known.trial(), known.adjustments());
                },
                clock);
    }

    /** Returns the number of live nodes that take released rules. */
    int followers() {
        return nodes.followers().size();
    }

    /** Returns the number of these nodes that have a revision of the adjustments. */
    int appliedBy(long revision) {
        return (int) nodes.followers().stream()
                .filter(node -> node.report().rules().adjustments() >= revision)
                .count();
    }
}
