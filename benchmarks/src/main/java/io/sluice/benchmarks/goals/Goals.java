package io.sluice.benchmarks.goals;

import static io.sluice.benchmarks.goals.Goal.atLeast;
import static io.sluice.benchmarks.goals.Goal.atMost;
import static io.sluice.benchmarks.goals.Quantity.figure;
import static io.sluice.benchmarks.goals.Quantity.least;
import static io.sluice.benchmarks.goals.Quantity.most;
import static io.sluice.benchmarks.goals.Quantity.ratio;
import static io.sluice.benchmarks.goals.Unit.BYTES;
import static io.sluice.benchmarks.goals.Unit.COUNT;
import static io.sluice.benchmarks.goals.Unit.MEGABYTES;
import static io.sluice.benchmarks.goals.Unit.MILLIS;
import static io.sluice.benchmarks.goals.Unit.PERCENT;
import static io.sluice.benchmarks.goals.Unit.SECONDS;
import static io.sluice.benchmarks.goals.Unit.TIMES;

import java.util.List;

/** All goals. Speeds are compared with those of peers in the same run, because absolute times say little about another machine. */
final class Goals {

    /** Goals with a title in common. */
    record Section(String title, List<Goal> goals) {}

    private static final String SPREAD = "redis/64 callers/";
    private static final String HOT = "redis/64 callers, hot key/";
    private static final String IN_FLIGHT = "redis/256 in flight/";
    private static final String COST = "redis-cost/";
    private static final String FLEET = "fleet/10,000 per s/";
    private static final String HTTP1 = "gateway/HTTP/1.1/";
    private static final String SERVICES = "services/";
    private static final String GO = "envoyproxy/ratelimit";

    /** A single decision before its function was made short, as a multiple of TIME, GET and SET PX alone: 19.7 of 12.0 µs. */
    private static final double SINGLE_CALL_OF_OLD = 1.64;

    static final List<Section> SECTIONS = List.of(
            new Section("1. In process", inProcess()),
            new Section("2. Redis", redis()),
            new Section("3. Leases", leases()),
            new Section("4. Node, starter, rules", node()),
            new Section("5. Beside the Go services", services()));

    private Goals() {}

    private static List<Goal> inProcess() {
        Quantity allowed = latest("InProcess.sluiceGate");
        Quantity refused = latest("Refused.sluiceGate");
        Quantity two = latest("TwoThreads.refusedSluice");
        return List.of(
                atMost(
                        "allowed, against a clock read and a compare-and-set",
                        allowed.per(latest("InProcess.floor")),
                        1.10,
                        TIMES),
                atMost("refused, against a clock read", refused.per(latest("Refused.floor")), 1.15, TIMES),
                atLeast(
                        "fastest peer's time against Sluice's, allowed",
                        fastestPeer("InProcess.").per(allowed),
                        1.35,
                        TIMES),
                atLeast(
                        "fastest peer's time against Sluice's, refused",
                        fastestPeer("Refused.").per(refused),
                        1.45,
                        TIMES),
                atLeast(
                        "Bucket4j's probe against a decision with all details",
                        latest("InProcess.bucket4jRich").per(latest("InProcess.sluiceGateRich")),
                        1.8,
                        TIMES),
                atMost(
                        "allocated by a decision with all details",
                        latest("InProcess.sluiceGateRich/B").rounded(),
                        0,
                        BYTES),
                atMost("allocated by Limiter.decide", latest("InProcess.sluiceLimiter/B"), 64, BYTES),
                atMost(
                        "Limiter.decide against Gate",
                        latest("InProcess.sluiceLimiter").per(allowed),
                        2,
                        TIMES),
                atMost(
                        "Limiter.decide against Gate, refused",
                        latest("Refused.sluiceLimiter").per(refused),
                        2,
                        TIMES),
                atLeast(
                        "Bucket4j's time against Sluice's, 2 threads, one key, refused",
                        latest("TwoThreads.refusedBucket4j").per(two),
                        1.5,
                        TIMES),
                atLeast(
                        "Guava's time against Sluice's, 2 threads, one key, refused",
                        latest("TwoThreads.refusedGuava").per(two),
                        3,
                        TIMES),
                atLeast(
                        "Resilience4j's time against Sluice's, 2 threads, one key, allowed",
                        latest("TwoThreads.allowedResilience4j").per(latest("TwoThreads.allowedSluice")),
                        1,
                        TIMES),
                atLeast(
                        "fastest peer's time against striped, 2 threads, one key, allowed",
                        least(List.of(
                                        "latest/TwoThreads.allowedGuava",
                                        "latest/TwoThreads.allowedBucket4j",
                                        "latest/TwoThreads.allowedResilience4j"))
                                .per(latest("TwoThreads.allowedSluiceStriped")),
                        10,
                        TIMES),
                atLeast(
                        "ConcurrentHashMap + Bucket4j, time against Sluice's, 1 M keys",
                        latest("ManyKeys.bucket4j 1000000").per(latest("ManyKeys.sluice 1000000")),
                        1.9,
                        TIMES),
                atLeast(
                        "ConcurrentHashMap + Guava, time against Sluice's, 1 M keys",
                        latest("ManyKeys.guava 1000000").per(latest("ManyKeys.sluiceTry 1000000")),
                        1.2,
                        TIMES),
                atLeast(
                        "ConcurrentHashMap + Guava, time against Limiter.decide, 1 M keys",
                        latest("ManyKeys.guava 1000000").per(latest("ManyKeys.sluiceLimiter 1000000")),
                        1,
                        TIMES),
                atMost("heap per idle key, without the text of the key", latest("heap per key/Sluice"), 48, BYTES),
                atMost(
                        "four limits at once, against one",
                        latest("InProcess.sluiceFour").per(latest("InProcess.sluiceLimiter")),
                        4.4,
                        TIMES),
                atMost(
                        "the same, sharper goal",
                        latest("InProcess.sluiceFour").per(latest("InProcess.sluiceLimiter")),
                        2.2,
                        TIMES));
    }

