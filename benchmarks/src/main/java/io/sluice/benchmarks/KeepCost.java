package io.sluice.benchmarks;

import io.sluice.benchmarks.goals.Figures;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling.Settled;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.redis.RedisServer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.ToDoubleFunction;

/**
 * Compares decisions that keep permits for others with decisions that do not. The two are the same otherwise, and take short turns in one
 * run. The table shows CPU time: of the deciding thread, or of Redis and of the process that asks it. Other programs on the machine
 * disturb that less than the time that passes.
 */
final class KeepCost {

    private static final int DECISIONS = 20_000;
    private static final int WARM_UPS = 60;
    private static final int TURNS_IN_PROCESS = 20;
    private static final int TURNS_ON_REDIS = 4;
    private static final long NANOS_ON_REDIS = 60_000_000;
    private static final int WARM_UPS_ON_REDIS = 16;

    /** The CPU time of a process is known in steps of 10 ms, too coarse for one short turn. So this many are added up. */
    private static final int TURNS_ADDED = 10;

    private static final String KEY = "all";
    private static final long KEPT = 1_000;

    private static final LoadShape ALONE = new LoadShape("1 caller", 1, true, 1);
    private static final LoadShape MANY = new LoadShape("256 in flight", 256, false, 1);

    private final StringBuilder table = new StringBuilder();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Figures figures;
    private final int turns;
    private double worst;

    private KeepCost(int turns, Figures figures) {
        this.turns = turns;
        this.figures = figures;
    }

    /** Measures and returns a table. */
    static String table(int turns, Figures figures) throws Exception {
        return new KeepCost(turns, figures).measured();
    }

    private String measured() throws Exception {
        double before = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        table.append(String.format(
                Locale.ROOT,
                "CPU time of a decision in µs: medians of %d turns on Redis and %d in process. With and without `keep` alternate, and the ratio%n"
                        + "is the median of the ratios of neighbouring turns. On Redis, each %d neighbouring turns are added up.%n%n",
                TURNS_ON_REDIS * turns,
                TURNS_IN_PROCESS * turns,
                TURNS_ADDED));
        table.append("| decision                                              | without keep | with keep | ratio |\n");
        table.append("|-------------------------------------------------------|--------------|-----------|-------|\n");
        for (Limit limit : limits()) {
            inProcess("in process, " + limit.name(), deciding(limit, 0, true), deciding(limit, KEPT, true));
        }
        Limit empty = Limit.named("empty").tokenBucket(Rate.perDay(1));
        inProcess("in process, token_bucket, refused", deciding(empty, 0, false), deciding(empty, 1, false));
        inProcess("by rules in process", ruling("burst: 900000000"), ruling("burst: 900000000, keep: 20%"));
        for (Limit limit : limits()) {
            onRedis(limit, ALONE, false);
            onRedis(limit, MANY, true);
        }
        figures.add("worst ratio", worst);
        table.append(
                String.format(Locale.ROOT, "%nThe load average of the machine was %.1f before this part.%n", before));
        return table.toString();
    }

    private static List<Limit> limits() {
        return List.of(
                Limit.named("token_bucket").tokenBucket(Rate.perSecond(1_000_000_000)),
                Limit.named("fixed_window").fixedWindow(1_000_000_000, Duration.ofHours(1)),
                Limit.named("sliding_window").slidingWindow(1_000_000_000, Duration.ofHours(1)),
                Limit.named("leaky_bucket").leakyBucket(Rate.perSecond(1_000_000_000)));
    }

    private static BooleanSupplier deciding(Limit limit, long keep, boolean allowed) {
        Limiter limiter = new Limiter(new LocalEngine(Clock.system()), Clock.system(), List.of());
        List<Demand> demands = List.of(Demand.of(limit, KEY, 1).keeping(keep));
        if (!allowed) {
            limiter.decide(limit, KEY);
        }
        return () -> limiter.decide(demands).allowed() == allowed;
    }

