package io.sluice.runtime.witness;

/**
 * A change of the key of an audit log, signed with the key before.
 *
 * @param log the id of the log
 * @param before the id of the key before
 * @param next the key that follows it
 * @param signature of {@link #signedText}, by the key before, in Base64
 */
public record KeyChange(String log, String before, LogKey next, String signature) {

    public KeyChange {
        Checkpoint.checkLog(log);
        Checkpoint.checkKey(before);
        Checkpoint.checkSignature(signature);
    }

    /** Returns what the key before signs. */
    public static String signedText(String log, String before, LogKey next) {
        return "sluice-audit-key-1\n" + log + "\n" + before + "\n" + next.text() + "\n";
    }

    /** Returns whether the key before, and nobody else, made this change. */
    public boolean isBy(LogKey key) {
        return key.id().equals(before) && key.signed(signedText(log, before, next), signature);
    }
}
