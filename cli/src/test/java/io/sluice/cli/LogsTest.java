package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests what libraries write, each time in a process of its own. */
@Timeout(300)
class LogsTest {

    private static final String TIMES = "20000";

    @TempDir
    Path folder;

    @Test
    void everyLoggerOfALibraryWritesLinesOfTheLog() throws Exception {
        Path err = folder.resolve("err");
        end(start(Talkative.class, err, "1"));

        List<String> lines = Files.readAllLines(err);
        assertThat(lines).allMatch(line -> line.startsWith("{\"time\":\"") && line.endsWith("}"));
        assertThat(lines)
                .anyMatch(line -> line.contains("\"level\":\"error\",\"logger\":\"org.example.library\"")
                        && line.contains("call 0 of 1 failed")
                        && line.contains("no luck"))
                .anyMatch(line ->
                        line.contains("\"level\":\"warn\",\"logger\":\"System.err\"") && line.contains("printed 0"))
                .anyMatch(line -> line.contains("the thread library-1 ended unexpectedly"))
                .noneMatch(line -> line.contains("too detailed"));
    }

    /** Without the queue, the first lines would fill the pipe and the process would wait forever. */
    @Test
    void noLibraryWaitsForTheReaderOfStandardError() throws Exception {
        Process process = start(Talkative.class, null, TIMES);

        assertThat(process.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("dropped some");
        end(process);
    }

    @Test
    void theLogGoesToTheStreamWithWhichATestRunnerReplacedStandardError() throws Exception {
        Path err = folder.resolve("err");
        Path captured = folder.resolve("captured");
        end(start(Captured.class, err, captured.toString()));

        assertThat(err).isEmptyFile();
        assertThat(captured).content().contains("INFO  heard");
    }

    private static void end(Process process) throws InterruptedException {
        assertThat(process.waitFor(4, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    private static Process start(Class<?> program, Path err, String argument) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName(),
                argument);
        if (err != null) {
            builder.redirectError(err.toFile());
        }
        return builder.start();
    }

    /** A program with a library that logs in every way there is. */
    static final class Talkative {

        private Talkative() {}

        public static void main(String[] args) throws InterruptedException {
            Logs.begin();
            Logs.set(Logs.Format.JSON, Logs.Detail.INFO);
            Logger library = Logger.getLogger("org.example.library");
            int times = Integer.parseInt(args[0]);
            for (int i = 0; i < times; i++) {
                library.log(
                        Level.SEVERE, "call " + i + " of " + times + " failed", new IllegalStateException("no luck"));
                library.log(Level.FINE, "too detailed");
                System.err.println("printed " + i);
            }
            Thread thread = new Thread(
                    () -> {
                        throw new IllegalStateException("no luck");
                    },
                    "library-1");
            thread.start();
            thread.join();
            System.out.println(Logs.dropped() == 0 ? "dropped none" : "dropped some");
            Logs.end();
        }
    }

    /** A program whose standard error was replaced as Surefire does it, by a stream of a class of its own. */
    static final class Captured {

        private Captured() {}

        public static void main(String[] args) throws IOException {
            System.setErr(new PrintStream(Files.newOutputStream(Path.of(args[0])), true, StandardCharsets.UTF_8) {});
            Logs.begin();
            LoggerFactory.getLogger(Logs.class).info("heard");
            Logs.end();
        }
    }
}
