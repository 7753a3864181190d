package io.sluice.runtime.witness;

import java.util.regex.Pattern;

/**
 * The state of an audit log at one moment, signed by the center.
 *
 * @param log the id of the log, assigned when the log was started
 * @param size the number of rows
 * @param root the root of the tree over these rows
 * @param atMillis the time of the signature, in milliseconds since 1970
 * @param key the id of the key that signed the checkpoint
 * @param signature the signature of {@link #signedText}, in Base64
 */
public record Checkpoint(String log, long size, String root, long atMillis, String key, String signature) {

    private static final Pattern LOG = Pattern.compile("[0-9a-f]{32}");
    private static final Pattern KEY = Pattern.compile("[0-9a-f]{16}");
    private static final Pattern SIGNATURE = Pattern.compile("[0-9A-Za-z+/=]{1,200}");
    private static final long LATEST_MILLIS = 999_999_999_999_999L;

    public Checkpoint {
        checkLog(log);
        checkSize(size);
        checkRoot(root);
        checkAt(atMillis);
        checkKey(key);
        checkSignature(signature);
    }

    /** Returns the text that the center signs. */
    public static String signedText(String log, long size, String root, long atMillis) {
        return "sluice-audit-checkpoint-1\n" + log + "\n" + size + "\n" + root + "\n" + atMillis + "\n";
    }

    /** Returns whether the owner of a key signed this checkpoint. */
    public boolean isBy(LogKey by) {
        return by.id().equals(key) && by.signed(signedText(log, size, root, atMillis), signature);
    }

    static void checkLog(String log) {
        check("log", log, LOG);
    }

    static void checkSize(long size) {
        if (size < 0) {
            throw new IllegalArgumentException("size: " + size + " (expected: 0 or more)");
        }
    }

    static void checkRoot(String root) {
        if (!TreeHash.isHash(root)) {
            throw new IllegalArgumentException("root: malformed (expected: 64 hexadecimal digits)");
        }
    }

    static void checkAt(long atMillis) {
        if (atMillis < 0 || atMillis > LATEST_MILLIS) {
            throw new IllegalArgumentException("at: " + atMillis + " (expected: milliseconds since 1970)");
        }
    }

    static void checkKey(String key) {
        check("key", key, KEY);
    }

    static void checkSignature(String signature) {
        check("signature", signature, SIGNATURE);
    }

    private static void check(String name, String text, Pattern form) {
        if (!form.matcher(text).matches()) {
            throw new IllegalArgumentException(name + ": malformed (expected: " + form.pattern() + ")");
        }
    }
}
