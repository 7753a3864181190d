package io.sluice.runtime.witness;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The hashes of a Merkle tree over rows, as RFC 9162 defines them, in hexadecimal digits. A leaf and an inner node never have the
 * same bytes.
 */
public final class TreeHash {

    /** The root of a tree without leaves. */
    public static final String EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final HexFormat HEX = HexFormat.of();

    private TreeHash() {}

    /** Returns the hash of one row. */
    public static String leaf(String row) {
        MessageDigest digest = sha256();
        digest.update((byte) 0);
        return HEX.formatHex(digest.digest(row.getBytes(StandardCharsets.UTF_8)));
    }

    /** Returns the hash of two adjacent nodes. */
    public static String node(String left, String right) {
        MessageDigest digest = sha256();
        digest.update((byte) 1);
        digest.update(HEX.parseHex(left));
        return HEX.formatHex(digest.digest(HEX.parseHex(right)));
    }

    /** Returns whether a text can be a hash. */
    public static boolean isHash(String text) {
        return HASH.matcher(text).matches();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing; every Java runtime must provide it", e);
        }
    }
}
