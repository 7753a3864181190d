package io.sluice.node.config;

import io.sluice.node.gateway.config.ByteSizes;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads the destinations of a center's audit log. */
final class SinkFields {

    private static final List<String> KINDS = List.of("file", "syslog", "kafka");
    private static final List<String> FILE_KEYS = List.of("file", "max_size", "keep");
    private static final List<String> SYSLOG_KEYS = List.of("syslog", "ca");
    private static final List<String> KAFKA_KEYS = List.of("kafka", "topic", "properties");
    private static final List<String> ALL_KEYS =
            List.of("file", "max_size", "keep", "syslog", "ca", "kafka", "topic", "properties");
    private static final long USUAL_SIZE = 100L << 20;
    private static final long LEAST_SIZE = 64L << 10;
    private static final long MOST_SIZE = 100L << 30;
    private static final int USUAL_KEEP = 10;
    private static final int MOST_KEPT = 1_000;
    private static final int MOST_SINKS = 20;
    private static final int HIGHEST_PORT = 65_535;
    private static final Pattern SERVERS = Pattern.compile("[^\\s,:@/]+:[0-9]{1,5}(,[^\\s,:@/]+:[0-9]{1,5})*");
    private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}");
    private static final Set<String> SCHEMES = Set.of("udp", "tcp", "tls");

    private final Function<String, Path> beside;
    private final Errors errors;
    private final Set<CenterSink> known = new HashSet<>();

    private SinkFields(Function<String, Path> beside, Errors errors) {
        this.beside = beside;
        this.errors = errors;
    }

    static List<CenterSink> read(Fields center, Function<String, Path> beside, Errors errors) {
        SinkFields reader = new SinkFields(beside, errors);
        List<CenterSink> sinks = new ArrayList<>();
        center.fields("audit", List.of("sinks")).flatMap(audit -> audit.list("sinks")).orElse(List.of()).stream()
                .map(reader::sink)
                .flatMap(Optional::stream)
                .forEach(sinks::add);
        if (sinks.size() > MOST_SINKS) {
            center.error("audit", "sinks: " + sinks.size() + " (expected: at most " + MOST_SINKS + ")");
        }
        return sinks;
    }

    private Optional<CenterSink> sink(YamlValue value) {
        Optional<Fields> read = Fields.of("sinks", value, ALL_KEYS, errors);
        if (read.isEmpty()) {
            return Optional.empty();
        }
        Fields fields = read.get();
        List<String> kinds = KINDS.stream().filter(fields::has).toList();
        if (kinds.size() != 1) {
            errors.add(
                    value.place(),
                    "sinks: " + (kinds.isEmpty() ? "neither" : "more than one of") + " file, syslog"
                            + (kinds.isEmpty() ? " nor" : " and")
                            + " kafka (expected: one of them, such as {file: audit.jsonl})");
            return Optional.empty();
        }
        Optional<CenterSink> sink =
                switch (kinds.get(0)) {
                    case "file" -> file(fields);
                    case "syslog" -> syslog(fields);
                    default -> kafka(fields);
                };
        if (sink.isPresent() && !known.add(sink.get())) {
            errors.add(value.place(), "sinks: the same one twice (expected: each once)");
            return Optional.empty();
        }
        return sink;
    }

    private Optional<CenterSink> file(Fields fields) {
        only(fields, FILE_KEYS);
        long size = fields.read("max_size", text -> ByteSizes.of("max_size", text, LEAST_SIZE, MOST_SIZE))
                .orElse(USUAL_SIZE);
        int keep = fields.whole("keep", 0, MOST_KEPT).map(Long::intValue).orElse(USUAL_KEEP);
        return fields.text("file").map(beside).map(path -> new CenterSink.File(path, size, keep));
    }

    private Optional<CenterSink> syslog(Fields fields) {
        only(fields, SYSLOG_KEYS);
        Optional<URI> address = fields.read("syslog", SinkFields::address);
        if (fields.has("ca")
                && address.isPresent()
                && !address.get().getScheme().equals("tls")) {
            fields.error("ca", "ca: without TLS (expected: syslog: tls://…, or no ca)");
        }
        return address.map(uri -> new CenterSink.Syslog(uri, fields.text("ca").map(beside)));
    }

    private Optional<CenterSink> kafka(Fields fields) {
        only(fields, KAFKA_KEYS);
        if (!fields.has("topic")) {
            fields.error("topic", "topic: missing (expected: the topic that gets the rows, such as sluice-audit)");
        }
        Optional<String> servers = matching(fields, "kafka", SERVERS, "host:port, several with commas");
        Optional<String> topic = matching(fields, "topic", TOPIC, "letters, digits, dots, _ and -");
        Optional<Path> properties = fields.text("properties").map(beside);
        return servers.flatMap(hosts -> topic.map(name -> new CenterSink.Kafka(hosts, name, properties)));
    }

    private static void only(Fields fields, List<String> own) {
        ALL_KEYS.stream()
                .filter(key -> fields.has(key) && !own.contains(key))
                .forEach(key -> fields.refuseKey(
                        key,
                        "unknown key: " + key + " of " + own.get(0) + " (expected: one of " + String.join(", ", own)
                                + ")"));
    }

    private static Optional<String> matching(Fields fields, String key, Pattern form, String expected) {
        return fields.read(key, text -> {
            if (form.matcher(text).matches()) {
                return text;
            }
            String shown = text.contains("@") ? "not usable" : PrintableText.text(text);
            throw new IllegalArgumentException(key + ": " + shown + " (expected: " + expected + ")");
        });
    }

    private static URI address(String text) {
        try {
            URI uri = new URI(text);
            if (SCHEMES.contains(uri.getScheme())
                    && uri.getHost() != null
                    && uri.getPort() > 0
                    && uri.getPort() <= HIGHEST_PORT
                    && uri.getRawUserInfo() == null
                    && String.valueOf(uri.getRawPath()).isEmpty()
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // Reported below.
        }
        String shown = text.contains("@") ? "not usable" : PrintableText.text(text);
        throw new IllegalArgumentException("syslog: " + shown
                + " (expected: udp://, tcp:// or tls:// with host and port, such as tls://log.example:6514)");
    }
}
