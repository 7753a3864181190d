package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.spi.Label;
import java.util.ArrayList;
import java.util.List;

/**
 * The decisions of a request's shadow and candidate limits. Immutable.
 *
 * @param refused the limits that would have refused, in the order of their rules
 * @param decisions the decisions of the engines
 */
record ShadowDecisions(List<Label> refused, List<Decision> decisions) {

    static final ShadowDecisions NONE = new ShadowDecisions(List.of(), List.of());

    ShadowDecisions {
        refused = List.copyOf(refused);
        decisions = List.copyOf(decisions);
    }

    /** Returns these decisions plus the decisions of one more group. */
    ShadowDecisions and(LimitGroup group, List<Decision> said) {
        List<Label> labels = new ArrayList<>(refused);
        labels.addAll(group.refusing(said));
        List<Decision> all = new ArrayList<>(decisions);
        all.addAll(said);
        return new ShadowDecisions(labels, all);
    }
}
