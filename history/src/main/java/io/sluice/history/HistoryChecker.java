package io.sluice.history;

import io.sluice.core.algorithm.StepBack;
import io.sluice.core.history.AnswerEvent;
import io.sluice.core.history.AskTraces;
import io.sluice.core.history.GapEvent;
import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.SpendEvent;
import io.sluice.core.history.StepEvent;
import io.sluice.core.history.UnspendEvent;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Checks recorded histories: whether the limits allow the admissions, whether the algorithms give the recorded answers, and whether callers
 * received these answers. {@code docs/why/history.md} describes in full what a clean history proves. The checker raises no false
 * alarm: if a process was killed or an answer was lost, it assumes the best about the missing events. For sliding logs and concurrency
 * permits, it presumes that the counts were unused when recording began, and that every process that uses the counts records.
 *
 * <pre>{@code
 * HistoryWriter history = HistoryWriter.open(dir.resolve("n1.history"), "n1");   // in each process
 * RedisOptions options = RedisOptions.defaults().recording(history);
 * ...
 * CheckReport report = HistoryChecker.check(files);                              // afterwards, on all files
 * }</pre>
 *
 * Takes O(n log n) time for n events.
 */
public final class HistoryChecker {

    /** Twice the memory of a limit, and a minute for clocks that differ, is long enough for a store to forget a count. */
    private static final long MARGIN_MICROS = 60_000_000;

    private final Findings findings = new Findings();
    private final long beginsMicros;

    /** True if no process saw the store's time step back far. */
    private boolean steady = true;

    private long checked;
    private long missing;
    private long earlier;
    private long strangers;
    private long unchecked;
    private long answers;
    private long spends;

    private HistoryChecker(long beginsMicros) {
        this.beginsMicros = beginsMicros;
    }

    /** One run of a process. Its events can be read several times. */
    interface Run {

        /** Returns true if no event is missing. */
        boolean whole();

        /** Returns true if events are missing before others, not only at the end. */
        boolean holes();

        void forEach(Consumer<HistoryEvent> reader) throws IOException;
    }

    /** Reads and checks the files of all processes that used the same counts. */
    public static CheckReport check(List<Path> files) throws IOException {
        return check(History.read(files));
    }

