package io.sluice.envoy.descriptor;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the field {@code metadata} of a descriptor: any values, for the metadata of answers. Each field needs a new reader. */
final class DescriptorMetadata {

    static final String KEY = "metadata";

    /** The maximum length. The metadata is part of every answer, so it must stay small. */
    static final int LONGEST = 16_384;

    private final Errors errors;

    private DescriptorMetadata(Errors errors) {
        this.errors = errors;
    }

    /** Returns the values with their keys in order; empty if there are none, or if they are invalid. */
    static Map<String, @Nullable Object> read(Fields fields, Errors errors) {
        YamlValue value = fields.value(KEY).orElse(null);
        if (value == null || (value instanceof YamlScalar scalar && scalar.isNull())) {
            return Map.of();
        }
        if (!(value instanceof YamlMap map)) {
            fields.error(KEY, "metadata: " + value.shown() + " (expected: a mapping)");
            return Map.of();
        }
        Map<String, @Nullable Object> read = new DescriptorMetadata(errors).map(map);
        int length = JsonLine.of(read).length();
        if (length > LONGEST) {
            fields.error(KEY, "metadata: " + length + " characters as JSON (expected: at most " + LONGEST + ")");
            return Map.of();
        }
        return read;
    }

    private Map<String, @Nullable Object> map(YamlMap map) {
        Map<String, @Nullable Object> read = new TreeMap<>();
        for (YamlValue.Entry entry : map.entries()) {
            if (!(entry.key() instanceof YamlScalar key)) {
                errors.add(entry.key().place(), "metadata: " + entry.key().shown() + " (expected: a plain word)");
            } else if (read.containsKey(key.text())) {
                errors.add(key.place(), "duplicate key: " + key.shown() + " (expected: each key once)");
            } else {
                read.put(key.text(), value(entry.value()));
            }
        }
        return Collections.unmodifiableMap(read);
    }

    private @Nullable Object value(YamlValue value) {
        if (value instanceof YamlMap map) {
            return map(map);
        }
        if (value instanceof YamlList list) {
            List<@Nullable Object> items = new ArrayList<>(list.items().size());
            list.items().forEach(item -> items.add(value(item)));
            return Collections.unmodifiableList(items);
        }
        return ((YamlScalar) value).plain();
    }
}
