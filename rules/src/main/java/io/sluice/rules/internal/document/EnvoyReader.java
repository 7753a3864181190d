package io.sluice.rules.internal.document;

import io.sluice.rules.Action;
import io.sluice.rules.EnvoyDescriptor;
import io.sluice.rules.EnvoyDescriptor.Entry;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes what a rule says of the descriptors it is for. */
final class EnvoyReader {

    private final Errors errors;

    EnvoyReader(Errors errors) {
        this.errors = errors;
    }

    Optional<EnvoyDescriptor> read(Fields rule, Action action) {
        if (!rule.has("envoy")) {
            return Optional.empty();
        }
        for (String key : List.of("service", "resource", "methods", "match")) {
            if (rule.has(key)) {
                rule.refuseKey(key, key + ": beside envoy (expected: none, its descriptors match)");
            }
        }
        if (action == Action.DENY) {
            rule.refuseKey("action", "action: deny beside envoy (expected: limit or exempt)");
        }
        return rule.fields("envoy", Keys.ENVOY).flatMap(fields -> descriptor(fields, action));
    }

    private Optional<EnvoyDescriptor> descriptor(Fields fields, Action action) {
        long before = errors.count();
        String domain = required(fields, "domain");
        if (!fields.has("path")) {
            fields.error("path", "path: missing (expected: a list of keys)");
        }
        List<Entry> path = new ArrayList<>();
        for (YamlValue item : fields.list("path").orElse(List.of())) {
            Fields.of("path", item, Keys.ENVOY_ENTRY, errors)
                    .flatMap(this::entry)
                    .ifPresent(path::add);
        }
        boolean unlimited = fields.flag("unlimited").orElse(false);
        if (unlimited && action != Action.EXEMPT) {
            fields.refuseKey("unlimited", "unlimited: with limits (expected: action: exempt)");
        }
        Optional<String> name = fields.text("name");
        List<String> replaces = fields.words("replaces").orElse(List.of()).stream()
                .map(YamlScalar::text)
                .toList();
        boolean quota = fields.flag("quota").orElse(false);
        boolean detailed = fields.flag("detailed_metric").orElse(false);
        return errors.count() == before
                ? built(fields, () -> new EnvoyDescriptor(domain, path, unlimited, name, replaces, quota, detailed))
                : Optional.empty();
    }

    private Optional<Entry> entry(Fields fields) {
        long before = errors.count();
        String key = required(fields, "key");
        Optional<String> value = fields.text("value");
        boolean shared = fields.flag("share_threshold").orElse(false);
        return errors.count() == before ? built(fields, () -> new Entry(key, value, shared)) : Optional.empty();
    }

    private static String required(Fields fields, String key) {
        if (!fields.has(key)) {
            fields.error(key, key + ": missing (expected: a text)");
        }
        return fields.text(key).orElse("");
    }

    private <T> Optional<T> built(Fields fields, java.util.function.Supplier<T> made) {
        try {
            return Optional.of(made.get());
        } catch (IllegalArgumentException e) {
            errors.add(fields.place(), String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }
}