    /** Decides by a rule with an override that has these numbers. */
    private static BooleanSupplier ruling(String numbers) {
        RuleSet rules = new RuleSet(1, MixedRules.parsed("""
                rules:
                  - id: capacity
                    limits: [{ id: all, rate: 1000000000/s }]
                    overrides:
                      - { when: { plan: batch }, of: all, rate: 900000000/s, %s }
                """.formatted(numbers)));
        Clock clock = Clock.system();
        Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
        Evaluator evaluator = new Evaluator(
                () -> rules, local, null, KeySettings.ofThisProcess(), clock, (Settled ruled, long nanos) -> {});
        Attributes request = Attributes.of(Map.of("plan", "batch", "path", "/reports"));
        return () ->
                ((Settled) evaluator.evaluate(request, 1).toCompletableFuture().join()).allowed();
    }

    private void inProcess(String name, BooleanSupplier plain, BooleanSupplier keeping) {
        List<Double> without = new ArrayList<>();
        List<Double> with = new ArrayList<>();
        for (int turn = -WARM_UPS; turn < TURNS_IN_PROCESS * turns; turn++) {
            boolean keepFirst = (turn & 1) == 0;
            double first = micros(keepFirst ? keeping : plain);
            double second = micros(keepFirst ? plain : keeping);
            if (turn >= 0) {
                with.add(keepFirst ? first : second);
                without.add(keepFirst ? second : first);
            }
        }
        row(name, without, with);
    }

    private double micros(BooleanSupplier decision) {
        long start = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < DECISIONS; i++) {
            if (!decision.getAsBoolean()) {
                throw new IllegalStateException("another decision than expected");
            }
        }
        return (threads.getCurrentThreadCpuTime() - start) / 1e3 / DECISIONS;
    }

    private void onRedis(Limit limit, LoadShape shape, boolean coalescing) throws Exception {
        List<LoadTurn> without = new ArrayList<>();
        List<LoadTurn> with = new ArrayList<>();
        List<Demand> plain = List.of(Demand.of(limit, KEY, 1));
        List<Demand> keeping = List.of(plain.get(0).keeping(KEPT));
        try (RedisServer server = RedisServer.start();
                RedisMeter meter = new RedisMeter(server.uri());
                Contender one = RedisSluice.deciding(server.uri(), coalescing, key -> plain);
                Contender other = RedisSluice.deciding(server.uri(), coalescing, key -> keeping)) {
            for (int turn = -WARM_UPS_ON_REDIS; turn < TURNS_ON_REDIS * turns; turn++) {
                boolean keepFirst = (turn & 1) == 0;
                LoadTurn first = shape.run(keepFirst ? other : one, meter, NANOS_ON_REDIS);
                LoadTurn second = shape.run(keepFirst ? one : other, meter, NANOS_ON_REDIS);
                if (turn >= 0) {
                    with.add(keepFirst ? first : second);
                    without.add(keepFirst ? second : first);
                }
            }
        }
        String name = limit.name() + ", " + shape.name();
        row("Redis, " + name, of(without, LoadTurn::redisMicros), of(with, LoadTurn::redisMicros));
        row("caller of Redis, " + name, of(without, LoadTurn::clientMicros), of(with, LoadTurn::clientMicros));
    }

    /** Returns the mean of a time over the decisions of each group of turns. */
    private static List<Double> of(List<LoadTurn> turns, ToDoubleFunction<LoadTurn> what) {
        List<Double> means = new ArrayList<>();
        for (int from = 0; from < turns.size(); from += TURNS_ADDED) {
            double decisions = 0;
            double micros = 0;
            for (LoadTurn turn : turns.subList(from, Math.min(turns.size(), from + TURNS_ADDED))) {
                decisions += turn.decisions();
                micros += turn.decisions() * what.applyAsDouble(turn);
            }
            means.add(micros / decisions);
        }
        return means;
    }

    private void row(String name, List<Double> without, List<Double> with) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < with.size(); i++) {
            ratios.add(with.get(i) / without.get(i));
        }
        double ratio = median(ratios);
        worst = Math.max(worst, ratio);
        figures.add(name + "/ratio", ratio);
        table.append(String.format(
                Locale.ROOT, "| %-53s | %12.3f | %9.3f | %5.2f |%n", name, median(without), median(with), ratio));
    }

    private static double median(List<Double> values) {
        return values.stream().mapToDouble(each -> each).sorted().toArray()[values.size() / 2];
    }
}
