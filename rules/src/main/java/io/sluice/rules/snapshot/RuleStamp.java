package io.sluice.rules.snapshot;

import java.util.regex.Pattern;

/**
 * What names a rule set without its rules: enough to tell whether two nodes, or one before and after a restart, have the same.
 *
 * @param version its number, see {@link RuleSet#version}
 * @param digest of its content, see {@link RuleSet#digest}
 * @param released whether a center gave it its number, which then only rises
 */
public record RuleStamp(long version, String digest, boolean released) {

    private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");

    public RuleStamp {
        if (version < 0) {
            throw new IllegalArgumentException("version: " + version + " (expected: not negative)");
        }
        if (!DIGEST.matcher(digest).matches()) {
            throw new IllegalArgumentException("digest: not one (expected: 64 hexadecimal digits)");
        }
    }

    /** Of a set that nobody released. */
    public RuleStamp(long version, String digest) {
        this(version, digest, false);
    }
}
