package io.sluice.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.time.ManualClock;
import io.sluice.rules.spi.RuleListener;
import io.sluice.rules.yaml.DocumentError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileRuleSourceTest {

    private static final String ONE = "rules: [{ id: one, limits: [{ rate: 1 }] }]";
    private static final String TWO = "rules: [{ id: two, limits: [{ rate: 1 }] }]";
    private static final Duration WITHIN = Duration.ofSeconds(2);

    private final ManualClock clock = ManualClock.at(0);
    private final Heard heard = new Heard();

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void writeFile() throws IOException {
        file = Files.writeString(folder.resolve("rules.yaml"), ONE);
    }

    @Test
    void loadsVersionOne() throws Exception {
        FileRuleSource source = open();

        assertThat(source.latest().version()).isEqualTo(1);
        assertThat(ids(source)).containsExactly("one");
    }

    @Test
    void aChangeIsInForceWithinTwoSeconds() throws Exception {
        FileRuleSource source = open();
        FileTime before = Files.getLastModifiedTime(file);

        Files.writeString(file, TWO);
        Files.setLastModifiedTime(file, before);
        clock.advance(WITHIN);

        assertThat(ids(source)).containsExactly("two");
        assertThat(source.latest().version()).isEqualTo(2);
        assertThat(heard.versions).containsExactly(2L);
    }

    @Test
    void aTouchIsNoChange() throws Exception {
        FileRuleSource source = open();

        Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        clock.advance(WITHIN);

        assertThat(source.latest().version()).isEqualTo(1);
    }

    @Test
    void aFileThatIsBeingWrittenIsNotTakenHalf() throws Exception {
        FileRuleSource source = open();

        Files.writeString(file, "rules: []");
        clock.advance(Duration.ofMillis(500));
        Files.writeString(file, TWO);
        clock.advance(WITHIN);

        assertThat(heard.versions).containsExactly(2L);
        assertThat(ids(source)).containsExactly("two");
    }

    @Test
    void aBadFileKeepsTheLastGoodSetAndIsReportedOnce() throws Exception {
        FileRuleSource source = open();

        Files.writeString(file, "rules: [{ id: bad }]");
        clock.advance(Duration.ofSeconds(10));

        assertThat(ids(source)).containsExactly("one");
        assertThat(source.latest().version()).isEqualTo(1);
        assertThat(heard.errors)
                .singleElement()
                .asString()
                .isEqualTo("[" + file + ":1:9: limits: none (expected: at least one limit)]");
    }

    @Test
    void recoversFromABadFileAndFromALostOne() throws Exception {
        FileRuleSource source = open();
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
    }

    @Test
    void doesNotLookAfterClose() throws Exception {
        FileRuleSource source = open();

        source.close();
        Files.writeString(file, TWO);
        clock.advance(WITHIN);

        assertThat(ids(source)).containsExactly("one");
    }

    @Test
    void aBadFileToBeginWithIsRefused() throws Exception {
        Files.writeString(file, "rules: [{ id: a }]");
        assertThatThrownBy(this::open).isInstanceOf(RulesRefusedException.class);

        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        assertThatThrownBy(this::open).hasMessage(file + ": encoding: not UTF-8 (expected: UTF-8)");

        Files.delete(file);
        assertThatThrownBy(this::open).hasMessage(file + ": file: missing (expected: a rule document)");

        Files.createDirectory(file);
        assertThatThrownBy(this::open).hasMessageContaining("directories are not supported yet");
    }

    @Test
    void aByteOrderMarkIsNoContent() throws Exception {
        Files.writeString(file, "\uFEFF" + TWO);

        assertThat(ids(open())).containsExactly("two");
    }

    private FileRuleSource open() throws RulesRefusedException {
        FileRuleSource source = FileRuleSource.open(file, clock, Runnable::run, () -> {});
        source.listen(heard);
        return source;
    }

    private static List<String> ids(FileRuleSource source) {
        return source.latest().rules().stream().map(Rule::id).toList();
    }

    private static final class Heard implements RuleListener {

        final List<Long> versions = new ArrayList<>();
        final List<List<DocumentError>> errors = new ArrayList<>();

        @Override
        public void changed(RuleSet rules) {
            versions.add(rules.version());
        }

        @Override
        public void refused(List<DocumentError> refused) {
            errors.add(refused);
        }
    }
}
