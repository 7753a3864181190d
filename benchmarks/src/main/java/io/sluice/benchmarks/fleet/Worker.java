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
 * One node of a fleet: says {@code ready}, waits for a line, asks as its load says, and prints what became of it. All of its steps are
 * in a history, unless it has none.
 */
public final class Worker {

    /** Whose count they all ask for. */
    static final String KEY = "one";

    private static final String PREFIX = "fleet";
    private static final long PAUSE_NANOS = 500_000;

    /** More than this under way says that the machine is too slow, and then waiting for it is all that can be done. */
    private static final int MOST_AT_ONCE = 200;

    private Worker() {}

    /**
     * Works.
     *
     * @param args the address of Redis, the name of the node, its history or nothing, and the load
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

    /** On a key of its own, so that what is measured is not the start of a process. */
    private static void warmUp(Limiter limiter, Load load) {
        ask(limiter, load.warmingUp(), "warm", new Tally());
    }

    @SuppressWarnings("FutureReturnValueIgnored") // counted when it is decided
    private static void ask(Limiter limiter, Load load, String key, Tally tally) {
        Limit limit = load.limit();
        long began = System.nanoTime();
        long length = (long) (load.seconds() * 1e9);
        long asked = 0;
        for (long at = 0; at < length; at = System.nanoTime() - began) {
            // What a stopped process missed it does not make up for.
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
