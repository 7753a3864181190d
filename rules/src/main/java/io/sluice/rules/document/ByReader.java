package io.sluice.rules.document;

import io.sluice.rules.model.By;
import io.sluice.rules.pattern.AttributeNames;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the attributes that identify a caller: {@code by: user}, {@code by: [tenant, user]} and the dimensions of the founding
 * shape. An attribute with a fallback may be an attribute that no request has, as in the founding shape.
 */
final class ByReader {

    private ByReader() {}

    static List<By> by(Fields fields, Errors errors) {
        List<YamlValue> items = fields.oneOrMore("by").orElse(List.of());
        List<By> all = new ArrayList<>(items.size());
        for (YamlValue item : items) {
            Optional<By> read = item instanceof YamlMap
                    ? Fields.of("by", item, DocumentKeys.BY, errors)
                            .flatMap(each -> withOther(each, "attribute", "otherwise"))
                    : attribute("by", item, errors).map(By::attribute);
            if (read.isPresent()) {
                By by = read.get();
                if (by.otherwise().isEmpty()) {
                    Plausibility.warnUnknown("by", by.attribute(), item.place(), errors);
                }
                if (has(all, by.attribute())) {
                    errors.add(item.place(), "by: " + by.attribute() + " is listed twice (expected: once)");
                }
                all.add(by);
            }
        }
        return all;
    }

    private static boolean has(List<By> all, String attribute) {
        for (By by : all) {
            if (by.attribute().equals(attribute)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Reads a dimension of the founding shape. Requests are counted by the attribute that <i>field</i> names. A request without
     * this attribute is counted by the attribute that <i>type</i> names.
     */
    static List<By> dimension(Fields fields, Errors errors) {
        boolean both = fields.has("field") && fields.has("type");
        return (both
                        ? withOther(fields, "field", "type")
                        : withOther(fields, fields.has("field") ? "field" : "type", ""))
                .map(List::of)
                .orElse(List.of());
    }

    private static Optional<By> withOther(Fields fields, String key, String otherKey) {
        if (!fields.has(key)) {
            fields.error(key, key + ": missing (expected: an attribute, such as ip or user)");
            return Optional.empty();
        }
        Optional<String> attribute = name(fields, key);
        Optional<String> other = name(fields, otherKey);
        return attribute.map(name -> new By(name, other.filter(otherName -> !otherName.equals(name))));
    }

    private static Optional<String> name(Fields fields, String key) {
        return fields.read(key, text -> {
            String name = Attributes.normalisedName(text);
            if (!ConditionReader.isAttribute(name)) {
                throw Quantities.refused(key, text, "an attribute, such as ip or user");
            }
            AttributeNames.respelled(name)
                    .ifPresent(right -> fields.error(
                            key,
                            key + ": " + PrintableText.text(name) + " (expected: " + PrintableText.text(right) + ")"));
            return name;
        });
    }

    /** Reads the name of an attribute that identifies a caller. */
    static Optional<String> attribute(String key, YamlValue value, Errors errors) {
        return attribute(key, value, "an attribute, such as ip or user", errors);
    }

    /** Reads the name of an attribute. */
    static Optional<String> attribute(String key, YamlValue value, String expected, Errors errors) {
        String name = value instanceof YamlScalar word && !word.isNull() ? Attributes.normalisedName(word.text()) : "";
        if (!ConditionReader.isAttribute(name)) {
            errors.add(value.place(), key + ": " + value.shown() + " (expected: " + expected + ")");
            return Optional.empty();
        }
        Plausibility.refuseMisspelled(key, name, value.place(), errors);
        return Optional.of(name);
    }
}
