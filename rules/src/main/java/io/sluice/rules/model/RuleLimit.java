package io.sluice.rules.model;

import io.sluice.core.limit.Limit;
import java.util.List;

/**
 * One limit of a rule. Immutable.
 *
 * @param id as reports call it, see {@link LimitName}
 * @param limit how much; its name is what counts are filed under and does not depend on the limit's position
 * @param by the attributes that tell callers apart; none: one count for the whole rule
 * @param absent what counts when one of them is missing
 * @param privacy how their values are stored
 */
public record RuleLimit(String id, Limit limit, List<By> by, AbsentPolicy absent, Privacy privacy) {

    public RuleLimit {
        by = List.copyOf(by);
    }
}