    private static List<Goal> redis() {
        return List.of(
                faster("decisions of 64 callers, against Bucket4j, spread keys", SPREAD, "sluice", "bucket4j", 4),
                faster("decisions of 64 callers, against Bucket4j, one hot key", HOT, "sluice", "bucket4j", 50),
                faster("decisions of 64 callers, against Redisson, spread keys", SPREAD, "sluice", "redisson", 8),
                faster("decisions of 64 callers, against Redisson, one hot key", HOT, "sluice", "redisson", 8),
                faster(
                        "decisions of 64 callers, against Spring Cloud Gateway's script",
                        SPREAD,
                        "sluice",
                        "gateway script",
                        2),
                atLeast(
                        "Redis time of TIME, GET and SET PX alone, against a single decision",
                        ratio(COST + "single/TIME, GET, SET PX/us", COST + "single/token bucket/us"),
                        0.85,
                        PERCENT),
                faster("coalesced against single calls, 64 callers", SPREAD, "sluice", "sluice, single calls", 2),
                faster("coalesced against single calls, 256 in flight", IN_FLIGHT, "sluice", "sluice, single calls", 4),
                faster(
                        "coalesced against a trivial EVALSHA, 64 callers, spread keys",
                        SPREAD,
                        "sluice",
                        "trivial EVALSHA",
                        1.5),
                faster(
                        "coalesced against a trivial EVALSHA, 64 callers, one hot key",
                        HOT,
                        "sluice",
                        "trivial EVALSHA",
                        2),
                faster("coalesced against a trivial EVALSHA, 256 in flight", IN_FLIGHT, "sluice", "trivial EVALSHA", 2),
                atMost(
                        "p99 coalesced, against the p99 of single calls, 64 callers",
                        ratio(SPREAD + "sluice/p99 us", SPREAD + "sluice, single calls/p99 us"),
                        1,
                        TIMES),
                faster(
                        "four limits at once, against four sequential calls",
                        SPREAD,
                        "sluice, four levels",
                        "sluice, four calls",
                        6),
                faster(
                        "four limits at once, coalesced, against a call for each decision",
                        SPREAD,
                        "sluice, four levels",
                        "sluice, four levels in single calls",
                        2.5),
                atMost(
                        "Redis time of four limits, against one, single calls",
                        ratio(COST + "single/four token buckets/us", COST + "single/token bucket/us"),
                        1.5,
                        TIMES),
                atMost(
                        "Redis time of a decision in a batch, against a single call",
                        ratio(COST + "batch/token bucket/us", COST + "single/token bucket/us"),
                        0.30,
                        TIMES),
                atMost(
                        "all CPU of Redis for a decision in a batch, against a single call",
                        ratio(COST + "batch/token bucket/cpu us", COST + "single/token bucket/cpu us"),
                        0.30,
                        TIMES),
                atMost(
                        "Redis time of a decision in a batch, against TIME, GET and SET PX alone",
                        ratio(COST + "batch/token bucket/us", COST + "single/TIME, GET, SET PX/us"),
                        SINGLE_CALL_OF_OLD * 0.30,
                        TIMES),
                atMost("bytes per token bucket in Redis, name of 30 bytes", figure(COST + "bytes per key"), 150, BYTES),
                atMost(
                        "over-admission, distributed: violations found by the checker",
                        figure("fleet/violations/distributed"),
                        0,
                        COUNT));
    }

