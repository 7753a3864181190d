package io.sluice.runtime.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.runtime.durable.DurableFleet.Member;
import io.sluice.runtime.durable.TroubledCenter.Trouble;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Durable limits with a center that hangs, fails or answers nonsense. */
@Timeout(600)
class DurableCenterTest {

    @TempDir
    Path folder;

    private DurableFleet fleet;
    private TroubledCenter center;

    @BeforeEach
    void create() throws IOException {
        fleet = new DurableFleet(folder);
        center = new TroubledCenter(folder);
    }

    @AfterEach
    void close() {
        center.set(Trouble.FAILS);
        fleet.close();
        center.close();
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

    private static void await(String what, BooleanSupplier condition) {
        Await.until(what, DurableFleet.PATIENCE, condition);
    }
}
