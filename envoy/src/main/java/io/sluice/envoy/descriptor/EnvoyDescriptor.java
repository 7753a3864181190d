package io.sluice.envoy.descriptor;

import io.sluice.rules.json.JsonLine;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.By;
import io.sluice.rules.model.ProtocolScope;
import io.sluice.rules.model.Rule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The descriptors of Envoy's rate limit protocol that a rule applies to, instead of a {@link io.sluice.rules.model.Scope}. A
 * server of that protocol finds the most specific rule of the domain for each descriptor. Attributes of other requests never
 * match such a rule. Immutable.
 *
 * <p>A rule that {@linkplain Action#EXEMPT exempts} applies no limit to its descriptor. Other descriptors of the same request
 * keep their limits.
 *
 * @param domain the domain of the request
 * @param path one element for each entry of the descriptor, at least one
 * @param unlimited whether the answer of an exempting rule reports the descriptor as unlimited; otherwise the answer is the same as for a
 *     descriptor without a rule
 * @param name the name by which other limits replace this limit
 * @param replaces the names of limits that do not apply if this limit applies
 * @param quota whether the limit, if its rule is in shadow, is a quota: a request is refused when all of its quotas are used up
 * @param detailedMetric kept as it was written, without effect: no metric has a label that a client can choose
 * @param metadata the metadata of an answer while the limit lets requests pass: texts, numbers, flags, nulls, lists and maps, by key
 */
public record EnvoyDescriptor(
        String domain,
        List<Entry> path,
        boolean unlimited,
        Optional<String> name,
        List<String> replaces,
        boolean quota,
        boolean detailedMetric,
        Map<String, @Nullable Object> metadata)
        implements ProtocolScope {

    /** The field of a rule document. */
    static final String KEY = "envoy";

    /** The maximum length of a domain, key, value or name. */
    public static final int LONGEST = 4_096;

    /** The maximum length of a path. */
    public static final int DEEPEST = 64;

    private static final int LONGEST_ATTRIBUTE = 128;
    private static final String PREFIX = "descriptor.";

    public EnvoyDescriptor {
        path = List.copyOf(path);
        replaces = List.copyOf(replaces);
        metadata = Collections.unmodifiableMap(new TreeMap<>(metadata));
        text("domain", domain);
        if (path.isEmpty() || path.size() > DEEPEST) {
            throw new IllegalArgumentException("path: " + path.size() + " (expected: 1.." + DEEPEST + " entries)");
        }
        name.ifPresent(own -> text("name", own));
        for (String other : replaces) {
            text("replaces", other);
            if (name.filter(other::equals).isPresent()) {
                throw new IllegalArgumentException("replaces: its own name (expected: names of others)");
            }
        }
    }

    /**
     * One entry of a descriptor.
     *
     * @param value the value to match, where {@code *} stands for any text, even an empty one; empty to match every value
     * @param shareThreshold whether all matching values share one count
     */
    public record Entry(String key, Optional<String> value, boolean shareThreshold) {

        public Entry {
            text("key", key);
            value.ifPresent(given -> text("value", given));
            if (shareThreshold && value.filter(given -> given.indexOf('*') >= 0).isEmpty()) {
                throw new IllegalArgumentException("share_threshold: without a wildcard (expected: a value with *)");
            }
        }

        private Map<String, @Nullable Object> content() {
            Map<String, @Nullable Object> written = new LinkedHashMap<>();
            written.put("key", key);
            value.ifPresent(given -> written.put("value", given));
            flag(written, "share_threshold", shareThreshold);
            return written;
        }

        /** Returns whether descriptors with different values match. */
        public boolean isOpen() {
            return value.isEmpty() || value.get().indexOf('*') >= 0;
        }
    }

    /** Returns the descriptors that a rule applies to; empty if it applies to other requests. */
    public static Optional<EnvoyDescriptor> of(Rule rule) {
        return rule.protocol().filter(EnvoyDescriptor.class::isInstance).map(EnvoyDescriptor.class::cast);
    }

    @Override
    public String key() {
        return KEY;
    }

    @Override
    public Map<String, @Nullable Object> content() {
        Map<String, @Nullable Object> written = new LinkedHashMap<>();
        written.put("domain", domain);
        written.put("path", path.stream().map(Entry::content).toList());
        flag(written, "unlimited", unlimited);
        name.ifPresent(own -> written.put("name", own));
        if (!replaces.isEmpty()) {
            written.put("replaces", replaces);
        }
        flag(written, "quota", quota);
        flag(written, "detailed_metric", detailedMetric);
        if (!metadata.isEmpty()) {
            written.put(DescriptorMetadata.KEY, metadata);
        }
        return Collections.unmodifiableMap(written);
    }

    @Override
    public void check(Action action) {
        if (unlimited && action != Action.EXEMPT) {
            throw new IllegalArgumentException("envoy: unlimited together with limits (expected: action exempt)");
        }
    }

    private static void flag(Map<String, @Nullable Object> written, String key, boolean value) {
        if (value) {
            written.put(key, true);
        }
    }

    /** Returns the attributes that hold the values of a descriptor with these keys, in the same order and without duplicates. */
    public static List<String> attributes(List<String> keys) {
        if (keys.size() == 1 && isPlain(keys.get(0))) {
            return List.of(PREFIX + keys.get(0));
        }
        List<String> names = new ArrayList<>(keys.size());
        Set<String> seen = new HashSet<>();
        for (String key : keys) {
            boolean plain = isPlain(key) && seen.add(key);
            names.add(plain ? PREFIX + key : "descriptor#" + (names.size() + 1));
        }
        return names;
    }

    /** Returns the attributes that the rule counts by: the entries that match several values and do not share one count. */
    public List<By> by() {
        List<String> names = attributes(path.stream().map(Entry::key).toList());
        List<By> by = new ArrayList<>();
        for (int i = 0; i < path.size(); i++) {
            if (path.get(i).isOpen() && !path.get(i).shareThreshold()) {
                by.add(By.attribute(names.get(i)));
            }
        }
        return by;
    }

    /** Returns a short form such as {@code edge: remote_address=50.*, path}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(domain).append(':');
        String before = " ";
        for (Entry entry : path) {
            text.append(before).append(entry.key());
            entry.value().ifPresent(value -> text.append('=').append(value));
            text.append(entry.shareThreshold() ? " (shared)" : "");
            before = ", ";
        }
        text.append(unlimited ? ", unlimited" : "");
        name.ifPresent(own -> text.append(", named ").append(own));
        text.append(replaces.isEmpty() ? "" : ", replaces " + String.join(" ", replaces));
        return text.append(quota ? ", quota" : "")
                .append(detailedMetric ? ", detailed_metric" : "")
                .append(metadata.isEmpty() ? "" : ", metadata " + JsonLine.of(metadata))
                .toString();
    }

    private static boolean isPlain(String key) {
        boolean plain = key.length() + PREFIX.length() <= LONGEST_ATTRIBUTE;
        for (int i = 0; plain && i < key.length(); i++) {
            plain = key.charAt(i) > ' ' && key.charAt(i) != 0x7f;
        }
        return plain;
    }

    private static void text(String what, String text) {
        if (text.isEmpty() || text.length() > LONGEST) {
            throw new IllegalArgumentException(
                    what + ": " + text.length() + " characters (expected: 1.." + LONGEST + ")");
        }
    }
}
