package io.sluice.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.sluice.node.config.NodeConfig;
import io.sluice.node.config.NodeConfig.RoutesFrom;
import io.sluice.node.config.NodeConfig.RulesFrom;
import io.sluice.node.config.TelemetrySettings;
import io.sluice.node.config.TelemetrySettings.Otlp;
import io.sluice.node.telemetry.OtlpServer;
import io.sluice.node.telemetry.OtlpServer.Seen;
import io.sluice.testkit.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Traces through a node: what it reads, what it tells its upstreams, and what a receiver of OTLP gets. */
@Timeout(600)
class TracingTest {

    /** Only ends tests that hang. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String OTHER_TRACE = "5bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";

    private static final String RULES = """
            rules:
              - { id: orders, resource: /orders, limits: [{ id: each, by: ip, limit: 1, window: 1d }] }
              - { id: open, resource: /open/**, limits: [{ by: ip, rate: 1000000/s }] }
              - { id: all, for: early, limits: [{ by: ip, limit: 1000000, window: 1m }] }
            """;

    private final List<Headers> forwarded = new CopyOnWriteArrayList<>();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private HttpServer upstream;

    @TempDir
    private Path folder;

    @BeforeEach
    void listen() throws IOException {
        upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        upstream.createContext("/", exchange -> {
            forwarded.add(exchange.getRequestHeaders());
            exchange.sendResponseHeaders(exchange.getRequestURI().getPath().contains("broken") ? 500 : 204, -1);
            exchange.close();
        });
        upstream.start();
    }

    @AfterEach
    void stop() {
        upstream.stop(0);
    }

    @Test
    void aGatewayCallIsATreeOfSpans() throws Exception {
        try (OtlpServer receiver = OtlpServer.start();
                Node node = start(to(receiver, 0))) {
            assertThat(get(node, "/orders?secret=s3cret", "traceparent", parent(TRACE, "01"), "tracestate", "a=b,c=d"))
                    .isEqualTo(204);
            Await.until(
                    "the spans of a call", PATIENCE, () -> receiver.spans(TRACE).size() == 3);
            Map<String, Seen> spans = receiver.spans(TRACE);
            Seen server = spans.get("HTTP GET /**");
            Seen decision = spans.get("sluice decision");
            Seen call = spans.get("HTTP GET goods");
            assertThat(server.parent()).isEqualTo(SPAN);
            assertThat(server.kind()).isEqualTo("SPAN_KIND_SERVER");
            assertThat(server.service()).isEqualTo("sluice-test");
            assertThat(server.attributes()).containsEntry("http.response.status_code", "204");
            assertThat(decision.parent()).isEqualTo(server.id());
            assertThat(call.parent()).isEqualTo(server.id());
            assertThat(call.kind()).isEqualTo("SPAN_KIND_CLIENT");
            // The upstream continues where the gateway's call began.
            assertThat(forwarded.get(0).get("Traceparent")).containsExactly("00-" + TRACE + "-" + call.id() + "-01");
            assertThat(forwarded.get(0).get("Tracestate")).containsExactly("a=b,c=d");

            assertThat(get(node, "/orders", "traceparent", parent(OTHER_TRACE, "01")))
                    .isEqualTo(429);
            Await.until(
                    "the spans of a refused call",
                    PATIENCE,
                    () -> receiver.spans(OTHER_TRACE).size() == 2);
            Map<String, Seen> refused = receiver.spans(OTHER_TRACE);
            assertThat(refused.get("HTTP GET /**").attributes()).containsEntry("http.response.status_code", "429");
            assertThat(forwarded).hasSize(1);
            assertThat(receiver.spans())
                    .filteredOn(span ->
                            span.trace().equals(OTHER_TRACE) && span.name().equals("sluice decision"))
                    .anySatisfy(span -> assertThat(span.attributes())
                            .containsEntry("sluice.rule", "orders")
                            .containsEntry("sluice.limit", "orders.each")
                            .containsEntry("sluice.outcome", "refused")
                            .containsEntry("sluice.mode", "local"));
            assertThat(receiver.spans().toString()).doesNotContain("s3cret").doesNotContain("127.0.0.1");
        }
    }

    @Test
    void aTraceThatIsNotSampledIsPassedOnAndNotExported() throws Exception {
        try (OtlpServer receiver = OtlpServer.start();
                Node node = start(to(receiver, 0))) {
            assertThat(get(node, "/open/a", "traceparent", parent(OTHER_TRACE, "00"), "tracestate", "a=b"))
                    .isEqualTo(204);
            assertThat(get(node, "/open/b")).isEqualTo(204);
            assertThat(forwarded.get(0).get("Traceparent")).containsExactly(parent(OTHER_TRACE, "00"));
            assertThat(forwarded.get(0).get("Tracestate")).containsExactly("a=b");
            assertThat(forwarded.get(1).getFirst("Traceparent")).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00");

            // It would have arrived before a later one.
            assertThat(get(node, "/open/c", "traceparent", parent(TRACE, "01"))).isEqualTo(204);
            Await.until("a later span", PATIENCE, () -> receiver.spans(TRACE).size() == 3);
            assertThat(receiver.spans())
                    .allSatisfy(span -> assertThat(span.trace()).isEqualTo(TRACE));
        }
    }

    @Test
    void aShareOfNewTracesIsRecorded() throws Exception {
        try (OtlpServer receiver = OtlpServer.start();
                Node node = start(to(receiver, 1))) {
            assertThat(get(node, "/open/broken", "tracestate", "from=nowhere")).isEqualTo(500);
            Await.until("spans", PATIENCE, () -> receiver.spans().size() >= 3);
            String told = forwarded.get(0).getFirst("Traceparent");
            assertThat(told).endsWith("-01");
            // Nobody can say what it means without the header that it belongs to.
            assertThat(forwarded.get(0).get("Tracestate")).isNull();
            Map<String, Seen> spans = receiver.spans(told.substring(3, 35));
            assertThat(spans.get("HTTP GET /**").parent()).isEmpty();
            assertThat(spans.get("HTTP GET goods").id()).isEqualTo(told.substring(36, 52));
        }
    }

    @Test
    void aNodeWithoutAReceiverPassesTracesOn() throws Exception {
        try (Node node = start(new TelemetrySettings(true, Optional.empty()))) {
            assertThat(get(node, "/open/a", "traceparent", parent(TRACE, "01"), "tracestate", "a=b"))
                    .isEqualTo(204);
            assertThat(forwarded.get(0).get("Traceparent")).containsExactly(parent(TRACE, "01"));
            assertThat(forwarded.get(0).get("Tracestate")).containsExactly("a=b");
            assertThat(get(node, "/open/a")).isEqualTo(204);
            assertThat(forwarded.get(1).getFirst("Traceparent")).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00");
        }
        try (Node node = start(TelemetrySettings.NONE)) {
            assertThat(get(node, "/open/a", "traceparent", parent(TRACE, "01"))).isEqualTo(204);
            assertThat(get(node, "/open/a", "tracestate", "a=b")).isEqualTo(204);
            assertThat(forwarded.get(2).get("Traceparent")).containsExactly(parent(TRACE, "01"));
            assertThat(forwarded.get(3).get("Traceparent")).isNull();
            assertThat(forwarded.get(3).get("Tracestate")).isNull();
        }
    }

    @Test
    void hostileHeadersBreakNothing() throws Exception {
        List<String> hostile = List.of(
                "00-" + TRACE + "-" + SPAN,
                "00-" + TRACE.toUpperCase(Locale.ROOT) + "-" + SPAN + "-01",
                "00-00000000000000000000000000000000-" + SPAN + "-01",
                "ff-" + TRACE + "-" + SPAN + "-01",
                "${jndi:ldap://evil}",
                "#{T(java.lang.Runtime)}",
                "<script>",
                "x".repeat(4_000));
        try (OtlpServer receiver = OtlpServer.start();
                Node node = start(to(receiver, 0))) {
            for (String text : hostile) {
                assertThat(get(node, "/open/a", "traceparent", text, "tracestate", text))
                        .isEqualTo(204);
            }
            assertThat(get(node, "/open/a", "traceparent", parent(TRACE, "01"), "traceparent", parent(TRACE, "01")))
                    .isEqualTo(204);
            assertThat(forwarded).hasSize(hostile.size() + 1).allSatisfy(headers -> {
                assertThat(headers.get("Traceparent")).hasSize(1);
                assertThat(headers.getFirst("Traceparent"))
                        .matches("00-[0-9a-f]{32}-[0-9a-f]{16}-00")
                        .doesNotContain(TRACE);
                assertThat(headers.get("Tracestate")).isNull();
            });
            for (String text : hostile) {
                assertThat(check(node, text).statusCode()).isEqualTo(200);
            }
            assertThat(receiver.spans()).isEmpty();
        }
    }

    @Test
    void theDecisionApiContinuesTheTraceOfItsCaller() throws Exception {
        try (OtlpServer receiver = OtlpServer.start();
                Node node = start(to(receiver, 1))) {
            assertThat(check(node, parent(TRACE, "01")).statusCode()).isEqualTo(200);
            Await.until(
                    "the spans of a check",
                    PATIENCE,
                    () -> receiver.spans(TRACE).size() == 2);
            Map<String, Seen> spans = receiver.spans(TRACE);
            assertThat(spans.get("HTTP POST /v1/check").parent()).isEqualTo(SPAN);
            assertThat(spans.get("sluice decision").parent())
                    .isEqualTo(spans.get("HTTP POST /v1/check").id());
            assertThat(spans.get("sluice decision").attributes()).containsEntry("sluice.rule", "open");

            // Envoy's protocol has no span of its own here.
            String question = "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"a\",\"value\":\"x\"}]}]}";
            assertThat(send(HttpRequest.newBuilder(api(node, "/json"))
                                    .header("traceparent", parent(OTHER_TRACE, "01"))
                                    .POST(BodyPublishers.ofString(question, StandardCharsets.UTF_8)))
                            .statusCode())
                    .isEqualTo(200);
            Await.until("the span of a question of Envoy", PATIENCE, () -> !receiver.spans(OTHER_TRACE)
                    .isEmpty());
            assertThat(receiver.spans(OTHER_TRACE)).containsOnlyKeys("sluice decision");
            assertThat(receiver.spans(OTHER_TRACE).get("sluice decision").parent())
                    .isEqualTo(SPAN);
        }
    }

    @Test
    void aReceiverMayBeAwayAndComeBack() throws Exception {
        Path headers = Files.writeString(folder.resolve("headers"), "# a token\nAuthorization: Bearer t0ken\n\n");
        OtlpServer receiver = OtlpServer.start();
        int port = receiver.port();
        try (Node node = start(to(receiver, Optional.of(headers), 0))) {
            receiver.close();
            Await.until("spans that nobody takes", PATIENCE, () -> {
                get(node, "/open/a", "traceparent", parent(OTHER_TRACE, "01"));
                return number(node, "rate_limit_spans_dropped_total") > 0;
            });
            receiver = startedAt(port);
            receiver.answer(503);
            double before = number(node, "rate_limit_spans_dropped_total");
            Await.until("spans that the receiver refuses", PATIENCE, () -> {
                get(node, "/open/a", "traceparent", parent(OTHER_TRACE, "01"));
                return number(node, "rate_limit_spans_dropped_total") > before;
            });
            receiver.answer(200);
            OtlpServer back = receiver;
            Await.until("spans again", PATIENCE, () -> {
                get(node, "/open/a", "traceparent", parent(TRACE, "01"));
                return !back.spans(TRACE).isEmpty();
            });
            assertThat(back.tokens()).isNotEmpty().allMatch("Bearer t0ken"::equals);
        } finally {
            receiver.close();
        }
    }

    /** Another process may use the port for a moment. */
    private static OtlpServer startedAt(int port) {
        AtomicReference<OtlpServer> started = new AtomicReference<>();
        Await.until("the port is free", PATIENCE, () -> {
            try {
                started.set(OtlpServer.start(port));
                return true;
            } catch (IOException e) {
                return false;
            }
        });
        return started.get();
    }

