package io.sluice.rules.caller;

import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;

/**
 * Builds the keys of counts, such as {@code tenant=a&user=u-17}. If an attribute is missing, the caller's address is used
 * instead: {@code user~ip=192.0.2.7}. Without an address, or with {@code absent: share}, all such requests share one count:
 * {@code user~}. Immutable.
 *
 * <p>Different tuples of names and values have different keys. A key has at most 200 characters; a longer key is replaced by {@code !l} and
 * its SHA-256. This hash is not keyed, so that counts of {@code privacy: plain} do not depend on a secret. Under {@code privacy: hash}
 * every key, long or short, is {@code !h} and the HMAC-SHA-256 of its tuple.
 */
public final class CallerKeys {

    /**
     * The default number of IPv6 address bits that distinguish callers. One household or server usually gets a network of this
     * size.
     */
    public static final int DEFAULT_IPV6_PREFIX = 64;

    /** The beginning of every key under {@code privacy: hash}. */
    public static final String HASHED = "!h";

    /** The maximum number of characters of a plain key. */
    static final int LONGEST = 200;

    private static final String MASK = "***";
    private static final int SHOWN = 2;
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();
    private static final CallerKey.Of WHOLE_RULE = new CallerKey.Of("");
    private static final CallerKey.Skipped SKIPPED = new CallerKey.Skipped();
    private static final CallerKeys DEFAULT = new CallerKeys(KeySecret.random(), DEFAULT_IPV6_PREFIX);

    private final KeySecret secret;
    private final int ipv6Prefix;
    private final @Nullable String together;

    /**
     * Creates keys without a hash tag.
     *
     * @param secret the key of {@code privacy: hash}, which must be the same on all nodes that share counts
     * @param ipv6Prefix the number of IPv6 address bits that distinguish callers, 1 to 128
     */
    public CallerKeys(KeySecret secret, int ipv6Prefix) {
        this(secret, ipv6Prefix, null);
    }

    /**
     * Creates keys with a hash tag.
     *
     * @param together the attribute whose counts stay together, see {@link #tagged}; null for none
     */
    public CallerKeys(KeySecret secret, int ipv6Prefix, @Nullable String together) {
        if (ipv6Prefix < 1 || ipv6Prefix > 128) {
            throw new IllegalArgumentException("ipv6_prefix: " + ipv6Prefix + " (expected: 1..128)");
        }
        this.secret = secret;
        this.ipv6Prefix = ipv6Prefix;
        this.together = together;
    }

    /** Returns a plain key. Missing attributes are replaced by the address. */
    public static String key(List<String> by, Attributes request) {
        CallerKey key = DEFAULT.key(by.stream().map(By::attribute).toList(), AbsentPolicy.IP, Privacy.PLAIN, request);
        return ((CallerKey.Of) key).text();
    }

    public CallerKey key(List<By> by, AbsentPolicy absent, Privacy privacy, Attributes request) {
        if (by.isEmpty()) {
            return WHOLE_RULE;
        }
        if (absent == AbsentPolicy.SKIP || absent == AbsentPolicy.REFUSE) {
            String missing = missing(by, request);
            if (missing != null) {
                return absent == AbsentPolicy.SKIP ? SKIPPED : new CallerKey.Refused(missing);
            }
        }
        if (privacy == Privacy.HASH) {
            return new CallerKey.Of(HASHED + keyedHash(by, absent, request));
        }
        String plain = plain(by, absent, request);
        return new CallerKey.Of(plain != null ? plain : "!l" + hash(by, absent, request));
    }

    /**
     * Returns the key with a hash tag in front: the value that keeps counts together, in braces, such as {@code
     * {acme}tenant=acme&user=u-17}. Only a count that belongs to exactly one value gets a tag: the limit counts by the attribute,
     * or the rule applies to that value alone. With a tag, any other count would split into one count per value. A key under
     * {@code privacy: hash} gets no tag, because the tag would reveal what the hash hides.
     */
    public String tagged(String key, Scope scope, List<By> by, Privacy privacy, Attributes request) {
        if (together == null || privacy == Privacy.HASH) {
            return key;
        }
        String value = heldBy(together, scope, by, request);
        if (value == null || value.isEmpty()) {
            return key;
        }
        StringBuilder tagged = new StringBuilder(key.length() + value.length() + 2).append('{');
        KeyText.append(value, tagged);
        return tagged.append('}').append(key).toString();
    }

    private @Nullable String heldBy(String attribute, Scope scope, List<By> by, Attributes request) {
        for (By each : by) {
            if (each.attribute().equals(attribute)
                    || each.otherwise().filter(attribute::equals).isPresent()) {
                return value(each, request);
            }
        }
        if (attribute.equals("service") && scope.service() != null) {
            return scope.service();
        }
        Condition condition = scope.match().get(attribute);
        return condition != null
                        && condition.values().size() == 1
                        && condition.globs().isEmpty()
                        && condition.networks().isEmpty()
                ? condition.values().iterator().next()
                : null;
    }

