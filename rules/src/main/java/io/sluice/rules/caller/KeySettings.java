package io.sluice.rules.caller;

import io.sluice.rules.pattern.Attributes;
import java.util.Optional;

/**
 * The settings for building keys from callers. They must be the same on all nodes that share counts. Immutable.
 *
 * @param secret the key of {@code privacy: hash}
 * @param ipv6Prefix the number of IPv6 address bits that distinguish callers, 1 to 128
 * @param hashTag an attribute such as {@code tenant} or {@code service}; counts with the same value of it stay in one slot of a
 *     Redis Cluster. This applies to counts by that attribute and counts of rules for a single value. Other counts may be in
 *     any slot
 */
public record KeySettings(KeySecret secret, int ipv6Prefix, Optional<String> hashTag) {

    /** The size of network that one household or server usually gets. */
    public static final int DEFAULT_IPV6_PREFIX = CallerKeys.DEFAULT_IPV6_PREFIX;

    public KeySettings {
        if (ipv6Prefix < 1 || ipv6Prefix > 128) {
            throw new IllegalArgumentException("ipv6_prefix: " + ipv6Prefix + " (expected: 1..128)");
        }
        hashTag = hashTag.map(Attributes::normalisedName);
        if (hashTag.filter(String::isBlank).isPresent()) {
            throw new IllegalArgumentException("hash_tag: empty (expected: an attribute, such as tenant or service)");
        }
    }

    public KeySettings(KeySecret secret, int ipv6Prefix) {
        this(secret, ipv6Prefix, Optional.empty());
    }

    /** Creates settings with a random secret, for counts that do not leave this process. */
    public static KeySettings ofThisProcess() {
        return new KeySettings(KeySecret.random(), DEFAULT_IPV6_PREFIX);
    }

    /** Returns the builder of keys. */
    public CallerKeys keys() {
        return new CallerKeys(secret, ipv6Prefix, hashTag.orElse(null));
    }
}
