package io.sluice.runtime.fleet;

import io.sluice.runtime.fleet.NodeReport.Refusal;
import java.util.Optional;

/**
 * The rules that the decisions of a process follow.
 *
 * @param version the version of these rules; 0 if there are none yet
 * @param digest the digest of these rules; empty if there are none yet
 * @param appliedMillis the time since when these rules are in force, in milliseconds since 1970; 0 if there are none yet
 * @param refused the newer rules that the process refused; empty if it refused none
 * @param follows whether it takes rules that a center releases; false if its rules come from a file
 * @param adjustments the revision of the adjustments in force; 0 if there are none
 */
public record RulesInForce(
        long version, String digest, long appliedMillis, Optional<Refusal> refused, boolean follows, long adjustments) {

    public RulesInForce {
        ReportText.checkVersion(version);
        ReportText.checkDigest(digest);
        ReportText.checkMillis("applied", appliedMillis);
        if (adjustments < 0) {
            throw new IllegalArgumentException("adjustments: " + adjustments + " (expected: 0 or more)");
        }
    }

    /** Returns released rules without adjustments. */
    public static RulesInForce of(long version, String digest, long appliedMillis) {
        return new RulesInForce(version, digest, appliedMillis, Optional.empty(), true, 0);
    }
}
