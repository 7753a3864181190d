package io.sluice.benchmarks.faults;

import io.sluice.core.time.Clock;
import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.redis.RedisDocuments;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Rules are distributed to nodes while messages are lost, repeated or reordered, rule sets are invalid, or Redis is down. */
final class Releases {

    private static final String CHANNEL = "rate-limit-config-update";
    private static final int SOURCES = 25;

    private Releases() {}

    /** Opens and closes rule sources while versions are released. In every second round the sources miss the messages. */
    static void messagesLost(Trial trial) throws Exception {
        int rounds = trial.times(40, 2);
        long updates = 0;
        double heard = 0;
        double unheard = 0;
        try (RedisServer redis = RedisServer.start();
                RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            long version = publisher.release(rules(0)).version();
            for (int round = 0; round < rounds; round++) {
                boolean lost = round % 2 == 1;
                List<RuleFollower> sources = new ArrayList<>();
                for (int i = 0; i < SOURCES; i++) {
                    sources.add(RuleFollower.open(
                            RedisDocuments.at(redis.uri(), "node-" + i, Clock.system()),
                            Optional.empty(),
                            RuleVet.NONE,
                            Clock.system()));
                }
                for (int i = 0; i < SOURCES; i++) {
                    version = publisher.release(rules(++updates)).version();
                }
                // The sources have started now: they notice the next version by its message, or without it by polling.
                awaitAll(sources, version);
                if (lost) {
                    redis.command("CLIENT", "KILL", "TYPE", "pubsub");
                }
                long start = Clock.system().nanoTime();
                version = publisher.release(rules(++updates)).version();
                if (lost) {
                    redis.command("CLIENT", "KILL", "TYPE", "pubsub");
                }
                awaitAll(sources, version);
                double millis = (Clock.system().nanoTime() - start) / 1e6;
                heard = lost ? heard : Math.max(heard, millis);
                unheard = lost ? Math.max(unheard, millis) : unheard;
                sources.forEach(RuleSource::close);
            }
        }
        trial.note(updates + " releases, " + rounds * SOURCES + " restarts, no update lost");
        trial.figure("seen with messages after at most", heard, 2_000, "ms");
        trial.figure("without messages after at most", unheard, 7_000, "ms");
    }

    /** Publishes messages of every kind in random order, old ones among them, while versions rise. */
    static void reordered(Trial trial) throws Exception {
        int messages = trial.times(10_000, 500);
        AtomicLong last = new AtomicLong();
        AtomicInteger regressions = new AtomicInteger();
        Random random = new Random(1);
        try (RedisServer redis = RedisServer.start();
                RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            long version = publisher.release(rules(0)).version();
            try (RuleFollower source = RuleFollower.open(
                    RedisDocuments.at(redis.uri(), "node", Clock.system()),
                    Optional.empty(),
                    RuleVet.NONE,
                    Clock.system())) {
                source.listen(new RuleListener() {
                    @Override
                    public void changed(RuleSet rules) {
                        if (last.getAndSet(rules.version()) > rules.version()) {
                            regressions.incrementAndGet();
                        }
                    }

                    @Override
                    public void refused(List<DocumentError> errors) {
                        regressions.incrementAndGet();
                    }
                });
                for (int i = 0; i < messages; i++) {
                    if (i % 100 == 99) {
                        version = publisher.release(rules(i)).version();
                    }
                    redis.command("PUBLISH", CHANNEL, message(random, version));
                }
                awaitAll(List.of(source), version);
            }
        }
        trial.note(messages + " messages, " + last.get() + " versions");
        trial.figure("regressions", regressions.get(), 0, "");
    }

    private static String message(Random random, long version) {
        return switch (random.nextInt(4)) {
            case 0 -> "RELOAD_ALL";
            case 1 -> Long.toString(version - random.nextInt(50));
            case 2 ->
                "{\"id\":\"r0\",\"limitType\":\"SERVICE\",\"limitTarget\":\"s0\",\"limitCount\":\"" + random.nextInt(99)
                        + "\",\"timeWindow\":\"60\",\"strategy\":\"FIXED_WINDOW\"}";
            default -> "\u0000{[" + random.nextLong();
        };
    }

