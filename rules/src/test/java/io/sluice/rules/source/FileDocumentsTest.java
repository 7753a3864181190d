package io.sluice.rules.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class FileDocumentsTest {

    private static final String ONE = "rules: [{ id: one, limits: [{ rate: 1 }] }]";
    private static final String TWO = "rules: [{ id: two, limits: [{ rate: 1 }] }]";
    private static final Duration WITHIN = Duration.ofSeconds(2);

    private final ManualClock clock = QuietClock.at(0);
    private final HeardRules heard = new HeardRules();
    private RuleVet vet = RuleVet.NONE;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void writeFile() throws IOException {
        file = Files.writeString(folder.resolve("rules.yaml"), ONE);
    }

    @Test
    void loadsVersionOne() {
        RuleFollower source = watch();

        assertThat(source.hasRules()).isTrue();
        assertThat(source.latest().version()).isEqualTo(1);
        assertThat(ids(source)).containsExactly("one");
        assertThat(heard.versions).containsExactly(1L);
    }

    @Test
    void aChangeIsInForceWithinTwoSeconds() throws Exception {
        RuleFollower source = watch();
        FileTime before = Files.getLastModifiedTime(file);

        Files.writeString(file, TWO);
        Files.setLastModifiedTime(file, before);
        clock.advance(WITHIN);

        assertThat(ids(source)).containsExactly("two");
        assertThat(source.latest().version()).isEqualTo(2);
        assertThat(heard.versions).containsExactly(1L, 2L);
    }

    @Test
    @Timeout(300)
    @EnabledOnOs(OS.LINUX)
    void aPipeInPlaceOfTheFileIsAnErrorAndARegularFileIsReadAgain() throws Exception {
        RuleFollower source = watch();

        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();
        clock.advance(WITHIN);
        assertThat(source.refused())
                .extracting(DocumentError::message)
                .containsExactly("file: a pipe or device (expected: a rule document)");
        assertThat(ids(source)).containsExactly("one");

        Files.delete(file);
        Files.createDirectory(file);
        clock.advance(WITHIN);
        assertThat(source.refused()).isNotEmpty();

        Files.delete(file);
        Files.writeString(file, TWO);
        clock.advance(WITHIN);
        assertThat(source.refused()).isEmpty();
        assertThat(ids(source)).containsExactly("two");
    }

    @Test
    @Timeout(300)
    @EnabledOnOs(OS.LINUX)
    void aPipeAtStartIsRefusedAndNotWaitedFor() throws Exception {
        Files.delete(file);
        assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                .isZero();

        assertThat(watch().refused())
                .extracting(DocumentError::message)
                .containsExactly("file: a pipe or device (expected: a rule document)");
    }

    @Test
    void aTouchIsNoChange() throws Exception {
        RuleFollower source = watch();

        Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        clock.advance(WITHIN);

        assertThat(source.latest().version()).isEqualTo(1);
    }

    @Test
    void theSameRulesWrittenDifferentlyAreNoChange() throws Exception {
        RuleFollower source = watch();

        Files.writeString(file, "# a comment\n- { limits: [{ rate: 1/s }], id: 'one' }\n");
        clock.advance(WITHIN);

        assertThat(source.latest().version()).isEqualTo(1);
        assertThat(heard.versions).containsExactly(1L);
    }

    @Test
    void aBadFileKeepsTheLastGoodSetAndIsReportedOnce() throws Exception {
        RuleFollower source = watch();

        Files.writeString(file, "rules: [{ id: bad }]");
        clock.advance(Duration.ofSeconds(10));

        assertThat(ids(source)).containsExactly("one");
        assertThat(source.latest().version()).isEqualTo(1);
        String error = file + ":1:9: limits: none (expected: at least one limit)";
        assertThat(heard.errors).containsExactly(List.of(error));
        assertThat(source.refused()).singleElement().hasToString(error);
    }

    @Test
    void aChangeThatTheVetRefusesIsRefusedLikeABadOne() throws Exception {
        vet = rules -> rules.rules().get(0).id().equals("two") ? List.of(DocumentError.of("rules", "no")) : List.of();
        RuleFollower source = watch();

        Files.writeString(file, TWO);
        clock.advance(Duration.ofSeconds(10));
        assertThat(ids(source)).containsExactly("one");
        assertThat(source.refused()).singleElement().hasToString("rules: no");

        Files.writeString(file, ONE);
        clock.advance(WITHIN);
        assertThat(source.refused()).isEmpty();
        assertThat(heard.errors).containsExactly(List.of("rules: no"));
        assertThat(heard.versions).containsExactly(1L);
    }

    @Test
    void aBadFileThatIsUndoneLeavesTheVersionAsItWas() throws Exception {
        RuleFollower source = watch();
        Files.writeString(file, "rules: [{ id: bad }]");
        clock.advance(WITHIN);

        Files.writeString(file, ONE);
        clock.advance(WITHIN);

        assertThat(source.refused()).isEmpty();
        assertThat(source.latest().version()).isEqualTo(1);
        assertThat(heard.versions).containsExactly(1L);
    }

    @Test
    void aBadFileThatFlickersIsReportedOnce() throws Exception {
        watch();
        Files.writeString(file, "rules: [{ id: bad }]");
        clock.advance(WITHIN);

        Files.writeString(file, "rules: [");
        clock.advance(Duration.ofMillis(500));
        Files.writeString(file, "rules: [{ id: bad }]");
        clock.advance(WITHIN);

        assertThat(heard.errors).hasSize(1);
    }

    @Test
    void recoversFromABadFileAndFromALostOne() throws Exception {
        RuleFollower source = watch();
        Files.writeString(file, "");
        clock.advance(WITHIN);
        Files.delete(file);
        clock.advance(WITHIN);
        assertThat(ids(source)).containsExactly("one");
        assertThat(heard.errors).hasSize(2);

        Files.writeString(file, TWO);
        clock.advance(WITHIN);

        assertThat(ids(source)).containsExactly("two");
        assertThat(source.latest().version()).isEqualTo(2);
        assertThat(source.refused()).isEmpty();
    }

    @Test
    void doesNotLookAfterClose() throws Exception {
        RuleFollower source = watch();

        source.close();
        Files.writeString(file, TWO);
        clock.advance(WITHIN);

        assertThat(ids(source)).containsExactly("one");
        assertThat(heard.versions).containsExactly(1L);
    }

    @Test
    void aBadFileToBeginWithIsRefused() throws Exception {
        Files.writeString(file, "rules: [{ id: a }]");
        assertThat(watch().hasRules()).isFalse();

        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        assertThat(watch().refused()).hasToString("[" + file + ": encoding: not UTF-8 (expected: UTF-8)]");

        Files.delete(file);
        assertThat(watch().refused()).hasToString("[" + file + ": file: missing (expected: a rule document)]");
    }

    @Test
    void aWatchedFileThatIsBadToBeginWithIsTakenOnceItIsGood() throws Exception {
        Files.writeString(file, "rules: [{ id: a }]");
        RuleFollower source = watch();
        assertThat(source.hasRules()).isFalse();
        assertThat(source.latest().version()).isZero();
        assertThat(source.refused()).hasSize(1);
        assertThat(heard.errors).hasSize(1);

        Files.writeString(file, TWO);
        clock.advance(WITHIN);

        assertThat(source.hasRules()).isTrue();
        assertThat(source.first().toCompletableFuture()).isCompletedWithValue(source.latest());
        assertThat(heard.versions).containsExactly(1L);
    }

    @Test
    void numbersGoOnFromBeforeARestart() throws Exception {
        RuleStamp last = new RuleStamp(12, watch().latest().digest());

        assertThat(watch(Optional.of(last)).latest().version()).isEqualTo(12);

        Files.writeString(file, TWO);
        RuleFollower other = watch(Optional.of(last));
        assertThat(other.latest().version()).isEqualTo(13);

        Files.writeString(file, ONE);
        clock.advance(WITHIN);
        assertThat(other.latest().version()).isEqualTo(14);
    }

    @Test
    void aByteOrderMarkIsNoContent() throws Exception {
        Files.writeString(file, "\uFEFF" + TWO);

        assertThat(ids(watch())).containsExactly("two");
    }

    @Test
    void aDirectoryIsOneSetInTheOrderOfNames() throws Exception {
        Path rules = Files.createDirectory(folder.resolve("d"));
        file = rules;
        write("b.yml", "two");
        write("a.json", "one");
        write("c.YAML", "three");
        Files.writeString(rules.resolve("notes.txt"), "not rules");
        Files.writeString(rules.resolve(".hidden.yaml"), "not rules");
        Files.writeString(Files.createDirectory(rules.resolve("sub")).resolve("x.yaml"), "not rules");

        RuleFollower source = watch();

        assertThat(ids(source)).containsExactly("one", "two", "three");
        assertThat(source.latest().version()).isEqualTo(1);
    }

    @Test
    void filesOfADirectoryMayComeGoAndMove() throws Exception {
        file = Files.createDirectory(folder.resolve("d"));
        write("a.yaml", "one");
        RuleFollower source = watch();

        write("b.yaml", "two");
        clock.advance(WITHIN);
        Files.move(file.resolve("a.yaml"), file.resolve("c.yaml"));
        clock.advance(WITHIN);
        Files.delete(file.resolve("b.yaml"));
        clock.advance(WITHIN);

        assertThat(heard.sets)
                .containsExactly(List.of("one"), List.of("one", "two"), List.of("two", "one"), List.of("one"));
        assertThat(source.latest().version()).isEqualTo(4);
    }

    @Test
    void idsDifferInAllFilesOfADirectory() throws Exception {
        file = Files.createDirectory(folder.resolve("d"));
        write("a.yaml", "one");
        write("b.yaml", "one");

        RuleFollower source = watch();

        assertThat(source.hasRules()).isFalse();
        assertThat(source.refused())
                .singleElement()
                .hasToString(file.resolve("b.yaml") + ":1:15: id: one (expected: another id; " + file.resolve("a.yaml")
                        + ", line 1 has this one)");
    }

    @Test
    void oneBadFileRefusesTheWholeDirectoryAndAllErrorsAreTold() throws Exception {
        file = Files.createDirectory(folder.resolve("d"));
        write("a.yaml", "one");
        RuleFollower source = watch();

        write("b.yaml", "two");
        Files.writeString(file.resolve("c.yaml"), "rules: [{ id: bad }]");
        Files.writeString(file.resolve("d.yaml"), "");
        Files.createSymbolicLink(file.resolve("e.yaml"), Path.of("nowhere"));
        Files.createSymbolicLink(file.resolve("f.yaml"), Path.of("f.yaml"));
        Files.createDirectory(file.resolve("g.yaml"));
        clock.advance(WITHIN);

        assertThat(ids(source)).containsExactly("one");
        assertThat(heard.errors)
                .containsExactly(List.of(
                        file.resolve("e.yaml") + ": file: missing (expected: a rule document)",
                        file.resolve("f.yaml") + ": file: unreadable (expected: a file this user may read)",
                        file.resolve("g.yaml") + ": file: a directory (expected: a rule document)",
                        file.resolve("c.yaml") + ":1:9: limits: none (expected: at least one limit)",
                        file.resolve("d.yaml") + ":1:1: document: empty (expected: YAML or JSON)"));
    }

    @Test
    void anEmptyDirectoryIsAnErrorAndSoIsOneThatVanishes() throws Exception {
        file = Files.createDirectory(folder.resolve("d"));
        write("a.yaml", "one");
        RuleFollower source = watch();

        Files.delete(file.resolve("a.yaml"));
        clock.advance(WITHIN);
        Files.delete(file);
        clock.advance(WITHIN);

        assertThat(ids(source)).containsExactly("one");
        assertThat(heard.errors)
                .containsExactly(
                        List.of(file + ": directory: no rule files (expected: at least one *.yaml, *.yml or *.json)"),
                        List.of(file + ": file: missing (expected: a rule document)"));

        Files.createDirectory(file);
        write("a.yaml", "two");
        clock.advance(WITHIN);
        assertThat(ids(source)).containsExactly("two");
    }

    @Test
    void aMountOfKubernetesChangesAsAWhole() throws Exception {
        file = Files.createDirectory(folder.resolve("mount"));
        generation("..2026_01", "a.yaml", "one", "b.yaml", "two");
        swap("..2026_01");
        for (String name : List.of("a.yaml", "b.yaml")) {
            Files.createSymbolicLink(file.resolve(name), Path.of("..data", name));
        }
        RuleFollower source = watch();
        assertThat(ids(source)).containsExactly("one", "two");

        generation("..2026_02", "a.yaml", "two", "c.yaml", "one");
        swap("..2026_02");
        clock.advance(WITHIN);

        assertThat(heard.sets).containsExactly(List.of("one", "two"), List.of("two", "one"));
        assertThat(heard.errors).isEmpty();

        generation("..2026_03", "a.yaml", "two", "c.yaml", "two");
        swap("..2026_03");
        clock.advance(WITHIN);
        assertThat(heard.errors)
                .containsExactly(List.of(file.resolve("c.yaml") + ":1:15: id: two (expected: another id; "
                        + file.resolve("a.yaml") + ", line 1 has this one)"));
    }

    private RuleFollower watch() {
        return watch(Optional.empty());
    }

    private RuleFollower watch(Optional<RuleStamp> last) {
        RuleFollower source = RuleFollower.begin(
                new FileDocuments(file), last, vet, new Looks(clock, Looks.OFTEN, Runnable::run, () -> {}));
        source.listen(heard);
        return source;
    }

    private void write(String name, String id) throws IOException {
        Files.writeString(file.resolve(name), "rules: [{ id: " + id + ", limits: [{ rate: 1 }] }]");
    }

    private void generation(String name, String... filesAndIds) throws IOException {
        Path mount = file;
        file = Files.createDirectory(mount.resolve(name));
        for (int i = 0; i < filesAndIds.length; i += 2) {
            write(filesAndIds[i], filesAndIds[i + 1]);
        }
        file = mount;
    }

    private void swap(String generation) throws IOException {
        KubernetesMount.swap(file, generation);
    }

    private static List<String> ids(RuleFollower source) {
        return source.latest().rules().stream().map(Rule::id).toList();
    }
}
