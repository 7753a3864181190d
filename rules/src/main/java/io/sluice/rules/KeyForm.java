package io.sluice.rules;

import io.sluice.rules.internal.CountKeys;

/**
 * How callers become keys; the same on all nodes that count together. Immutable.
 *
 * @param secret the key of {@code privacy: hash}
 * @param ipv6Prefix the bits of an IPv6 address that tell callers apart, 1 to 128
 */
public record KeyForm(KeySecret secret, int ipv6Prefix) {

    /** What one household or server gets. */
    public static final int DEFAULT_IPV6_PREFIX = CountKeys.DEFAULT_IPV6_PREFIX;

    public KeyForm {
        if (ipv6Prefix < 1 || ipv6Prefix > 128) {
            throw new IllegalArgumentException("ipv6_prefix: " + ipv6Prefix + " (expected: 1..128)");
        }
    }

    /** With a secret that no other process has: for counts that do not leave this one. */
    public static KeyForm ofThisProcess() {
        return new KeyForm(KeySecret.random(), DEFAULT_IPV6_PREFIX);
    }

    CountKeys keys() {
        return new CountKeys(secret, ipv6Prefix);
    }
}
