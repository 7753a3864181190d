package io.sluice.envoy.descriptor;

import io.sluice.envoy.descriptor.EnvoyDescriptor.Entry;
import io.sluice.rules.document.ProtocolScopeReader;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.ProtocolScope;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads the field {@code envoy} of a rule: the descriptors that the rule applies to. Stateless. */
public final class DescriptorScopeReader implements ProtocolScopeReader {

    private static final List<String> KEYS =
            List.of("domain", "path", "unlimited", "name", "replaces", "quota", "detailed_metric", "metadata");
    private static final List<String> ENTRY_KEYS = List.of("key", "value", "share_threshold");

    @Override
    public String key() {
        return EnvoyDescriptor.KEY;
    }

    @Override
    public Optional<ProtocolScope> read(Fields rule, Action action, Errors errors) {
        return rule.fields(EnvoyDescriptor.KEY, KEYS).flatMap(fields -> descriptor(fields, action, errors));
    }

    private static Optional<ProtocolScope> descriptor(Fields fields, Action action, Errors errors) {
        long before = errors.count();
        String domain = required(fields, "domain");
        if (!fields.has("path")) {
            fields.error("path", "path: missing (expected: a list of entries, such as [{ key: user }])");
        }
        List<Entry> path = new ArrayList<>();
        for (YamlValue item : fields.list("path").orElse(List.of())) {
            Fields.of("path", item, ENTRY_KEYS, errors)
                    .flatMap(each -> entry(each, errors))
                    .ifPresent(path::add);
        }
        boolean unlimited = fields.flag("unlimited").orElse(false);
        if (unlimited && action != Action.EXEMPT) {
            fields.refuseKey("unlimited", "unlimited: together with limits (expected: action: exempt)");
        }
        Optional<String> name = fields.text("name");
        List<String> replaces = fields.words("replaces").orElse(List.of()).stream()
                .map(YamlScalar::text)
                .toList();
        boolean quota = fields.flag("quota").orElse(false);
        boolean detailed = fields.flag("detailed_metric").orElse(false);
        Map<String, @Nullable Object> metadata = DescriptorMetadata.read(fields, errors);
        return errors.count() == before
                ? built(
                        fields,
                        errors,
                        () -> new EnvoyDescriptor(domain, path, unlimited, name, replaces, quota, detailed, metadata))
                : Optional.empty();
    }

    private static Optional<Entry> entry(Fields fields, Errors errors) {
        long before = errors.count();
        String key = required(fields, "key");
        Optional<String> value = fields.text("value");
        boolean shared = fields.flag("share_threshold").orElse(false);
        return errors.count() == before ? built(fields, errors, () -> new Entry(key, value, shared)) : Optional.empty();
    }

    private static String required(Fields fields, String key) {
        if (!fields.has(key)) {
            fields.error(key, key + ": missing (expected: a text)");
        }
        return fields.text(key).orElse("");
    }

    private static <T> Optional<T> built(Fields fields, Errors errors, Supplier<T> made) {
        try {
            return Optional.of(made.get());
        } catch (IllegalArgumentException e) {
            errors.add(fields.place(), String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }
}
