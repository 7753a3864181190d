package io.sluice.envoy.descriptor;

import io.sluice.rules.model.Action;
import io.sluice.rules.model.Handling;
import io.sluice.rules.model.LimitName;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleDescription;
import io.sluice.rules.model.Scope;
import io.sluice.rules.snapshot.RuleSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Rules that decisions name although no document contains them. Each domain of a set has a rule for limits that requests carry,
 * and a rule that refuses requests that are too large. All unknown domains share one rule. The number of these rules therefore
 * depends on the rule set, never on the requests of clients.
 */
public final class DomainRules {

    private static final EnvoyDescriptor.Entry REQUEST = new EnvoyDescriptor.Entry("request", Optional.empty(), false);
    private static final String SIZE = "request-size";

    private DomainRules() {}

    /** Returns the ids of these rules. */
    public static Set<String> rules(RuleSet set) {
        Set<String> ids = new HashSet<>();
        ids.add(SIZE);
        for (String domain : domains(set)) {
            ids.add(limitId(domain));
            ids.add(sizeId(domain));
        }
        return ids;
    }

    /** Returns the ids of their limits. */
    public static Set<String> limits(RuleSet set) {
        Set<String> ids = new HashSet<>();
        domains(set).forEach(domain -> ids.add(limitName(domain).reported()));
        return ids;
    }

    public static EnvoyDescriptor descriptor(String domain) {
        return new EnvoyDescriptor(
                domain, List.of(REQUEST), false, Optional.empty(), List.of(), false, false, Map.of());
    }

    public static String limitId(String domain) {
        return DescriptorIds.of(domain, List.of(REQUEST)) + "-limit";
    }

    public static LimitName limitName(String domain) {
        return LimitName.live(limitId(domain), Optional.empty(), 0);
    }

    /** Returns the rule that refuses a request that is too large. */
    public static Rule tooMuch(DescriptorTree rules, String domain) {
        return new Rule(
                rules.knows(domain) ? sizeId(domain) : SIZE,
                true,
                Action.DENY,
                Scope.EVERYTHING,
                false,
                List.of(),
                List.of(),
                List.of(),
                Handling.DEFAULT,
                RuleDescription.NOTHING);
    }

    private static String sizeId(String domain) {
        return DescriptorIds.of(domain, List.of(REQUEST)) + "-size";
    }

    private static Set<String> domains(RuleSet set) {
        Set<String> domains = new TreeSet<>();
        for (Rule rule : set.rules()) {
            EnvoyDescriptor.of(rule).ifPresent(envoy -> domains.add(envoy.domain()));
        }
        return domains;
    }
}
