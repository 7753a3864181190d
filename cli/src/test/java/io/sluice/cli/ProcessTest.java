package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitServiceGrpc;
import io.grpc.CallOptions;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.sluice.node.gateway.spi.GatewayHandler;
import io.sluice.testkit.docs.Snippet;
import io.sluice.testkit.process.SelfSigned;
import io.sluice.testkit.redis.RedisServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the program as its users run it, in its own process. */
@Timeout(900)
class ProcessTest {

    private static final Pattern THROUGH = Pattern.compile("curl -i -X POST (http://127\\.0\\.0\\.1:\\d+/api/login)");
    private static final Pattern CURL = Pattern.compile("curl -i (http://127\\.0\\.0\\.1:\\d+/v1/check) -d '(.*)'");

    private static final Pattern GATEWAY = Pattern.compile("gateway +(http://127\\.0\\.0\\.1:\\d+)");

    private static final Pattern CENTER = Pattern.compile("center +GET +(http://127\\.0\\.0\\.1:\\d+)/api/rules");

    private static final Pattern HEALTH = Pattern.compile("GET +(http://127\\.0\\.0\\.1:\\d+/health)");

    private final List<Process> started = new ArrayList<>();

    @TempDir
    Path folder;

    @AfterEach
    void killWhatIsLeft() {
        started.forEach(Process::destroyForcibly);
    }

