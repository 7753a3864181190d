package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.Clock;
import io.sluice.redis.store.StoreListener;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.erasure.ErasableStore;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts that decisions made, in every form that their keys have, found again in Redis. */
@Timeout(600)
class StoredCountsTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final RuleSet RULES =
            new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", """
                    rules:
                      - id: all
                        deadline: 1s
                        limits:
                          - { id: plain, by: user, algorithm: fixed_window, limit: 1000, align: year }
                          - { id: two, by: [tenant, user], algorithm: fixed_window, limit: 1000, align: year }
                          - { id: hidden, by: user, algorithm: fixed_window, limit: 1000, align: year, privacy: hash }
                          - { id: both, by: [tenant, user], algorithm: fixed_window, limit: 1000, align: year, privacy: hash }
                          - { id: address, by: ip, algorithm: fixed_window, limit: 1000, align: year }
                      - id: acme
                        deadline: 1s
                        match: { tenant: acme }
                        limits: [{ by: user, algorithm: fixed_window, limit: 1000, align: year }]
                    """)).rules());

    private static final KeySettings KEYS = new KeySettings(
            KeySecret.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8)), 64, Optional.of("tenant"));

    private static final String IPV6 = "2001:db8:1:2:3::4";

    @Test
    void findsEveryFormOfAKeyOnAServer() {
        RedisServer redis = RedisServer.shared();
        findsEveryFormOfAKey(redis.uri(), List.of(redis));
    }

    @Test
    void findsEveryFormOfAKeyOnACluster() {
        RedisCluster cluster = RedisCluster.shared();
        findsEveryFormOfAKey(cluster.uri(), cluster.primaries());
    }

    private static void findsEveryFormOfAKey(String uri, List<RedisServer> servers) {
        Store store = Store.redis(uri, "rate_limit", Clock.system(), StoreListener.NONE);
        try (Limiter local = new Limiter(new LocalEngine(Clock.system()), Clock.system(), List.of());
                Limiter shared = new Limiter(store.engine(), Clock.system(), List.of())) {
            Await.until("Redis is ready", PATIENCE, store::isReady);
            Evaluator evaluator =
                    new Evaluator(() -> RULES, local, shared, KEYS, Clock.system(), (ruling, nanos) -> {}, () -> 1);
            List<ErasableStore> counts = StoredCounts.of(local, shared, store);
            assertThat(counts).extracting(ErasableStore::kind).containsExactly("counts", "counts");

            charge(evaluator, Map.of("user", "bob", "tenant", "acme", "ip", "192.0.2.8"));
            java.util.Set<String> others = keys(servers);
            assertThat(others).hasSize(6);

            List<String> names = List.of("u-17", "a&b={c}~%", "ü".repeat(150), "x".repeat(400));
            for (String user : names) {
                charge(evaluator, Map.of("user", user, "tenant", "acme", "ip", "192.0.2.8"));
                java.util.Set<String> both = keys(servers);
                assertThat(both).hasSize(11);
                assertThat(erase(counts, "user", user, Map.of("tenant", "acme")))
                        .isEqualTo(5);
                assertThat(keys(servers)).isEqualTo(others);
            }

            // Without the tenant, what is stored under a hash with it stays, and that is said.
            charge(evaluator, Map.of("user", "u-17", "tenant", "acme", "ip", "192.0.2.8"));
            assertThat(erase(counts, "user", "u-17", Map.of())).isEqualTo(4);
            assertThat(keys(servers)).hasSize(7);
            assertThat(SubjectKeys.of("user", "u-17", Map.of(), RULES, KEYS).unfound())
                    .anyMatch(left -> left.startsWith("counts of all.both cannot be found"));
            assertThat(erase(counts, "user", "u-17", Map.of("tenant", "acme"))).isEqualTo(1);

            // Addresses, also where they stand in for a user.
            for (String address : List.of("192.0.2.7", IPV6)) {
                charge(evaluator, Map.of("ip", address, "tenant", "acme"));
                assertThat(keys(servers)).hasSize(12);
                assertThat(erase(counts, "ip", address, Map.of("tenant", "acme")))
                        .isEqualTo(6);
                assertThat(keys(servers)).isEqualTo(others);
            }

            // Everything of a tenant but what is under a hash of several.
            assertThat(erase(counts, "tenant", "acme", Map.of("user", "bob"))).isEqualTo(3);
        }
    }

    private static long erase(List<ErasableStore> counts, String attribute, String value, Map<String, String> known) {
        SubjectKeys keys = SubjectKeys.of(attribute, value, new HashMap<>(known), RULES, KEYS);
        String id = UUID.randomUUID().toString();
        long[] removed = new long[1];
        Await.until("everything is removed", PATIENCE, () -> {
            boolean done = true;
            for (ErasableStore each : counts) {
                ErasableStore.Attempt attempt = attempt(each, id, keys);
                removed[0] += attempt.removed();
                done &= attempt.unfinished().isEmpty();
            }
            return done;
        });
        return removed[0];
    }

    private static ErasableStore.Attempt attempt(ErasableStore store, String id, SubjectKeys keys) {
        try {
            return store.erase(id, keys);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void charge(Evaluator evaluator, Map<String, String> request) {
        Await.until("Redis decides", PATIENCE, () -> {
            Ruling.Settled ruling = (Ruling.Settled) evaluator
                    .evaluate(Attributes.of(request), 1)
                    .toCompletableFuture()
                    .join();
            return ruling.allowed() && ruling.degraded() == null;
        });
    }

    /** Returns the names of all counts. */
    private static java.util.Set<String> keys(List<RedisServer> servers) {
        java.util.Set<String> keys = new TreeSet<>();
        for (RedisServer each : servers) {
            keys.addAll(new ArrayList<>(each.command("KEYS", "*").texts()));
        }
        keys.removeIf(key -> key.startsWith("rate_limit:#e:"));
        return keys;
    }
}
