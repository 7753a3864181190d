package io.sluice.center.web.reply;

import io.sluice.center.fleet.NodeState;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.TrialReport;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A node.
 *
 * @param live whether it reported within the last five seconds
 * @param by how its reports arrive: {@code http} or {@code redis}
 * @param follows whether it takes released rules; not if its rules come from a file
 * @param appliedAt since when it runs its version
 * @param current whether it runs the released version
 * @param behind how many versions it is behind
 * @param trial the version that some of its callers try
 * @param adjustments the revision of the overrides and switches in force
 */
public record NodeReply(
        String id,
        String kind,
        String name,
        String program,
        boolean live,
        String by,
        boolean follows,
        long version,
        String digest,
        @Nullable Instant appliedAt,
        boolean current,
        long behind,
        @Nullable Refusal refused,
        @Nullable Long trial,
        long adjustments,
        String mode,
        String breaker,
        List<String> findings,
        Instant startedAt,
        Instant lastHeartbeat) {

    /** Rules that it refused. */
    public record Refusal(long version, String digest, List<String> errors) {}

    /**
     * Describes a node.
     *
     * @param released the rules that are released to it
     */
    public static NodeReply of(NodeState node, RuleSet released) {
        NodeReport report = node.report();
        return new NodeReply(
                report.node(),
                word(report.kind()),
                report.name(),
                report.program(),
                node.live(),
                word(node.way()),
                report.follows(),
                report.version(),
                report.digest(),
                RolloutReply.instant(report.appliedMillis()),
                report.digest().equals(released.digest()),
                report.follows() ? Math.max(0, released.version() - report.version()) : 0,
                report.refused()
                        .map(refusal -> new Refusal(refusal.version(), refusal.digest(), refusal.errors()))
                        .orElse(null),
                report.trial().map(TrialReport::version).orElse(null),
                report.adjustments(),
                word(report.mode()),
                word(report.breaker()),
                report.findings(),
                Instant.ofEpochMilli(report.startedMillis()),
                Instant.ofEpochMilli(node.seenMillis()));
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
