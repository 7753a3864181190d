package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./sluice} shows while Maven builds, from a recorded log of Maven. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class BuildProgressTest {

    private static final String SHOW = "set -euo pipefail; . ../build/common.sh; show_progress 640";

    @TempDir
    Path folder;

    @Test
    void withoutATerminalEachModuleAndEveryHundredthDownloadIsALine() throws Exception {
        Process process = new ProcessBuilder("bash", "-c", SHOW, "sluice")
                .redirectInput(log().toFile())
                .redirectErrorStream(true)
                .start();

        assertThat(text(process).lines())
                .containsExactly(
                        "sluice:   Sluice (1 of 11)",
                        "sluice:   Sluice Core (2 of 11)",
                        "sluice:   downloaded 100 of about 640 files",
                        "sluice:   Sluice Rules (3 of 11)",
                        "sluice:   Sluice Testkit (4 of 11)",
                        "sluice:   Sluice Redis (5 of 11)",
                        "sluice:   Sluice Rules Redis (6 of 11)");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void onATerminalOneLineMoves() throws Exception {
        Path run = Files.writeString(folder.resolve("sluice"), SHOW + " <" + log() + "\n");
        Process process = new ProcessBuilder("script", "-qec", "bash " + run, "/dev/null")
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();

        List<String> shown = text(process).lines().toList();

        assertThat(process.waitFor()).isZero();
        assertThat(String.join("\n", shown))
                .containsPattern("sluice: \\d+:\\d\\d 57 of about 640 files, module 2 of 11, Sluice Core, downloading")
                .containsPattern("sluice: \\d+:\\d\\d 120 of about 640 files, module 3 of 11, Sluice Rules, compiling")
                .doesNotContain("(1 of 11)");
        // The moving line is replaced by a carriage return, which ends a line here, and is erased at the end.
        assertThat(shown).hasSizeGreaterThan(100).allMatch(line -> line.length() < 90);
        assertThat(shown.get(shown.size() - 1)).isEqualTo("\u001b[K");
    }

    private Path log() throws IOException {
        Path file = folder.resolve("maven.log");
        try (InputStream in = BuildProgressTest.class.getResourceAsStream("maven.log")) {
            assertThat(in).isNotNull();
            Files.write(file, in.readAllBytes());
        }
        return file;
    }

    private static String text(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
