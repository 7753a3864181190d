package io.sluice.rules.snapshot;

import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Computes the SHA-256 of rules in their canonical form, rule by rule, so that the whole text of a large set is never in memory.
 */
final class SetDigest {

    private SetDigest() {}

    /** Returns the digest of {@link RuleJson#document}, in hexadecimal digits. */
    public static String of(List<Rule> rules) {
        MessageDigest sha = sha256();
        RuleJson.write(rules, text -> sha.update(text.getBytes(StandardCharsets.UTF_8)));
        return HexFormat.of().formatHex(sha.digest());
    }

    /** Returns the digest of a text that consists of a beginning and the rest of some bytes. */
    public static String ofText(String beginning, byte[] bytes, int from) {
        MessageDigest sha = sha256();
        sha.update(beginning.getBytes(StandardCharsets.UTF_8));
        sha.update(bytes, from, bytes.length - from);
        return HexFormat.of().formatHex(sha.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing; every JDK must provide it", e);
        }
    }
}
