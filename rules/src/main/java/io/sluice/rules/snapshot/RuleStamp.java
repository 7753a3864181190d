package io.sluice.rules.snapshot;

import java.util.regex.Pattern;

/**
 * Identifies a rule set without its rules, for example to decide whether two nodes, or one node before and after a restart,
 * have the same set.
 *
 * @param version the version, see {@link RuleSet#version}
 * @param digest the digest of the content, see {@link RuleSet#digest}
 * @param released whether a center assigned the version, which then only increases
 */
public record RuleStamp(long version, String digest, boolean released) {

    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    public RuleStamp {
        if (version < 0) {
            throw new IllegalArgumentException("version: " + version + " (expected: 0 or more)");
        }
        if (!DIGEST.matcher(digest).matches()) {
            throw new IllegalArgumentException("digest: malformed (expected: 64 hexadecimal digits)");
        }
    }

    /** Creates the stamp of a set that was not released by a center. */
    public RuleStamp(long version, String digest) {
        this(version, digest, false);
    }
}
