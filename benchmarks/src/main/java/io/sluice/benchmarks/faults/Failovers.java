package io.sluice.benchmarks.faults;

import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.time.Clock;
import io.sluice.history.CheckReport;
import io.sluice.testkit.redis.RedisPair;
import io.sluice.testkit.redis.RedisSentinels;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;

/** Replication stops, the primary goes on granting for a while, and then a replica without these grants takes over. */
final class Failovers {

    private static final Duration MOMENT = Duration.ofMillis(700);
    private static final Duration AT_MOST = Duration.ofMinutes(2);

    private final Trial trial;
    private double worst;
    private double slowest;
    private long steps;
    private long unchecked;
    private long missing;

    private Failovers(Trial trial) {
        this.trial = trial;
    }

    static void all(Trial trial) throws IOException {
        Failovers failovers = new Failovers(trial);
        failovers.bySentinels(trial.times(20, 1));
        failovers.seeded(trial.times(200, 2));
    }

    private void bySentinels(int runs) throws IOException {
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(20)).withBurst(50);
        for (int run = 0; run < runs; run++) {
            Histories histories = new Histories();
            try (RedisSentinels sentinels = RedisSentinels.start(1);
                    Rig rig = new Rig(Rig.bare(sentinels.uri()).recording(histories.recording()), Clock.system());
                    Traffic traffic = asking(rig, i -> List.of(Demand.of(limit, "k", 1)))) {
                long began = System.nanoTime();
                traffic.goOn(MOMENT);
                long since = System.nanoTime();
                sentinels.awaitReplication();
                sentinels.stopReplication();
                traffic.goOn(Duration.ofMillis(500));
                sentinels.killPrimary();
                double lost = (System.nanoTime() - since) / 1e9;
                sentinels.awaitFailover();
                slowest = Math.max(slowest, traffic.untilDecidedByRedis(System.nanoTime()));
                traffic.goOn(MOMENT);
                judge(traffic, limit, 20, began, lost);
            }
            judge(histories);
        }
        trial.note(runs + " failovers by Sentinel");
        trial.figure("recovered on the new primary after at most", slowest, 1_000, "ms");
    }

    private void seeded(int runs) throws IOException {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println("F6: seed " + seed);
        Random random = new Random(seed);
        try (RedisPair pair = RedisPair.start()) {
            for (int run = 0; run < runs; run++) {
                if (run > 0) {
                    pair.mend();
                }
                run(pair, "k" + run, random);
            }
        }
        trial.note(runs + " more, seed " + seed);
        trial.figure("extra / (b + r × lost interval)", Math.max(0, worst), 1, "");
        trial.note(steps + " steps checked, " + unchecked + " of unknown order, " + missing + " not recorded");
    }

    /** One node makes each decision in Redis, on a bucket whose bound is checked. Another node has leases, on a random limit. */
    private void run(RedisPair pair, String key, Random random) throws IOException {
        long rate = 20L + random.nextInt(200);
        Limit limit = Limit.named("x").tokenBucket(Rate.perSecond(rate)).withBurst(1 + random.nextInt(200));
        Limit other = limit(random);
        // If replication stops before the limit is used, the whole burst may be spent twice.
        boolean unused = random.nextInt(3) == 0;
        Histories histories = new Histories();
        try (Rig rig = new Rig(Rig.bare(pair.uri()).recording(histories.recording()), Clock.system());
                Rig leasing = new Rig(Rig.leasing(pair.uri()).recording(histories.recording()), Clock.system())) {
            long since = System.nanoTime();
            if (unused) {
                pair.awaitReplication();
                pair.stopReplication();
            }
            long began = System.nanoTime();
            try (Traffic traffic = asking(rig, i -> List.of(Demand.of(limit, key, 1)));
                    Traffic leased = asking(
                            leasing, i -> List.of(Demand.of(other, key, 1).leasedBy(Rig.LEASED)))) {
                if (!unused) {
                    traffic.goOn(Duration.ofMillis(random.nextInt(300)));
                    since = System.nanoTime();
                    pair.awaitReplication();
                    pair.stopReplication();
                }
                traffic.goOn(Duration.ofMillis(random.nextInt(300)));
                pair.killPrimary();
                double lost = (System.nanoTime() - since) / 1e9;
                pair.takeOver();
                traffic.untilDecidedByRedis(System.nanoTime());
                traffic.goOn(Duration.ofMillis(100 + random.nextInt(200)));
                leased.untilDecided();
                trial.must(leased.failed() == 0, "no exception reaches a caller");
                judge(traffic, limit, rate, began, lost);
            }
        }
        judge(histories);
    }

    private static Limit limit(Random random) {
        Limit.Named named = Limit.named("y");
        long permits = 50L + random.nextInt(200);
        Duration window = Duration.ofMillis(200 + random.nextInt(800));
        return switch (random.nextInt(6)) {
            case 0 -> named.tokenBucket(Rate.perSecond(permits)).withBurst(permits);
            case 1 -> named.leakyBucket(Rate.perSecond(permits)).withCapacity(permits);
            case 2 -> named.fixedWindow(permits, window);
            case 3 -> named.slidingWindow(permits, window);
            case 4 -> named.slidingLog(permits, window);
            default -> named.concurrency(permits, window);
        };
    }

    private static Traffic asking(Rig rig, IntFunction<List<Demand>> demands) {
        return Traffic.on(rig.engine, 200, AT_MOST, FailurePolicy.CLOSED, demands);
    }

    private void judge(Traffic traffic, Limit limit, long rate, long beganNanos, double lostSeconds) {
        long now = System.nanoTime();
        int last = traffic.markAt(now);
        traffic.untilDecided();
        double allowed = limit.capacity() + rate * (now - beganNanos) / 1e9;
        double extra = traffic.passed(0, last) - allowed;
        double bound = limit.capacity() + rate * lostSeconds;
        worst = Math.max(worst, extra / bound);
        trial.must(extra <= bound, "extra " + extra + " (bound: " + bound + ")");
        trial.must(traffic.failed() == 0, "no exception reaches a caller");
    }

    private void judge(Histories histories) throws IOException {
        CheckReport report = histories.check(trial);
        steps += report.steps();
        unchecked += report.unchecked();
        missing += report.missing();
    }
}
