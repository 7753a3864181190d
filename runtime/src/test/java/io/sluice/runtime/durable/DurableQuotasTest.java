package io.sluice.runtime.durable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.EngineFailure;
import io.sluice.core.spi.KeyMatch;
import io.sluice.core.spi.Settlement;
import io.sluice.core.spi.SettlementResult;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableQuotasTest {

    private static final long NOON = 1_789_992_000_000_000L;
    private static final RuleSet RULES =
            rules("{ id: quota, by: tenant, algorithm: fixed_window, limit: 1000, align: day,"
                    + " durable: true }, { id: other, by: tenant, algorithm: fixed_window, limit: 1000, align: day }");
    private static final FixedWindow QUOTA = limit("r.quota", 1_000);
    private static final FixedWindow OTHER = limit("r.other", 1_000);

    private final ManualClock clock = ManualClock.at(NOON);
    private final LossyStore store = new LossyStore(clock);
    private final MemoryLine center = new MemoryLine();
    private final List<DurableQuotas> opened = new ArrayList<>();

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        opened.forEach(DurableQuotas::close);
    }

    @Test
    void restoresWhatAllProcessesCharged() throws IOException {
        DurableQuotas a = started("a");
        DurableQuotas b = started("b");
        charge(a, "acme", 30);
        charge(b, "acme", 12);
        charge(b, "zeta", 5);
        flushed(a).send();
        flushed(b).send();

        lost(a, b);
        a.check();
        b.check();

        assertThat(used(a, "acme")).isEqualTo(42);
        assertThat(used(b, "zeta")).isEqualTo(5);
    }

    @Test
    void chargesOnceWhatTheCenterDidNotHaveYet() throws IOException {
        DurableQuotas a = started("a");
        DurableQuotas b = started("b");
        charge(a, "acme", 30);
        charge(b, "acme", 12);
        flushed(a).send();
        flushed(b).send();
        charge(b, "acme", 7);
        charge(b, "late", 1);

        lost(a, b);
        a.check();
        assertThat(used(a, "acme")).isEqualTo(42);
        b.check();
        b.storeChanged(false);
        b.check();

        assertThat(used(b, "acme")).isEqualTo(49);
        assertThat(used(b, "late")).isEqualTo(1);
    }

    @Test
    void survivesSeveralLosses() {
        DurableQuotas a = started("a");
        for (int i = 1; i <= 3; i++) {
            charge(a, "acme", 10);
            lost(a);
            a.check();
            assertThat(used(a, "acme")).isEqualTo(10L * i);
        }
    }

    @Test
    void doesNotDecideUntilItIsRestored() {
        DurableQuotas a = started("a");
        charge(a, "acme", 30);
        lost(a);
        center.away(true);
        a.check();

        assertThat(a.engine().decide(ask(QUOTA, "acme", 1))).isEqualTo(new EngineFailure("not-restored", false));
        assertThat(a.engine().settle(List.of(settlement("acme", 1, 2))).toCompletableFuture())
                .isCompletedExceptionally();
        assertThat(a.engine().decide(ask(OTHER, "acme", 1))).isInstanceOf(EngineDecision.class);
        assertThat(a.isRestored()).isFalse();
        assertThat(a.findings())
                .containsExactly("durable limits are not restored, on_failure decides them:"
                        + " the center accepts no connection");

        center.away(false);
        a.check();
        assertThat(used(a, "acme")).isEqualTo(30);
        assertThat(a.findings()).isEmpty();
    }

    @Test
    void anotherProcessRestoresIfTheFirstOneDoesNot() throws IOException {
        DurableQuotas a = started("a");
        DurableQuotas b = started("b");
        charge(a, "acme", 30);
        flushed(a).send();
        lost(a, b);
        center.away(true);
        a.check();
        center.away(false);
        b.check();
        assertThat(b.isRestored()).isFalse();
        assertThat(b.findings())
                .containsExactly(
                        "durable limits are not restored, on_failure decides them: another node is restoring them");

        clock.advance(Duration.ofSeconds(11));
        b.check();

        assertThat(used(b, "acme")).isEqualTo(30);
        a.check();
        assertThat(used(a, "acme")).isEqualTo(30);
    }

    @Test
    void anEmptyStoreOfAFirstStartIsRestoredAtOnce() {
        DurableQuotas a = started("a");

        assertThat(a.isRestored()).isTrue();
        assertThat(used(a, "acme")).isZero();
    }

    @Test
    void aStoreThatKeptItsDataIsNotChargedAgain() {
        DurableQuotas a = started("a");
        charge(a, "acme", 30);
        a.storeChanged(false);
        assertThat(a.engine().decide(ask(QUOTA, "acme", 1))).isInstanceOf(EngineFailure.class);
        a.check();

        assertThat(used(a, "acme")).isEqualTo(30);
    }

    @Test
    void noticesALossWithoutAnOutage() {
        DurableQuotas a = started("a");
        charge(a, "acme", 30);
        store.lose();
        a.check();

        assertThat(used(a, "acme")).isEqualTo(30);
    }

    @Test
    void restoresFromItsJournalAfterARestart() throws IOException {
        DurableQuotas a = started("a", Optional.empty());
        charge(a, "acme", 30);
        charge(a, "acme\t\n{x}", 4);
        flushed(a);
        charge(a, "acme", 3);
        opened.remove(a);
        a.close();
        Files.writeString(
                folder.resolve("a/durable/journal"), "torn\tS\tx", StandardCharsets.UTF_8, StandardOpenOption.APPEND);
        store.lose();
        DurableQuotas again = started("a", Optional.empty());

        assertThat(used(again, "acme")).isEqualTo(33);
        assertThat(used(again, "acme\t\n{x}")).isEqualTo(4);
        lost(again);
        again.check();
        assertThat(used(again, "acme")).isEqualTo(33);
    }

    @Test
    void aNodeThatComesBackAfterTheLossChargesWhatItHadNotSent() throws IOException {
        DurableQuotas a = started("a");
        DurableQuotas b = started("b");
        charge(a, "acme", 30);
        flushed(a).send();
        charge(a, "acme", 5);
        flushed(a);
        center.away(true);
        opened.remove(a);
        a.close();
        center.away(false);
        lost(b);
        b.check();
        assertThat(used(b, "acme")).isEqualTo(30);

        DurableQuotas back = started("a");

        assertThat(used(back, "acme")).isEqualTo(35);
    }

    @Test
    void aWindowNeverGetsWhatBelongsToTheOneBefore() throws IOException {
        DurableQuotas a = started("a");
        charge(a, "acme", 30);
        flushed(a).send();
        lost(a);
        clock.advance(Duration.ofDays(1));
        a.check();

        assertThat(a.isRestored()).isTrue();
        assertThat(used(a, "acme")).isZero();
        clock.advance(Duration.ofDays(2));
        a.tidy();
        assertThat(a.size()).isZero();
    }

    @Test
    void subtractsWhatIsGivenBackAndAddsWhatIsSettled() throws IOException {
        DurableQuotas a = started("a");
        EngineDecision decided = (EngineDecision) a.engine().decide(ask(QUOTA, "acme", 30));
        a.engine()
                .giveBack(List.of(decided.charges(ask(QUOTA, "acme", 30)).get(0)))
                .toCompletableFuture()
                .join();
        charge(a, "acme", 10);
        List<SettlementResult> settled = a.engine()
                .settle(List.of(settlement("acme", 10, 25)))
                .toCompletableFuture()
                .join();
        assertThat(settled.get(0).change()).isEqualTo(15);
        a.engine()
                .settle(List.of(settlement("acme", 10, 25)))
                .toCompletableFuture()
                .join();
        lost(a);
        a.check();

        assertThat(used(a, "acme")).isEqualTo(25);
    }

    @Test
    void keepsAtMostSoManyCounts() {
        DurableQuotas a = DurableQuotas.of(store, () -> RULES, Optional.empty(), Optional.of(center), clock, 2);
        opened.add(a);
        a.check();
        charge(a, "a", 1);
        charge(a, "b", 1);
        charge(a, "c", 1);
        charge(a, "x".repeat(2_000), 1);

        assertThat(a.size()).isEqualTo(2);
        assertThat(a.leftOut()).isEqualTo(2);
        assertThat(a.findings()).hasSize(1);
    }

    @Test
    void erasesASubjectHereAndInTheCenter() throws IOException {
        DurableQuotas a = started("a");
        DurableQuotas b = started("b");
        charge(a, "tenant=acme", 30);
        charge(b, "tenant=acme", 2);
        charge(b, "tenant=zeta", 1);
        flushed(a).send();
        flushed(b).send();

        KeyMatch match = new KeyMatch(key -> key.contains("acme"), List.of());
        assertThat(a.erase(match).removed()).isEqualTo(2);
        assertThat(b.erase(match).removed()).isEqualTo(1);

        assertThat(center.all()).extracting(sum -> sum.count().key()).containsExactly("tenant=zeta");
        assertThat(Files.readString(folder.resolve("a/durable/journal"))).doesNotContain("\tS\t");
    }

    @Test
    void anErasureThatCouldNotWriteTheJournalWritesItNextTime() throws IOException {
        DurableQuotas a = started("a");
        charge(a, "tenant=acme", 30);
        flushed(a);
        KeyMatch match = new KeyMatch(key -> key.contains("acme"), List.of());
        Path durable = folder.resolve("a/durable");
        Files.move(durable, folder.resolve("a/elsewhere"));
        assertThatThrownBy(() -> a.erase(match)).isInstanceOf(IOException.class);
        assertThat(a.findings()).containsExactly("the journal of durable limits cannot be written");
        Files.move(folder.resolve("a/elsewhere"), durable);

        var unused = a.erase(match);

        assertThat(Files.readString(durable.resolve("journal"))).doesNotContain("\tS\t");
        assertThat(a.findings()).isEmpty();
    }

    @Test
    void whatIsChargedAfterAJournalFellBehindTheCenterCountsToo() throws IOException {
        DurableQuotas a = started("a");
        charge(a, "acme", 30);
        flushed(a);
        Path durable = folder.resolve("a/durable");
        Files.copy(durable.resolve("journal"), folder.resolve("old"));
        charge(a, "acme", 15);
        charge(a, "acme", 5);
        flushed(a).send();
        opened.remove(a);
        a.close();
        Files.move(folder.resolve("old"), durable.resolve("journal"), StandardCopyOption.REPLACE_EXISTING);
        Files.deleteIfExists(durable.resolve("closed"));

        DurableQuotas again = started("a");
        charge(again, "acme", 10);
        flushed(again).send();
        lost(again);
        again.check();

        assertThat(used(again, "acme")).isEqualTo(60);
    }

    @Test
    void whatIsChargedAfterTheJournalWasDamagedCountsToo() throws IOException {
        DurableQuotas a = started("a");
        charge(a, "acme", 30);
        charge(a, "acme", 10);
        charge(a, "zeta", 3);
        flushed(a).send();
        opened.remove(a);
        a.close();
        Path journal = folder.resolve("a/durable/journal");
        List<String> lines = Files.readAllLines(journal);
        int last = lines.size() - 1;
        lines.set(last - 1, lines.get(last - 1).replace("\tS\t", "\tX\t"));
        lines.set(last, lines.get(last).replace("\tS\t", "\tX\t"));
        Files.write(journal, lines);

        DurableQuotas again = started("a");
        charge(again, "acme", 5);
        charge(again, "zeta", 1);
        flushed(again).send();
        lost(again);
        again.check();

        assertThat(used(again, "acme")).isEqualTo(45);
        assertThat(used(again, "zeta")).isEqualTo(4);
    }

    @Test
    void aCleanRestartGoesOnWithTheSameSums() throws IOException {
        for (int i = 0; i < 3; i++) {
            DurableQuotas a = started("a");
            charge(a, "acme", 10);
            opened.remove(a);
            a.close();
        }

        assertThat(center.all()).extracting(DurableSum::used).containsExactly(30L);
    }

    @Test
    void sumsOfLostStoresDoNotTakeThePlaceOfNewOnes() {
        DurableQuotas a = DurableQuotas.of(store, () -> RULES, Optional.empty(), Optional.of(center), clock, 2);
        opened.add(a);
        a.check();
        for (int i = 1; i <= 3; i++) {
            charge(a, "a", 10);
            charge(a, "b", 1);
            lost(a);
            a.check();
            assertThat(used(a, "a")).isEqualTo(10L * i);
        }
        assertThat(a.leftOut()).isZero();
    }

    @Test
    void aStoreThatIsLostAgainDuringTheRestoreIsChargedOnce() {
        DurableQuotas a = started("a");
        for (int i = 0; i < 120; i++) {
            charge(a, "k" + i, 3);
        }
        store.lose();
        AtomicInteger batches = new AtomicInteger();
        store.whenSettling(() -> {
            if (batches.incrementAndGet() == 1) {
                store.lose();
            }
        });
        a.check();
        assertThat(a.isRestored()).isFalse();
        a.check();

        long all = 0;
        for (int i = 0; i < 120; i++) {
            all += used(a, "k" + i);
        }
        // One batch was under way.
        assertThat(all).isBetween(3L * 120, 3L * (120 + 50));
    }

    @Test
    void aSecondProcessInTheSameDirectoryHasAnotherJournal() {
        DurableQuotas a = started("a");
        DurableQuotas same = started("a");
        charge(a, "acme", 30);
        charge(same, "acme", 2);
        lost(a, same);
        a.check();
        same.check();

        assertThat(used(a, "acme")).isEqualTo(32);
    }

    @Test
    void theJournalIsReplacedWhenItGrows() throws IOException {
        DurableJournal journal = DurableJournal.in(folder);
        journal.replace(List.of());
        DurableCount count = new DurableCount("r.quota", Calendar.DAY, "UTC", "k".repeat(1_000), 1, 2);
        for (int i = 1; !journal.isLarge(); i++) {
            assertThat(i).isLessThan(10_000);
            journal.append(List.of(new DurableSum(journal.source(), "m", count, i, i)));
        }
        journal.replace(List.of(new DurableSum(journal.source(), "m", count, 77, 78)));
        assertThat(Files.size(folder.resolve("journal"))).isLessThan(3_000);
        journal.append(List.of(new DurableSum(journal.source(), "m", count, 78, 79)));
        journal.complete();
        journal.close();

        DurableJournal again = DurableJournal.in(folder);
        assertThat(again.source()).isEqualTo(journal.source());
        assertThat(again.takeLoaded()).extracting(DurableSum::used).containsExactly(78L);
        again.close();
    }

    private DurableQuotas started(String name) {
        return started(name, Optional.of(center));
    }

    private DurableQuotas started(String name, Optional<DurableLine> line) {
        DurableQuotas quotas = DurableQuotas.of(store, () -> RULES, Optional.of(folder.resolve(name)), line, clock);
        opened.add(quotas);
        quotas.check();
        return quotas;
    }

    private void lost(DurableQuotas... all) {
        for (DurableQuotas each : all) {
            each.storeChanged(false);
        }
        store.lose();
    }

    private static DurableQuotas flushed(DurableQuotas quotas) {
        quotas.flush();
        return quotas;
    }

    private static void charge(DurableQuotas quotas, String key, long permits) {
        assertThat(((EngineDecision) quotas.engine().decide(ask(QUOTA, key, permits))).allowed())
                .isTrue();
    }

    private static long used(DurableQuotas quotas, String key) {
        EngineDecision looked =
                (EngineDecision) quotas.engine().decide(ask(QUOTA, key, 1).looking());
        return 1_000 - looked.verdicts().get(0).remaining();
    }

    private Settlement settlement(String key, long reserved, long actual) {
        return new Settlement(QUOTA, key, reserved, actual, clock.epochMicros(), "s1", 300_000_000L);
    }

    private static Ask ask(FixedWindow limit, String key, long permits) {
        return Ask.charging(List.of(Demand.of(limit, key, permits)));
    }

    private static FixedWindow limit(String name, long permits) {
        return Limit.named(name).fixedWindow(permits, Calendar.DAY, ZoneId.of("UTC"));
    }

    private static RuleSet rules(String limits) {
        RuleDocument document = RuleDocument.parse("t", "rules: [{ id: r, limits: [" + limits + "] }]");
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }
}
