package io.sluice.runtime.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.runtime.CapturedLog;
import io.sluice.runtime.durable.DurableFleet.Member;
import io.sluice.runtime.durable.TroubledCenter.Trouble;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Durable limits with a center that hangs, fails or answers nonsense. */
@Timeout(600)
class DurableCenterTest extends DurableFleetFixture {

    private final CapturedLog log = new CapturedLog(SumSender.class);
    private TroubledCenter center;

    @BeforeEach
    void create() throws IOException {
        center = new TroubledCenter(folder);
    }

    @AfterEach
    void close() {
        center.set(Trouble.FAILS);
        center.close();
        log.close();
    }

    @Test
    void aDecisionNeverWaitsForACenterThatHangsAndMemoryIsBounded() throws IOException {
        Member a = fleet.member("a").withCenter(center.line()).start();
        center.set(Trouble.HANGS);
        a.charge("first", 1);
        var unused = a.quotas().start();
        await("the center hangs", center::hangs);

        // This thread decides. If it waited for the center, the test would not end.
        for (int i = 0; i < 2 * DurableSums.MOST; i++) {
            a.charge("k" + i % DurableSums.MOST, 1);
        }

        assertThat(a.quotas().size()).isEqualTo(DurableSums.MOST);
        assertThat(a.quotas().leftOut()).as("the charges of one count").isEqualTo(2);
        // Some are under way at any moment.
        assertThat(a.quotas().unsent()).isBetween(DurableSums.MOST - 2_000, DurableSums.MOST + 2_000);
        center.set(Trouble.NONE);
        await("the center answers", () -> a.quotas().unsent() == 0);
        a.quotas().send();
        assertThat(center.sums()).hasSize(DurableSums.MOST);
        assertThat(center.sums().stream().mapToLong(DurableSum::used).sum()).isEqualTo(2L * DurableSums.MOST - 1);
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"NONE", "HANGS"})
    void whatTheCenterDidNotTakeIsSentLaterAndCountsOnce(Trouble trouble) throws IOException {
        Member a = fleet.member("a").withCenter(center.line()).start();
        a.charge("acme", 30).send();
        center.set(trouble);
        a.charge("acme", 5).charge("zeta", 2);
        assertThatThrownBy(() -> a.quotas().send()).isInstanceOf(IOException.class);
        a.quotas().tidy();
        a.charge("zeta", 1);

        assertThat(a.quotas().unsent()).isEqualTo(2);
        assertThat(a.used("acme")).isEqualTo(35);
        center.set(Trouble.NONE);
        a.quotas().send();
        assertThat(a.quotas().unsent()).isZero();
        assertThat(center.sums()).extracting(DurableSum::used).containsExactlyInAnyOrder(35L, 3L);
        fleet.loseStore();
        a.check();
        assertThat(a.used("acme")).isEqualTo(35);
        assertThat(a.used("zeta")).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(
            mode = Mode.EXCLUDE,
            names = {"NONE", "HANGS"})
    void anAnswerOfSomethingElseRestoresNothing(Trouble trouble) throws IOException {
        Member a = fleet.member("a").withCenter(center.line()).start();
        Member b = fleet.member("b").withCenter(center.line()).start();
        a.charge("acme", 30).send();
        fleet.loseStore();
        center.set(trouble);
        b.check();

        assertThat(b.quotas().isRestored()).isFalse();
        assertThat(b.quotas().findings()).singleElement().asString().startsWith("durable limits are not restored");
        center.set(Trouble.NONE);
        b.check();
        assertThat(b.used("acme")).isEqualTo(30);
    }

    @Test
    void aSumThatTheCenterRefusesDoesNotKeepOthersBack() throws IOException {
        Member a = fleet.member("a").withCenter(center.line()).start();
        center.refuse(sum -> sum.count().key().equals("bad"));
        for (int i = 0; i < 300; i++) {
            a.charge("k" + i, 1).charge(i == 250 ? "bad" : "k" + i, 1);
        }
        a.quotas().send();

        assertThat(center.sums()).hasSize(300);
        assertThat(a.quotas().unsent()).isZero();
        assertThat(a.quotas().refused()).isEqualTo(1);
        assertThat(a.quotas().findings())
                .containsExactly("the center refuses 1 sums of durable limits, which only this node can restore;"
                        + " use the same version for both");
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("the center refuses a sum of the durable limit r.quota")
                .doesNotContain("bad");
        fleet.loseStore();
        a.check();
        assertThat(a.used("bad")).as("the node restores it itself").isEqualTo(1);
        assertThat(a.used("k7")).isEqualTo(2);
    }

    @Test
    void aSumThatTheCenterRefusedIsTriedAgainAfterAnHour() throws IOException {
        Member a = fleet.start("a");
        fleet.center().refuse(sum -> sum.count().key().equals("bad"));
        a.charge("bad", 1).charge("acme", 1);
        a.quotas().send();
        int before = fleet.center().requests();
        a.charge("bad", 1).quotas().send();
        assertThat(fleet.center().requests()).as("not asked again").isEqualTo(before);

        fleet.clock().advance(Duration.ofMinutes(61));
        a.quotas().send();
        assertThat(a.quotas().refused()).isEqualTo(1);
        fleet.center().refuse(sum -> false);
        fleet.clock().advance(Duration.ofMinutes(61));
        a.quotas().send();

        assertThat(fleet.center().all()).extracting(DurableSum::used).containsExactlyInAnyOrder(2L, 1L);
        assertThat(a.quotas().refused()).isZero();
        assertThat(a.quotas().findings()).isEmpty();
        assertThat(log.lines()).as("told once").hasSize(1);
    }

    @Test
    void refusalsCostAFewRequestsAtATimeAndAllOthersArriveSoon() throws IOException {
        Member a = fleet.start("a");
        fleet.center().refuse(sum -> sum.count().key().startsWith("bad"));
        for (int i = 0; i < 2_000; i++) {
            a.charge(i % 4 == 0 ? "bad" + i : "k" + i, 1);
        }
        int rounds = 0;
        while (a.quotas().unsent() > 0) {
            int before = fleet.center().requests();
            a.quotas().send();
            assertThat(fleet.center().requests() - before).isBetween(1, 150);
            rounds++;
            assertThat(rounds).isLessThan(100);
        }

        assertThat(fleet.center().all()).hasSize(1_500);
        assertThat(a.quotas().refused()).isEqualTo(500);
        fleet.clock().advance(Duration.ofDays(3));
        a.charge("k", 1).quotas().tidy();
        assertThat(a.quotas().refused()).as("after their window").isZero();
    }

    @Test
    void memoryIsBoundedWhileTheCenterIsAwayForDays() {
        Member a = fleet.start("a");
        fleet.center().away(true);
        for (int day = 0; day < 10; day++) {
            for (int i = 0; i < 1_000; i++) {
                a.charge("day" + day + "-" + i, 1);
            }
            a.quotas().tidy();
            assertThat(a.quotas().unsent()).isEqualTo(a.quotas().size()).isLessThanOrEqualTo(2_000);
            fleet.clock().advance(Duration.ofDays(1));
        }
    }

    @Test
    void stoppingEndsWhileTheCenterHangs() throws IOException {
        Member a = fleet.member("a").withCenter(center.line()).start();
        center.set(Trouble.HANGS);
        a.charge("acme", 7);
        var unused = a.quotas().start();
        await("the center hangs", center::hangs);

        // Ends long before the center answers, but a slow disk may take its time.
        a.quotas().close(Duration.ofMillis(20));
        a.stop();

        center.set(Trouble.NONE);
        fleet.store().lose();
        a.withoutCenter().start();
        assertThat(a.used("acme")).isEqualTo(7);
    }
}
