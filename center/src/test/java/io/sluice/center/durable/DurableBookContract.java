package io.sluice.center.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.database.Database;
import io.sluice.core.limit.Calendar;
import io.sluice.core.time.ManualClock;
import io.sluice.runtime.center.CenterDurableLine;
import io.sluice.runtime.durable.DurableCount;
import io.sluice.runtime.durable.DurableSum;
import io.sluice.testkit.QuietClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sums of durable limits in a database. */
abstract class DurableBookContract {

    private static final long NOW = 1_800_000_000_000_000L;

    @TempDir
    Path data;

    private final ManualClock clock = QuietClock.at(NOW);
    private Database database;
    private DurableBook book;

    /** Returns the URL of a new database. */
    abstract String url();

    @BeforeEach
    void open() throws Exception {
        database = Database.open(url(), data);
        book = new DurableBook(database, clock);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void anOlderStateNeverReplacesANewerOne() {
        book.add(List.of(sum("a", "m1", "tenant=acme", 30, 3)));
        book.add(List.of(sum("a", "m1", "tenant=acme", 20, 2), sum("b", "m1", "tenant=größe 𝄞\n", 1, 1)));
        book.add(List.of(sum("a", "m1", "tenant=acme", 31, 4)));

        assertThat(book.page(""))
                .containsExactlyInAnyOrder(
                        sum("a", "m1", "tenant=acme", 31, 4), sum("b", "m1", "tenant=größe 𝄞\n", 1, 1));
    }

    @Test
    void theFirstQuestionAboutAStoreFixesTheAnswer() {
        book.add(List.of(sum("a", "m1", "x", 30, 3), sum("a", "m2", "x", 5, 1)));

        assertThat(book.earlierThan("m2", "")).containsExactly(sum("a", "m1", "x", 30, 3));
        book.add(List.of(sum("a", "m1", "x", 40, 4), sum("b", "m1", "x", 7, 1)));

        assertThat(book.earlierThan("m2", "")).extracting(DurableSum::used).containsExactly(30L);
        assertThat(book.earlierThan("m3", "")).extracting(DurableSum::used).containsExactlyInAnyOrder(40L, 7L, 5L);
    }

    @Test
    void aFullBookStillTakesNewStates() {
        DurableBook small = new DurableBook(database, clock, 2);
        small.add(List.of(sum("a", "m1", "x", 1, 1), sum("a", "m1", "y", 1, 1)));
        small.add(List.of(sum("a", "m1", "z", 1, 1), sum("a", "m1", "y", 9, 2)));

        assertThat(small.page("")).containsExactlyInAnyOrder(sum("a", "m1", "x", 1, 1), sum("a", "m1", "y", 9, 2));
    }

    @Test
    void pagesHaveAllSumsOnce() {
        List<DurableSum> all = IntStream.rangeClosed(1, 2 * CenterDurableLine.PAGE + 7)
                .mapToObj(i -> sum("a", "m1", "k" + i, i, 1))
                .toList();
        book.add(all);
        List<DurableSum> read = new ArrayList<>();
        for (List<DurableSum> page = book.earlierThan("m2", ""); !page.isEmpty(); ) {
            read.addAll(page);
            page = book.earlierThan("m2", page.get(page.size() - 1).ref());
        }

        assertThat(read).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void removedSumsAreInNoAnswer() {
        DurableSum removed = sum("a", "m1", "x", 30, 3);
        book.add(List.of(removed, sum("a", "m1", "y", 1, 1)));
        assertThat(book.earlierThan("m2", "")).hasSize(2);
        book.remove(List.of(removed.ref()));

        assertThat(book.earlierThan("m2", ""))
                .extracting(sum -> sum.count().key())
                .containsExactly("y");
        assertThat(book.page("")).hasSize(1);
    }

    @Test
    void theNewestAnswersStay() {
        book.add(List.of(sum("a", "m", "x", 30, 3)));
        for (int i = 0; i <= DurableBook.MOST_RESTORES; i++) {
            assertThat(book.earlierThan("s" + i, "")).hasSize(1);
            clock.advance(Duration.ofSeconds(1));
        }
        long kept = database.read(client -> client.sql("SELECT COUNT(*) FROM durable_restored")
                .query(Long.class)
                .single());
        assertThat(kept).isEqualTo(DurableBook.MOST_RESTORES);
    }

    private static DurableSum sum(String source, String store, String key, long used, long changes) {
        DurableCount count = new DurableCount("r.quota", Calendar.MONTH, "Europe/Berlin", key, NOW - 10, NOW + 10);
        return new DurableSum(source, store, count, used, changes);
    }
}