    /**
     * Returns the tuple in a form that people may see: with only the first two characters of each value, and with no characters under
     * {@code privacy: hash}.
     */
    public String masked(List<By> by, AbsentPolicy absent, Privacy privacy, Attributes request) {
        StringBuilder text = new StringBuilder();
        for (By each : by) {
            begin(each, text);
            String value = value(each, request);
            if (value == null) {
                text.append('~');
                value = absent == AbsentPolicy.IP ? counted("ip", request) : null;
                text.append(value == null ? "" : "ip");
            }
            if (value != null) {
                text.append('=');
                if (privacy == Privacy.PLAIN && value.length() > SHOWN + 1) {
                    KeyText.append(value.substring(0, value.offsetByCodePoints(0, SHOWN)), text);
                }
                text.append(MASK);
            }
        }
        return text.toString();
    }

    private static @Nullable String missing(List<By> by, Attributes request) {
        for (By each : by) {
            if (request.get(each.attribute()) == null
                    && each.otherwise().map(request::get).isEmpty()) {
                return each.attribute();
            }
        }
        return null;
    }

    /** Returns the plain key, or null if it would be too long. */
    private @Nullable String plain(List<By> by, AbsentPolicy absent, Attributes request) {
        StringBuilder key = new StringBuilder(64);
        for (By each : by) {
            begin(each, key);
            String value = value(each, request);
            if (value == null) {
                key.append('~');
                value = absent == AbsentPolicy.IP ? counted("ip", request) : null;
                if (value == null) {
                    continue;
                }
                key.append("ip");
            }
            if (value.length() > LONGEST) {
                return null;
            }
            KeyText.append(value, key.append('='));
        }
        return key.length() > LONGEST ? null : key.toString();
    }

    private static void begin(By by, StringBuilder key) {
        if (!key.isEmpty()) {
            key.append('&');
        }
        KeyText.append(by.attribute(), key);
    }

    private void feed(List<By> by, AbsentPolicy absent, Attributes request, Consumer<ByteBuffer> hash) {
        TupleHash bytes = new TupleHash(hash);
        for (By each : by) {
            bytes.add('&', each.attribute());
            String value = value(each, request);
            if (value != null) {
                bytes.add('=', value);
            } else {
                String address = absent == AbsentPolicy.IP ? counted("ip", request) : null;
                bytes.add(address == null ? '~' : '@', address == null ? "" : address);
            }
        }
        bytes.end();
    }

    /**
     * Returns the keyed hash of the tuple: 43 characters that stand for the caller without revealing it. Under {@code privacy: hash}, the
     * key of the count also contains it.
     */
    public String keyedHash(List<By> by, AbsentPolicy absent, Attributes request) {
        Mac mac = secret.mac();
        feed(by, absent, request, mac::update);
        return BASE64.encodeToString(mac.doFinal());
    }

    /**
     * Returns the keyed hash of one attribute, which equals {@link #keyedHash} of a request with this attribute.
     *
     * @param counted the part of the value that is {@linkplain #counted counted}
     */
    String valueHash(String attribute, String counted) {
        Mac mac = secret.mac();
        TupleHash bytes = new TupleHash(mac::update);
        bytes.add('&', attribute);
        bytes.add('=', counted);
        bytes.end();
        return BASE64.encodeToString(mac.doFinal());
    }

    private String hash(List<By> by, AbsentPolicy absent, Attributes request) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            feed(by, absent, request, sha::update);
            return BASE64.encodeToString(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing; every Java runtime must provide it", e);
        }
    }

    private @Nullable String value(By by, Attributes request) {
        String value = counted(by.attribute(), request);
        return value != null || by.otherwise().isEmpty()
                ? value
                : counted(by.otherwise().get(), request);
    }

    /** Returns the part of an attribute that is counted: the whole value, or the network of an IPv6 address. */
    public @Nullable String counted(String name, Attributes request) {
        Address address = name.equals("ip") ? request.address() : null;
        return address == null || address.isV4() ? request.get(name) : address.counted(ipv6Prefix);
    }

    /**
     * Feeds texts to a hash. Each text is preceded by its length and written character by character, so that different tuples always give
     * different bytes. Needs little memory even for long texts.
     */
    private static final class TupleHash {

        private final ByteBuffer buffer = ByteBuffer.allocate(1_024);
        private final Consumer<ByteBuffer> hash;

        TupleHash(Consumer<ByteBuffer> hash) {
            this.hash = hash;
        }

        void add(char kind, String text) {
            room(Character.BYTES + Integer.BYTES);
            buffer.putChar(kind).putInt(text.length());
            for (int i = 0; i < text.length(); i++) {
                room(Character.BYTES);
                buffer.putChar(text.charAt(i));
            }
        }

        void end() {
            hash.accept(buffer.flip());
            buffer.clear();
        }

        private void room(int bytes) {
            if (buffer.remaining() < bytes) {
                end();
            }
        }
    }
}
