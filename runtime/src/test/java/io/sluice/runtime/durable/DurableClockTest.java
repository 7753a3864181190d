package io.sluice.runtime.durable;

import static io.sluice.runtime.durable.DurableFleet.QUOTA;
import static io.sluice.runtime.durable.DurableFleet.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.spi.EngineDecision;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.CapturedLog;
import io.sluice.runtime.durable.DurableFleet.Member;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Durable limits of a process whose clock differs from that of the store by some days. */
class DurableClockTest extends DurableFleetFixture {

    private ManualClock own;

    @ParameterizedTest
    @ValueSource(ints = {-40, -3, -1, 1, 3, 40})
    void sumsEndByTheClockOfTheStore(int days) throws IOException {
        Member a = start(days);
        a.charge("acme", 30);
        a.quotas().tidy();
        a.charge("acme", 5).send();
        a.quotas().tidy();

        assertThat(fleet.center().all()).extracting(DurableSum::used).containsExactly(35L);
        a.stop();
        a.start();
        a.quotas().tidy();
        fleet.loseStore();
        a.check();
        assertThat(a.used("acme")).isEqualTo(35);

        advance(Duration.ofDays(1).plusHours(11));
        a.quotas().tidy();
        assertThat(a.quotas().size())
                .as("a day after the window has ended, by the clock of the store")
                .isEqualTo(1);
        advance(Duration.ofHours(2));
        a.quotas().tidy();
        assertThat(a.quotas().size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {-3, -1, 1, 3})
    void sumsEndInAProcessWithoutRequests(int days) {
        Member a = start(days);
        a.charge("acme", 30);
        a.stop();
        advance(Duration.ofDays(3));
        a.start();
        a.quotas().tidy();

        assertThat(a.quotas().size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {-3, -1, 1, 3})
    void whatIsSettledAndGivenBackCountsInTheWindowOfTheStore(int days) {
        Member a = start(days);
        EngineDecision decided = (EngineDecision) a.quotas().engine().decide(ask(QUOTA, "acme", 30));
        a.quotas()
                .engine()
                .giveBack(List.of(decided.charges(ask(QUOTA, "acme", 30)).get(0)))
                .toCompletableFuture()
                .join();
        a.charge("acme", 10);
        a.quotas()
                .engine()
                .settle(List.of(fleet.settlement("acme", 10, 25)))
                .toCompletableFuture()
                .join();
        fleet.loseStore();
        a.check();

        assertThat(a.used("acme")).isEqualTo(25);
    }

    @Test
    void aStoreWhoseClockIsBehindByAMomentGetsAWindowWhenItBegins() throws IOException {
        Member a = fleet.start("a");
        fleet.clock().advance(Duration.ofHours(12).plusSeconds(5));
        a.charge("acme", 30).send();
        ManualClock behind = QuietClock.at(fleet.clock().epochMicros() - TimeUnit.SECONDS.toMicros(10));
        a.quotas().storeChanged(false);
        fleet.store().lose(behind);
        a.check();

        assertThat(a.quotas().isRestored()).isFalse();
        assertThat(a.quotas().findings())
                .containsExactly("durable limits are not restored, on_failure decides them:"
                        + " the clock of the store is behind that of the lost one by a moment");
        behind.advance(Duration.ofSeconds(10));
        a.check();
        assertThat(a.used("acme")).isEqualTo(30);
    }

    @Test
    void nobodyWaitsForAWindowOfTheFarFuture() throws IOException {
        Member a = fleet.start("a");
        fleet.clock().advance(Duration.ofDays(400));
        a.charge("acme", 30).send();
        a.quotas().storeChanged(false);
        try (CapturedLog log = new CapturedLog(StoreRecovery.class)) {
            fleet.store().lose(QuietClock.at(DurableFleet.NOON));
            a.check();

            assertThat(a.quotas().isRestored()).isTrue();
            assertThat(log.lines()).containsExactly("1 durable counts could not be restored; they begin anew");
        }
    }

    private Member start(int days) {
        own = QuietClock.at(DurableFleet.NOON + TimeUnit.DAYS.toMicros(days));
        return fleet.member("a").withClock(own).start();
    }

    private void advance(Duration time) {
        fleet.clock().advance(time);
        own.advance(time);
    }
}
