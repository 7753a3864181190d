package io.sluice.center.fleet;

import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.runtime.fleet.NodeReport;

/**
 * What the center knows about a node.
 *
 * @param report the last one
 * @param live whether it reported lately
 * @param seenMillis when its last report arrived, in milliseconds since the epoch by the clock of this center
 */
public record NodeState(NodeReport report, Way way, boolean live, long seenMillis) {

    /** How reports arrive. */
    public enum Way {
        HTTP("http"),
        REDIS("redis");

        private final String word;

        Way(String word) {
            this.word = word;
        }

        /** Returns the name in the API. */
        public String word() {
            return word;
        }
    }

    /** Returns whether the node decides by exactly these rules. */
    public boolean runs(long version, String digest) {
        return report.version() >= version && report.digest().equals(digest);
    }

    /** Returns whether exactly these callers of the node try exactly these rules, or are watched before they do. */
    public boolean tries(long version, String digest, CallerSplit split) {
        return report.trial()
                .filter(trial -> trial.isOf(version, digest, split.sharePercent(), split.watched()))
                .isPresent();
    }
}
