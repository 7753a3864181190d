package io.sluice.benchmarks.faults;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.Clock;
import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisServer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Redis is down, hangs, is slow, loses its data, or answers with errors. */
final class Outages {

    private static final double DEADLINE_MILLIS = Traffic.DEADLINE.toMillis();
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MOMENT = Duration.ofMillis(700);

    private Outages() {}

    static void killed(Trial trial) {
        try (RedisServer server = RedisServer.start();
                Rig rig = new Rig(server.uri());
                Traffic traffic = Traffic.on(rig.engine, 2_000, Duration.ofMinutes(1), Rig::plenty)) {
            traffic.goOn(MOMENT);
            long killed = System.nanoTime();
            server.kill();
            traffic.goOn(trial.lasting(Duration.ofSeconds(10), Duration.ofSeconds(2)));
            int first = traffic.markAt(killed);
            int second = traffic.markAt(killed + SECOND.toNanos());
            int last = traffic.mark();
            long restarted = System.nanoTime();
            server.restart();
            double back = traffic.untilDecidedByRedis(restarted);
            trial.figure("p99 in the first second", traffic.quantile(0.99, first, second), DEADLINE_MILLIS + 5, "ms");
            trial.figure("p99 afterwards", traffic.quantile(0.99, second, last), 1, "ms");
            trial.figure("recovered after", back, 1_000, "ms");
            mustHaveStoodIn(trial, traffic, first, last);
        }
    }

    static void hung(Trial trial) {
        try (RedisServer server = RedisServer.start();
                Rig rig = new Rig(server.uri());
                Traffic traffic = Traffic.on(rig.engine, 5_000, Duration.ofSeconds(90), Rig::plenty)) {
            traffic.goOn(trial.lasting(Duration.ofSeconds(5), MOMENT));
            long heap = heap();
            int threads = Thread.activeCount();
            long frozen = System.nanoTime();
            server.freeze();
            traffic.goOn(trial.lasting(Duration.ofMinutes(1), Duration.ofSeconds(2)));
            int first = traffic.markAt(frozen);
            int last = traffic.mark();
            int threadsLater = Thread.activeCount();
            double grown = (heap() - heap) / 1e6;
            long thawed = System.nanoTime();
            server.thaw();
            double back = traffic.untilDecidedByRedis(thawed);
            trial.figure("p99", traffic.quantile(0.99, first, last), DEADLINE_MILLIS + 5, "ms");
            trial.figure("p99.9", traffic.quantile(0.999, first, last), 2 * DEADLINE_MILLIS, "ms");
            trial.figure("heap grew by", Math.max(0, grown), 32, "MB");
            trial.figure("threads grew by", Math.max(0, threadsLater - threads), 0, "");
            trial.figure("recovered after", back, 1_000, "ms");
            trial.must(grown < 64, "the heap stays bounded; it grew by " + grown + " MB");
            mustHaveStoodIn(trial, traffic, first, last);
        }
    }

    static void slow(Trial trial) {
        slowWithLeases(trial);
        slowerThanSlow(trial);
    }

    /** Redis is slow, but not so slow that the breaker opens. Callers of leased keys hardly notice. */
    private static void slowWithLeases(Trial trial) {
        try (RedisServer server = RedisServer.start();
                FaultProxy proxy = FaultProxy.before(server);
                Rig rig = new Rig(Rig.leasing(proxy.uri()), Clock.system());
                Traffic traffic = Traffic.on(rig.engine, 2_000, Duration.ofMinutes(1), Rig::leased)) {
            traffic.goOn(MOMENT);
            int first = traffic.mark();
            proxy.delay(Duration.ZERO, Duration.ofMillis(15));
            traffic.goOn(trial.lasting(Duration.ofSeconds(10), Duration.ofSeconds(1)));
            int last = traffic.mark();
            traffic.untilDecided();
            trial.figure("+15 ms: p50 of leased keys", traffic.quantile(0.5, first, last), 1, "ms");
            trial.note(String.format(
                    Locale.ROOT,
                    "p99 %.2f ms, %d of %d degraded",
                    traffic.quantile(0.99, first, last),
                    traffic.degraded(first, last),
                    last - first));
            trial.must(traffic.failed() == 0, "no exception reaches a caller");
            trial.figure("degraded despite leases", 100.0 * traffic.degraded(first, last) / (last - first), 50, "%");
        }
    }

