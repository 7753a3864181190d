package io.sluice.runtime.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.CapturedLog;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class ErasuresTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String VALUE = "alice-4711";
    private static final RuleSet RULES =
            new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", """
                    rules:
                      - { id: secret, limits: [{ by: [tenant, user], rate: 5/s, privacy: hash }] }
                    """)).rules());

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final Erasures erasures = new Erasures(clock);
    private final Stub counts = new Stub("counts");
    private final Stub recordings = new Stub("recordings");
    private CapturedLog log;

    @BeforeEach
    void capture() {
        log = new CapturedLog(Erasures.class);
    }

    @AfterEach
    void close() {
        erasures.close();
        assertThat(log.lines().toString()).doesNotContain(VALUE).doesNotContain("acme");
        log.close();
    }

    /** Answers as a test tells it to. */
    private static final class Stub implements ErasableStore {

        private final String kind;
        private final List<String> erased = new CopyOnWriteArrayList<>();
        private volatile Attempt next = Attempt.done(2);
        private final AtomicLong removed = new AtomicLong();
        private volatile boolean broken;
        private volatile List<String> unsearchable = List.of();

        Stub(String kind) {
            this.kind = kind;
        }

        @Override
        public String kind() {
            return kind;
        }

        @Override
        public Attempt erase(String erasure, SubjectKeys keys) throws IOException {
            assertThat(keys.matches("user=" + VALUE) || keys.matches("user=bob"))
                    .isTrue();
            erased.add(erasure);
            if (broken) {
                throw new IOException("no space left");
            }
            Attempt answer = next;
            removed.addAndGet(answer.removed());
            return answer;
        }

        @Override
        public List<String> unsearchable() {
            return unsearchable;
        }
    }

    private static ErasureOrder order(long id, String value) {
        return new ErasureOrder(id, new Subject("user", value, Map.of("tenant", "acme")));
    }

    private void begin() {
        erasures.over(() -> RULES, KeySettings.ofThisProcess(), List.of(counts, recordings));
    }

    /** Offers orders again and again, as a center does. */
    private List<ErasureResult> results(ErasureOrder... orders) {
        Await.until("results", PATIENCE, () -> {
            erasures.offered(List.of(orders));
            return erasures.results().size() == orders.length;
        });
        return erasures.results();
    }

    @Test
    void performsAnOrderOnceAndReportsItForAsLongAsItIsOffered() {
        begin();
        ErasureOrder order = order(7, VALUE);
        ErasureResult result = results(order).get(0);
        assertThat(result.id()).isEqualTo(7);
        assertThat(result.removed()).isEqualTo(Map.of("counts", 2L, "recordings", 2L));
        assertThat(result.left()).isEmpty();
        assertThat(result.hashes()).hasSizeGreaterThanOrEqualTo(2);
        assertThat(results(order, order)).containsExactly(result, result);
        erasures.offered(List.of());
        assertThat(erasures.results()).isEmpty();
        assertThat(results(order)).containsExactly(result);
        assertThat(counts.erased).hasSize(1);
        assertThat(log.lines()).containsExactly("erasure 7 of a user is done; removed: {counts=2, recordings=2}");
    }

    @Test
    void saysWhatItCouldNotFind() {
        begin();
        ErasureResult result = results(new ErasureOrder(7, new Subject("user", VALUE, Map.of())))
                .get(0);
        assertThat(result.left())
                .singleElement()
                .asString()
                .startsWith("counts of secret.0 cannot be found, because they are stored under a hash");
    }

    @Test
    void saysWhatAStoreCannotSearch() {
        begin();
        recordings.unsearchable = List.of("old recordings cannot be read");
        assertThat(results(order(7, VALUE)).get(0).left()).containsExactly("old recordings cannot be read");
    }

    @Test
    void leavesOrdersForLaterUntilItKnowsWhatTheProcessStores() {
        erasures.offered(List.of(order(7, VALUE)));
        assertThat(erasures.results()).isEmpty();
        begin();
        assertThat(results(order(7, VALUE))).hasSize(1);
    }

    @Test
    void triesAStoreAgainThatCannotFinishAndAddsUp() {
        begin();
        counts.next = ErasableStore.Attempt.unfinished(1, "Redis is unavailable");
        offerUntil("two attempts", () -> counts.erased.size() >= 2);
        assertThat(erasures.results()).isEmpty();
        assertThat(erasures.findings()).isEmpty();
        clock.advance(Duration.ofMinutes(1));
        Await.until("it is noteworthy", PATIENCE, () -> erasures.findings()
                .equals(List.of("erasure 7 is not finished: counts may be left: Redis is unavailable")));
        counts.next = ErasableStore.Attempt.done(0);
        ErasureResult result = results(order(7, VALUE)).get(0);
        assertThat(result.removed()).containsEntry("recordings", 2L);
        assertThat(result.removed().get("counts"))
                .isEqualTo(counts.removed.get())
                .isPositive();
        assertThat(result.left()).isEmpty();
        assertThat(recordings.erased).hasSize(1);
        assertThat(erasures.findings()).isEmpty();
    }

    @Test
    void givesUpAfterTenMinutesAndSaysWhatIsLeft() {
        begin();
        counts.next = ErasableStore.Attempt.unfinished(0, "Redis is unavailable");
        recordings.broken = true;
        offerUntil("an attempt", () -> !counts.erased.isEmpty());
        clock.advance(Duration.ofMinutes(10));
        ErasureResult result = results(order(7, VALUE)).get(0);
        assertThat(result.left())
                .containsExactly(
                        "counts may be left: Redis is unavailable",
                        "recordings may be left: it failed with a IOException");
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("erasure 7 of a user is done as far as possible;");
    }

    @Test
    void ordersWithTheSameNumberAreToldApart() {
        begin();
        results(order(7, VALUE));
        results(order(7, "bob"));
        assertThat(counts.erased).hasSize(2).doesNotHaveDuplicates();
        assertThat(counts.erased).allMatch(name -> name.matches("7-[0-9a-f]{4}"));
    }

    @Test
    void anAttributeWithoutAValidFormIsReportedWithoutShowingIt() {
        begin();
        ErasureResult result =
                results(new ErasureOrder(7, new Subject("ip", VALUE, Map.of()))).get(0);
        assertThat(result.left())
                .containsExactly("nothing was searched, because an attribute of the subject has no valid form");
        assertThat(counts.erased).isEmpty();
    }

    @Test
    void takesManyOrdersAndForgetsOldOnes() {
        begin();
        for (int round = 0; round < 60; round++) {
            List<ErasureOrder> orders = new ArrayList<>();
            for (int i = 1; i <= ErasureOrder.MOST; i++) {
                orders.add(order(round * 100L + i, VALUE));
            }
            results(orders.toArray(new ErasureOrder[0]));
        }
        assertThat(counts.erased).hasSize(60 * ErasureOrder.MOST);
        results(order(1, VALUE));
        assertThat(counts.erased).hasSize(60 * ErasureOrder.MOST + 1);
    }

    @Test
    void resultsHaveATextThatACenterReads() {
        begin();
        ErasureResult result = results(order(7, VALUE)).get(0);
        assertThat(result.toString()).doesNotContain(VALUE);
        assertThat(order(7, VALUE).toString()).doesNotContain(VALUE).doesNotContain("acme");
    }

    private void offerUntil(String what, BooleanSupplier condition) {
        Await.until(what, PATIENCE, () -> {
            erasures.offered(List.of(order(7, VALUE)));
            return condition.getAsBoolean();
        });
    }
}
