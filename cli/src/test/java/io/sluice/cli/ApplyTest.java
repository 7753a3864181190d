package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice diff} and {@code ./sluice apply} against a real center. */
@Timeout(300)
class ApplyTest {

    private static final Pattern DIGEST = Pattern.compile("digest: ([0-9a-f]{64})");

    @TempDir
    Path folder;

    private Center center;
    private Path file;

    @BeforeEach
    void startACenter() throws Exception {
        center = Center.open(CenterSettings.embedded(folder.resolve("data")));
        file = folder.resolve("rules.yaml");
        rules(5);
    }

    @AfterEach
    void stopTheCenter() {
        center.close();
    }

    @Test
    void thePlanNamesCountsSentencesDigestAndBaseAndChangesNothing() throws Exception {
        CommandRun diff = run("diff").good();

        assertThat(diff.out())
                .startsWith("rules: 1 added, 0 changed, 0 removed\n  login: added (1 limit)\nbase: 0\ndigest: ")
                .contains("apply: ./sluice apply " + file + " --base 0 --digest ");
        assertThat(run("diff").out()).isEqualTo(diff.out());
        assertThat(run("diff", "--exit-code").code()).isEqualTo(3);
    }

    @Test
    void appliesAPlanOnAnEmptyBaseAndThenThereIsNothingToChange() {
        String digest = digest(run("diff").good());

        CommandRun applied = run("apply", "--base", 0, "--digest", digest).good();

        assertThat(applied.out())
                .contains("released version 1: 1 added, 0 changed, 0 removed")
                .endsWith("done: version 1 is in force; no node is running\n");
        assertThat(run("apply", "--base", 0, "--digest", digest).good().out())
                .isEqualTo("no change: version 1 has the rules of " + file + "\n");
        assertThat(run("diff", "--exit-code").good().out()).startsWith("no change: version 1");
    }

    @Test
    void showsWhatAChangeDoesToARule() throws Exception {
        run("apply").good();
        rules(6);

        CommandRun applied =
                run("apply", "--title", "More logins", "--reason", "asked for").good();

        assertThat(applied.out())
                .contains("rules: 0 added, 1 changed, 0 removed", "login: limit by ip 5 per 1m → 6 per 1m")
                .contains("released version 2");
    }

    @Test
    void aPlanOnAnotherBaseIsRefusedAndLeavesNothingBehind() throws Exception {
        String planned = digest(run("diff").good());
        Path other = Files.writeString(folder.resolve("other.yaml"), "rules: [{ id: x, action: deny }]\n");
        CommandRun.of("apply", other, "--center", center.address(), "--data", folder.resolve("data"))
                .good();

        CommandRun late = run("apply", "--base", 0, "--digest", planned);

        assertThat(late.code()).isEqualTo(1);
        assertThat(late.err())
                .startsWith("sluice: base: version 1 is in force (expected: 0);")
                .hasLineCount(1);
        assertThat(CommandRun.of("diff", other, "--center", center.address(), "--data", folder.resolve("data"))
                        .good()
                        .out())
                .startsWith("no change");
    }

    @Test
    void aDocumentThatIsNotThePlannedOneIsRefused() throws Exception {
        String planned = digest(run("diff").good());
        rules(7);

        CommandRun other = run("apply", "--base", 0, "--digest", planned);

        assertThat(other.code()).isEqualTo(1);
        assertThat(other.err()).contains("(expected: " + planned + "); the document is not the one that was planned");
        assertThat(run("diff").out()).contains("base: 0\n");
    }

    @Test
    void errorsOfTheDocumentAreLocated() throws Exception {
        Files.writeString(file, "rules:\n- id: a\n  limts: []\n");

        for (String verb : new String[] {"diff", "apply"}) {
            CommandRun bad = run(verb);
            assertThat(bad.code()).isEqualTo(1);
            assertThat(bad.err())
                    .contains(file + ":3:3: unknown key: limts (expected: a known key; did you mean limits?)");
        }
    }

