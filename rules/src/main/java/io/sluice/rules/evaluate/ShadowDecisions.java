package io.sluice.rules.evaluate;

import io.sluice.core.spi.Label;
import io.sluice.rules.side.SideDecisions;
import java.util.ArrayList;
import java.util.List;

/**
 * The decisions of a request's shadow and candidate limits. Immutable.
 *
 * @param refused the limits that would have refused, in the order of their rules
 * @param decisions the decisions of the sides
 */
record ShadowDecisions(List<Label> refused, SideDecisions decisions) {

    static final ShadowDecisions NONE = new ShadowDecisions(List.of(), SideDecisions.NONE);

    ShadowDecisions {
        refused = List.copyOf(refused);
    }

    /** Returns these decisions plus the decisions of one more group. */
    ShadowDecisions and(LimitGroup group, SideDecisions said) {
        List<Label> labels = new ArrayList<>(refused);
        labels.addAll(group.refusing(said));
        return new ShadowDecisions(labels, decisions.and(said));
    }
}
