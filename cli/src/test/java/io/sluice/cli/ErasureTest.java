package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.testkit.Await;
import io.sluice.testkit.LiveFolder;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A center and two nodes that share a Redis forget a user. */
@Timeout(600)
class ErasureTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final String VALUE = "alice-4711";
    private static final String PASSWORD = "correct horse battery staple";
    private static final String RULES = """
            rules:
              - id: orders
                limits:
                  - { by: user, algorithm: fixed_window, limit: 1000, align: year, durable: true }
                  - { id: each, by: [tenant, user], algorithm: fixed_window, limit: 1000, align: year }
            """;

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    Path folder;

    private String token = "";

    @Test
    void oneCallRemovesTheCountsOfAUserEverywhere() throws Exception {
        RedisServer redis = RedisServer.shared();
        Path data = folder.resolve("center");
        try (Center center = Center.open(CenterSettings.embedded(data))) {
            Path tokenFile = data.resolve("admin-token");
            token = Files.readString(tokenFile).strip();
            Path rules = Files.writeString(folder.resolve("rules.yaml"), RULES);
            CommandRun.of("apply", rules, "--center", center.address(), "--data", data)
                    .good();
            try (Node one = Node.start(config("one", center, tokenFile, redis));
                    Node two = Node.start(config("two", center, tokenFile, redis))) {
                Await.until("both nodes count in Redis", PATIENCE, () -> {
                    for (Node node : new Node[] {one, two}) {
                        check(node, VALUE);
                        check(node, "bob");
                    }
                    return redis.command("KEYS", "*user=" + VALUE).list().size() == 2
                            && redis.command("KEYS", "*user=bob").list().size() == 2
                            && get(center, "/api/nodes").split("\"live\":true", -1).length == 3;
                });
                String asked = asAdministrator(
                        center,
                        "/api/erasures",
                        "{\"attribute\":\"user\",\"value\":\"" + VALUE
                                + "\",\"known\":{\"tenant\":\"acme\"},\"reason\":\"a request of the user\"}");
                assertThat(asked).doesNotContain(VALUE);
                String path = "/api/erasures/" + found("\"id\":(\\d+)", asked);
                Await.until("both nodes have answered", PATIENCE, () -> get(center, path)
                        .contains("\"state\":\"done\""));
                String done = get(center, path);
                assertThat(done).doesNotContain(VALUE);
                assertThat(done.split("\"state\":\"answered\"", -1)).as(done).hasSize(3);
                assertThat(Pattern.compile("\"counts\":(\\d+)")
                                .matcher(done)
                                .results()
                                .mapToLong(found -> Long.parseLong(found.group(1)))
                                .sum())
                        .as(done)
                        .isGreaterThanOrEqualTo(2);
                assertThat(redis.command("KEYS", "*" + VALUE + "*").list()).isEmpty();
                assertThat(redis.command("KEYS", "*user=bob").list()).hasSize(2);
            }
        }
        assertThat(LiveFolder.filesWith(folder, VALUE)).isEmpty();
    }

    private NodeConfig config(String name, Center center, Path tokenFile, RedisServer redis) {
        return NodeConfig.inProcess(new RulesFrom.Nowhere(), 0)
                .withCenter(CenterAddress.of(center.address().toString(), tokenFile))
                .withRedis(redis.uri())
                .withData(folder.resolve(name))
                .withRules(new RulesFrom.Center());
    }

    private static void check(Node node, String user) {
        send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.apiPort() + "/v1/check"))
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"attributes\":{\"user\":\"" + user + "\",\"tenant\":\"acme\"}}")));
    }

    private String get(Center center, String path) {
        return send(
                HttpRequest.newBuilder(URI.create(center.address() + path)).header("Authorization", "Bearer " + token));
    }

    /** Sends a request of a person who has just signed in, as a page of the center does. A token is not enough. */
    private String asAdministrator(Center center, String path, String body) {
        String made = send(
                HttpRequest.newBuilder(URI.create(center.address() + "/api/users"))
                        .header("Authorization", "Bearer " + token)
                        .header("Content-Type", "application/json")
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"user\":\"root\",\"email\":\"root@example.com\",\"roles\":[{\"role\":\"administrator\"}]}")));
        String link = found("\"link\":\"([^\"]+)\"", made);
        HttpResponse<String> chosen = answer(page(center, "/api/set-up")
                .POST(HttpRequest.BodyPublishers.ofString("{\"link\":\"" + link.substring(link.indexOf('#') + 1)
                        + "\",\"password\":\"" + PASSWORD + "\"}")));
        assertThat(chosen.statusCode()).as(chosen.body()).isLessThan(300);
        HttpResponse<String> signedIn = answer(page(center, "/api/session")
                .POST(HttpRequest.BodyPublishers.ofString("{\"user\":\"root\",\"password\":\"" + PASSWORD + "\"}")));
        String cookie = found("(sluice_session=[^;]+)", signedIn.headers().map().toString());
        String csrf = found(
                "\"csrf\":\"([^\"]+)\"",
                answer(page(center, "/api/session").header("Cookie", cookie)).body());
        HttpResponse<String> answer = answer(page(center, path)
                .header("Cookie", cookie)
                .header("X-CSRF-Token", csrf)
                .POST(HttpRequest.BodyPublishers.ofString(body)));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return answer.body();
    }

    private static HttpRequest.Builder page(Center center, String path) {
        return HttpRequest.newBuilder(URI.create(center.address() + path))
                .header("Origin", center.address().toString())
                .header("Sec-Fetch-Site", "same-origin")
                .header("Content-Type", "application/json");
    }

    private static String found(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern + " in " + text).isTrue();
        return matcher.group(1);
    }

    private static String send(HttpRequest.Builder request) {
        return answer(request).body();
    }

    private static HttpResponse<String> answer(HttpRequest.Builder request) {
        try {
            return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
