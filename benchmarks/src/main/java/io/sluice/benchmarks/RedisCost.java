package io.sluice.benchmarks;

import io.sluice.benchmarks.goals.Figures;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.Demand;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Measures what a decision costs Redis itself: the time that Redis runs the function, from {@code INFO commandstats}, and the memory
 * of a key. All contenders take turns on the same server, and the medians of their turns are compared.
 */
final class RedisCost {

    private static final long PLENTY = 1_000_000_000;
    private static final Duration WINDOW = Duration.ofSeconds(1);

    /** In the order of the table. */
    private static final Map<String, Function<String, List<Demand>>> DECISIONS = new LinkedHashMap<>();

    static {
        Limit.Named named = Limit.named("cost");
        DECISIONS.put("token bucket", asking(Workload.ONE));
        DECISIONS.put("leaky bucket", asking(named.leakyBucket(Rate.perSecond(PLENTY))));
        DECISIONS.put("fixed window", asking(named.fixedWindow(PLENTY, WINDOW)));
        DECISIONS.put("sliding window", asking(named.slidingWindow(PLENTY, WINDOW)));
        DECISIONS.put("four token buckets", RedisSluice::levels);
        Limit[] windows = IntStream.range(0, 4)
                .mapToObj(i -> Limit.named("cost" + i).fixedWindow(PLENTY, WINDOW))
                .toArray(Limit[]::new);
        DECISIONS.put("four fixed windows", key -> {
            List<Demand> demands = new ArrayList<>();
            for (Limit window : windows) {
                demands.add(Demand.of(window, key, 1));
            }
            return demands;
        });
    }

    private static final long RESERVED = 1_000;

    /** Decisions whose permits are settled afterwards. */
    private static final Map<String, Function<String, List<Demand>>> SETTLED = new LinkedHashMap<>();

    static {
        SETTLED.put("token bucket, settled", asking(Workload.ONE, RESERVED));
        SETTLED.put(
                "fixed window, settled",
                asking(Limit.named("settled").fixedWindow(Limit.MAX_CAPACITY, Duration.ofHours(1)), RESERVED));
    }

    /** Few enough for each call to be run as soon as it arrives, and enough to keep Redis at work. */
    private static final LoadShape SINGLE = new LoadShape("single", 16, false, 1_000);

    /** Enough for calls with at least 64 decisions. */
    private static final LoadShape BATCH = new LoadShape("batch", 512, false, 1_000);

    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int WARM_UPS = 6;
    private static final int KEYS = 100_000;
    private static final int WAVE = 250;
    private static final int MOST_TRIES = 1_000;

    private RedisCost() {}

    private record Entrant(LoadShape shape, String name, Contender contender) {}

    /** Measures and returns a table. */
    static String table(int turns, Figures figures) throws InterruptedException {
        StringBuilder table = new StringBuilder(String.format(
                "Time of Redis in µs per decision: running the function or script alone, and all its CPU time. *Settled* means that a decision%n"
                        + "reserves 1,000 permits and that they are settled in another call afterwards; both count.%n%n"
                        + "| %-7s | %-24s | %18s | %12s | %12s |%n",
                "calls", "decision", "decisions per call", "function us", "CPU us"));
        table.append("|---------|--------------------------|--------------------|--------------|--------------|\n");
        Map<Entrant, List<LoadTurn>> results = new LinkedHashMap<>();
        try (RedisServer server = RedisServer.start();
                RedisMeter meter = new RedisMeter(server.uri())) {
            List<Entrant> entrants = entrants(server.uri());
            for (int turn = -WARM_UPS; turn < turns; turn++) {
                for (Entrant each : entrants) {
                    LoadTurn result = each.shape.run(each.contender, meter, TURN_NANOS);
                    if (turn >= 0) {
                        results.computeIfAbsent(each, first -> new ArrayList<>())
                                .add(result);
                    }
                }
            }
            entrants.forEach(each -> each.contender.close());
        }
        results.forEach((entrant, all) -> {
            LoadTurn median = LoadTurn.median(all);
            figures.add(entrant.shape.name() + "/" + entrant.name + "/us", median.scriptMicros());
            figures.add(entrant.shape.name() + "/" + entrant.name + "/cpu us", median.redisMicros());
            table.append(String.format(
                    Locale.ROOT,
                    "| %-7s | %-24s | %18.1f | %12.2f | %12.2f |%n",
                    entrant.shape.name(),
                    entrant.name,
                    1 / median.calls(),
                    median.scriptMicros(),
                    median.redisMicros()));
        });
        double bytes = bytesPerKey();
        figures.add("bytes per key", bytes);
        double settled = bytesPerSettlement();
        figures.add("bytes per settlement", settled);
        table.append(String.format(
                Locale.ROOT,
                "%nMemory of Redis per token bucket with a name of 30 bytes, at %,d keys: %.0f B. To remember a settlement that has a name of%n"
                        + "%d bytes, until its reservation is too old: %.0f B%n",
                KEYS,
                bytes,
                RedisSluice.SETTLEMENT_NAME,
                settled));
        return table.toString();
    }