    @Test
    void metricsArrive() throws Exception {
        try (OtlpServer receiver = OtlpServer.start();
                Node node = start(to(receiver, 0))) {
            for (int i = 0; i < 5; i++) {
                assertThat(get(node, "/open/a")).isEqualTo(204);
            }
            Await.until("metrics of decisions", PATIENCE, () -> allowed(receiver) == 5);
            Metric duration = receiver.metrics().get("rate_limit_duration");
            assertThat(duration.getUnit()).isEqualTo("seconds");
            assertThat(duration.hasHistogram()).isTrue();
            assertThat(receiver.metrics()).containsKeys("rate_limit_rule_version", "rate_limit_spans_dropped");
            // A scrape shows the same.
            assertThat(scrape(node))
                    .contains("rate_limit_allowed_total{limit=\"open.0\",mode=\"local\",rule=\"open\"} 5.0");
        }
    }

    private static double allowed(OtlpServer receiver) {
        Metric metric = receiver.metrics().get("rate_limit_allowed");
        return metric == null
                ? 0
                : metric.getSum().getDataPointsList().stream()
                        .filter(point -> point.getAttributesList().stream()
                                .anyMatch(
                                        each -> each.getValue().getStringValue().equals("open")))
                        .mapToDouble(point -> point.getAsDouble())
                        .sum();
    }

