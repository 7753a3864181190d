package io.sluice.runtime.data;

import io.sluice.core.spi.Label;
import io.sluice.core.time.Clock;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.RulingListener;
import io.sluice.rules.model.Rule;
import io.sluice.runtime.data.DataBatch.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts decisions, and puts the counts of each second into an outbox, on its own thread. Looks are not counted. Thread-safe. A
 * decision costs one map lookup and two additions.
 */
public final class RulingCounts implements RulingListener, DataSource, AutoCloseable {

    /** A rule without decisions for this many seconds is forgotten. */
    private static final int FORGOTTEN = 600;

    private static final int RETIRED = 60;
    private static final int MOST_IN_BATCH = 5_000;

    private static final long SECOND_MICROS = TimeUnit.SECONDS.toMicros(1);

    private final DataOutbox outbox;
    private final Clock clock;
    private final Executor worker;
    private final ConcurrentHashMap<String, Counter> rules = new ConcurrentHashMap<>();
    private final LongAdder[] spans = new LongAdder[Latencies.SPANS];

    // Guarded by this.
    private final long[] told = new long[Latencies.SPANS];
    private final List<Retired> retired = new ArrayList<>();
    private volatile boolean closed;

    /** A counter of a rule that was forgotten. A decision under way may still use it, so it is read for some more seconds. */
    private static final class Retired {
        final String rule;
        final Counter counter;
        int left = RETIRED;

        Retired(String rule, Counter counter) {
            this.rule = rule;
            this.counter = counter;
        }
    }

    private static final class Counter {
        final LongAdder allowed = new LongAdder();
        final LongAdder refused = new LongAdder();
        final LongAdder shadowRefused = new LongAdder();
        final LongAdder degraded = new LongAdder();

        /** The counts already reported. Guarded by the owner, like the next field. */
        Figures told = Figures.NONE;

        int idle;

        Figures now() {
            return new Figures(allowed.sum(), refused.sum(), shadowRefused.sum(), degraded.sum());
        }
    }

    public RulingCounts(DataOutbox outbox, Clock clock) {
        this(outbox, clock, ownThread());
    }

    /** @param worker packs the counts, because the thread of the clock must not be held up */
    RulingCounts(DataOutbox outbox, Clock clock, Executor worker) {
        this.outbox = outbox;
        this.clock = clock;
        this.worker = worker;
        for (int i = 0; i < spans.length; i++) {
            spans[i] = new LongAdder();
        }
    }

    /** Starts to put counts into the outbox, at the end of each second. */
    public void start() {
        long now = clock.epochMicros();
        long left = SECOND_MICROS - Math.floorMod(now, SECOND_MICROS);
        long ending = Math.floorDiv(now, SECOND_MICROS);
        clock.at(clock.nanoTime() + TimeUnit.MICROSECONDS.toNanos(left), () -> {
            if (!closed) {
                worker.execute(() -> {
                    var unused = tell(ending);
                });
                start();
            }
        });
    }

    /** Returns a thread that ends after some idle seconds. */
    private static Executor ownThread() {
        ThreadPoolExecutor one =
                new ThreadPoolExecutor(1, 1, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "sluice-counts");
                    thread.setDaemon(true);
                    return thread;
                });
        one.allowCoreThreadTimeOut(true);
        return one;
    }

    @Override
    public void ruled(Ruling.Settled ruling, long elapsedNanos) {
        if (ruling.looked()) {
            return;
        }
        Rule rule = ruling.rule();
        Counter counter = counter(rule == null ? "" : rule.id());
        (ruling.allowed() ? counter.allowed : counter.refused).increment();
        if (ruling.degraded() != null) {
            counter.degraded.increment();
        }
        for (Label shadow : ruling.shadowRefused()) {
            counter(shadow.rule()).shadowRefused.increment();
        }
        spans[Latencies.span(elapsedNanos)].increment();
    }

    /** The request is counted at its next ruling. */
    @Override
    public void passedEarly(Ruling.Settled ruling, long elapsedNanos) {
        for (Label shadow : ruling.shadowRefused()) {
            counter(shadow.rule()).shadowRefused.increment();
        }
    }

    private Counter counter(String rule) {
        Counter counter = rules.get(rule);
        return counter != null ? counter : rules.computeIfAbsent(rule, made -> new Counter());
    }

    /** Puts the counts since the last report into the outbox. Returns false if the counting has stopped. */
    private synchronized boolean tell(long second) {
        if (closed) {
            return false;
        }
        Map<String, Figures> changed = new HashMap<>();
        for (Iterator<Map.Entry<String, Counter>> each = rules.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<String, Counter> rule = each.next();
            Counter counter = rule.getValue();
            if (tell(rule.getKey(), counter, changed)) {
                counter.idle = 0;
            } else if (++counter.idle > FORGOTTEN) {
                each.remove();
                retired.add(new Retired(rule.getKey(), counter));
            }
        }
        retired.removeIf(each -> {
            boolean unused = tell(each.rule, each.counter, changed);
            return --each.left < 0;
        });
        if (!changed.isEmpty()) {
            pack(second, changed);
        }
        return true;
    }

    /** Packs counts. A batch has a bounded number of rules, so that the counts of very many rules still fit into reports. */
    private void pack(long second, Map<String, Figures> changed) {
        Latencies all = latencies();
        Map<String, Figures> some = new HashMap<>();
        for (Map.Entry<String, Figures> each : changed.entrySet()) {
            some.put(each.getKey(), each.getValue());
            if (some.size() == MOST_IN_BATCH) {
                outbox.add(Kind.COUNTS, new SecondCounts(second, some, all).toBytes());
                some.clear();
                all = Latencies.NONE;
            }
        }
        if (!some.isEmpty()) {
            outbox.add(Kind.COUNTS, new SecondCounts(second, some, all).toBytes());
        }
    }

    /** Adds the counts of a counter since the last report. Returns false if there are none. */
    private static boolean tell(String rule, Counter counter, Map<String, Figures> changed) {
        Figures now = counter.now();
        if (now.equals(counter.told)) {
            return false;
        }
        changed.merge(rule, now.minus(counter.told), Figures::plus);
        counter.told = now;
        return true;
    }

    private Latencies latencies() {
        long[] counts = new long[Latencies.SPANS];
        for (int i = 0; i < counts.length; i++) {
            long now = spans[i].sum();
            counts[i] = now - told[i];
            told[i] = now;
        }
        return Latencies.of(counts);
    }

    @Override
    public void flush() {
        var unused = tell(Math.floorDiv(clock.epochMicros(), SECOND_MICROS));
    }

    /** Puts the rest into the outbox and stops. */
    @Override
    public synchronized void close() {
        flush();
        closed = true;
    }
}
