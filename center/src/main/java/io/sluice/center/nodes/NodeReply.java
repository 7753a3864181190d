package io.sluice.center.nodes;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.sluice.center.audit.NodeText;
import io.sluice.center.fleet.NodeState;
import io.sluice.center.http.ReplyTime;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.fleet.LimiterHealth;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.runtime.fleet.StoreHealth;
import io.sluice.runtime.fleet.TrialReport;
import io.sluice.runtime.witness.WitnessReport;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A node. The fields of its rules and of its health stand beside the others.
 *
 * @param live whether it reported within the last five seconds
 * @param by the way of its reports: {@code http} or {@code redis}
 * @param audit its knowledge of the audit log; null if it has none
 */
public record NodeReply(
        String id,
        String kind,
        String name,
        String program,
        boolean live,
        String by,
        @JsonUnwrapped Rules rules,
        @JsonUnwrapped Health health,
        Instant startedAt,
        Instant lastHeartbeat,
        @Nullable Audit audit) {

    /**
     * The rules that it follows.
     *
     * @param follows whether it takes released rules; false if its rules come from a file
     * @param appliedAt the time since when it runs its version
     * @param current whether it runs the released version
     * @param behind the number of versions that it is behind
     * @param trial the version that some of its callers try
     * @param adjustments the revision of the overrides and switches in force
     */
    public record Rules(
            boolean follows,
            long version,
            String digest,
            @Nullable Instant appliedAt,
            boolean current,
            long behind,
            @Nullable Refusal refused,
            @Nullable Long trial,
            long adjustments) {

        static Rules of(NodeReport report, RuleSet released) {
            RulesInForce rules = report.rules();
            return new Rules(
                    rules.follows(),
                    rules.version(),
                    rules.digest(),
                    ReplyTime.of(rules.appliedMillis()),
                    rules.digest().equals(released.digest()),
                    rules.follows() ? Math.max(0, released.version() - rules.version()) : 0,
                    rules.refused()
                            .map(refusal -> new Refusal(refusal.version(), refusal.digest(), refusal.errors()))
                            .orElse(null),
                    report.data().trial().map(TrialReport::version).orElse(null),
                    rules.adjustments());
        }
    }

    /**
     * Its way of deciding.
     *
     * @param modeSince the time since when it decides with its shared store, or without it, by its own clock; null if not reported
     * @param store the calls to its store during the last ten seconds; null if not reported
     * @param onFailure the behavior of its rules while the store is unavailable; null if not reported
     */
    public record Health(
            String mode,
            String breaker,
            @Nullable Instant modeSince,
            @Nullable Store store,
            @Nullable OnFailure onFailure,
            List<String> findings) {

        static Health of(NodeHealth health) {
            Optional<LimiterHealth> limiter = health.limiter();
            return new Health(
                    health.mode().word(),
                    health.breaker().word(),
                    limiter.map(each -> Instant.ofEpochMilli(each.modeSinceMillis()))
                            .orElse(null),
                    limiter.map(each -> Store.of(each.store())).orElse(null),
                    limiter.map(each -> OnFailure.of(each.onFailure())).orElse(null),
                    health.findings());
        }
    }

    /**
     * Its knowledge of the audit log.
     *
     * @param size the number of rows that it has witnessed
     * @param at the time when the checkpoint that it holds was signed
     * @param key the id of the key that it trusts
     * @param refused the reason why it refuses the checkpoint that this center offers
     * @param agrees whether this center has the same history; null if not known yet
     */
    public record Audit(
            long size,
            String root,
            Instant at,
            String key,
            @Nullable String refused,
            @Nullable Boolean agrees) {

        static Audit of(WitnessReport report, Function<WitnessReport, Optional<Boolean>> agrees) {
            return new Audit(
                    report.size(),
                    report.root(),
                    Instant.ofEpochMilli(report.atMillis()),
                    report.key(),
                    report.refused().map(NodeText::printable).orElse(null),
                    agrees.apply(report).orElse(null));
        }
    }

    /**
     * The calls to a node's store during the last ten seconds.
     *
     * @param kind {@code redis}, or {@code memory} for counts that stay in the process
     * @param p50Us the time that half of the answered calls did not exceed, in microseconds; null if no call was answered
     * @param calls the calls that ended; one call can make many decisions
     * @param errors the calls without an answer, or with one that came too late
     * @param asOf the time of the measurement, by the clock of the node
     */
    public record Store(
            String kind, @Nullable Long p50Us, @Nullable Long p99Us, long calls, long errors, Instant asOf) {

        static Store of(StoreHealth health) {
            boolean isKnown = health.p99Micros() > 0;
            return new Store(
                    health.kind().word(),
                    isKnown ? health.p50Micros() : null,
                    isKnown ? health.p99Micros() : null,
                    health.calls(),
                    health.errors(),
                    Instant.ofEpochMilli(health.asOfMillis()));
        }
    }

    /**
     * The numbers of enabled rules that allow every request, decide in the process, or refuse every request while the store is
     * unavailable.
     */
    public record OnFailure(int open, int local, int closed) {

        static OnFailure of(LimiterHealth.OnFailure counts) {
            return new OnFailure(counts.open(), counts.local(), counts.closed());
        }
    }

    /** A refused set of rules. */
    public record Refusal(long version, String digest, List<String> errors) {}

    /**
     * Describes a node.
     *
     * @param released the rules that are released to it
     * @param agrees returns whether the node's view of the audit log matches the history of this center
     */
    public static NodeReply of(NodeState node, RuleSet released, Function<WitnessReport, Optional<Boolean>> agrees) {
        NodeReport report = node.report();
        NodeIdentity identity = report.identity();
        return new NodeReply(
                identity.node(),
                identity.kind().word(),
                identity.name(),
                identity.program(),
                node.live(),
                node.way().word(),
                Rules.of(report, released),
                Health.of(report.health()),
                Instant.ofEpochMilli(identity.startedMillis()),
                Instant.ofEpochMilli(node.seenMillis()),
                report.answers().witness().map(held -> Audit.of(held, agrees)).orElse(null));
    }
}
