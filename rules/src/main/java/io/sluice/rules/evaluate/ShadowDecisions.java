package io.sluice.rules.evaluate;

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
record ShadowDecisions(List<Label> refused, List<Decision> decisions) {

    static final ShadowDecisions NONE = new ShadowDecisions(List.of(), List.of());

    ShadowDecisions {
        refused = List.copyOf(refused);
        decisions = List.copyOf(decisions);
    }

    /** These, and what was said of one more group of them. */
    ShadowDecisions and(LimitGroup group, List<Decision> said) {
        List<Label> labels = new ArrayList<>(refused);
        labels.addAll(group.refusing(said));
        List<Decision> all = new ArrayList<>(decisions);
        all.addAll(said);
        return new ShadowDecisions(labels, all);
    }
}
