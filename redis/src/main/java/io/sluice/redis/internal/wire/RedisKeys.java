package io.sluice.redis.internal.wire;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.KeyDigest;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * Builds the names of counts in Redis: {@code prefix:name:shape:key}, or {@code prefix:{tag}:name:shape:key} if hash tags are in
 * use and the key starts with one in braces. Two counts never share a name. Names and shapes contain no colon. In keys, every
 * character that could end a line or be mistaken for a hash tag is percent-encoded. A key that is too long or not valid text is
 * replaced by its hash, marked with a {@code #} that no other key contains.
 */
public final class RedisKeys {

    private static final int LONGEST_BYTES = 200;

    private static final String HASHED = "#";

    private final String prefix;
    private final boolean hashTags;

    /** What the names of a limit's counts start with. */
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
        return (name.indexOf('{') < 0 ? "{" + name + "}#n" : name + "#n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Returns the key under which the leases of a count are recorded: in the same Cluster slot, and unlike the name of any count.
     */
    public String leases(String count) {
        return prefix + ":#l:" + (count.indexOf('{') < 0 ? "{" + count + "}" : count.substring(prefix.length() + 1));
    }

    /** Returns the key of a secret that processes share: unlike the name of any count. */
    public String secret(String name) {
        return prefix + ":#s:" + name;
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
