package io.sluice.center.web;

import io.sluice.center.adjust.AdjustmentBook;
import io.sluice.center.alert.Alerts;
import io.sluice.center.approval.SettingsBook;
import io.sluice.center.audit.AuditMemory;
import io.sluice.center.callers.CallersParts;
import io.sluice.center.change.Changes;
import io.sluice.center.checkpoint.Checkpoints;
import io.sluice.center.command.AnsweredRequests;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.decisions.Decisions;
import io.sluice.center.durable.DurableBook;
import io.sluice.center.erase.Erasures;
import io.sluice.center.explain.ExplainParts;
import io.sluice.center.export.AuditExport;
import io.sluice.center.fleet.FleetRules;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.RuleFeed;
import io.sluice.center.people.People;
import io.sluice.center.release.Reconciler;
import io.sluice.center.release.Releases;
import io.sluice.center.retention.Retention;
import io.sluice.center.series.SeriesSource;
import io.sluice.center.sink.AuditSinks;
import io.sluice.center.traffic.Traffic;
import io.sluice.center.version.ForeignRules;
import io.sluice.center.version.RulesInForce;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import java.util.ArrayList;
import java.util.List;
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

    /** Returns the parts that the API uses, each of which is a bean of the web application. */
    List<Object> beans() {
        RulesInForce rules = new RulesInForce(database, versions, shown);
        List<Object> beans = new ArrayList<>(List.of(
                database,
                versions,
                changes,
                releases,
                adjustments,
                reconciler,
                nodes,
                feed,
                log,
                audit,
                checkpoints,
                sinks,
                erasures,
                retention,
                traffic,
                traffic.stream(),
                traffic.excerpts(),
                alerts,
                rules,
                new SettingsBook(People.of(database, log, clock), changes.approvals()),
                new SeriesSource(traffic.series(), traffic::rules, clock),
                callers(),
                explanations(rules),
                new Decisions(traffic.decisions(), traffic::rules),
                new DurableBook(database, clock),
                new AuditExport(database, clock),
                new AnsweredRequests(database),
                problems()));
        shown.ifPresent(beans::add);
        return beans;
    }

    private StatusProblems problems() {
        return new StatusProblems(List.of(
                () -> audit.problem().stream().toList(),
                checkpoints::problems,
                sinks::problems,
                erasures::problems,
                () -> retention.problem().stream().toList(),
                traffic::problems,
                alerts::problems));
    }

    /** Returns the parts that the API of refused callers uses. */
    private CallersParts callers() {
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
    private ExplainParts explanations(RulesInForce rules) {
        return new ExplainParts(
                traffic.questions(),
                () -> {
                    FleetRules known = shown.isPresent() ? FleetRules.NONE : reconciler.rules();
                    return new FleetRules(rules.rules(), known.trial(), known.adjustments());
                },
                clock);
    }
}
