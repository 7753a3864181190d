package io.sluice.runtime.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Calendar;
import io.sluice.runtime.CapturedLog;
import io.sluice.runtime.durable.DurableFleet.Member;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The journal of durable limits after a process ended in the middle of something. */
class DurableJournalTest {

    private static final DurableCount COUNT = new DurableCount("r.quota", Calendar.DAY, "UTC", "acme", 1, 2);

    @TempDir
    Path folder;

    /** The sums that the last opened journal had. */
    private List<DurableSum> loaded = List.of();

    private final CapturedLog log = new CapturedLog(DurableJournal.class);

    @AfterEach
    void release() {
        log.close();
    }

    @Test
    void isReplacedWhenItGrows() throws IOException {
        DurableJournal journal = open();
        journal.replace(List.of());
        DurableCount count = new DurableCount("r.quota", Calendar.DAY, "UTC", "k".repeat(1_000), 1, 2);
        for (int i = 1; !journal.isLarge(); i++) {
            assertThat(i).isLessThan(10_000);
            journal.append(List.of(new DurableSum(journal.source(), "m", count, i, i)));
        }
        journal.replace(List.of(new DurableSum(journal.source(), "m", count, 77, 78)));
        assertThat(Files.size(file())).isLessThan(3_000);
        journal.append(List.of(new DurableSum(journal.source(), "m", count, 78, 79)));
        journal.complete();
        journal.close();

        DurableJournal again = open();
        assertThat(again.source()).isEqualTo(journal.source());
        assertThat(loaded).extracting(DurableSum::used).containsExactly(78L);
        again.close();
    }

    @Test
    void aLastLineThatIsCutAnywhereIsLeftOut() throws IOException {
        byte[] whole = written();
        int lastLine = new String(whole, StandardCharsets.UTF_8).lastIndexOf('\n', whole.length - 2) + 1;
        for (int length = lastLine; length < whole.length; length++) {
            Files.write(file(), Arrays.copyOf(whole, length));
            // The last byte is the end of the line, which nobody misses.
            long expected = length == whole.length - 1 ? 20 : 10;

            assertThat(loaded()).as("cut after %d bytes", length).containsExactly(expected);
        }
    }

    @Test
    void aByteThatIsWrongAnywhereCostsItsLineOnly() throws IOException {
        byte[] whole = written();
        for (int i = 0; i < whole.length; i++) {
            byte[] damaged = whole.clone();
            damaged[i] ^= 0x01;
            Files.write(file(), damaged);

            // The two states of the sum are in different lines, so one of them is left, unless the border between them
            // is wrong.
            assertThat(loaded())
                    .as("byte %d", i)
                    .isSubsetOf(List.of(10L, 20L))
                    .hasSizeBetween(whole[i] == '\n' ? 0 : 1, 1);
        }
    }

    @Test
    void anEmptyFileAndOneOfZerosHaveNoSums() throws IOException {
        for (byte[] content : List.of(new byte[0], new byte[100_000])) {
            Files.write(file(), content);
            // Even if the last run said that it had written everything.
            Files.createFile(folder.resolve("closed"));
            DurableJournal journal = open();

            assertThat(loaded).isEmpty();
            journal.replace(List.of(sum(journal, "m", 5)));
            journal.close();
            assertThat(loaded()).containsExactly(5L);
        }
    }

    @Test
    void linesOfAnotherVersionAreLeftOutAndNewChargesGetANewSource() throws IOException {
        DurableJournal first = open();
        first.replace(List.of(sum(first, "m", 10)));
        first.append(List.of());
        first.complete();
        first.close();
        append("S2\tsomething\tnew");
        append("S\t" + sum(first, "m", 20).text() + "\tone-field-more");
        append("S\t"
                + new DurableSum("s", "m", new DurableCount("no limit", Calendar.DAY, "UTC", "k", 1, 2), 1, 1).text());

        DurableJournal again = open();

        assertThat(loaded).extracting(DurableSum::used).containsExactly(10L);
        assertThat(again.source()).isNotEqualTo(first.source());
        assertThat(again.isOwn(first.source())).isTrue();
        again.close();
        assertThat(log.lines())
                .singleElement()
                .asString()
                .endsWith("has 3 lines of another version, which are left out");
    }

    @Test
    void aStoreThatWasChargedHadBeenRestoredEvenIfTheLineAboutItIsDamaged() throws IOException {
        DurableJournal first = open();
        first.done("m2", first.openings());
        first.replace(List.of(sum(first, "m1", 10), sum(first, "m2", 5)));
        first.close();
        Files.writeString(file(), Files.readString(file()).replace("\tD\tm2", "\tD\tmX"));

        DurableJournal again = open();

        assertThat(again.isDone("m2")).isTrue();
        assertThat(again.isDone("mX")).isFalse();
        again.close();
    }

    @Test
    void filesThatAKilledRunLeftAreRemoved() throws IOException {
        byte[] unused = written();
        Path left = Files.writeString(folder.resolve("journal123456.tmp"), "keys of callers");

        assertThat(loaded()).containsExactly(20L);
        assertThat(left).doesNotExist();
    }

    @Test
    void aDirectoryInThePlaceOfTheFileLeavesTheSumsInMemoryAndIsAFinding() throws IOException {
        Files.createDirectories(folder.resolve("a/durable/journal"));
        try (DurableFleet fleet = new DurableFleet(folder)) {
            Member a = fleet.start("a");
            a.charge("acme", 30).flush();

            assertThat(a.quotas().findings()).containsExactly("the journal of durable limits cannot be used");
            fleet.loseStore();
            a.check();
            assertThat(a.used("acme")).isEqualTo(30);
        }
    }

    /** Writes two states of a sum, and returns the file. */
    private byte[] written() throws IOException {
        DurableJournal journal = open();
        journal.replace(List.of(sum(journal, "m", 10)));
        journal.append(List.of(sum(journal, "m", 20)));
        journal.close();
        return Files.readAllBytes(file());
    }

    private List<Long> loaded() {
        DurableJournal journal = open();
        try {
            return loaded.stream().map(DurableSum::used).toList();
        } finally {
            journal.close();
        }
    }

    private DurableJournal open() {
        DurableJournal journal = DurableJournal.in(folder, DurableJournal.DISK);
        journal.open(() -> {}, (source, sums) -> loaded = sums);
        return journal;
    }

    private Path file() {
        return folder.resolve("journal");
    }

    private static DurableSum sum(DurableJournal journal, String store, long used) {
        return new DurableSum(journal.source(), store, COUNT, used, used);
    }

    /** Appends a line with the right checksum. */
    private void append(String body) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(body.getBytes(StandardCharsets.UTF_8));
        Files.writeString(file(), Long.toHexString(crc.getValue()) + "\t" + body + "\n", StandardOpenOption.APPEND);
    }
}