    private static List<Goal> leases() {
        String single = "sluice, single calls";
        return List.of(
                faster("leases of 1,000, against single calls, one hot key", HOT, "sluice, leases of 1000", single, 50),
                faster(
                        "leases of 10,000, against single calls, one hot key",
                        HOT,
                        "sluice, leases of 10000",
                        single,
                        100),
                faster(
                        "leases of 1,000, against single calls, 1,000 keys",
                        SPREAD,
                        "sluice, leases of 1000",
                        single,
                        50),
                faster(
                        "leases of 10,000, against single calls, 1,000 keys",
                        SPREAD,
                        "sluice, leases of 10000",
                        single,
                        100),
                faster("leases of adaptive size, against coalesced, one hot key", HOT, "sluice, leases", "sluice", 30),
                faster(
                        "leases of adaptive size, against coalesced, 1,000 keys",
                        SPREAD,
                        "sluice, leases",
                        "sluice",
                        30),
                atMost(
                        "calls per decision below the limit, 4 nodes, worst algorithm",
                        fleet("0.5 x/calls", true),
                        0.01,
                        PERCENT),
                atMost(
                        "calls per decision at 5 x the limit, 4 nodes, worst algorithm",
                        fleet("5.0 x/calls", true),
                        0.01,
                        PERCENT),
                atLeast(
                        "use of the limit at 5 x, token bucket",
                        figure(FLEET + "token_bucket/5.0 x/used"),
                        0.97,
                        PERCENT),
                atLeast("use of the limit at 5 x, worst algorithm", fleet("5.0 x/used", false), 0.97, PERCENT),
                atMost(
                        "admitted beyond the bound: violations found by the checker",
                        figure("fleet/violations/leased"),
                        0,
                        COUNT),
                atMost(
                        "calls per decision at 5 x, 32 nodes, adaptive size",
                        figure("fleet/32 nodes/calls"),
                        0.12,
                        TIMES));
    }

