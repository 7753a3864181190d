package io.sluice.rules.document;

import io.sluice.rules.yaml.Fields;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The founding shape of a rule: limit parameters beside the resource, one limit for each of its {@code dimensions}, and an id
 * that is derived from the resource.
 *
 * <p>To derive the id, a slash between segments becomes a dot. Every byte that is not a letter, a digit or a hyphen becomes an
 * underscore and two hexadecimal digits; this includes the underscore itself. For example, {@code /users/{id}} becomes {@code
 * users._7bid_7d}. An underscore is therefore always followed by a hexadecimal digit, with two exceptions: the id {@code _},
 * which stands for {@code /}, and the double underscore before the hash that ends an id which would otherwise be too long. So two
 * resources never get the same id.
 */
final class FoundingShape {

    private static final int LONGEST = 128;
    private static final int KEPT = 60;

    private FoundingShape() {}

    /** Returns whether a rule is written in this shape. */
    static boolean isMeant(Fields rule) {
        return !rule.has("limits") && rule.hasAny(DocumentKeys.FOUNDING);
    }

    /** Returns whether the rule itself has a limit in addition to the limits of its dimensions. */
    static boolean hasOwnLimit(Fields rule) {
        return DocumentKeys.FOUNDING.stream().anyMatch(key -> !key.equals("dimensions") && rule.has(key));
    }

    /** Reports the keys of this shape in a rule that also has {@code limits}. */
    static void refuseBesideLimits(Fields rule) {
        if (!rule.hasAny(DocumentKeys.FOUNDING)) {
            return;
        }
        for (String key : DocumentKeys.FOUNDING) {
            if (rule.has(key)) {
                rule.refuseKey(key, key + ": on the rule, beside limits (expected: inside one of the limits)");
            }
        }
    }

    /** Returns the id of a rule for a resource. The resource begins with a slash. */
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
            throw new IllegalStateException("SHA-256 is missing; every JDK must provide it", e);
        }
    }
}
