package io.sluice.center.fleet;

import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.runtime.fleet.NodeReport;

/**
 * The state of a node, as the center knows it.
 *
 * @param report the last report
 * @param live whether the node reported recently
 * @param seenMillis the arrival of its last report, in milliseconds since the epoch by the clock of this center
 */
public record NodeState(NodeReport report, Way way, boolean live, long seenMillis) {

    /** The way in which reports arrive. */
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
        return report.rules().version() >= version && report.rules().digest().equals(digest);
    }

    /** Returns whether exactly these callers of the node try exactly these rules, or are watched before a trial. */
    public boolean tries(long version, String digest, CallerSplit split) {
        return report.data()
                .trial()
                .filter(trial -> trial.isOf(version, digest, split.sharePercent(), split.watched()))
                .isPresent();
    }
}
