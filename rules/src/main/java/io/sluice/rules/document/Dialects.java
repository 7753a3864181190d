package io.sluice.rules.document;

import io.sluice.rules.yaml.YamlValue;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The rule dialects on the class path. */
final class Dialects {

    private static final List<RuleDialect> ALL =
            ServiceLoader.load(RuleDialect.class, Dialects.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .toList();

    private Dialects() {}

    static Optional<RuleDialect> of(YamlValue root) {
        return ALL.stream().filter(dialect -> dialect.recognises(root)).findFirst();
    }
}
