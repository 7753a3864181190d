package io.sluice.center.web.reply;

import io.sluice.center.fleet.NodeState;
import io.sluice.runtime.fleet.NodeReport;
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
        String mode,
        String breaker,
        List<String> findings,
        Instant startedAt,
        Instant lastHeartbeat) {

    /** Rules that it refused. */
    public record Refusal(long version, String digest, List<String> errors) {}

    public static NodeReply of(NodeState node, long version, String digest) {
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
                report.digest().equals(digest),
                report.follows() ? Math.max(0, version - report.version()) : 0,
                report.refused()
                        .map(refusal -> new Refusal(refusal.version(), refusal.digest(), refusal.errors()))
                        .orElse(null),
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
