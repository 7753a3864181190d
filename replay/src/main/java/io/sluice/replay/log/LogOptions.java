package io.sluice.replay.log;

import io.sluice.rules.pattern.Attributes;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The options for reading logs. Immutable.
 *
 * @param format the format of all files; if empty, it is guessed for each file
 * @param mapping the field of the log for an attribute: {@code ip} from {@code client.address}. {@code time}, {@code duration} (in
 *     seconds), {@code duration_ms}, {@code status}, {@code request}, {@code query} and {@code permits} can also be mapped
 * @param constants attributes that every request has, such as {@code service}
 * @param wanted the attributes to read, besides {@code path}, {@code method} and {@code ip}; usually the attributes that rules name
 * @param orderBytes the maximum number of bytes that wait to be put into the order of time
 */
public record LogOptions(
        Optional<LogFormat> format,
        Map<String, String> mapping,
        Map<String, String> constants,
        Set<String> wanted,
        long orderBytes) {

    /** The default of {@link #orderBytes}: room for 600,000 lines of typical length. */
    public static final long DEFAULT_ORDER_BYTES = 64L << 20;

    public LogOptions {
        Map<String, String> named = new HashMap<>();
        mapping.forEach((name, source) -> named.put(attribute(name), source));
        mapping = Map.copyOf(named);
        Map<String, String> fixed = new HashMap<>();
        constants.forEach((name, value) -> fixed.put(attribute(name), value));
        constants = Map.copyOf(fixed);
        Set<String> names = new LinkedHashSet<>();
        wanted.forEach(name -> names.add(Attributes.normalisedName(name)));
        names.removeAll(constants.keySet());
        wanted = Set.copyOf(names);
    }

    /** Creates options for logs whose format is guessed. */
    public static LogOptions wanting(Set<String> wanted) {
        return new LogOptions(Optional.empty(), Map.of(), Map.of(), wanted, DEFAULT_ORDER_BYTES);
    }

    private static String attribute(String name) {
        return name.equals("host") ? "header.host" : Attributes.normalisedName(name);
    }
}
