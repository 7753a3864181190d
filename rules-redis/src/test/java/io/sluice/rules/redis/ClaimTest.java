package io.sluice.rules.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisCluster;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nothing that a center wrote arrives after another one has claimed a later term, however long it was under way. */
class ClaimTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String FLEET = "rate_limit_fleet";

    private RedisServer redis;

    @BeforeEach
    void start() {
        redis = RedisServer.shared();
    }

    private static WantedRules wanted(long version, long revision) {
        ShadowSwitch off = new ShadowSwitch("s" + revision, Optional.empty(), Instant.parse("2097-01-01T00:00:00Z"));
        return new WantedRules(
                new RuleSet(version, Sets.of(version, 3)),
                Optional.empty(),
                new Adjustments(revision, List.of(), List.of(off)));
    }

    private static KeptRules keep(RedisRulePublisher publisher, WantedRules wanted) {
        return publisher.keep(wanted, Optional.empty(), version -> false, true);
    }

    /** Returns everything in Redis but the claim. */
    private Map<String, String> content() {
        Map<String, String> content = new LinkedHashMap<>();
        for (String key : redis.command("KEYS", "rate_limit_*").texts()) {
            if (!key.startsWith(RuleStore.TERM)) {
                String read = redis.command("TYPE", key).text().equals("hash") ? "HGETALL" : "GET";
                content.put(key, redis.command(read, key).toString());
            }
        }
        return content;
    }

    /** Does something whose first write stands still on its way. Returns what became of it. */
    private static Thread stalled(FaultProxy proxy, List<Throwable> failures, Runnable work) {
        proxy.hold("EVAL");
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (RuntimeException e) {
                failures.add(e);
            }
        });
        thread.start();
        Await.until("a write stands still", SOON, () -> proxy.holding() == 1);
        return thread;
    }

    private void assertLateWriteChangesNothing(WantedRules late) throws Exception {
        redis.command("FLUSHALL");
        List<Throwable> failures = new ArrayList<>();
        try (FaultProxy proxy = FaultProxy.before(redis);
                RedisRulePublisher old = RedisRulePublisher.connect(proxy.uri());
                RedisRulePublisher next = RedisRulePublisher.connect(redis.uri())) {
            old.lead(7);
            keep(old, wanted(1, 5));
            Thread stalled = stalled(proxy, failures, () -> keep(old, late));
            next.lead(8);
            keep(next, wanted(2, 7));
            Map<String, String> newer = content();
            proxy.resume();
            stalled.join();
            assertThat(content()).isEqualTo(newer);
            assertThat(failures).hasSize(1);
            assertThat(failures.get(0)).isInstanceOfSatisfying(NewerLeaderException.class, e -> assertThat(e.term())
                    .isEqualTo(8));
            assertThatThrownBy(() -> keep(old, wanted(3, 9))).isInstanceOf(NewerLeaderException.class);
            assertThatThrownBy(old::mirror).isInstanceOf(NewerLeaderException.class);
            assertThat(content()).isEqualTo(newer);
        }
    }

    @Test
    void aLateWriteOfAnEarlierLeaderChangesNothing() throws Exception {
        // The first write that stands still: adjustments, then a snapshot.
        assertLateWriteChangesNothing(wanted(1, 6));
        assertLateWriteChangesNothing(wanted(3, 6));
    }

    @Test
    void aLateMirrorAndALateRepairChangeNothing() throws Exception {
        List<Throwable> failures = new ArrayList<>();
        try (FaultProxy proxy = FaultProxy.before(redis);
                RedisRulePublisher old = RedisRulePublisher.connect(proxy.uri());
                RedisRulePublisher next = RedisRulePublisher.connect(redis.uri())) {
            old.lead(7);
            keep(old, wanted(1, 5));
            String hash = redis.command("KEYS", "rate_limit_config:*").texts().get(0);
            long term = 7;
            for (Runnable repair : List.<Runnable>of(
                    old::mirror, () -> old.keepMirror(wanted(1, 5).inForce().rules()), () -> keep(old, wanted(1, 5)))) {
                old.lead(++term);
                keep(old, wanted(1, 5));
                redis.command("DEL", hash);
                if (failures.size() == 2) {
                    redis.command("DEL", "rate_limit_config_snapshot:1");
                }
                Thread stalled = stalled(proxy, failures, repair);
                next.lead(++term);
                keep(next, wanted(1, 5));
                Map<String, String> newer = content();
                assertThat(newer).doesNotContainKey(hash).containsKey("rate_limit_config_snapshot:1");
                proxy.resume();
                stalled.join();
                assertThat(content()).isEqualTo(newer);
            }
        }
        assertThat(failures).hasSize(3).allSatisfy(each -> assertThat(each).isInstanceOf(NewerLeaderException.class));
    }

    /** A leader whose command got no answer claims again, so that the command does not arrive after later ones. */
    @Test
    void aLeaderIsNotOvertakenByItself() {
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            publisher.lead(7);
            keep(publisher, wanted(1, 5));
            assertThat(redis.command("GET", RuleStore.TERM).text()).isEqualTo("7 1");
            keep(publisher, wanted(2, 6));
            assertThat(redis.command("GET", RuleStore.TERM).text()).isEqualTo("7 1");
        }
        try (FaultProxy proxy = FaultProxy.before(redis);
                RuleServer server = RuleServer.at(proxy.uri(), Duration.ofMinutes(1))) {
            Claim claim = Claim.none();
            claim.lead(8);
            try (RuleLine line = server.open(Duration.ofMinutes(1), claim)) {
                line.store().mirror(Map.of("rate_limit_config:IP:a", Map.of("id", "new")));
                proxy.hold("EVAL");
                Thread late = new Thread(() -> assertThatThrownBy(
                                () -> line.store().mirror(Map.of("rate_limit_config:IP:a", Map.of("id", "old"))))
                        .isInstanceOf(RuntimeException.class));
                late.start();
                Await.until("it stands still", SOON, () -> proxy.holding() == 1);
                late.interrupt();
                Await.until("it has given up", SOON, () -> !late.isAlive());
            }
            try (RuleServer direct = RuleServer.at(redis.uri(), Duration.ofMinutes(1));
                    RuleLine line = direct.open(Duration.ofMinutes(1), claim)) {
                line.store().mirror(Map.of("rate_limit_config:IP:a", Map.of("id", "newest")));
            }
            assertThat(redis.command("GET", RuleStore.TERM).text()).isEqualTo("8 2");
            long bytes = proxy.bytesToServer();
            proxy.resume();
            Await.until("it has arrived", SOON, () -> proxy.bytesToServer() > bytes && proxy.open() == 0);
        }
        assertThat(redis.command("HGET", "rate_limit_config:IP:a", "id").text()).isEqualTo("newest");
    }

    @Test
    void aLateReportOfTheFleetChangesNothing() throws Exception {
        List<Throwable> failures = new ArrayList<>();
        try (FaultProxy proxy = FaultProxy.before(redis);
                RedisFleet old = RedisFleet.at(proxy.uri());
                RedisFleet next = RedisFleet.at(redis.uri())) {
            redis.command("SADD", "rate_limit_nodes", "n1");
            old.lead(7);
            old.tell("{\"version\":1}");
            Thread stalled = stalled(proxy, failures, old::reports);
            next.lead(8);
            next.tell("{\"version\":2}");
            redis.command("SADD", "rate_limit_nodes", "n1");
            proxy.resume();
            stalled.join();
            assertThatThrownBy(() -> old.tell("{\"version\":1}")).isInstanceOf(NewerLeaderException.class);
            assertThat(redis.command("GET", FLEET).text()).isEqualTo("{\"version\":2}");
            assertThat(redis.command("SMEMBERS", "rate_limit_nodes").texts()).containsExactly("n1");
            // A center that does not lead only reads.
            old.lead(0);
            assertThat(old.reports()).isEmpty();
            assertThat(redis.command("SMEMBERS", "rate_limit_nodes").texts()).containsExactly("n1");
            assertThat(next.reports()).isEmpty();
            assertThat(redis.command("SMEMBERS", "rate_limit_nodes").texts()).isEmpty();
        }
        assertThat(failures).hasSize(1);
    }

    /** Other programs can delete or damage the claim. */
    @Test
    void aLostClaimIsMadeAgain() {
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            publisher.lead(7);
            int version = 1;
            for (String[] damage : List.of(
                    new String[] {"FLUSHALL"},
                    new String[] {"SET", RuleStore.TERM, "x"},
                    new String[] {"SET", RuleStore.TERM, "9".repeat(40) + " 1"},
                    new String[] {"SET", RuleStore.TERM, "6 9"},
                    new String[] {"SET", RuleStore.TERM, "7 0"})) {
                redis.command(damage);
                assertThat(keep(publisher, wanted(version, version)).obstacle()).isEmpty();
                assertThat(publisher.highest()).isEqualTo(version++);
            }
            redis.command("DEL", RuleStore.TERM);
            redis.command("RPUSH", RuleStore.TERM, "x");
            assertThat(keep(publisher, wanted(version, version)).obstacle()).isEmpty();
        }
    }

    @Test
    void anOlderRevisionOfAdjustmentsNeverReplacesANewerOne() {
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            publisher.lead(7);
            keep(publisher, wanted(1, 7));
            KeptRules kept = keep(publisher, wanted(1, 6));
            assertThat(kept.higherRevision()).isEqualTo(7);
            assertThat(publisher.adjustments())
                    .contains(wanted(1, 7).adjustments().toJson());
        }
    }

    /** A program without a center makes no claim, and needs none. */
    @Test
    void aPublisherWithoutACenterWritesAsBefore() throws Exception {
        try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
            publisher.release(Sets.of(1, 2));
            assertThat(redis.command("EXISTS", RuleStore.TERM).number()).isZero();
        }
    }

    @Test
    void everySlotOfAClusterIsProtected() throws Exception {
        RedisCluster cluster = RedisCluster.shared();
        try (RedisRulePublisher old = RedisRulePublisher.connect(cluster.uri());
                RedisRulePublisher next = RedisRulePublisher.connect(cluster.uri());
                RuleServer server = RuleServer.at(cluster.uri(), Duration.ofMinutes(1))) {
            old.lead(7);
            keep(old, wanted(1, 5));
            next.lead(8);
            keep(next, wanted(1, 5));
            // A leader that has confirmed its claim of a slot, and one that has never written there.
            assertThatThrownBy(() -> keep(old, wanted(2, 6))).isInstanceOf(NewerLeaderException.class);
            assertThatThrownBy(old::mirror).isInstanceOf(NewerLeaderException.class);
            assertThat(next.highest()).isEqualTo(1);
            Claim late = Claim.none();
            late.lead(7);
            try (RuleLine line = server.open(Duration.ofMinutes(1), late)) {
                assertThatThrownBy(() -> line.store().mirror(Map.of("rate_limit_config:IP:{x}y", Map.of("id", "x"))))
                        .isInstanceOf(NewerLeaderException.class);
                late.lead(9);
                line.store().mirror(Map.of("rate_limit_config:IP:{x}y", Map.of("id", "x"), "{}a}", Map.of("id", "y")));
            }
            assertThatThrownBy(() -> keep(next, wanted(2, 6))).isInstanceOf(NewerLeaderException.class);
        }
    }

    /** The permissions of a center in docs/reference/rules-in-redis.md. */
    @Test
    void aCenterNeedsNoOtherPermissions() {
        try (RedisServer strict = RedisServer.start()) {
            String acl = "ACL SETUSER center on >secret resetchannels &rate-limit-config-update resetkeys"
                    + " ~rate_limit_config* ~rate_limit_node:* ~rate_limit_nodes ~rate_limit_fleet -@all +hello"
                    + " +auth +ping +subscribe +client|tracking +getrange +strlen +scan +eval_ro +evalsha_ro +type"
                    + " +hlen +hkeys +hstrlen +hgetall +publish +set +eval +get +del +hset +unlink +smembers"
                    + " +srem";
            assertThat(strict.command(acl.split(" ", -1)).text()).isEqualTo("OK");
            strict.command("SADD", "rate_limit_nodes", "n1");
            String uri = "redis://center:secret@127.0.0.1:" + strict.port();
            try (RedisRulePublisher publisher = RedisRulePublisher.connect(uri);
                    RedisFleet fleet = RedisFleet.at(uri)) {
                publisher.lead(7);
                assertThat(keep(publisher, wanted(1, 5)).obstacle()).isEmpty();
                publisher.mirror();
                assertThat(publisher.keepMirror(wanted(1, 5).inForce().rules()).repaired())
                        .isEmpty();
                fleet.lead(7);
                assertThat(fleet.reports()).isEmpty();
                fleet.tell("{}");
            }
            assertThat(strict.command("EXISTS", "rate_limit_nodes").number()).isZero();
        }
    }

    @Test
    void eachTagLeadsToItsSlot() {
        for (int slot = 0; slot < 16_384; slot++) {
            assertThat(RedisCluster.slotOf("rate_limit_config_term:{" + SlotTags.of(slot) + "}"))
                    .isEqualTo(slot);
        }
    }
}
