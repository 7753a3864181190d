package io.sluice.spring.named;

import java.util.List;

/** Thrown if the application names rules that are not in force: at startup for all of them, later by a call that needs one. */
public final class MissingRuleException extends IllegalStateException {

    private static final long serialVersionUID = 1;

    /**
     * @param missing a sentence for each rule: the place that names it, and the problem in the form {@code rule: id (expected:
     *     …)}
     */
    MissingRuleException(List<String> missing) {
        super(String.join("\n", missing));
    }
}
