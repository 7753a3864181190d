package io.sluice.redis.internal.cluster;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Cluster as one of its nodes sees it. Immutable.
 *
 * @param seenBy the node that was asked
 * @param isOk whether that node would decide on the slots that it owns
 * @param primaries the primaries that are online or own slots, including online primaries that own no slots yet
 */
record ClusterTopology(Endpoint seenBy, boolean isOk, List<Primary> primaries) {

    /**
     * A primary and its slots.
     *
     * @param slots the first and last slot of each range, one after the other
     */
    record Primary(Endpoint endpoint, List<Integer> slots) {

        Primary {
            slots = List.copyOf(slots);
        }
    }

    ClusterTopology {
        primaries = List.copyOf(primaries);
    }

    /** Returns whether the node knows of any slots. A node that was just reset or added does not. */
    boolean isUseful() {
        return primaries.stream().anyMatch(primary -> !primary.slots().isEmpty());
    }

    /**
     * Reads the view of one node.
     *
     * @param info the reply to {@code CLUSTER INFO}
     * @param reply the reply to {@code CLUSTER SHARDS}
     */
    static ClusterTopology read(Endpoint seenBy, boolean secure, String info, List<Object> reply) {
        List<Primary> primaries = new ArrayList<>();
        for (Object shard : reply) {
            Map<String, Object> fields = fields(shard);
            List<Integer> slots = new ArrayList<>();
            for (Object slot : list(fields.get("slots"))) {
                slots.add(number(slot));
            }
            for (Object each : list(fields.get("nodes"))) {
                Map<String, Object> node = fields(each);
                boolean wanted = !slots.isEmpty() || text(node.get("health")).equals("online");
                if (wanted && text(node.get("role")).equals("master")) {
                    primaries.add(new Primary(endpoint(node, secure, seenBy), slots));
                }
            }
        }
        return new ClusterTopology(seenBy, info.contains("cluster_state:ok"), primaries);
    }

    private static Endpoint endpoint(Map<String, Object> node, boolean secure, Endpoint seenBy) {
        String host = text(node.get("endpoint"));
        Object port = secure ? node.get("tls-port") : node.get("port");
        if (port == null) {
            throw new IllegalArgumentException(
                    "CLUSTER SHARDS: no " + (secure ? "tls-port" : "port") + " of " + host + " (expected: "
                            + (secure ? "nodes that speak TLS" : "nodes without TLS, or rediss-cluster://") + ")");
        }
        return Endpoint.named(host, number(port), seenBy);
    }

    private static Map<String, Object> fields(Object flat) {
        List<?> list = list(flat);
        Map<String, Object> fields = new HashMap<>();
        for (int i = 0; i + 1 < list.size(); i += 2) {
            fields.put(text(list.get(i)).toLowerCase(Locale.ROOT), list.get(i + 1));
        }
        return fields;
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }

    private static int number(@Nullable Object value) {
        return value instanceof Number number ? number.intValue() : Integer.parseInt(text(value));
    }

    private static String text(@Nullable Object value) {
        return value instanceof byte[] bytes
                ? new String(bytes, StandardCharsets.UTF_8)
                : value == null ? "" : value.toString();
    }
}
