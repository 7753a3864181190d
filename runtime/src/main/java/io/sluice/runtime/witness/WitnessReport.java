package io.sluice.runtime.witness;

import java.util.Optional;

/**
 * A node's report about the audit log.
 *
 * @param log the id of the log that the node witnesses
 * @param size the number of rows of the highest checkpoint that the node accepted
 * @param root the root of that checkpoint
 * @param atMillis the time at which that checkpoint was signed
 * @param key the id of the key that the node trusts
 * @param refused why the node refuses the offers of the center, cut to 1,000 characters; empty if it does not
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
