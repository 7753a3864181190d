package io.sluice.rules.caller;

import io.sluice.rules.pattern.Attributes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/**
 * Replaces the values in keys of counts by keyed hashes, so that a recording distinguishes counts without revealing callers: {@code
 * tenant=a&user=u-17} becomes {@code tenant=#9Vd…&user=#x1K…}. The hash of a value is the hash of a {@link CallerMark} of its attribute, so
 * {@link SubjectKeys} also finds the masked keys of a subject. Not thread-safe; caches the last masks.
 *
 * <p>A hash costs about a microsecond, so masks are not made on the thread that decides.
 */
public final class KeyMask {

    /** Separates a name from a hash. No value begins like this, because keys escape the sign. */
    static final String HASHED_VALUE = "=#";

    private static final int MOST_REMEMBERED = 10_000;
    private static final String LONG = "!l";

    private final KeySettings settings;
    private final Set<String> plain;
    private final Map<String, String> keys = memory();
    private final Map<String, String> names = memory();
    private String mark;

    /**
     * Creates a mask.
     *
     * @param plain the attributes whose values stay as they are
     */
    public KeyMask(KeySettings settings, Set<String> plain) {
        this.settings = settings;
        this.plain = plain.stream().map(Attributes::normalisedName).collect(Collectors.toUnmodifiableSet());
        this.mark = currentMark();
    }

    /** Returns whether the values of an attribute stay as they are. */
    public boolean keeps(String attribute) {
        return plain.contains(attribute);
    }

    /** Forgets the masks that were made with another secret. Returns whether the secret has changed since the last call. */
    public boolean refresh() {
        String now = currentMark();
        if (now.equals(mark)) {
            return false;
        }
        mark = now;
        keys.clear();
        names.clear();
        return true;
    }

    /** Returns the key of a count, as demands have it, with masked values. */
    public String key(String key) {
        return keys.computeIfAbsent(key, this::masked);
    }

    /** Returns a name that replaces the name of a count. */
    public String count(String name) {
        return names.computeIfAbsent(name, each -> "#" + hash("count", each));
    }

    private String masked(String key) {
        // A hash tag repeats a value of the key.
        int close = key.startsWith("{") ? key.indexOf('}') : -1;
        String rest = key.substring(close + 1);
        if (rest.isEmpty() || rest.startsWith(CallerKeys.HASHED)) {
            return rest;
        }
        if (rest.startsWith(LONG)) {
            return LONG + "#" + hash("key", rest);
        }
        StringJoiner parts = new StringJoiner("&");
        for (String part : rest.split("&", -1)) {
            parts.add(maskedPart(part));
        }
        return parts.toString();
    }

    private String maskedPart(String part) {
        int equals = part.indexOf('=');
        if (equals < 0) {
            // The attribute was missing, or the key is not made of attributes.
            return part.endsWith("~") ? part : "#" + hash("key", part);
        }
        String left = part.substring(0, equals);
        int stand = left.indexOf('~');
        String name = KeyText.plain(stand < 0 ? left : left.substring(stand + 1));
        return plain.contains(name)
                ? part
                : left + HASHED_VALUE + hash(name, KeyText.plain(part.substring(equals + 1)));
    }

    private String hash(String attribute, String value) {
        return settings.keys().valueHash(attribute, value);
    }

    private String currentMark() {
        return hash("mask", "of this secret");
    }

    /** Returns a map that forgets the oldest entries. */
    private static Map<String, String> memory() {
        return new LinkedHashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
                return size() > MOST_REMEMBERED;
            }
        };
    }
}
