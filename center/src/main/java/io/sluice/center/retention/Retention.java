package io.sluice.center.retention;

import io.sluice.center.audit.AuditSeal;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.duty.Duty;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.personal.AgingData;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.witness.WitnessReport;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes old data, once an hour, in small transactions: one for each turn, until nothing is left to remove. Among several centers, only
 * the leader removes data; two that do so at the same time do no harm. An interrupted turn is repeated. If data cannot be removed, the next
 * attempt follows soon, so that a solved problem is not reported for an hour. Used by the thread of the reconciler; {@link #problem} and
 * {@link #kinds} are thread-safe.
 */
public final class Retention implements Duty {

    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);
    private static final Duration EVERY = Duration.ofHours(1);
    private static final Duration AGAIN = Duration.ofSeconds(10);

    private final Database database;
    private final CommandLog log;
    private final Clock clock;
    private final RetentionSettings settings;
    private final OldRows rows;
    private final AuditPruning audit;
    private final Supplier<RuleSet> rules;
    private Optional<String> told = Optional.empty();

    /** The next step of the current round; {@link Step#WAIT} if no round is running. */
    private Step step = Step.WAIT;

    private long nextNanos;

    private enum Step {
        WAIT,
        ROWS,
        AUDIT
    }

    /**
     * Creates the duty.
     *
     * @param data the data of all concepts that is no longer needed after some time
     * @param seal signs that rows of the audit log were pruned
     * @param witnesses returns the nodes' reports about the audit log, by the names of the nodes
     * @param fault returns the fault of the audit log that this machine knows
     * @param rules returns the rules in force
     */
    public Retention(
            Database database,
            CommandLog log,
            Clock clock,
            RetentionSettings settings,
            List<AgingData> data,
            AuditSeal seal,
            Supplier<Map<String, WitnessReport>> witnesses,
            Supplier<Optional<String>> fault,
            Supplier<RuleSet> rules) {
        this.database = database;
        this.log = log;
        this.clock = clock;
        this.settings = settings;
        this.rules = rules;
        this.rows = new OldRows(settings, data);
        this.audit =
                new AuditPruning(database, log, clock, settings.of(RetentionSettings.AUDIT), seal, witnesses, fault);
        this.nextNanos = clock.nanoTime();
    }

    /** Returns the nodes' reports about the audit log, by the names of the nodes. */
    public static Map<String, WitnessReport> witnesses(LiveNodes nodes) {
        Map<String, WitnessReport> said = new LinkedHashMap<>();
        nodes.all().forEach(node -> node.report()
                .answers()
                .witness()
                .ifPresent(report -> said.put(node.report().node(), report)));
        return said;
    }

    /** Returns all kinds of data, with the times that this center uses. */
    public List<DataKind> kinds() {
        return DataKinds.of(settings, rules.get());
    }

    /** Returns the reason why data cannot be removed; empty if it can. */
    public Optional<String> problem() {
        return audit.problem();
    }

    @Override
    public void turn(boolean leads) {
        if (!leads) {
            step = Step.WAIT;
            return;
        }
        switch (step) {
            case WAIT -> {
                if (clock.nanoTime() - nextNanos >= 0) {
                    nextNanos = clock.nanoTime() + EVERY.toNanos();
                    step = Step.ROWS;
                }
            }
            case ROWS -> {
                if (!removeRows()) {
                    step = Step.AUDIT;
                }
            }
            case AUDIT -> {
                if (audit.prune() == 0) {
                    step = Step.WAIT;
                    if (audit.problem().isPresent()) {
                        nextNanos = clock.nanoTime() + AGAIN.toNanos();
                    }
                }
                tell();
            }
        }
    }

    /** Removes some old rows. Returns whether there may be more. */
    boolean removeRows() {
        long now = clock.epochMicros() / 1000;
        boolean hasMore = database.write(client -> rows.removeFigures(client, now));
        Map<String, Long> removed = database.write(client -> {
            rows.removeExpired(client, now);
            Map<String, Long> counts = rows.remove(client, now);
            if (!counts.isEmpty()) {
                var unused = log.add(client, Actor.CENTER, new Command.Act("prune", "", counts));
            }
            return counts;
        });
        if (!removed.isEmpty()) {
            LOG.info("old data was removed: {}", removed);
        }
        return hasMore || !removed.isEmpty();
    }

    private void tell() {
        Optional<String> problem = audit.problem();
        if (!problem.equals(told)) {
            problem.ifPresent(LOG::error);
        }
        told = problem;
    }
}
