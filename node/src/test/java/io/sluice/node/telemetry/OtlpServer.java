package io.sluice.node.telemetry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;

/** A small receiver of OTLP over HTTP, which keeps what it gets. Thread-safe. */
public final class OtlpServer implements AutoCloseable {

    private final HttpServer server;
    private final List<Seen> spans = new CopyOnWriteArrayList<>();
    private final Map<String, Metric> metrics = new ConcurrentHashMap<>();
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private volatile int status = 200;

    /** A span as it arrived. */
    public record Seen(
            String service,
            String trace,
            String id,
            String parent,
            String name,
            String kind,
            Map<String, String> attributes) {}

    private OtlpServer(HttpServer server) {
        this.server = server;
    }

    public static OtlpServer start() throws IOException {
        return start(0);
    }

    public static OtlpServer start(int port) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        OtlpServer own = new OtlpServer(server);
        server.createContext("/v1/traces", own::traces);
        server.createContext("/v1/metrics", own::metrics);
        server.start();
        return own;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + port());
    }

    /** Answers with this status from now on. */
    public void answer(int next) {
        status = next;
    }

    public List<Seen> spans() {
        return List.copyOf(spans);
    }

    /** Returns the spans of a trace, by their name. */
    public Map<String, Seen> spans(String trace) {
        Map<String, Seen> named = new TreeMap<>();
        spans.stream().filter(span -> span.trace().equals(trace)).forEach(span -> named.put(span.name(), span));
        return named;
    }

    public Map<String, Metric> metrics() {
        return Map.copyOf(metrics);
    }

    /** Returns the values of {@code Authorization}. */
    public List<String> tokens() {
        return List.copyOf(tokens);
    }

    private void traces(HttpExchange exchange) throws IOException {
        ExportTraceServiceRequest sent = ExportTraceServiceRequest.parseFrom(body(exchange));
        if (status == 200) {
            for (ResourceSpans resource : sent.getResourceSpansList()) {
                String service =
                        attributes(resource.getResource().getAttributesList()).get("service.name");
                resource.getScopeSpansList()
                        .forEach(scope -> scope.getSpansList().forEach(span -> spans.add(seen(service, span))));
            }
        }
        answer(exchange);
    }

    private void metrics(HttpExchange exchange) throws IOException {
        ExportMetricsServiceRequest sent = ExportMetricsServiceRequest.parseFrom(body(exchange));
        if (status == 200) {
            sent.getResourceMetricsList().forEach(resource -> resource.getScopeMetricsList()
                    .forEach(scope -> scope.getMetricsList().forEach(each -> metrics.put(each.getName(), each))));
        }
        answer(exchange);
    }

    private void answer(HttpExchange exchange) throws IOException {
        tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private static InputStream body(HttpExchange exchange) throws IOException {
        boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
        return packed ? new GZIPInputStream(exchange.getRequestBody()) : exchange.getRequestBody();
    }

    private static Seen seen(String service, Span span) {
        HexFormat hex = HexFormat.of();
        return new Seen(
                service,
                hex.formatHex(span.getTraceId().toByteArray()),
                hex.formatHex(span.getSpanId().toByteArray()),
                hex.formatHex(span.getParentSpanId().toByteArray()),
                span.getName(),
                span.getKind().name(),
                attributes(span.getAttributesList()));
    }

    private static Map<String, String> attributes(List<KeyValue> list) {
        Map<String, String> attributes = new TreeMap<>();
        list.forEach(each -> attributes.put(
                each.getKey(),
                each.getValue().hasIntValue()
                        ? Long.toString(each.getValue().getIntValue())
                        : each.getValue().getStringValue()));
        return attributes;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
