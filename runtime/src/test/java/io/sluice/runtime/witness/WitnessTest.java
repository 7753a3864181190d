package io.sluice.runtime.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.CapturedLog;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.audit.SignedLog;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A41: what a node accepts of an audit log, and what it refuses. */
class WitnessTest {

    private static final String REFUSED = "the audit log of the center is refused: ";

    @TempDir
    private Path folder;

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final SignedLog log = SignedLog.of(120);
    private CapturedLog lines;

    @BeforeEach
    void capture() {
        lines = new CapturedLog(Witness.class);
    }

    @AfterEach
    void close() {
        lines.close();
    }

    @Test
    void acceptsALogThatGrows() {
        Witness witness = witness();
        assertThat(witness.report()).isEmpty();
        for (int more : new int[] {0, 1, 7, 0, 64, 129}) {
            log.add(more);
            hear(witness, log);
            assertHolds(witness, log);
        }
        assertThat(witness.findings()).isEmpty();
        assertThat(witness.isRefusing()).isFalse();
        assertThat(lines.lines()).isEmpty();
    }

    @Test
    void acceptsEachPairOfSmallSizes() {
        for (int held = 0; held <= 6; held++) {
            for (int size = held; size <= 8; size++) {
                Witness witness = Witness.of(Optional.empty(), clock);
                SignedLog grown = SignedLog.of(held);
                hear(witness, grown);
                grown.add(size - held);
                hear(witness, grown);
                assertHolds(witness, grown);
            }
        }
    }

    /** Somebody who owns the database and the key still cannot rewrite what nodes have seen. */
    @Test
    void everyNodeRefusesALongerHistoryThatWasRewrittenAndSignedWithTheRightKey() throws Exception {
        List<Witness> fleet = new ArrayList<>();
        for (int node = 0; node < 5; node++) {
            Witness witness = Witness.of(Optional.of(Files.createDirectory(folder.resolve("node" + node))), clock);
            log.add(node);
            hear(witness, log);
            fleet.add(witness);
        }
        SignedLog honest = log.copy().add(1);
        SignedLog forged = log.copy().rewrite(17).add(500);
        for (Witness witness : fleet) {
            long size = witness.size();
            hear(witness, forged);
            assertThat(witness.findings())
                    .containsExactly(REFUSED + "the center shows another history: its " + forged.size()
                            + " rows do not begin with the " + size + " rows that this node has witnessed");
            assertThat(witness.size()).isEqualTo(size);
            assertThat(witness.report().orElseThrow().refused()).isPresent();
            hear(witness, honest);
            assertHolds(witness, honest);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 63, 64, 65, 119, 120})
    void refusesEachRewrittenRow(int row) {
        Witness witness = heard();
        hear(witness, log.copy().rewrite(row).add(1));
        assertRefuses(witness, "the center shows another history: its 121 rows do not begin with the 120 rows");
        assertThat(witness.size()).isEqualTo(120);
    }

    @Test
    void refusesARewrittenLogOfTheSameSize() {
        Witness witness = heard();
        hear(witness, log.copy().rewrite(120));
        assertRefuses(witness, "the center shows another history: its 120 rows do not begin with the 120 rows");
    }

    @Test
    void refusesALogThatWasCut() {
        Witness witness = heard();
        hear(witness, log.copy().cut(90));
        assertRefuses(witness, "the center shows 90 rows, this node has witnessed 120");
        assertThat(witness.size()).isEqualTo(120);
    }

    @Test
    void refusesTheReplayOfAnOldCheckpoint() {
        Witness witness = witness();
        CheckpointOffer old = offer(log, 0);
        witness.heard(Optional.of(old));
        log.add(10);
        hear(witness, log);
        witness.heard(Optional.of(old));
        assertRefuses(witness, "the center shows 120 rows, this node has witnessed 130");
        assertThat(witness.size()).isEqualTo(130);
    }

