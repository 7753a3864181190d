package io.sluice.redis.internal.link;

import io.sluice.redis.store.StoreVitals;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The answer to {@code INFO}. Immutable. */
final class InfoFields {

    private final Map<String, String> fields;

    private InfoFields(Map<String, String> fields) {
        this.fields = fields;
    }

    static InfoFields of(String info) {
        Map<String, String> fields = new HashMap<>();
        for (String line : info.split("\r?\n", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        }
        return new InfoFields(Map.copyOf(fields));
    }

    Map<String, String> all() {
        return fields;
    }

    /** Returns the figures. The reply of a service that leaves out the clients or the memory is not usable. */
    StoreVitals vitals(double slowLogLength) {
        double offset = number("master_repl_offset");
        double lagBytes = Double.NaN;
        double lagSeconds = Double.NaN;
        for (Map.Entry<String, String> field : fields.entrySet()) {
            if (isReplica(field.getKey())) {
                Map<String, String> replica = parts(field.getValue());
                lagBytes = larger(lagBytes, Math.max(0, offset - parsed(replica.get("offset"))));
                lagSeconds = larger(lagSeconds, parsed(replica.get("lag")));
            }
        }
        return new StoreVitals(
                Long.parseLong(fields.getOrDefault("connected_clients", "")),
                Long.parseLong(fields.getOrDefault("used_memory", "")),
                number("maxmemory"),
                number("used_cpu_sys") + number("used_cpu_user"),
                slowLogLength,
                number("evicted_keys"),
                number("connected_slaves"),
                lagBytes,
                lagSeconds);
    }

    /**
     * Returns whether a field describes a replica: {@code slave0}, {@code slave1} and so on. Other fields begin with the same
     * word.
     */
    private static boolean isReplica(String name) {
        return name.startsWith("slave") && name.length() > 5 && Character.isDigit(name.charAt(5));
    }

    private static Map<String, String> parts(String value) {
        Map<String, String> parts = new HashMap<>();
        for (String part : value.split(",", -1)) {
            int equal = part.indexOf('=');
            if (equal > 0) {
                parts.put(part.substring(0, equal), part.substring(equal + 1));
            }
        }
        return parts;
    }

    private double number(String name) {
        return parsed(fields.get(name));
    }

    private static double larger(double one, double other) {
        return Double.isNaN(one) ? other : Double.isNaN(other) ? one : Math.max(one, other);
    }

    private static double parsed(@Nullable String text) {
        try {
            return text == null ? Double.NaN : Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
