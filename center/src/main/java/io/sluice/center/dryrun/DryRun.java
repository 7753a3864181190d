package io.sluice.center.dryrun;

import io.sluice.center.audit.NodeText;
import io.sluice.center.dryrun.DryRunReply.Minute;
import io.sluice.center.dryrun.DryRunReply.Nodes;
import io.sluice.center.dryrun.DryRunReply.RefusedCaller;
import io.sluice.center.dryrun.DryRunReply.TriedRule;
import io.sluice.center.dryrun.ExcerptQuestions.Answer;
import io.sluice.center.dryrun.ExcerptQuestions.Answers;
import io.sluice.core.time.Clock;
import io.sluice.replay.log.LogFormat;
import io.sluice.replay.log.LogInput;
import io.sluice.replay.log.LogOptions;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.run.Differences;
import io.sluice.replay.run.Differences.RuleDifference;
import io.sluice.replay.run.Outcome;
import io.sluice.replay.run.Replay;
import io.sluice.replay.run.ReplayResult;
import io.sluice.replay.run.RuleResult;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.model.Rule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tries a change on the requests that all nodes recorded recently. Nodes share counts, so the requests of all nodes are merged by time and
 * run through both sets of rules as if one process had served them. Results of single nodes could not be added up. Thread-safe.
 */
public final class DryRun {

    /** The period of the recorded requests that are requested from nodes. */
    public static final Duration WINDOW = Duration.ofHours(1);

    /** The accepted difference between clocks: requests of a node whose clock is ahead may seem to come from the future. */
    private static final long CLOCKS_DIFFER_MICROS = TimeUnit.MINUTES.toMicros(1);

    private static final long MOST_KEYS = 250_000;
    private static final long ORDER_BYTES = 32L << 20;
    private static final int MOST_RULES = 50;
    private static final int MOST_CALLERS = 10;

    /** The maximum wait, in case the center itself is stalled. Questions end earlier. */
    private static final long LONGEST_WAIT_SECONDS = 600;

    private final ExcerptQuestions questions;
    private final Clock clock;

    /** Allows one replay at a time, because a replay takes memory and time. */
    private final Semaphore turn = new Semaphore(1);

    public DryRun(ExcerptQuestions questions, Clock clock) {
        this.questions = questions;
        this.clock = clock;
    }

    /** Tries a change; empty if another change is being tried. Waits some seconds at most for nodes. */
    public Optional<DryRunReply> of(TriedChange change) {
        if (!turn.tryAcquire()) {
            return Optional.empty();
        }
        try {
            long asked = Math.max(0, clock.epochMicros() - TimeUnit.MICROSECONDS.convert(WINDOW));
            return questions.ask(asked).map(answers -> of(change, asked, await(answers)));
        } finally {
            turn.release();
        }
    }

    private static Answers await(CompletableFuture<Answers> answers) {
        try {
            return answers.get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the question to the nodes did not end", e);
        }
    }

    private DryRunReply of(TriedChange change, long askedMicros, Answers answers) {
        Map<String, NodeExcerpt> excerpts = new LinkedHashMap<>();
        List<String> silent = new ArrayList<>(answers.missing());
        for (Answer answer : answers.given()) {
            try {
                excerpts.put(String.valueOf(excerpts.size()), NodeExcerpt.of(answer));
            } catch (IOException e) {
                silent.add(answer.node());
            }
        }
        Nodes nodes = new Nodes(
                excerpts.size(),
                silent.size(),
                answers.others(),
                change.seesNodes()
                        ? silent.stream()
                                .map(NodeText::printable)
                                .limit(MOST_RULES)
                                .toList()
                        : List.of());
        try {
            return new Run(change, askedMicros, clock.epochMicros(), excerpts, nodes).reply();
        } catch (IOException e) {
            throw new UncheckedIOException("an excerpt in memory cannot be read", e);
        }
    }

    /** One dry run. */
    private static final class Run {

        private final TriedChange change;
        private final long askedMicros;
        private final long fromMicros;
        private final long toMicros;
        private final Map<String, NodeExcerpt> excerpts;
        private final Nodes nodes;
        private final RefusalTally tally;

        Run(TriedChange change, long askedMicros, long toMicros, Map<String, NodeExcerpt> excerpts, Nodes nodes) {
            this.change = change;
            this.askedMicros = askedMicros;
            this.fromMicros = Math.min(toMicros, Math.max(askedMicros, from(excerpts)));
            this.toMicros = toMicros;
            this.excerpts = excerpts;
            this.nodes = nodes;
            this.tally = new RefusalTally(by(change), !change.seesAll());
        }

        /**
         * Returns the start of the replay. After the last cut, all requests are known; after the start of the first recording, some are.
         */
        private static long from(Map<String, NodeExcerpt> excerpts) {
            long cut = 0;
            long first = Long.MAX_VALUE;
            for (NodeExcerpt each : excerpts.values()) {
                cut = Math.max(cut, each.head().cut() ? each.head().sinceMicros() : 0);
                first = Math.min(first, each.head().sinceMicros());
            }
            return excerpts.isEmpty() ? 0 : Math.max(cut, first);
        }

