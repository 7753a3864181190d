package io.sluice.rules.yaml;

import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * A JSON object in a message from another program, read by name. Unknown fields are ignored, because the other program may be
 * newer. Known fields must have the right type: numbers are not in quotes, texts are. Immutable.
 *
 * <p>Use {@link Fields} for documents that people write.
 */
public final class JsonObject {

    private final Map<String, YamlValue> values;

    private JsonObject(Map<String, YamlValue> values) {
        this.values = values;
    }

    /**
     * Parses a message.
     *
     * @param mostCharacters the maximum length; a longer message is refused before it is parsed
     * @throws IllegalArgumentException if the message is not a JSON object
     */
    public static JsonObject parse(String text, int mostCharacters) {
        if (text.length() > mostCharacters) {
            throw new IllegalArgumentException(
                    "characters: " + text.length() + " (expected: at most " + mostCharacters + ")");
        }
        try {
            return of("message", JsonTree.read(text));
        } catch (UnreadableDocument e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static JsonObject of(String name, YamlValue value) {
        if (!(value instanceof YamlMap map)) {
            throw unexpected(name, value, "an object");
        }
        Map<String, YamlValue> values = new HashMap<>();
        for (Entry entry : map.entries()) {
            String key = ((YamlScalar) entry.key()).text();
            if (values.put(key, entry.value()) != null) {
                throw new IllegalArgumentException(
                        "duplicate field: " + PrintableText.text(key) + " (expected: each field once)");
            }
        }
        return new JsonObject(values);
    }

    /** Returns the text of a field. */
    public String text(String name) {
        return text(name, required(name));
    }

    /** Returns the text of a field; empty if it is null or absent. */
    public Optional<String> optionalText(String name) {
        YamlValue value = values.get(name);
        return value == null || (value instanceof YamlScalar scalar && scalar.isNull())
                ? Optional.empty()
                : Optional.of(text(name, value));
    }

    /** Returns a whole number from {@code least} to {@code most}. */
    public long whole(String name, long least, long most) {
        return whole(name, required(name), least, most);
    }

    private static long whole(String name, YamlValue value, long least, long most) {
        OptionalLong number = value instanceof YamlScalar scalar && !scalar.quoted()
                ? Digits.whole(scalar.text())
                : OptionalLong.empty();
        if (number.isEmpty() || number.getAsLong() < least || number.getAsLong() > most) {
            throw unexpected(name, value, "a number, " + least + ".." + most);
        }
        return number.getAsLong();
    }

    /** Returns whether a flag is set, or the default if it is absent. */
    public boolean flag(String name, boolean otherwise) {
        YamlValue value = values.get(name);
        if (value == null) {
            return otherwise;
        }
        if (value instanceof YamlScalar scalar
                && !scalar.quoted()
                && scalar.text().matches("true|false")) {
            return scalar.text().equals("true");
        }
        throw unexpected(name, value, "true or false");
    }

    /** Returns a list of whole numbers from 0. */
    public List<Long> wholes(String name) {
        return wholes(name, required(name));
    }

    /** Returns a list of lists of whole numbers from 0. */
    public List<List<Long>> rowsOfWholes(String name) {
        YamlValue value = required(name);
        if (!(value instanceof YamlList list)) {
            throw unexpected(name, value, "a list of lists of numbers");
        }
        return list.items().stream().map(row -> wholes(name, row)).toList();
    }

    private static List<Long> wholes(String name, YamlValue value) {
        if (!(value instanceof YamlList list)) {
            throw unexpected(name, value, "a list of numbers");
        }
        return list.items().stream()
                .map(item -> whole(name, item, 0, Long.MAX_VALUE))
                .toList();
    }

    /** Returns a list of texts. */
    public List<String> texts(String name) {
        YamlValue value = required(name);
        if (!(value instanceof YamlList list)) {
            throw unexpected(name, value, "a list of texts");
        }
        List<String> texts = new ArrayList<>();
        list.items().forEach(item -> texts.add(text(name, item)));
        return List.copyOf(texts);
    }

    public boolean isEmpty() {
        return values.isEmpty();
    }

    /** Returns the names of all fields. */
    public Set<String> names() {
        return Set.copyOf(values.keySet());
    }

    /** Returns whether there is a field of this name. */
    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** Returns a list of objects. */
    public List<JsonObject> objects(String name) {
        YamlValue value = required(name);
        if (!(value instanceof YamlList list)) {
            throw unexpected(name, value, "a list of objects");
        }
        return list.items().stream().map(item -> of(name, item)).toList();
    }

    /** Returns an object inside of this object; empty if it is null or absent. */
    public Optional<JsonObject> object(String name) {
        YamlValue value = values.get(name);
        return value == null || (value instanceof YamlScalar scalar && scalar.isNull())
                ? Optional.empty()
                : Optional.of(of(name, value));
    }

    private YamlValue required(String name) {
        YamlValue value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + ": missing (expected: a value)");
        }
        return value;
    }

    private static String text(String name, YamlValue value) {
        if (value instanceof YamlScalar scalar && scalar.quoted()) {
            return scalar.text();
        }
        throw unexpected(name, value, "a text");
    }

    private static IllegalArgumentException unexpected(String name, YamlValue value, String expected) {
        return new IllegalArgumentException(name + ": " + value.shown() + " (expected: " + expected + ")");
    }
}