    @Test
    void badUsageIs2WithOneLine() throws Exception {
        assertThat(CommandRun.of("diff").code()).isEqualTo(2);
        assertThat(CommandRun.of("diff", folder.resolve("none.yaml"), "--data", folder.resolve("data")))
                .satisfies(run -> assertThat(run.code()).isEqualTo(2))
                .satisfies(run -> assertThat(run.err()).contains("none.yaml: file: missing"));
        assertThat(run("apply", "--digest", "x").code()).isEqualTo(2);
        assertThat(run("apply", "--timeout", "-1").code()).isEqualTo(2);
        assertThat(CommandRun.of("diff", file, "--center", "center:8083", "--data", folder.resolve("data")))
                .satisfies(run -> assertThat(run.code()).isEqualTo(2))
                .satisfies(run -> assertThat(run.err()).contains("center: center:8083 (expected: http://HOST:PORT"));
        assertThat(CommandRun.of("diff", file, "--token-file", folder.resolve("none")))
                .satisfies(run -> assertThat(run.code()).isEqualTo(2))
                .satisfies(run -> assertThat(run.err()).contains("has no readable token"));
    }

    @Test
    void aProtectedRuleWaitsForASecondPersonAndTheSameCommandReleasesIt() throws Exception {
        protectedRules(5);
        run("apply").good();
        protectedRules(500);

        CommandRun waits = run("apply");

        assertThat(waits.code()).isEqualTo(4);
        assertThat(waits.out())
                .endsWith("change 2 waits for the approval of a second person: " + center.address()
                        + "/api/changes/2 (run the same command again afterwards)\n");
        // The same change waits, and no other one.
        assertThat(run("apply").code()).isEqualTo(4);
        assertThat(run("apply").out()).contains("change 2 waits");
        approve(2, digest(waits));
        assertThat(run("apply").good().out()).contains("released version 2");
        assertThat(run("diff").good().out()).startsWith("no change: version 2");
    }

    private void protectedRules(int limit) throws IOException {
        rules(limit);
        Files.writeString(file, Files.readString(file).replace("resource:", "protected: true\n    resource:"));
    }

