package io.sluice.rules;

import io.sluice.core.Decision;
import io.sluice.core.spi.Label;
import java.util.ArrayList;
import java.util.List;

/**
 * What the shadow and candidate limits of a request said. Immutable.
 *
 * @param refused those that would have refused, in the order of their rules
 * @param decisions what the engines said
 */
record Shadows(List<Label> refused, List<Decision> decisions) {

    static final Shadows NONE = new Shadows(List.of(), List.of());

    Shadows {
        refused = List.copyOf(refused);
        decisions = List.copyOf(decisions);
    }

    /** These, and what was said of one more group of them. */
    Shadows and(Group group, List<Decision> said) {
        List<Label> labels = new ArrayList<>(refused);
        labels.addAll(group.refusing(said));
        List<Decision> all = new ArrayList<>(decisions);
        all.addAll(said);
        return new Shadows(labels, all);
    }
}
