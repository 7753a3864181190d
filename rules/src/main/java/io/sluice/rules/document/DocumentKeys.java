package io.sluice.rules.document;

import io.sluice.core.limit.Parameter;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** The legal keys of each mapping in a document, in the order in which errors list them. The JSON schema has the same keys. */
final class DocumentKeys {

    static final Set<String> DOCUMENT = ordered(List.of("rules", "attributes", "$schema"));

    static final Set<String> PARAMETERS = ordered(Parameter.words(List.of(Parameter.values())));

    /** The keys that an override may replace without starting a new count. */
    static final Set<String> NUMBERS = ordered(Parameter.words(
            Stream.of(Parameter.values()).filter(Parameter::isNumber).toList()));

    static final Set<String> LIMIT =
            ordered(List.of("id", "by", "absent", "unread", "privacy", "cost", "durable", "algorithm"), PARAMETERS);

    static final Set<String> BY = ordered(List.of("attribute", "otherwise"));

    static final Set<String> OVERRIDE = ordered(List.of("when", "of", "keep", "until"), NUMBERS);

    static final Set<String> LEASE = ordered(List.of("size", "share", "ttl"));

    /** The keys of protocol scopes. The module that implements a protocol reads its scope. */
    static final Set<String> PROTOCOLS = ordered(List.of("envoy"));

    /** The keys that determine how limits are decided. They have no meaning in a rule without limits. */
    static final Set<String> HANDLING =
            ordered(List.of("mode", "lease", "on_failure", "local_share", "deadline", "guard"));

    /** The keys of the founding shape: the parameters of one limit beside the match, and one limit per dimension. */
    static final Set<String> FOUNDING = ordered(List.of("dimensions", "algorithm"), PARAMETERS);

    static final Set<String> DIMENSION =
            ordered(List.of("type", "field", "id", "absent", "unread", "privacy", "algorithm"), PARAMETERS);

    static final Set<String> RULE = ordered(
            List.of("id", "name", "tenant", "for", "enabled", "action", "protected", "shadow"),
            List.of("service", "resource", "methods", "match"),
            PROTOCOLS,
            List.of("limits", "candidate", "overrides"),
            HANDLING,
            List.of("message", "labels"),
            FOUNDING);

    /** The error for each key that belongs into a limit or an override but is written into a rule. */
    static final Map<String, String> NOT_IN_RULE = Map.of(
            "cost", "cost: on the rule (expected: inside one of its limits)",
            "durable", "durable: on the rule (expected: inside one of its limits)",
            "keep", "keep: on the rule (expected: inside one of its overrides)");

    /** The error for a key of overrides in a limit. */
    static final Map<String, String> NOT_IN_LIMIT = Map.of(
            "keep", "keep: in a limit (expected: in an override of it, for the requests that leave a part to others)");

    /** The errors for the keys that the founding shape does not have. */
    static final Map<String, String> NOT_IN_DIMENSION = Map.of(
            "cost", "cost: in a dimension (expected: in a limit, of a rule with limits instead of dimensions)",
            "durable", "durable: in a dimension (expected: in a limit, of a rule with limits instead of dimensions)",
            "keep", "keep: in a dimension (expected: in an override)");

    private DocumentKeys() {}

    @SafeVarargs
    private static Set<String> ordered(Iterable<String>... groups) {
        Set<String> all = new LinkedHashSet<>();
        for (Iterable<String> group : groups) {
            group.forEach(all::add);
        }
        return Collections.unmodifiableSet(all);
    }
}