    @Test
    void anOlderCheckpointOfTheSameStateChangesNothing() {
        CheckpointOffer old = offer(log, 0);
        clock.advance(Duration.ofMinutes(1));
        Witness witness = heard();
        long at = witness.report().orElseThrow().atMillis();
        witness.heard(Optional.of(old));
        assertThat(witness.findings()).isEmpty();
        assertThat(witness.report().orElseThrow().atMillis()).isEqualTo(at);
        clock.advance(Duration.ofMinutes(1));
        hear(witness, log);
        assertThat(witness.report().orElseThrow().atMillis()).isEqualTo(at + 60_000);
    }

    @Test
    void refusesAnotherLog() {
        Witness witness = heard();
        SignedLog other = SignedLog.of(500);
        hear(witness, other);
        assertRefuses(
                witness, "the center shows the log " + other.id() + ", this node has witnessed the log " + log.id());
    }

    @Test
    void refusesAnotherKey() {
        Witness witness = heard();
        String before = log.keyId();
        hear(witness, log.copy().add(1).swapKey());
        assertThat(witness.findings().toString())
                .contains("which does not follow from the key " + before + " that this node trusts");
    }

    @Test
    void refusesASignatureThatIsNotOfTheKey() {
        String by = "\"signature\":\"";
        Witness witness = heard();
        String genuine = log.offer(millis(), 120);
        String forged = log.copy().add(1).offer(millis(), 120);
        String signature = genuine.substring(genuine.indexOf(by), genuine.indexOf("\"}", genuine.indexOf(by)));
        String mixed = forged.replace(
                forged.substring(forged.indexOf(by), forged.indexOf("\"}", forged.indexOf(by))), signature);
        witness.heard(Optional.of(parse(mixed)));
        assertRefuses(witness, "the checkpoint is not signed with the key " + log.keyId());

        Witness fresh = Witness.of(Optional.empty(), clock);
        fresh.heard(Optional.of(parse(mixed)));
        assertThat(fresh.isRefusing()).isTrue();
        assertThat(fresh.report()).isEmpty();
    }

    @Test
    void acceptsAKeyThatTheKeyBeforeSigned() {
        Witness witness = heard();
        String before = log.keyId();
        hear(witness, log.changeKey().add(1));
        assertHolds(witness, log);
        assertThat(witness.report().orElseThrow().key()).isEqualTo(log.keyId()).isNotEqualTo(before);
    }

    @Test
    void followsSeveralChangesOfTheKeyAtOnceAndNotBack() {
        Witness witness = heard();
        SignedLog old = log.copy();
        log.changeKey().add(1).changeKey().add(1).changeKey().add(1);
        hear(witness, log);
        assertHolds(witness, log);
        hear(witness, old.add(10));
        assertRefuses(witness, "the center signs with the key " + old.keyId() + ", which does not follow from");
        // After a restart too.
        Witness next = witness();
        hear(next, log.changeKey().add(1));
        assertHolds(next, log);
    }

    @Test
    void refusesAChangeOfTheKeyThatTheKeyBeforeDidNotSign() {
        Witness witness = heard();
        String before = log.keyId();
        SignedLog forged = log.copy().forgeKey().add(1);
        hear(witness, forged);
        assertRefuses(
                witness,
                "the change to the key " + forged.keyId() + " is not signed with the key " + before
                        + " that this node trusts");
        // A genuine change after it helps nothing.
        hear(witness, forged.changeKey());
        assertThat(witness.isRefusing()).isTrue();
        assertThat(witness.report().orElseThrow().key()).isEqualTo(before);
    }

    @Test
    void refusesAChangeOfTheKeyOfAnotherLog() {
        Witness witness = heard();
        SignedLog changed = log.copy().changeKey().add(1);
        String foreign = changed.offer(millis(), 120)
                .replace("\"changes\":[{\"log\":\"" + log.id(), "\"changes\":[{\"log\":\"" + "0".repeat(32));
        witness.heard(Optional.of(parse(foreign)));
        assertRefuses(witness, "the change to the key " + changed.keyId() + " is not signed with the key");
    }