    /** Stores what the center stores when somebody with the role approves a change. */
    private void approve(long change, String digest) throws Exception {
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("data/center.db"));
                Statement statement = database.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 60000");
            statement.executeUpdate("INSERT INTO account (id, revision, name, display_name, email, identity, origin,"
                    + " subject, password, grants, disabled_at, created_at, changed_at) VALUES (99, 1, 'bob', 'bob', '',"
                    + " 'local:bob', 'local', '', '', '[{\"role\":\"approver\"}]', 0, 0, 0)");
            statement.executeUpdate("INSERT INTO approval (id, kind, subject, revision, digest, base, account, actor,"
                    + " identity, remark, at) VALUES (99, 'change', " + change + ", 1, '" + digest
                    + "', 1, 99, 'user:bob', 'local:bob', '', " + Clock.system().epochMicros() / 1000 + ")");
        }
    }

    @Test
    void aWrongTokenIsNotShown() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "0123456789abcdef0123456789abcdef\n");

        CommandRun refused = CommandRun.of("diff", file, "--center", center.address(), "--token-file", token);

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err())
                .isEqualTo("sluice: center " + center.address()
                        + ": refuses the token (expected: a valid token; name its file with --token-file)"
                        + System.lineSeparator());
    }

    @Test
    void aCenterThatIsAwayIsNamedInOneLine() {
        center.close();

        CommandRun away = run("apply");

        assertThat(away.code()).isEqualTo(1);
        assertThat(away.err())
                .startsWith("sluice: center " + center.address() + ": cannot be reached")
                .contains("./sluice start or ./sluice center runs one")
                .hasLineCount(1);
    }

    @Test
    void theTokenDoesNotFollowARedirect() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Location", center.address() + "/api/rules");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        server.start();
        try {
            CommandRun elsewhere = CommandRun.of(
                    "diff",
                    file,
                    "--center",
                    "http://127.0.0.1:" + server.getAddress().getPort(),
                    "--data",
                    folder.resolve("data"));

            assertThat(elsewhere.code()).isEqualTo(1);
            assertThat(elsewhere.err()).contains("answered 302 without the form of a center");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aChangeWhoseAnswerIsLostIsSentAgainAndMadeOnce() throws Exception {
        try (LossyFront front = new LossyFront(center.address(), 1)) {
            CommandRun applied = through(front).good();
            assertThat(applied.out()).contains("released version 1");
            assertThat(front.keys()).hasSize(4);
            assertThat(Set.copyOf(front.keys())).hasSize(2);
        }
        rules(6);
        assertThat(run("apply").good().out()).contains("released version 2");
    }

    @Test
    void aReleaseWhoseOutcomeStaysUnknownIsNotWithdrawn() throws Exception {
        try (LossyFront front = new LossyFront(center.address(), Integer.MAX_VALUE, "/release")) {
            CommandRun applied = through(front);
            assertThat(applied.code()).isEqualTo(1);
            assertThat(applied.err()).startsWith("sluice: it is not known whether change 1 was released (run the same");
            assertThat(Set.copyOf(front.keys())).hasSize(2);
        }
        assertThat(run("apply").good().out()).isEqualTo("no change: version 1 has the rules of " + file + "\n");
    }

    private CommandRun through(LossyFront front) {
        return CommandRun.of("apply", file, "--center", front.address(), "--data", folder.resolve("data"));
    }

    /** A proxy in front of a center that loses the first answers to each change. */
    private static final class LossyFront implements AutoCloseable {

        private final HttpClient client = HttpClient.newHttpClient();
        private final List<String> keys = new CopyOnWriteArrayList<>();
        private final HttpServer server;
        private final URI center;
        private final int lost;
        private final String suffix;

        LossyFront(URI center, int lost) throws IOException {
            this(center, lost, "");
        }

        LossyFront(URI center, int lost, String suffix) throws IOException {
            this.center = center;
            this.lost = lost;
            this.suffix = suffix;
            this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", this::pass);
            server.start();
        }

        String address() {
            return "http://127.0.0.1:" + server.getAddress().getPort();
        }

        List<String> keys() {
            return keys;
        }

        private void pass(HttpExchange exchange) throws IOException {
            boolean isChange = exchange.getRequestMethod().equals("POST");
            HttpRequest.Builder request = HttpRequest.newBuilder(center.resolve(exchange.getRequestURI()))
                    .method(
                            exchange.getRequestMethod(),
                            HttpRequest.BodyPublishers.ofByteArray(
                                    exchange.getRequestBody().readAllBytes()));
            for (String name : List.of("Authorization", "Content-Type", "Idempotency-Key")) {
                String value = exchange.getRequestHeaders().getFirst(name);
                if (value != null) {
                    request.header(name, value);
                }
            }
            try {
                HttpResponse<byte[]> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
                String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
                if (isChange) {
                    keys.add(key);
                }
                boolean isLost = isChange
                        && exchange.getRequestURI().getPath().endsWith(suffix)
                        && keys.stream().filter(key::equals).count() <= lost;
                if (!isLost) {
                    exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
                    exchange.getResponseBody().write(answer.body());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private CommandRun run(String verb, Object... more) {
        Object[] all = new Object[more.length + 6];
        System.arraycopy(
                new Object[] {verb, file, "--center", center.address(), "--data", folder.resolve("data")},
                0,
                all,
                0,
                6);
        System.arraycopy(more, 0, all, 6, more.length);
        return CommandRun.of(all);
    }

    private void rules(int limit) throws IOException {
        Files.writeString(
                file,
                "rules:\n  - id: login\n    resource: /api/login\n    limits: [{ by: ip, limit: " + limit
                        + ", window: 1m }]\n");
    }

    private static String digest(CommandRun diff) {
        Matcher found = DIGEST.matcher(diff.out());
        assertThat(found.find()).isTrue();
        return found.group(1);
    }
}
