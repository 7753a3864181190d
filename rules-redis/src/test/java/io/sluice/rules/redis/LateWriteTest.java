package io.sluice.rules.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testkit.Await;
import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of write of a center, on its own, stands still on its way while another leader claims the Redis. */
class LateWriteTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String LATE = "{\"revision\":9,\"late\":true}";

    private final RedisServer redis = RedisServer.shared();

    /** The writes of {@link RuleStore}. */
    enum RuleWrite {
        SWITCH(store -> store.flip(bytes("1"), "2")),
        ADJUST(store -> store.adjust(LATE, 9)),
        ADD(store -> store.write(2, bytes(LATE))),
        SET(store -> store.replace(1, bytes(LATE))),
        HASH(store -> store.mirror(Map.of("rate_limit_config:a", Map.of("id", "late")))),
        UNLINK(store -> store.remove(List.of("rate_limit_config:a")));

        private final Consumer<RuleStore> write;

        RuleWrite(Consumer<RuleStore> write) {
            this.write = write;
        }
    }

    /** The writes of {@link RedisFleet}. */
    enum FleetWrite {
        TELL(fleet -> fleet.tell(LATE), new String[] {"SADD", "rate_limit_nodes", "n1"}),
        FORGET_SILENT_NODES(RedisFleet::reports, new String[] {"SADD", "rate_limit_nodes", "n1"}),
        REMOVE_WHAT_IS_NO_SET(RedisFleet::reports, new String[] {"SET", "rate_limit_nodes", "n1"});

        private final Consumer<RedisFleet> write;
        private final String[] before;

        FleetWrite(Consumer<RedisFleet> write, String[] before) {
            this.write = write;
            this.before = before;
        }
    }

    @BeforeEach
    void fill() {
        redis.command("SET", RuleStore.VERSION, "1");
        redis.command("SET", RuleStore.ADJUSTMENTS, "{\"revision\":8,\"late\":false}");
        redis.command("SET", RuleStore.SNAPSHOT + "1", "one");
        redis.command("HSET", "rate_limit_config:a", "id", "a");
    }

    @ParameterizedTest
    @EnumSource
    void aWriteOfRulesChangesNothingAfterALaterClaim(RuleWrite kind) {
        for (boolean isSameLeader : new boolean[] {false, true}) {
            redis.command("DEL", RuleStore.TERM);
            try (FaultProxy proxy = FaultProxy.before(redis);
                    RuleServer slow = RuleServer.at(proxy.uri(), SOON);
                    RuleServer direct = RuleServer.at(redis.uri(), SOON)) {
                Claim old = Claim.none();
                old.lead(7);
                try (RuleLine line = slow.open(SOON, old)) {
                    line.store().claim();
                    CompletableFuture<Void> late = late(proxy, () -> kind.write.accept(line.store()));
                    redis.command("SET", RuleStore.TERM, isSameLeader ? "7 2" : "8 1");
                    Map<String, String> newer = content();
                    proxy.resume();
                    assertThatThrownBy(late::join)
                            .hasCauseInstanceOf(
                                    isSameLeader ? IllegalStateException.class : NewerLeaderException.class);
                    assertThat(content()).isEqualTo(newer);
                }
                // The same write changes something without a later claim, so the test proves something.
                Map<String, String> before = content();
                redis.command("DEL", RuleStore.TERM);
                Claim next = Claim.none();
                next.lead(9);
                try (RuleLine line = direct.open(SOON, next)) {
                    kind.write.accept(line.store());
                }
                assertThat(content()).isNotEqualTo(before);
                redis.command("FLUSHALL");
                fill();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWriteAboutTheFleetChangesNothingAfterALaterClaim(FleetWrite kind) {
        redis.command(kind.before);
        try (FaultProxy proxy = FaultProxy.before(redis);
                RedisFleet old = RedisFleet.at(proxy.uri(), SOON);
                RedisFleet next = RedisFleet.at(redis.uri(), SOON)) {
            old.lead(7);
            old.tell("{}");
            CompletableFuture<Void> late = late(proxy, () -> kind.write.accept(old));
            redis.command("SET", RedisFleet.TERM, "8 1");
            Map<String, String> newer = content();
            proxy.resume();
            assertThatThrownBy(late::join).isInstanceOf(CompletionException.class);
            assertThat(content()).isEqualTo(newer);
            next.lead(9);
            kind.write.accept(next);
            assertThat(content()).isNotEqualTo(newer);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"8 1", "7 2"})
    void aClaimReplacesNoLaterOne(String later) {
        try (FaultProxy proxy = FaultProxy.before(redis);
                RuleServer slow = RuleServer.at(proxy.uri(), SOON)) {
            Claim old = Claim.none();
            old.lead(7);
            try (RuleLine line = slow.open(SOON, old)) {
                CompletableFuture<Void> late = late(proxy, () -> line.store().claim());
                redis.command("SET", RuleStore.TERM, later);
                proxy.resume();
                assertThatThrownBy(late::join).isInstanceOf(CompletionException.class);
                assertThat(redis.command("GET", RuleStore.TERM).text()).isEqualTo(later);
            }
        }
    }

    private static CompletableFuture<Void> late(FaultProxy proxy, Runnable write) {
        proxy.hold("EVAL");
        CompletableFuture<Void> late = CompletableFuture.runAsync(write, task -> new Thread(task).start());
        Await.until("it stands still", SOON, () -> proxy.holding() == 1);
        return late;
    }

    /** Returns everything in Redis but the claims. */
    private Map<String, String> content() {
        Map<String, String> content = new LinkedHashMap<>();
        for (String key :
                redis.command("KEYS", "rate_limit_*").texts().stream().sorted().toList()) {
            if (!key.startsWith(RuleStore.TERM)) {
                String type = redis.command("TYPE", key).text();
                String read = type.equals("hash") ? "HGETALL" : type.equals("set") ? "SMEMBERS" : "GET";
                content.put(key, redis.command(read, key).toString());
            }
        }
        return content;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
