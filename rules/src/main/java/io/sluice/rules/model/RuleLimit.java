package io.sluice.rules.model;

import io.sluice.core.limit.Limit;
import io.sluice.rules.cost.Cost;
import java.util.List;
import java.util.Optional;

/**
 * One limit of a rule. Immutable.
 *
 * @param id the limit's name in reports, see {@link LimitName}
 * @param limit the algorithm and its numbers; counts are stored under its name, which does not depend on the limit's position
 * @param by the attributes that distinguish callers; if empty, the whole rule has one count
 * @param absent the policy if one of these attributes is missing
 * @param unread the policy if the rule needs a body field for this limit and the field could not be read
 * @param privacy the form in which the values of these attributes are stored
 * @param cost the cost of a request; if empty, the permits that the caller asks for
 * @param durable whether counts survive the loss of the shared store; only for windows that follow the calendar
 */
public record RuleLimit(
        String id,
        Limit limit,
        List<By> by,
        AbsentPolicy absent,
        UnreadPolicy unread,
        Privacy privacy,
        Optional<Cost> cost,
        boolean durable) {

    public RuleLimit {
        by = List.copyOf(by);
        if (cost.isPresent()) {
            cost.get().check(limit);
        }
        if (durable && !limit.followsCalendar()) {
            throw new IllegalArgumentException(
                    "durable: with " + limit + " (expected: a fixed_window that is aligned with the calendar)");
        }
    }

    /** Creates a limit without a cost of its own, whose counts may be lost with the store. */
    public RuleLimit(String id, Limit limit, List<By> by, AbsentPolicy absent, UnreadPolicy unread, Privacy privacy) {
        this(id, limit, by, absent, unread, privacy, Optional.empty(), false);
    }

    /** Creates a limit that refuses requests whose body fields could not be read. */
    public RuleLimit(String id, Limit limit, List<By> by, AbsentPolicy absent, Privacy privacy) {
        this(id, limit, by, absent, UnreadPolicy.REFUSE, privacy);
    }

    /** Returns this limit with other numbers. */
    public RuleLimit with(Limit numbers) {
        return new RuleLimit(id, numbers, by, absent, unread, privacy, cost, durable);
    }
}
