package io.sluice.benchmarks;

import io.sluice.benchmarks.goals.Figures;
import io.sluice.testkit.redis.RedisServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Compares the throughput of limiters on a real Redis under concurrent load. All take turns of one second on the same server. The
 * medians of their turns are compared, because other programs may use the machine too.
 */
final class RedisLoad {

    /** Leases answer at once, so with them no request is ever in flight. */
    private static final String LEASES = "sluice, leases";

    private static final Map<String, Function<String, Contender>> CONTENDERS = new LinkedHashMap<>();

    static {
        CONTENDERS.put("trivial EVALSHA", RedisPeers::trivial);
        CONTENDERS.put("sluice", RedisSluice::coalesced);
        CONTENDERS.put("sluice, recorded", RedisSluice::recorded);
        CONTENDERS.put("sluice, single calls", RedisSluice::single);
        CONTENDERS.put("sluice, four levels", RedisSluice::four);
        CONTENDERS.put("sluice, four levels in single calls", RedisSluice::fourSingle);
        CONTENDERS.put("sluice, four calls", RedisSluice::fourCalls);
        CONTENDERS.put(LEASES, uri -> RedisSluice.leased(uri, 0));
        CONTENDERS.put(LEASES + " of 1000", uri -> RedisSluice.leased(uri, 1_000));
        CONTENDERS.put(LEASES + " of 10000", uri -> RedisSluice.leased(uri, 10_000));
        CONTENDERS.put(LEASES + ", recorded", RedisSluice::leasedAndRecorded);
        CONTENDERS.put("bucket4j", RedisPeers::bucket4j);
        CONTENDERS.put("redisson", RedisPeers::redisson);
        CONTENDERS.put("gateway script", RedisPeers::gateway);
    }

    private static final List<LoadShape> SHAPES = List.of(
            new LoadShape("1 caller", 1, true, 1_000),
            new LoadShape("64 callers", 64, true, 1_000),
            new LoadShape("64 callers, hot key", 64, true, 1),
            new LoadShape("256 in flight", 256, false, 1_000),
            new LoadShape("256 in flight, hot key", 256, false, 1),
            new LoadShape("1024 in flight", 1_024, false, 1_000));

    private RedisLoad() {}

    /** Returns a table of all combinations of load and limiter for which {@code load/limiter} matches the pattern. */
    static String table(Pattern wanted, int turns, Figures figures) throws Exception {
        StringBuilder table = new StringBuilder(String.format(
                "| %-24s | %-35s | %9s | %7s | %7s | %9s | %10s | %9s |%n",
                "load", "limiter", "per s", "p50 us", "p99 us", "calls", "Redis us", "client us"));
        table.append(
                "|--------------------------|-------------------------------------|-----------|---------|---------|-----------|"
                        + "------------|-----------|\n");
        for (LoadShape shape : SHAPES) {
            Map<String, List<LoadTurn>> results = new LinkedHashMap<>();
            try (RedisServer server = RedisServer.start();
                    RedisMeter meter = new RedisMeter(server.uri())) {
                Map<String, Contender> contenders = new LinkedHashMap<>();
                CONTENDERS.forEach((name, make) -> {
                    boolean shown = shape.blocking() || !name.startsWith(LEASES);
                    if (shown && wanted.matcher(shape.name() + "/" + name).find()) {
                        contenders.put(name, make.apply(server.uri()));
                    }
                });
                // The first shape needs more warm-up, until the code is compiled.
                for (int turn = table.indexOf("sluice") < 0 ? -Math.min(8, turns + 2) : -2; turn < turns; turn++) {
                    for (Map.Entry<String, Contender> each : contenders.entrySet()) {
                        LoadTurn result = shape.run(each.getValue(), meter);
                        if (turn >= 0) {
                            results.computeIfAbsent(each.getKey(), name -> new ArrayList<>())
                                    .add(result);
                        }
                    }
                }
                contenders.values().forEach(Contender::close);
            }
            results.forEach((name, all) -> {
                LoadTurn median = LoadTurn.median(all);
                figures.add(shape.name() + "/" + name + "/per s", median.perSecond());
                figures.add(shape.name() + "/" + name + "/p99 us", median.p99Micros());
                table.append(row(shape.name(), name, median));
            });
        }
        return table.toString();
    }

    private static String row(String shape, String name, LoadTurn turn) {
        return String.format(
                Locale.ROOT,
                "| %-24s | %-35s | %9.0f | %7.0f | %7.0f | %9.3f | %10.2f | %9.2f |%n",
                shape,
                name,
                turn.perSecond(),
                turn.p50Micros(),
                turn.p99Micros(),
                turn.calls(),
                turn.redisMicros(),
                turn.clientMicros());
    }
}
