package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose system refuses to write files beyond a size, as a full disk does. */
@Timeout(900)
class DurableFullDiskTest {

    private static final Pattern CHECK = Pattern.compile("POST (http://127\\.0\\.0\\.1:\\d+)/v1/check");
    private static final String FULL = "the journal of durable limits cannot be written";
    private static final int TENANTS = 700;

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();
    private int runs;

    @AfterEach
    void killWhatIsLeft() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void decisionsGoOnWhileTheDiskIsFullAndNothingIsLostWhenItHasRoomAgain() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            // Less than the sums of all tenants need.
            Process node = launch(redis, "--fsize=65536:");
            String address = address();
            QuotaNodes.awaitRestored(address);
            for (int i = 0; i < TENANTS; i++) {
                QuotaNodes.charge(address, "t" + i);
            }
            QuotaNodes.await("the journal cannot be written", () -> QuotaNodes.health(address)
                    .contains(FULL));
            for (int i = 0; i < 100; i++) {
                QuotaNodes.charge(address, "t" + i);
            }
            assertThat(QuotaNodes.metric(address, "rate_limit_durable_unwritten"))
                    .isPositive();

            assertThat(new ProcessBuilder("prlimit", "--pid", Long.toString(node.pid()), "--fsize=unlimited:")
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
            QuotaNodes.await(
                    "the journal is written", () -> !QuotaNodes.health(address).contains(FULL));
            QuotaNodes.await(
                    "all sums are on disk", () -> QuotaNodes.metric(address, "rate_limit_durable_unwritten") == 0);
            String log = output();
            assertThat(log.split(FULL, -1)).as("told once: %s", log).hasSize(2);
            assertThat(log.split("the journal of durable limits is written again", -1))
                    .hasSize(2);
            boolean unused = node.destroyForcibly().waitFor(QuotaNodes.PATIENCE.toSeconds(), TimeUnit.SECONDS);

            redis.restart();
            Process again = launch(redis, "--fsize=unlimited:");
            String next = address();
            QuotaNodes.awaitRestored(next);
            assertThat(QuotaNodes.used(next, "t0")).isEqualTo(2);
            assertThat(QuotaNodes.used(next, "t" + (TENANTS - 1))).isEqualTo(1);
            assertThat(again.isAlive()).isTrue();
        }
    }

    private Process launch(RedisServer redis, String limit) throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), QuotaNodes.RULES);
        runs++;
        List<String> command = new ArrayList<>(List.of("prlimit", limit));
        command.addAll(ArchivedProgram.shared().command());
        command.addAll(List.of(
                "node",
                "--rules",
                rules.toString(),
                "--redis",
                redis.uri(),
                "--data",
                folder.resolve("data").toString(),
                "--api-port",
                "0"));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out" + runs).toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        builder.environment().put("SLUICE_GRPC_PORT", "0");
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private String address() {
        QuotaNodes.await(
                "the node prints its address", () -> CHECK.matcher(output()).find());
        Matcher found = CHECK.matcher(output());
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    /** Returns what the last process has printed. */
    private String output() {
        try {
            return Files.readString(folder.resolve("out" + runs));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
