package io.sluice.rules.yaml;

import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.DoublePredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one mapping, read by name. Unknown and duplicate keys are reported on construction. A field of the wrong type is
 * reported when it is read, and then counts as absent.
 */
public final class Fields {

    // A large set has hundreds of thousands of mappings, which are read right after the start, when lambdas are slow.
    // So the methods that every mapping needs have none.

    private final Place place;
    private final Errors errors;
    private final YamlScalar[] keys;
    private final YamlValue[] values;
    private int size;

    /** The bits of all keys. Most of the keys that a reader asks for are absent, and their bits usually show that. */
    private long bits;

    private Fields(Place place, int most, Errors errors) {
        this.place = place;
        this.errors = errors;
        this.keys = new YamlScalar[most];
        this.values = new YamlValue[most];
    }

    /**
     * Returns the fields of a mapping, or empty if the value is not a mapping.
     *
     * @param what the name of the mapping, for the error if the value is not a mapping
     * @param known every legal key, in the order in which errors list them
     */
    public static Optional<Fields> of(String what, YamlValue value, Collection<String> known, Errors errors) {
        return of(what, value, known, Map.of(), errors);
    }

    /**
     * Returns the fields of a mapping with special error messages for some illegal keys.
     *
     * @param refused the error message for each key that is legal elsewhere but not here
     */
    public static Optional<Fields> of(
            String what, YamlValue value, Collection<String> known, Map<String, String> refused, Errors errors) {
        if (!(value instanceof YamlMap map)) {
            errors.add(value.place(), what + ": " + value.shown() + " (expected: a mapping)");
            return Optional.empty();
        }
        List<Entry> entries = map.entries();
        Fields fields = new Fields(map.place(), Math.min(entries.size(), known.size()), errors);
        for (int i = 0; i < entries.size(); i++) {
            fields.put(entries.get(i), known, refused);
        }
        return Optional.of(fields);
    }

    private void put(Entry entry, Collection<String> known, Map<String, String> refused) {
        if (!(entry.key() instanceof YamlScalar key)) {
            errors.add(entry.key().place(), "key: " + entry.key().shown() + " (expected: a plain word)");
        } else if (!known.contains(key.text())) {
            String special = refused.get(key.text());
            errors.add(key.place(), special == null ? unknown(key.text(), known) : special);
        } else if (has(key.text())) {
            errors.add(key.place(), "duplicate key: " + key.text() + " (expected: each key once)");
        } else {
            keys[size] = key;
            values[size] = entry.value();
            size++;
            bits |= bit(key.text());
        }
    }

    private static long bit(String key) {
        int hash = key.hashCode();
        return 1L << (hash ^ hash >>> 6 ^ hash >>> 12);
    }

    private int index(String key) {
        if ((bits & bit(key)) != 0) {
            for (int i = 0; i < size; i++) {
                if (keys[i].text().equals(key)) {
                    return i;
                }
            }
        }
        return -1;
    }

    private @Nullable YamlValue get(String key) {
        int index = index(key);
        return index < 0 ? null : values[index];
    }

    private static String unknown(String key, Collection<String> known) {
        return "unknown key: " + PrintableText.text(key) + " (expected: "
                + Spelling.nearest(key, known)
                        .map(nearest -> "a known key; did you mean " + nearest + "?")
                        .orElse("one of " + String.join(", ", known))
                + ")";
    }

    /** Returns the document that contains the mapping. */
    public String file() {
        return errors.file();
    }

    /** Returns the start of the mapping. */
    public Place place() {
        return place;
    }

    public Optional<YamlValue> value(String key) {
        return Optional.ofNullable(get(key));
    }

    /** Returns the start of a field's value, or the start of the mapping if the field is absent. */
    public Place place(String key) {
        YamlValue value = get(key);
        return value == null ? place : value.place();
    }

    /** Reports an error at a field's key. */
    public void refuseKey(String key, String message) {
        int index = index(key);
        errors.add(index < 0 ? place : keys[index].place(), message);
    }

    /** Reports an error at a field's value. */
    public void error(String key, String message) {
        errors.add(place(key), message);
    }

    public boolean has(String key) {
        return index(key) >= 0;
    }

    /** Returns whether the mapping has at least one of these keys. */
    public boolean hasAny(Collection<String> some) {
        for (int i = 0; i < size; i++) {
            if (some.contains(keys[i].text())) {
                return true;
            }
        }
        return false;
    }

    /** Returns a single word, number or text, as written. */
    public Optional<String> text(String key) {
        YamlValue value = get(key);
        return value == null ? Optional.empty() : scalar(key, value, "a single value");
    }

