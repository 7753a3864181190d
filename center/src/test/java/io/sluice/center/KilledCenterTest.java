package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.process.ServerProcess;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A center is killed while it releases, again and again. What it answered survives, nothing is half, and the next start completes
 * what was interrupted.
 */
class KilledCenterTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final int TIMES = SeededRandom.scaled(1, 50);

    @TempDir
    Path data;

    @Test
    void nothingIsLostOrHalf() throws Exception {
        Random random = new Random(7);
        RedisServer redis = RedisServer.shared();
        Set<Long> answered = new HashSet<>();
        for (int i = 0; i < TIMES; i++) {
            Path ready = data.resolve("ready-" + i);
            Path releases = data.resolve("releases-" + i);
            try (ServerProcess process = ServerProcess.start(folder -> List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                    Releasing.class.getName(),
                    data.resolve("center").toString(),
                    redis.uri(),
                    ready.toString(),
                    releases.toString()))) {
                Await.until("the center runs: " + process.log(), SOON, () -> Files.exists(ready));
                // Somewhere in one of the first releases, at a different place each time.
                int after = 1 + random.nextInt(8);
                Await.until("some releases", SOON, () -> numbers(releases).size() >= after);
                // The next release is already under way.
                process.kill();
            }
            try (Stream<Path> left = Files.walk(data.resolve("center"))) {
                assertThat(left.map(file -> file.getFileName().toString()))
                        .as("copies of the library of SQLite, of 1 MB each")
                        .noneMatch(name -> name.contains("sqlitejdbc") || name.startsWith("sqlite-"));
            }
            answered.addAll(numbers(releases));
            requireWhole(redis, answered);
        }
    }

    /** Opens the database that the dead center left behind. */
    private void requireWhole(RedisServer redis, Set<Long> answered) throws Exception {
        try (Center center =
                Center.open(CenterSettings.embedded(data.resolve("center")).redis(redis.uri()))) {
            ApiClient api = ApiClient.of(center);
            JsonNode versions = api.get("/api/versions?limit=200").expect(200).json();
            List<Long> numbers = new ArrayList<>();
            versions.forEach(version -> numbers.add(version.get("number").asLong()));
            assertThat(numbers)
                    .containsAll(answered.stream()
                            .filter(number -> number > numbers.get(numbers.size() - 1))
                            .toList());
            long latest = numbers.get(0);
            assertThat(api.get("/api/rollouts?limit=200").json()).hasSameSizeAs(versions);
            for (JsonNode version : versions) {
                assertThat(api.get("/api/changes/" + version.get("change").asLong())
                                .expect(200)
                                .number("version"))
                        .isEqualTo(version.get("number").asLong());
            }
            api.get("/api/changes?state=released&limit=200").json().forEach(change -> assertThat(numbers)
                    .contains(change.get("version").asLong()));
            Await.until("Redis has version " + latest, SOON, () -> redis.command("GET", "rate_limit_config_version")
                    .text()
                    .equals(Long.toString(latest)));
            Await.until("the rollout is done", SOON, () -> api.get("/api/rollouts")
                    .json()
                    .get(0)
                    .get("state")
                    .asString()
                    .equals("done"));
        }
    }

    private static List<Long> numbers(Path file) {
        if (!Files.exists(file)) {
            return List.of();
        }
        try {
            String text = Files.readString(file, StandardCharsets.US_ASCII);
            // The last line may be half written.
            return text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .map(Long::parseLong)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Releases one version after the other until it is killed. */
    static final class Releasing {

        private Releasing() {}

        public static void main(String[] arguments) throws Exception {
            Center center =
                    Center.open(CenterSettings.embedded(Path.of(arguments[0])).redis(arguments[1]));
            ApiClient api = ApiClient.of(center);
            Files.createFile(Path.of(arguments[2]));
            Path releases = Path.of(arguments[3]);
            Files.createFile(releases);
            for (int i = 1; ; i++) {
                long version = api.release("rule" + ProcessHandle.current().pid(), i);
                Files.writeString(releases, version + "\n", java.nio.file.StandardOpenOption.APPEND);
            }
        }
    }
}
