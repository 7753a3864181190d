package io.sluice.node.config;

import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.Spans;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * The settings of traces, and the destination of spans and metrics. Immutable.
 *
 * @param startTraces whether the gateway starts a trace for a request without one
 * @param otlp empty if nothing is sent
 */
public record TelemetrySettings(boolean startTraces, Optional<Otlp> otlp) {

    static final List<String> KEYS = List.of("start_traces", "otlp");

    /** Traces are passed on and not started; no data is sent. */
    public static final TelemetrySettings NONE = new TelemetrySettings(false, Optional.empty());

    /** The default share of new traces that are recorded. */
    public static final double USUAL_SHARE = 0.01;

    private static final List<String> OTLP_KEYS =
            List.of("endpoint", "headers_file", "share", "service_name", "metrics", "interval");
    private static final String USUAL_NAME = "sluice-node";
    private static final Duration USUAL_INTERVAL = Duration.ofSeconds(60);
    private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);
    private static final Duration LONGEST_INTERVAL = Duration.ofHours(1);
    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final int HIGHEST_PORT = 65_535;

    /**
     * A receiver of OTLP over HTTP.
     *
     * @param endpoint the address without {@code /v1/traces} and {@code /v1/metrics}
     * @param headersFile a file with headers that every call carries, such as a token
     * @param share the share of the traces started here that is recorded, from 0 to 1
     * @param serviceName the name under which the receiver shows the node
     * @param metrics whether metrics are also sent
     * @param interval the interval at which metrics are sent
     */
    public record Otlp(
            URI endpoint,
            Optional<Path> headersFile,
            double share,
            String serviceName,
            boolean metrics,
            Duration interval) {

        /** Returns the address of one kind of data, such as {@code traces}. */
        public String address(String kind) {
            String base = endpoint.toString();
            return (base.endsWith("/") ? base : base + "/") + "v1/" + kind;
        }
    }

    /** Returns settings that start traces and send them to a receiver. */
    public static TelemetrySettings to(Otlp receiver) {
        return new TelemetrySettings(true, Optional.of(receiver));
    }

    static TelemetrySettings of(Fields fields, Function<String, Path> beside, Errors errors) {
        Optional<Otlp> otlp = fields.fields("otlp", OTLP_KEYS).flatMap(own -> otlp(own, beside));
        return new TelemetrySettings(fields.flag("start_traces").orElse(otlp.isPresent()), otlp);
    }

    private static Optional<Otlp> otlp(Fields fields, Function<String, Path> beside) {
        if (!fields.has("endpoint")) {
            fields.error("endpoint", "endpoint: missing (expected: a URL such as http://127.0.0.1:4318)");
        }
        Optional<URI> endpoint = fields.read("endpoint", TelemetrySettings::endpoint);
        Optional<Path> headers = fields.text("headers_file").map(beside);
        double share = fields.decimal("share", value -> value >= 0 && value <= 1, "a number from 0 to 1, such as 0.01")
                .orElse(USUAL_SHARE);
        String name = fields.read("service_name", TelemetrySettings::name).orElse(USUAL_NAME);
        boolean metrics = fields.flag("metrics").orElse(true);
        Duration interval = fields.read(
                        "interval", text -> Spans.of("interval", text, SHORTEST_INTERVAL, LONGEST_INTERVAL))
                .orElse(USUAL_INTERVAL);
        return endpoint.map(url -> new Otlp(url, headers, share, name, metrics, interval));
    }

    private static String name(String text) {
        if (!NAME.matcher(text).matches()) {
            throw new IllegalArgumentException("service_name: " + PrintableText.text(text)
                    + " (expected: 1..100 letters, digits, dots, underscores or hyphens, such as sluice-node)");
        }
        return text;
    }

    private static URI endpoint(String text) {
        try {
            URI url = new URI(text);
            if (url.getScheme() != null
                    && SCHEMES.contains(url.getScheme())
                    && url.getHost() != null
                    && url.getPort() <= HIGHEST_PORT
                    && url.getRawUserInfo() == null
                    && url.getRawQuery() == null
                    && url.getRawFragment() == null) {
                return url;
            }
        } catch (URISyntaxException e) {
            // Reported below.
        }
        // The text may contain a password.
        String shown = text.contains("@") ? "not usable" : PrintableText.text(text);
        throw new IllegalArgumentException("endpoint: " + shown
                + " (expected: http:// or https:// without user, query and fragment, such as http://127.0.0.1:4318)");
    }
}
