package io.sluice.envoy.decide;

import io.sluice.core.limit.Limit;
import io.sluice.envoy.descriptor.EnvoyDescriptor;
import io.sluice.rules.evaluate.NamedRule;
import io.sluice.rules.model.Rule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rule for one descriptor. Immutable.
 *
 * @param rule the rule; null if there is none
 * @param numbers the limit in the request itself; null for the limit of the rule
 */
record DescriptorMatch(@Nullable Rule rule, @Nullable Limit numbers) {

    static final DescriptorMatch NOTHING = new DescriptorMatch(null, null);

    List<NamedRule> named() {
        return rule == null || rule.limits().isEmpty() ? List.of() : List.of(new NamedRule(rule, numbers));
    }

    boolean isUnlimited() {
        return descriptor().filter(EnvoyDescriptor::unlimited).isPresent();
    }

    boolean isQuota() {
        return rule != null && isQuota(rule);
    }

    /** Returns whether the limits of a rule refuse only together with all other quotas of a request. */
    static boolean isQuota(Rule rule) {
        return rule.shadow()
                && EnvoyDescriptor.of(rule).filter(EnvoyDescriptor::quota).isPresent();
    }

    Map<String, @Nullable Object> metadata() {
        return isLimited() ? descriptor().map(EnvoyDescriptor::metadata).orElse(Map.of()) : Map.of();
    }

    boolean isLimited() {
        return rule != null && !rule.limits().isEmpty();
    }

    Optional<String> name() {
        return descriptor().flatMap(EnvoyDescriptor::name);
    }

    List<String> replaces() {
        return descriptor().map(EnvoyDescriptor::replaces).orElse(List.of());
    }

    private Optional<EnvoyDescriptor> descriptor() {
        return rule == null ? Optional.empty() : EnvoyDescriptor.of(rule);
    }
}
