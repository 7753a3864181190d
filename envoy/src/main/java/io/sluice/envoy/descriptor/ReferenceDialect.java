package io.sluice.envoy.descriptor;

import io.sluice.rules.document.RuleDialect;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlMap;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.util.List;

/**
 * Reads configuration files of the reference service, with {@code domain} and nested {@code descriptors}, as rules. Each
 * descriptor with a limit becomes a rule. So does each descriptor without a limit at the end of its branch: it lets its value
 * pass although the key has a limit.
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
