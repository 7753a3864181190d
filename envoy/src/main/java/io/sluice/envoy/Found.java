package io.sluice.envoy;

import io.sluice.core.Limit;
import io.sluice.rules.EnvoyDescriptor;
import io.sluice.rules.Part;
import io.sluice.rules.Rule;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the rules have for one descriptor. Immutable.
 *
 * @param rule null if there is none
 * @param numbers those that the request itself gave; null for the rule's own
 */
record Found(@Nullable Rule rule, @Nullable Limit numbers) {

    static final Found NOTHING = new Found(null, null);

    List<Part.Named> named() {
        return rule == null || rule.limits().isEmpty() ? List.of() : List.of(new Part.Named(rule, numbers));
    }

    boolean isUnlimited() {
        return descriptor().filter(EnvoyDescriptor::unlimited).isPresent();
    }

    boolean isQuota() {
        return descriptor().filter(EnvoyDescriptor::quota).isPresent();
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
        return rule == null ? Optional.empty() : rule.envoy();
    }
}
