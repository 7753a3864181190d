package io.sluice.center.audit;

import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the whole log repeatedly, so that a changed row is noticed even if no operator verifies the log. Thread-safe.
 *
 * <p>Each turn of a round reads a thousand rows in its own transaction, so it delays no other work. Rows that are pruned or
 * erased between two turns could look like damage. So a problem that a round finds is confirmed in a single transaction.
 */
final class AuditRounds {

    /**
     * Time between the starts of two rounds, unless a round takes longer. If a row is changed after a round has passed it, the
     * next round finds it.
     */
    static final Duration EVERY = Duration.ofMinutes(20);

    private static final Logger LOG = LoggerFactory.getLogger(AuditRounds.class);

    private final Database database;
    private final Clock clock;
    private @Nullable AuditWalk walk;
    private @Nullable Long begunNanos;
    private volatile Optional<String> problem = Optional.empty();

    AuditRounds(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** Returns the problem that the last round found. */
    Optional<String> problem() {
        return problem;
    }

    /** Checks the next rows, if a round is due. */
    synchronized void turn(AuditHead remembered) {
        long now = clock.nanoTime();
        AuditWalk running = walk;
        if (running == null) {
            if (begunNanos != null && now - begunNanos < EVERY.toNanos()) {
                return;
            }
            begunNanos = now;
            walk = database.read(client -> AuditWalk.begin(client, remembered, Optional.empty(), Map.of()));
        } else if (!database.read(running::step)) {
            walk = null;
            judge(running.report(), remembered);
        }
    }

    private void judge(AuditReport round, AuditHead remembered) {
        AuditReport report = round.good()
                ? round
                : database.read(client -> AuditWalk.whole(client, remembered, Optional.empty(), Map.of()));
        Optional<String> found = report.problem()
                .map(why -> "the audit log: "
                        + (report.firstBad().isPresent()
                                ? "row " + report.firstBad().getAsLong() + ": "
                                : "")
                        + why + " (see POST /api/audit/verify)");
        if (found.isPresent() && !found.equals(problem)) {
            LOG.error("{}", found.get());
        } else if (found.isEmpty() && problem.isPresent()) {
            LOG.info("the audit log is what was written again");
        }
        problem = found;
    }
}
