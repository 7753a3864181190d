package io.sluice.rules.evaluate;

import io.sluice.rules.pattern.Attributes;
import java.util.Optional;

/**
 * How callers become keys; the same on all nodes that count together. Immutable.
 *
 * @param secret the key of {@code privacy: hash}
 * @param ipv6Prefix the bits of an IPv6 address that tell callers apart, 1 to 128
 * @param hashTag the attribute, such as {@code tenant} or {@code service}, of which the counts of one value are kept in one slot of a
 *     Redis Cluster: those that are counted by it, and those of rules for one value alone. Others are where they fall
 */
public record KeySettings(KeySecret secret, int ipv6Prefix, Optional<String> hashTag) {

    /** What one household or server gets. */
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

    /** With a secret that no other process has: for counts that do not leave this one. */
    public static KeySettings ofThisProcess() {
        return new KeySettings(KeySecret.random(), DEFAULT_IPV6_PREFIX);
    }

    CallerKeys keys() {
        return new CallerKeys(secret, ipv6Prefix, hashTag.orElse(null));
    }
}
