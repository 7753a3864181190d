package io.sluice.runtime.durable;

import static io.sluice.runtime.durable.DurableFleet.OTHER;
import static io.sluice.runtime.durable.DurableFleet.QUOTA;
import static io.sluice.runtime.durable.DurableFleet.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.SettlementResult;
import io.sluice.runtime.durable.DurableFleet.Member;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DurableQuotasTest extends DurableFleetFixture {

    @Test
    void restoresWhatAllProcessesCharged() throws IOException {
        Member a = fleet.start("a");
        Member b = fleet.start("b");
        a.charge("acme", 30);
        b.charge("acme", 12);
        b.charge("zeta", 5);
        a.send();
        b.send();

        fleet.loseStore();
        a.check();
        b.check();

        assertThat(a.used("acme")).isEqualTo(42);
        assertThat(b.used("zeta")).isEqualTo(5);
    }

    @Test
    void chargesOnceWhatTheCenterDidNotHaveYet() throws IOException {
        Member a = fleet.start("a");
        Member b = fleet.start("b");
        a.charge("acme", 30);
        b.charge("acme", 12);
        a.send();
        b.send();
        b.charge("acme", 7);
        b.charge("late", 1);

        fleet.loseStore();
        a.check();
        assertThat(a.used("acme")).isEqualTo(42);
        b.check();
        b.quotas().storeChanged(false);
        b.check();

        assertThat(b.used("acme")).isEqualTo(49);
        assertThat(b.used("late")).isEqualTo(1);
    }

    @Test
    void survivesSeveralLosses() {
        Member a = fleet.start("a");
        for (int i = 1; i <= 3; i++) {
            a.charge("acme", 10);
            fleet.loseStore();
            a.check();
            assertThat(a.used("acme")).isEqualTo(10L * i);
        }
    }

    @Test
    void doesNotDecideUntilItIsRestored() {
        Member a = fleet.start("a");
        a.charge("acme", 30);
        fleet.loseStore();
        fleet.center().away(true);
        a.check();

        assertThat(a.quotas().engine().decide(ask(QUOTA, "acme", 1)))
                .isEqualTo(new EngineFailure("not-restored", false));
        assertThat(a.quotas()
                        .engine()
                        .settle(List.of(fleet.settlement("acme", 1, 2)))
                        .toCompletableFuture())
                .isCompletedExceptionally();
        assertThat(a.quotas().engine().decide(ask(OTHER, "acme", 1))).isInstanceOf(EngineDecision.class);
        assertThat(a.quotas().isRestored()).isFalse();
        assertThat(a.quotas().findings())
                .containsExactly("durable limits are not restored, on_failure decides them:"
                        + " the center accepts no connection");

        fleet.center().away(false);
        a.check();
        assertThat(a.used("acme")).isEqualTo(30);
        assertThat(a.quotas().findings()).isEmpty();
    }

    @Test
    void anotherProcessRestoresIfTheFirstOneDoesNot() throws IOException {
        Member a = fleet.start("a");
        Member b = fleet.start("b");
        a.charge("acme", 30);
        a.send();
        fleet.loseStore();
        fleet.center().away(true);
        a.check();
        fleet.center().away(false);
        b.check();
        assertThat(b.quotas().isRestored()).isFalse();
        assertThat(b.quotas().findings())
                .containsExactly(
                        "durable limits are not restored, on_failure decides them: another node is restoring them");

        fleet.clock().advance(Duration.ofSeconds(11));
        b.check();

        assertThat(b.used("acme")).isEqualTo(30);
        a.check();
        assertThat(a.used("acme")).isEqualTo(30);
    }

    @Test
    void anEmptyStoreOfAFirstStartIsRestoredAtOnce() {
        Member a = fleet.start("a");

        assertThat(a.quotas().isRestored()).isTrue();
        assertThat(a.used("acme")).isZero();
    }

    @Test
    void aStoreThatKeptItsDataIsNotChargedAgain() {
        Member a = fleet.start("a");
        a.charge("acme", 30);
        a.quotas().storeChanged(false);
        assertThat(a.quotas().engine().decide(ask(QUOTA, "acme", 1))).isInstanceOf(EngineFailure.class);
        a.check();

        assertThat(a.used("acme")).isEqualTo(30);
    }

    @Test
    void noticesALossWithoutAnOutage() {
        Member a = fleet.start("a");
        a.charge("acme", 30);
        fleet.store().lose();
        a.check();

        assertThat(a.used("acme")).isEqualTo(30);
    }

    @Test
    void restoresFromItsJournalAfterARestart() throws IOException {
        Member a = fleet.member("a").withoutCenter().start();
        a.charge("acme", 30);
        a.charge("acme\t\n{x}", 4);
        a.flush();
        a.charge("acme", 3);
        a.stop();
        Files.writeString(a.journal(), "torn\tS\tx", StandardCharsets.UTF_8, StandardOpenOption.APPEND);
        fleet.store().lose();
        Member again = fleet.member("a").withoutCenter().start();

        assertThat(again.used("acme")).isEqualTo(33);
        assertThat(again.used("acme\t\n{x}")).isEqualTo(4);
        fleet.loseStore();
        again.check();
        assertThat(again.used("acme")).isEqualTo(33);
    }

    @Test
    void aNodeThatComesBackAfterTheLossChargesWhatItHadNotSent() throws IOException {
        Member a = fleet.start("a");
        Member b = fleet.start("b");
        a.charge("acme", 30);
        a.send();
        a.charge("acme", 5);
        a.flush();
        fleet.center().away(true);
        a.stop();
        fleet.center().away(false);
        fleet.loseStore();
        b.check();
        assertThat(b.used("acme")).isEqualTo(30);

        Member back = fleet.start("a");

        assertThat(back.used("acme")).isEqualTo(35);
    }

    @Test
    void aWindowNeverGetsWhatBelongsToTheOneBefore() throws IOException {
        Member a = fleet.start("a");
        a.charge("acme", 30);
        a.send();
        fleet.loseStore();
        fleet.clock().advance(Duration.ofDays(1));
        a.check();

        assertThat(a.quotas().isRestored()).isTrue();
        assertThat(a.used("acme")).isZero();
        fleet.clock().advance(Duration.ofDays(2));
        a.quotas().tidy();
        assertThat(a.quotas().size()).isZero();
    }

    @Test
    void subtractsWhatIsGivenBackAndAddsWhatIsSettled() throws IOException {
        Member a = fleet.start("a");
        EngineDecision decided = (EngineDecision) a.quotas().engine().decide(ask(QUOTA, "acme", 30));
        a.quotas()
                .engine()
                .giveBack(List.of(decided.charges(ask(QUOTA, "acme", 30)).get(0)))
                .toCompletableFuture()
                .join();
        a.charge("acme", 10);
        List<SettlementResult> settled = a.quotas()
                .engine()
                .settle(List.of(fleet.settlement("acme", 10, 25)))
                .toCompletableFuture()
                .join();
        assertThat(settled.get(0).change()).isEqualTo(15);
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
    void keepsAtMostSoManyCounts() {
        Member a = fleet.member("a").withMost(2).start();
        a.charge("a", 1);
        a.charge("b", 1);
        a.charge("c", 1);
        a.charge("x".repeat(2_000), 1);

        assertThat(a.quotas().size()).isEqualTo(2);
        assertThat(a.quotas().leftOut()).isEqualTo(2);
        assertThat(a.quotas().findings()).hasSize(1);
    }

    @Test
    void erasesASubjectHereAndInTheCenter() throws IOException {
        Member a = fleet.start("a");
        Member b = fleet.start("b");
        a.charge("tenant=acme", 30);
        b.charge("tenant=acme", 2);
        b.charge("tenant=zeta", 1);
        a.send();
        b.send();

        KeyMatch match = new KeyMatch(key -> key.contains("acme"), List.of());
        assertThat(a.quotas().erase(match, DurableFleet.PATIENCE).removed()).isEqualTo(2);
        assertThat(b.quotas().erase(match, DurableFleet.PATIENCE).removed()).isEqualTo(1);

        assertThat(fleet.center().all()).extracting(sum -> sum.count().key()).containsExactly("tenant=zeta");
        assertThat(Files.readString(a.journal())).doesNotContain("\tS\t");
    }

    @Test
    void anErasureThatDidNotReachTheCenterGoesOnEvenIfNoLimitIsDurableAnyMore() throws IOException {
        Member a = fleet.start("a");
        a.charge("tenant=acme", 30).send();
        fleet.dropDurableLimit();
        KeyMatch match = new KeyMatch(key -> key.contains("acme"), List.of());
        fleet.center().away(true);
        assertThatThrownBy(() -> a.quotas().erase(match, DurableFleet.PATIENCE)).isInstanceOf(IOException.class);
        fleet.center().away(false);

        var unused = a.quotas().erase(match, DurableFleet.PATIENCE);

        assertThat(fleet.center().all()).isEmpty();
        assertThat(Files.readString(a.journal())).doesNotContain("\tS\t");
    }

    @Test
    void anErasureThatCouldNotWriteTheJournalWritesItNextTime() throws IOException {
        Member a = fleet.start("a");
        a.charge("tenant=acme", 30);
        a.flush();
        KeyMatch match = new KeyMatch(key -> key.contains("acme"), List.of());
        Path durable = a.durable();
        Files.move(durable, folder.resolve("a/elsewhere"));
        assertThatThrownBy(() -> a.quotas().erase(match, DurableFleet.PATIENCE)).isInstanceOf(IOException.class);
        assertThat(a.quotas().findings()).containsExactly("the journal of durable limits cannot be written");
        Files.move(folder.resolve("a/elsewhere"), durable);

        var unused = a.quotas().erase(match, DurableFleet.PATIENCE);

        assertThat(Files.readString(durable.resolve("journal"))).doesNotContain("\tS\t");
        assertThat(a.quotas().findings()).isEmpty();
    }

    @Test
    void whatIsChargedAfterAJournalFellBehindTheCenterCountsToo() throws IOException {
        Member a = fleet.start("a");
        a.charge("acme", 30);
        a.flush();
        Path durable = a.durable();
        Files.copy(durable.resolve("journal"), folder.resolve("old"));
        a.charge("acme", 15);
        a.charge("acme", 5);
        a.send();
        a.stop();
        Files.move(folder.resolve("old"), durable.resolve("journal"), StandardCopyOption.REPLACE_EXISTING);
        Files.deleteIfExists(durable.resolve("closed"));

        Member again = fleet.start("a");
        again.charge("acme", 10);
        again.send();
        fleet.loseStore();
        again.check();

        assertThat(again.used("acme")).isEqualTo(60);
    }

    @Test
    void whatIsChargedAfterTheJournalWasDamagedCountsToo() throws IOException {
        Member a = fleet.start("a");
        a.charge("acme", 30);
        a.charge("acme", 10);
        a.charge("zeta", 3);
        a.send();
        a.stop();
        Path journal = a.journal();
        List<String> lines = Files.readAllLines(journal);
        int last = lines.size() - 1;
        lines.set(last - 1, lines.get(last - 1).replace("\tS\t", "\tX\t"));
        lines.set(last, lines.get(last).replace("\tS\t", "\tX\t"));
        Files.write(journal, lines);

        Member again = fleet.start("a");
        again.charge("acme", 5);
        again.charge("zeta", 1);
        again.send();
        fleet.loseStore();
        again.check();

        assertThat(again.used("acme")).isEqualTo(45);
        assertThat(again.used("zeta")).isEqualTo(4);
    }

    @Test
    void aCleanRestartGoesOnWithTheSameSums() throws IOException {
        for (int i = 0; i < 3; i++) {
            Member a = fleet.start("a");
            a.charge("acme", 10);
            a.stop();
        }

        assertThat(fleet.center().all()).extracting(DurableSum::used).containsExactly(30L);
    }

    @Test
    void sumsOfLostStoresDoNotTakeThePlaceOfNewOnes() {
        Member a = fleet.member("a").withMost(2).start();
        for (int i = 1; i <= 3; i++) {
            a.charge("a", 10);
            a.charge("b", 1);
            fleet.loseStore();
            a.check();
            assertThat(a.used("a")).isEqualTo(10L * i);
        }
        assertThat(a.quotas().leftOut()).isZero();
    }

    @Test
    void aStoreThatIsLostAgainDuringTheRestoreIsChargedOnce() {
        Member a = fleet.start("a");
        for (int i = 0; i < 120; i++) {
            a.charge("k" + i, 3);
        }
        fleet.store().lose();
        AtomicInteger batches = new AtomicInteger();
        fleet.store().whenSettling(() -> {
            if (batches.incrementAndGet() == 1) {
                fleet.store().lose();
            }
        });
        a.check();
        assertThat(a.quotas().isRestored()).isFalse();
        a.check();

        long all = 0;
        for (int i = 0; i < 120; i++) {
            all += a.used("k" + i);
        }
        // One batch was under way.
        assertThat(all).isBetween(3L * 120, 3L * (120 + 50));
    }

    @Test
    void aFailureThatNobodyExpectsIsAFindingToo() {
        Member a = fleet.start("a");
        a.charge("acme", 30);
        fleet.loseStore();
        fleet.store().whenSettling(() -> {
            throw new IllegalStateException("broken");
        });
        a.check();

        assertThat(a.quotas().isRestored()).isFalse();
        assertThat(a.quotas().findings())
                .containsExactly("durable limits are not restored, on_failure decides them:"
                        + " java.lang.IllegalStateException: broken");
        fleet.store().whenSettling(() -> {});
        a.check();
        assertThat(a.used("acme")).isEqualTo(30);
    }

    @Test
    void aSecondProcessInTheSameDirectoryHasAnotherJournal() {
        Member a = fleet.start("a");
        Member same = fleet.start("a");
        a.charge("acme", 30);
        same.charge("acme", 2);
        fleet.loseStore();
        a.check();
        same.check();

        assertThat(a.used("acme")).isEqualTo(32);
    }
}
