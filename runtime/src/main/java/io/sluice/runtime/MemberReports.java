package io.sluice.runtime;

import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.Clock;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RefusedSet;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.fleet.LimiterHealth;
import io.sluice.runtime.fleet.LimiterHealth.OnFailure;
import io.sluice.runtime.fleet.NodeAnswers;
import io.sluice.runtime.fleet.NodeData;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.NodeReport.Breaker;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.NodeReport.Mode;
import io.sluice.runtime.fleet.NodeReport.Refusal;
import io.sluice.runtime.fleet.RulesInForce;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The reports of this process to its center: the rules that its decisions follow and since when, the rules that it refused, and how it
 * decides. Thread-safe.
 */
public final class MemberReports implements LongFunction<NodeReport> {

    private static final String PROGRAM = Optional.ofNullable(
                    MemberReports.class.getPackage().getImplementationVersion())
            .orElse("development");

    private final String nodeId;
    private final Kind kind;
    private final String name;
    private final Clock clock;
    private final long startedMillis;
    private final Supplier<Optional<RefusedSet>> refused;
    private final StoreWatch store;
    private final Supplier<List<String>> findings;
    private final boolean follows;
    private final Tallies tallies;

    /** The rules in force, and since when they are. */
    private volatile Applied applied = new Applied(RuleSet.none(), 0, OnFailure.NONE);

    /** The mode in the last report, followed by the time of its start. Guarded by this. */
    private @Nullable Mode lastMode;

    private long modeSinceMillis;

    private record Applied(RuleSet rules, long atMillis, OnFailure onFailure) {}

    private MemberReports(
            String nodeId,
            Kind kind,
            String name,
            Clock clock,
            Supplier<Optional<RefusedSet>> refused,
            StoreWatch store,
            Supplier<List<String>> findings,
            boolean follows,
            Tallies tallies) {
        this.nodeId = nodeId;
        this.kind = kind;
        this.name = name;
        this.clock = clock;
        this.startedMillis = millis(clock);
        this.refused = refused;
        this.store = store;
        this.findings = findings;
        this.follows = follows;
        this.tallies = tallies;
    }

    /**
     * Creates the reports of a process.
     *
     * @param name the name of the process for people
     * @param rules the rules that its decisions follow
     * @param findings returns the problems of the process, as sentences
     * @param tallies the counts of the process
     */
    public static MemberReports of(
            String nodeId,
            Kind kind,
            String name,
            OpenRules rules,
            StoreWatch store,
            Supplier<List<String>> findings,
            Tallies tallies,
            Clock clock) {
        return of(
                nodeId,
                kind,
                name,
                rules.source(),
                rules::refusedSet,
                store,
                findings,
                rules.follows(),
                tallies,
                clock);
    }

    static MemberReports of(
            String nodeId,
            Kind kind,
            String name,
            RuleSource rules,
            Supplier<Optional<RefusedSet>> refused,
            StoreWatch store,
            Supplier<List<String>> findings,
            boolean follows,
            Tallies tallies,
            Clock clock) {
        MemberReports reports =
                new MemberReports(nodeId, kind, name, clock, refused, store, findings, follows, tallies);
        // A set is in force before its listeners are notified, so no report names rules that are not in force.
        rules.listen(new RuleListener() {
            @Override
            public void changed(RuleSet set) {
                Applied before = reports.applied;
                // Adjustments and trials may change while the same version stays in force.
                boolean same = before.rules.version() == set.version()
                        && before.rules.stamp().equals(set.stamp());
                reports.applied =
                        new Applied(set, same && before.atMillis > 0 ? before.atMillis : millis(clock), onFailure(set));
            }

            @Override
            public void refused(List<DocumentError> errors) {
                // Each report reads the refused rules itself.
            }
        });
        return reports;
    }

    @Override
    public NodeReport apply(long beat) {
        Applied now = applied;
        // Rules that stand in for missing ones have version 0.
        boolean has = now.rules.version() > 0;
        Mode mode = mode();
        return new NodeReport(
                new NodeIdentity(nodeId, kind, name, PROGRAM, startedMillis),
                beat,
                new RulesInForce(
                        now.rules.version(),
                        has ? now.rules.digest() : "",
                        has ? now.atMillis : 0,
                        refused.get().map(MemberReports::refusal),
                        follows,
                        now.rules.adjustments()),
                new NodeHealth(
                        mode,
                        breaker(),
                        findings.get(),
                        Optional.of(new LimiterHealth(since(mode), store.lately(), now.onFailure))),
                NodeAnswers.NONE,
                new NodeData(tallies.all(), tallies.trial(), Optional.empty()));
    }

    /** The policy that decides instead of the store depends on the requests of the moment, so another policy does not restart the time. */
    private synchronized long since(Mode mode) {
        Mode before = lastMode;
        lastMode = mode;
        if (before == null) {
            modeSinceMillis = startedMillis;
        } else if ((before == Mode.REMOTE) != (mode == Mode.REMOTE)) {
            long now = millis(clock);
            long earliest = modeSinceMillis;
            modeSinceMillis = store.awaySince()
                    .map(Instant::toEpochMilli)
                    .filter(at -> mode != Mode.REMOTE && at >= earliest && at <= now)
                    .orElse(now);
        }
        return modeSinceMillis;
    }

    private static OnFailure onFailure(RuleSet rules) {
        Map<FailurePolicy, Integer> counts = new EnumMap<>(FailurePolicy.class);
        for (Rule rule : rules.rules()) {
            if (rule.enabled()) {
                boolean isLocal = rule.handling().mode() == io.sluice.rules.model.Mode.LOCAL;
                counts.merge(isLocal ? FailurePolicy.LOCAL : rule.handling().onFailure(), 1, Integer::sum);
            }
        }
        return new OnFailure(
                counts.getOrDefault(FailurePolicy.OPEN, 0),
                counts.getOrDefault(FailurePolicy.LOCAL, 0),
                counts.getOrDefault(FailurePolicy.CLOSED, 0));
    }

    private static Refusal refusal(RefusedSet set) {
        List<String> errors = set.errors().stream().map(DocumentError::toString).toList();
        return set.stamp()
                .map(stamp -> new Refusal(stamp.version(), stamp.digest(), errors))
                .orElseGet(() -> new Refusal(0, "", errors));
    }

    /** Returns the mode. Of several policies that decided lately instead of the store, the strictest one counts. */
    private Mode mode() {
        if (!store.exists()) {
            return Mode.LOCAL;
        }
        if (store.degraded() == null) {
            return Mode.REMOTE;
        }
        if (store.stoodIn(FailurePolicy.CLOSED)) {
            return Mode.CLOSED;
        }
        return store.stoodIn(FailurePolicy.OPEN) && !store.stoodIn(FailurePolicy.LOCAL) ? Mode.OPEN : Mode.LOCAL;
    }

    private Breaker breaker() {
        if (!store.exists()) {
            return Breaker.NONE;
        }
        return store.isAway() ? Breaker.OPEN : Breaker.CLOSED;
    }

    private static long millis(Clock clock) {
        return clock.epochMicros() / 1_000;
    }
}
