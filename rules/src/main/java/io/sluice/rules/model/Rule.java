package io.sluice.rules.model;

import io.sluice.core.limit.Limit;
import io.sluice.rules.cost.AnswerAttribute;
import io.sluice.rules.cost.Cost;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A rule: a scope of requests, and the action on these requests. Immutable.
 *
 * @param id the id, unique in its rule set
 * @param enabled whether the rule applies; a disabled rule matches no requests
 * @param action the action; only {@link Action#LIMIT} allows limits, candidates, overrides and shadow mode
 * @param scope the requests that the rule applies to
 * @param shadow whether its limits are decided, counted and reported, but never refuse a request
 * @param limits the limits, at least one for {@link Action#LIMIT}
 * @param candidate the limits that are tried out beside the limits in force, like shadow limits
 * @param overrides other numbers for some callers; the first match applies
 * @param handling the settings for deciding the limits
 * @param use the use of the rule; a rule for {@link RuleUse#EARLY early} uses only {@link EarlyAttributes}
 * @param about the rule's description
 * @param protocol the scope for requests of another protocol; if present, the scope is {@link Scope#EVERYTHING} and is not used
 *     for matching
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
        RuleUse use,
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
                    "action: " + action.word() + " (expected: limit, because the rule has limits)");
        }
        if (protocol.isPresent() && (!scope.equals(Scope.EVERYTHING) || action == Action.DENY)) {
            throw new IllegalArgumentException(
                    protocol.get().key() + ": together with a match or action deny (expected: descriptors only)");
        }
        if (protocol.isPresent() && use != RuleUse.REQUESTS) {
            throw new IllegalArgumentException(
                    protocol.get().key() + ": in a rule for " + use.word() + " (expected: for: requests)");
        }
        if (protocol.isPresent()) {
            protocol.get().check(action);
        }
        if (use == RuleUse.EARLY) {
            EarlyAttributes.check(action, scope, limits, candidate, overrides);
        }
        if (handling.mode() == Mode.LOCAL
                && Stream.concat(limits.stream(), candidate.stream()).anyMatch(RuleLimit::durable)) {
            throw new IllegalArgumentException(
                    "mode: local with a durable limit (expected: distributed or local_distributed)");
        }
        for (LimitOverride override : overrides) {
            if (override.limit() < 0 || override.limit() >= limits.size()) {
                throw new IllegalArgumentException(
                        "overrides: for limit " + override.limit() + " (expected: 0.." + (limits.size() - 1) + ")");
            }
            Limit target = limits.get(override.limit()).limit();
            if (!target.name().equals(override.numbers().name())
                    || !target.shape().equals(override.numbers().shape())) {
                throw new IllegalArgumentException(
                        "overrides: " + override.numbers() + " (expected: other numbers for " + target + ")");
            }
            Optional<Cost> cost = limits.get(override.limit()).cost();
            cost.ifPresent(own -> own.check(override.numbers()));
            if (override.keep().isPresent()
                    && cost.filter(Cost.Always.class::isInstance).isPresent()) {
                throw new IllegalArgumentException(
                        "keep: of a limit with charge: always (expected: a limit that refuses requests)");
            }
        }
    }

    /** Creates a rule for requests. */
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
            RuleDescription about,
            Optional<ProtocolScope> protocol) {
        this(
                id,
                enabled,
                action,
                scope,
                shadow,
                limits,
                candidate,
                overrides,
                handling,
                RuleUse.REQUESTS,
                about,
                protocol);
    }

    /** Creates a rule for requests, without a protocol scope. */
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

    /**
     * Returns whether the rule acts before callers are authenticated: it is an early rule, or it denies or exempts requests
     * only by attributes that are already known.
     */
    public boolean isEarly() {
        return use == RuleUse.EARLY
                || (use == RuleUse.REQUESTS
                        && action != Action.LIMIT
                        && protocol.isEmpty()
                        && scope.service() == null
                        && attributes().stream().allMatch(EarlyAttributes::isKnown));
    }

    /** Returns whether the rule acts early and its limits count answers with certain statuses instead of requests. */
    public boolean countsAnswers() {
        return use == RuleUse.EARLY && scope.match().containsKey(EarlyAttributes.ANSWER_STATUS);
    }

    /** Returns the level of one of the rule's limits. */
    public Level level(RuleLimit limit) {
        return limit.by().isEmpty() ? scope.level() : Level.CALLER;
    }

    /** Returns the attributes of a request that the rule uses to match, to count, to select overrides and to charge. */
    public Set<String> attributes() {
        Set<String> all = new LinkedHashSet<>();
        addAttributes(all);
        return Collections.unmodifiableSet(all);
    }

    /** Adds the {@link #attributes} to a set. Creates no set of its own, because a rule set asks all its rules. */
    public void addAttributes(Set<String> all) {
        all.addAll(scope.match().keySet());
        for (LimitOverride override : overrides) {
            all.addAll(override.when().keySet());
        }
        addAttributes(limits, all);
        addAttributes(candidate, all);
    }

    /** Returns the attributes of the answer that settle the charges of the rule's limits, including candidates. */
    public Set<AnswerAttribute> answerAttributes() {
        Set<AnswerAttribute> all = new LinkedHashSet<>();
        Stream.concat(limits.stream(), candidate.stream())
                .flatMap(limit -> limit.cost().stream())
                .flatMap(cost -> cost.settling().stream())
                .forEach(settling -> all.add(settling.by()));
        return Collections.unmodifiableSet(all);
    }

    private static void addAttributes(List<RuleLimit> limits, Set<String> all) {
        for (RuleLimit limit : limits) {
            for (By by : limit.by()) {
                all.add(by.attribute());
                by.otherwise().ifPresent(all::add);
            }
            if (!limit.by().isEmpty() && limit.absent() == AbsentPolicy.IP) {
                all.add("ip");
            }
            limit.cost().flatMap(Cost::attribute).ifPresent(all::add);
        }
    }
}
