package io.sluice.envoy.descriptor;

import io.sluice.rules.document.RuleDialect;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.List;

/**
 * Configuration files of the reference service, {@code domain} and nested {@code descriptors}, as rules. Each descriptor with a limit
 * is a rule, and so is each that ends its branch without one: it keeps the limit of its key from values that are to pass.
 */
public final class ReferenceDialect implements RuleDialect {

    @Override
    public boolean recognises(YamlValue root) {
        return root instanceof YamlMap map && !has(map, "rules") && (has(map, "descriptors") || has(map, "domain"));
    }

    @Override
    public List<Placed> read(YamlValue root, Errors errors) {
        return new DescriptorReader(errors).read(root);
    }

    private static boolean has(YamlMap map, String key) {
        return map.entries().stream()
                .anyMatch(entry ->
                        entry.key() instanceof YamlScalar word && word.text().equals(key));
    }
}
