package io.sluice.rules.document;

import io.sluice.rules.model.Action;
import io.sluice.rules.model.ProtocolScope;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlList;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** Reads protocol scopes with the readers on the class path. A scope without a reader is kept as it is written. */
final class ProtocolScopes {

    private static final List<ProtocolScopeReader> READERS =
            ServiceLoader.load(ProtocolScopeReader.class, ProtocolScopes.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private ProtocolScopes() {}

    static Optional<ProtocolScope> read(Fields rule, Action action, Errors errors) {
        if (!rule.hasAny(DocumentKeys.PROTOCOLS)) {
            return Optional.empty();
        }
        String key =
                DocumentKeys.PROTOCOLS.stream().filter(rule::has).findFirst().orElse("");
        for (String other : List.of("service", "resource", "methods", "match")) {
            if (rule.has(other)) {
                rule.refuseKey(
                        other,
                        other + ": not allowed together with " + key
                                + " (expected: none; the descriptors select the requests)");
            }
        }
        if (action == Action.DENY) {
            rule.refuseKey("action", "action: deny together with " + key + " (expected: limit or exempt)");
        }
        Optional<ProtocolScopeReader> reader =
                READERS.stream().filter(each -> each.key().equals(key)).findFirst();
        return reader.isPresent() ? reader.get().read(rule, action, errors) : unread(rule, key);
    }

    private static Optional<ProtocolScope> unread(Fields rule, String key) {
        YamlValue value = rule.value(key).orElse(null);
        if (value instanceof YamlMap map) {
            return Optional.of(new UnreadScope(key, plain(map)));
        }
        rule.error(key, key + ": " + (value == null ? "nothing" : value.shown()) + " (expected: a mapping)");
        return Optional.empty();
    }

    private static Map<String, @Nullable Object> plain(YamlMap map) {
        Map<String, @Nullable Object> content = new LinkedHashMap<>();
        for (YamlValue.Entry entry : map.entries()) {
            String name = entry.key() instanceof YamlScalar scalar
                    ? scalar.text()
                    : entry.key().shown();
            content.put(name, plain(entry.value()));
        }
        return Collections.unmodifiableMap(content);
    }

    private static @Nullable Object plain(YamlValue value) {
        if (value instanceof YamlMap map) {
            return plain(map);
        } else if (value instanceof YamlList list) {
            return list.items().stream().map(ProtocolScopes::plain).toList();
        }
        return ((YamlScalar) value).plain();
    }

    /** The content of a protocol scope whose module is not on the class path. */
    private record UnreadScope(String key, Map<String, @Nullable Object> content) implements ProtocolScope {

        @Override
        public String toString() {
            return content.toString();
        }
    }
}
