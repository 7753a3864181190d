package io.sluice.rules.snapshot;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.Clock;
import io.sluice.rules.internal.match.FirstMatch;
import io.sluice.rules.model.LimitOverride;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A rule with its overrides indexed for lookup. Immutable. */
public final class CompiledRule {

    private final Rule rule;
    private final LeasePolicy lease;
    private final Optional<Limit> numbers;

    /** The overrides, by the position of the limit; null for a limit without overrides. */
    private final List<@Nullable FirstMatch<LimitOverride>> overrides;

    /** The numbers of single callers, known only by their hashes. They take precedence over all other overrides. */
    private final List<KeyedNumbers> keyed;

    CompiledRule(Rule rule) {
        this(rule, null, List.of());
    }

    CompiledRule(Rule rule, List<KeyedNumbers> keyed) {
        this(rule, null, keyed);
    }

    /**
     * Compiles a rule.
     *
     * @param numbers the numbers in force for every request instead of the limit's own numbers; null to use the own numbers
     */
    public CompiledRule(Rule rule, @Nullable Limit numbers) {
        this(rule, numbers, List.of());
    }

    private CompiledRule(Rule rule, @Nullable Limit numbers, List<KeyedNumbers> keyed) {
        this.rule = rule;
        this.keyed = List.copyOf(keyed);
        this.numbers = Optional.ofNullable(numbers);
        this.lease = rule.handling().mode() == Mode.LOCAL_DISTRIBUTED
                ? rule.handling().lease().policy()
                : LeasePolicy.NONE;
        this.overrides = rule.overrides().isEmpty() ? List.of() : laidOut(rule);
    }

    public Rule rule() {
        return rule;
    }

    /** Returns the policy for leasing permits of its limits in advance from a shared store. */
    public LeasePolicy lease() {
        return lease;
    }

    /** Returns whether callers of a limit may have other numbers because of their hash. Otherwise the hash need not be computed. */
    public boolean hasKeyedNumbers(int limit) {
        for (KeyedNumbers each : keyed) {
            if (each.limit() == limit) {
                return true;
            }
        }
        return false;
    }

    /**
     * Numbers that replace the numbers of a limit.
     *
     * @param numbers the limit with its numbers replaced
     * @param keep the number of permits that these requests leave for other requests
     */
    public record InForce(Limit numbers, long keep) {

        /**
         * Orders numbers of one limit by the permits that they admit over a long time, then by the permits that they admit at one moment.
         */
        private static final Comparator<InForce> BY_SPEED = Comparator.<InForce>comparingDouble(
                        each -> (double) each.numbers.capacity() / Math.max(1, each.numbers.windowMicros()))
                .thenComparingLong(each -> each.numbers.capacity());

        private InForce(LimitOverride override) {
            this(
                    override.numbers(),
                    override.keep().isEmpty() ? 0 : override.keep().get().permits(override.numbers()));
        }
    }

    /** Returns the numbers that are in force for the caller with this hash; empty if there are none. */
    public Optional<InForce> keyed(int limit, String hash, Clock clock) {
        for (KeyedNumbers each : keyed) {
            if (each.limit() == limit && each.hash().equals(hash) && now(clock).isBefore(each.until())) {
                return Optional.of(new InForce(each.numbers(), 0));
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the numbers that are in force for a request instead of the limit's own; empty if the limit's own apply. If servers may
     * read the path of the request in several ways, the slowest numbers of all readings apply, and the largest {@code keep}.
     */
    public Optional<InForce> override(int limit, Attributes request, Clock clock) {
        if (numbers.isPresent()) {
            return Optional.of(new InForce(numbers.get(), 0));
        }
        FirstMatch<LimitOverride> table = overrides.isEmpty() ? null : overrides.get(limit);
        if (table == null) {
            return Optional.empty();
        }
        Optional<InForce> normal = first(table, request, clock);
        return request.otherReadings().isEmpty() ? normal : slowest(limit, table, request, normal, clock);
    }

    private Optional<InForce> slowest(
            int limit, FirstMatch<LimitOverride> table, Attributes request, Optional<InForce> normal, Clock clock) {
        InForce own = new InForce(rule.limits().get(limit).limit(), 0);
        InForce slowest = normal.orElse(own);
        long keep = slowest.keep();
        for (Attributes other : request.otherReadings()) {
            Optional<InForce> found = first(table, other, clock);
            if (found.isPresent() || !other.endsWithSlash()) {
                InForce next = found.orElse(own);
                keep = Math.max(keep, next.keep());
                slowest = InForce.BY_SPEED.compare(next, slowest) < 0 ? next : slowest;
            }
        }
        InForce strictest =
                new InForce(slowest.numbers(), Math.min(keep, slowest.numbers().capacity()));
        return strictest.equals(own) ? Optional.empty() : Optional.of(strictest);
    }

    private static Optional<InForce> first(FirstMatch<LimitOverride> table, Attributes request, Clock clock) {
        return table.first(
                        request,
                        override -> override.until().isEmpty()
                                || now(clock).isBefore(override.until().get()))
                .map(InForce::new);
    }

    private static Instant now(Clock clock) {
        return Instant.EPOCH.plus(clock.epochMicros(), ChronoUnit.MICROS);
    }

    private static List<@Nullable FirstMatch<LimitOverride>> laidOut(Rule rule) {
        List<@Nullable FirstMatch<LimitOverride>> tables = new ArrayList<>();
        for (int i = 0; i < rule.limits().size(); i++) {
            int limit = i;
            List<LimitOverride> own =
                    rule.overrides().stream().filter(o -> o.limit() == limit).toList();
            tables.add(own.isEmpty() ? null : new FirstMatch<>(own, LimitOverride::when));
        }
        return tables;
    }
}
