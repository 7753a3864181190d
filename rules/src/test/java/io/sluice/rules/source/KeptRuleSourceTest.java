package io.sluice.rules.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class KeptRuleSourceTest {

    private static final String ONE = "rules: [{ id: one, limits: [{ rate: 1 }] }]";
    private static final String TWO =
            "rules: [{ id: two, name: Bäume, limits: [{ rate: 1 }] }, { id: one, action: deny }]";

    private final ManualClock clock = QuietClock.at(0);
    private final HeardRules heard = new HeardRules();
    private final GivenSource source = new GivenSource();

    @TempDir
    Path root;

    private Path folder;
    private Path file;

    @BeforeEach
    void name() {
        folder = root.resolve("data/rules");
        file = folder.resolve("kept-rules.json");
    }

    @Test
    void theSetsOfTheSourcePassUnchanged() {
        KeptRuleSource kept = over(source);
        assertThat(kept.hasRules()).isFalse();

        RuleSet set = set(7, ONE);
        source.rules.publish(set);
        source.rules.refuse(List.of(DocumentError.of("f", "bad")));

        assertThat(kept.latest()).isSameAs(set);
        assertThat(kept.first().toCompletableFuture()).isCompletedWithValue(set);
        assertThat(kept.isRestored()).isFalse();
        assertThat(heard.versions).containsExactly(7L);
        assertThat(heard.errors).containsExactly(List.of("f: bad"));
    }

    @ParameterizedTest
    @ValueSource(strings = {ONE, TWO, "rules: []"})
    void aSourceWithoutASetBeginsWithTheKeptOne(String rules) {
        RuleSet set = set(12, rules);
        keep(set);

        source.rules.refuse(List.of(DocumentError.of("f", "bad")));
        KeptRuleSource kept = over(source);

        assertThat(kept.isRestored()).isTrue();
        assertThat(kept.latest().version()).isEqualTo(12);
        assertThat(kept.latest().rules()).isEqualTo(set.rules());
        assertThat(kept.latest().digest()).isEqualTo(set.digest());
        assertThat(kept.refused()).hasSize(1);
        assertThat(heard.versions).containsExactly(12L);
        assertThat(heard.errors).containsExactly(List.of("f: bad"));
    }

    @Test
    void whatTheSourceHasWinsOverTheKeptSetAtOnceAndLater() {
        keep(set(12, ONE));
        source.rules.publish(set(13, TWO));
        assertThat(over(source).isRestored()).isFalse();

        GivenSource late = new GivenSource();
        KeptRuleSource kept = over(late);
        assertThat(kept.latest().version()).isEqualTo(13);
        assertThat(kept.isRestored()).isTrue();
        late.rules.publish(set(14, ONE));

        assertThat(kept.isRestored()).isFalse();
        assertThat(kept.latest().version()).isEqualTo(14);
        assertThat(KeptRuleSource.last(folder)).contains(set(14, ONE).stamp());
    }

    @Test
    void withNothingKeptThereIsNothing() {
        KeptRuleSource kept = over(source);

        assertThat(kept.hasRules()).isFalse();
        assertThat(kept.latest().version()).isZero();
        assertThat(kept.refused()).isEmpty();
        assertThat(KeptRuleSource.last(folder)).isEmpty();
        assertThat(folder).doesNotExist();
    }

    @Test
    void theFileIsTheSetAsJsonWithVersionAndDigest() throws Exception {
        RuleSet set = set(12, TWO);
        keep(set);

        assertThat(Files.readString(file))
                .isEqualTo("{\"version\":12,\"digest\":\"" + set.digest() + "\","
                        + RuleJson.document(set.rules()).substring(1));
        assertThat(KeptRuleSource.last(folder)).contains(new RuleStamp(12, set.digest()));
        assertThat(names()).containsExactly("kept-rules.json");
    }

    @Test
    void theFileSaysThatASetWasReleased() throws Exception {
        RuleSet released = set(12, ONE).releasedTo(10);
        keep(set(12, ONE));
        assertThat(KeptRuleSource.last(folder).orElseThrow().released()).isFalse();
        keep(released);

        assertThat(Files.readString(file)).contains("\",\"share\":10,\"rules\":[");
        assertThat(KeptRuleSource.last(folder)).contains(released.stamp());
        assertThat(over(source).latest().releasedTo()).hasValue(10);
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void onlyItsOwnerMayReadTheFile() throws Exception {
        keep(set(1, ONE));

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void aDamagedFileIsNeverUsed() throws Exception {
        keep(set(12, TWO));
        byte[] good = Files.readAllBytes(file);
        int body = new String(good, StandardCharsets.ISO_8859_1).indexOf("\"rules\"");

        for (int i = body; i < good.length; i += 3) {
            byte[] bad = good.clone();
            bad[i] ^= 1;
            Files.write(file, bad);
            requireDamaged("digest: ");
        }
        for (int length = 0; length < good.length; length += 7) {
            Files.write(file, Arrays.copyOf(good, length));
            requireDamaged(length < body ? "document: not a saved rule set" : "digest: ");
        }
        Files.writeString(
                file, new String(good, StandardCharsets.UTF_8).replace("\"rate\":\"1/s\"", "\"rate\":\"9/s\""));
        requireDamaged("digest: ");
        Files.delete(file);
        Files.createDirectory(file);
        requireDamaged("file: unreadable");
    }

    @Test
    void aKeptSetThatTheProgramNoLongerUnderstandsIsNotUsed() throws Exception {
        String document = "{\"rules\":[\n{\"id\":\"a\",\"frobnicate\":1,\"action\":\"deny\"}]}";
        String digest = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(document.getBytes(StandardCharsets.UTF_8)));
        Files.createDirectories(folder);
        Files.writeString(file, "{\"version\":3,\"digest\":\"" + digest + "\"," + document.substring(1));

        requireUnusable("unknown key: frobnicate");
    }

    @Test
    void errorsOfTheSourceAndOfTheKeptFileAreToldTogether() throws Exception {
        Files.createDirectories(folder);
        Files.writeString(file, "nonsense");
        source.rules.refuse(List.of(DocumentError.of("f", "bad")));

        KeptRuleSource kept = over(source);

        assertThat(kept.hasRules()).isFalse();
        assertThat(kept.refused().stream().map(Object::toString))
                .containsExactly(
                        "f: bad", file + ": document: not a saved rule set (expected: version, digest and rules)");

        source.rules.publish(set(1, ONE));
        source.rules.refuse(List.of(DocumentError.of("f", "bad again")));
        assertThat(kept.refused()).singleElement().hasToString("f: bad again");
        assertThat(KeptRuleSource.last(folder)).contains(set(1, ONE).stamp());
    }

    @Test
    void aDamagedFileIsRepairedEvenIfTheSetHasNotChanged() throws Exception {
        RuleSet set = set(12, TWO);
        keep(set);
        byte[] good = Files.readAllBytes(file);
        byte[] bad = good.clone();
        bad[bad.length - 5] ^= 1;
        Files.write(file, bad);

        keep(set);

        assertThat(Files.readAllBytes(file)).isEqualTo(good);
    }

    @Test
    void aSetThatIsOnDiskIsNotWrittenAgain() throws Exception {
        keep(set(12, TWO));
        Object before = Files.readAttributes(file, BasicFileAttributes.class).fileKey();

        keep(set(12, TWO));

        assertThat(Files.readAttributes(file, BasicFileAttributes.class).fileKey())
                .isEqualTo(before);
    }

    @Test
    void aFolderThatCannotBeWrittenIsReportedAndTriedAgain() throws Exception {
        Files.createDirectories(folder.getParent());
        Files.writeString(folder, "a file where the folder should be");
        KeptRuleSource kept = over(source);

        source.rules.publish(set(1, ONE));
        assertThat(kept.latest().version()).isEqualTo(1);
        assertThat(kept.trouble())
                .hasValueSatisfying(trouble -> assertThat(trouble).startsWith(file + ": "));
        source.rules.publish(set(2, TWO));
        assertThat(kept.latest().version()).isEqualTo(2);

        Files.delete(folder);
        clock.advance(Duration.ofMinutes(1));

        assertThat(kept.trouble()).isEmpty();
        assertThat(KeptRuleSource.last(folder)).contains(set(2, TWO).stamp());
    }

    @Test
    void aWriteThatFailsLeavesNothingBehind() throws Exception {
        Files.createDirectories(file.resolve("in the way"));

        KeptRuleSource kept = keep(set(1, ONE));

        assertThat(kept.trouble()).isPresent();
        assertThat(names()).containsExactly("kept-rules.json");
    }

    @Test
    void whatAProcessLeftThatDiedWhileWritingIsIgnoredAndRemoved() throws Exception {
        keep(set(12, ONE));
        Files.writeString(folder.resolve("kept-rules-123.tmp"), "{\"version\":13,\"digest\":\"");

        KeptRuleSource kept = over(source);

        assertThat(kept.latest().version()).isEqualTo(12);
        assertThat(names()).containsExactly("kept-rules.json");
    }

    @Test
    void whatIsBeingWrittenIsNotRemoved() throws Exception {
        Files.createDirectories(folder);
        Path writing = Files.createFile(folder.resolve("kept-rules-123.tmp"));
        try (FileChannel channel = FileChannel.open(writing, StandardOpenOption.WRITE)) {
            channel.lock();

            over(source);

            assertThat(writing).exists();
        }
    }

    @Test
    void severalWritersInOneFolderNeverMakeAMixture() throws Exception {
        int writers = 4;
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        List<Future<?>> all = new ArrayList<>();
        try {
            for (int w = 0; w < writers; w++) {
                int writer = w;
                all.add(threads.submit(() -> {
                    for (int i = 1; i <= 10; i++) {
                        GivenSource own = new GivenSource();
                        KeptRuleSource kept = KeptRuleSource.over(own, folder, clock, Runnable::run, () -> {});
                        assertThat(kept.refused()).isEmpty();
                        own.rules.publish(set(i, manyRules(writer, i)));
                        kept.close();
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(over(source).hasRules()).isTrue();
    }

    @Test
    void noSetAtAllIsNotKept() {
        keep(RuleSet.none());

        assertThat(folder).doesNotExist();
    }

    @Test
    void moreRulesThanADocumentIsReadInAreKeptToo() {
        StringBuilder rules = new StringBuilder();
        for (int i = 0; i < 12_001; i++) {
            rules.append("- { id: r").append(i).append(", action: deny }\n");
        }
        RuleSet set = set(5, rules.toString());
        keep(set);

        assertThat(over(source).latest().rules()).isEqualTo(set.rules());
    }

    @Test
    void notifiesNoListenerAfterClose() {
        KeptRuleSource kept = over(source);

        kept.close();
        source.rules.publish(set(1, ONE));

        assertThat(heard.versions).isEmpty();
        assertThat(folder).doesNotExist();
    }

    @Test
    void closingWaitsForWhatIsBeingWritten() {
        source.rules.publish(set(3, TWO));

        KeptRuleSource.over(source, folder, clock).close();

        assertThat(KeptRuleSource.last(folder)).contains(set(3, TWO).stamp());
    }

    @Test
    void aFileSourceGoesOnWhereItWasBeforeARestart() throws Exception {
        Path rules = Files.writeString(root.resolve("rules.yaml"), ONE);
        assertThat(restart(rules).latest().version()).isEqualTo(1);
        assertThat(restart(rules).latest().version()).isEqualTo(1);

        Files.writeString(rules, TWO);
        assertThat(restart(rules).latest().version()).isEqualTo(2);

        Files.writeString(rules, "nonsense");
        KeptRuleSource kept = restart(rules);
        assertThat(kept.isRestored()).isTrue();
        assertThat(kept.latest().version()).isEqualTo(2);

        Files.writeString(rules, TWO + " # good again");
        clock.advance(Duration.ofSeconds(2));
        assertThat(kept.isRestored()).isFalse();
        assertThat(kept.latest().version()).isEqualTo(2);
        assertThat(kept.refused()).isEmpty();

        Files.writeString(rules, ONE);
        clock.advance(Duration.ofSeconds(2));
        assertThat(kept.latest().version()).isEqualTo(3);
        assertThat(restart(rules).latest().version()).isEqualTo(3);
    }

    private KeptRuleSource restart(Path rules) {
        RuleFollower files = RuleFollower.begin(
                new FileDocuments(rules),
                KeptRuleSource.last(folder),
                RuleVet.NONE,
                new Looks(clock, Looks.OFTEN, Runnable::run, () -> {}));
        return over(files);
    }

    /** Reads the file without a source, which would log each of very many failures. */
    private void requireDamaged(String why) {
        assertThat(new KeptFile(folder).read())
                .isInstanceOfSatisfying(
                        KeptFile.Reading.Unusable.class,
                        bad -> assertThat(bad.error().message()).startsWith(why));
    }

    private void requireUnusable(String why) {
        KeptRuleSource kept = over(new GivenSource());
        assertThat(kept.hasRules()).isFalse();
        assertThat(kept.refused())
                .singleElement()
                .asString()
                .startsWith(file.toString())
                .contains(": " + why);
    }

    private KeptRuleSource keep(RuleSet set) {
        GivenSource once = new GivenSource();
        once.rules.publish(set);
        return KeptRuleSource.over(once, folder, clock, Runnable::run, () -> {});
    }

    private KeptRuleSource over(RuleSource given) {
        KeptRuleSource kept = KeptRuleSource.over(given, folder, clock, Runnable::run, () -> {});
        kept.listen(heard);
        return kept;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(each -> String.valueOf(each.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    private static String manyRules(int writer, int round) {
        StringBuilder rules = new StringBuilder();
        for (int i = 0; i < 50 + 20 * writer; i++) {
            rules.append("- { id: w")
                    .append(writer)
                    .append('.')
                    .append(round)
                    .append('.')
                    .append(i);
            rules.append(", action: deny }\n");
        }
        return rules.toString();
    }

    private static RuleSet set(long version, String text) {
        RuleDocument document = RuleDocument.parse("t", text);
        assertThat(document).isInstanceOf(RuleDocument.Accepted.class);
        return new RuleSet(version, ((RuleDocument.Accepted) document).rules());
    }

    /** A source that a test controls. */
    private static final class GivenSource implements RuleSource {

        final PublishedRules rules = new PublishedRules();

        @Override
        public RuleSet latest() {
            return rules.latest();
        }

        @Override
        public CompletionStage<RuleSet> first() {
            return rules.first();
        }

        @Override
        public List<DocumentError> refused() {
            return rules.refused();
        }

        @Override
        public void listen(RuleListener listener) {
            rules.listen(listener);
        }

        @Override
        public void close() {
            rules.close();
        }
    }
}