    private static List<Entrant> entrants(String uri) {
        List<Entrant> entrants = new ArrayList<>();
        entrants.add(new Entrant(SINGLE, "empty script", RedisPeers.trivial(uri)));
        entrants.add(new Entrant(SINGLE, "TIME, GET, SET PX", RedisPeers.stateOnly(uri)));
        DECISIONS.forEach(
                (name, demands) -> entrants.add(new Entrant(SINGLE, name, RedisSluice.deciding(uri, false, demands))));
        DECISIONS.forEach(
                (name, demands) -> entrants.add(new Entrant(BATCH, name, RedisSluice.deciding(uri, true, demands))));
        for (LoadShape shape : List.of(SINGLE, BATCH)) {
            SETTLED.forEach((name, demands) ->
                    entrants.add(new Entrant(shape, name, RedisSluice.settling(uri, shape.equals(BATCH), demands))));
        }
        return entrants;
    }

    private static Function<String, List<Demand>> asking(Limit limit) {
        return asking(limit, 1);
    }

    private static Function<String, List<Demand>> asking(Limit limit, long permits) {
        return key -> List.of(Demand.of(limit, key, permits));
    }

    /** The limit refills so slowly that no key expires during the measurement. A name begins with {@code sluice:u:tb:}. */
    private static double bytesPerKey() {
        Limit idle = Limit.named("u").tokenBucket(Rate.perDay(1)).withBurst(10);
        return bytesPerDecision(
                uri -> RedisSluice.deciding(uri, true, asking(idle)),
                user -> String.format(Locale.ROOT, "user-%013d", user));
    }

    private static double bytesPerSettlement() {
        return bytesPerDecision(
                uri -> RedisSluice.settling(uri, true, asking(Workload.ONE, RESERVED)), user -> "everybody");
    }

    private static double bytesPerDecision(Function<String, Contender> contender, IntFunction<String> keys) {
        try (RedisServer server = RedisServer.start();
                Contender sluice = contender.apply(server.uri())) {
            sluice.decide("warm-up");
            long before = Long.parseLong(server.info("used_memory"));
            for (int i = 0; i < KEYS; i += WAVE) {
                decideAll(
                        sluice,
                        IntStream.range(i, Math.min(KEYS, i + WAVE))
                                .mapToObj(keys)
                                .toList());
            }
            return (double) (Long.parseLong(server.info("used_memory")) - before) / KEYS;
        }
    }

    /** Decides about each key. If Redis did not decide in time, because the machine is busy, asks again. */
    private static void decideAll(Contender contender, List<String> keys) {
        List<String> open = keys;
        for (int tries = 0; !open.isEmpty(); tries++) {
            if (tries == MOST_TRIES) {
                throw new IllegalStateException("Redis does not decide about " + open);
            }
            List<String> asked = open;
            List<? extends CompletableFuture<?>> answers = asked.stream()
                    .map(key -> contender.decideAsync(key).toCompletableFuture())
                    .toList();
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                    .exceptionally(failure -> null)
                    .join();
            open = IntStream.range(0, asked.size())
                    .filter(i -> answers.get(i).isCompletedExceptionally())
                    .mapToObj(asked::get)
                    .toList();
        }
    }
}
