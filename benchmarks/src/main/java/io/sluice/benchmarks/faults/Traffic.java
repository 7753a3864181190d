package io.sluice.benchmarks.faults;

import io.sluice.core.spi.Answer;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Engine;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Outcome;
import io.sluice.core.spi.PendingOutcome;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Asks at a constant rate, without waiting for earlier answers, and records the latency and outcome of each. It allocates all its
 * memory at the start, so that the heap does not grow because of it.
 */
final class Traffic implements AutoCloseable {

    /** The default deadline of a decision. */
    static final Duration DEADLINE = Duration.ofMillis(20);

    private static final byte OPEN = 0;
    private static final byte BY_REDIS = 1;
    private static final byte DEGRADED = 2;
    private static final byte FAILED = 3;
    private static final byte REFUSED = 8;

    private final Engine engine;
    private final IntFunction<List<Demand>> demands;
    private final FailurePolicy policy;
    private final long pauseNanos;
    private final long[] sent;
    private final int[] tookMicros;
    private final byte[] became;
    private final AtomicInteger size = new AtomicInteger();
    private final Thread thread = new Thread(this::run, "traffic");
    private volatile boolean over;

    private Traffic(Engine engine, int perSecond, int most, FailurePolicy policy, IntFunction<List<Demand>> demands) {
        this.engine = engine;
        this.demands = demands;
        this.policy = policy;
        this.pauseNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
        this.sent = new long[most];
        this.tookMicros = new int[most];
        this.became = new byte[most];
        thread.setDaemon(true);
        thread.start();
    }

    static Traffic on(Engine engine, int perSecond, Duration atMost, IntFunction<List<Demand>> demands) {
        return new Traffic(
                engine, perSecond, (int) (perSecond * (atMost.toSeconds() + 30)), FailurePolicy.LOCAL, demands);
    }

    static Traffic on(
            Engine engine, int perSecond, Duration atMost, FailurePolicy policy, IntFunction<List<Demand>> demands) {
        return new Traffic(engine, perSecond, (int) (perSecond * (atMost.toSeconds() + 30)), policy, demands);
    }

    private void run() {
        long due = System.nanoTime();
        while (!over && size.get() < sent.length) {
            due += pauseNanos;
            while (due - System.nanoTime() > 0) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
            ask(size.getAndIncrement());
        }
    }

    private void ask(int i) {
        long now = System.nanoTime();
        sent[i] = now;
        try {
            Answer answer = engine.decide(Ask.charging(demands.apply(i))
                    .dueAt(now + DEADLINE.toNanos())
                    .onFailure(policy, 0.5));
            if (answer instanceof PendingOutcome pending) {
                pending.outcome().whenComplete((outcome, failure) -> ended(i, outcome));
            } else {
                ended(i, (Outcome) answer);
            }
        } catch (RuntimeException e) {
            ended(i, null);
        }
    }

    private void ended(int i, @Nullable Outcome outcome) {
        tookMicros[i] = (int) Math.min(Integer.MAX_VALUE, (System.nanoTime() - sent[i]) / 1_000);
        if (outcome instanceof EngineDecision decided) {
            became[i] = (byte) ((decided.degraded() == null ? BY_REDIS : DEGRADED) | (decided.allowed() ? 0 : REFUSED));
        } else {
            became[i] = FAILED;
        }
    }

    /** Returns the number of requests sent so far, to mark the start or end of a range. */
    int mark() {
        return size.get();
    }

    /** Returns the number of requests sent before {@code nanos}. */
    int markAt(long nanos) {
        int i = 0;
        while (i < size.get() && sent[i] - nanos < 0) {
            i++;
        }
        return i;
    }

    /** Returns a quantile of the latencies between two marks, in milliseconds. */
    double quantile(double part, int from, int to) {
        int[] took = Arrays.copyOfRange(tookMicros, from, to);
        Arrays.sort(took);
        return took.length == 0 ? 0 : took[(int) Math.min(took.length - 1, took.length * part)] / 1_000.0;
    }

    long failed() {
        return count(0, mark(), FAILED, FAILED);
    }

    long byRedis(int from, int to) {
        return count(from, to, BY_REDIS, (byte) (BY_REDIS | REFUSED));
    }

    long degraded(int from, int to) {
        return count(from, to, DEGRADED, (byte) (DEGRADED | REFUSED));
    }

    /** Returns how many requests passed, decided by Redis or not. */
    long passed(int from, int to) {
        return count(from, to, BY_REDIS, DEGRADED);
    }

    long passedByRedis(int from, int to) {
        return count(from, to, BY_REDIS, BY_REDIS);
    }

    private long count(int from, int to, byte one, byte other) {
        long count = 0;
        for (int i = from; i < to; i++) {
            count += became[i] == one || became[i] == other ? 1 : 0;
        }
        return count;
    }

    /** Lets the traffic run for the given time. */
    void goOn(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await(() -> System.nanoTime() - end >= 0);
    }

    /**
     * Waits until Redis has decided some of the requests sent from now on. Returns how long after {@code nanos} the first of them
     * was sent, in milliseconds.
     */
    double untilDecidedByRedis(long nanos) {
        int from = mark();
        await(() -> byRedis(from, mark()) >= 5);
        for (int i = from; i < mark(); i++) {
            if ((became[i] & ~REFUSED) == BY_REDIS) {
                return (sent[i] - nanos) / 1e6;
            }
        }
        throw new AssertionError();
    }

    void untilDegraded() {
        int from = mark();
        await(() -> degraded(from, mark()) >= 5);
    }

    /** Stops the traffic and waits until every request is decided. */
    void untilDecided() {
        over = true;
        await(() -> !thread.isAlive() && count(0, mark(), OPEN, OPEN) == 0);
    }

    static void await(BooleanSupplier condition) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - giveUp > 0) {
                throw new IllegalStateException("the condition was not met within a minute");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
