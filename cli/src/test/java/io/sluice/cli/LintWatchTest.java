package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Watches rule documents in a process of its own. */
@Timeout(600)
class LintWatchTest {

    private static final String GOOD = "rules:\n  - { id: a, resource: /a, limits: [{ by: ip, rate: 5/s }] }\n";
    private static final String BAD = "rules:\n  - { id: a, resource: /a, limits: [{ by: ip, rate: fast }] }\n";

    private final List<Process> started = new ArrayList<>();

    @TempDir
    Path folder;

    @AfterEach
    void killWhatIsLeft() {
        started.forEach(Process::destroyForcibly);
    }

    private Process watch(Path place) throws Exception {
        // A process started in the background ignores interrupts, and so does a JVM that it starts.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(ArchivedProgram.shared().command());
        command.addAll(List.of("lint", "--watch", place.toString()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectErrorStream(true);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    /** As editors do that write another file and rename it. So nobody sees half of it. */
    private void replace(Path file, String text) throws IOException {
        Path other = Files.writeString(folder.resolve("written"), text);
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static String line(BufferedReader out) throws IOException {
        String line = out.readLine();
        return line == null ? "the process ended" : line;
    }

    @Test
    void printsWhatChangesUntilItIsInterrupted() throws Exception {
        Path file = Files.writeString(folder.resolve("rules.yaml"), GOOD);
        Process process = watch(file);
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        assertThat(line(out)).isEqualTo(file + ": no errors, 1 rule");

        replace(file, BAD);
        assertThat(line(out)).startsWith(file + ":2:").contains("rate: fast (expected: ");
        assertThat(line(out)).isEqualTo(file + ": 1 error");

        // A comment moves the error, which is not new; the second rule is.
        replace(file, "# a comment\n" + BAD + "  - { id: b, resource: /b, limits: [{ by: ip, rate: slow }] }\n");
        assertThat(line(out)).startsWith(file + ":4:").contains("rate: slow");
        assertThat(line(out)).isEqualTo(file + ": 2 errors");

        replace(file, GOOD);
        assertThat(line(out)).startsWith("fixed: " + file + ": ").contains("rate: fast");
        assertThat(line(out)).startsWith("fixed: " + file + ": ").contains("rate: slow");
        assertThat(line(out)).isEqualTo(file + ": no errors, 1 rule");

        new ProcessBuilder("kill", "-INT", String.valueOf(process.pid()))
                .start()
                .waitFor();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        assertThat(out.readLine()).isNull();
    }

    @Test
    void seesFilesThatComeAndGoInADirectory() throws Exception {
        Path rules = Files.createDirectories(folder.resolve("rules"));
        Files.writeString(rules.resolve("a.yaml"), GOOD);
        Process process = watch(rules);
        BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        assertThat(line(out)).isEqualTo(rules + ": no errors, 1 rule");
        Path more = rules.resolve("b.yaml");
        replace(more, "rules: [{ id: b, resource: /b, limits: [{ by: ip, rate: 5/s }] }]\n");
        assertThat(line(out)).isEqualTo(rules + ": no errors, 2 rules");
        Files.delete(more);
        assertThat(line(out)).isEqualTo(rules + ": no errors, 1 rule");
    }

    @Test
    void isNotForPrograms() {
        CommandRun run = CommandRun.of("lint", "--watch", "--json", folder);
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--watch: together with --json");
    }
}
