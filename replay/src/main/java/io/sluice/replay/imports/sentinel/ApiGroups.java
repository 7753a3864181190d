package io.sluice.replay.imports.sentinel;

import io.sluice.replay.imports.draft.PathScope;
import io.sluice.replay.imports.draft.RuleDraft;
import io.sluice.replay.imports.draft.Section;
import io.sluice.rules.yaml.YamlValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The API groups of a gateway, by name. Not thread-safe. */
final class ApiGroups {

    private static final long PREFIX = 1;
    private static final long REGEX = 2;

    private final Map<String, List<Section>> groups = new HashMap<>();

    void add(Section group) {
        String name = group.text("apiName", "");
        List<Section> items = groups.computeIfAbsent(name, any -> new ArrayList<>());
        items.addAll(group.sections("predicateItems"));
        for (Section item : List.copyOf(items)) {
            // Groups may contain groups of predicates.
            for (YamlValue inner : item.items("items")) {
                Section.of(inner, group.errors()).ifPresent(items::add);
            }
        }
    }

    /** Limits a rule to the paths of a group. Returns whether there is such a group. */
    boolean apply(String name, RuleDraft rule) {
        Optional<List<Section>> items = Optional.ofNullable(groups.get(name));
        items.ifPresent(found -> {
            PathScope paths = new PathScope();
            for (Section item : found) {
                item.text("pattern").ifPresent(pattern -> {
                    long strategy = item.whole("matchStrategy", 0);
                    if (strategy == PREFIX) {
                        paths.segments(pattern);
                    } else if (strategy == REGEX) {
                        paths.regex(pattern, true);
                    } else {
                        paths.exact(pattern);
                    }
                });
            }
            paths.applyTo(rule);
        });
        return items.isPresent();
    }
}