    /** Writes hashes of the founding form that are no valid rules. Each is reported, and the previous set stays in force. */
    static void poisoned(Trial trial) throws Exception {
        int sets = trial.times(200, 10);
        Random random = new Random(1);
        double slowest = 0;
        String key = "rate_limit_config:SERVICE:s";
        String[] good = {
            "HSET",
            key,
            "id",
            "r",
            "limitType",
            "SERVICE",
            "limitTarget",
            "s",
            "limitCount",
            "5",
            "timeWindow",
            "60",
            "strategy",
            "FIXED_WINDOW"
        };
        try (RedisServer redis = RedisServer.start()) {
            redis.command(good);
            try (RuleFollower source = RuleFollower.open(
                    RedisDocuments.at(redis.uri(), "node", Clock.system()),
                    Optional.empty(),
                    RuleVet.NONE,
                    Clock.system())) {
                Traffic.await(source::hasRules);
                String digest = source.latest().digest();
                for (int i = 0; i < sets; i++) {
                    String[] poison = poison(random, key, i);
                    long start = Clock.system().nanoTime();
                    redis.command(poison);
                    redis.command("PUBLISH", CHANNEL, "RELOAD_ALL");
                    Traffic.await(() -> !source.refused().isEmpty());
                    slowest = Math.max(slowest, (Clock.system().nanoTime() - start) / 1e6);
                    trial.must(source.latest().digest().equals(digest), "the last good set stays in force");
                    redis.command("DEL", poison[1]);
                    redis.command("DEL", key);
                    redis.command(good);
                    redis.command("PUBLISH", CHANNEL, "RELOAD_ALL");
                    Traffic.await(() -> source.refused().isEmpty());
                }
            }
        }
        trial.note(sets + " poisoned sets refused, the last good one stayed in force");
        trial.figure("visible after at most", slowest, 5_000, "ms");
    }

    private static String[] poison(Random random, String key, int number) {
        String[] fields = {"id", "limitType", "limitTarget", "limitCount", "timeWindow", "strategy", "document"};
        String[] values = {
            "",
            "-1",
            "1e999",
            "NaN",
            "0x10",
            "99999999999999999999",
            "null",
            "{\"id\":",
            "\u0000",
            "*".repeat(5_000),
            "[[[[",
            "true\r\n"
        };
        String field = fields[random.nextInt(fields.length)];
        String value = values[random.nextInt(values.length)];
        // These values would be valid or have no effect.
        boolean named = (field.equals("limitTarget") || field.equals("id")) && !value.isEmpty();
        boolean harmless = named || (field.equals("document") && value.isEmpty());
        return harmless
                ? new String[] {"HSET", key + number, "id", "r" + number, "limitType", "WHATEVER " + value}
                : new String[] {"HSET", key, field, value};
    }

    /** Starts a node while Redis is down. It uses the rules of its last run. */
    static void startWithoutRedis(Trial trial) throws Exception {
        int starts = trial.times(5, 1);
        double slowest = 0;
        Path data = Files.createTempDirectory("sluice-faults");
        String uri;
        try (RedisServer redis = RedisServer.start();
                RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            uri = redis.uri();
            publisher.release(rules(7));
            NodeConfig config = config(uri, data);
            try (Node node = Node.start(config)) {
                trial.must(node.rules().rules().size() == 1, "there is a rule to keep");
                Traffic.await(() -> Files.exists(data.resolve("kept-rules.json")));
            }
        }
        for (int i = 0; i < starts; i++) {
            long start = Clock.system().nanoTime();
            try (Node node = Node.start(config(uri, data))) {
                slowest = Math.max(slowest, (Clock.system().nanoTime() - start) / 1e6);
                trial.must(node.rules().rules().size() == 1, "the kept rules are in force");
                trial.must(node.degraded().isPresent(), "the node reports that it is degraded");
            }
        }
        trial.figure("ready after at most", slowest, 5_000, "ms");
    }

    private static NodeConfig config(String uri, Path data) {
        return NodeConfig.inProcess(new NodeConfig.RulesFrom.Nowhere(), 0)
                .withRedis(uri)
                .withRules(new NodeConfig.RulesFrom.Store())
                .withData(data);
    }

    private static void awaitAll(List<? extends RuleSource> sources, long version) {
        Traffic.await(() -> sources.stream().allMatch(source -> source.latest().version() == version));
    }

    private static List<Rule> rules(long number) {
        RuleDocument document = RuleDocument.parse(
                "rules", "rules: [ { id: r0, service: s0, limits: [ { limit: " + (number + 1) + ", window: 1m } ] } ]");
        return ((RuleDocument.Accepted) document).rules();
    }
}
