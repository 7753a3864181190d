package io.sluice.benchmarks;

import io.sluice.benchmarks.doors.Latencies;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Compares the latency of a decision with and without recording a history, at a rate that does not saturate the machine. The two
 * variants are open at the same time and take turns. ({@code redis recorded} measures the throughput of a saturated machine,
 * where the history writer competes for CPU time.)
 */
final class RecordingCost {

    private static final int TURN_MILLIS = 500;
    private static final int WARM_UPS = 8;
    private static final List<String> KEYS = LoadShape.allKeys();

    private RecordingCost() {}

    /**
     * A kind of decision.
     *
     * @param callers the number of threads; each makes an equal share of the decisions
     * @param perSecond decisions per second of all callers together
     */
    private record Kind(
            String name,
            int callers,
            int perSecond,
            Function<String, Contender> plain,
            Function<String, Contender> recorded) {}

    /** Measures and returns a table. */
    static String table(int turns) throws IOException, InterruptedException {
        StringBuilder table = new StringBuilder(String.format(
                Locale.ROOT,
                "Latency of a decision in µs, on 1,000 keys; %d turns of %d ms each.%n%n",
                turns,
                TURN_MILLIS));
        table.append("| decision              | callers |   per s | recorded |     p50 |     p99 |   p99.9 |\n");
        table.append("|-----------------------|---------|---------|----------|---------|---------|---------|\n");
        List<Kind> kinds = List.of(
                new Kind("distributed", 1, 2_000, RedisSluice::coalesced, RedisSluice::recorded),
                new Kind("distributed", 8, 8_000, RedisSluice::coalesced, RedisSluice::recorded),
                new Kind("leased", 2, 100_000, uri -> RedisSluice.leased(uri, 0), RedisSluice::leasedAndRecorded));
        for (Kind kind : kinds) {
            try (RedisServer redis = RedisServer.start();
                    Contender plain = kind.plain.apply(redis.uri());
                    Contender recorded = kind.recorded.apply(redis.uri())) {
                Latencies without = new Latencies();
                Latencies with = new Latencies();
                for (int i = -WARM_UPS; i < turns; i++) {
                    turn(kind, plain, i < 0 ? new Latencies() : without);
                    turn(kind, recorded, i < 0 ? new Latencies() : with);
                }
                row(table, kind, "no", without);
                row(table, kind, "yes", with);
            }
        }
        return table.toString();
    }

    private static void turn(Kind kind, Contender contender, Latencies latencies) throws InterruptedException {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < kind.callers; i++) {
            callers.add(new Thread(() -> ask(kind, contender, latencies)));
        }
        callers.forEach(Thread::start);
        for (Thread caller : callers) {
            caller.join();
        }
    }

    /** Sends each request when it is due. Requests that came due while the thread slept follow each other without a pause. */
    private static void ask(Kind kind, Contender contender, Latencies latencies) {
        double everyNanos = 1e9 * kind.callers / kind.perSecond;
        long count = (long) (TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS) / everyNanos);
        long begin = System.nanoTime();
        for (long i = 0; i < count; i++) {
            long due = begin + (long) (i * everyNanos);
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            long start = System.nanoTime();
            contender.decide(KEYS.get((int) (i % KEYS.size())));
            latencies.add(System.nanoTime() - start);
        }
    }

    private static void row(StringBuilder table, Kind kind, String recorded, Latencies latencies) {
        table.append(String.format(
                Locale.ROOT,
                "| %-21s | %7d | %7d | %-8s | %7.1f | %7.1f | %7.1f |%n",
                kind.name,
                kind.callers,
                kind.perSecond,
                recorded,
                latencies.quantile(0.5) / 1e3,
                latencies.quantile(0.99) / 1e3,
                latencies.quantile(0.999) / 1e3));
    }
}
