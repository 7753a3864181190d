package io.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LiveFolderTest {

    @TempDir
    Path folder;

    @Test
    void findsTextInAnyFile() throws IOException {
        Path deep = Files.createDirectories(folder.resolve("a/b")).resolve("c");
        Files.writeString(deep, "…中文…");
        Files.write(folder.resolve("bytes"), new byte[] {-1, 'x', -2});
        assertThat(LiveFolder.filesWith(folder, "中文")).containsExactly(deep);
        assertThat(LiveFolder.filesWith(folder, "x")).containsExactly(folder.resolve("bytes"));
        assertThat(LiveFolder.filesWith(folder, "nowhere")).isEmpty();
        assertThat(LiveFolder.contents(folder)).hasSize(2);
    }

    @Test
    void aMissingFolderHasNoContentsAndIsNotSearched() {
        Path missing = folder.resolve("missing");
        assertThat(LiveFolder.contents(missing)).isEmpty();
        assertThatThrownBy(() -> LiveFolder.filesWith(missing, "x")).isInstanceOf(AssertionError.class);
    }

    @Test
    void filesMayVanishMeanwhile() throws Exception {
        Files.writeString(folder.resolve("stays"), "x");
        AtomicBoolean stop = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            while (!stop.get()) {
                try {
                    Path made = Files.writeString(folder.resolve("new"), "x");
                    Files.move(made, folder.resolve("renamed"));
                    Files.delete(folder.resolve("renamed"));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
        });
        writer.start();
        try {
            for (int i = 0; i < 2_000; i++) {
                assertThat(LiveFolder.filesWith(folder, "x")).contains(folder.resolve("stays"));
            }
        } finally {
            stop.set(true);
            writer.join();
        }
    }
}