    @Test
    void waitsAMinuteForAProof() {
        Witness witness = heard();
        log.add(5);
        witness.heard(Optional.of(offer(log, 119)));
        clock.advance(Duration.ofSeconds(59));
        witness.heard(Optional.of(offer(log, 119)));
        assertThat(witness.findings()).isEmpty();
        assertThat(witness.size()).isEqualTo(120);
        clock.advance(Duration.ofSeconds(1));
        witness.heard(Optional.of(offer(log, 119)));
        assertRefuses(
                witness,
                "the center does not prove that its 125 rows begin with the 120 rows that this node has witnessed");
        witness.heard(Optional.of(offer(log, 119, 120)));
        assertHolds(witness, log);
        assertThat(witness.findings()).isEmpty();
        // The minute begins anew.
        log.add(1);
        witness.heard(Optional.of(offer(log)));
        assertThat(witness.findings()).isEmpty();
    }

    @Test
    void logsOneLineWhenItBeginsToRefuseAndOneWhenItAcceptsAgain() {
        Witness witness = heard();
        SignedLog cut = log.copy().cut(90);
        for (int i = 0; i < 10; i++) {
            hear(witness, cut.add(1));
            clock.advance(Duration.ofMinutes(1));
        }
        assertThat(witness.findings())
                .containsExactly(REFUSED + "the center shows 100 rows, this node has witnessed 120");
        for (int i = 0; i < 3; i++) {
            hear(witness, log.add(1));
        }
        assertThat(lines.lines())
                .containsExactly(
                        REFUSED + "the center shows 91 rows, this node has witnessed 120",
                        "the audit log of the center is accepted again, with 121 rows");
    }

    @Test
    void onlyAGoodOfferEndsARefusal() {
        Witness witness = heard();
        hear(witness, log.copy().cut(90));
        witness.heard(Optional.empty());
        clock.advance(Duration.ofHours(1));
        witness.heard(Optional.empty());
        assertRefuses(witness, "the center shows 90 rows, this node has witnessed 120");
        hear(witness, log);
        assertThat(witness.findings()).isEmpty();
    }

    @Test
    void missesTheCheckpointsOfACenterThatHasShownOne() {
        Witness witness = heard();
        clock.advance(Duration.ofMinutes(5));
        witness.heard(Optional.empty());
        assertThat(witness.findings()).isEmpty();
        clock.advance(Duration.ofMinutes(2));
        witness.heard(Optional.empty());
        assertThat(witness.findings())
                .containsExactly(
                        "no checkpoint for 7 minutes: the center answers without a checkpoint of its audit log");
        assertThat(witness.isRefusing()).isFalse();
        assertThat(witness.report().orElseThrow().refused()).isEmpty();
        hear(witness, log);
        assertThat(witness.findings()).isEmpty();
    }

    @Test
    void missesNewerCheckpointsThanTheLast() {
        Witness witness = witness();
        CheckpointOffer frozen = offer(log, 0);
        for (int i = 0; i < 6; i++) {
            witness.heard(Optional.of(frozen));
            assertThat(witness.findings()).isEmpty();
            clock.advance(Duration.ofMinutes(1));
        }
        witness.heard(Optional.of(frozen));
        assertThat(witness.findings())
                .containsExactly("no checkpoint for 6 minutes: the center shows no newer checkpoint of its audit log");
        assertThat(witness.ageSeconds()).hasValue(360);
    }