    private static List<Goal> node() {
        String rules = "Sluice, four levels in process/per s";
        return List.of(
                atLeast(
                        "gateway with four levels in process, against no rules",
                        ratio(HTTP1 + rules, HTTP1 + "Sluice without rules/per s"),
                        0.9,
                        PERCENT),
                atLeast(
                        "gateway with four levels in process, against nginx limit_req",
                        ratio(HTTP1 + rules, HTTP1 + "nginx, four limit_req/per s"),
                        0.4,
                        PERCENT),
                atLeast(
                        "gateway with four levels on Redis, against Spring Cloud Gateway",
                        ratio(
                                HTTP1 + "Sluice, four levels on Redis/per s",
                                HTTP1 + "Spring Cloud Gateway, one limit on Redis/per s"),
                        4,
                        TIMES),
                atLeast(
                        "rate limit service in process, against no decision",
                        endpoint("rate limit service"),
                        0.85,
                        PERCENT),
                atMost(
                        "rate limit service on Redis, p99 at half load, median of the turns",
                        figure("node/rate limit service/on Redis/half/turn p99 ms"),
                        5,
                        MILLIS),
                atLeast("decision API in process, against no decision", endpoint("decision API"), 0.8, PERCENT),
                atMost(
                        "match among 100,000 rules, against 100, recurring requests",
                        latest("Matching.few 100000").per(latest("Matching.few 100")),
                        2,
                        TIMES),
                atMost(
                        "match among 100,000 rules, against 100, 4,096 requests",
                        latest("Matching.wide 100000").per(latest("Matching.wide 100")),
                        2,
                        TIMES),
                atMost("index of 100,000 rules built", latest("Matching.index").times(0.001), 2, SECONDS),
                atMost("annotation against Resilience4j's, slowest case", figure("annotation/slowest case"), 1, TIMES),
                atMost("./sluice start, until it serves", figure("start/start/s"), 5, SECONDS),
                atMost("./sluice node, until it serves", figure("start/node/s"), 2, SECONDS),
                atMost("./sluice start, CPU time until it serves", figure("start/start/CPU s"), 8, SECONDS),
                atMost("a node with 100,000 rules, until it serves", figure("start/100,000 rules/s"), 5, SECONDS),
                atMost("memory of an idle node", figure("start/node/MB"), 150, MEGABYTES),
                atMost("memory of ./sluice start, node and center", figure("start/start/MB"), 300, MEGABYTES),
                atMost("memory of an idle center", figure("center/idle/MB"), 350, MEGABYTES),
                atMost("./sluice center, until it serves", figure("start/center/s"), 5, SECONDS),
                atMost("a cold node on a healthy Redis opens its breaker", figure("start/cold/openings"), 0, COUNT),
                atMost(
                        "a decision with keep against one without, slowest case",
                        figure("keep/worst ratio"),
                        1.05,
                        TIMES),
                atMost(
                        "lost by the top class at 5 x the limit, with keep",
                        figure("keep/lost by the top class"),
                        0,
                        COUNT),
                atLeast(
                        "replayed requests per second and core, four limits each",
                        figure("replay/replay/per s and core"),
                        500_000,
                        COUNT));
    }

    private static List<Goal> services() {
        return List.of(
                atLeast("four descriptors on Redis, against " + GO, services("four descriptors", "per s"), 3, TIMES),
                atMost(
                        "CPU per request, four descriptors, against " + GO,
                        services("four descriptors", "cpu us"),
                        0.30,
                        TIMES),
                atLeast("one descriptor on Redis, against " + GO, services("one descriptor", "per s"), 2, TIMES),
                atMost(
                        "p99 at 4,000/s, open loop, median of the turns",
                        figure(SERVICES + "4000/Sluice/turn p99 ms"),
                        3,
                        MILLIS),
                atLeast(
                        "12,000/s, open loop: part of the rate that is held",
                        figure(SERVICES + "12000/Sluice/held"),
                        0.97,
                        PERCENT),
                atMost(
                        "p99 at 12,000/s, open loop, median of the turns",
                        figure(SERVICES + "12000/Sluice/turn p99 ms"),
                        50,
                        MILLIS),
                atMost("memory of an idle node on Redis", figure(SERVICES + "idle/Sluice/MB"), 150, MEGABYTES));
    }

    private static Quantity latest(String benchmark) {
        return figure("latest/" + benchmark);
    }

    private static Quantity fastestPeer(String benchmarks) {
        return least(List.of(
                "latest/" + benchmarks + "guava",
                "latest/" + benchmarks + "bucket4j",
                "latest/" + benchmarks + "resilience4j",
                "latest/" + benchmarks + "sentinel"));
    }

    private static Goal faster(String what, String load, String ours, String others, double times) {
        return atLeast(what, ratio(load + ours + "/per s", load + others + "/per s"), times, TIMES);
    }

    private static Quantity fleet(String figure, boolean largest) {
        List<String> algorithms = List.of(
                FLEET + "token_bucket/" + figure,
                FLEET + "leaky_bucket/" + figure,
                FLEET + "fixed_window/" + figure,
                FLEET + "sliding_window/" + figure);
        return largest ? most(algorithms) : least(algorithms);
    }

    private static Quantity endpoint(String name) {
        return ratio("node/" + name + "/in process/per s", "node/" + name + "/no decision/per s");
    }

    private static Quantity services(String load, String figure) {
        return ratio(SERVICES + load + "/Sluice/" + figure, SERVICES + load + "/" + GO + "/" + figure);
    }
}
