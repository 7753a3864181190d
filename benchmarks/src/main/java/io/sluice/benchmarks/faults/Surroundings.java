package io.sluice.benchmarks.faults;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Clocks differ, the memory of Redis is full or evicted, or many nodes reconnect. */
final class Surroundings {

    private static final Duration MOMENT = Duration.ofMillis(700);

    /** A generous bound for the commands that a reconnecting node sends to Redis. */
    private static final int MOST_TO_CONNECT = 100;

    private Surroundings() {}

    /** Three nodes ask for the same limits. The clock of one is an hour ahead, that of another an hour behind. */
    static void clientClocks(Trial trial) {
        List<Limit> limits = List.of(
                Limit.named("day").fixedWindow(100, Calendar.DAY, ZoneOffset.UTC),
                Limit.named("bucket").tokenBucket(Rate.perDay(1)).withBurst(100),
                Limit.named("log").slidingLog(100, Duration.ofHours(1)));
        try (RedisServer server = RedisServer.start();
                Rig right = Rig.patient(server.uri(), Clock.system());
                Rig ahead = Rig.patient(server.uri(), offBy(Duration.ofHours(1)));
                Rig behind = Rig.patient(server.uri(), offBy(Duration.ofHours(-1)))) {
            long changed = 0;
            for (Limit limit : limits) {
                long passed = 0;
                for (int i = 0; i < 150; i++) {
                    Rig rig = List.of(right, ahead, behind).get(i % 3);
                    passed += Asks.passes(rig.redis.engine(), Demand.of(limit, "k", 1)) ? 1 : 0;
                }
                changed += Math.abs(passed - 100);
            }
            trial.figure("changed decisions", (double) changed, 0, "");
            trial.must(changed == 0, "the clocks of nodes change no decision");
        }
    }

    private static Clock offBy(Duration offset) {
        Clock system = Clock.system();
        return new Clock() {
            @Override
            public long nanoTime() {
                return system.nanoTime() + offset.toNanos();
            }

            @Override
            public long epochMicros() {
                return system.epochMicros() + offset.toNanos() / 1_000;
            }

            @Override
            public Alarm at(long atNanos, Runnable task) {
                return system.at(atNanos - offset.toNanos(), task);
            }
        };
    }

    static void evicting(Trial trial) {
        try (RedisServer server = RedisServer.start("--maxmemory-policy", "allkeys-lru");
                Rig rig = new Rig(server.uri())) {
            Traffic.await(() -> !rig.redis.findings().isEmpty());
            trial.note("\"" + rig.redis.findings().get(0).replaceAll("at [^:]*:[0-9]*: ", "") + "\"");
        }
    }

    static void memoryFull(Trial trial) {
        int keys = trial.times(2_000, 50);
        Limit three = Limit.named("three").tokenBucket(Rate.perDay(1)).withBurst(3);
        try (RedisServer server = RedisServer.start();
                Rig rig = Rig.patient(server.uri(), Clock.system())) {
            for (int i = 0; i < keys; i++) {
                Asks.passes(rig.redis.engine(), Demand.of(three, "k" + i, 1));
            }
            server.command("CONFIG", "SET", "maxmemory", "1");
            long wrong = 0;
            for (int i = 0; i < 4 * keys; i++) {
                boolean passes = Asks.passes(rig.redis.engine(), Demand.of(three, "k" + i % keys, 1));
                wrong += passes == i < 2 * keys ? 0 : 1;
            }
            long decided = 0;
            for (int i = 0; i < keys; i++) {
                decided += Asks.passes(rig.redis.engine(), Demand.of(three, "new" + i, 1)) ? 1 : 0;
            }
            trial.figure("wrong among " + 4 * keys + " decisions on existing keys", (double) wrong, 0, "");
            trial.figure("decided by Redis among " + keys + " new keys", (double) decided, 0, "");
            trial.must(wrong == 0 && decided == 0, "existing keys are enforced, new keys follow on_failure");
        }
    }

    static void reconnecting(Trial trial) {
        int nodes = trial.times(50, 8);
        Duration window = trial.lasting(Duration.ofSeconds(5), Duration.ofSeconds(2));
        List<Rig> rigs = new ArrayList<>();
        List<Traffic> all = new ArrayList<>();
        try (RedisServer server = RedisServer.start()) {
            try {
                for (int i = 0; i < nodes; i++) {
                    rigs.add(new Rig(server.uri()));
                }
                for (Rig rig : rigs) {
                    all.add(Traffic.on(rig.engine, 50, Duration.ofMinutes(1), Rig::plenty));
                }
                all.get(0).goOn(MOMENT);
                Work steady = workIn(server, all, window);
                server.command("CLIENT", "KILL", "TYPE", "normal");
                Work after = workIn(server, all, window);
                Traffic.await(() -> rigs.stream().allMatch(rig -> rig.redis.isReady()));
                trial.note(nodes + " nodes");
                trial.figure(
                        "operations relative to steady load", after.operations / (double) steady.operations, 1.5, "×");
                // Per request, because a busy machine may send fewer requests in one window than in the other.
                double usual = steady.operations / (double) steady.asks;
                trial.must(
                        after.operations < 3 * usual * after.asks + nodes * MOST_TO_CONNECT,
                        "no reconnect storm: " + after + ", steady load " + steady);
                trial.must(all.stream().allMatch(traffic -> traffic.failed() == 0), "no exception reaches a caller");
            } finally {
                all.forEach(Traffic::close);
                rigs.forEach(Rig::close);
            }
        }
    }

    /** The requests sent and the commands that Redis processed. */
    private record Work(long asks, long operations) {}

    private static Work workIn(RedisServer server, List<Traffic> all, Duration window) {
        long asks = all.stream().mapToLong(Traffic::mark).sum();
        long before = Long.parseLong(server.info("total_commands_processed"));
        all.get(0).goOn(window);
        return new Work(
                all.stream().mapToLong(Traffic::mark).sum() - asks,
                Long.parseLong(server.info("total_commands_processed")) - before);
    }
}