    @Test
    void aCenterThatHasNeverShownACheckpointIsFine() {
        Witness witness = witness();
        clock.advance(Duration.ofDays(1));
        witness.heard(Optional.empty());
        assertThat(witness.findings()).isEmpty();
        assertThat(witness.report()).isEmpty();
        assertThat(witness.ageSeconds()).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void remembersAfterARestart() throws Exception {
        Witness before = heard();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
                .isEqualTo("rw-------");
        HeldCheckpoint held = HeldCheckpoint.parse(Files.readString(file()).strip());
        assertThat(held.log()).isEqualTo(log.id());
        assertThat(held.checkpoint().size()).isEqualTo(120);

        Witness after = witness();
        assertThat(after.report()).isEqualTo(before.report());
        hear(after, log.copy().rewrite(3).add(9));
        assertThat(after.isRefusing()).isTrue();
        hear(witness(), SignedLog.of(1_000));
        assertThat(Files.readString(file())).isEqualTo(held.toJson() + "\n");
        // A center without checkpoints is missed after a restart too.
        Witness third = witness();
        clock.advance(Duration.ofMinutes(6));
        third.heard(Optional.empty());
        assertThat(third.findings().toString()).contains("no checkpoint for 6 minutes");
    }

    @Test
    void forgetsAfterARestartWithoutADirectory() {
        Witness witness = Witness.of(Optional.empty(), clock);
        hear(witness, log);
        assertHolds(witness, log);
        assertThat(Witness.of(Optional.empty(), clock).report()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "null", "{\"version\":1}", "CHANGED", "NEWER", "LONG", "BINARY"})
    void neverReplacesADamagedFile(String damage) throws Exception {
        heard();
        String good = Files.readString(file());
        String bad =
                switch (damage) {
                    case "CHANGED" -> good.replace("\"size\":120", "\"size\":121");
                    case "NEWER" -> good.replace("\"version\":1", "\"version\":2");
                    case "LONG" -> good + " ".repeat(5_000) + "x";
                    case "BINARY" -> "\u0000\u0001\u0002";
                    default -> damage;
                };
        Files.writeString(file(), bad);
        Witness witness = witness();
        assertThat(witness.findings().toString()).contains(file() + " is damaged: ", "(expected: restore the file, or");
        hear(witness, log.add(1));
        assertThat(witness.report()).isEmpty();
        assertThat(witness.isRefusing()).isTrue();
        assertThat(Files.readString(file())).isEqualTo(bad);
        assertThat(lines.lines()).hasSize(1);
        // A file that was restored is read again.
        Files.writeString(file(), good);
        hear(witness, log);
        assertThat(witness.size()).isEqualTo(120);
        hear(witness, log);
        assertHolds(witness, log);
        assertThat(witness.findings()).isEmpty();
    }

    @Test
    void somethingElseInThePlaceOfTheFileIsNotReplaced() throws Exception {
        Files.createDirectory(file());
        Witness witness = witness();
        hear(witness, log);
        assertThat(witness.findings().toString()).contains("is unreadable (expected: a file that this user may read)");
        assertThat(witness.report()).isEmpty();
    }

    @Test
    void aFileThatIsDeletedDuringARefusalBeginsAnew() throws Exception {
        Witness witness = heard();
        SignedLog restored = log.copy().cut(90).rewrite(90).add(7);
        hear(witness, restored);
        assertThat(witness.isRefusing()).isTrue();
        Files.delete(file());
        hear(witness, restored);
        assertHolds(witness, restored);
        assertThat(witness.findings()).isEmpty();
        assertThat(lines.lines().get(1))
                .isEqualTo(file() + " was deleted: this node forgets the audit log " + log.id()
                        + " with 120 rows, and trusts the next checkpoint");
    }

    @Test
    void aFileThatIsDeletedWhileAllIsWellIsWrittenAgain() throws Exception {
        Witness witness = heard();
        Files.delete(file());
        hear(witness, log.copy().rewrite(1).cut(119));
        assertThat(witness.isRefusing()).isTrue();
        assertThat(witness.size()).isEqualTo(120);
        hear(witness, log.add(1));
        assertHolds(witness, log);
        assertThat(file()).exists();
    }

    @Test
    void whatCannotBeStoredIsNeitherBelievedNorReported() throws Exception {
        Path data = folder.resolve("data");
        Files.writeString(data, "a file in the place of the directory");
        Witness witness = Witness.of(Optional.of(data), clock);
        hear(witness, log);
        hear(witness, log);
        assertThat(witness.report()).isEmpty();
        assertThat(witness.findings()).hasSize(1);
        assertThat(lines.lines()).hasSize(1);
        Files.delete(data);
        hear(witness, log);
        assertThat(witness.findings()).isEmpty();
        assertHolds(witness, log);
    }

    @Test
    void aDiskThatFailsKeepsTheOldCheckpoint() throws Exception {
        Witness witness = heard();
        // The root user may write everywhere, so the lock cannot be taken because it is a directory.
        Path lock = folder.resolve("audit-witness.lock");
        Files.delete(lock);
        Files.createDirectory(lock);
        hear(witness, log.add(1));
        assertThat(witness.size()).isEqualTo(120);
        assertThat(witness.findings().toString()).contains(file() + " cannot be written: ");
        assertThat(witness.isRefusing()).isTrue();
        assertThat(witness.report().orElseThrow().size()).isEqualTo(120);
        Files.delete(lock);
        hear(witness, log);
        assertHolds(witness, log);
    }

    @Test
    void twoProcessesWithOneDirectoryNeverGoBack() throws Exception {
        Witness first = heard();
        Witness second = witness();
        CheckpointOffer lower = offer(log.copy().add(1), 120);
        hear(first, log.add(10));
        assertThat(second.size()).isEqualTo(120);
        // The second does not know yet what the first has stored.
        second.heard(Optional.of(lower));
        assertRefuses(second, "the center shows 121 rows, this node has witnessed 130");
        assertThat(stored().checkpoint().size()).isEqualTo(130);
        hear(second, log.add(1));
        // The first reports what the second has stored before it gets a proof for that.
        hear(first, log.add(1));
        assertThat(first.size()).isEqualTo(131);
        assertThat(first.findings()).isEmpty();
        hear(first, log);
        assertThat(second.size()).isEqualTo(131);
        assertThat(first.size()).isEqualTo(132);
        assertThat(stored().checkpoint().size()).isEqualTo(132);
    }

    @Test
    void waitsWhileAnotherProcessWrites() throws Exception {
        Witness witness = heard();
        try (var channel = FileChannel.open(folder.resolve("audit-witness.lock"), StandardOpenOption.WRITE);
                var lock = channel.lock()) {
            assertThat(lock.isValid()).isTrue();
            hear(witness, log.add(1));
            assertThat(witness.size()).isEqualTo(120);
            assertThat(witness.findings()).isEmpty();
        }
        hear(witness, log);
        assertHolds(witness, log);
    }

    @Test
    void removesWhatAProcessLeftThatEndedWhileWriting() throws Exception {
        Files.writeString(folder.resolve("audit-witness-1.tmp"), "half");
        heard();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("audit-witness", "audit-witness.lock");
        }
    }

