package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.spi.Settlement;
import io.sluice.redis.store.ForgottenCounts;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisReply;
import io.sluice.testkit.redis.RedisSentinels;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts of a subject that are removed from Redis. */
@Timeout(600)
class ForgettingTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Limit LIMIT = Limit.named("orders.0").fixedWindow(1_000_000, Duration.ofDays(300));
    private static final int OTHERS = 99_997;

    /** As long as a key may be that Redis sees; its UTF-8 is longer, so Redis sees a digest. */
    private static final String LONG = "user=" + "ü".repeat(150) + "&plan=gold";

    private static final KeyMatch SUBJECT = new KeyMatch(
            key -> key.equals("user=17") || key.equals("{acme}user=17") || key.equals(LONG), List.of(LONG));

    private static RedisStore open(String uri) {
        RedisStore store =
                RedisStore.at(uri).hashTags(true).slow(Duration.ofSeconds(20)).open();
        Await.until("Redis is ready", PATIENCE, store::isReady);
        return store;
    }

    /** Charges in Redis, again if the answer came too late. Returns what remained. */
    private static long charge(RedisStore store, Demand demand) {
        long[] remaining = new long[1];
        Await.until("Redis decides", PATIENCE, () -> {
            Limiter limiter = store.limiter();
            var decision = limiter.decide(Ask.charging(List.of(demand)).dueAt(limiter.dueIn(Duration.ofMinutes(1))));
            remaining[0] =
                    decision.allowed() ? decision.outcome().verdicts().get(0).remaining() : -1;
            return decision.degraded() == null;
        });
        return remaining[0];
    }

    private static void forget(RedisStore store, String id, long removed) {
        long[] sum = new long[1];
        Await.until("the counts are removed", PATIENCE, () -> {
            ForgottenCounts done = store.forget(SUBJECT, id);
            sum[0] += done.removed();
            return done.unfinished().isEmpty();
        });
        assertThat(sum[0]).isEqualTo(removed);
    }

    private static void plant(RedisServer server, String start, int number) {
        String script = "for i = 1, " + number + " do redis.call('SET', KEYS[1] .. (i + 100), 'x') end return 1";
        assertThat(server.command("EVAL", script, "1", start).number()).isEqualTo(1);
    }

    @Test
    void removesThreeOfAHundredThousandCountsWhileDecisionsRun() throws Exception {
        RedisServer redis = RedisServer.shared();
        plant(redis, "rate_limit:orders.0:fw300d:user=", OTHERS);
        redis.command("SET", "another_rate_limit:x", "user=17");
        redis.command("SET", "unrelated", "user=17");
        try (RedisStore store = open(redis.uri())) {
            for (String key : List.of("user=17", "{acme}user=17", LONG)) {
                assertThat(charge(store, Demand.of(LIMIT, key, 1))).isEqualTo(999_999);
            }
            AtomicBoolean done = new AtomicBoolean();
            ExecutorService threads = Executors.newSingleThreadExecutor();
            Future<Long> charged = threads.submit(() -> {
                long count = 0;
                while (!done.get()) {
                    charge(store, Demand.of(LIMIT, "user=18", 1));
                    count++;
                }
                return count;
            });
            forget(store, "1", 3);
            done.set(true);
            long others = charged.get();
            threads.shutdown();
            assertThat(threads.awaitTermination(5, TimeUnit.MINUTES)).isTrue();

            for (String key : List.of("user=17", "{acme}user=17", LONG)) {
                assertThat(charge(store, Demand.of(LIMIT, key, 1))).isEqualTo(999_999);
            }
            // An answer that came too late was charged and given back.
            assertThat(charge(store, Demand.of(LIMIT, "user=18", 1))).isEqualTo(999_999 - others);
            // The other counts, the one under load, the subject's new ones, the mark, and two keys of others.
            assertThat(redis.command("DBSIZE").number()).isEqualTo(OTHERS + 1 + 3 + 1 + 2);
            assertThat(redis.command("GET", "rate_limit:#e:1").text()).isEqualTo("done");
            assertThat(redis.command("TTL", "rate_limit:#e:1").number()).isBetween(1L, 86_400L);
        }
    }

    @Test
    void oneProcessIsEnoughAndAnotherTakesOverIfItDies() {
        RedisServer redis = RedisServer.shared();
        try (RedisStore one = open(redis.uri());
                RedisStore two = open(redis.uri())) {
            charge(one, Demand.of(LIMIT, "user=17", 1));
            redis.command("SET", "rate_limit:#e:7", "somebody", "PX", "600000");
            assertThat(one.forget(SUBJECT, "7")).isEqualTo(ForgottenCounts.some(0, ForgottenCounts.ELSEWHERE));
            redis.command("DEL", "rate_limit:#e:7");
            forget(one, "7", 1);
            charge(one, Demand.of(LIMIT, "user=17", 1));
            forget(two, "7", 0);
            forget(two, "8", 1);
        }
    }

    @Test
    void removesSettlementsWithTheirCounts() throws Exception {
        RedisServer redis = RedisServer.shared();
        try (RedisStore store = open(redis.uri())) {
            for (String key : List.of("user=17", "{acme}user=17", LONG, "user=18")) {
                charge(store, Demand.of(LIMIT, key, 5));
                List<RedisReply> time = redis.command("TIME").list();
                long now = Long.parseLong(time.get(0).text()) * 1_000_000
                        + Long.parseLong(time.get(1).text());
                Settlement settlement = new Settlement(LIMIT, key, 5, 2, now, "n", 3_600_000_000L);
                assertThat(store.limiter()
                                .settle(List.of(settlement), PATIENCE)
                                .get()
                                .get(0)
                                .change())
                        .isEqualTo(-3);
            }
            assertThat(redis.command("KEYS", "rate_limit:#r:*").list()).hasSize(4);
            forget(store, "1", 3);
            assertThat(redis.command("KEYS", "rate_limit:#r:*").texts())
                    .containsExactly("rate_limit:#r:{rate_limit:orders.0:fw300d:user=18}#n");
            assertThat(charge(store, Demand.of(LIMIT, "user=18", 1))).isEqualTo(1_000_000 - 3);
        }
    }

    @Test
    void removesLeasesNumberingAndWhatIsKeptInMemory() {
        RedisServer redis = RedisServer.shared();
        try (RedisStore store = open(redis.uri())) {
            Demand leased = Demand.of(LIMIT, "{acme}user=17", 1).leasedBy(new LeasePolicy(50, 0.5, 3_600_000_000L));
            Demand other = Demand.of(LIMIT, "user=17", 1).leasedBy(new LeasePolicy(50, 0.5, 3_600_000_000L));
            Await.until("permits are leased", PATIENCE, () -> {
                charge(store, leased);
                charge(store, other);
                return redis.command("KEYS", "rate_limit:#l:*").list().size() == 2;
            });
            redis.command("SET", "{rate_limit:orders.0:fw300d:user=17}#n", "1");
            redis.command("SET", "rate_limit:{acme}:orders.0:fw300d:user=17#n", "1");
            redis.command("SET", "rate_limit:#l:{rate_limit:orders.0:fw300d:user=18}", "1");
            forget(store, "1", 2);
            assertThat(store.leased()).isZero();
            // A lease that was under way may have been granted after its count was removed.
            forget(
                    store,
                    "2",
                    redis.command("KEYS", "rate_limit:*user=17").list().size());
            assertThat(redis.command("KEYS", "*user=17*").list()).isEmpty();
            assertThat(redis.command("KEYS", "*user=18*").list()).hasSize(1);
        }
    }

    @Test
    void aCachedRefusalIsForgotten() {
        RedisServer redis = RedisServer.shared();
        Limit small = Limit.named("small").fixedWindow(1, Duration.ofDays(300));
        try (RedisStore store = open(redis.uri())) {
            assertThat(charge(store, Demand.of(small, "user=17", 1))).isZero();
            assertThat(charge(store, Demand.of(small, "user=17", 1))).isEqualTo(-1);
            forget(store, "1", 1);
            assertThat(charge(store, Demand.of(small, "user=17", 1))).isZero();
        }
    }

    @Test
    void saysWhyCountsAreLeft() {
        try (RedisServer redis = RedisServer.start()) {
            redis.command("ACL", "SETUSER", "few", "on", ">secret", "~*", "&*", "+@all", "-scan");
            try (RedisStore store = open("redis://few:secret@127.0.0.1:" + redis.port())) {
                charge(store, Demand.of(LIMIT, "user=17", 1));
                Await.until("the reason is known", PATIENCE, () -> store.forget(SUBJECT, "1")
                        .unfinished()
                        .filter("the user of Redis may not run SCAN or UNLINK"::equals)
                        .isPresent());
                Await.until(
                        "the mark is gone",
                        PATIENCE,
                        () -> redis.command("EXISTS", "rate_limit:#e:1").number() == 0);
                redis.kill();
                Await.until("Redis is away", PATIENCE, () -> !store.isReady());
                assertThat(store.forget(SUBJECT, "1")).isEqualTo(ForgottenCounts.some(0, "Redis is unavailable"));
            }
        }
    }

    @Test
    void removesFromThePrimaryThatSentinelsName() {
        try (RedisSentinels sentinels = RedisSentinels.start(1);
                RedisStore store = open(sentinels.uri())) {
            charge(store, Demand.of(LIMIT, "user=17", 1));
            charge(store, Demand.of(LIMIT, "user=18", 1));
            forget(store, "1", 1);
            assertThat(charge(store, Demand.of(LIMIT, "user=17", 1))).isEqualTo(999_999);
            assertThat(charge(store, Demand.of(LIMIT, "user=18", 1))).isEqualTo(999_998);
        }
    }

    @Test
    void findsACountWhoseSlotMovedBefore() {
        RedisCluster cluster = RedisCluster.shared();
        int slot = RedisCluster.slotOf("acme");
        RedisServer from = cluster.ownerOf(slot);
        RedisServer to = cluster.primaries().stream()
                .filter(server -> server != from)
                .findFirst()
                .orElseThrow();
        try (RedisStore store = open(cluster.uri())) {
            charge(store, Demand.of(LIMIT, "{acme}user=17", 1));
            cluster.moveSlot(slot, to);
            try {
                forget(store, "2", 1);
                assertThat(charge(store, Demand.of(LIMIT, "{acme}user=17", 1))).isEqualTo(999_999);
            } finally {
                cluster.moveSlot(slot, from);
            }
        }
    }

    @Test
    void removesFromEveryPrimaryOfACluster() {
        RedisCluster cluster = RedisCluster.shared();
        List<String> tags = new ArrayList<>();
        for (RedisServer primary : cluster.primaries()) {
            int next = 0;
            while (cluster.ownerOf(RedisCluster.slotOf("t" + next)) != primary) {
                next++;
            }
            tags.add("t" + next);
            plant(primary, "rate_limit:{t" + next + "}:orders.0:fw300d:user=", OTHERS / 3);
        }
        KeyMatch match = new KeyMatch(key -> key.endsWith("}user=17") || key.equals("user=17"), List.of());
        try (RedisStore store = open(cluster.uri())) {
            for (String tag : tags) {
                charge(store, Demand.of(LIMIT, "{" + tag + "}user=17", 1));
                charge(store, Demand.of(LIMIT, "{" + tag + "}user=18", 1));
            }
            charge(store, Demand.of(LIMIT, "user=17", 1));
            long[] sum = new long[1];
            Await.until("the counts are removed", PATIENCE, () -> {
                ForgottenCounts done = store.forget(match, "1");
                sum[0] += done.removed();
                return done.unfinished().isEmpty();
            });
            assertThat(sum[0]).isEqualTo(tags.size() + 1);
            long keys = 0;
            for (RedisServer primary : cluster.primaries()) {
                keys += primary.command("DBSIZE").number();
            }
            assertThat(keys).isEqualTo((long) tags.size() * (OTHERS / 3 + 1) + 1);
            for (String tag : tags) {
                assertThat(charge(store, Demand.of(LIMIT, "{" + tag + "}user=18", 1)))
                        .isEqualTo(999_998);
                assertThat(charge(store, Demand.of(LIMIT, "{" + tag + "}user=17", 1)))
                        .isEqualTo(999_999);
            }
        }
    }
}
