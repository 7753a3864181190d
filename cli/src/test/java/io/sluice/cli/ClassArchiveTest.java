package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The class archives that {@code ./sluice} makes: one for each role, once, and again if Java or the libraries have changed. The script is
 * the real one. The Java is a script that notes its arguments, so that no class is loaded.
 */
class ClassArchiveTest {

    /** Notes its arguments. With an archive to make, it serves until it is asked to stop, and then writes the archive. */
    private static final String JAVA = """
            #!/usr/bin/env bash
            echo "$*" >>"${0%/bin/java}/calls"
            for argument; do
              [[ $argument != -XX:ArchiveClassesAtExit=* ]] || archive=${argument#*=}
            done
            [[ ${archive:-} ]] || exit 0
            tail -f /dev/null &
            trap 'kill $!; echo archive >"$archive"; exit 0' TERM
            echo "Ctrl-C stops the node."
            wait
            """;

    @TempDir
    private Path root;

    private Path dist;
    private Path home;

    @BeforeEach
    void installs() throws Exception {
        Path source = Path.of("..").toRealPath();
        Files.copy(source.resolve("sluice"), root.resolve("sluice"));
        Files.createDirectories(root.resolve("build"));
        Files.copy(source.resolve("build/common.sh"), root.resolve("build/common.sh"));
        for (String each : List.of("cli/src/main", "benchmarks/a/src/main", "examples/rules")) {
            Files.createDirectories(root.resolve(each));
        }
        for (String each : List.of("pom.xml", "cli/pom.xml", "benchmarks/a/pom.xml")) {
            Files.writeString(root.resolve(each), "");
        }
        home = root.resolve("java");
        Files.createDirectories(home.resolve("bin"));
        Files.createDirectories(home.resolve("lib/server"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        Files.writeString(home.resolve("lib/server/libjvm.so"), "");
        Files.writeString(home.resolve("bin/java"), JAVA);
        assertThat(home.resolve("bin/java").toFile().setExecutable(true)).isTrue();
        dist = Files.createDirectories(root.resolve("cli/target/quick/dist"));
        Files.createDirectories(dist.resolve("lib"));
        Files.writeString(dist.resolve("lib/a.jar"), "");
        Files.writeString(dist.resolve("built"), "");
    }

    @Test
    void eachRoleHasAnArchiveThatItsFirstStartMakes() throws Exception {
        assertThat(start("node")).contains("making a class archive for faster starts of \"node\"");
        awaitArchive("node");
        assertThat(lastCall()).doesNotContain("SharedArchiveFile");

        assertThat(start("node")).isEmpty();
        assertThat(lastCall()).contains("-XX:SharedArchiveFile=" + archive("node"));

        assertThat(start("center")).contains("faster starts of \"center\"");
        awaitArchive("center");
        assertThat(archive("node")).isNotEqualTo(archive("center"));
        assertThat(start("lint")).isEmpty();
    }

    @Test
    void aStaleArchiveIsReportedOnceAndReplaced() throws Exception {
        start("node");
        awaitArchive("node");
        Path stale = archive("node");
        Files.writeString(dist.resolve("lib/b.jar"), "another library");

        assertThat(start("node")).contains("the class archive of \"node\" is for another Java or other libraries");
        awaitArchive("node");

        assertThat(start("node")).isEmpty();
        assertThat(archive("node")).isNotEqualTo(stale);
        assertThat(stale).doesNotExist();
    }

    @Test
    void startsDoNotReportAnArchiveThatAnotherStartIsMaking() throws Exception {
        String lock = dist.resolve("classes-node.lock").toString();
        Process other = new ProcessBuilder("flock", lock, "sh", "-c", "echo locked; cat").start();
        try (BufferedReader locked = other.inputReader(StandardCharsets.UTF_8)) {
            assertThat(locked.readLine()).isEqualTo("locked");

            assertThat(start("node")).isEmpty();
            assertThat(lastCall()).doesNotContain("SharedArchiveFile");

            other.getOutputStream().close();
            assertThat(other.waitFor()).isZero();
        } finally {
            other.destroyForcibly();
        }
        assertThat(start("node")).contains("making a class archive");
        awaitArchive("node");
    }

    private String start(String role) throws Exception {
        return run(List.of(root.resolve("sluice").toString(), role));
    }

    /** Runs a command and returns what it printed. */
    private String run(List<String> command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", home.toString());
        builder.environment().keySet().removeIf(name -> name.contains("JAVA_OPTS"));
        Path printed = Files.createTempFile(root, "printed", ".txt");
        builder.redirectOutput(printed.toFile());
        Process process = builder.start();
        String text = Files.readString(printed, StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(text).isZero();
        return Files.readString(printed, StandardCharsets.UTF_8);
    }

    /** Waits for the lock that the script keeps while it makes an archive. */
    private void awaitArchive(String role) throws Exception {
        run(List.of("flock", dist.resolve("classes-" + role + ".lock").toString(), "true"));
        assertThat(archive(role)).isNotEmptyFile();
    }

    private Path archive(String role) throws IOException {
        try (Stream<Path> files = Files.list(dist)) {
            List<Path> archives = files.filter(
                            file -> file.getFileName().toString().matches("classes-" + role + "-.*\\.jsa"))
                    .toList();
            assertThat(archives).hasSize(1);
            return archives.get(0);
        }
    }

    /** Returns the arguments of the latest call of Java that makes no archive. */
    private String lastCall() throws IOException {
        List<String> calls = new ArrayList<>(Files.readAllLines(home.resolve("calls")));
        calls.removeIf(call -> call.contains("ArchiveClassesAtExit"));
        return calls.get(calls.size() - 1);
    }
}
