package io.sluice.node.gateway;

import static org.awaitility.Awaitility.await;

import io.sluice.testkit.redis.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two whole nodes on one Redis in front of a model server. */
@Timeout(300)
class TokensOnRedisTest {

    private static final String EVENTS = """
            data: {"choices":[{"delta":{"content":"Hi"}}],"usage":null}

            data: {"choices":[],"usage":%s}

            data: [DONE]

            """;

    /** The count starts fresh, and so few permits come back that none does during the test. */
    private static final String RULES = """
            rules:
              - id: tokens-%s
                limits:
                  - { id: all, rate: 1/d, burst: 500000, cost: { reserve: json.max_tokens, settle: answer.json.usage.total_tokens } }
            """;

    private static final int SILENT = 7;
    private static final int MODEST = 900;
    private static final int GREEDY = 800;

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    @Test
    void whatOneNodeSettlesTheOtherKnows() throws Exception {
        String rules = RULES.formatted(UUID.randomUUID());
        String redis = RedisServer.shared().uri();
        try (RawUpstream model = new RawUpstream(TokensOnRedisTest::answer);
                RunningGateway one = gateway("one", rules, model, redis);
                RunningGateway other = gateway("other", rules, model, redis)) {
            awaitMetric(one, SILENT, "reason=\"no-figure\"");
            awaitMetric(one, MODEST, "result=\"settled\"");
            awaitMetric(other, GREEDY, "result=\"settled\"");

            // A million tokens were used: the limit owes them, and both nodes know it.
            await().atMost(Duration.ofMinutes(1)).until(() -> ask(one, MODEST) == 429 && ask(other, MODEST) == 429);
        }
    }

    /** Answers on a connection: how much was used depends on what was asked for. */
    private static void answer(RawClient caller) throws Exception {
        while (true) {
            String asked = caller.message();
            if (asked.isEmpty()) {
                return;
            }
            String events = asked.endsWith(asking(SILENT))
                    ? EVENTS.formatted("null")
                    : EVENTS.formatted("{\"total_tokens\":" + (asked.endsWith(asking(GREEDY)) ? 1_000_000 : 120) + "}");
            caller.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: " + events.length()
                    + "\r\n\r\n" + events);
        }
    }

    /** Asks until the metrics say what became of it. A request that Redis did not decide in time reserves nothing. */
    private void awaitMetric(RunningGateway gateway, int tokens, String expected) {
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            ask(gateway, tokens);
            return metrics(gateway).contains(expected);
        });
    }

    private static String asking(int tokens) {
        return "{\"max_tokens\":" + tokens + "}";
    }

    private RunningGateway gateway(String name, String rules, RawUpstream upstream, String redis) throws Exception {
        Path own = Files.createDirectories(folder.resolve(name));
        return RunningGateway.onRedis(own, rules, upstream.origin().toString(), redis);
    }

    private int ask(RunningGateway gateway, int tokens) throws Exception {
        return http.send(
                        HttpRequest.newBuilder(
                                        URI.create("http://127.0.0.1:" + gateway.port() + "/v1/chat/completions"))
                                .version(HttpClient.Version.HTTP_1_1)
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(asking(tokens)))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private String metrics(RunningGateway gateway) throws Exception {
        return http.send(
                        HttpRequest.newBuilder(URI.create(
                                        "http://127.0.0.1:" + gateway.node().apiPort() + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
