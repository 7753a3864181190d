package io.sluice.replay.run;

import io.sluice.core.local.LocalEngine;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.log.LoggedRequest;
import io.sluice.replay.run.Differences.RuleDifference;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs the requests of logs through one or two sets of rules. Used once, by one thread. The same logs and rules give the same result.
 *
 * <p>Every rule is decided in process, independent of its mode, as if one process had served all requests. So the result is the same as
 * with {@code mode: distributed} and a store that always answers.
 */
public final class Replay {

    private static final int PROGRESS_EVERY = 4_096;
    private static final Comparison NOBODY = (request, now, other) -> {};

    private final RuleSet rules;
    private final @Nullable RuleSet other;
    private final long maxKeys;
    private final RulingObserver observer;
    private final boolean prepares;

    private long fromMicros = Long.MIN_VALUE;
    private long toMicros = Long.MAX_VALUE;
    private long outside;
    private Comparison comparison = NOBODY;

    private long bothAllow;
    private long bothRefuse;
    private long newlyRefused;
    private long newlyAllowed;
    private final Map<String, long[]> byRule = new TreeMap<>();

    /** Receives the progress of the replay from time to time. */
    @FunctionalInterface
    public interface Progress {
        void at(long requests, LogReader log);
    }

    /** Receives the outcome of each request under both sets of rules. */
    @FunctionalInterface
    public interface Comparison {
        void compared(LoggedRequest request, Outcome now, Outcome other);
    }

    /**
     * Creates a replay.
     *
     * @param other the rules to compare with; null for none
     * @param maxKeys the number of callers that have counts of their own, over all limits; usually {@link LocalEngine#DEFAULT_MAX_KEYS}
     */
    public Replay(RuleSet rules, @Nullable RuleSet other, long maxKeys) {
        this(rules, other, maxKeys, RulingObserver.NONE, true);
    }

    /**
     * Creates a replay with an observer.
     *
     * @param observer receives the rulings of {@code rules}
     */
    public Replay(RuleSet rules, @Nullable RuleSet other, long maxKeys, RulingObserver observer) {
        this(rules, other, maxKeys, observer, false);
    }

    /** @param prepares whether requests are {@linkplain PreparedRules prepared} if possible; an observer does not see prepared requests */
    Replay(RuleSet rules, @Nullable RuleSet other, long maxKeys, RulingObserver observer, boolean prepares) {
        this.rules = rules;
        this.other = other;
        this.maxKeys = maxKeys;
        this.observer = observer;
        this.prepares = prepares;
    }

    /** Leaves out requests before and after these times; {@link #outside} returns their number. Returns this. */
    public Replay within(long earliestMicros, long latestMicros) {
        this.fromMicros = earliestMicros;
        this.toMicros = latestMicros;
        return this;
    }

    /** Reports the outcome of each request under both sets of rules to the listener. Returns this. */
    public Replay comparing(Comparison listener) {
        this.comparison = listener;
        return this;
    }

    /** Returns the number of requests that were left out because of their time. */
    public long outside() {
        return outside;
    }

    /** Returns the attributes that a log should have for these rules. */
    public Set<String> attributes() {
        Set<String> names = new LinkedHashSet<>();
        names.add("ip");
        add(rules, names);
        if (other != null) {
            add(other, names);
        }
        return names;
    }

    private static void add(RuleSet set, Set<String> names) {
        for (Rule rule : set.rules()) {
            if (rule.enabled()) {
                names.addAll(rule.attributes());
                if (rule.scope().service() != null) {
                    names.add("service");
                }
            }
        }
    }

    /** Replays all requests of the log. */
    public ReplayResult run(LogReader log, Progress progress) throws IOException {
        LoggedRequest request = next(log);
        LogClock clock = new LogClock(request == null ? 0 : request.atMicros());
        boolean prepared = prepares && comparison == NOBODY;
        RuleRun run = new RuleRun(rules, maxKeys, clock, observer, prepared);
        RuleRun otherRun = other == null
                ? null
                : new RuleRun(other, maxKeys, new LogClock(clock.epochMicros()), RulingObserver.NONE, prepared);
        long requests = 0;
        long first = clock.epochMicros();
        long last = first;
        while (request != null) {
            last = request.atMicros();
            boolean passes = run.decide(request);
            if (otherRun != null) {
                compare(passes, run, otherRun.decide(request), otherRun);
                comparison.compared(request, run.outcome(), otherRun.outcome());
            }
            if (++requests % PROGRESS_EVERY == 0) {
                progress.at(requests, log);
            }
            request = next(log);
        }
        progress.at(requests, log);
        return new ReplayResult(
                requests,
                first,
                last,
                LogSummary.of(log),
                run.result(),
                otherRun == null ? Optional.empty() : Optional.of(differences(otherRun)));
    }

    private @Nullable LoggedRequest next(LogReader log) throws IOException {
        LoggedRequest request = log.next();
        while (request != null && (request.atMicros() < fromMicros || request.atMicros() > toMicros)) {
            outside++;
            request = log.next();
        }
        return request;
    }

    private void compare(boolean passes, RuleRun run, boolean otherPasses, RuleRun otherRun) {
        if (passes == otherPasses) {
            bothAllow += passes ? 1 : 0;
            bothRefuse += passes ? 0 : 1;
        } else if (passes) {
            newlyAllowed++;
            difference(otherRun.refusedBy())[1]++;
        } else {
            newlyRefused++;
            difference(run.refusedBy())[0]++;
        }
    }

    private long[] difference(@Nullable String rule) {
        return byRule.computeIfAbsent(rule == null ? "" : rule, any -> new long[2]);
    }

    private Differences differences(RuleRun otherRun) {
        List<RuleDifference> differing = new ArrayList<>();
        byRule.forEach((rule, counts) -> differing.add(new RuleDifference(rule, counts[0], counts[1])));
        return new Differences(otherRun.result(), bothAllow, bothRefuse, newlyRefused, newlyAllowed, differing);
    }
}
