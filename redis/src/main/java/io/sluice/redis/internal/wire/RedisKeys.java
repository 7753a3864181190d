package io.sluice.redis.internal.wire;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.KeyDigest;
import io.sluice.core.spi.KeyMatch;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * Builds the names of counts in Redis: {@code prefix:name:shape:key}, or {@code prefix:{tag}:name:shape:key} if hash tags are in use and
 * the key starts with a tag in braces. Two counts never share a name. Names and shapes contain no colon. In keys, every character that
 * could end a line or be mistaken for a hash tag is percent-encoded. A key that is too long or not valid text is replaced by its hash,
 * marked with a {@code #} that no other key contains.
 */
public final class RedisKeys {

    private static final int LONGEST_BYTES = 200;

    private static final String HASHED = "#";
    private static final String LEASES = ":#l:";
    private static final String SETTLEMENTS = ":#r:";
    private static final String NUMBERING = "#n";

    private final String prefix;
    private final boolean hashTags;

    /** The starts of the names of each limit's counts. */
    private final PerLimit<String> starts;

    public RedisKeys(String prefix) {
        this(prefix, false);
    }

    public RedisKeys(String prefix, boolean hashTags) {
        this.prefix = prefix;
        this.hashTags = hashTags;
        this.starts = new PerLimit<>(limit -> prefix + ":" + limit.name() + ":" + limit.shape() + ":");
    }

    /** Returns the name of each demand's count. */
    public String[] of(List<Demand> demands) {
        String[] counts = new String[demands.size()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = of(demands.get(i).limit(), demands.get(i).key());
        }
        return counts;
    }

    public String of(Limit limit, String key) {
        int close = hashTags && key.startsWith("{") ? key.indexOf('}') : -1;
        if (close > 1) {
            return prefix + ":{" + encoded(key.substring(1, close)) + "}:" + limit.name() + ":" + limit.shape() + ":"
                    + encoded(key.substring(close + 1));
        }
        return starts.of(limit).concat(encoded(key));
    }

    /**
     * Returns the key under which the recorded steps of a count are numbered: in the same slot, and unlike the name of any count.
     */
    public static byte[] numbering(byte[] count) {
        String name = new String(count, StandardCharsets.UTF_8);
        return (name.indexOf('{') < 0 ? "{" + name + "}" + NUMBERING : name + NUMBERING)
                .getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the key under which the leases of a count are recorded: in the same Cluster slot, and unlike the name of any count.
     */
    public String leases(String count) {
        return prefix + LEASES + beside(count);
    }

    /**
     * Returns the key under which the settlement of a reservation is recorded: in the same Cluster slot as the count, and unlike the
     * name of any count.
     *
     * @param id the name of the reservation
     */
    public String settlement(String count, String id) {
        return prefix + SETTLEMENTS + beside(count) + HASHED + encoded(id);
    }

    private String beside(String count) {
        return count.indexOf('{') < 0 ? "{" + count + "}" : count.substring(prefix.length() + 1);
    }

    /** Returns the key of a secret that processes share: unlike the name of any count. */
    public String secret(String name) {
        return prefix + ":#s:" + name;
    }

    /** Returns the key of a mark that distinguishes one life of the data from another: unlike the name of any count. */
    public String mark(String name) {
        return prefix + ":#m:" + name;
    }

    /**
     * Returns the key with which processes agree on the process that removes the counts of a subject: unlike the name of any count.
     *
     * @param id the id of the erasure, which does not identify the subject
     */
    public String erasure(String id) {
        return prefix + ":#e:" + id;
    }

    /** Returns a pattern for SCAN that all names match. Other keys that contain the prefix may also match. */
    public String pattern() {
        StringBuilder pattern = new StringBuilder("*");
        for (int i = 0; i < prefix.length(); i++) {
            if ("*?[]^-\\".indexOf(prefix.charAt(i)) >= 0) {
                pattern.append('\\');
            }
            pattern.append(prefix.charAt(i));
        }
        return pattern.append(":*").toString();
    }

    /**
     * Returns whether a name that {@link #isOf} a key is the name of the count itself, as opposed to its leases, settlements or numbering.
     */
    public boolean isCount(String name) {
        return name.startsWith(prefix + ":")
                && !name.startsWith(prefix + LEASES)
                && !name.startsWith(prefix + SETTLEMENTS)
                && !name.endsWith(NUMBERING);
    }

    /** Returns whether this is the name of a count whose key matches, of its leases, of one of its settlements, or of its numbering. */
    public boolean isOf(KeyMatch match, String name) {
        String count = name;
        if (count.startsWith(prefix + SETTLEMENTS)) {
            String rest = count.substring((prefix + SETTLEMENTS).length());
            int id = rest.lastIndexOf(HASHED);
            // An id that was too long is a hash, marked like the hash of a key.
            count = besides(rest.substring(0, id > 0 && rest.startsWith(HASHED, id - 1) ? id - 1 : Math.max(0, id)));
        } else if (count.endsWith(NUMBERING)) {
            count = count.substring(0, count.length() - NUMBERING.length());
            count = withoutBraces(count);
        } else if (count.startsWith(prefix + LEASES)) {
            count = besides(count.substring((prefix + LEASES).length()));
        }
        return count.startsWith(prefix + ":") && isOfRest(match, count.substring(prefix.length() + 1));
    }

    /** Reverses {@link #beside}. A tagged count keeps its own tag and lacks the prefix. */
    private String besides(String rest) {
        boolean whole = rest.startsWith("{" + prefix + ":") && rest.endsWith("}");
        return whole ? withoutBraces(rest) : prefix + ":" + rest;
    }

    private static boolean isOfRest(KeyMatch match, String rest) {
        int close = rest.startsWith("{") ? rest.indexOf("}:") : -1;
        String tag = close < 0 ? "" : rest.substring(1, close);
        String named = rest.substring(close < 0 ? 0 : close + 2);
        int shape = named.indexOf(':');
        int end = shape < 0 ? -1 : named.indexOf(':', shape + 1);
        if (end < 0) {
            return false;
        }
        String key = named.substring(end + 1);
        boolean hashedTag = tag.startsWith(HASHED);
        if (hashedTag && match.matchesDigest(tag.substring(HASHED.length()))) {
            return true;
        }
        String shown = tag.isEmpty() || hashedTag ? "" : "{" + decoded(tag) + "}";
        return key.startsWith(HASHED)
                ? match.matchesDigest(key.substring(HASHED.length())) || (!shown.isEmpty() && match.matches(shown))
                : match.matches(shown + decoded(key));
    }

    private static String withoutBraces(String text) {
        return text.startsWith("{") && text.endsWith("}") ? text.substring(1, text.length() - 1) : text;
    }

    /** Reverses {@link #encoded} for keys that it did not replace by their hash. */
    static String decoded(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        StringBuilder key = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%'
                    && i + 2 < text.length()
                    && HexFormat.isHexDigit(text.charAt(i + 1))
                    && HexFormat.isHexDigit(text.charAt(i + 2))) {
                key.append((char) HexFormat.fromHexDigits(text, i + 1, i + 3));
                i += 2;
            } else {
                key.append(c);
            }
        }
        return key.toString();
    }

    /** Encodes a key as text without spaces, line breaks, braces and {@code #}. Different keys have different encodings. */
    static String encoded(String key) {
        if (isPlain(key)) {
            return key;
        }
        ByteBuffer bytes;
        try {
            bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(key));
        } catch (CharacterCodingException e) {
            return HASHED + KeyDigest.of(key);
        }
        if (bytes.remaining() > LONGEST_BYTES) {
            return HASHED + KeyDigest.of(key);
        }
        StringBuilder text = new StringBuilder(bytes.remaining() + 16);
        key.codePoints().forEach(c -> {
            if (isPlain(c) || c > 0x9F) {
                text.appendCodePoint(c);
            } else {
                text.append('%').append(HexFormat.of().toHexDigits((byte) c));
            }
        });
        return text.toString();
    }

    private static boolean isPlain(String key) {
        if (key.length() > LONGEST_BYTES) {
            return false;
        }
        for (int i = 0; i < key.length(); i++) {
            if (!isPlain(key.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlain(int c) {
        return c > ' ' && c < 0x7F && c != '%' && c != '#' && c != '{' && c != '}';
    }
}
