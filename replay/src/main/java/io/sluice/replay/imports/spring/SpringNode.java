package io.sluice.replay.imports.spring;

import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.Entry;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A property and the properties below it, while keys such as {@code a.b[0].c} are taken apart. Keys of lists are their positions.
 * Not thread-safe.
 */
final class SpringNode {

    private static final int DEEPEST = 50;

    private final Place place;
    private final Map<String, SpringNode> children = new LinkedHashMap<>();
    private @Nullable YamlScalar scalar;
    private boolean list;

    SpringNode(Place place) {
        this.place = place;
    }

    /** Sets a property by its whole key. */
    void put(String key, YamlScalar value) {
        at(key, value.place()).scalar = value;
    }

    /**
     * Adds a tree below a key.
     *
     * @param place the place of the key
     */
    void add(String key, YamlValue value, Place place) {
        SpringNode node = key.isEmpty() ? this : at(key, place);
        if (value instanceof YamlMap map) {
            for (Entry entry : map.entries()) {
                if (entry.key() instanceof YamlScalar name && !name.text().isEmpty()) {
                    node.add(name.text(), entry.value(), name.place());
                }
            }
        } else if (value instanceof YamlList items) {
            node.list = true;
            for (int i = 0; i < items.items().size(); i++) {
                YamlValue item = items.items().get(i);
                SpringNode child = node.child(String.valueOf(i), item.place());
                child.add("", item, item.place());
            }
        } else {
            node.scalar = (YamlScalar) value;
        }
    }

    private SpringNode at(String key, Place place) {
        SpringNode node = this;
        int depth = 0;
        for (String part : key.replace("]", "").split("[.\\[]", -1)) {
            boolean position = !part.isEmpty() && part.chars().allMatch(c -> c >= '0' && c <= '9');
            node.list |= position && key.contains("[" + part + "]");
            node = depth++ < DEEPEST ? node.child(part, place) : node;
        }
        return node;
    }

    private SpringNode child(String name, Place place) {
        return children.computeIfAbsent(name, any -> new SpringNode(place));
    }

    YamlValue value() {
        if (children.isEmpty() && scalar != null) {
            return new YamlScalar(scalar.place(), SpringFile.resolved(scalar.text()), scalar.quoted());
        }
        if (list) {
            List<YamlValue> items = new ArrayList<>();
            children.values().forEach(child -> items.add(child.value()));
            return new YamlList(place, items);
        }
        List<Entry> entries = new ArrayList<>();
        children.forEach(
                (name, child) -> entries.add(new Entry(new YamlScalar(child.place, name, true), child.value())));
        return new YamlMap(place, entries);
    }
}
