package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Label;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Level;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.side.Side;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A limit of a matching rule, bound to one request: the numbers in force for the request, and the count that it uses. Immutable.
 *
 * @param numbers the limit's own numbers, or the numbers of an override
 * @param permits the permits that the request asks for, or its cost; with 0, the request only looks
 * @param keep the permits that the request leaves for other requests
 * @param demand the demand; null if the request is refused because it lacks an attribute that the limit counts by
 * @param side the side that decides the limit
 */
public record BoundLimit(
        Rule rule,
        RuleLimit limit,
        Limit numbers,
        boolean overridden,
        long permits,
        long keep,
        @Nullable Demand demand,
        Side side,
        boolean shadow) {

    Level level() {
        return rule.level(limit);
    }

    public Label label() {
        return demand == null ? label(rule, limit, side) : demand.label();
    }

    /** Returns the label of a rule's limit in reports. */
    static Label label(Rule rule, RuleLimit limit, Side side) {
        return new Label(rule.id(), limit.id(), side.mode(rule));
    }

    /** Returns whether both limits use the same count of the same side. */
    public boolean sharesCountWith(BoundLimit other) {
        return demand != null && other.demand != null && side == other.side && demand.sharesCountWith(other.demand);
    }

    /**
     * Returns whether the limit is asked for permits of this caller. A request may ask one limit for several callers, each with its own
     * key.
     */
    boolean asks(Label label, String key) {
        return demand != null && demand.label().equals(label) && demand.key().equals(key);
    }

    /** Returns whether the limit is charged in any case, even into debt, and never refuses a request that is charged. */
    boolean isUsage() {
        return limit.cost().isPresent() && limit.cost().get() instanceof Cost.Always;
    }

    /** Returns whether the limit's permits are held and must be released. */
    boolean isHeld() {
        return numbers.kind().holds();
    }

    /** Returns the same limit with another demand on the same count. */
    public BoundLimit with(Demand other, long permits, long keep) {
        return new BoundLimit(rule, limit, numbers, overridden, permits, keep, other, side, shadow);
    }

    public Ruling.Reported reported(long remaining, Optional<Duration> resetAfter) {
        return new Ruling.Reported(
                rule.id(), limit.id(), level(), numbers, attributes(limit.by()), remaining, resetAfter);
    }

    private static List<String> attributes(List<By> by) {
        return switch (by.size()) {
            case 0 -> List.of();
            case 1 -> List.of(by.get(0).attribute());
            default -> by.stream().map(By::attribute).toList();
        };
    }
}
