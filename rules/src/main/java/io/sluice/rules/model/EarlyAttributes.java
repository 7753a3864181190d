package io.sluice.rules.model;

import io.sluice.core.limit.Limit;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The attributes of a request that are known before its caller is authenticated, and the check for rules that need no other
 * attributes.
 */
public final class EarlyAttributes {

    /** The status of the answer. A rule that matches it counts answers. */
    public static final String ANSWER_STATUS = "answer.status";

    /** The attributes of the request itself, in the order in which errors list them. */
    public static final List<String> OF_REQUEST = List.of("ip", "path", "method", "header.host");

    private static final Set<String> KNOWN = Set.copyOf(OF_REQUEST);

    private EarlyAttributes() {}

    /** Returns whether an attribute of a request is known before its caller is authenticated. */
    public static boolean isKnown(String attribute) {
        return KNOWN.contains(attribute);
    }

    /** Refuses an early rule that needs unknown attributes. */
    static void check(
            Action action, Scope scope, List<RuleLimit> limits, List<RuleLimit> candidate, List<LimitOverride> others) {
        List<RuleLimit> all = Stream.concat(limits.stream(), candidate.stream()).toList();
        boolean ofAnswers = scope.match().containsKey(ANSWER_STATUS);
        Stream<String> matched = scope.match().keySet().stream().filter(name -> !name.equals(ANSWER_STATUS));
        Stream<String> counted = all.stream()
                .flatMap(limit -> limit.by().stream())
                .flatMap(by -> Stream.concat(Stream.of(by.attribute()), by.otherwise().stream()));
        Stream<String> selected = others.stream().flatMap(override -> override.when().keySet().stream());
        Stream<String> service = Stream.ofNullable(scope.service()).map(name -> "service");
        Stream.of(service, matched, counted, selected)
                .flatMap(names -> names)
                .filter(name -> !isKnown(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException("for: early in a rule that uses " + name + " (expected: only "
                            + String.join(", ", OF_REQUEST) + ", and " + ANSWER_STATUS + " in match)");
                });
        Stream<Limit> numbers = Stream.concat(
                all.stream().map(RuleLimit::limit), others.stream().map(LimitOverride::numbers));
        if (all.stream().anyMatch(limit -> limit.cost().isPresent())) {
            throw new IllegalArgumentException(
                    "for: early in a rule with a cost (expected: limits that count requests)");
        }
        if (ofAnswers && others.stream().anyMatch(override -> override.keep().isPresent())) {
            throw new IllegalArgumentException(
                    "match." + ANSWER_STATUS + ": in a rule with keep (expected: none; answers are always counted)");
        }
        if (ofAnswers && (action != Action.LIMIT || numbers.anyMatch(EarlyAttributes::needsRequest))) {
            throw new IllegalArgumentException("match." + ANSWER_STATUS
                    + ": in a rule that does not count answers (expected: limits that hold no permits and never wait)");
        }
    }

    /** Returns whether a limit cannot count answers, because it holds permits or makes requests wait. */
    private static boolean needsRequest(Limit limit) {
        return limit.kind().holds() || limit.kind().queues() || limit.maxWaitMicros() > 0;
    }
}
