package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that all ways into Sluice share one count. */
final class FrontDoorsTest {

    private static final int LIMIT = 200;
    private static final int EACH_AT_FIRST = 10;
    private static final int CALLERS_PER_DOOR = 4;
    private static final String USER = "u-17";

    private static final String RULES = """
        rules:
          - id: per-user
            deadline: 1m
            on_failure: closed
            limits:
              - by: { attribute: header.x-user, otherwise: descriptor.user }
                algorithm: sliding_log
                limit: %d
                window: 1d
        """.formatted(LIMIT);

    @TempDir
    private Path folder;

    @Test
    @Timeout(300)
    void allDoorsTogetherLetExactlyTheLimitPass() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
        RedisServer redis = RedisServer.shared();
        try (FrontDoors doors = FrontDoors.open(folder, rules, redis.uri())) {
            for (FrontDoors.Door door : doors.all().values()) {
                // An application connects to Redis in the background.
                Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> door.passes("somebody-else"));
            }
            Map<String, Integer> passed = new TreeMap<>();

            atOnce(doors, passed, 1, door -> pass(door, EACH_AT_FIRST));
            assertThat(passed).hasSize(5).allSatisfy((door, count) -> assertThat(count)
                    .isEqualTo(EACH_AT_FIRST));
            atOnce(doors, passed, CALLERS_PER_DOOR, FrontDoorsTest::untilRefused);
            // If a busy machine looked like a slow Redis, callers were refused too early, and something is left.
            while (!doors.isUsedUp(USER)) {
                atOnce(doors, passed, 1, FrontDoorsTest::untilRefused);
            }

            assertThat(passed.values().stream().mapToInt(count -> count).sum())
                    .as(passed.toString())
                    .isEqualTo(LIMIT);
        }
    }

    /** What a caller does at a door; returns how many of its requests passed. */
    private interface Caller {
        int call(FrontDoors.Door door) throws Exception;
    }

    /** Lets callers call at all doors at the same time, and adds up the requests that passed. */
    private static void atOnce(FrontDoors doors, Map<String, Integer> passed, int callersPerDoor, Caller caller)
            throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<String> names = new ArrayList<>();
            List<Callable<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < callersPerDoor; i++) {
                doors.all().forEach((name, door) -> {
                    names.add(name);
                    calls.add(() -> caller.call(door));
                });
            }
            List<Future<Integer>> counts = threads.invokeAll(calls);
            for (int i = 0; i < names.size(); i++) {
                passed.merge(names.get(i), counts.get(i).get(), Integer::sum);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Sends requests until this many have passed. A request that is refused because Redis seems slow charges nothing. */
    private static int pass(FrontDoors.Door door, int times) throws Exception {
        int passed = 0;
        while (passed < times) {
            passed += door.passes(USER) ? 1 : 0;
        }
        return passed;
    }

    private static int untilRefused(FrontDoors.Door door) throws Exception {
        int passed = 0;
        while (door.passes(USER)) {
            passed++;
        }
        return passed;
    }
}
