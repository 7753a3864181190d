package io.sluice.replay.imports.draft;

import io.sluice.rules.yaml.Digits;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A mapping of a foreign configuration, read by name. Unknown keys are ignored, because the original has many keys that do not concern
 * limits. A value of the wrong kind is an error.
 */
public final class Section {

    private static final long LARGEST = 1_000_000_000_000L;

    private final YamlMap map;
    private final Errors errors;
    private final boolean relaxed;
    private final Map<String, Entry> entries = new LinkedHashMap<>();

    private Section(YamlMap map, Errors errors, boolean relaxed) {
        this.map = map;
        this.errors = errors;
        this.relaxed = relaxed;
        for (Entry entry : map.entries()) {
            if (entry.key() instanceof YamlScalar key) {
                entries.putIfAbsent(name(key.text()), entry);
            }
        }
    }

    /** Returns a section whose keys are compared as they are written. */
    public static Optional<Section> of(YamlValue value, Errors errors) {
        return value instanceof YamlMap map ? Optional.of(new Section(map, errors, false)) : Optional.empty();
    }

    /** Returns a section whose keys are compared as Spring compares them: {@code burst-capacity} is {@code burstCapacity}. */
    public static Optional<Section> relaxed(YamlValue value, Errors errors) {
        return value instanceof YamlMap map ? Optional.of(new Section(map, errors, true)) : Optional.empty();
    }

    private String name(String key) {
        return relaxed ? key.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT) : key;
    }

    public Place place() {
        return map.place();
    }

    public Errors errors() {
        return errors;
    }

    /** Returns the place of a key, or the start of the section if it has no such key. */
    public Place place(String key) {
        Entry entry = entries.get(name(key));
        return entry == null ? map.place() : entry.key().place();
    }

    public boolean has(String key) {
        return value(key).isPresent();
    }

    /** Returns a value that is not null. */
    public Optional<YamlValue> value(String key) {
        return Optional.ofNullable(entries.get(name(key)))
                .map(Entry::value)
                .filter(value -> !(value instanceof YamlScalar scalar) || !scalar.isNull());
    }

    /** Returns the keys as they are written. */
    public List<YamlScalar> keys() {
        List<YamlScalar> keys = new ArrayList<>();
        entries.values().forEach(entry -> keys.add((YamlScalar) entry.key()));
        return keys;
    }

    public Optional<Section> section(String key) {
        Optional<YamlValue> value = value(key);
        if (value.isPresent() && !(value.get() instanceof YamlMap)) {
            refuse(value.get(), key, "a mapping");
        }
        return value.flatMap(this::section);
    }

    private Optional<Section> section(YamlValue value) {
        return value instanceof YamlMap inner ? Optional.of(new Section(inner, errors, relaxed)) : Optional.empty();
    }

    /** Follows keys from section to section. */
    public Optional<Section> path(String... keys) {
        Optional<Section> at = Optional.of(this);
        for (String key : keys) {
            at = at.flatMap(section -> section.section(key));
        }
        return at;
    }

    /** Returns the items of a list; a single value is a list of one. */
    public List<YamlValue> items(String key) {
        return value(key)
                .map(value -> value instanceof YamlList list ? list.items() : List.of(value))
                .orElse(List.of());
    }

    /** Returns the items of a list that are sections. */
    public List<Section> sections(String key) {
        List<Section> sections = new ArrayList<>();
        for (YamlValue item : items(key)) {
            section(item).ifPresentOrElse(sections::add, () -> refuse(item, key, "a mapping"));
        }
        return sections;
    }

    /** Returns the items of a list of words. */
    public List<String> texts(String key) {
        List<String> texts = new ArrayList<>();
        for (YamlValue item : items(key)) {
            if (item instanceof YamlScalar scalar) {
                texts.add(scalar.text());
            } else {
                refuse(item, key, "a value or a list of values");
            }
        }
        return texts;
    }

    public Optional<String> text(String key) {
        Optional<YamlValue> value = value(key);
        if (value.isPresent() && !(value.get() instanceof YamlScalar)) {
            refuse(value.get(), key, "a single value");
        }
        return value.filter(YamlScalar.class::isInstance).map(scalar -> ((YamlScalar) scalar).text());
    }

    public String text(String key, String otherwise) {
        return text(key).orElse(otherwise);
    }

    /** Returns whether a flag is set; the default if it is absent. */
    public boolean flag(String key, boolean otherwise) {
        Optional<String> text = text(key);
        if (text.isPresent() && !text.get().equals("true") && !text.get().equals("false")) {
            refuse(key, text.get(), "true or false");
        }
        return text.map("true"::equals).orElse(otherwise);
    }

    /** Returns a whole number that is not negative. */
    public Optional<Long> whole(String key) {
        return text(key).flatMap(text -> {
            if (Digits.whole(text).isEmpty()
                    || Digits.whole(text).getAsLong() < 0
                    || Digits.whole(text).getAsLong() > LARGEST) {
                refuse(key, text, "a whole number, 0.." + LARGEST);
                return Optional.empty();
            }
            return Optional.of(Digits.whole(text).getAsLong());
        });
    }

    public long whole(String key, long otherwise) {
        return whole(key).orElse(otherwise);
    }

    /** Returns a number that is not negative and need not be whole. */
    public Optional<BigDecimal> number(String key) {
        return text(key).flatMap(text -> {
            Optional<BigDecimal> number =
                    Amounts.number(text).filter(n -> n.signum() >= 0 && n.compareTo(BigDecimal.valueOf(LARGEST)) <= 0);
            if (number.isEmpty()) {
                refuse(key, text, "a number, 0.." + LARGEST);
            }
            return number;
        });
    }

    /** Reports an invalid value. */
    public void refuse(String key, String found, String expected) {
        errors.add(
                value(key).map(YamlValue::place).orElse(map.place()),
                PrintableText.text(key) + ": " + PrintableText.text(found) + " (expected: " + expected + ")");
    }

    private void refuse(YamlValue value, String key, String expected) {
        errors.add(value.place(), PrintableText.text(key) + ": " + value.shown() + " (expected: " + expected + ")");
    }
}
