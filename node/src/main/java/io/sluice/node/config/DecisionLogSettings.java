package io.sluice.node.config;

import io.sluice.node.gateway.config.ByteSizes;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.Spans;
import io.sluice.runtime.decisions.DecisionSettings;
import io.sluice.runtime.decisions.DecisionSettings.Files;
import io.sluice.runtime.decisions.DecisionSettings.Kafka;
import io.sluice.runtime.decisions.DecisionSettings.Shares;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The section {@code decisions}: the destinations of a node's decision log. Immutable.
 *
 * @param log the settings of the log
 */
public record DecisionLogSettings(DecisionSettings log) {

    static final List<String> KEYS =
            List.of("dir", "max_size", "max_total", "keep", "share", "allowed_share", "rules", "kafka", "center");

    /** No files and no Kafka. The center gets its default sample. */
    public static final DecisionLogSettings NONE = new DecisionLogSettings(DecisionSettings.NONE);

    private static final List<String> FILE_KEYS = List.of("max_size", "max_total", "keep");
    private static final String SHARE = "share";
    private static final String ALLOWED_SHARE = "allowed_share";

    static DecisionLogSettings of(Fields fields, Function<String, Path> beside, Errors errors) {
        Shares usual = shares(fields, Shares.USUAL);
        double center = fields.fields("center", List.of(ALLOWED_SHARE))
                .flatMap(section -> share(section, ALLOWED_SHARE))
                .orElse(DecisionSettings.USUAL_ALLOWED_SHARE);
        return new DecisionLogSettings(new DecisionSettings(
                files(fields, beside), kafka(fields, beside), usual, rules(fields, usual, errors), center));
    }

    private static Optional<Files> files(Fields fields, Function<String, Path> beside) {
        if (!fields.has("dir")) {
            FILE_KEYS.stream()
                    .filter(fields::has)
                    .forEach(key -> fields.refuseKey(
                            key, key + ": without dir (expected: dir with a directory for files, or no " + key + ")"));
        }
        long size = fields.read("max_size", text -> ByteSizes.of("max_size", text, Files.LEAST_SIZE, Files.MOST_SIZE))
                .orElse(Files.USUAL_SIZE);
        long total = fields.read("max_total", text -> ByteSizes.of("max_total", text, size, Files.MOST_SIZE))
                .orElse(Math.max(size, Files.USUAL_TOTAL));
        var keep = fields.read("keep", text -> Spans.of("keep", text, Files.SHORTEST_KEEP, Files.LONGEST_KEEP))
                .orElse(Files.USUAL_KEEP);
        return fields.text("dir").map(dir -> new Files(beside.apply(dir), size, total, keep));
    }

    private static Optional<Kafka> kafka(Fields fields, Function<String, Path> beside) {
        return fields.fields("kafka", List.of("servers", "topic", "properties")).flatMap(kafka -> {
            if (!kafka.has("servers")) {
                kafka.error("servers", "servers: missing (expected: host:port, several with commas)");
            }
            Optional<Path> properties = kafka.text("properties").map(beside);
            String topic = kafka.read("topic", text -> new Kafka("localhost:9092", text, properties).topic())
                    .orElse(Kafka.USUAL_TOPIC);
            return kafka.read("servers", text -> new Kafka(text, topic, properties));
        });
    }

    private static Map<String, Shares> rules(Fields fields, Shares usual, Errors errors) {
        Map<String, Shares> rules = new LinkedHashMap<>();
        fields.entries("rules")
                .ifPresent(entries -> entries.forEach(
                        (rule, value) -> Fields.of(rule.text(), value, List.of(SHARE, ALLOWED_SHARE), errors)
                                .ifPresent(own -> rules.put(rule.text(), shares(own, usual)))));
        return rules;
    }

    private static Shares shares(Fields fields, Shares usual) {
        return new Shares(
                share(fields, SHARE).orElse(usual.refused()),
                share(fields, ALLOWED_SHARE).orElse(usual.allowed()));
    }

    private static Optional<Double> share(Fields fields, String key) {
        return fields.decimal(key, number -> number >= 0 && number <= 1, "0 to 1, such as 0.1");
    }
}
