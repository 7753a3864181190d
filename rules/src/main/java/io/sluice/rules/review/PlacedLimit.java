package io.sluice.rules.review;

import io.sluice.core.limit.Limit;
import io.sluice.rules.changes.LimitWords;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.UnreadPolicy;
import java.time.Instant;

/**
 * A limit and its place in the set. Immutable.
 *
 * @param position the position of the rule in the set
 * @param index the index of the limit in the rule
 */
record PlacedLimit(Rule rule, int position, RuleLimit limit, int index) {

    String named() {
        return LimitWords.named(rule.id(), limit, false);
    }

    boolean isBefore(PlacedLimit other) {
        return position != other.position ? position < other.position : index < other.index;
    }

    /** Returns whether both limits count the same requests in the same way, so that one of them always decides. */
    boolean isSameAs(PlacedLimit other) {
        Limit own = limit.limit();
        Limit others = other.limit.limit();
        return limit.by().equals(other.limit.by())
                && limit.absent() == other.limit.absent()
                && limit.cost().equals(other.limit.cost())
                && rule.handling().mode() == other.rule.handling().mode()
                && own.shape().equals(others.shape())
                && (StricterLimit.isAtLeast(own, others) || StricterLimit.isAtLeast(others, own));
    }

    /**
     * Returns whether this limit provably refuses whenever the other does. Its rule must match all requests that the rule of the other
     * limit matches, and it must count by the same attributes or by none.
     */
    boolean hides(PlacedLimit other, Instant now) {
        return StricterLimit.isAtLeast(limit.limit(), other.limit.limit())
                && countsAllOf(other)
                && chargesAs(other)
                && readsAllOf(other)
                && !isOverridden(now)
                && !other.isOverridden(now)
                && isDecidedWith(other);
    }

    private boolean countsAllOf(PlacedLimit other) {
        return limit.by().isEmpty()
                ? other.limit.by().isEmpty() || other.limit.absent() != AbsentPolicy.REFUSE
                : limit.by().equals(other.limit.by()) && limit.absent() == other.limit.absent();
    }

    /** Returns whether each request has the same cost under both limits, and is refused if it costs too much. */
    private boolean chargesAs(PlacedLimit other) {
        return limit.cost().equals(other.limit.cost())
                && limit.cost().filter(Cost.Always.class::isInstance).isEmpty();
    }

    /** Returns whether this limit also refuses each unreadable body that the other limit refuses. */
    private boolean readsAllOf(PlacedLimit other) {
        return other.limit.unread() != UnreadPolicy.REFUSE
                || BodyFields.of(other.rule, other.limit).isEmpty()
                || (limit.unread() == UnreadPolicy.REFUSE
                        && BodyFields.of(rule, limit).containsAll(BodyFields.of(other.rule, other.limit)));
    }

    private boolean isOverridden(Instant now) {
        return rule.overrides().stream()
                .anyMatch(override -> override.limit() == index
                        && override.until().filter(end -> !now.isBefore(end)).isEmpty());
    }

    /**
     * Returns whether one engine decides both limits together and exactly. Leases and guards are not exact, and a failing store must not
     * make the other limit refuse alone.
     */
    private boolean isDecidedWith(PlacedLimit other) {
        Handling own = rule.handling();
        Handling others = other.rule.handling();
        return own.mode() == others.mode()
                && own.mode() != Mode.LOCAL_DISTRIBUTED
                && others.guard().isEmpty()
                && others.onFailure().compareTo(own.onFailure()) <= 0;
    }
}