    /**
     * Converts the field's text with {@code reader}. The reader throws {@link IllegalArgumentException} with the complete error
     * message for text that it cannot convert.
     */
    public <T> Optional<T> read(String key, Function<String, T> reader) {
        Optional<String> text = text(key);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(reader.apply(text.get()));
        } catch (IllegalArgumentException e) {
            error(key, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    public Optional<Boolean> flag(String key) {
        Optional<String> text = unquoted(key, "true or false");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        return switch (text.get()) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> refuse(key, text.get(), "true or false");
        };
    }

    /** Reads a whole number from {@code least} to {@code most}. */
    public Optional<Long> whole(String key, long least, long most) {
        if (!has(key)) {
            return Optional.empty();
        }
        String expected = least + ".." + most;
        Optional<String> text = unquoted(key, expected);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        OptionalLong number = Digits.whole(text.get());
        return number.isEmpty() || number.getAsLong() < least || number.getAsLong() > most
                ? refuse(key, text.get(), expected)
                : Optional.of(number.getAsLong());
    }

    /** Reads a share: more than 0, at most 1. */
    public Optional<Double> share(String key) {
        return decimal(key, number -> number > 0 && number <= 1, "more than 0 and at most 1, such as 0.5");
    }

    /** Reads a number that need not be whole. */
    public Optional<Double> decimal(String key, DoublePredicate legal, String expected) {
        Optional<String> text = unquoted(key, expected);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        OptionalDouble number = Digits.decimal(text.get());
        return number.isPresent() && legal.test(number.getAsDouble())
                ? Optional.of(number.getAsDouble())
                : refuse(key, text.get(), expected);
    }

    /** Returns whether a field is exactly this word. */
    public boolean isWord(String key, String word) {
        return get(key) instanceof YamlScalar scalar && scalar.text().equals(word);
    }

    /** Reads one of a few words. {@code words} maps each word to its meaning. */
    public <T> Optional<T> choice(String key, Map<String, T> words) {
        Optional<String> text = text(key);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        T meaning = words.get(text.get());
        return meaning == null ? refuse(key, text.get(), anyOf(words.keySet())) : Optional.of(meaning);
    }

    /** Reads a list; empty if the field is absent. */
    public Optional<List<YamlValue>> list(String key) {
        YamlValue value = get(key);
        if (value == null) {
            return Optional.empty();
        }
        return value instanceof YamlList list ? Optional.of(list.items()) : refuse(key, value.shown(), "a list");
    }

    /** Reads one word or a list with at least one word. */
    public Optional<List<YamlScalar>> words(String key) {
        YamlValue value = get(key);
        if (value == null) {
            return Optional.empty();
        }
        List<YamlValue> items = value instanceof YamlList list ? list.items() : List.of(value);
        List<YamlScalar> words = new ArrayList<>(items.size());
        for (YamlValue item : items) {
            if (!(item instanceof YamlScalar word)
                    || word.isNull()
                    || word.text().isEmpty()) {
                errors.add(item.place(), key + ": " + item.shown() + " (expected: one word or a list of words)");
                return Optional.empty();
            }
            words.add(word);
        }
        return words.isEmpty() ? refuse(key, "an empty list", "at least one, or no " + key) : Optional.of(words);
    }

    /** Reads one value or a list with at least one value. A value may be a mapping. */
    public Optional<List<YamlValue>> oneOrMore(String key) {
        YamlValue value = get(key);
        if (value == null) {
            return Optional.empty();
        }
        List<YamlValue> items = value instanceof YamlList list ? list.items() : List.of(value);
        return items.isEmpty() ? refuse(key, "an empty list", "at least one, or no " + key) : Optional.of(items);
    }

    /** Reads a mapping inside of this mapping. */
    public Optional<Fields> fields(String key, Collection<String> known) {
        YamlValue value = get(key);
        return value == null ? Optional.empty() : of(key, value, known, errors);
    }

    /**
     * Reads the entries of a mapping with arbitrary keys, in order. Duplicate keys and keys that are not scalars are reported and
     * left out.
     */
    public Optional<Map<YamlScalar, YamlValue>> entries(String key) {
        YamlValue value = get(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!(value instanceof YamlMap map)) {
            return refuse(key, value.shown(), "a mapping");
        }
        if (map.entries().size() == 1 && map.entries().get(0).key() instanceof YamlScalar only && !only.isNull()) {
            return Optional.of(Map.of(only, map.entries().get(0).value()));
        }
        Map<YamlScalar, YamlValue> entries = new LinkedHashMap<>();
        Set<String> seen = new HashSet<>();
        for (Entry entry : map.entries()) {
            if (!(entry.key() instanceof YamlScalar name) || name.isNull()) {
                errors.add(entry.key().place(), key + ": " + entry.key().shown() + " (expected: a plain word)");
            } else if (!seen.add(name.text())) {
                errors.add(name.place(), "duplicate key: " + name.shown() + " (expected: each key once)");
            } else {
                entries.put(name, entry.value());
            }
        }
        return Optional.of(entries);
    }

    /** Lists words as in a sentence: {@code a, b or c}. */
    public static String anyOf(Collection<String> words) {
        List<String> all = List.copyOf(words);
        int last = all.size() - 1;
        return last == 0 ? all.get(0) : String.join(", ", all.subList(0, last)) + " or " + all.get(last);
    }

    private Optional<String> unquoted(String key, String expected) {
        YamlValue value = get(key);
        if (value == null) {
            return Optional.empty();
        }
        if (value instanceof YamlScalar scalar && scalar.quoted()) {
            return refuse(key, '"' + scalar.shown() + '"', expected + ", without quotes");
        }
        return scalar(key, value, expected);
    }

    private Optional<String> scalar(String key, YamlValue value, String expected) {
        return value instanceof YamlScalar scalar && !scalar.isNull()
                ? Optional.of(scalar.text())
                : refuse(key, value.shown(), expected);
    }

    private <T> Optional<T> refuse(String key, String found, String expected) {
        error(key, key + ": " + PrintableText.text(found) + " (expected: " + expected + ")");
        return Optional.empty();
    }
}