    private Witness witness() {
        return Witness.of(Optional.of(folder), clock);
    }

    /** Returns a witness of the log. */
    private Witness heard() {
        Witness witness = witness();
        hear(witness, log);
        assertHolds(witness, log);
        return witness;
    }

    /** Offers a log with the proof that a center would show. */
    private void hear(Witness witness, SignedLog from) {
        witness.heard(Optional.of(offer(from, witness.size())));
    }

    private CheckpointOffer offer(SignedLog from, long... held) {
        return parse(from.offer(millis(), held));
    }

    private static CheckpointOffer parse(String json) {
        return WitnessText.offer(JsonObject.parse(json, 100_000));
    }

    private long millis() {
        return clock.epochMicros() / 1_000;
    }

    private Path file() {
        return folder.resolve("audit-witness");
    }

    private HeldCheckpoint stored() throws Exception {
        return HeldCheckpoint.parse(Files.readString(file()).strip());
    }

    private static void assertHolds(Witness witness, SignedLog log) {
        WitnessReport report = witness.report().orElseThrow();
        assertThat(report.log()).isEqualTo(log.id());
        assertThat(report.size()).isEqualTo(log.size());
        assertThat(report.root()).isEqualTo(log.root(log.size()));
        assertThat(report.key()).isEqualTo(log.keyId());
        assertThat(report.refused()).isEmpty();
    }

    private static void assertRefuses(Witness witness, String why) {
        assertThat(witness.isRefusing()).isTrue();
        assertThat(witness.findings()).hasSize(1);
        assertThat(witness.findings().get(0)).startsWith(REFUSED + why);
        witness.report()
                .ifPresent(report -> assertThat(report.refused().orElseThrow()).startsWith(why));
    }
}
