package io.sluice.rules.snapshot;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Selects the callers that get the version on trial: a share of them, drawn by a keyed hash of one attribute, or the callers with certain
 * values. A caller always gets the same answer, on every node. A caller within one share is also within every larger share. Without the
 * key, a caller cannot choose a value that is on trial. Immutable.
 *
 * @param attribute the attribute that distinguishes callers, such as {@code user}
 * @param key the key, 16 hexadecimal digits, different for each trial, so that trials do not always have the same callers
 * @param sharePercent the share in percent, 1 to 99; 0 if callers are named
 * @param named the values that are on trial; empty if a share of the callers is
 * @param watched whether both sides are only counted, while all callers still get the version in force. The counts then show how the two
 *     sides differ without the trial
 */
public record CallerSplit(String attribute, String key, int sharePercent, Set<String> named, boolean watched) {

    /** The number of groups that callers are divided into, on each side. */
    public static final int GROUPS = 32;

    /** The maximum number of named callers. */
    public static final int MOST_NAMED = 100;

    private static final Pattern KEY = Pattern.compile("[0-9a-f]{16}");
    private static final int PARTS = 10_000;
    private static final int PARTS_PER_PERCENT = 100;

    public CallerSplit {
        named = Collections.unmodifiableSet(new TreeSet<>(named));
        if (attribute.isEmpty()) {
            throw new IllegalArgumentException("by: empty (expected: an attribute, such as user)");
        }
        if (!KEY.matcher(key).matches()) {
            throw new IllegalArgumentException("key: (expected: 16 hexadecimal digits)");
        }
        if (named.isEmpty() && (sharePercent < 1 || sharePercent > 99)) {
            throw new IllegalArgumentException("callers: " + sharePercent + " (expected: 1..99, in percent)");
        }
        if (!named.isEmpty() && sharePercent != 0) {
            throw new IllegalArgumentException("callers: a share and names (expected: one of them)");
        }
        if (named.size() > MOST_NAMED) {
            throw new IllegalArgumentException("callers: " + named.size() + " (expected: at most " + MOST_NAMED + ")");
        }
    }

    /** Creates a split whose selected callers try the version. */
    public CallerSplit(String attribute, String key, int sharePercent, Set<String> named) {
        this(attribute, key, sharePercent, named, false);
    }

    /** Creates a split that draws a share of the callers. */
    public static CallerSplit share(String attribute, String key, int percent) {
        return new CallerSplit(attribute, key, percent, Set.of());
    }

    /** Creates a split that selects the callers with these values. */
    public static CallerSplit named(String attribute, String key, Set<String> values) {
        return new CallerSplit(attribute, key, 0, values);
    }

    /** Returns the same split before the selected callers try the version. */
    public CallerSplit watching() {
        return new CallerSplit(attribute, key, sharePercent, named, true);
    }

    /** Returns the same split with a larger share. */
    public CallerSplit widened(int percent) {
        return share(attribute, key, percent);
    }

    /** Returns the place of a caller in the trial of a version. */
    public CallerPlace place(String value, long trial) {
        ByteBuffer hash = hash(value);
        int drawn = (int) Long.remainderUnsigned(hash.getLong(), PARTS);
        int group = (int) Long.remainderUnsigned(hash.getLong(), GROUPS);
        boolean onTrial = named.isEmpty() ? drawn < sharePercent * PARTS_PER_PERCENT : named.contains(value);
        return new CallerPlace(trial, onTrial, group);
    }

    private ByteBuffer hash(String value) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(key.getBytes(StandardCharsets.US_ASCII));
            return ByteBuffer.wrap(sha.digest(value.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing; every Java runtime must provide it", e);
        }
    }
}
