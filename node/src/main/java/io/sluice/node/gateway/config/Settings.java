package io.sluice.node.gateway.config;

import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.Spans;
import io.sluice.rules.yaml.YamlValue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;

/**
 * A mapping of the configuration. The mapping or any of its fields may be missing; the given default then applies. Errors are collected.
 *
 * @param file the configuration; relative paths in it are resolved against its directory
 * @param fields empty if the mapping is missing
 */
record Settings(Path file, Errors errors, Optional<Fields> fields) {

    /** Returns a nested mapping. */
    Settings in(String key, Collection<String> known) {
        return new Settings(file, errors, fields.flatMap(own -> own.fields(key, known)));
    }

    /** Returns a mapping that is an item of a list. */
    Settings of(String what, YamlValue value, Collection<String> known) {
        return new Settings(file, errors, Fields.of(what, value, known, errors));
    }

    boolean has(String key) {
        return fields.filter(own -> own.has(key)).isPresent();
    }

    Optional<String> text(String key) {
        return fields.flatMap(own -> own.text(key));
    }

    boolean flag(String key, boolean otherwise) {
        return fields.flatMap(own -> own.flag(key)).orElse(otherwise);
    }

    int whole(String key, int least, int most, int otherwise) {
        return fields.flatMap(own -> own.whole(key, least, most))
                .map(Long::intValue)
                .orElse(otherwise);
    }

    Duration span(String key, Duration shortest, Duration longest, Duration otherwise) {
        return fields.flatMap(own -> own.read(key, text -> Spans.of(key, text, shortest, longest)))
                .orElse(otherwise);
    }

    long size(String key, long least, long most, long otherwise) {
        return fields.flatMap(own -> own.read(key, text -> ByteSizes.of(key, text, least, most)))
                .orElse(otherwise);
    }

    Optional<Path> path(String key) {
        return text(key).map(this::beside);
    }

    Path beside(String path) {
        return file.toAbsolutePath().resolveSibling(path).normalize();
    }

    /** Reports an error at the value of a field, or at the place where the field is missing. */
    void error(String key, String message) {
        fields.ifPresent(own -> own.error(key, message));
    }

    /** Reports an error if a required field is missing. */
    void need(String key, String expected) {
        if (fields.isPresent() && !has(key)) {
            error(key, key + ": missing (expected: " + expected + ")");
        }
    }
}
