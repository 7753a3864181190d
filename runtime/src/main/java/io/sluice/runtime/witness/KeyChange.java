package io.sluice.runtime.witness;

/**
 * A change of the key of an audit log, signed with the previous key.
 *
 * @param log the id of the log
 * @param before the id of the previous key
 * @param next the key that follows it
 * @param signature the signature of {@link #signedText} by the previous key, in Base64
 */
public record KeyChange(String log, String before, LogKey next, String signature) {

    public KeyChange {
        Checkpoint.checkLog(log);
        Checkpoint.checkKey(before);
        Checkpoint.checkSignature(signature);
    }

    /** Returns the text that the previous key signs. */
    public static String signedText(String log, String before, LogKey next) {
        return "sluice-audit-key-1\n" + log + "\n" + before + "\n" + next.text() + "\n";
    }

    /** Returns whether the previous key, and no other, signed this change. */
    public boolean isBy(LogKey key) {
        return key.id().equals(before) && key.signed(signedText(log, before, next), signature);
    }
}
