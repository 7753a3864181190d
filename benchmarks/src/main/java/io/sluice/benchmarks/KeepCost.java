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
import java.util.function.LongFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Compares decisions that keep permits for others with decisions that do not. The two are the same otherwise, and take short turns in one
 * run. The table shows CPU time: of the deciding thread, or of Redis and of the threads that ask it. Other programs on the machine
 * disturb that less than the time that passes.
 */
final class KeepCost {

    private static final int DECISIONS = 20_000;
    private static final int WARM_UPS = 60;
    private static final int TURNS_IN_PROCESS = 20;
    private static final int TURNS_ON_REDIS = 4;
    private static final long NANOS_ON_REDIS = 60_000_000;
    private static final int WARM_UPS_ON_REDIS = 16;

    private static final String KEY = "all";
    private static final long KEPT = 1_000;

    private static final LoadShape ALONE = new LoadShape("1 caller", 1, true, 1);
    private static final LoadShape MANY = new LoadShape("256 in flight", 256, false, 1);

    private final StringBuilder table = new StringBuilder();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Figures figures;
    private final int turns;
    private double worst;

    /** One turn of a contender. */
    private interface Turn<C, M> {
        M measure(C contender) throws Exception;
    }

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
                "CPU time of a decision in µs: medians of %d turns on Redis and %d in process. Three contenders take turns: two without `keep`%n"
                        + "and one with it. Each ratio is the median of the ratios of neighbouring turns. *Noise* is the ratio of the two without%n"
                        + "`keep`: they are alike, so it shows how far a ratio can be trusted. A caller's CPU time is that of its Java threads; what%n"
                        + "is left for the collector shows in the bytes that they allocate for a decision.%n%n",
                TURNS_ON_REDIS * turns,
                TURNS_IN_PROCESS * turns));
        table.append(
                "| decision                                              | without keep | with keep | ratio | noise |\n");
        table.append(
                "|-------------------------------------------------------|--------------|-----------|-------|-------|\n");
        for (Limit limit : limits()) {
            inProcess("in process, " + limit.name(), keep -> deciding(limit, keep, true), KEPT);
        }
        Limit empty = Limit.named("empty").tokenBucket(Rate.perDay(1));
        inProcess("in process, token_bucket, refused", keep -> deciding(empty, keep, false), 1);
        inProcess("by rules in process", KeepCost::ruling, 20);
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

    /** Decides by a rule with an override that keeps a part in percent. */
    private static BooleanSupplier ruling(long percent) {
        String numbers = percent == 0 ? "burst: 900000000" : "burst: 900000000, keep: " + percent + "%";
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

    private void inProcess(String name, LongFunction<BooleanSupplier> deciding, long keep) throws Exception {
        List<BooleanSupplier> decisions = List.of(deciding.apply(0), deciding.apply(0), deciding.apply(keep));
        row(name, takeTurns(decisions, WARM_UPS, TURNS_IN_PROCESS * turns, this::micros));
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
        List<Demand> plain = List.of(Demand.of(limit, KEY, 1));
        List<Demand> keeping = List.of(plain.get(0).keeping(KEPT));
        List<List<LoadTurn>> measured;
        try (RedisServer server = RedisServer.start();
                RedisMeter meter = new RedisMeter(server.uri());
                Contender one = RedisSluice.deciding(server.uri(), coalescing, key -> plain);
                Contender again = RedisSluice.deciding(server.uri(), coalescing, key -> plain);
                Contender other = RedisSluice.deciding(server.uri(), coalescing, key -> keeping)) {
            measured = takeTurns(
                    List.of(one, again, other),
                    WARM_UPS_ON_REDIS,
                    TURNS_ON_REDIS * turns,
                    contender -> shape.run(contender, meter, NANOS_ON_REDIS));
        }
        String name = limit.name() + ", " + shape.name();
        row("Redis, " + name, each(measured, LoadTurn::redisMicros));
        row("caller of Redis, " + name, each(measured, LoadTurn::threadMicros));
        row("bytes of that caller, " + name, each(measured, LoadTurn::threadBytes));
    }

    /**
     * Lets contenders take turns and returns a measurement of each for each round. The one that begins changes from round to round.
     *
     * @return for each contender its measurements
     */
    private static <C, M> List<List<M>> takeTurns(List<C> contenders, int warmUps, int rounds, Turn<C, M> turn)
            throws Exception {
        List<List<M>> measured = new ArrayList<>();
        contenders.forEach(each -> measured.add(new ArrayList<>()));
        for (int round = -warmUps; round < rounds; round++) {
            for (int i = 0; i < contenders.size(); i++) {
                int who = Math.floorMod(round + i, contenders.size());
                M one = turn.measure(contenders.get(who));
                if (round >= 0) {
                    measured.get(who).add(one);
                }
            }
        }
        return measured;
    }

    private static List<List<Double>> each(List<List<LoadTurn>> turns, ToDoubleFunction<LoadTurn> what) {
        return turns.stream()
                .map(mine -> mine.stream().map(what::applyAsDouble).toList())
                .toList();
    }

    /** Adds a row about two contenders without `keep` and one with it. */
    private void row(String name, List<List<Double>> micros) {
        double ratio = ratio(micros.get(2), micros.get(0));
        worst = Math.max(worst, ratio);
        figures.add(name + "/ratio", ratio);
        table.append(String.format(
                Locale.ROOT,
                "| %-53s | %12.3f | %9.3f | %5.2f | %5.2f |%n",
                name,
                median(micros.get(0)),
                median(micros.get(2)),
                ratio,
                ratio(micros.get(1), micros.get(0))));
    }

    private static double ratio(List<Double> some, List<Double> others) {
        return median(IntStream.range(0, some.size())
                .mapToObj(i -> some.get(i) / others.get(i))
                .toList());
    }

    private static double median(List<Double> values) {
        return values.stream().mapToDouble(each -> each).sorted().toArray()[values.size() / 2];
    }
}
