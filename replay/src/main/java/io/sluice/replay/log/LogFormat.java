package io.sluice.replay.log;

import io.sluice.rules.pattern.HostText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The format of the lines of a log: a named format, or a {@code log_format} of nginx. Immutable. */
public final class LogFormat {

    private static final String COMMON =
            "$remote_addr $ident $remote_user [$time_local] \"$request\" $status $body_bytes_sent";

    private static final String ENVOY =
            "[$start_time] \"$request\" $status $response_flags $bytes_received $bytes_sent $duration"
                    + " $upstream_time \"$x_forwarded_for\" \"$user_agent\" \"$x_request_id\" \"$authority\" \"$upstream_host\"";

    private static final String ALB =
            "$type $timestamp $elb $client_ip $target $duration_1 $duration_2 $duration_3 $status"
                    + " $target_status $received $sent \"$request\" \"$user_agent\" $cipher $protocol $group \"$x_amzn_trace_id\""
                    + " \"$domain_name\" \"$certificate\" $priority $time";

    private static final LogFormat SLUICE = new LogFormat("sluice");

    /** The named formats, in the order in which they are tried. */
    static final List<LogFormat> NAMED = List.of(
            SLUICE,
            new LogFormat("envoy-json"),
            new LogFormat("jsonl"),
            new LogFormat("alb"),
            new LogFormat("envoy"),
            new LogFormat("combined"),
            new LogFormat("common"),
            new LogFormat("csv"));

    private final String name;

    private LogFormat(String name) {
        this.name = name;
    }

    /**
     * Returns a format.
     *
     * @param text the name of a format, or a {@code log_format} of nginx such as {@code $remote_addr [$time_local] "$request"}
     * @throws IllegalArgumentException if it is neither
     */
    public static LogFormat of(String text) {
        Optional<LogFormat> named =
                NAMED.stream().filter(each -> each.name.equals(text)).findFirst();
        if (named.isPresent()) {
            return named.get();
        }
        if (text.indexOf('$') < 0) {
            throw new IllegalArgumentException("format: " + text + " (expected: " + String.join(", ", names())
                    + ", or a log_format of nginx such as '$remote_addr [$time_local] \"$request\"')");
        }
        LogFormat format = new LogFormat(text);
        Layout layout = new Layout(List.of());
        List<String> variables =
                LineTemplate.exact(text, new FieldSources(layout, Map.of())).names();
        if (variables.stream().noneMatch(each -> each.matches("time_local|time_iso8601|msec"))) {
            throw new IllegalArgumentException(
                    "format: no time (expected: $time_local, $time_iso8601 or $msec among its variables)");
        }
        return format;
    }

    /** Returns the names of all named formats. */
    public static List<String> names() {
        return NAMED.stream().map(LogFormat::name).sorted().toList();
    }

    /** Returns the name, or the {@code log_format} itself. */
    public String name() {
        return name;
    }

    /** Returns whether the log identifies callers by hashes only, as Sluice's own logs do. */
    boolean hashesCallers() {
        return name.equals("sluice");
    }

    /**
     * Returns a parser for one file.
     *
     * @throws IllegalArgumentException if the format lacks a field that the mapping names
     */
    LineParser parser(Layout layout, Map<String, String> mapping) {
        FieldSources sources = new FieldSources(layout, mapping);
        return switch (name) {
            case "sluice" -> new JsonLines(own(layout, mapping).all());
            case "envoy-json", "jsonl" -> new JsonLines(sources.all());
            case "csv" -> new CsvLines(sources, mapping);
            case "combined" ->
                known(LineTemplate.open(COMMON + " \"$http_referer\" \"$http_user_agent\"", sources, 9), mapping);
            case "common" -> known(LineTemplate.open(COMMON, sources, 7), mapping);
            case "envoy" -> known(LineTemplate.open(ENVOY, sources, 13), mapping);
            case "alb" -> known(LineTemplate.open(ALB, sources, 13), mapping);
            default -> known(LineTemplate.exact(name, sources), mapping);
        };
    }

    /** Returns a parser for a file whose format is certain. It skips the end of a line that has no wanted fields. */
    LineParser hurriedParser(Layout layout, Map<String, String> mapping) {
        LineParser parser = parser(layout, mapping);
        return parser instanceof LineTemplate template ? template.hurried() : parser;
    }

    private static LineParser known(LineTemplate template, Map<String, String> mapping) {
        List<String> names = template.names();
        mapping.forEach((attribute, source) -> {
            if (!names.contains(FieldSources.plain(source))) {
                throw new IllegalArgumentException(
                        "field " + attribute + ": " + source + " (expected: one of " + String.join(", ", names) + ")");
            }
        });
        return template;
    }

    /**
     * Returns the sources of Sluice's own logs. The decision log has hashed callers under {@code hashes}, and masked callers under {@code
     * dimensions}. A recording also has unmasked values under {@code attributes}.
     */
    private static FieldSources own(Layout layout, Map<String, String> mapping) {
        Map<String, List<String>> all = new HashMap<>();
        all.put("time", List.of("timestamp"));
        all.put("path", List.of("resource"));
        all.put("method", List.of("method", "hashes.method"));
        List<String> attributes = new ArrayList<>(layout.attributes());
        attributes.add("ip");
        attributes.add(HostText.ATTRIBUTE);
        attributes.forEach(each -> all.put(each, List.of("attributes." + each, "hashes." + each)));
        if (attributes.contains("service")) {
            all.put("service", List.of("service", "hashes.service"));
        }
        mapping.forEach((field, source) -> all.put(field, List.of(source)));
        return FieldSources.ofAll(layout, all);
    }

    @Override
    public String toString() {
        return name;
    }
}
