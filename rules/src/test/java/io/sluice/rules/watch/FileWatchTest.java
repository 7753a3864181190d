package io.sluice.rules.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.source.KubernetesMount;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SilencedLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class FileWatchTest {

    @RegisterExtension
    static final SilencedLog PROVOKED = SilencedLog.of(FileWatch.class);

    private final ManualClock clock = QuietClock.at(0);
    private final List<String> heard = new ArrayList<>();
    private boolean judgesAgain;
    private boolean fails;
    private boolean lacking;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void writeFile() throws IOException {
        file = Files.writeString(folder.resolve("file"), "one");
    }

    @Test
    void contentIsTakenOnceWhenTwoLooksInARowSeeIt() throws Exception {
        try (FileWatch<String> watch = watch()) {
            look(3);
            assertThat(heard).isEmpty();

            Files.writeString(file, "two");
            look(1);
            assertThat(heard).isEmpty();
            look(1);
            assertThat(heard).containsExactly("take two");
            look(10);
            assertThat(heard).containsExactly("take two");
            assertThat(watch.refused()).isEmpty();
        }
    }

    @Test
    void aFileThatIsBeingWrittenIsNeverTakenHalf() throws Exception {
        try (FileWatch<String> watch = watch()) {
            for (String part : List.of("", "t", "tw", "bad", "two")) {
                Files.writeString(file, part);
                look(1);
            }
            assertThat(heard).isEmpty();
            look(1);
            assertThat(heard).containsExactly("take two");
            assertThat(watch.refused()).isEmpty();
        }
    }

    @Test
    void aFileThatIsAwayForOneLookIsNotTold() throws Exception {
        try (FileWatch<String> watch = watch()) {
            Files.delete(file);
            look(1);
            Files.writeString(file, "one");
            look(3);
            assertThat(heard).isEmpty();
            assertThat(watch.refused()).isEmpty();
        }
    }

    @Test
    void aTouchIsNoChangeAndAChangeWithTheSameTimeIsOne() throws Exception {
        FileTime time = Files.getLastModifiedTime(file);
        try (FileWatch<String> watch = watch()) {
            Files.setLastModifiedTime(file, FileTime.fromMillis(1));
            look(3);
            assertThat(heard).isEmpty();

            Files.writeString(file, "two");
            Files.setLastModifiedTime(file, time);
            look(2);
            assertThat(heard).containsExactly("take two");
            assertThat(watch.refused()).isEmpty();
        }
    }

    @Test
    void theLastGoodContentStaysWhileTheFileIsBadOrAwayAndEachReasonIsToldOnce() throws Exception {
        try (FileWatch<String> watch = watch()) {
            Files.writeString(file, "bad");
            look(10);
            Files.delete(file);
            look(10);
            assertThat(heard).containsExactly("refuse [bad]", "refuse [away]");
            assertThat(watch.refused()).containsExactly("away");

            Files.writeString(file, "bad");
            look(2);
            assertThat(watch.refused()).containsExactly("bad");

            Files.writeString(file, "one");
            look(2);
            assertThat(watch.refused()).isEmpty();
            assertThat(heard).containsExactly("refuse [bad]", "refuse [away]", "refuse [bad]", "settle");

            Files.writeString(file, "two");
            look(2);
            assertThat(heard).last().isEqualTo("take two");
        }
    }

    @Test
    void badContentThatFlickersIsToldOnce() throws Exception {
        try (FileWatch<String> watch = watch()) {
            for (String text : List.of("bad", "bad", "half", "bad", "bad")) {
                Files.writeString(file, text);
                look(1);
            }
            assertThat(heard).containsExactly("refuse [bad]");
            assertThat(watch.refused()).containsExactly("bad");
        }
    }

    @Test
    void contentThatMayBeBadForAnotherReasonIsJudgedAtEveryLook() throws Exception {
        lacking = true;
        try (FileWatch<String> watch = watch()) {
            Files.writeString(file, "two");
            look(5);
            lacking = false;
            look(5);
            assertThat(heard).as("judged once").containsExactly("refuse [lacking]");
            assertThat(watch.refused()).containsExactly("lacking");

            judgesAgain = true;
            look(1);
            assertThat(heard).containsExactly("refuse [lacking]", "take two");
            assertThat(watch.refused()).isEmpty();
        }
    }

    @Test
    void aFailedPollIsFollowedByAnother() throws Exception {
        try (FileWatch<String> watch = watch()) {
            fails = true;
            Files.writeString(file, "two");
            look(3);
            fails = false;
            look(2);
            assertThat(heard).containsExactly("take two");
            assertThat(watch.refused()).isEmpty();
        }
    }

    @Test
    void aSwapOfTheLinkOfAKubernetesMountIsOneChange() throws Exception {
        for (String generation : List.of("..1", "..2")) {
            Files.writeString(Files.createDirectory(folder.resolve(generation)).resolve("f"), generation);
        }
        KubernetesMount.swap(folder, "..1");
        file = Files.createSymbolicLink(folder.resolve("f"), Path.of("..data", "f"));
        try (FileWatch<String> watch = watch()) {
            KubernetesMount.swap(folder, "..2");
            look(10);
            assertThat(heard).containsExactly("take ..2");
            assertThat(watch.refused()).isEmpty();
        }
    }

    @Test
    void aClosedWatchStopsPollingAndStopsItsThread() throws Exception {
        List<String> stopped = new ArrayList<>();
        FileWatch<String> watch = watch(new Looks(clock, Looks.OFTEN, Runnable::run, () -> stopped.add("thread")));
        Files.writeString(file, "two");
        look(1);
        watch.close();
        look(5);
        assertThat(heard).isEmpty();
        assertThat(stopped).containsExactly("thread");
    }

    @Test
    void looksOnAThreadOfItsOwn() throws Exception {
        Looks looks = Looks.onThread("sluice-test-file", Clock.system(), Duration.ofMillis(5));
        CompletableFuture<String> thread = new CompletableFuture<>();
        try (FileWatch<String> watch = FileWatch.begin(
                file.toString(),
                "none",
                this::read,
                content -> thread.complete(Thread.currentThread().getName()),
                looks)) {
            assertThat(thread.get(60, TimeUnit.SECONDS)).isEqualTo("sluice-test-file");
            assertThat(watch.refused()).isEmpty();
        }
    }

    private FileWatch<String> watch() throws Exception {
        return watch(new Looks(clock, Looks.OFTEN, Runnable::run, () -> {}));
    }

    private FileWatch<String> watch(Looks looks) throws Exception {
        return FileWatch.begin(file.toString(), read("none"), this::read, new Heard(), looks);
    }

    private String read(String last) throws ContentRefusedException {
        if (fails) {
            throw new IllegalStateException("a mistake in the program");
        }
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new ContentRefusedException("away");
        }
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            clock.advance(Looks.OFTEN);
        }
    }

    private final class Heard implements FileWatch.Follower<String> {

        @Override
        public void take(String content) throws ContentRefusedException {
            if (content.equals("bad") || lacking) {
                throw new ContentRefusedException(lacking ? "lacking" : "bad");
            }
            heard.add("take " + content);
        }

        @Override
        public void refuse(List<String> reasons) {
            heard.add("refuse " + reasons);
        }

        @Override
        public void settle() {
            heard.add("settle");
        }

        @Override
        public boolean judgesAgain() {
            return judgesAgain;
        }
    }
}
