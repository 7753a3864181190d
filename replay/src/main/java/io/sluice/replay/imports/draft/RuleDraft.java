package io.sluice.replay.imports.draft;

import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A rule that is being written, with the notes about it. Not thread-safe. */
public final class RuleDraft {

    /** The keys before the conditions, in the order in which documents have them. */
    private static final List<String> ORDER = List.of("id", "name", "for", "enabled", "shadow", "resource", "methods");

    private final String id;
    private final Spot spot;
    private final DraftVolume volume;
    private final Map<String, YamlValue> fields = new LinkedHashMap<>();
    private final Map<String, YamlValue> match = new LinkedHashMap<>();
    private final List<YamlValue> limits = new ArrayList<>();
    private final List<YamlValue> overrides = new ArrayList<>();
    private final Map<String, YamlValue> handling = new LinkedHashMap<>();
    private final List<Note> notes = new ArrayList<>();

    RuleDraft(String id, Spot spot, DraftVolume volume) {
        this.id = id;
        this.spot = spot;
        this.volume = volume;
        fields.put("id", YamlText.text(id));
    }

    /** Returns the place of the original of the rule. */
    public Spot spot() {
        return spot;
    }

    /** Sets the display name, unless it equals the id. */
    public RuleDraft name(String name) {
        if (!name.equals(id)) {
            fields.put("name", YamlText.text(name));
        }
        return this;
    }

    /** Restricts the rule to code and routes that use it by its id. */
    public RuleDraft forCode() {
        fields.put("for", YamlText.text("code"));
        return this;
    }

    public RuleDraft disabled() {
        fields.put("enabled", YamlText.bare(false));
        return this;
    }

    /** Makes the rule observe only. */
    public RuleDraft shadow() {
        fields.put("shadow", YamlText.bare(true));
        return this;
    }

    public RuleDraft resource(String pattern) {
        fields.put("resource", YamlText.text(pattern));
        return this;
    }

    public RuleDraft methods(List<String> methods) {
        volume.add(methods.size());
        fields.put("methods", YamlText.list(methods));
        return this;
    }

    /** Adds a condition on an attribute. Values are patterns. */
    public RuleDraft match(String attribute, List<String> values) {
        volume.add(values.size());
        match.put(attribute, values.size() == 1 ? YamlText.text(values.get(0)) : YamlText.list(values));
        return this;
    }

    public RuleDraft limit(LimitDraft limit) {
        volume.add(1);
        limits.add(limit.value());
        return this;
    }

    /** Adds an override of the only limit for some callers. */
    public RuleDraft override(String attribute, List<String> values, Map<String, Object> numbers) {
        volume.add(values.size());
        YamlMap when = new YamlMap(
                Place.START,
                List.of(new Entry(
                        YamlText.text(attribute),
                        values.size() == 1 ? YamlText.text(values.get(0)) : YamlText.list(values))));
        List<Entry> entries = new ArrayList<>();
        entries.add(new Entry(YamlText.text("when"), when));
        new TreeMap<>(numbers)
                .forEach((key, value) -> entries.add(new Entry(
                        YamlText.text(key),
                        value instanceof String text ? YamlText.text(text) : YamlText.bare(value))));
        overrides.add(new YamlMap(Place.START, entries));
        return this;
    }

    /** Makes each process decide for itself. */
    public RuleDraft local() {
        handling.put("mode", YamlText.text("local"));
        return this;
    }

    public RuleDraft onFailure(String policy) {
        handling.put("on_failure", YamlText.text(policy));
        return this;
    }

    public RuleDraft comment(String message) {
        return comment(spot, message);
    }

    public RuleDraft comment(Spot at, String message) {
        volume.add(1);
        notes.add(new Note(Note.Severity.COMMENT, at, message));
        return this;
    }

    public RuleDraft warn(String message) {
        return warn(spot, message);
    }

    public RuleDraft warn(Spot at, String message) {
        volume.add(1);
        notes.add(new Note(Note.Severity.WARNING, at, message));
        return this;
    }

    boolean hasLimits() {
        return !limits.isEmpty();
    }

    List<Note> notes() {
        return notes;
    }

    YamlMap value() {
        List<Entry> entries = new ArrayList<>();
        for (String key : ORDER) {
            YamlValue value = fields.get(key);
            if (value != null) {
                entries.add(new Entry(YamlText.text(key), value));
            }
        }
        if (!match.isEmpty()) {
            List<Entry> conditions = new ArrayList<>();
            match.forEach((key, value) -> conditions.add(new Entry(YamlText.text(key), value)));
            entries.add(new Entry(YamlText.text("match"), new YamlMap(Place.START, conditions)));
        }
        entries.add(new Entry(YamlText.text("limits"), new YamlList(Place.START, limits)));
        if (!overrides.isEmpty()) {
            entries.add(new Entry(YamlText.text("overrides"), new YamlList(Place.START, overrides)));
        }
        handling.forEach((key, value) -> entries.add(new Entry(YamlText.text(key), value)));
        return new YamlMap(Place.START, entries);
    }
}
