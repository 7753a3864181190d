package io.sluice.replay.log;

import static java.util.stream.Collectors.toMap;

import io.sluice.rules.pattern.HostText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The slots of the fields of a log: by the user's mapping, otherwise by the names that nginx, Envoy and most JSON logs use. Immutable. */
final class FieldSources {

    /** The usual names of each field, the best name first. */
    private static final Map<String, List<String>> USUAL = usual();

    private final Map<String, List<FieldTarget>> targets = new HashMap<>();

    /**
     * Creates sources.
     *
     * @param mapping the user's mapping from attributes to fields of the log; no other field supplies a mapped attribute
     */
    FieldSources(Layout layout, Map<String, String> mapping) {
        this(mapping.entrySet().stream().collect(toMap(Map.Entry::getKey, each -> List.of(each.getValue()))), layout);
    }

    /**
     * Returns sources.
     *
     * @param mapping the fields of the log for an attribute, the best field first
     */
    static FieldSources ofAll(Layout layout, Map<String, List<String>> mapping) {
        return new FieldSources(mapping, layout);
    }

    private FieldSources(Map<String, List<String>> mapping, Layout layout) {
        Map<String, List<String>> all = new LinkedHashMap<>(USUAL);
        for (String attribute : layout.attributes()) {
            List<String> names = new ArrayList<>(all.getOrDefault(attribute, List.of()));
            names.addAll(namesOf(attribute));
            all.put(attribute, names);
        }
        mapping.forEach((field, source) -> all.put(
                canonical(field), source.stream().map(FieldSources::plain).toList()));
        if (mapping.containsKey("path")) {
            all.remove("request");
        }
        if (mapping.containsKey("time")) {
            all.remove("end_time");
        }
        if (mapping.containsKey("duration")) {
            all.remove("duration_ms");
        }
        all.forEach((field, names) -> {
            int slot = layout.slot(field);
            for (int rank = 0; slot >= 0 && rank < names.size(); rank++) {
                targets.computeIfAbsent(names.get(rank), any -> new ArrayList<>())
                        .add(new FieldTarget(slot, rank));
            }
        });
    }

    /** Returns the slots that a field of the log goes to. */
    FieldTarget[] of(String source) {
        return targets.getOrDefault(source, List.of()).toArray(FieldTarget[]::new);
    }

    /** Returns all fields that go to a slot. */
    Map<String, List<FieldTarget>> all() {
        return targets;
    }

    /** Returns the name of a field without {@code $}, {@code $.} or braces in front of it. */
    static String plain(String source) {
        String name =
                source.startsWith("$.") ? source.substring(2) : source.startsWith("$") ? source.substring(1) : source;
        return name.startsWith("{") && name.endsWith("}") ? name.substring(1, name.length() - 1) : name;
    }

    private static String canonical(String field) {
        return field.equals(HostText.ATTRIBUTE) ? "host" : field;
    }

    private static List<String> namesOf(String attribute) {
        if (!attribute.startsWith("header.")) {
            return List.of(attribute);
        }
        String header = attribute.substring("header.".length());
        String lower = header.replace('-', '_');
        return List.of("http_" + lower, lower, header, attribute);
    }

    private static Map<String, List<String>> usual() {
        Map<String, List<String>> names = new LinkedHashMap<>();
        names.put("time", List.of("time", "start_time", "timestamp", "@timestamp", "ts", "datetime"));
        names.put("end_time", List.of("msec", "time_iso8601", "time_local"));
        names.put("duration", List.of("request_time", "duration_1"));
        names.put("duration_2", List.of("duration_2"));
        names.put("duration_3", List.of("duration_3"));
        names.put("duration_ms", List.of("duration_ms", "duration", "latency_ms"));
        names.put("request", List.of("request"));
        names.put("status", List.of("status", "response_code", "status_code"));
        names.put("permits", List.of("permits"));
        names.put("method", List.of("method", "request_method", "http_method"));
        names.put("path", List.of("request_uri", "path", "uri", "url", "resource"));
        names.put("query", List.of("args", "query_string", "query"));
        names.put("host", List.of("http_host", "host", "authority", "domain_name", "server_name"));
        names.put(
                "ip",
                List.of(
                        "ip",
                        "client_ip",
                        "remote_addr",
                        "remote_ip",
                        "clientip",
                        "downstream_remote_address",
                        "downstream_direct_remote_address",
                        "x_forwarded_for"));
        names.put("user", List.of("user", "remote_user", "user_id"));
        names.put("tenant", List.of("tenant", "tenant_id"));
        return Map.copyOf(names);
    }
}