    /** Checks a history. */
    public static CheckReport check(History history) {
        List<Run> runs = new ArrayList<>();
        for (History.Node node : history.nodes()) {
            runs.add(new Run() {
                @Override
                public boolean whole() {
                    return node.whole();
                }

                @Override
                public boolean holes() {
                    return node.events().stream().anyMatch(GapEvent.class::isInstance);
                }

                @Override
                public void forEach(Consumer<HistoryEvent> reader) {
                    node.events().forEach(reader);
                }
            });
        }
        try {
            return check(runs, 1, Long.MAX_VALUE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Checks runs that need not fit into memory.
     *
     * @param shares the number of shares of the counts, requests and leases. One share is in memory at a time, and all events are read
     *     twice for each share
     * @param beginsMicros the start of the first run, in microseconds since the epoch
     */
    static CheckReport check(List<Run> runs, int shares, long beginsMicros) throws IOException {
        HistoryChecker checker = new HistoryChecker(beginsMicros);
        FailoverForks.Builder repeated = new FailoverForks.Builder();
        if (shares > 1) {
            for (int i = 0; i < shares; i++) {
                Share share = new Share(i, shares);
                Map<String, List<StepEvent>> counts = new LinkedHashMap<>();
                for (Run run : runs) {
                    run.forEach(event -> collect(event, share, counts));
                }
                repeated.add(counts.values());
            }
        }
        for (int i = 0; i < shares; i++) {
            checker.share(runs, new Share(i, shares), repeated);
        }
        return new CheckReport(
                checker.findings.kept(),
                checker.findings.found(),
                checker.checked,
                checker.missing,
                checker.unchecked,
                checker.answers,
                checker.spends,
                checker.earlier,
                checker.strangers,
                checker.steady);
    }

    /** Checks the given files, prints the report, and exits with 1 if anything is wrong. */
    public static void main(String[] files) throws IOException {
        if (files.length == 0) {
            System.err.println("no files (expected: the history files of all processes that shared counts)");
            System.exit(2);
        }
        CheckReport report = check(Stream.of(files).map(Path::of).toList());
        System.out.println(report);
        System.exit(report.isClean() ? 0 : 1);
    }

    /** A share of the counts, requests and leases, by their names. */
    private record Share(int index, int of) {

        boolean has(String name) {
            return of == 1 || Math.floorMod(name.hashCode() * 0x9E3779B9, of) == index;
        }

        /** Returns true for the share that counts all things without a name. */
        boolean isFirst() {
            return index == 0;
        }
    }

    private static void collect(HistoryEvent event, Share share, Map<String, List<StepEvent>> counts) {
        if (event instanceof StepEvent step && step.since() != StepEvent.LOCAL && share.has(step.count())) {
            counts.computeIfAbsent(step.count(), unknown -> new ArrayList<>()).add(step);
        }
    }

    private void share(List<Run> runs, Share share, FailoverForks.Builder repeated) throws IOException {
        Map<String, List<StepEvent>> counts = new LinkedHashMap<>();
        boolean whole = true;
        for (Run run : runs) {
            whole &= run.whole();
            run(run, share, counts);
        }
        if (share.of() == 1) {
            repeated.add(counts.values());
        }
        FailoverForks forks = repeated.forks();
        boolean returns = whole;
        counts.forEach((count, steps) -> {
            steps.sort(Comparator.comparingLong(StepEvent::since)
                    .thenComparingInt(step -> forks.before(step.atMicros()))
                    .thenComparingLong(StepEvent::number)
                    .thenComparing(step -> !step.changed())
                    .thenComparingLong(StepEvent::atMicros));
            numberings(count, steps, forks);
            if (returns) {
                ReturnCheck.check(count, steps, forks, findings);
            }
        });
    }

    /** Checks the events of one run that do not depend on other runs, and collects its steps on shared counts. */
    private void run(Run run, Share share, Map<String, List<StepEvent>> counts) throws IOException {
        boolean whole = run.whole();
        AskCheck asks = new AskCheck(findings, whole, run.holes());
        SpendCheck leases = new SpendCheck(findings);
        RefusalMemoryCheck memory = new RefusalMemoryCheck(findings);
        LocalCounts local = new LocalCounts(findings, whole);
        long[] latestMicros = {Long.MIN_VALUE};
        run.forEach(event -> {
            collect(event, share, counts);
            if (event instanceof StepEvent recorded) {
                if (recorded.since() != StepEvent.LOCAL) {
                    latestMicros[0] = Math.max(latestMicros[0], recorded.atMicros());
                    steady &= !StepBack.rebases(latestMicros[0], recorded.atMicros());
                    recorded(recorded, share, asks, leases, memory);
                } else if (share.has(recorded.count())) {
                    local.add(recorded);
                }
            } else if (event instanceof SpendEvent spent) {
                spends += share.isFirst() ? 1 : 0;
                answers += share.isFirst() && spent.answers() ? 1 : 0;
                if (share.has(AskTraces.whole(spent.ask()))) {
                    asks.spent(spent);
                }
                if (share.has(spent.lease())) {
                    leases.spent(spent);
                }
            } else if (event instanceof UnspendEvent unspent) {
                spends += share.isFirst() ? 1 : 0;
                if (share.has(AskTraces.whole(unspent.ask()))) {
                    asks.unspent(unspent);
                }
                if (share.has(unspent.lease())) {
                    leases.unspent(unspent);
                }
            } else if (event instanceof AnswerEvent answered) {
                answers += share.isFirst() ? 1 : 0;
                if (share.has(AskTraces.whole(answered.ask()))) {
                    asks.answered(answered);
                }
                String refusing = answered.refusing();
                if (whole && (refusing == null || share.has(refusing))) {
                    memory.answered(answered);
                }
            } else if (event instanceof GapEvent) {
                local.gap();
            }
        });
        asks.finish();
        memory.finish(whole);
        if (whole) {
            leases.finish();
        }
        checked += local.finish();
    }

    private static void recorded(
            StepEvent recorded, Share share, AskCheck asks, SpendCheck leases, RefusalMemoryCheck memory) {
        if (recorded.step() instanceof StepEvent.Asked asked) {
            String ask = AskTraces.whole(asked.ask());
            if (share.has(ask)) {
                asks.asked(recorded, asked);
            }
            if (!asked.verdict().fits() && !ask.isEmpty() && share.has(recorded.count())) {
                memory.refused(recorded.count(), ask, asked.verdict().retryAfterMicros());
            }
        } else if (recorded.step() instanceof StepEvent.Granted granted) {
            if (share.has(granted.lease())) {
                leases.granted(recorded.count(), granted);
            }
            if (granted.granted() == 0 && share.has(recorded.count())) {
                memory.refused(recorded.count(), "", Verdict.NEVER);
            }
        } else if (recorded.step() instanceof StepEvent.Ended ended && share.has(ended.lease())) {
            leases.ended(recorded.count(), ended);
        }
    }

    /**
     * Checks each numbering of a count as a history of its own. At its start the count was unused, because its state had expired or the
     * store had lost all data.
     */
    private void numberings(String count, List<StepEvent> steps, FailoverForks forks) {
        int from = 0;
        for (int to = 1; to <= steps.size(); to++) {
            if (to == steps.size() || steps.get(to).since() != steps.get(from).since()) {
                boolean first = from == 0 || steps.get(from - 1).since() == 0;
                numbering(count, steps.subList(from, to), first, longestLeaseMicros(steps), forks);
                from = to;
            }
        }
    }

    private static long longestLeaseMicros(List<StepEvent> steps) {
        long longest = 0;
        for (StepEvent step : steps) {
            if (step.step() instanceof StepEvent.Granted granted && granted.granted() > 0) {
                longest = Math.max(longest, granted.endsMicros() - step.atMicros());
            }
        }
        return longest;
    }

    /** @param first true if the recording has no earlier steps of the count */
    private void numbering(
            String count, List<StepEvent> steps, boolean first, long longestLeaseMicros, FailoverForks forks) {
        Limit limit = CountCheck.limitOf(steps);
        if (limit != null) {
            CountCheck check = new CountCheck(count, limit, steady, findings);
            long since = steps.get(0).since();
            boolean early = beginsMicros < Long.MAX_VALUE && since - beginsMicros <= MARGIN_MICROS;
            // Leases may outlast their count and its numbering.
            if (since == 0) {
                check.leasesMayBeOut(Long.MAX_VALUE / 2, 0);
            } else if (!first || early) {
                check.leasesMayBeOut(since, longestLeaseMicros);
            }
            check.check(steps, forks);
            checked += check.checked();
            missing += check.missing();
            earlier += first ? check.earlier() : 0;
            unchecked += check.unchecked();
            // By then, the store would have forgotten a state from before the recording.
            long lasts = Math.min(limit.windowMicros(), Long.MAX_VALUE / 4);
            boolean strange = first
                    && check.earlier() > 0
                    && beginsMicros < Long.MAX_VALUE
                    && since - beginsMicros > 2 * lasts + MARGIN_MICROS;
            strangers += strange ? 1 : 0;
        }
    }
}
