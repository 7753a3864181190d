package io.sluice.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.Await;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;

/**
 * A41: a center, a node that knows it (three in the long form), a node on Redis, and an application. The history of the center is replaced
 * by another one that is longer and signed with the right key. All of them notice.
 */
final class AuditWitnessSystemTest {

    private static final Pattern SIZE = Pattern.compile("\"size\":(\\d+)");
    private static final Pattern REFUSED = Pattern.compile("\"refused\":\"the center shows another history");
    private static final int ROWS = 20;

    /** The nodes that know the center. One more is on Redis, and the last witness is the application. */
    private static final int NODES = SeededRandom.scaled(1, 3);

    private static final int WITNESSES = NODES + 2;

    @TempDir
    Path folder;

    private final RedisServer redis = RedisServer.shared();
    private final List<SluiceProcess> nodes = new ArrayList<>();
    private LimitedApplication application;

    @Test
    void everyNodeRefusesALongerHistoryThatWasRewrittenAndSignedWithTheRightKey() throws Exception {
        Path data = folder.resolve("center");
        int port;
        long before;
        try (SluiceProcess center = center(0)) {
            CenterCalls calls = CenterCalls.of(center);
            port = center.centerPort();
            release(calls, 0, 101);
            before = rows(calls);
            assertThat(center.stop()).isZero();
        }
        copy(data, folder.resolve("old"));
        try {
            long witnessed;
            try (SluiceProcess center = center(port)) {
                CenterCalls calls = CenterCalls.of(center);
                for (int i = 1; i <= NODES; i++) {
                    nodes.add(node("node" + i, calls));
                }
                nodes.add(SluiceProcess.run(
                        "node", "--api-port", "0", "--data", path("node" + (NODES + 1)), "--redis", redis.uri()));
                application = application(calls);
                open(calls, ROWS);
                // A release is signed at once.
                release(calls, 1, 102);
                until("witnesses of all rows", () -> sizes().stream().allMatch(size -> size > before + ROWS));
                witnessed = sizes().stream().mapToLong(size -> size).max().orElseThrow();
                assertThat(calls.get("/api/status")).doesNotContain("another history");
                assertThat(center.stop()).isZero();
            }
            copy(data, folder.resolve("honest"));

            // The history parts before what was witnessed. The key is the same.
            replace(data, folder.resolve("old"));
            try (SluiceProcess center = center(port)) {
                CenterCalls calls = CenterCalls.of(center);
                while (rows(calls) <= witnessed) {
                    open(calls, ROWS);
                }
                release(calls, 1, 999);
                for (SluiceProcess node : nodes) {
                    until("a node refuses", () -> health(node).contains("the center shows another history"));
                    assertThat(node.get("/health").statusCode()).isEqualTo(200);
                    assertThat(node.get("/metrics").body()).contains("rate_limit_audit_refused 1.0");
                }
                until(
                        "the center names all",
                        () -> REFUSED.matcher(calls.get("/api/nodes")).results().count() == WITNESSES);
                assertThat(calls.get("/api/status")).contains("another history");
                // A node that was restarted has not forgotten.
                nodes.remove(0).close();
                nodes.add(0, node("node1", calls));
                until("it refuses again", () -> health(nodes.get(0)).contains("the center shows another history"));
                assertThat(center.stop()).isZero();
            }

            replace(data, folder.resolve("honest"));
            try (SluiceProcess center = center(port)) {
                assertThat(center.centerPort()).isEqualTo(port);
                for (SluiceProcess node : nodes) {
                    until("a node accepts again", () -> !health(node)
                            .contains("the audit log of the center is refused"));
                    assertThat(node.get("/metrics").body()).contains("rate_limit_audit_refused 0.0");
                }
                assertThat(center.stop()).isZero();
            }
        } finally {
            nodes.forEach(SluiceProcess::close);
            if (application != null) {
                application.close();
            }
        }
    }

    private SluiceProcess center(int port) throws IOException {
        return SluiceProcess.run(
                "center", "--data", path("center"), "--center-port", Integer.toString(port), "--redis", redis.uri());
    }

    private SluiceProcess node(String name, CenterCalls calls) throws IOException {
        return SluiceProcess.run(
                "node",
                "--api-port",
                "0",
                "--data",
                path(name),
                "--center",
                calls.address(),
                "--center-token-file",
                calls.tokenFile().toString());
    }

    private LimitedApplication application(CenterCalls calls) {
        return LimitedApplication.start(
                WebApplicationType.SERVLET,
                "--sluice.center.url=" + calls.address(),
                "--sluice.center.token-file=" + calls.tokenFile(),
                "--sluice.data-dir=" + folder.resolve("node" + WITNESSES));
    }

    /** Returns how many rows each witness has seen, according to its file. */
    private List<Long> sizes() {
        List<Long> sizes = new ArrayList<>();
        for (int i = 1; i <= WITNESSES; i++) {
            try {
                Path file = folder.resolve("node" + i).resolve("audit-witness");
                Matcher size = SIZE.matcher(Files.exists(file) ? Files.readString(file) : "");
                sizes.add(size.find() ? Long.parseLong(size.group(1)) : 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return sizes;
    }

    private static long rows(CenterCalls calls) {
        return Long.parseLong(CenterCalls.found("\"rows\":(\\d+)", calls.post("/api/audit/verify", "{}", 200)));
    }

    /** Opens changes, each of which is a row. */
    private static void open(CenterCalls calls, int changes) {
        for (int i = 0; i < changes; i++) {
            calls.post(
                    "/api/changes",
                    "{\"title\":\"a change\",\"reason\":\"test\",\"base\":1,\"edits\":[{\"put\":" + rule(200 + i)
                            + "}]}",
                    201);
        }
    }

    private static void release(CenterCalls calls, long base, int limit) {
        assertThat(calls.release(base, rule(limit), "\"all\"")).contains("\"version\":");
    }

    private static String rule(int limit) {
        return "{\"id\":\"login\",\"resource\":\"/login\",\"limits\":[{\"by\":\"ip\",\"limit\":" + limit
                + ",\"window\":\"1h\"}]}";
    }

    private static String health(SluiceProcess node) {
        try {
            return node.get("/health").body();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void replace(Path target, Path source) throws IOException {
        try (Stream<Path> files = Files.walk(target)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
        copy(source, target);
    }

    private static void copy(Path source, Path target) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(source.relativize(file)));
            }
        }
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(5), condition);
    }

    private String path(String name) {
        return folder.resolve(name).toString();
    }
}
