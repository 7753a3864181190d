package io.sluice.redis.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.KeyMatch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names in Redis, read back. */
class RedisKeysTest {

    private static final Limit LIMIT = Limit.named("orders.per-user").slidingWindow(5, Duration.ofMinutes(1));

    private static KeyMatch of(String... keys) {
        return new KeyMatch(List.of(keys)::contains, List.of(keys));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "user=u-17",
                "",
                "a b%{c}#d",
                "ip=2001:db8::/64",
                "{acme}user=u-17",
                "{acme}",
                "{a b}c d",
                "{}x",
                "{unclosed",
                "ü\n\u0085",
                "{rate_limit:x}y:z"
            })
    void findsACountItsLeasesItsSettlementsAndItsNumbering(String key) {
        for (RedisKeys names : List.of(
                new RedisKeys("rate_limit", true), new RedisKeys("rate_limit", false), new RedisKeys("a:b*c[", true))) {
            String count = names.of(LIMIT, key);
            String leases = names.leases(count);
            String numbering =
                    new String(RedisKeys.numbering(count.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
            List<String> all = new ArrayList<>(List.of(count, leases, numbering));
            for (String id : List.of("n", "r:17", "a#b {c}", "é".repeat(128), "{" + key + "}")) {
                all.add(names.settlement(count, id));
                assertThat(SlotHash.getSlot(names.settlement(count, id))).isEqualTo(SlotHash.getSlot(count));
            }
            assertThat(all).doesNotHaveDuplicates();
            for (String name : all) {
                assertThat(names.isOf(of(key), name)).as(name).isTrue();
                assertThat(names.isOf(of(key + "x"), name)).as(name).isFalse();
                assertThat(names.isCount(name)).as(name).isEqualTo(name.equals(count));
            }
        }
    }

    @Test
    void findsKeysThatAreReplacedByTheirDigest() {
        RedisKeys names = new RedisKeys("rate_limit", true);
        String longKey = "user=" + "x".repeat(300);
        assertThat(names.of(LIMIT, longKey)).contains(":#");
        assertThat(names.isOf(of(longKey), names.of(LIMIT, longKey))).isTrue();
        assertThat(names.isOf(of(longKey + "x"), names.of(LIMIT, longKey))).isFalse();
        // The tag of a key is stored apart, and each part may be a digest.
        assertThat(names.isOf(of(longKey), names.of(LIMIT, "{acme}" + longKey))).isTrue();
        assertThat(names.isOf(of("{acme}"), names.of(LIMIT, "{acme}" + longKey)))
                .isTrue();
        String longTag = "t".repeat(300);
        assertThat(names.isOf(of(longTag), names.of(LIMIT, "{" + longTag + "}user=u-17")))
                .isTrue();
        assertThat(names.isOf(of("user=u-17"), names.of(LIMIT, "{" + longTag + "}user=u-17")))
                .isTrue();
        assertThat(names.isOf(of("user=u-18"), names.of(LIMIT, "{" + longTag + "}user=u-17")))
                .isFalse();
    }

    @Test
    void isNotTakenInByOtherKeys() {
        RedisKeys names = new RedisKeys("rate_limit", true);
        KeyMatch all = new KeyMatch(key -> true, List.of());
        for (String other : List.of(
                "rate_limit:#s:permits",
                "rate_limit:#m:durable-store",
                "rate_limit:#e:7-abcd",
                "rate_limit:#r:",
                "rate_limit:#r:#",
                "rate_limit:#r:##x",
                "rate_limit",
                "rate_limit:a",
                "rate_limit_config:user=u-17",
                "my_rate_limit:a:tb:user=u-17",
                "{my_rate_limit:a:tb:user=u-17}#n",
                "")) {
            assertThat(names.isOf(all, other)).as(other).isFalse();
        }
    }

    @Test
    void thePatternTakesThePrefixLiterally() {
        assertThat(new RedisKeys("rate_limit").pattern()).isEqualTo("*rate_limit:*");
        assertThat(new RedisKeys("a*b?[c]\\").pattern()).isEqualTo("*a\\*b\\?\\[c\\]\\\\:*");
    }
}
