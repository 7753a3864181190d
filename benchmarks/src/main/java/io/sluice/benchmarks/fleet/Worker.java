package io.sluice.benchmarks.fleet;

import io.sluice.core.FallbackRecorder;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.time.Clock;
import io.sluice.history.HistoryWriter;
import io.sluice.redis.RedisStore;
import io.sluice.redis.store.StoreListener;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One node of a fleet. It prints {@code ready}, waits for a line of input, sends the requests of its load, and prints the totals.
 * It records all its steps in a history, if it has one.
 */
public final class Worker {

    /** The key that all nodes ask for. */
    static final String KEY = "one";

    private static final String PREFIX = "fleet";
    private static final long PAUSE_NANOS = 500_000;

    /** The maximum number of requests sent without a pause, even if the node has fallen behind. */
    private static final int MOST_AT_ONCE = 200;

    private Worker() {}

    /**
     * Runs a node.
     *
     * @param args the URI of Redis, the name of the node, the file of its history or an empty string, and the load
     */
    public static void main(String[] args) throws Exception {
        Load load = Load.of(List.of(args).subList(3, args.length));
        Tally tally = new Tally();
        try (@Nullable
                HistoryWriter history = args[2].isEmpty() ? null : HistoryWriter.open(Path.of(args[2]), args[1])) {
            run(args[0], load, history, tally);
        }
        System.out.println(tally.totals().line());
        System.exit(0);
    }

    private static void run(String uri, Load load, @Nullable HistoryWriter history, Tally tally) throws Exception {
        Clock clock = Clock.system();
        RedisStore.Builder options = RedisStore.at(uri)
                .prefix(PREFIX)
                .clock(clock)
                .guard(false)
                .leases(load.leased())
                .storeListener(new StoreListener() {
                    @Override
                    public void called(String outcome, int decisions, long nanos) {
                        tally.called();
                    }
                });
        if (load.patience().equals(Load.ENDLESS)) {
            options.slow(Load.ENDLESS);
        }
        if (history != null) {
            options.recording(history).decisionListener(new FallbackRecorder(history, clock));
        }
        try (RedisStore store = options.open()) {
            store.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            Limiter limiter = store.limiter();
            warmUp(limiter, load);
            System.out.println("ready");
            if (System.in.read() < 0) {
                return;
            }
            ask(limiter, load, KEY, tally);
        }
    }

    /** Warms up on a separate key, so that the start of the process is not measured. */
    private static void warmUp(Limiter limiter, Load load) {
        ask(limiter, load.warmingUp(), "warm", new Tally());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the tally counts it when it is decided
    private static void ask(Limiter limiter, Load load, String key, Tally tally) {
        Limit limit = load.limit();
        long began = System.nanoTime();
        long length = (long) (load.seconds() * 1e9);
        long asked = 0;
        for (long at = 0; at < length; at = System.nanoTime() - began) {
            // A process that was stopped catches up in small batches.
            long due = Math.min((long) (at * load.askedPerSecond() / 1e9), asked + MOST_AT_ONCE);
            for (; asked < due; asked++) {
                long now = System.nanoTime();
                tally.asked();
                limiter.decideAsync(load.ask(limit, key, now))
                        .thenAccept(decision -> tally.decided(decision, System.nanoTime() - now));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        long end = System.nanoTime();
        long patience = Math.max(2_000_000_000L, load.patience().toNanos());
        while (!tally.isIdle() && System.nanoTime() - end < patience) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }
}