    /** One program, from its start to its end, and after the next start, which has a certificate. */
    @Test
    void startShowsCommandsThatAreRefusedAtTheSixthTryTakesAChangedRuleAndSigtermIsACleanStop() throws Exception {
        Process process = launch("start", "--api-port", "0");
        String screen = readUntil(process, "Ctrl-C stops it.");
        Matcher curl = CURL.matcher(screen);
        Matcher through = THROUGH.matcher(screen);
        assertThat(curl.find() && through.find()).isTrue();
        assertThat(screen.lines().filter(line -> line.contains("http://")).findFirst())
                .hasValueSatisfying(line -> assertThat(line).matches("  gateway +http://127\\.0\\.0\\.1:\\d+"));

        assertThat(sixTries(curl.group(1), curl.group(2)))
                .extracting(HttpResponse::statusCode)
                .containsExactly(200, 200, 200, 200, 200, 429);
        List<HttpResponse<String>> answers = sixTries(through.group(1), "");
        assertThat(answers).extracting(HttpResponse::statusCode).containsExactly(200, 200, 200, 200, 200, 429);
        assertThat(answers.get(0).body()).contains("from the sample service", "/api/login", "x-forwarded-for");
        assertThat(answers.get(5).body()).contains("\"rule\":\"login\"");
        changeARule(screen, curl.group(1), curl.group(2).replace("203.0.113.7", "203.0.113.8"));

        process.destroy();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        assertThat(Files.readString(folder.resolve("err"))).doesNotContain("\tat ", "warn", "error", "203.0.113.");

        SelfSigned maker = new SelfSigned(folder);
        maker.make("center");
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"),
                "center: { bind: 0.0.0.0, public_url: 'https://sluice.example',"
                        + " tls: { cert: center.crt, key: center.key } }\n");
        Process again = launch("start", "--api-port", "0", "--config", config.toString());
        assertThat(readUntil(again, "Ctrl-C stops it."))
                .as("the node trusts the certificate of its own center")
                .contains("GET  https://sluice.example/api/rules")
                .containsPattern("rules +from the center: 4 rules, version 2\n");
    }

    /** Allows one call instead of five, through the center of the program with this screen. */
    private void changeARule(String screen, String check, String call) throws Exception {
        assertThat(screen).containsPattern("rules +from the center: 7 rules, version 1\n");
        Matcher center = CENTER.matcher(screen);
        assertThat(center.find()).isTrue();
        assertThat(post(check, call).statusCode()).isEqualTo(200);
        Path shown = Files.writeString(folder.resolve("shown.yaml"), block("docs/how-to/center.md", "yaml", "rules:"));
        String plan = CommandRun.of("diff", shown, "--center", center.group(1), "--data", folder.resolve("data"))
                .good()
                .out();
        assertThat(block("docs/how-to/center.md", "text", "rules: "))
                .startsWith(plan.substring(0, plan.indexOf("apply: ")));
        Path changed =
                Files.writeString(folder.resolve("rules.yaml"), Sample.text().replace("limit: 5,", "limit: 1,"));

        CommandRun applied =
                CommandRun.of("apply", changed, "--center", center.group(1), "--data", folder.resolve("data"));

        assertThat(applied.good().out())
                .contains("login: limit by ip 5 per 1m → 1 per 1m", ": applied")
                .endsWith("done: every node runs version 2 (1 node)\n");
        // The node applied it before it said so, and the call above is the one that passes.
        assertThat(post(check, call).statusCode()).isEqualTo(429);
    }

    private static List<HttpResponse<String>> sixTries(String uri, String body) throws Exception {
        List<HttpResponse<String>> answers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            answers.add(post(uri, body));
        }
        return answers;
    }

    @Test
    void aCenterShowsWhereItsTokenIsAndSigtermIsACleanStop() throws Exception {
        Process process = launch("center", "--public-url", "https://sluice.example");
        String screen = readUntil(process, "Ctrl-C stops it.");
        Path token = folder.resolve("data").resolve("admin-token");

        assertThat(screen)
                .contains("GET  https://sluice.example/api/rules, with a token")
                .containsPattern("token +" + Pattern.quote(token.toString()))
                .doesNotContain(Files.readString(token).strip());
        assertThat(folder.resolve("data"))
                .as("no copy of the library of SQLite")
                .isDirectoryNotContaining("glob:**sqlite*");
        Matcher link = Pattern.compile("set up +https://sluice\\.example/set-up#([A-Za-z0-9_-]{43})")
                .matcher(screen);
        assertThat(link.find()).isTrue();
        assertThat(Files.readString(folder.resolve("err"))).doesNotContain(link.group(1));
        process.destroy();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        assertThat(Files.readString(folder.resolve("err"))).doesNotContain("warn", "error", "\tat ");
    }

    @Test
    void aStartWithAFileShowsItsRulesInTheCenterAndChangesNothing() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), "rules: [{ id: a, limits: [{ rate: 1 }] }]\n");
        Process process = launch("start", "--api-port", "0", "--rules", rules.toString());
        Matcher center = CENTER.matcher(readUntil(process, "Ctrl-C stops it."));
        assertThat(center.find()).isTrue();
        Object[] same = {"diff", rules, "--center", center.group(1), "--data", folder.resolve("data")};

        assertThat(CommandRun.of(same).good().out()).startsWith("no change: version 1 ");
        Path other = Files.writeString(folder.resolve("other.yaml"), "rules: [{ id: b, action: deny }]\n");
        CommandRun refused =
                CommandRun.of("apply", other, "--center", center.group(1), "--data", folder.resolve("data"));

        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).contains("sluice: the rules come from " + rules + ", so this center only shows them");
        Files.writeString(rules, "rules: [{ id: a, limits: [{ rate: 2 }] }]\n");
        await(() -> CommandRun.of(same).good().out().startsWith("no change: version 2 "));
    }

    /** One node, from its start to its end. */
    @Test
    void aNodeListensOnItsAddressesTakesChangesOfRoutesAndServesForTheStopDelayWhileItsHealthIs503() throws Exception {
        Path config = Files.writeString(folder.resolve("sluice.yaml"), "routes: []\n");
        Process process = launch(
                "node",
                "--api-port",
                "0",
                "--config",
                config.toString(),
                "--stop-delay",
                "1h",
                "--gateway-bind",
                "127.0.0.2",
                "--api-bind",
                "127.0.0.3",
                "--grpc-bind",
                "127.0.0.4");
        String screen = readUntil(process, "Ctrl-C stops it.");
        for (String row : List.of("gateway +http://(127.0.0.2)", "health .*http://(127.0.0.3)", "grpc (127.0.0.4)")) {
            Matcher address = Pattern.compile(row + ":(\\d+)").matcher(screen);
            assertThat(address.find()).as(row + " in " + screen).isTrue();
            new Socket(InetAddress.getByName(address.group(1)), Integer.parseInt(address.group(2))).close();
        }
        assertThat(Files.readString(folder.resolve("err"))).doesNotContain("warning");
        Matcher gateway = Pattern.compile("gateway +(http://\\S+)").matcher(screen);
        Matcher health = Pattern.compile("GET +(http://\\S+/health)").matcher(screen);
        assertThat(gateway.find() && health.find()).isTrue();
        assertThat(post(gateway.group(1) + "/x", "").statusCode()).isEqualTo(404);

        Files.writeString(config, "routes: [{ path: /a/**, upstreams: 'http://127.0.0.1:1' }]\n");
        await(() -> post(gateway.group(1) + "/a/x", "").statusCode() != 404);
        assertThat(post(gateway.group(1) + "/a/x", "").statusCode()).isBetween(502, 504);

        process.destroy();
        await(() -> get(health.group(1)).statusCode() == 503);
        assertThat(get(health.group(1)).body()).contains("stopping");
        assertThat(post(gateway.group(1) + "/x", "").statusCode()).isEqualTo(404);
        process.destroy();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(130);
    }

    @Test
    void aNodeWithoutRulesReportsThatAndTheFirstInterruptIsACleanStop() throws Exception {
        Process process = launch("node", "--api-port", "0");

        assertThat(readUntil(process, "Ctrl-C stops it."))
                .contains("none, every request is allowed: 0 rules, version 0")
                .contains("none, because the config has no routes")
                .doesNotContain("LOGBACK");

        signal(process, "INT");
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        assertThat(Files.readString(folder.resolve("err")))
                .matches(
                        "(?s)\\{\"time\":\"[^\"]+Z\",\"level\":\"warn\",\"logger\":\"io.sluice.runtime[^\"]*\",\"message\":\"no"
                                + " rules: every request is allowed.*");
    }

    @Test
    void theOldBindFlagMovesTheGatewayOnlyAndSaysSoAndALogOfTextHasNoJson() throws Exception {
        Path config = Files.writeString(folder.resolve("sluice.yaml"), "routes: []\n");
        Process process = launch(
                "node", "--api-port", "0", "--config", config.toString(), "--bind", "0.0.0.0", "--log-format", "text");

        assertThat(readUntil(process, "Ctrl-C stops it."))
                .containsPattern("gateway +http://0\\.0\\.0\\.0:")
                .contains("POST http://127.0.0.1:", "grpc 127.0.0.1:");
        assertThat(Files.readString(folder.resolve("err")).lines().filter(line -> line.startsWith("sluice: ")))
                .containsExactly("sluice: warning: --bind is deprecated and moves the gateway only;"
                        + " use --gateway-bind, --api-bind and --grpc-bind");
        process.destroy();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(folder.resolve("err")))
                .containsPattern("(?m)^\\d\\d:\\d\\d:\\d\\d WARN  no rules: every")
                .doesNotContain("{");
    }

    @Test
    void anInsecureApiWarnsAndALogOfErrorsHasNoWarnings() throws Exception {
        Process process = launch(
                "node",
                "--api-port",
                "0",
                "--api-bind",
                "0.0.0.0",
                "--grpc-bind",
                "0.0.0.0",
                "--insecure-api",
                "--log-level",
                "error");

        Matcher check = Pattern.compile("http://0.0.0.0:(\\d+)/v1/check, open to everybody")
                .matcher(readUntil(process, "Ctrl-C stops it."));
        assertThat(check.find()).isTrue();
        assertThat(post("http://127.0.0.1:" + check.group(1) + "/v1/check", "{\"attributes\": {}}")
                        .statusCode())
                .isEqualTo(200);
        process.destroy();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(folder.resolve("err")).lines())
                .containsExactly(
                        "sluice: warning: the decision API on 0.0.0.0 serves everybody who can reach it, because of"
                                + " --insecure-api",
                        "sluice: warning: the Envoy rate limit service on 0.0.0.0 serves everybody who can reach it,"
                                + " because of --insecure-api");
    }

    @Test
    void aTokenFileProtectsBothDoorsAndOpensThemToOtherMachines() throws Exception {
        Path tokens = Files.writeString(folder.resolve("tokens"), "# one\n0123456789abcdef\n");
        Process process = launch(
                "node",
                "--api-port",
                "0",
                "--api-bind",
                "0.0.0.0",
                "--grpc-bind",
                "0.0.0.0",
                "--api-token-file",
                tokens.toString());

        String screen = readUntil(process, "Ctrl-C stops it.");
        assertThat(screen)
                .containsPattern("grpc 0\\.0\\.0\\.0:\\d+, with a token")
                .contains("curl -i -H \"Authorization: Bearer $TOKEN\" http://0.0.0.0:");
        Matcher check =
                Pattern.compile("http://0.0.0.0:(\\d+)/v1/check, with a token").matcher(screen);
        assertThat(check.find()).isTrue();
        String address = "http://127.0.0.1:" + check.group(1) + "/v1/check";
        assertThat(post(address, "{\"attributes\": {}}").statusCode()).isEqualTo(401);
        HttpRequest known = HttpRequest.newBuilder(URI.create(address))
                .header("Authorization", "Bearer 0123456789abcdef")
                .POST(HttpRequest.BodyPublishers.ofString("{\"attributes\": {}}"))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(known, HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200);
        assertThat(Files.readString(folder.resolve("err"))).doesNotContain("warning", "0123456789abcdef");
    }

    @Test
    void aNodeWithoutRulesHasTheDefaultLimit() throws Exception {
        Process process = launch("node", "--api-port", "0", "--default-limit", "1/d");
        String screen = readUntil(process, "Ctrl-C stops it.");
        assertThat(screen).containsPattern("rules +none, the default limit of 1/d per address applies");
        Matcher curl = CURL.matcher(screen);
        assertThat(curl.find()).isTrue();

        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            statuses.add(post(curl.group(1), curl.group(2)).statusCode());
        }

        assertThat(statuses).containsExactly(200, 429);
        assertThat(post(curl.group(1), curl.group(2).replace("203.0.113.7", "203.0.113.8"))
                        .statusCode())
                .isEqualTo(200);
        assertThat(Files.readString(folder.resolve("err")))
                .contains("no rules: the default limit of 1/d per address applies; give a rule file with --rules FILE");
    }

    @Test
    void aStartWithoutItsFileExitsWith2() throws Exception {
        Process process = launch("node", "--api-port", "0", "--rules", "nowhere.yaml");

        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(2);
        assertThat(Files.readString(folder.resolve("err")).lines())
                .containsExactly(
                        "nowhere.yaml: file: missing (expected: a rule document)",
                        "sluice: rules: 1 error (expected: none; correct it and start again)");
    }

    @Test
    void withRedisAwayTheScreenSaysThatTheSampleRefuses() throws Exception {
        Path rules = Files.writeString(folder.resolve("sample.yaml"), Sample.text());
        Process process =
                launch("node", "--api-port", "0", "--rules", rules.toString(), "--redis", "redis://127.0.0.1:1");
        String screen = readUntil(process, "Ctrl-C stops it.");

        assertThat(screen)
                .contains("Try it: while Redis is unavailable, the rule login refuses every request")
                .doesNotContain("five requests are allowed");
        Matcher curl = CURL.matcher(screen);
        assertThat(curl.find()).isTrue();
        assertThat(post(curl.group(1), curl.group(2)).statusCode()).isEqualTo(429);
        assertThat(Files.readString(folder.resolve("err")))
                .contains("Connection refused")
                .doesNotContain("finishConnect");
    }

    @Test
    void anUnexpectedFailureOfTheStartExitsWith1() throws Exception {
        String lacking = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(part -> !part.contains("vertx-core"))
                .collect(Collectors.joining(File.pathSeparator));
        Process process = launch(true, ArchivedProgram.command(lacking), List.of("node", "--api-port", "0"));

        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
        assertThat(Files.readString(folder.resolve("err"))).contains("sluice: unexpected ", "please report it");
    }

    @Test
    void withBadRulesAtStartTheRulesOfTheLastRunApply() throws Exception {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), "rules: [{ id: a, limits: [{ rate: 1 }] }]");
        String[] node = {
            "node",
            "--api-port",
            "0",
            "--rules",
            rules.toString(),
            "--data",
            folder.resolve("data").toString()
        };
        Process first = launch(node);
        assertThat(readUntil(first, "Ctrl-C stops it.")).contains(rules + ": 1 rule, version 1\n");
        first.destroy();
        assertThat(first.waitFor(300, TimeUnit.SECONDS)).isTrue();

        Files.writeString(rules, "rules: nonsense");
        Process second = launch(node);

        assertThat(readUntil(second, "Ctrl-C stops it."))
                .contains(rules + ": 1 rule, version 1, kept from the last run\n");
        assertThat(Files.readString(folder.resolve("err")).lines())
                .singleElement()
                .asString()
                .contains(
                        "\"level\":\"warn\"",
                        rules + ":1:8: ",
                        "starting with the rules kept from the last run, version 1");
    }

    @Test
    void atNoLevelDoesTheLogShowSecretsOrTheRedisUriItsQueryAndFragment() throws Exception {
        try (RedisServer redis = RedisServer.start("--requirepass", "s3cret")) {
            String uri = "redis://:s3cret@127.0.0.1:" + redis.port() + "?password=s3cret#s3cret";
            Process process = launch("start", "--api-port", "0", "--log-level", "trace", "--redis", uri);
            String screen = readUntil(process, "Ctrl-C stops it.");
            Matcher curl = CURL.matcher(screen);
            assertThat(curl.find()).isTrue();
            post(curl.group(1), curl.group(2).replace("203.0.113.7", "203.0.113.99"));
            process.destroy();
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();

            assertThat(screen)
                    .contains("redis://***@127.0.0.1:" + redis.port() + "?***#***")
                    .doesNotContain("s3cret");
            assertThat(Files.readString(folder.resolve("err")))
                    .isNotEmpty()
                    .doesNotContain("s3cret", "203.0.113.99", "io.lettuce");
        }
    }

    @Test
    void logAndHealthSayThatRedisCameBackWithAnotherPassword() throws Exception {
        RedisServer redis = RedisServer.start("--requirepass", "first");
        try {
            Process process = launch("node", "--api-port", "0", "--redis", redis.uri());
            Matcher health = HEALTH.matcher(readUntil(process, "Ctrl-C stops it."));
            assertThat(health.find()).isTrue();
            await(() -> body(health.group(1)).contains("\"degraded\":null"));
            redis.close();
            ProcessBuilder other = new ProcessBuilder(
                    "redis-server",
                    "--port",
                    Integer.toString(redis.port()),
                    "--bind",
                    "127.0.0.1",
                    "--dir",
                    folder.toString(),
                    "--save",
                    "",
                    "--requirepass",
                    "second");
            started.add(other.redirectErrorStream(true)
                    .redirectOutput(folder.resolve("redis").toFile())
                    .start());

            await(() -> {
                String answer = body(health.group(1));
                return answer.contains("Redis is unavailable: WRONGPASS")
                        && answer.contains("\"degraded\":\"redis-wrongpass\"");
            });
            await(() -> Files.readString(folder.resolve("err"))
                    .contains("is unavailable (redis-wrongpass: WRONGPASS invalid username-password pair"));
        } finally {
            redis.close();
        }
    }

    @Test
    void theSecondInterruptEndsAtOnce() throws Exception {
        // A service that never answers: with a request in flight, the first stop lasts for as long as it takes.
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path config = Files.writeString(
                    folder.resolve("sluice.yaml"),
                    "gateway: { drain: 1h }\nroutes:\n  - { upstreams: 'http://127.0.0.1:" + silent.getLocalPort()
                            + "', timeout: 1h, idle_timeout: 1h }\n");
            Process hasty = launch("node", "--api-port", "0", "--config", config.toString());
            Matcher gateway = GATEWAY.matcher(readUntil(hasty, "Ctrl-C stops it."));
            assertThat(gateway.find()).isTrue();
            CompletableFuture<HttpResponse<Void>> unanswered = HttpClient.newHttpClient()
                    .sendAsync(
                            HttpRequest.newBuilder(URI.create(gateway.group(1))).build(),
                            HttpResponse.BodyHandlers.discarding());
            try (Socket held = silent.accept()) {
                assertThat(held.getInputStream().read()).isPositive();
                signal(hasty, "INT");
                readUntil(hasty, "stopping");
                signal(hasty, "INT");
                assertThat(hasty.waitFor(300, TimeUnit.SECONDS)).isTrue();
                assertThat(hasty.exitValue()).isEqualTo(130);
            }
            assertThat(unanswered).failsWithin(Duration.ofMinutes(1));
        }
    }

    /** Nobody reads the log, and every request through the gateway is logged: lines are dropped, but decisions continue. */
    @Test
    void anUnreadLogDelaysNoDecision() throws Exception {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(GatewayHandler.class.getName()), TalkativeHandler.class.getName());
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"), "rules: [{ id: none, limits: [{ limit: 0, window: 1h }] }]\n");
        Path config =
                Files.writeString(folder.resolve("sluice.yaml"), "routes: [{ upstreams: 'http://127.0.0.1:1' }]\n");
        Process process = launch(
                false,
                ArchivedProgram.shared().commandWith(folder),
                List.of(
                        "node",
                        "--api-port",
                        "0",
                        "--rules",
                        rules.toString(),
                        "--config",
                        config.toString(),
                        "--log-format",
                        "json"));
        String screen = readUntil(process, "Ctrl-C stops it.");
        Matcher gateway = GATEWAY.matcher(screen);
        Matcher health = HEALTH.matcher(screen);
        assertThat(gateway.find() && health.find()).isTrue();
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest logged = HttpRequest.newBuilder(URI.create(gateway.group(1)))
                .timeout(Duration.ofSeconds(60))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpRequest metrics = HttpRequest.newBuilder(URI.create(health.group(1).replace("/health", "/metrics")))
                .build();
        // A blocking log would hold up a decision forever once it is full.
        int decidedSinceFull = 0;
        for (int i = 0; decidedSinceFull < 1_000; i++) {
            assertThat(client.send(logged, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .isEqualTo(429);
            if (decidedSinceFull > 0) {
                decidedSinceFull++;
            } else if (i % 100 == 99 && dropped(client, metrics) > 0) {
                decidedSinceFull = 1;
            }
        }
        process.destroy();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    /** Each of these messages used to write 70 lines to standard error, which nobody reads here. */
    @Test
    void malformedGrpcMessagesStopNoCallEvenIfNobodyReadsTheLog() throws Exception {
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"),
                "domain: d\ndescriptors: [{ key: a, rate_limit: { unit: day, requests_per_unit: 1000000 } }]\n");
        Process process = launch(
                false,
                ArchivedProgram.shared().command(),
                List.of("node", "--api-port", "0", "--rules", rules.toString()));
        Matcher port = Pattern.compile("grpc 127\\.0\\.0\\.1:(\\d+)").matcher(readUntil(process, "Ctrl-C stops it."));
        assertThat(port.find()).isTrue();
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1", Integer.parseInt(port.group(1)), InsecureChannelCredentials.create())
                .build();
        MethodDescriptor<HealthCheckRequest, RateLimitResponse> malformed =
                RateLimitServiceGrpc.getShouldRateLimitMethod().toBuilder(
                                ProtoUtils.marshaller(HealthCheckRequest.getDefaultInstance()),
                                ProtoUtils.marshaller(RateLimitResponse.getDefaultInstance()))
                        .build();
        // As a RateLimitRequest, these bytes are a field 15 that ends too early.
        HealthCheckRequest message = HealthCheckRequest.newBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                2,
                                UnknownFieldSet.Field.newBuilder()
                                        .addLengthDelimited(ByteString.copyFrom(new byte[] {0x7a, 0x7f}))
                                        .build())
                        .build())
                .build();
        RateLimitRequest good = RateLimitRequest.newBuilder()
                .setDomain("d")
                .addDescriptors(RateLimitDescriptor.newBuilder()
                        .addEntries(RateLimitDescriptor.Entry.newBuilder()
                                .setKey("a")
                                .setValue("x")))
                .build();
        try {
            for (int i = 0; i < 500; i++) {
                assertThat(code(channel, malformed, message)).isEqualTo(Status.Code.INVALID_ARGUMENT);
            }
            assertThat(code(channel, RateLimitServiceGrpc.getShouldRateLimitMethod(), good))
                    .isEqualTo(Status.Code.OK);
        } finally {
            channel.shutdownNow();
        }
        process.destroy();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    /** On a busy machine a message may arrive too late; then it is sent once more. */
    private static <Q> Status.Code code(
            ManagedChannel channel, MethodDescriptor<Q, RateLimitResponse> method, Q message) {
        while (true) {
            try {
                ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, message);
                return Status.Code.OK;
            } catch (StatusRuntimeException e) {
                if (e.getStatus().getCode() != Status.Code.DEADLINE_EXCEEDED) {
                    return e.getStatus().getCode();
                }
            }
        }
    }

    private static double dropped(HttpClient client, HttpRequest metrics) throws Exception {
        return client.send(metrics, HttpResponse.BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith("sluice_log_dropped_total "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                .sum();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(condition);
    }

    private static String body(String uri) throws Exception {
        return get(uri).body();
    }

    private static HttpResponse<String> get(String uri) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static void signal(Process process, String name) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Returns the first block of a page in a language that starts with a text. */
    private static String block(String page, String language, String start) {
        return Snippet.of(Path.of("..").resolve(page)).stream()
                .filter(each -> each.language().equals(language) && each.text().startsWith(start))
                .findFirst()
                .orElseThrow()
                .text();
    }

    private Process launch(String... arguments) throws IOException, InterruptedException {
        return launch(true, ArchivedProgram.shared().command(), List.of(arguments));
    }

    private Process launch(boolean toFile, List<String> program, List<String> arguments) throws IOException {
        // A process started in the background ignores interrupts, and so does a JVM that it starts.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(program);
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        if (toFile) {
            builder.redirectError(folder.resolve("err").toFile());
        }
        builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
        builder.environment().put("SLUICE_GRPC_PORT", "0");
        builder.environment().put("SLUICE_GATEWAY_PORT", "0");
        builder.environment().put("SLUICE_CENTER_PORT", "0");
        builder.environment().put("SLUICE_STOP_DELAY", "0");
        if (!arguments.get(0).equals("node")) {
            builder.environment().put("SLUICE_DATA", folder.resolve("data").toString());
        }
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private static String readUntil(Process process, String last) throws IOException {
        StringBuilder text = new StringBuilder();
        BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            text.append(line).append('\n');
            if (line.equals(last)) {
                return text.toString();
            }
        }
        throw new AssertionError("the process ended after: " + text);
    }

    private static HttpResponse<String> post(String uri, String body) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(uri))
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