    private static String parent(String trace, String flags) {
        return "00-" + trace + "-" + SPAN + "-" + flags;
    }

    private static TelemetrySettings to(OtlpServer receiver, double share) {
        return to(receiver, Optional.empty(), share);
    }

    private static TelemetrySettings to(OtlpServer receiver, Optional<Path> headers, double share) {
        return TelemetrySettings.to(
                new Otlp(receiver.endpoint(), headers, share, "sluice-test", true, Duration.ofSeconds(1)));
    }

    private Node start(TelemetrySettings telemetry) throws Exception {
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"),
                "routes:\n  - { path: /**, service: goods, upstreams: [\"http://127.0.0.1:"
                        + upstream.getAddress().getPort() + "\"], auth: open }\n");
        return Node.start(
                NodeConfig.inProcess(new RulesFrom.Text("rules", RULES), 0)
                        .withGateway(0, new RoutesFrom.File(config))
                        .withTelemetry(telemetry),
                () -> 0);
    }

    private int get(Node node, String path, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(node.gateway().orElseThrow().resolve(path));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return send(request).statusCode();
    }

    private HttpResponse<String> check(Node node, String traceparent) {
        return send(HttpRequest.newBuilder(api(node, "/v1/check"))
                .header("traceparent", traceparent)
                .POST(BodyPublishers.ofString(
                        "{\"attributes\":{\"path\":\"/open/a\",\"ip\":\"203.0.113.7\"}}", StandardCharsets.UTF_8)));
    }

    private static URI api(Node node, String path) {
        return URI.create("http://127.0.0.1:" + node.apiPort() + path);
    }

    private String scrape(Node node) {
        return send(HttpRequest.newBuilder(api(node, "/metrics"))).body();
    }

    private double number(Node node, String metric) {
        return scrape(node)
                .lines()
                .filter(line -> line.startsWith(metric + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(metric.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
