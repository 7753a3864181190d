package io.sluice.center.signin.settings;

import io.sluice.center.access.Grant;
import io.sluice.center.access.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The role of all people in a group of an identity server. Immutable.
 *
 * @param group the name of the group, as the identity server writes it
 * @param role such as {@code editor}
 * @param tenant the tenant of the role, or {@code *} for all rules; empty for the tenants that the server names, or for all rules if it
 *     names none
 * @param labels the labels that a rule must have; empty for all rules
 */
public record MappedRole(String group, String role, Optional<String> tenant, Map<String, String> labels) {

    private static final String ALL = "*";

    public MappedRole {
        labels = Map.copyOf(labels);
        Role given = role(role);
        boolean isAll = tenant.filter(ALL::equals).isPresent();
        if (!tenant.stream().allMatch(Grant::isUsable)
                || !labels.values().stream().allMatch(Grant::isUsable)) {
            throw new IllegalArgumentException("tenant or label: empty or too long (expected: 1 to 300 characters)");
        }
        if (given == Role.TENANT_ADMINISTRATOR && isAll) {
            throw new IllegalArgumentException("tenant: * (expected: the tenant of a tenant administrator)");
        }
        if (given == Role.ADMINISTRATOR && ((tenant.isPresent() && !isAll) || !labels.isEmpty())) {
            throw new IllegalArgumentException(
                    "role: administrator of some rules (expected: no tenant and no labels, or another role)");
        }
    }

    /** Creates a role for all rules, or for the tenants that the server names. */
    public static MappedRole of(String group, String role) {
        return new MappedRole(group, role, Optional.empty(), Map.of());
    }

    /** Creates a role for the rules of a tenant. */
    public static MappedRole of(String group, String role, String tenant) {
        return new MappedRole(group, role, Optional.of(tenant), Map.of());
    }

    /**
     * Returns the grants of a person in the group.
     *
     * @param tenants the tenants of the person at the server; empty if the server does not name any, so the role is for all rules
     */
    public List<Grant> grants(Optional<List<String>> tenants) {
        Role given = role(role);
        if (given == Role.ADMINISTRATOR || tenant.isPresent() || tenants.isEmpty()) {
            return given == Role.TENANT_ADMINISTRATOR && tenant.isEmpty()
                    ? List.of()
                    : List.of(new Grant(given, tenant.filter(name -> !name.equals(ALL)), labels));
        }
        List<Grant> grants = new ArrayList<>();
        for (String name : tenants.get()) {
            grants.add(new Grant(given, Optional.of(name), labels));
        }
        return grants;
    }

    private static Role role(String word) {
        return Role.find(word)
                .orElseThrow(() -> new IllegalArgumentException("role: " + word
                        + " (expected: administrator, tenant_administrator, editor, approver, operator or viewer)"));
    }
}
