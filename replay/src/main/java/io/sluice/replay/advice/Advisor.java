package io.sluice.replay.advice;

import io.sluice.replay.advice.RefusalMeter.Refusals;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.report.Findings;
import io.sluice.replay.report.ReportTime;
import io.sluice.replay.run.Replay;
import io.sluice.replay.run.ReplayResult;
import io.sluice.replay.run.RuleResult;
import io.sluice.replay.run.RulingObserver;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleDocument.Accepted;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the numbers that the limits of a rule set need for the traffic of a log. Used once, by one thread.
 *
 * <p>Each limit is measured as if it were alone: on all requests that its rule applies to, none of which is refused. The measurement gives
 * for each caller the smallest number that refuses none of its requests, and the goal determines how many callers may need more. Then the
 * suggested rules are replayed together, and this replay gives the refusals. A request that another limit refuses charges nothing, so
 * limits together never refuse more callers than each alone.
 *
 * <p>The log is read twice; four times if there are buckets, whose rates are chosen first; and up to {@value RequestSearch#MOST_PASSES}
 * times more for a share of requests. Memory does not depend on its length: 32 to 64 bytes for each of at most {@value #MOST_CALLERS}
 * callers, and the memory of a replay.
 */
public final class Advisor {

    private static final long MOST_CALLERS = 4_000_000;

    private final RuleSet set;
    private final AdviceGoal goal;
    private final long maxKeys;
    private final CallerTable.Room room = new CallerTable.Room(MOST_CALLERS);
    private final Map<String, LimitCase> cases = new LinkedHashMap<>();
    private final List<String> findings = new ArrayList<>();
    private int passes;

    /** Opens the same logs, once for each pass. */
    @FunctionalInterface
    public interface Logs {
        LogReader open() throws IOException;
    }

    /**
     * Creates an advisor.
     *
     * @param maxKeys the number of callers that have counts of their own, as in a {@link Replay}
     */
    public Advisor(RuleSet set, AdviceGoal goal, long maxKeys) {
        this.set = set;
        this.goal = goal;
        this.maxKeys = maxKeys;
        for (Rule rule : set.rules()) {
            for (int i = 0; i < rule.limits().size(); i++) {
                LimitCase limit = new LimitCase(rule, i, room);
                cases.put(limit.id(), limit);
            }
        }
    }

    /** Returns the attributes that a log should have for the rules. */
    public Set<String> attributes() {
        return new Replay(set, null, maxKeys).attributes();
    }

    public Advice advise(Logs logs, Replay.Progress progress) throws IOException {
        NeedMeter needs = new NeedMeter(cases, false);
        RateMeter coarse = RateMeter.coarse(cases);
        ReplayResult log = pass(logs, progress, (request, ruling) -> {
            needs.settled(request, ruling);
            coarse.settled(request, ruling);
        });
        inexact(log);
        cases.values().forEach(limit -> limit.judge(log, goal.spanMicros()));
        if (cases.values().stream().anyMatch(limit -> limit.isAdvised() && limit.isBucket())) {
            RateMeter fine = coarse.fine(cases, goal);
            pass(logs, progress, fine);
            fine.choose(goal);
            pass(logs, progress, new NeedMeter(cases, true));
        }
        choose(logs, progress);
        String document = new AdviceDocument(goal, log, cases).text(set);
        RuleSet suggested = parsed(document);
        RefusalMeter refusals = new RefusalMeter(suggested, cases, goal.headroom(), new CallerTable.Room(MOST_CALLERS));
        ReplayResult result = read(logs, progress, new Replay(suggested, set, maxKeys, refusals));
        List<LimitAdvice> limits =
                cases.values().stream().map(limit -> advice(limit, refusals)).toList();
        if (result.requests() != log.requests()) {
            findings.add("The logs changed while they were read: " + ReportTime.count(log.requests())
                    + " requests, then " + ReportTime.count(result.requests()) + ". Use logs that are complete.");
        }
        limits.forEach(this::check);
        findings.addAll(Findings.of(result));
        return new Advice(goal, limits, document, result, findings, passes);
    }

    private ReplayResult pass(Logs logs, Replay.Progress progress, RulingObserver observer) throws IOException {
        return read(logs, progress, new Replay(OpenRules.of(set, cases), null, maxKeys, observer));
    }

    private ReplayResult read(Logs logs, Replay.Progress progress, Replay replay) throws IOException {
        passes++;
        try (LogReader log = logs.open()) {
            return replay.run(log, progress);
        }
    }

    /** Chooses the number of each limit. */
    private void choose(Logs logs, Replay.Progress progress) throws IOException {
        cases.values().stream()
                .filter(limit -> limit.isAdvised() && limit.needs.size() == 0)
                .forEach(limit -> limit.kept = "the logs changed while they were read");
        RequestSearch search =
                goal.requests().isPresent() ? new RequestSearch(goal.requests().get(), maxKeys, cases) : null;
        for (int i = 0; search != null && i < RequestSearch.MOST_PASSES && search.isOpen(); i++) {
            RequestSearch.Trial trial = search.trial(cases);
            pass(logs, progress, trial);
            trial.end();
        }
        if (search != null && search.isInexact()) {
            findings.add("The numbers for a share of requests are not exact, because callers shared counts."
                    + " More --max-keys make them exact.");
        }
        for (LimitCase limit : cases.values()) {
            if (limit.isAdvised()) {
                limit.number = number(limit, search == null ? null : search.number(limit));
                outliers(limit);
            }
        }
    }

    private long number(LimitCase limit, @Nullable Long byRequests) {
        long[] needs = limit.needs.descending();
        long byCallers = -1;
        if (goal.callers().isPresent() || byRequests == null) {
            long out = goal.callers().map(share -> share.of(needs.length)).orElse(0L);
            long need = needs[(int) Math.min(out, needs.length - 1)];
            byCallers = LimitNumbers.number(limit.needed(), need, limit.mostPermits);
        }
        if (goal.requests().isPresent() && limit.own.limit().kind().holds()) {
            findings.add(
                    limit.id() + ": a share of requests is not found for concurrency limits. The number is for the "
                            + (goal.callers().isPresent() ? "share of callers." : "peak, and refuses nobody."));
        }
        return Math.max(byCallers, byRequests == null ? -1 : byRequests);
    }

    /** Adds a finding if a few callers need far more than all others and so determine the number. */
    private void outliers(LimitCase limit) {
        long[] needs = limit.needs.descending();
        long set = LimitNumbers.need(limit.needed(), limit.number);
        for (int few = Math.max(1, needs.length / 10); few > 0; few--) {
            if (few < needs.length && needs[few - 1] >= 3 * needs[few] && set > needs[few] && needs[few - 1] <= set) {
                BigDecimal share = BigDecimal.valueOf(100L * few)
                        .divide(BigDecimal.valueOf(needs.length), 2, RoundingMode.CEILING)
                        .stripTrailingZeros();
                findings.add(limit.id() + ": " + few + " of " + ReportTime.count(needs.length) + " callers "
                        + (few == 1 ? "needs " : "need ") + needs[few - 1] + " or more, the others at most "
                        + needs[few]
                        + ". --refuse-callers " + share.toPlainString() + "% leaves " + (few == 1 ? "it" : "them")
                        + " out.");
                return;
            }
        }
    }

    private static RuleSet parsed(String document) {
        RuleDocument parsed = RuleDocument.parse("suggestion", document);
        if (parsed instanceof Accepted accepted) {
            return new RuleSet(1, accepted.rules());
        }
        throw new IllegalStateException("the suggestion would be refused: " + parsed);
    }

    private LimitAdvice advice(LimitCase limit, RefusalMeter refusals) {
        Refusals own = refusals.of(limit);
        return new LimitAdvice(
                limit.rule,
                limit.own,
                Optional.ofNullable(limit.kept),
                limit.needed(),
                limit.suggested(goal.headroom()),
                limit.requests,
                limit.needs.size(),
                limit.needs.isPartial(),
                own.refused,
                own.callersRefused(),
                own.setters(),
                own.leftOut());
    }

    private void inexact(ReplayResult log) {
        for (RuleResult rule : log.set().rules()) {
            rule.inexact()
                    .ifPresent(from -> findings.add(
                            "The numbers of rule " + rule.rule().id() + " are not exact from " + from.from()
                                    + " on, because callers share counts. More --max-keys make them exact."));
        }
    }

    /** Adds a finding if the replay of the suggested rules misses the goal. */
    private void check(LimitAdvice limit) {
        boolean requests = goal.requests()
                .filter(share -> limit.refused() > share.of(limit.requests()))
                .isPresent();
        boolean callers = goal.callers()
                .filter(share -> !limit.today().by().isEmpty() && limit.callersRefused() > share.of(limit.callers()))
                .isPresent();
        if (limit.kept().isEmpty() && (requests || callers)) {
            findings.add(limit.today().id() + ": the suggested number refuses more than " + goal.words() + ".");
        }
        if (limit.callersAtLeast()) {
            findings.add(
                    limit.today().id() + ": more callers than fit into memory; those beyond share one number, so it"
                            + " may be too high.");
        }
    }
}
