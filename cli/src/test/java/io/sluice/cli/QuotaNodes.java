package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Nodes with a durable quota of a million permits a year for each tenant, and what their callers see. */
final class QuotaNodes {

    /** Only ends tests that hang. */
    static final Duration PATIENCE = Duration.ofMinutes(5);

    static final long LIMIT = 1_000_000;

    static final String RULES = """
            rules:
              - id: quota
                deadline: 1m
                on_failure: closed
                limits: [{ id: year, by: tenant, algorithm: fixed_window, limit: 1000000, align: year, durable: true }]
            """;

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private QuotaNodes() {}

    /** Returns the configuration of a node in this process. */
    static NodeConfig config(RedisServer redis, Path data) {
        return NodeConfig.inProcess(new RulesFrom.Text("rules.yaml", RULES), 0)
                .withRedis(redis.uri())
                .withData(data);
    }

    static String address(Node node) {
        return "http://127.0.0.1:" + node.apiPort();
    }

    /** Asks for permits, and returns the answer. */
    static String check(String address, String tenant, long permits) {
        return send(HttpRequest.newBuilder(URI.create(address + "/v1/check"))
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"attributes\":{\"tenant\":\"" + tenant + "\"},\"permits\":" + permits + "}")));
    }

    /** Asks for a permit, which must be granted. */
    static void charge(String address, String tenant) {
        assertThat(check(address, tenant, 1)).contains("\"allowed\":true").contains("\"degraded\":null");
    }

    /** Returns what a tenant has used. Charges nothing. */
    static long used(String address, String tenant) {
        Matcher remaining = Pattern.compile("\"remaining\":(\\d+)").matcher(check(address, tenant, 0));
        assertThat(remaining.find()).isTrue();
        return LIMIT - Long.parseLong(remaining.group(1));
    }

    static double metric(String address, String name) {
        Matcher line =
                Pattern.compile("(?m)^" + name + "(?:\\{[^}]*})? (\\S+)$").matcher(get(address + "/metrics"));
        assertThat(line.find()).as(name).isTrue();
        return Double.parseDouble(line.group(1));
    }

    /** Waits until durable limits decide. */
    static void awaitRestored(String address) {
        await("durable limits decide", () -> metric(address, "rate_limit_durable_restored") == 1);
    }

    static String health(String address) {
        return get(address + "/health");
    }

    private static String get(String address) {
        return send(HttpRequest.newBuilder(URI.create(address)));
    }

    private static String send(HttpRequest.Builder request) {
        try {
            return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void await(String what, BooleanSupplier condition) {
        Await.until(what, PATIENCE, condition);
    }
}
