package io.sluice.rules.model;

import io.sluice.core.limit.Limit;
import java.util.List;

/**
 * One limit of a rule. Immutable.
 *
 * @param id the limit's name in reports, see {@link LimitName}
 * @param limit how much; counts are stored under its name, which does not depend on the limit's position
 * @param by the attributes that distinguish callers; if empty, the whole rule has one count
 * @param absent what to do if one of these attributes is missing
 * @param unread what to do if the rule needs a body field for this limit and the field could not be read
 * @param privacy how the values of these attributes are stored
 */
public record RuleLimit(
        String id, Limit limit, List<By> by, AbsentPolicy absent, UnreadPolicy unread, Privacy privacy) {

    public RuleLimit {
        by = List.copyOf(by);
    }

    /** Creates a limit that refuses requests whose body fields could not be read. */
    public RuleLimit(String id, Limit limit, List<By> by, AbsentPolicy absent, Privacy privacy) {
        this(id, limit, by, absent, UnreadPolicy.REFUSE, privacy);
    }
}
