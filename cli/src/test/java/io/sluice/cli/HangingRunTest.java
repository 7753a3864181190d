package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** How {@code ./test} ends a run that hangs. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class HangingRunTest {

    private static final String RUN = """
            set -euo pipefail
            . ../build/hangs.sh
            coproc "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -Xmx16m -cp "$2" "$3"
            program=$COPROC_PID
            read -r started <&"${COPROC[0]}"
            end_if_hanging 0 "$1"
            wait "$program" || echo "$started, ended with $?"
            cat "$1/hang.txt"
            """;

    @TempDir
    Path folder;

    @Test
    void itsProcessesEndAndSayWhereTheyHung() throws Exception {
        Files.writeString(folder.resolve("test.log"), """
                [INFO] Running io.sluice.EndedTest
                [INFO] Running io.sluice.HangingTest
                [INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1.1 s -- in io.sluice.EndedTest
                """);
        String classes = Path.of(HangingRunTest.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .toString();
        ProcessBuilder run =
                new ProcessBuilder("bash", "-c", RUN, "test", folder.toString(), classes, Hanging.class.getName());
        run.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = run.redirectErrorStream(true).start();

        String shown = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).isZero();
        assertThat(shown)
                .contains(
                        "started, ended with 137", "This run had not ended after 0 minutes", "io.sluice.HangingTest\n")
                .contains(
                        "HangingRunTest$Hanging (all of its threads are in",
                        "\"main\"",
                        "Hanging.main(HangingRunTest.java:")
                .doesNotContain("EndedTest");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.filter(file -> file.getFileName().toString().matches("hang-\\d+\\.txt")))
                    .singleElement()
                    .satisfies(file -> assertThat(file).content().contains("Full thread dump"));
        }
    }

    /** A program that never ends. */
    static final class Hanging {

        private Hanging() {}

        public static void main(String[] arguments) throws InterruptedException {
            System.out.println("started");
            new CountDownLatch(1).await();
        }
    }
}
