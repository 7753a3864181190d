package io.sluice.rules.document;

import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.YamlValue;
import java.util.List;

/**
 * Another format for rules: the configuration format of another program, which Sluice reads unchanged. Implementations are found
 * by {@link java.util.ServiceLoader}. Each file in a directory may use a different dialect. Stateless and thread-safe.
 */
public interface RuleDialect {

    /**
     * Returns whether a document is written in this dialect, judged by its shape alone. Never true for a document with {@code
     * rules}.
     */
    boolean recognises(YamlValue root);

    /**
     * Returns the rules of a document. They may be used only if no errors were added. The ids of a document's rules are always the same.
     */
    List<Placed> read(YamlValue root, Errors errors);

    /**
     * A rule and its place in the document.
     *
     * @param shown the rule's name for people, for the error message about a duplicate id
     */
    record Placed(Rule rule, Place place, String shown) {}
}
