package io.sluice.center.access;

import io.sluice.rules.model.Rule;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A role and the rules that it applies to. Immutable.
 *
 * @param tenant the tenant that a rule must belong to; empty for all rules
 * @param labels the labels that a rule must have; empty for all rules
 */
public record Grant(Role role, Optional<String> tenant, Map<String, String> labels) {

    private static final int LONGEST = 300;

    public Grant {
        labels = Map.copyOf(new TreeMap<>(labels));
        if (!tenant.stream().allMatch(Grant::isUsable)
                || !labels.values().stream().allMatch(Grant::isUsable)) {
            throw new IllegalArgumentException(
                    "tenant or label: empty or too long (expected: 1 to " + LONGEST + " characters)");
        }
        if (role == Role.TENANT_ADMINISTRATOR && tenant.isEmpty()) {
            throw new IllegalArgumentException("tenant: missing (expected: the tenant of a tenant administrator)");
        }
        if (role == Role.ADMINISTRATOR && (tenant.isPresent() || !labels.isEmpty())) {
            throw new IllegalArgumentException(
                    "role: administrator of some rules (expected: no tenant and no labels, or another role)");
        }
    }

    /** Returns whether a text can be a tenant or the value of a label. */
    public static boolean isUsable(String text) {
        return !text.isBlank() && text.length() <= LONGEST;
    }

    /** Creates a grant for all rules. */
    public static Grant of(Role role) {
        return new Grant(role, Optional.empty(), Map.of());
    }

    /** Creates a grant for the rules of a tenant. */
    public static Grant of(Role role, String tenant) {
        return new Grant(role, Optional.of(tenant), Map.of());
    }

    /** Returns whether the grant applies to all rules. */
    public boolean isEverywhere() {
        return tenant.isEmpty() && labels.isEmpty();
    }

    /** Returns whether this grant covers all rules of another grant. */
    boolean includes(Grant other) {
        return (tenant.isEmpty() || tenant.equals(other.tenant))
                && other.labels.entrySet().containsAll(labels.entrySet());
    }

    public boolean covers(Rule rule) {
        return (tenant.isEmpty() || tenant.equals(rule.about().tenant()))
                && rule.about().labels().entrySet().containsAll(labels.entrySet());
    }
}