    private static void slowerThanSlow(Trial trial) {
        try (RedisServer server = RedisServer.start();
                FaultProxy proxy = FaultProxy.before(server);
                Rig rig = new Rig(proxy.uri());
                Traffic traffic = Traffic.on(rig.engine, 1_000, Duration.ofMinutes(1), Rig::plenty)) {
            traffic.goOn(MOMENT);
            int first = traffic.mark();
            proxy.delay(Duration.ZERO, Duration.ofMillis(100));
            traffic.goOn(trial.lasting(Duration.ofSeconds(10), Duration.ofSeconds(2)));
            int last = traffic.mark();
            long quick = System.nanoTime();
            proxy.resume();
            double back = traffic.untilDecidedByRedis(quick);
            trial.figure("+100 ms: p99", traffic.quantile(0.99, first, last), DEADLINE_MILLIS + 5, "ms");
            trial.figure("p50", traffic.quantile(0.5, first, last), 1, "ms");
            trial.figure("recovered after", back, 1_000, "ms");
            mustHaveStoodIn(trial, traffic, first, last);
        }
    }

    static void halfOpen(Trial trial) {
        try (RedisServer server = RedisServer.start();
                FaultProxy proxy = FaultProxy.before(server);
                Rig rig = new Rig(proxy.uri());
                Traffic traffic = Traffic.on(rig.engine, 1_000, Duration.ofMinutes(1), Rig::plenty)) {
            traffic.goOn(MOMENT);
            int first = traffic.mark();
            long silent = System.nanoTime();
            long connections = proxy.connections();
            proxy.silence();
            Traffic.await(() -> proxy.connections() > connections);
            double replaced = (System.nanoTime() - silent) / 1e6;
            traffic.goOn(trial.lasting(Duration.ofSeconds(10), Duration.ofSeconds(1)));
            int last = traffic.mark();
            long returned = System.nanoTime();
            proxy.resume();
            double back = traffic.untilDecidedByRedis(returned);
            trial.figure("new connection after", replaced, 3_000, "ms");
            trial.figure("recovered after", back, 1_000, "ms");
            mustHaveStoodIn(trial, traffic, first, last);
        }
    }

    /** Uses twenty keys with ten permits a day each. A Redis that restarts empty grants them once more. */
    static void restartedEmpty(Trial trial) {
        Limit ten = Limit.named("ten").tokenBucket(Rate.perDay(10)).withBurst(10);
        try (RedisServer server = RedisServer.start();
                Rig rig = new Rig(server.uri());
                Traffic traffic = Traffic.on(
                        rig.engine, 2_000, Duration.ofMinutes(1), i -> List.of(Demand.of(ten, "k" + i % 20, 1)))) {
            traffic.goOn(MOMENT);
            server.kill();
            traffic.untilDegraded();
            server.restart();
            long restarted = System.nanoTime();
            double back = traffic.untilDecidedByRedis(restarted);
            traffic.goOn(trial.lasting(Duration.ofSeconds(5), MOMENT));
            traffic.untilDecided();
            double extra = traffic.passed(0, traffic.mark()) / 20.0 - 10;
            trial.figure("extra per key (burst 10, local share 5)", extra, 15, "");
            trial.figure("recovered after", back, 1_000, "ms");
            trial.must(extra <= 15, "each key gets at most one burst and the local share more: " + extra);
            trial.must(traffic.failed() == 0, "no exception reaches a caller");
        }
    }

    /** Redis loses functions and scripts ten times a second. No fallback decides, so that the counts can be compared. */
    static void flushed(Trial trial) {
        Limit many = Limit.named("many").tokenBucket(Rate.perDay(1)).withBurst(1_000_000);
        try (RedisServer server = RedisServer.start();
                Rig rig = new Rig(server.uri())) {
            flushed(trial, server, rig, many, "SCRIPT");
            flushed(trial, server, rig, many, "SCRIPT", "FUNCTION");
        }
    }

