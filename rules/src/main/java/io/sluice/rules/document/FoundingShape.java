package io.sluice.rules.document;

import io.sluice.rules.yaml.Fields;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The founding shape of a rule: parameters beside the resource, limits for each of its {@code dimensions}, and an id that is made
 * from the resource.
 *
 * <p>In the id the slash between segments is a dot, and everything that ids cannot have, the underscore too, is an underscore
 * and the two digits of each of its bytes: {@code /users/{id}} becomes {@code users._7bid_7d}. An underscore is therefore
 * always followed by a digit or a letter up to f, except in {@code _}, which is the id of {@code /}, and before the hash that ends an id
 * which would be too long. So two resources never have the same id.
 */
final class FoundingShape {

    private static final int LONGEST = 128;
    private static final int KEPT = 60;

    private FoundingShape() {}

    /** Whether a rule is written in this shape. */
    static boolean isMeant(Fields rule) {
        return !rule.has("limits") && DocumentKeys.FOUNDING.stream().anyMatch(rule::has);
    }

    /** Whether the rule itself has a limit, beside those of its dimensions. */
    static boolean hasOwnLimit(Fields rule) {
        return DocumentKeys.FOUNDING.stream().anyMatch(key -> !key.equals("dimensions") && rule.has(key));
    }

    /** The keys of this shape stand in a rule that has limits. */
    static void refuseBesideLimits(Fields rule) {
        for (String key : DocumentKeys.FOUNDING) {
            if (rule.has(key)) {
                rule.refuseKey(key, key + ": beside limits (expected: inside of a limit)");
            }
        }
    }

    /** The id of a rule for a resource, which begins with a slash. */
    static String id(String resource) {
        StringBuilder id = new StringBuilder();
        for (byte b : resource.substring(1).getBytes(StandardCharsets.UTF_8)) {
            boolean kept = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '-';
            if (kept) {
                id.append((char) b);
            } else {
                id.append(b == '/' ? "." : "_" + HexFormat.of().toHexDigits(b));
            }
        }
        if (id.isEmpty()) {
            return "_";
        }
        return id.length() <= LONGEST ? id.toString() : id.substring(0, KEPT) + "__" + hash(resource);
    }

    private static String hash(String resource) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(sha.digest(resource.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