        /**
         * Returns the attributes by which a refusal distinguishes callers. They are cached, because each refusal names its rule and limit.
         */
        private static Function<Outcome.Refusal, String> by(TriedChange change) {
            Map<String, String> known = new HashMap<>();
            return refusal -> known.computeIfAbsent(
                    refusal.rule() + "\n" + refusal.limit().orElse(""),
                    any -> refusal.counted()
                            ? CallerMarks.attributes(
                                    change.after().rule(refusal.rule()).orElse(null),
                                    refusal.limit().orElse(null))
                            : "ip");
        }

        DryRunReply reply() throws IOException {
            Replay replay = new Replay(change.after(), change.before(), MOST_KEYS)
                    .within(fromMicros, toMicros + CLOCKS_DIFFER_MICROS)
                    .comparing(tally::add);
            LogOptions options = new LogOptions(
                    Optional.of(LogFormat.of("sluice")), Map.of(), Map.of(), replay.attributes(), ORDER_BYTES);
            List<LogInput> inputs = new ArrayList<>();
            for (Map.Entry<String, NodeExcerpt> each : excerpts.entrySet()) {
                inputs.add(LogInput.once(each.getKey(), each.getValue().requests()));
            }
            try (LogReader log = LogReader.open(inputs, options)) {
                return reply(replay.run(log, (requests, read) -> {}), replay.outside());
            }
        }

        private DryRunReply reply(ReplayResult result, long outside) throws IOException {
            boolean refuses = tally.newlyRefused() > 0;
            return new DryRunReply(
                    DryRunNotes.micros(askedMicros),
                    excerpts.isEmpty() ? null : DryRunNotes.micros(fromMicros),
                    excerpts.isEmpty() ? null : DryRunNotes.micros(toMicros),
                    nodes,
                    tally.requests(),
                    tally.refusedBefore(),
                    tally.refusedAfter(),
                    tally.newlyRefused(),
                    tally.newlyAllowed(),
                    tally.callers(),
                    tally.isFull(),
                    refuses ? DryRunNotes.micros(tally.firstMicros()) : null,
                    tally.worst()
                            .map(worst -> new Minute(DryRunNotes.micros(worst.getKey()), worst.getValue()))
                            .orElse(null),
                    rules(result),
                    callers(),
                    excerpts.isEmpty()
                            ? List.of()
                            : new DryRunNotes(change, excerpts.values()).of(result, fromMicros, outside));
        }

        private List<TriedRule> rules(ReplayResult result) {
            Differences differences = result.against().orElseThrow();
            Map<String, RuleResult> after = byId(result.set().rules());
            Map<String, RuleResult> before = byId(differences.other().rules());
            Map<String, RuleDifference> differing = differences.rules().stream()
                    .collect(Collectors.toMap(RuleDifference::rule, each -> each, (one, other) -> one));
            Set<String> names = new TreeSet<>(differing.keySet());
            names.addAll(change.touched());
            after.forEach((id, rule) -> {
                RuleResult old = before.get(id);
                if (old != null && old.refused() != rule.refused()) {
                    names.add(id);
                }
            });
            names.retainAll(union(before.keySet(), after.keySet()));
            return names.stream()
                    .map(id -> rule(id, before.get(id), after.get(id), differing.get(id)))
                    .sorted(Comparator.comparing(
                                    (TriedRule rule) -> !change.touched().contains(rule.rule()))
                            .thenComparing(Comparator.comparingLong(TriedRule::newlyRefused)
                                    .reversed())
                            .thenComparing(TriedRule::rule))
                    .limit(MOST_RULES)
                    .toList();
        }

        private TriedRule rule(
                String id,
                @Nullable RuleResult before,
                @Nullable RuleResult after,
                @Nullable RuleDifference difference) {
            return new TriedRule(
                    id,
                    change.change(id),
                    after == null ? 0 : after.matched(),
                    before == null ? 0 : before.refused(),
                    after == null ? 0 : after.refused(),
                    difference == null ? 0 : difference.newlyRefused(),
                    difference == null ? 0 : difference.newlyAllowed(),
                    tally.callersOf(id));
        }

        private static Set<String> union(Set<String> one, Set<String> other) {
            Set<String> both = new TreeSet<>(one);
            both.addAll(other);
            return both;
        }

        private static Map<String, RuleResult> byId(List<RuleResult> rules) {
            Map<String, RuleResult> byId = new HashMap<>();
            for (RuleResult each : rules) {
                Rule rule = each.rule();
                byId.put(rule.id(), each);
            }
            return byId;
        }

        private List<RefusedCaller> callers() throws IOException {
            List<RefusalTally.CallerTally> top = tally.top(MOST_CALLERS);
            CallerMarks marks = new CallerMarks(KeySettings.ofThisProcess());
            Set<String> hidden = new TreeSet<>(marks.hidden(change.before()));
            hidden.addAll(marks.hidden(change.after()));
            Map<RefusalTally.CallerTally, String> names = MaskedCallers.of(top, excerpts, hidden);
            return top.stream()
                    .map(each -> new RefusedCaller(each.rule(), each.by(), names.getOrDefault(each, "–"), each.count()))
                    .toList();
        }
    }
}