    /** The engine uses only functions. Scripts are flushed too, because the fault is defined with them. */
    private static void flushed(Trial trial, RedisServer server, Rig rig, Limit many, String... kinds) {
        long before = remaining(rig, many);
        try (Traffic traffic = Traffic.on(
                rig.engine, 500, Duration.ofMinutes(1), FailurePolicy.CLOSED, i -> List.of(Demand.of(many, "k", 1)))) {
            traffic.goOn(MOMENT);
            int first = traffic.mark();
            int flushes = trial.times(100, 5);
            for (int i = 0; i < flushes; i++) {
                for (String kind : kinds) {
                    server.command(kind, "FLUSH", "SYNC");
                }
                traffic.goOn(Duration.ofMillis(100));
            }
            traffic.untilDecided();
            int all = traffic.mark();
            String name = String.join(" and ", kinds) + " FLUSH";
            trial.note(flushes + " × " + name + ", " + (all - first) + " decisions");
            trial.figure("not by Redis (" + name + ")", (double) (all - first - traffic.byRedis(first, all)), 0, "");
            long used = before - remaining(rig, many);
            trial.must(all - first > flushes, "there are decisions: " + (all - first));
            trial.must(
                    used >= traffic.passedByRedis(0, all) && used <= all,
                    "every allowed request was charged: " + used + " of " + traffic.passedByRedis(0, all));
            trial.must(traffic.failed() == 0, "no exception reaches a caller");
        }
    }

    static void errors(Trial trial) {
        List<String> errors = List.of(
                "CLUSTERDOWN The cluster is down",
                "READONLY You can't write against a read only replica.",
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "NOAUTH Authentication required.",
                "NOPERM User default has no permissions to run the 'fcall' command",
                "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.");
        double slowest = 0;
        for (String error : errors) {
            try (RedisServer server = RedisServer.start();
                    FaultProxy proxy = FaultProxy.before(server);
                    Rig rig = new Rig(proxy.uri());
                    Traffic traffic = Traffic.on(rig.engine, 500, Duration.ofMinutes(1), Rig::plenty)) {
                traffic.goOn(Duration.ofMillis(200));
                proxy.answer(error, "FCALL");
                traffic.untilDegraded();
                int first = traffic.mark();
                traffic.goOn(trial.lasting(Duration.ofSeconds(3), Duration.ofMillis(300)));
                int last = traffic.mark();
                long healed = System.nanoTime();
                proxy.resume();
                slowest = Math.max(slowest, traffic.untilDecidedByRedis(healed));
                trial.must(traffic.byRedis(first, last) == 0, error + ": treated as a decision");
                mustHaveStoodIn(trial, traffic, first, last);
            }
        }
        trial.note(errors.size() + " errors, none reached a caller");
        trial.figure("recovered after at most", slowest, 1_000, "ms");
    }

    /** Requests arrive at Redis, but the answers are lost. The permits stay charged, and nothing is charged twice. */
    static void answersLost(Trial trial) {
        Limit hundred = Limit.named("hundred").tokenBucket(Rate.perDay(1)).withBurst(1_000);
        try (RedisServer server = RedisServer.start();
                FaultProxy proxy = FaultProxy.before(server);
                Rig rig = new Rig(proxy.uri());
                Traffic traffic = Traffic.on(
                        rig.engine,
                        500,
                        Duration.ofMinutes(1),
                        FailurePolicy.CLOSED,
                        i -> List.of(Demand.of(hundred, "k", 1)))) {
            traffic.goOn(Duration.ofMillis(300));
            for (int i = trial.times(20, 2); i > 0; i--) {
                proxy.loseAnswers();
                traffic.untilDegraded();
                proxy.resume();
                traffic.untilDecidedByRedis(System.nanoTime());
            }
            traffic.untilDecided();
            int all = traffic.mark();
            long used = 1_000 - remaining(rig, hundred);
            trial.note(traffic.passed(0, all) + " of 1000 passed, " + used + " charged");
            trial.must(traffic.passed(0, all) <= used, "nothing passes uncharged");
            trial.must(used <= all, "nothing is charged twice");
            trial.must(traffic.failed() == 0, "no exception reaches a caller");
        }
    }

    private static long remaining(Rig rig, Limit limit) {
        return Asks.look(rig.redis.engine(), Demand.of(limit, "k", 1)).remaining();
    }

    private static void mustHaveStoodIn(Trial trial, Traffic traffic, int first, int last) {
        trial.must(traffic.failed() == 0, "no exception reaches a caller");
        trial.must(traffic.degraded(first, last) > 0, "the fallback decides during the outage");
    }

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
