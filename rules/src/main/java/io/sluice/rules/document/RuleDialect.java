package io.sluice.rules.document;

import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.YamlValue;
import java.util.List;

/**
 * Another way to write rules, that of a program whose configuration is to be read as it is. Found by {@link java.util.ServiceLoader};
 * a file of a directory may be in one dialect and the next in another. Stateless, safe for use by many threads.
 */
public interface RuleDialect {

    /** Whether a document is written in it, by its shape alone; never one with {@code rules}. */
    boolean recognises(YamlValue root);

    /** The rules of a document; to be used only if it added no errors. The same document gives the same ids. */
    List<Placed> read(YamlValue root, Errors errors);

    /**
     * A rule and where it stands.
     *
     * @param shown what people call it, for the error if there is another with its id
     */
    record Placed(Rule rule, Place place, String shown) {}
}
