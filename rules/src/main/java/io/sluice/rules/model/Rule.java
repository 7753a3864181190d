package io.sluice.rules.model;

import io.sluice.core.limit.Limit;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which requests, and what is done with them. Immutable.
 *
 * @param id unique in its set
 * @param enabled a rule that is not applies to nothing
 * @param action what it does; only {@link Action#LIMIT} has limits, candidates, overrides and a shadow
 * @param scope which requests
 * @param shadow whether its limits are decided, counted and reported, but never refuse
 * @param limits at least one for {@link Action#LIMIT}
 * @param candidate limits that are tried beside those in force, like shadow limits
 * @param overrides other numbers for some callers, in the order in which they are looked at
 * @param handling where and how it is decided
 * @param about what it says about itself
 * @param protocol the requests of another protocol that it is for; then its scope is {@link Scope#EVERYTHING} and matches
 *     nothing
 */
public record Rule(
        String id,
        boolean enabled,
        Action action,
        Scope scope,
        boolean shadow,
        List<RuleLimit> limits,
        List<RuleLimit> candidate,
        List<LimitOverride> overrides,
        Handling handling,
        RuleDescription about,
        Optional<ProtocolScope> protocol) {

    public Rule {
        limits = List.copyOf(limits);
        candidate = List.copyOf(candidate);
        overrides = List.copyOf(overrides);
        if (action == Action.LIMIT && limits.isEmpty()) {
            throw new IllegalArgumentException("limits: none (expected: at least one limit)");
        }
        if (action != Action.LIMIT
                && !(limits.isEmpty()
                        && candidate.isEmpty()
                        && overrides.isEmpty()
                        && !shadow
                        && handling.equals(Handling.DEFAULT))) {
            throw new IllegalArgumentException(
                    "action: " + action.word() + " (expected: limit, for a rule with limits)");
        }
        if (protocol.isPresent() && (!scope.equals(Scope.EVERYTHING) || action == Action.DENY)) {
            throw new IllegalArgumentException(
                    protocol.get().key() + ": beside a match, or with action deny (expected: descriptors alone)");
        }
        protocol.ifPresent(own -> own.check(action));
        for (LimitOverride override : overrides) {
            if (override.limit() < 0 || override.limit() >= limits.size()) {
                throw new IllegalArgumentException(
                        "overrides: of limit " + override.limit() + " (expected: 0.." + (limits.size() - 1) + ")");
            }
            Limit target = limits.get(override.limit()).limit();
            if (!target.name().equals(override.numbers().name())
                    || !target.shape().equals(override.numbers().shape())) {
                throw new IllegalArgumentException(
                        "overrides: " + override.numbers() + " (expected: other numbers of " + target + ")");
            }
        }
    }

    /** A rule for what its scope says. */
    public Rule(
            String id,
            boolean enabled,
            Action action,
            Scope scope,
            boolean shadow,
            List<RuleLimit> limits,
            List<RuleLimit> candidate,
            List<LimitOverride> overrides,
            Handling handling,
            RuleDescription about) {
        this(id, enabled, action, scope, shadow, limits, candidate, overrides, handling, about, Optional.empty());
    }

    /** How wide one of the rule's limits reaches. */
    public Level level(RuleLimit limit) {
        return limit.by().isEmpty() ? scope.level() : Level.CALLER;
    }

    /** The attributes that it matches by, counts by or chooses its numbers by. */
    public Set<String> attributes() {
        Set<String> all = new LinkedHashSet<>(scope.match().keySet());
        overrides.forEach(override -> all.addAll(override.when().keySet()));
        Stream.concat(limits.stream(), candidate.stream()).forEach(limit -> {
            for (By by : limit.by()) {
                all.add(by.attribute());
                by.otherwise().ifPresent(all::add);
            }
            if (!limit.by().isEmpty() && limit.absent() == AbsentPolicy.IP) {
                all.add("ip");
            }
        });
        return Collections.unmodifiableSet(all);
    }
}
