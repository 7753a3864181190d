package io.sluice.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which descriptors of Envoy's rate limit protocol a rule is for, instead of a {@link Scope}. Whoever speaks that protocol finds
 * the rule for a descriptor, the most specific one of its domain; no attribute of a request reaches it. Immutable.
 *
 * <p>A rule that {@linkplain Action#EXEMPT exempts} applies nothing to the descriptor, and other descriptors of the same request
 * keep their limits.
 *
 * @param domain of the request
 * @param path one for each entry of the descriptor, at least one
 * @param unlimited of a rule that exempts: whether the answer says so, or is that of a descriptor without a rule
 * @param name by which others replace it
 * @param replaces the names of those that do not apply where this one does
 * @param quota whether the limit only tells that it is used up, and never refuses
 * @param detailedMetric kept as it was written; no metric takes a value that a client can choose
 */
public record EnvoyDescriptor(
        String domain,
        List<Entry> path,
        boolean unlimited,
        Optional<String> name,
        List<String> replaces,
        boolean quota,
        boolean detailedMetric) {

    /** The longest domain, key, value and name. */
    public static final int LONGEST = 4_096;

    /** The deepest path. */
    public static final int DEEPEST = 64;

    private static final int LONGEST_ATTRIBUTE = 128;
    private static final String PREFIX = "descriptor.";

    public EnvoyDescriptor {
        path = List.copyOf(path);
        replaces = List.copyOf(replaces);
        text("domain", domain);
        if (path.isEmpty() || path.size() > DEEPEST) {
            throw new IllegalArgumentException("path: " + path.size() + " (expected: 1.." + DEEPEST + " entries)");
        }
        name.ifPresent(own -> text("name", own));
        for (String other : replaces) {
            text("replaces", other);
            if (name.filter(other::equals).isPresent()) {
                throw new IllegalArgumentException("replaces: its own name (expected: the names of others)");
            }
        }
    }

    /**
     * One entry of a descriptor.
     *
     * @param value what its value must be, {@code *} standing for any text, none too; without one every value will do
     * @param shareThreshold whether all values that match share one count
     */
    public record Entry(String key, Optional<String> value, boolean shareThreshold) {

        public Entry {
            text("key", key);
            value.ifPresent(given -> text("value", given));
            if (shareThreshold && value.filter(given -> given.indexOf('*') >= 0).isEmpty()) {
                throw new IllegalArgumentException("share_threshold: without a wildcard (expected: a value with *)");
            }
        }

        /** Whether descriptors with different values match. */
        public boolean isOpen() {
            return value.isEmpty() || value.get().indexOf('*') >= 0;
        }
    }

    /** The attributes that hold the values of a descriptor with these keys, in their order; no two are the same. */
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

    /** What tells the counts of the rule's descriptors apart: the entries that more than one value matches and does not share. */
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

    /** In short: {@code edge: remote_address=50.*, path}. */
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
