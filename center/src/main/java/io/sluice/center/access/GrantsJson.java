package io.sluice.center.access;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The form of grants in the API and the database: {@code [{"role":"editor","tenant":"acme","labels":{"team":"a"}}]}. */
public final class GrantsJson {

    private static final JsonMapper JSON = JsonMapper.shared();

    private static final Set<String> FIELDS = Set.of("role", "tenant", "labels");

    private GrantsJson() {}

    public static ArrayNode write(List<Grant> grants) {
        ArrayNode list = JSON.createArrayNode();
        for (Grant grant : grants) {
            ObjectNode item = list.addObject().put("role", grant.role().word());
            grant.tenant().ifPresent(tenant -> item.put("tenant", tenant));
            if (!grant.labels().isEmpty()) {
                ObjectNode labels = item.putObject("labels");
                new TreeMap<>(grant.labels()).forEach(labels::put);
            }
        }
        return list;
    }

    /**
     * Reads grants.
     *
     * @throws IllegalArgumentException if the grants are not valid
     */
    public static List<Grant> read(JsonNode list) {
        List<Grant> grants = new ArrayList<>();
        if (!list.isArray()) {
            throw new IllegalArgumentException("roles: not a list (expected: [{\"role\": \"editor\"}])");
        }
        for (JsonNode item : list) {
            grants.add(grant(item));
        }
        return grants;
    }

    private static Grant grant(JsonNode item) {
        if (!item.isObject() || !FIELDS.containsAll(item.propertyNames())) {
            throw new IllegalArgumentException(
                    "roles: an item with other fields (expected: role, tenant and labels, such as {\"role\": \"editor\","
                            + " \"tenant\": \"acme\"})");
        }
        String word = text("role", item.get("role"));
        Role role = Role.find(word)
                .orElseThrow(() -> new IllegalArgumentException("role: " + word
                        + " (expected: administrator, tenant_administrator, editor, approver, operator or viewer)"));
        Map<String, String> labels = new TreeMap<>();
        JsonNode given = item.get("labels");
        if (given != null && !given.isObject()) {
            throw new IllegalArgumentException("labels: not an object (expected: such as {\"team\": \"a\"})");
        }
        if (given != null) {
            given.properties().forEach(label -> labels.put(label.getKey(), text("labels", label.getValue())));
        }
        Optional<String> tenant =
                item.has("tenant") ? Optional.of(text("tenant", item.get("tenant"))) : Optional.empty();
        return new Grant(role, tenant, labels);
    }

    /** Returns the text of a field. A field without content is refused, because it would widen a grant to all rules. */
    private static String text(String field, @Nullable JsonNode value) {
        if (value == null || !value.isString() || !Grant.isUsable(value.asString())) {
            throw new IllegalArgumentException(
                    field + ": missing or not a text (expected: 1 to 300 characters; leave the field out for all)");
        }
        return value.asString();
    }
}
