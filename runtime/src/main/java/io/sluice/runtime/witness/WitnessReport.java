package io.sluice.runtime.witness;

import java.util.Optional;

/**
 * What a node says about the audit log.
 *
 * @param log the id of the log that it witnesses
 * @param size the number of rows of the highest checkpoint that it accepted
 * @param root of that checkpoint
 * @param atMillis when that checkpoint was signed
 * @param key the id of the key that it trusts
 * @param refused why it refuses what the center offers, cut to 1,000 characters; empty if it does not
 */
public record WitnessReport(String log, long size, String root, long atMillis, String key, Optional<String> refused) {

    private static final int LONGEST = 1_000;

    public WitnessReport {
        Checkpoint.checkLog(log);
        Checkpoint.checkSize(size);
        Checkpoint.checkRoot(root);
        Checkpoint.checkAt(atMillis);
        Checkpoint.checkKey(key);
        refused = refused.map(WitnessReport::cut);
    }

    private static String cut(String text) {
        if (text.length() <= LONGEST) {
            return text;
        }
        boolean pair = Character.isHighSurrogate(text.charAt(LONGEST - 1));
        return text.substring(0, pair ? LONGEST - 1 : LONGEST);
    }
}
