package io.sluice.runtime.erasure;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of an order.
 *
 * @param id the id of the erasure
 * @param removed the number of removed entries of each kind, such as {@code counts}, {@code decisions}, {@code recordings}
 * @param left sentences about data that could not be removed; they do not name the subject
 * @param hashes the keyed hashes under which this node knows the subject. The center finds overrides by them
 */
public record ErasureResult(long id, Map<String, Long> removed, List<String> left, List<String> hashes) {

    private static final int MOST_KINDS = 20;
    private static final int MOST_TEXTS = 50;
    private static final int LONGEST = 500;

    public ErasureResult {
        removed = Map.copyOf(new TreeMap<>(removed));
        left = left.stream()
                .limit(MOST_TEXTS)
                .map(text -> text.substring(0, Math.min(LONGEST, text.length())))
                .toList();
        hashes = hashes.stream().distinct().limit(MOST_TEXTS).toList();
        if (id < 1) {
            throw new IllegalArgumentException("id: " + id + " (expected: 1 or more)");
        }
        if (removed.size() > MOST_KINDS || !removed.keySet().stream().allMatch(kind -> kind.matches("[a-z_]{1,40}"))) {
            throw new IllegalArgumentException("removed: malformed (expected: at most " + MOST_KINDS + " kinds)");
        }
        if (!hashes.stream().allMatch(hash -> hash.matches("[0-9A-Za-z_-]{43}"))) {
            throw new IllegalArgumentException("hashes: malformed (expected: hashes of callers)");
        }
    }
}
