package io.sluice.rules.document;

import io.sluice.rules.model.Condition;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads conditions such as {@code {attribute: value, attribute: [value, value]}}. */
final class ConditionReader {

    private static final int LONGEST_ATTRIBUTE = 128;
    private static final String OWN_PREFIX = "match.";

    private final String key;
    private final Errors errors;

    /** Creates a reader for the mapping under {@code key}. Errors name that key. */
    ConditionReader(String key, Errors errors) {
        this.key = key;
        this.errors = errors;
    }

    /** Returns the conditions by normalised attribute name; empty if the key is absent. */
    Map<String, Condition> read(Fields fields) {
        Map<YamlScalar, YamlValue> entries = fields.entries(key).orElse(null);
        if (entries == null) {
            return Map.of();
        }
        if (entries.isEmpty()) {
            fields.error(key, key + ": empty (expected: at least one condition, such as plan: vip)");
        }
        Map<String, Condition> conditions = new LinkedHashMap<>();
        for (Map.Entry<YamlScalar, YamlValue> entry : entries.entrySet()) {
            add(entry.getKey(), entry.getValue(), conditions);
        }
        return conditions;
    }

    /** Returns whether the text can be the name of an attribute. */
    static boolean isAttribute(String name) {
        if (name.isEmpty() || name.length() > LONGEST_ATTRIBUTE) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c == 0x7f) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlain(int c) {
        return c != '*' && c != '?' && c != '\\';
    }

    private void add(YamlScalar name, YamlValue value, Map<String, Condition> conditions) {
        String attribute = Attributes.normalisedName(name.text());
        if (!isAttribute(attribute)) {
            errors.add(name.place(), key + ": " + name.shown() + " (expected: an attribute, such as ip or user)");
        } else if (conditions.containsKey(attribute)) {
            errors.add(name.place(), key + ": " + name.shown() + " is listed twice (expected: once)");
        } else {
            Plausibility.refuseMisspelled(key, attribute, name.place(), errors);
            Plausibility.warnUnknown(key, attribute, name.place(), errors);
            List<YamlValue> items = value instanceof YamlList list ? list.items() : List.of(value);
            parse(attribute, value, items, conditions);
        }
    }

    private void parse(String attribute, YamlValue value, List<YamlValue> items, Map<String, Condition> conditions) {
        List<String> texts = new ArrayList<>(items.size());
        for (YamlValue item : items) {
            if (item instanceof YamlScalar word && !word.isNull()) {
                texts.add(word.text());
                if (attribute.equals("method") && word.text().chars().allMatch(ConditionReader::isPlain)) {
                    Plausibility.method(key + ".method", word.text(), word.place(), errors);
                }
            } else {
                errors.add(
                        item.place(),
                        key + "." + attribute + ": " + item.shown() + " (expected: a value or a list of values)");
                return;
            }
        }
        try {
            conditions.put(attribute, Condition.parse(attribute, texts));
        } catch (IllegalArgumentException e) {
            locate(attribute, value, items, texts, e);
        }
    }

    /** Reports each bad value at its own place. */
    private void locate(
            String attribute,
            YamlValue value,
            List<YamlValue> items,
            List<String> texts,
            IllegalArgumentException all) {
        long before = errors.count();
        for (int i = 0; i < items.size(); i++) {
            try {
                Condition.parse(attribute, List.of(texts.get(i)));
            } catch (IllegalArgumentException e) {
                errors.add(items.get(i).place(), message(e));
            }
        }
        if (errors.count() == before) {
            errors.add(value.place(), message(all));
        }
    }

    private String message(IllegalArgumentException e) {
        String message = String.valueOf(e.getMessage());
        return message.startsWith(OWN_PREFIX) ? key + "." + message.substring(OWN_PREFIX.length()) : message;
    }
}
